# The runs of tests/golden/cycles that are commands of tensim: `row FAMILY NAME COMMAND...`, in the order of the file.
# Most kernels run without arithmetic: the cycles are the same (test_conform), and it is quick.

for kernel in matmul eltwise sfpu reduce transpose norm tilize untilize; do
    for type in l1_to_l1 unpack_isolate math_isolate pack_isolate l1_congestion; do
        row kernel "$kernel $type" "$kernel" -M 64 -N 128 --run-type "$type" --timing-only
    done
done
for format in fp32 tf32 fp16 bf16 fp8 bfp8 bfp4 bfp2 bfp8a bfp4a bfp2a int8; do
    row kernel "matmul $format" matmul -M 64 -N 64 -K 96 -f "$format" --timing-only
done
for format in fp32 fp16 bf16 fp8 bfp8 bfp4; do
    row kernel "matmul to $format" matmul -M 64 -N 64 -K 64 --out-format "$format" --timing-only
    row kernel "eltwise to $format" eltwise -M 64 -N 64 -f "$format" --out-format "$format" --timing-only
done
for fidelity in lofi hifi2 hifi3 hifi4; do
    for dst in 16 32; do
        row kernel "matmul $fidelity dst$dst" matmul -M 64 -N 96 -K 128 -F "$fidelity" -d "$dst" --timing-only
    done
    row kernel "eltwise mul $fidelity" eltwise -O mul -M 64 -N 64 -F "$fidelity" --timing-only
done
for throttle in 1 2 3 4 5; do
    row kernel "matmul throttle $throttle" matmul -M 64 -N 64 -K 256 -T "$throttle" -F hifi2 --timing-only
done
row kernel "matmul flips" matmul -M 64 -N 64 -K 256 -r 3 --flip 500:5,2000 --flip 3001 --timing-only
for block in 1x1 2x2 1x4 4x1; do
    row kernel "matmul sub-block $block" matmul --sub-block "$block" -K 64 --timing-only
done
for blocks in 2 4; do
    row kernel "matmul $blocks blocks" matmul -K 256 --blocks "$blocks" --timing-only
    row kernel "matmul $blocks blocks bfp8" matmul -K 256 --blocks "$blocks" -f bfp8 --out-format bfp8 --timing-only
done
for op in add sub mul; do
    for broadcast in none row col scalar; do
        row kernel "eltwise $op $broadcast" eltwise -O "$op" -b "$broadcast" -M 64 -N 96 --timing-only
    done
done
for op in copy relu exp reciprocal sigmoid gelu; do
    row kernel "sfpu $op" sfpu -O "$op" -M 64 -N 64 --timing-only
done
for op in sum max; do
    row kernel "reduce $op" reduce -O "$op" -M 64 -N 64 --timing-only
done
for op in softmax rmsnorm; do
    row kernel "norm $op" norm -O "$op" -M 64 -N 128 --timing-only
done
for format in bf16 fp16; do
    row kernel "tilize $format" tilize -M 64 -N 96 -f "$format" --timing-only
done
for format in fp32 bf16 fp16 bfp8; do
    row kernel "untilize $format" untilize -M 64 -N 96 -f "$format" --timing-only
    row kernel "transpose $format" transpose -M 64 -N 96 -f "$format" --timing-only
done
# General images: small tiles, transposed operands, integers, tiles straight to Dst.
for tile in 16x32 32x16 16x16; do
    for kernel in matmul eltwise sfpu reduce transpose; do
        row kernel "$kernel tiles of $tile" "$kernel" -M 64 -N 64 --tile "$tile" --timing-only
    done
done
row kernel "matmul in1 transposed" matmul -M 64 -N 64 -K 128 --transpose in1 --blocks 2 --timing-only
row kernel "matmul fp16 dst32" matmul -M 64 -N 64 -K 64 -f fp16 -d 32 --timing-only
row kernel "matmul 2 blocks bfp8 dst32" matmul -M 64 -N 64 -K 128 --blocks 2 -f bfp8 --out-format bfp8 -d 32 --timing-only
row kernel "sfpu to dst" sfpu -O exp -M 64 -N 64 -f fp32 -d 32 --out-format fp32 --unpack-to-dst --timing-only
for kernel in eltwise reduce transpose; do
    row kernel "$kernel int8" "$kernel" -M 64 -N 64 -f int8 --timing-only
