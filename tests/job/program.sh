#!/bin/sh
# Program files through the CLI: what tensim new writes runs at once; errors, hangs, prints, zones, saved tensors, ELF files.
# Usage: program.sh TENSIM
set -eu
tensim=$1
. "$(dirname "$0")/shell.sh"

for like in eltwise matmul reader-writer multicast; do
    expect 0 "$tensim" new $like --like $like
    expect 0 "$tensim" run $like/program.yaml
    grep -q ' right, ' out || fail "$like: no checked result"
done
expect 64 "$tensim" new other --like nothing
expect 0 python3 "$(dirname "$0")/editor.py" eltwise
# Those of config/programs run by name; formats and fidelity are parameters too.
small="-p m=320 -p k=416 -p n=416 -p sub_rows=1 -p sub_columns=1"
expect 0 "$tensim" run all-gather -p tiles=4 -p chunk=2
sample "every third range of gemv, one part of attention, layout and card"
for cores in all 0,0 9,1..10,2; do # many cores share a bank; one core has all columns
    one_in 3 || continue
    expect 0 "$tensim" run gemv -p k=512 -p n=512 -p cores=$cores
    grep -q 'y 32x512 bf16: right' out || fail "gemv on $cores"
done
# DRAM allows 4096x4096 in BFP8 in 47,005 cycles; a tenth more is too many.
expect 0 "$tensim" run gemv --timing-only
grep -q 'bound by DRAM' out || fail "gemv: not bound by DRAM"
awk '/ cycles, / { exit !($1 <= 51705) }' out || fail "gemv does not use the DRAM"
expect 0 "$tensim" run flash-attention -p seq=256 -p q_chunk=1 -p k_chunk=2 -p dim=64 -p causal=1
expect 0 "$tensim" run matmul-2d $small -p format=bfp8 -p fidelity=lofi -v
grep -q ' 0 NOPs' out || fail "matmul-2d: throttled"
grep -q 'c 320x416 bfp8: right' out || fail "matmul-2d: format"
expect 3 "$tensim" run matmul-2d $small -p format=7
grep -q 'format=7: there are bf16 ' err || fail "a number for a format"
expect 3 "$tensim" run matmul-2d $small -p fidelity=7
grep -q 'not a format or fidelity' err || fail "a number for a fidelity"
expect 3 "$tensim" run no-such-program
grep -q 'no program of this name: .*flash-attention, gated, gemv' err || fail "the programs are not listed"
printf 'kind: sequence\nname: x\nstep: []\n' > typo.yaml
expect 3 "$tensim" run typo.yaml
grep -q "no key 'step' is known here; did you mean 'steps'" err || fail "a sequence with a mistyped key"
for option in --lines --check; do # each different operation alone
    expect 0 "$tensim" run "$(dirname "$0")/sequence.yaml" $option
    [ "$(grep -c '^operation .*, alone:' out)" = 3 ] || fail "the operations of a sequence with $option"
done
if every_case; then
    expect 0 "$tensim" run matmul-2d $small -p k=448 -p blocks=14 # 14 tiles over 13 columns of cores
    grep -q " right, " out || fail "matmul-2d: uneven blocks"
fi
expect 3 "$tensim" run matmul-2d $small -p k=450
grep -q "k=450 is not a multiple of 32; the nearest that can: m=320 n=416 k=448" err || fail "matmul-2d: no nearest shape"
expect 3 "$tensim" new matmul
expect 0 "$tensim" run eltwise -p from=l1 -p rows=64 # the folder that tensim new wrote

expect 0 "$tensim" new attention --like flash-attention
for part in "heads=4 -p cores=4x4 -p causal=1" "heads=2 -p cores=4x4" "heads=4 -p cores=3x4 -p seq=96" "heads=1 -p cores=1,1 -p seq=64"; do
    one_in 4 || continue
    expect 0 "$tensim" run attention -p seq=256 -p q_chunk=1 -p k_chunk=1 -p dim=64 -p $part
    grep -q ' right, ' out || fail "flash attention: $part"
done
expect 0 "$tensim" new mine --like norm
[ -s mine/scaler.h ] && [ -s mine/writer.cpp ] || fail "shared kernels are missing"
expect 0 "$tensim" run mine -p rows=32 -p columns=32
expect 3 "$tensim" run sfpu -p op=nothing
grep -q 'there are exp identity relu' err || fail "the choices are not listed"
expect 3 "$tensim" run sfpu -p cores=20x20
# Three blocks of columns of c on four columns of cores: the fourth has none, also in the second row.
expect 0 "$tensim" run matmul-2d -p cores=4x2 -p m=128 -p k=128 -p n=160
grep -q 'c 128x160 bf16: right' out || fail "matmul-2d: columns of cores without a shard"
# Another card: the p100 has 11 columns of cores for programs, and seven banks.
expect 0 "$tensim" run reader-writer --chip p100 -p cores=11x1 -p rows=64 -p columns=64
grep -q ' right, ' out || fail "reader-writer on a p100"
expect 3 "$tensim" run reader-writer --chip p100 -p cores=12x1
grep -q 'outside the grid of 11x10' err || fail "the grid of a p100"
expect 3 "$tensim" run matmul-2d --chip p7 # whose expressions ask the chip
grep -q -e "--chip: no chip 'p7'" err || fail "an unknown card"
expect 3 "$tensim" run --chip p100 --load trisc0=none.elf

