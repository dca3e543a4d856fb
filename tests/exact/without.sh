#!/bin/bash
# Each shortcut of config/shortcuts.def switched off: the same hash of all stats, figures and outputs.
set -u
tensim=$1
root=$(dirname "$0")/../..
failed=0
names=$(sed -n 's/^SHORTCUT(\([a-z]*\),.*/\1/p' "$root/config/shortcuts.def")
while read -r line; do
    read -r -a words <<< "$line"
    want=$("$tensim" "${words[@]}" -q --stats-hash 2> /dev/null) || failed=1
    for name in $names; do
        got=$(TENSIM_WITHOUT=$name "$tensim" "${words[@]}" -q --stats-hash 2> /dev/null) || failed=1
        if [ -z "$want" ] || [ "$got" != "$want" ]; then
            echo "tensim $line: $want, without $name $got"
            failed=1
        fi
    done
done << EOF
matmul -M 64 -N 64 -K 64 -F hifi4 --timing-only
norm -M 32 -N 64 --timing-only
sfpu -O gelu -M 32 -N 64
matmul -M 64 -N 64 -K 64 --grid=2x2
run $root/config/programs/reader-writer
EOF
TENSIM_WITHOUT=nothing "$tensim" matmul -M 32 -N 32 -K 32 -q 2> /dev/null && failed=1
exit $failed
