#!/bin/bash
# Both ends of the range of every parameter of networks and DRAM: a multicast between tiles, or a matmul of four tiles from
# DRAM, ends, right, and gives the same exit code, stats and account of losses on one thread and on two that go step by step.
# Where a value between the ends is what once failed, it is in the list below.
# A sample (not TENSIM_TEST_ALL) has one end of every fourth range, low and high by turns. Usage: corners.sh TENSIM SOURCE
set -u
tensim=$1 config=$2/config
small='^dram.size=1$' # too small for any program
failed=0 turn=0
run() { # setting option...: what it prints last, its exit code
    local setting=$1 command=(run multicast -p tiles=4) said
    [[ $setting != dram.* ]] || command=(matmul --cores 2x2 --from dram -M 64 -N 64 -K 64)
    local code=0
    said=$("$tensim" "${command[@]}" -D "$setting" --stats-hash --json - -q -n 50000000 "${@:2}" 2>&1) || code=$?
    [ $code -ne 0 ] || said=$(sed -n '/^ "loss": \[/,/^ \]/p; /^ "cycles"/p; /^ "stats_hash"/p' <<< "$said" | md5sum | cut -c1-16)
    echo "${said##*$'\n'}, exit code $code"
}
check() {
    local one two
    one=$(run "$1") two=$(run "$1" --step-by-step -j 2)
    if [[ $1 =~ $small ]]; then
        [[ $one == *'(a bank has 1048576, '*', exit code 3' ]] || { echo "$1: $one"; failed=1; }
    else
        [[ $one =~ ^[0-9a-f]{16},\ exit\ code\ 0$ ]] || { echo "$1: $one"; failed=1; }
    fi
    [ "$one" = "$two" ] || { echo "$1: $one; step by step on two threads: $two"; failed=1; }
}
for group in noc dram; do
    while read -r key low high; do
        turn=$((turn + 1))
        [ -z "${TENSIM_TEST_ALL-}" ] && [ $((turn % 8)) -ne 1 ] || check "$group.$key=$low"
        [ -z "${TENSIM_TEST_ALL-}" ] && [ $((turn % 8)) -ne 5 ] || check "$group.$key=$high"
    done < <(sed -nE 's/^TS_PARAM\((\w+), "[^"]*", ([0-9]+), ([0-9]+),.*/\1 \2 \3/p' "$config/$group.def")
done
for setting in noc.credit=57 noc.credit=61 noc.credit=257 noc.hop=3 riscv.load_l1=7; do
    check "$setting"
done
[ -n "${TENSIM_TEST_ALL-}" ] || echo 'a sample: one end of every fourth range; all: tests/run --all'
exit $failed
