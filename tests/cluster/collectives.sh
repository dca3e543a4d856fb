#!/bin/sh
# Programs on systems of 2, 4 and 8 chips: collectives and a tensor-parallel matmul with right results on every chip, what is said
# of chips and links, mistakes in files. Usage: collectives.sh TENSIM SOURCE
set -eu
tensim=$1 source=$2
. "$source/tests/job/shell.sh"
. "$source/tests/sample.sh"
sample "the collectives on 2, 4 and 8 chips, eight runs of them"
small="-p kib=16 -p chunk=1"
run() { # PROGRAM SYSTEM CHIPS OPTIONS
    program=$1 system=$2 chips=$3
    shift 3
    expect 0 "$tensim" run "$program" -p "system=$system" "$@" --json out.json
    grep -q " right, " out && ! grep -q wrong out || fail "$program on $system: $(cat out)"
    sed -n 1p out | grep -q "on the $chips chips of $system: right on all of them" || fail "$program: the answer is not first: $(cat out)"
    sed -n 3p out | grep -q "^  bound by" || fail "$program on $system: no bound of all chips: $(cat out)"
    python3 - "$chips" <<- 'END' || fail "$program on $system: chips or links are missing, or wrong"
	import json, sys
	found = json.load(open("out.json"))
	right = [chip["right"] for chip in found["chips"]]
	assert right == [True] * int(sys.argv[1]) and found["system_bound"]["by"] in ("link", "router", "chip")
	busiest = max(link["busy"] for link in found["links"])
	assert "collective" not in found or 0 < found["collective"]["bus_gb_per_s"] < 4 * 50 * (busiest + 0.01)
	assert found["links"] and all(0 <= link["busy"] <= 1 and 0 <= link["router_busy"] <= 1 for link in found["links"])
	END
}
run chips-all-reduce p150x8 8 $small
run chips-reduce-scatter p150x4-ring 4 $small
run chips-all-gather p150x4-ring 4 -p kib=64 -p chunk=1 -p cores=4x1
run chips-all-reduce-tree p150x4-ring 4 $small -p cores=2x1
run chips-matmul p150x2 2 -p m=64 -p n=64
run chips-all-reduce n300 2 $small
run chips-all-gather t3000 8 $small
# The engine adds faster than a link brings: the link is busy, except when the ring fills and empties.
run chips-all-reduce p150x4-ring 4 -p kib=1024 -p format=fp32 -p chunk=4
sed -n 3p out | grep -q "bound by links: ./eth. to ./eth. is busy" || fail "the link waits: $(sed -n 3p out)"
if every_case; then
    run chips-all-reduce p150x2 2 -p kib=128 -p format=fp32 -p chunk=2 -p slots=3 -p cores=4x1
    run chips-all-reduce-tree p150x8 8 $small
    run chips-all-reduce-tree p150x2 2 -p kib=64 -p format=fp32 -p chunk=2 -p slots=3
    for pair in p150x2:2 p150x4-ring:4 p150x8:8; do
        for program in chips-all-gather chips-all-reduce chips-all-reduce-tree chips-reduce-scatter; do
            run $program ${pair%:*} ${pair#*:} -p kib=384 -p chunk=2 -p slots=3 -p cores=2x1
        done
        run chips-matmul ${pair%:*} ${pair#*:}
    done
    for pair in n300:2 t3000:8; do
        for program in chips-all-gather chips-all-reduce chips-all-reduce-tree chips-reduce-scatter; do
            run $program ${pair%:*} ${pair#*:} -p kib=192 -p chunk=2 -p slots=3
        done
        run chips-matmul ${pair%:*} ${pair#*:}
    done
    run chips-all-reduce t3000 8 -p kib=384 -p chunk=2 -p slots=3 -p cores=2x1
    run chips-all-gather galaxy-wh 32 -p kib=64 -p chunk=1
fi
# A stream through a ring whose workers only pass on: the link, or what feeds it.
expect 0 "$tensim" run chips-all-gather -p kib=256 -j 2 --stats-hash -q
cp out first
expect 0 "$tensim" run chips-all-gather -p kib=256 --stats-hash -q
cmp first out || fail "two threads differ from one"
# A program of one's own, with its kernels; it is compiled for all chips.
expect 0 "$tensim" new mine --like chips-all-reduce-tree
expect 0 "$tensim" build mine/program.yaml -p system=p150x8 $small
# Mistakes.
mistake() { # CODE WORDS OPTIONS
    code=$1 words=$2
    shift 2
    expect "$code" "$tensim" run "$@"
    grep -q "$words" err || fail "$*: $(cat err)"
}
program=$source/config/programs/chips-all-gather/program.yaml
mistake 3 "no system 'p7x7'; there are galaxy-wh, galaxy, n300, p150x2, p150x4-pair" chips-all-gather -p system=p7x7
mistake 3 'the system says which chips' chips-all-gather --chip p100
sed "s|\.\./common|$source/config/programs/common|; s/to: .core.*/to: chip.id/" "$program" > self.yaml
mistake 3 'chip 0 has no link 0 to chip 0' self.yaml
sed "s|\.\./common|$source/config/programs/common|; s/on: erisc1/on: erisc0/" "$program" > twice.yaml
mistake 3 'erisc0 of eth0 has a kernel already' twice.yaml
sed "s|\.\./common|$source/config/programs/common|; /^system:/d" "$program" > alone.yaml
mistake 3 'need a .system:' alone.yaml
sed "s|\.\./common|$source/config/programs/common|; s/(chip.count - 1) \* segment, slots/1, slots/" "$program" > late.yaml
mistake 2 'waits for a packet from chip' late.yaml -p kib=64 -p chunk=1 --max-cycles 3000000
sed "s|\.\./common|$source/config/programs/common|; s/expect: .*/expect: base + (chip.id == 1)/" "$program" > wrong.yaml
mistake 1 'not what the program file expects' wrong.yaml -p kib=16 -p chunk=1
sed -n 1p out | grep -q 'WRONG on 1 of them; chip 1: y is not what' || fail "one chip is wrong: $(cat out)"
