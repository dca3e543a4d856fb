#!/bin/bash
# Both ends of the range of every parameter of networks and DRAM: a multicast between tiles ends, right, and gives the same on
# one thread and on two that go step by step. Where a value between the ends is what once failed, it is in the list below.
# Usage: corners.sh TENSIM SOURCE
set -u
tensim=$1 config=$2/config
slow='^dram.(bandwidth|refresh)=(1|1000000)$' # these take millions of cycles
small='^dram.size=1$'                         # too small for any program
failed=0
check() {
    local one two
    [[ $1 =~ $slow || $1 =~ $small ]] && return
    one=$("$tensim" run multicast -p tiles=4 -D "$1" --stats-hash -q -n 5000000 2>&1 | tail -n 1)
    two=$("$tensim" run multicast -p tiles=4 -D "$1" --stats-hash -q -n 5000000 --step-by-step -j 2 2>&1 | tail -n 1)
    [[ $one =~ ^[0-9a-f]{16}$ ]] || { echo "$1: $one"; failed=1; }
    [ "$one" = "$two" ] || { echo "$1: $one, step by step on two threads $two"; failed=1; }
}
for group in noc dram; do
    while read -r key low high; do
        check "$group.$key=$low"
        check "$group.$key=$high"
    done < <(sed -nE 's/^TS_PARAM\((\w+), "[^"]*", ([0-9]+), ([0-9]+),.*/\1 \2 \3/p' "$config/$group.def")
done
for setting in noc.credit=57 noc.credit=61 noc.credit=257 noc.hop=3; do
    check "$setting"
done
exit $failed
