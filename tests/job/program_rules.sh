#!/bin/sh
# What a program file means: defines, kernels without cores, arguments that are not given, fractions; results that are no
# numbers; what --why says of the same program; formats that a matmul takes;
# the names of peaks; cores without work; what is left out.
# Usage: program_rules.sh TENSIM
set -eu
tensim=$1
. "$(dirname "$0")/shell.sh"

cat > k.cpp << 'END'
#include "dataflow_api.h"
void kernel_main()
{
    DPRINT << "mode " << MODE << " text " << TEXT << ENDL();
    if (get_arg_val<uint32_t>(READ) == 12345)
        DPRINT << "never" << ENDL();
}
END
cat > program.yaml << 'END'
params: {mode: 7, read: 1}
cores: {left: "0,0", right: "1,1"}
kernels:
    - {source: k.cpp, on: brisc, args: [1, 2], defines: {MODE: mode, READ: read, TEXT: '"mode"'}}
END
expect 0 "$tensim" run program.yaml -p mode=9
cat out err > all
[ "$(grep -c 'mode 9 text mode' all)" = 2 ] || fail "defines, or not on both ranges: $(cat all)"
if grep -q arg-beyond all; then fail "a lint for an argument that was given"; fi
expect 0 "$tensim" run program.yaml -p read=2
cat out err > all
grep -q 'arg-beyond.*k.cpp on brisc reads argument 2, and 2 are given' all || fail "no lint: $(cat all)"

sed -i 's/read: 1/read: 7 \/ 2/' program.yaml
expect 3 "$tensim" run program.yaml
cat out err | grep -q '7 / 2 leaves a remainder: floor(a / b) rounds down' || fail "a fraction is taken"

# Values that are no numbers are counted and never right.
cat > k.cpp << 'END'
#include "dataflow_api.h"
void kernel_main()
{
    constexpr auto at = TensorAccessorArgs<0>();
    const auto y = TensorAccessor(at, get_arg_val<uint32_t>(0), 2048);
    const uint32_t odd = get_arg_val<uint32_t>(1);
    DPRINT << "writes" << ENDL();
    cb_reserve_back(0, 1);
    volatile tt_l1_ptr uint32_t *words = (volatile tt_l1_ptr uint32_t *)get_write_ptr(0);
    for (uint32_t i = 0; i < 512; i++)
        words[i] = i < odd ? 0x7f807fc0 : 0x3f803f80; // an infinity and a NaN, or ones
    noc_async_write_tile(0, y, get_write_ptr(0));
    noc_async_write_barrier();
}
END
cat > program.yaml << 'END'
params: {odd: 3}
tensors:
    y: {shape: [32, 32], format: bf16, expect: 1, pcc: 0}
buffers:
    - {id: 0, format: bf16, pages: 1}
kernels:
    - {source: k.cpp, on: brisc, compile: [tensor: y], args: [y, odd]}
END
expect 1 "$tensim" run program.yaml --json odd.json
grep -q 'NaN or infinite: 6 of 1024 values of the result, 0 of the expected ones' out || fail "NaN is not counted"
grep -q '"not_finite": 6' odd.json || fail "NaN is not in the document: $(cat odd.json)"
expect 0 "$tensim" run program.yaml -p odd=0 --json even.json
if grep -q 'NaN or infinite' out; then fail "NaN where there is none"; fi
grep -q '(asked for: PCC at least 0)' out || fail "what is asked for"
sed 's/pcc: 0/pcc: -1/' program.yaml > anything.yaml
expect 0 "$tensim" run anything.yaml -p odd=0
grep -q 'right, .*(asked for: nothing)' out || fail "nothing is asked for"
grep -q '"not_finite": 0' even.json || fail "the count is missing"

# --why repeats this program, with its prints, and prints nothing twice; it says whether the largest gain is the bound's.
expect 0 "$tensim" run program.yaml -p odd=0 --why=free --json why.json
[ "$(grep -c writes err)" = 1 ] || fail "the runs of --why print too"
grep -q 'the bound is brisc, the largest gain that of noc, ' out || fail "nothing about another resource's gain"
expect 0 "$tensim" matmul -M 64 -N 64 -K 64 --why=free
grep -q 'the largest gain, [0-9.]* %, is that of the bound' out || fail "nothing about the bound's gain"
expect 0 "$tensim" run program.yaml -p odd=0 -D free.riscv=1 --json free.json
python3 - << 'END' || fail "--why does not run the program with its prints"
import json
[why] = [row["cycles"] for row in json.load(open("why.json"))["why"] if row["resource"] == "riscv"]
assert why == json.load(open("free.json"))["cycles"], why
END

# Matmuls over cores: each format that is taken gives the right numbers, from any Dst; others are refused, with arithmetic or not.
matmul="-p m=64 -p n=64 -p k=128 -p cores=2x1 -p blocks=4"
rows="2d:fp16:16 2d:Float16_b:16 2d:fp8:32 1d:bfp8a:16 reuse:fp32:32"
for row in $rows; do
    IFS=: read -r program format dst << END