# Every layout of a tensor, through the accessors of the kernels.
for layout in 'in: l1' 'in: l1, shard: {shape: [128, 128], cores: 2x2}' 'shard: {shape: [64, 256]}' 'format: bfp8' \
    'format: uint32, in: l1' 'format: uint16, in: l1, shard: {shape: [256, 32], cores: 8x1}'; do
    one_in 6 || continue
    format=$(echo "$layout" | sed -n 's/.*format: \([a-z0-9]*\).*/\1/p')
    sed -e "s/x: {shape: \[rows, columns\], format: bf16, in: from, fill: .*}/x: {shape: [rows, columns], fill: \"integers(0, 100)\", $layout}/" \
        -e "s/y: {shape: \[rows, columns\], format: bf16, in: from, /y: {shape: [rows, columns], $layout, /" \
        -e "s/id: 0, format: bf16/id: 0, format: ${format:-bf16}/" reader-writer/program.yaml >reader-writer/layout.yaml
    grep -q integers reader-writer/layout.yaml || fail "the program file has changed"
    expect 0 "$tensim" run -p rows=256 reader-writer/layout.yaml
    grep -q ' right, ' out || fail "$layout"
done

# Every card, and any hole: tensors lie in the banks that the kernels read.
printf 'like: p150\nharvested_dram: 6\nharvested_columns: [1, 12]\n' >reader-writer/mine.yaml
for chip in p100 p150-120 p150-110 p300 mine.yaml; do
    one_in 5 || continue
    { cat reader-writer/program.yaml; echo "chip: $chip"; } >reader-writer/card.yaml
    expect 0 "$tensim" run -p rows=256 reader-writer/card.yaml
    grep -q ' right, ' out || fail "$chip"
done
echo 'harvested_dram: 9' >>reader-writer/mine.yaml
{ cat reader-writer/program.yaml; echo "chip: mine.yaml"; } >reader-writer/card.yaml
expect 3 "$tensim" run reader-writer/card.yaml

# The images are in the cache: no compiler is needed. The same bytes for any number of threads.
mkdir empty
expect 0 env PATH="$folder/empty" "$tensim" run -j1 --stats-hash multicast/program.yaml
tail -1 out >one
expect 0 "$tensim" run -j2 --stats-hash multicast/program.yaml
tail -1 out | cmp - one || fail "two threads: other results"
# A changed header is noticed.
mkdir own
cat >own/program.yaml <<'YAML'
cores: 2x1
tensors:
    x: {shape: [1, 8], format: uint32, layout: rows, in: l1, shard: {shape: [1, 8], cores: 1x1}, save: x.npy, expect: 3 * column}
kernels:
    - {source: own.cpp, on: brisc, cores: 1x1, args: [x, core]}
    - {source: print.cpp, on: ncrisc, args: [core]}
zones: [fill]
YAML
cat >own/own.cpp <<'CPP'
#include "own.h"
#include "dataflow_api.h"
#include "tools/profiler/kernel_profiler.hpp"
void kernel_main()
{
    DeviceZoneScopedN("fill");
    volatile uint32_t *x = (volatile uint32_t *)get_arg_val<uint32_t>(0);
    for (uint32_t i = 0; i < 8; i++)
        x[i] = FACTOR * i;
}
CPP
cat >own/print.cpp <<'CPP'
#include "dataflow_api.h"
#include "debug/dprint.h"
void kernel_main()
{
    DPRINT << "core " << get_arg_val<uint32_t>(0) << HEX() << " " << 255u << ENDL();
}
CPP
echo '#define FACTOR 2' >own/own.h
expect 1 "$tensim" run own/program.yaml
grep -q 'x 1x8 uint32: WRONG' out || fail "not called wrong"
echo '#define FACTOR 3' >own/own.h
expect 0 "$tensim" run own/program.yaml
grep -q '^  zone fill (own.cpp:6) of brisc: [0-9.]* cycles on average, .*, 1 time$' out || fail "no zone"
expect 0 "$tensim" run own/program.yaml -v
grep -q 'brisc *fill (own.cpp:6) *1 ' out || fail "no zone in the table"
grep -q '^1,0 ncrisc [0-9]*: core 1 ff$' err || fail "no print"
[ -s own/x.npy ] || fail "no saved tensor"
expect 0 "$tensim" run --dprint=off own/program.yaml
grep -q ncrisc err && fail "it prints"
expect 0 "$tensim" run --dprint printed own/program.yaml
grep -q 'core 0 ff' printed || fail "no printed file"

