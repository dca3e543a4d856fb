#!/bin/bash
# The whole result of a run, fast and step by step: one hash of all stats, accounts, figures and outputs (--stats-hash), for
# kernels, program files, several tiles and several chips over Ethernet, with perturbed timing and with timing parameters that have once made a difference.
set -u
tensim=$1
programs=$(dirname "$0")/../../config/programs
failed=0
while read -r line; do
    read -r -a words <<< "$line"
    fast=$("$tensim" "${words[@]}" -q --stats-hash 2> /dev/null) || failed=1
    steps=$("$tensim" "${words[@]}" -q --stats-hash --step-by-step 2> /dev/null) || failed=1
    if [ -z "$fast" ] || [ "$fast" != "$steps" ]; then
        echo "tensim $line: $fast, step by step $steps"
        failed=1
    fi
done << EOF
matmul -M 64 -N 64 -K 64
matmul -M 64 -N 64 -K 64 --kernel=tiles -F hifi4 --perturb 3
matmul -M 64 -N 64 -K 64 --run-type=pack_isolate
matmul -M 128 -N 128 -K 64 --grid=2x2
matmul -M 96 -N 96 -K 64 --grid=3x3 -j 2 --perturb 3
matmul -M 128 -N 128 -K 128 --grid=2x1 -f fp32 -D noc.credit=309
matmul -M 128 -N 128 -K 128 --grid=2x1 -f fp32 -D noc.credit=311
eltwise --perturb 5
sfpu
norm
reduce -D riscv.retire_credit=40
transpose
tilize --perturb 5
untilize
run $programs/reader-writer --perturb 3
run $programs/reader-writer -D riscv.retire_credit=40
run $programs/multicast -p tiles=2 -D riscv.icache_stream=60
run $programs/chips-all-gather
run $programs/chips-all-reduce -p kib=32 --perturb 3
run $programs/chips-matmul
run $programs/chips-reduce-scatter -p kib=64 -p system=p150x4-ring -D riscv.retire_credit=40
EOF
exit $failed
