#!/bin/bash
# Runs that go on from checkpoints at random cycles give the bytes of the run that wrote them, and of a run without checkpoints:
# exit code, stdout, every file of the run directory. Damaged files are refused.
# Usage: checkpoint.sh TENSIM SOURCE [CYCLES_PER_CASE [SEED]]
set -u
tensim=$(realpath "$1") source=$(realpath "$2") count=${3:-3} RANDOM=${4:-7}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 resumed=0
fail() { echo "FAILED: $*"; failed=1; }

# In a folder of its own: stdout, exit code, run directory.
run() { mkdir -p "$1" && (cd "$1" && shift && "$tensim" "$@" > stdout 2> stderr; echo $? > code); }

# All files but checkpoints; $3 leaves out what has the command line in it.
same() {
    for file in stdout code $(cd "$1" && find out -type f ! -name '*.ckpt' ${3:+! -name "$3" ! -name '*.html'}); do
        cmp -s "$1/$file" "$2/$file" || fail "$name: $file differs in $(basename "$2")"
    done
}

# NAME SPAN COMMAND...
check() {
    name=$1 span=$2
    shift 2
    local at=hang
    for ((i = 0; i < count; i++)); do at+=,at:$((1 + (RANDOM * 32768 + RANDOM) % span)); done
    rm -rf "$work"/{plain,wrote,again}
    run "$work/plain" "$@" -q -o out
    run "$work/wrote" "$@" -q -o out --checkpoint="$at"
    same "$work/plain" "$work/wrote" command.txt
    local any=0
    for file in "$work"/wrote/out/*.ckpt; do
        [ -e "$file" ] || continue
        rm -rf "$work/again"
        run "$work/again" run --resume "$file"
        same "$work/wrote" "$work/again" ""
        [ -d "$work/again/out" ] || fail "$name: $(basename "$file"): $(cat "$work/again/stderr")"
        resumed=$((resumed + 1)) any=1
    done
    [ $any = 1 ] || fail "$name: no checkpoint: $(cat "$work/wrote/stderr")"
}

conform=$source/tests/conform gallery=$source/config/gallery pipes=$source/config/pipes
check matmul 1500 matmul --m 64 --n 64 --k 64 --stats-hash
check matmul-trace 4000 matmul --m 64 --n 64 --k 64 -tjson,vcd
check eltwise-threads 1500 eltwise -j2 --stats-hash
check reduce 1500 reduce --stats-hash
check grid 9000 matmul --grid 2x2 --m 128 --n 128 --k 128 -j2 --stats-hash
check grid-checks 9000 matmul --grid 2x2 --m 128 --n 128 --k 128 --check -t0-5000
[ "$count" -lt 9 ] || check program 40000 run gemv --stats-hash # its kernels are compiled every time
check vector 300 conform "$conform"/brisc_push_0.ttv --stats-hash --json out.json
check vector-elw 300 conform "$conform"/elwadd_bf16_bc0_acc0_p0_d16_m2_0.ttv --stats-hash
check hang 300 hang "$gallery"/fifo-full-while-polling.yaml --stats-hash
grep -qxE '[0-9a-f]{16}' "$work/plain/stdout" || fail "hang --stats-hash printed no hash"
check hang-cycle 40 hang "$gallery"/g02-consumer-starves.yaml
check pipe 8000 pipe "$pipes"/flash-attention.yaml -t

# Damaged files.
name=damaged
run "$work/d" matmul --m 64 --n 64 --k 64 -q -o out --checkpoint=at:1000
file=$work/d/out/1000.ckpt
refused() {
    run "$work/r" run --resume "$file"
    [ "$(cat "$work/r/code")" = 3 ] && grep -q "$1" "$work/r/stderr" || fail "$2: $(cat "$work"/r/{code,stderr})"
    [ ! -e "$work/r/out" ] || fail "$2: a run directory was made"
}
cp "$file" "$work/good"
size=$(stat -c %s "$file")
for length in 0 5 16 17 100 $((size / 2)) $((size - 1)); do
    head -c "$length" "$work/good" > "$file"
    refused 'checkpoint\|damaged' "cut to $length"
done
for ((i = 0; i < 20; i++)); do
    at=$((RANDOM * 32768 + RANDOM)) && at=$((at % size))
    cp "$work/good" "$file"
    byte=$(od -An -tu1 -j $at -N 1 "$file")
    printf "\\x$(printf %02x $(((byte + 1 + RANDOM % 255) % 256)))" | dd of="$file" bs=1 seek=$at conv=notrunc status=none
    refused 'checkpoint\|damaged\|another build' "byte $at altered"
done
{ cat "$work/good"; echo more; } > "$file"
refused damaged "longer"
rm "$file"
refused 'cannot be read' "missing"
run "$work/u" matmul -q --checkpoint=at:5
[ "$(cat "$work/u/code")" = 64 ] || fail "no run directory: not refused"
run "$work/u" matmul -q -o out --checkpoint=near:5
[ "$(cat "$work/u/code")" = 64 ] || fail "a wrong value: not refused"
run "$work/u" matmul --resume "$file"
[ "$(cat "$work/u/code")" = 64 ] || fail "--resume with options: not refused"
for word in --m=5 more '--check --gdb' --live=sideways; do
    run "$work/u" run --resume "$work/good" $word
    [ "$(cat "$work/u/code")" = 64 ] || fail "--resume $word: not refused"
done

# --check: the findings of the command under --check, which the checkpoint's run has not looked for.
name=check
run "$work/c" matmul --m 64 --n 64 --k 64 -q -o out --json out.json --checkpoint=at:1000
run "$work/c" run --resume out/1000.ckpt --check
grep -q '"findings": 0' "$work/c/out.json" || fail "--resume --check: no findings in the result"
echo "$resumed runs resumed"
exit $failed
