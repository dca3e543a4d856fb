#!/bin/bash
# Doors to the same thing give the same cycles: a command and what it is short for, the library, Python, sweeps, checks, traces.
#   tests/doors.sh TENSIM [--all]    a sample of the pairs, or all of them
# A row: NAME | first door | second door; what differs today stands in DIFFERS below, which may only get shorter.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/sample.sh
tensim=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
DIFFERS="" # names of pairs

# The cycles that a door gives: run (a command with --json), sweep (the first row), python (a line of the module).
door() {
    local kind=$1
    shift
    case $kind in
    run) "$tensim" "$@" -q --json - 2> "$scratch/err" | awk '/^ "cycles":/ { gsub(/[",]/, ""); print $2 }' ;;
    sweep) rm -rf "$scratch/sweep"; "$tensim" sweep "$@" -q -o "$scratch/sweep" > /dev/null 2>&1
        python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["rows"][0]["cycles"])' "$scratch/sweep/table.json" ;;
    python) TENSIM_LIBRARY=${tensim%/*}/libtensim.so PYTHONPATH=platform/python python3 -c "import tensim; print(tensim.$1[\"cycles\"])" ;;
    esac
}

pairs=0 row_number=0 bad=0 differ=""
row() { # name, first, second
    row_number=$((row_number + 1))
    every_case || [ $((row_number % 3)) = 1 ] || return 0
    local first second
    eval "first=\$(door $2)" || true
    eval "second=\$(door $3)" || true
    pairs=$((pairs + 1))
    if [ -z "$first" ] || [ "$first" != "$second" ]; then
        case " $DIFFERS " in
        *" $1 "*) differ="$differ $1" ;;
        *) echo "$1: $2 takes '${first:-nothing}', $3 '${second:-nothing}'"; bad=1 ;;
        esac
    fi
}

# A command and the program file that it is short for.
row matmul "run matmul -M 64 -N 64 -K 64" "run run llk/matmul -p m=64 -p n=64 -p k=64"
row matmul_words "run matmul --m=64 --n 64 -K64" "run run llk/matmul m=64 n=64 k=64"
row matmul_hifi4 "run matmul -F hifi4 -K 64" "run run llk/matmul -p fidelity=hifi4 k=64"
row matmul_seed "run matmul --kernel seed -M 64 -N 64" "run run llk/matmul-seed m=64 n=64"
row matmul_tiles "run matmul --kernel tiles -M 64 -N 64" "run run llk/matmul-tiles m=64 n=64"
row matmul_grid "run matmul --grid 2x2 --timing-only" "run run llk/matmul-grid grid=2x2 --timing-only"
row matmul_sharded "run matmul --place sharded -M 64" "run run llk/matmul m=64"
row eltwise "run eltwise -O mul -M 64" "run run llk/eltwise op=mul m=64"
row sfpu "run sfpu -O gelu -M 64 -N 64" "run run llk/sfpu op=gelu m=64 n=64"
row reduce "run reduce -O max -M 64" "run run llk/reduce op=max m=64"
row transpose "run transpose -M 64" "run run llk/transpose m=64"
row norm "run norm -O rmsnorm -M 64" "run run llk/norm op=rmsnorm m=64"
row tilize "run tilize -M 64" "run run llk/tilize m=64"
row untilize "run untilize -M 64" "run run llk/untilize m=64"
row flags "run sfpu --unpack-to-dst -f fp32 -d 32 -M 64" "run run llk/sfpu unpack_to_dst=1 format=fp32 dst=32 m=64"
row throttle "run matmul -T 5 -M 64" "run run llk/matmul throttle=5 m=64"
row flip "run matmul -M 64 --flip 500:5 --flip 900" "run run llk/matmul m=64 flip=500:5,900"
row many_tiles "run matmul --tiles 3 -M 64" "run matmul -M 64"
row math_alone "run matmul --run-type math_isolate" "run run llk/matmul run_type=math_isolate"
# On cores: the kernel-API program.
row cores "run sfpu -O gelu -M 64 -N 64 --cores 2x1" "run run sfpu -p op=gelu -p rows=64 -p columns=64 -p cores=2x1"
row place_l1 "run eltwise -M 64 -N 64 --place l1" "run eltwise -M 64 -N 64 --from l1"
row place_dram "run transpose -M 64 -N 64 --place dram" "run run transpose -p rows=64 -p columns=64"
row chip "run tilize -M 64 -N 64 --chip p100" "run run tilize --chip p100 rows=64 columns=64"
row words_of_api "run reduce -O sum -M 64 -N 64 --cores 1x1" "run run reduce op=colsum rows=64 columns=64 fidelity=lofi"
row norm_on_cores "run norm -M 64 -N 64 --cores 2x1" "run run norm -p rows=64 -p columns=64 -p cores=2x1 -p fidelity=lofi"
row settings "run run binary -p rows=64 -p columns=64" "run run binary rows=64 columns=64"
row machine "run run binary rows=64 columns=64 -D noc.hop=4" "run run binary rows=64 columns=64 noc.hop=4"
row by_path "run run eltwise" "run run config/programs/eltwise/program.yaml"
row gallery_by_name "run run gallery/g01-repaired" "run run config/gallery/g01-repaired.yaml"
row pipe_by_name "run run pipes/flash-attention" "run run config/pipes/flash-attention.yaml"
row llk_by_path "run run llk/norm" "run run config/programs/llk/norm/program.yaml"
# Sweeps.
row sweep_matmul "run matmul -M 64 -N 64 -K 64" "sweep matmul m=64 n=64 k=64"
row sweep_throttle "run matmul -M 64 -T 3" "sweep matmul m=64 throttle=3,4"
row sweep_grid "run matmul --grid 2x1 -M 64 -N 64 -K 64" "sweep matmul grid=2x1 m=64 n=64 k=64"
row sweep_program "run run binary rows=64 columns=64" "sweep binary rows=64 columns=64"
row sweep_cores "run sfpu -M 64 -N 64 --cores 2x1" "sweep sfpu m=64 n=64 cores=2x1"
row sweep_clock "run matmul -M 64 -D chip.clock_mhz=1000" "sweep matmul m=64 clock=1000"
row sweep_llk_file "run matmul -M 64" "sweep llk/matmul m=64"
row sweep_check "run eltwise -M 64" "sweep eltwise m=64 --check"
# Old names of commands and options (platform/cli/aliases.def).
old() { # old command and arguments, new ones: the same stdout and exit code, and a line that names the new command
    local first=0 second=0
    "$tensim" $1 > "$scratch/old" 2> "$scratch/err" || first=$?
    "$tensim" $2 > "$scratch/new" 2> /dev/null || second=$?
    pairs=$((pairs + 1))
    sed -i '/"seconds"/d; /"cycles_per_s"/d' "$scratch/old" "$scratch/new" # of the host
    [ $first = $second ] && cmp -s "$scratch/old" "$scratch/new" && grep -q "^tensim: .* is now " "$scratch/err" ||
        { echo "tensim $1 is not tensim $2: exit code $first, $second: $(cat "$scratch/err")"; bad=1; }
}
old "hang config/gallery/g01-repaired.yaml --json -" "run config/gallery/g01-repaired.yaml --json -"
old "explore config/explore/g01-repaired.yaml --all -q --json -" "run --explore=all config/explore/g01-repaired.yaml -q --json -"
old "step --values config/step/fidelity.yaml" "run --show=values step/fidelity"
old "vector tests/conform/brisc_push_0.ttv" "run tests/conform/brisc_push_0.ttv"
old "conform tests/conform/brisc_push_0.ttv" "run tests/conform/brisc_push_0.ttv"
old "pipe config/pipes/throughput.yaml -q --json -" "run config/pipes/throughput.yaml -q --json -"
old "power --share matrix=1 --ms 2" "run --power share.matrix=1 ms=2"
old "ops --rules" "ops rules"
old "config --fixed" "config fixed"
old "silicon --row S0220 --csv -" "silicon S0220 --write=csv"
old "silicon --family control --every 40 --summary" "silicon control every=40 summary"
old "dis --tensix --word 0x26404008 --base 16" "dis tensix 0x26404008 base=16"
old "matmul -M 32 -N 32 -K 32 --no-recheck" "matmul -M 32 -N 32 -K 32 --check=once"
old "gemv m=32 k=64 --timing-only --remedies" "gemv m=32 k=64 --timing-only --why=remedies"
# What a run is asked for besides changes no cycle.
row timing_only "run matmul -M 64" "run matmul -M 64 --timing-only"
row step_by_step "run matmul -M 64" "run matmul -M 64 --step-by-step"
row checks "run eltwise -M 64" "run eltwise -M 64 --check"
row traced "run norm -M 64" "run norm -M 64 -o $scratch/traced --trace"
row threads "run matmul --grid 2x2 -M 64 -N 64 -K 64" "run matmul --grid 2x2 -M 64 -N 64 -K 64 --threads 2"
row python_kernel "run matmul -M 64 -N 64 -K 64" "python 'kernel(\"matmul\", m=64, n=64, k=64)'"

for name in $DIFFERS; do
    case " $differ " in *" $name "*) ;; *) if every_case; then echo "$name does not differ any more: take it out of DIFFERS"; bad=1; fi ;; esac
done
[ $bad = 0 ] && echo "$pairs pairs of doors, $(wc -w <<< "$differ") of them differ as listed"
exit $bad
