#!/bin/sh
# Programs that end in each way, through `tensim run`: exit code and cycle, ahead of the clock and
# step by step.
set -u
tensim=$1
gcc=${RISCV_GCC:-riscv64-unknown-elf-gcc}
command -v "$gcc" > /dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# NAME, expected exit code, the end of the program; before it come a store and a long loop.
try() {
    printf '.globl _start\n_start: li t0, 0x50000\nli t1, 42\nsw t1, 0(t0)\nli t2, 66667\n' > "$work/$1.S"
    printf '1: addi t2, t2, -1\nnop\nbnez t2, 1b\n%s\n' "$3" >> "$work/$1.S"
    "$gcc" -march=rv32im_zicsr -mabi=ilp32 -nostdlib -Ttext=0 -Wl,-N -Wl,--no-warn-rwx-segments \
        "$work/$1.S" -o "$work/$1.elf" || exit 1
    for how in "" --step-by-step; do
        "$tensim" run -q --json="$work/json" $how --max-cycles=300000 --load brisc="$work/$1.elf" 2> "$work/log"
        code=$?
        cycles=$(sed -n 's/^ "cycles": \([0-9]*\).*/\1/p' "$work/json")
        echo "$1 $how: exit $code, cycle $cycles"
        if [ $code -ne "$2" ] || { [ -n "$how" ] && [ "$cycles" != "$before" ]; }; then
            cat "$work/log"
            failed=1
        fi
        before=$cycles
    done
}

try jump 0 'j .'
try ebreak 0 'ebreak'
try invalid 4 '.word 0xffffffff'
try misaligned 4 'lw t3, 1(t0)'
try unmapped 4 'li t3, 0x80000000; sw t3, 0(t3)'
try absent 5 '.word 0x1cc5f553'
try outside 4 'li t3, 0x180000; jr t3'
try limit 6 '2: addi t2, t2, 1; j 2b'
exit $failed