# Names instead of numbers: args::, dfb::, sem::, tensor::.
cat >own/names.yaml <<'YAML'
semaphores: {unused: 0, ready: 5}
tensors: {y: {shape: [1, 16], format: uint32, layout: rows, expect: 7 * column + 105}}
buffers: [{id: 3, format: uint32, pages: 1, page: 64}]
kernels:
    - source: names.cpp
      on: brisc
      compile: {factor: 7}
      args: {unused: 1, offset: 90 + 10}
      common: {more: 0}
      buffers: {out: 3}
      tensors: {dst: y}
YAML
cat >own/names.cpp <<'CPP'
#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"
#include "experimental/kernel_args.h"
void kernel_main()
{
    constexpr uint32_t factor = get_arg(args::factor);
    DataflowBuffer out(dfb::out);
    Noc noc;
    const uint32_t more = get_arg(args::more) + *(volatile uint32_t *)get_semaphore(sem::ready.id);
    for (uint32_t i = 0; i < 16; i++)
        ((volatile uint32_t *)out.get_write_ptr())[i] = factor * i + get_arg(args::offset) + more;
    out.push_back(1);
    noc.async_write(out, TensorAccessor(tensor::dst), 64, {}, {.page_id = 0});
    noc.async_write_barrier();
}
CPP
expect 0 "$tensim" run own/names.yaml
grep -q 'y 1x16 uint32: right' out || fail "names"

# ELF files instead of sources.
expect 0 "$tensim" build -o own/elf own/program.yaml
sed 's|source: own.cpp|elf: elf/0-own.brisc.elf|' own/program.yaml >own/elf.yaml
expect 0 "$tensim" run own/elf.yaml
"$tensim" build gemv --chip n150 >images
"$tensim" build gemv -p chip=n150 | cmp - images
expect 64 "$tensim" build gemv $(printf -- '-p k=%s ' $(seq 256)) --chip n150
grep -q -e '--chip: at most 255 --param options with it' err || fail "more parameters than a build takes"

# Compilers' messages as they are, and the place in the program file.
echo 'void kernel_main() { undeclared(); }' >own/own.cpp
expect 3 "$tensim" build own/program.yaml
grep -q "own.cpp:1:22: error: 'undeclared' was not declared" err || fail "no compiler's message"
grep -q 'own/program.yaml:5:7: own.cpp does not compile for brisc' err || fail "no place"
expect 3 "$tensim" run own/program.yaml

# A parameter of the command line; a hang.
expect 0 "$tensim" run -p columns=64 eltwise/program.yaml
grep -q 'y 256x64 bf16: right' out || fail "parameter not taken"
expect 64 "$tensim" run -p no=1 eltwise/program.yaml
expect 64 "$tensim" run --trace=commits:logs eltwise/program.yaml
expect 64 "$tensim" run -p no=1 --load trisc0=own/elf/0-own.brisc.elf
expect 0 "$tensim" run --timing-only eltwise/program.yaml
grep -q ' right, ' out && fail "checked without arithmetic"
grep -q ' cycles a tile (64 of them)' out || fail "--timing-only has other tiles: $(grep 'of them' out)"
sed -i '/cb_push_back(16, 1)/d' eltwise/compute.cpp
expect 2 "$tensim" run -o hang eltwise/program.yaml
grep -q 'circular buffer c_16.* in kernel_main (writer.cpp:10), inside cb_wait_front' err || fail "the hang does not name the buffer"
[ -s hang/hang.json ] || fail "no hang.json"
# FP16 does not come back from a 32-bit Dst: refused, not wrong.
expect 0 "$tensim" new half --like eltwise
sed -i 's/bf16/fp16/; s/fidelity: hifi4/&\n      fp32: true/' half/program.yaml
sed -i 's/format: bf16/format: fp16/' half/program.yaml
expect 3 "$tensim" run half
grep -q 'an operand from a 32-bit Dst cannot be FP16' err || fail "FP16 in a 32-bit Dst is not refused"
# A null pointer: the compiler ends the core with an ebreak, and the report names it, not who waits for it.
expect 0 "$tensim" new broken --like eltwise
sed -i 's/cb_wait_front(2, 1);/&\n        MATH(*(volatile uint32_t *)0x20000 = *(const volatile uint32_t *)nullptr;)/' broken/compute.cpp
expect 4 "$tensim" run -o broke broken
[ -s broke/hang.json ] || fail "no hang.json of the ebreak"
grep -q 'broke off: trisc1 at an ebreak, pc 0x[0-9a-f]* in .*(compute.cpp:[0-9]*)' err || fail "the ebreak is not blamed"
# The same on another tile than those that wait.
sed -i 's/noc_semaphore_wait(room_here, receivers);/&\n        if (tile == 1) *sent_here = *(const volatile uint32_t *)nullptr;/' multicast/sender.cpp
expect 4 "$tensim" run multicast
grep -q 'broke off: brisc of 1-2 at an ebreak, .*(sender.cpp:[0-9]*)' err || fail "the ebreak of another tile is not blamed"
expect 0 "$tensim" run -o good -t matmul/program.yaml
[ -s good/report.html ] && [ -s good/stats.json ] && [ -s good/trace.json.gz ] || fail "files are missing"
echo "program files: all as expected"