done
row kernel "transpose int16" transpose -M 64 -N 64 -f int16 --timing-only
# With arithmetic: instructions that are promised in streams; and held up at random.
row kernel "matmul with bits" matmul -M 64 -N 64 -K 256 -F hifi2 -r 2
row kernel "matmul perturbed" matmul -M 64 -N 64 -K 64 --perturb 7:8 --timing-only
row kernel "norm perturbed" norm -M 64 -N 64 --perturb 3:40 --timing-only
row kernel "matmul 3 tiles" matmul -M 64 -N 64 -K 64 --tiles 3 --timing-only
for storage in l1/dram/l1 l1/dram/dram dram/dram/l1 dram/dram/dram; do
    row grid "2x2 $storage" matmul -M 128 -N 128 -K 128 --grid 2x2 --storage "$storage" --timing-only
done
row grid "4x2 8 blocks" matmul -M 128 -N 256 -K 256 -F hifi2 --grid 4x2 --blocks 8 --timing-only
row grid "3x4 bfp8" matmul -M 128 -N 192 -K 128 -f bfp8 --out-format bfp8 --grid 3x4 --timing-only

for file in config/gallery/*.yaml; do
    row gallery "$(basename "$file" .yaml)" run "$file"
done
for file in tests/golden/programs/*.yaml; do
    row program "$(basename "$file" .yaml)" run "$file"
    row program "$(basename "$file" .yaml) step by step" run --step-by-step "$file"
done
row own eltwise run eltwise
row own matmul run matmul -p m=128 -p n=128 -p k=64
row own reader-writer run reader-writer
row own multicast run multicast
row own all-gather run all-gather -p tiles=8 -p chunk=2
row own gemv run gemv -p k=512 -p n=1024 --timing-only
row own "flash-attention" run flash-attention -p seq=256 -p q_chunk=1 -p k_chunk=4 -p dim=64
row own "flash-attention causal" run flash-attention -p seq=512 -p q_chunk=1 -p k_chunk=4 -p dim=64 -p causal=1 --timing-only
for blocks in 13 26; do
    row own "matmul-2d $blocks blocks" run matmul-2d -p m=320 -p k=832 -p n=416 -p blocks=$blocks -p sub_rows=1 -p sub_columns=1 -p fidelity=hifi2
done
row own "matmul-2d from DRAM" run matmul-2d -p cores=4x3 -p m=320 -p k=256 -p n=480 -p from=dram
row own "binary add row" run binary -p op=add -p broadcast=row -p cores=4x2 --timing-only
row own "binary from L1" run binary -p from=l1 --timing-only
row own sfpu run sfpu -p op=gelu -p cores=all -p rows=512 --timing-only
row own "reduce rowsum" run reduce -p cores=2x2 --timing-only
row own "reduce colmax" run reduce -p op=colmax -p from=l1 --timing-only
for op in softmax rmsnorm layernorm; do
    row own "norm $op" run norm -p op=$op -p cores=2x2 --timing-only
done
row own transpose run transpose -p cores=4x1 --timing-only
row own tilize run tilize -p cores=2x1 --timing-only
row own untilize run untilize -p cores=2x1 -p from=l1 --timing-only
row own matmul-reuse run matmul-reuse -p cores=3x2 --timing-only
row own matmul-1d run matmul-1d --timing-only
for file in config/pipes/[!t]*.yaml config/pipes/throughput.yaml tests/study/pipe/*/*.yaml config/pipes/*.pto config/pipes/*.cpp; do
    row pipe "$(basename "${file%.yaml}")" run "$file"
done
for timing in a5 doc fitted flat; do
    row pipe "throughput timing-$timing" run config/pipes/throughput.yaml -D "preset=$timing"
done
for chip in p150 p100; do
    row chip "mixed.json on $chip" noc -d "$chip" tests/chip/workloads/mixed.json
done
for train in 1 8; do
    row chip "mixed.json trains of $train" noc -D "noc.train=$train" tests/chip/workloads/mixed.json
done
for model in tile ring torus crowd table; do
    row demo "$model" demo "$model" -C 6000 -D demo.tiles=9 -D demo.workers=30 -D demo.words=100
done
row demo "table hangs" demo table -D demo.workers=9 -D demo.words=100 -D demo.polite=0