$row
END
    expect 0 "$tensim" run matmul-$program $matmul -p format=$format -p dst=$dst
    grep -q ': right, ' out || fail "$row"
done
for mode in "" --timing-only; do
    for row in 2d:tf32 1d:int8 reuse:bfp2; do
        expect 3 "$tensim" run matmul-${row%:*} $matmul -p format=${row#*:} $mode
        grep -q "format=${row#*:}: it.* [a-z].*; there are bf16 bfp8 bfp4 fp16 fp8 bfp8a bfp4a fp32$" err || fail "$row"
    done
    expect 3 "$tensim" run matmul-2d $matmul -p format=fp16 -p sums=fp32 $mode
    grep -q "sums=fp32: with the other parameters there are fp16" err || fail "sums"
    expect 3 "$tensim" matmul -M 64 -N 64 -K 128 --cores 2x1 --format tf32 $mode
    grep -q "format=tf32: its operands do not fit into Src .*; there are bf16 " err || fail "matmul --cores --format tf32"
done

# Two peaks, two names: that of the run's fidelity, and LoFi's where the waterfall begins.
expect 0 "$tensim" matmul -M 64 -N 64 -K 64 -F hifi4
grep -q ' % of 1.382 at this fidelity' out && grep -q ' reached of the LoFi peak: the matrix unit computes' out || fail "the peaks' names"
expect 0 "$tensim" matmul -M 64 -N 64 -K 64 -F lofi
grep -q ' reached: the matrix unit computes' out || fail "LoFi is the peak"

# Cores without work are one line of the account, which still adds up.
expect 0 "$tensim" run gemv -p n=128 -p k=256 -p cores=4x2 --json gemv.json
grep -q '4 of 8 cores have no work: .*use fewer cores' out || fail "cores without work are not counted"
python3 - << 'END' || fail "the account does not add up"
import json
run = json.load(open("gemv.json"))
assert abs(run["reached"] + sum(row["percent"] for row in run["loss"]) - 100) < 1e-6, run["loss"]
END
expect 0 "$tensim" run gemv -p n=256 -p k=256 -p cores=4x2
if grep -q 'have no work' out; then fail "every core has work"; fi

# What is left out is said: zones of the page, advice; the account of many cores has all its lines.
cat > k.cpp << 'END'
#include "dataflow_api.h"
void kernel_main()
{
    for (uint32_t i = 0; i < 4200; i++) {
        DeviceZoneScopedN("round");
    }
}
END
echo 'kernels: [{source: k.cpp, on: brisc, cores: "0,0"}]' > program.yaml
expect 0 "$tensim" run program.yaml -o zones
grep -q 'show 4096 zones of the first core and leave out 105' out || fail "zones are left out without a word"
grep -q '"zones_left_out":105' zones/drawing.json || fail "the page's zones"
expect 0 "$tensim" matmul -M 64 -N 64 -K 512 -F hifi4 --blocks 4 --throttle 3 --why
grep -q ' and [0-9]* more with smaller gains (--json lists all)' out || fail "advice is left out without a word"
[ "$(grep -c 'fewer phases of math fidelity' out)" = 1 ] || fail "the same advice twice"
expect 0 "$tensim" run matmul-2d --timing-only -p m=320 -p n=416 -p k=416 --json many.json
python3 - << 'END' || fail "lines of the account are missing"
import json
run = json.load(open("many.json"))
assert len(run["loss"]) > 160 and abs(run["reached"] + sum(row["percent"] for row in run["loss"]) - 100) < 1e-6, len(run["loss"])
END

# Circular buffers may count in registers: right numbers, the same fast and step by step, a hang names the buffer.
"$tensim" new counted --like eltwise > /dev/null
sed 's/^cores:/counters: place\ncores:/; s/^params: {/params: {place: [l1, registers], /' counted/program.yaml > counted/both.yaml
grep -q '^counters: place' counted/both.yaml && grep -q 'place: .l1' counted/both.yaml || fail "the file is not as this test wants it"
for place in l1 registers; do
    expect 0 "$tensim" run counted/both.yaml -p place=$place --stats-hash
    tail -1 out > $place
done
cmp -s l1 registers && fail "counters: registers changes nothing"
expect 0 "$tensim" run counted/both.yaml -p place=registers --stats-hash --step-by-step
[ "$(tail -1 out)" = "$(cat registers)" ] || fail "counters in registers: other cycles step by step"
sed -i 's/cb_push_back.*//' counted/reader.cpp
expect 2 "$tensim" run counted/both.yaml -p place=registers
cat out err | grep -q 'c_0' || fail "the hang does not name the buffer: $(cat out err)"
sed -i 's/^counters: .*/counters: dram/' counted/both.yaml
expect 3 "$tensim" run counted/both.yaml
cat out err | grep -q 'both.yaml:[0-9]*:[0-9]*: counters is l1 or registers' || fail "counters: dram: $(cat out err)"
