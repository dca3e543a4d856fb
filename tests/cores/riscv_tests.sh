#!/bin/sh
# The riscv-tests of rv32ui, um and ua on every core, ahead of the clock and step by step.
#
#   tests/cores/riscv_tests.sh TENSIM PATH     PATH: a checkout of riscv-software-src/riscv-tests
#
# Nothing of theirs is in this repository. The environment is our own: a test that passes stores a
# word, which is read back, and jumps to itself (exit 0); one that fails executes ecall (exit 4).
# Left out is what the cores do not have: misaligned accesses (ma_data), Zifencei (fence_i), Zalrsc
# (lrsc).
set -u
tensim=$1
tests=$2
gcc=${RISCV_GCC:-riscv64-unknown-elf-gcc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat > "$work/riscv_test.h" <<'H'
#define RVTEST_RV32U
#define RVTEST_RV64U
#define TESTNUM gp
#define RVTEST_CODE_BEGIN .section .text.init; .globl _start; _start:
#define RVTEST_CODE_END
#define RVTEST_PASS li t0, 0x50000; li t1, 0x600d; sw t1, 0(t0); 1: j 1b;
#define RVTEST_FAIL li t0, 0x50000; sw TESTNUM, 0(t0); fence; ecall;
#define RVTEST_DATA_BEGIN
#define RVTEST_DATA_END
#define EXTRA_DATA
H

passed=0 failed=0
for source in "$tests"/isa/rv32ui/*.S "$tests"/isa/rv32um/*.S "$tests"/isa/rv32ua/*.S; do
    name=$(basename "$(dirname "$source")")-$(basename "$source" .S)
    case $name in rv32ui-ma_data | rv32ui-fence_i | rv32ua-lrsc) continue ;; esac
    if ! "$gcc" -march=rv32ima_zicsr -mabi=ilp32 -nostdlib -nostartfiles -static -Ttext=0 \
        -Wl,--build-id=none -Wl,-N -I"$work" -I"$tests/isa/macros/scalar" "$source" \
        -o "$work/$name.elf" 2> "$work/log"; then
        echo "$name: does not compile: $(head -1 "$work/log")"
        failed=$((failed + 1))
        continue
    fi
    for core in brisc ncrisc trisc0 trisc1 trisc2; do
        printf 'tiles: [{at: 1-2, cores: {%s: %s.elf}}]\nscript:\n- release: [%s]\n%s\n' "$core" "$name" "$core" \
            '- compare: {address: 0x50000, words: [0x600d]}' > "$work/scenario.yaml"
        ahead=$("$tensim" run -q --json=- "$work/scenario.yaml" 2> "$work/log")
        code=$?
        exact=$("$tensim" run -q --json=- --step-by-step "$work/scenario.yaml" 2>> "$work/log")
        exact_code=$?
        cycles=$(echo "$ahead" | sed -n 's/^ "cycles": \([0-9]*\).*/\1/p')
        exact_cycles=$(echo "$exact" | sed -n 's/^ "cycles": \([0-9]*\).*/\1/p')
        if [ $code -eq 0 ] && [ $exact_code -eq 0 ] && [ -n "$cycles" ] &&
            [ "$cycles" = "$exact_cycles" ]; then
            passed=$((passed + 1))
        else
            echo "$name on $core: exit $code and $exact_code, cycle $cycles and $exact_cycles:" \
                "$(head -1 "$work/log")"
            failed=$((failed + 1))
        fi
    done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
