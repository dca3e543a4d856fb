#!/bin/bash
# Makes every HTML page and looks at them in a headless Chromium (look.py).
# Usage: pages.sh TENSIM [DIR]; with DIR screenshots are left there. Exit code 77: there is no Chromium or no Selenium.
set -eu
tensim=$(readlink -f "$1")
here=$(dirname "$(readlink -f "$0")")
shots=${2:+$(readlink -m "$2")}
. "$here/../sample.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# A run's report (with arithmetic, over a grid, of a NoC workload, of a program file, of systems of chips, without products), a sweep's, hangs of a tile, of a chip, of a pipe and of
# a demonstration, a comparison, the silicon table.
hangs() {
    local code=0
    local program=$tensim
    [ "$1" != demo ] || program=$(dirname "$tensim")/tests/tensim-demo
    "$program" "$@" > /dev/null 2>&1 || code=$?
    [ "$code" -eq 2 ] || { echo "tensim $*: exit code $code, not 2"; exit 1; }
}
"$tensim" matmul -M 64 -N 128 -K 128 -F hifi2 --why -q -o run
"$tensim" matmul -M 64 -N 128 -K 128 --grid 2x2 --timing-only -q -o grid
"$tensim" run "$here/../chip/workloads/mixed.json" -q -o noc
"$tensim" run "$here/../../config/programs/matmul/program.yaml" -p m=64 -p n=64 --lines -q -o program
"$tensim" run chips-all-gather -p system=p150x4-ring -p kib=64 -q -o chips
"$tensim" sweep matmul m=64 n=64 k=64 fidelity=lofi,hifi4 format=bf16,bfp8 throttle=0,3,5 -q -o sweep > /dev/null
hangs run "$here/../../config/gallery/tiles/both-wait-first.yaml" -q -o chip-hang
hangs run "$here/../../config/gallery/mutex-cycle.yaml" -q -o tile-hang
pipes=$here/../../config/pipes
"$tensim" run "$pipes/flash-attention.yaml" -q -o pipe
hangs run "$here/../study/pipe/gallery/6-5-sparse-credit.yaml" -q -o pipe-hang
"$tensim" sweep "$pipes/gemm-tunable.yaml" -q -o tune > /dev/null
"$tensim" matmul -M 64 -N 128 -K 128 -F hifi4 -q -o other
"$tensim" compare run other -q -o compare || [ $? -eq 1 ]
if every_case; then # the second pages of a kind
    "$tensim" sfpu -O gelu -M 64 -N 64 -q -o gelu
    hangs run --load trisc0="$(dirname "$tensim")/guest/matmul.unpack.elf" -q -o hang
    hangs demo table -D demo.polite=0 -D demo.words=1000 -q -o demo
    "$tensim" run "$pipes/flash-attention-a5.yaml" -q -o pipe-a5
    "$tensim" sweep "$pipes/gemm-bias-relu.yaml" clusters=1,2,4 pipes.c2v.slots=1,2 -q -o pipe-sweep > /dev/null
    "$tensim" compare grid other run -q -o baselines || [ $? -eq 1 ]
    "$tensim" run chips-all-reduce -p system=p150x8 -p kib=64 -p chunk=1 -q -o mesh
fi
"$tensim" run --show=values "$here/../../config/step/fidelity.yaml" -q -o step
rows="every=5 riscv frontend datapath" charts=5:6 # a sample; then every family
! every_case || rows="every=20" charts=19:20
"$tensim" silicon $rows -q -o silicon --write=html:silicon.html
cmp silicon.html silicon/report.html
# A page's figures do not depend on threads.
"$tensim" matmul -M 64 -N 128 -K 128 --grid 2x2 --timing-only -j 1 -q -o alone
cmp grid/drawing.json alone/drawing.json
# tensim report draws the same page again, from the files of the run.
for page in run/report grid/report program/report chips/report gelu/report noc/report silicon/report sweep/sweep tune/sweep pipe/pipe pipe-sweep/sweep \
    step/step compare/report tile-hang/hang; do
    [ -e $page.html ] || continue
    cp $page.html before.html
    "$tensim" report "${page%/*}" > /dev/null
    cmp before.html $page.html
done
"$here/look.py" ${shots:+--shots "$shots"} "run/report.html:7:6:From the LoFi peak to " "grid/report.html:6:4:From every cycle to " noc/report.html:1:2 +gelu/report.html:4:4 "program/report.html:5:5:% of the peak at this fidelity. Bound by " sweep/sweep.html:5:1 \
    +hang/hang.html:0:1 tile-hang/hang.html:0:1 chip-hang/hang.html:0:1 +demo/hang.html:0:1 compare/report.html:1:1 "+baselines/report.html:2:2:Against other" "silicon/report.html:$charts:This is a part: " pipe/pipe.html:6:1 +pipe-a5/pipe.html:6:1 \
    pipe-hang/pipe.html:4:2 +pipe-hang/hang.html:0:1 tune/sweep.html:5:1 +pipe-sweep/sweep.html:3:1 step/step.html:0:2 \
    "chips/report.html:3:5:4 chips" "+mesh/report.html:3:5:8 chips"
