# The guest programs there are. Compute kernels are compiled for unpack, math and pack: plain, and with TS_GENERAL as
# NAME_general, which takes the formats and tiles that the plain one spends no instruction on (compute_kernel_api/common.h).
# NAME_narrow packs a 32-bit Dst to blocks with 5-bit exponents.
macro(guest_kernel name source)
    guest_compute(${name} ${source} ${ARGN})
    guest_compute(${name}_general ${source} ${ARGN} -DTS_GENERAL)
    guest_image(${name}_narrow pack ${source} ${ARGN} -DTS_GENERAL -DTS_NARROW)
endmacro()
guest_image(reader_l1 ncrisc common/reader_l1.cpp)
guest_image(writer_l1 brisc common/writer_l1.cpp)
guest_image(reader_grid ncrisc matmul-grid/reader_grid.cpp)
guest_image(writer_grid brisc matmul-grid/writer_grid.cpp)
guest_kernel(matmul matmul/matmul.cpp)
# The kernel of the user's document, unchanged, and the same with matmul_tiles.
set(SEED_ARGUMENTS "-Dnum_tiles=get_arg(TS_ARG_TILES)" "-DKt=get_arg(TS_ARG_OP)")
guest_kernel(matmul_seed matmul-seed/matmul_seed.cpp ${SEED_ARGUMENTS})
guest_kernel(matmul_tiles matmul-tiles/matmul_tiles.cpp ${SEED_ARGUMENTS})
guest_kernel(eltwise eltwise/eltwise.cpp)
guest_kernel(sfpu sfpu/sfpu.cpp)
guest_kernel(reduce reduce/reduce.cpp)
guest_kernel(transpose transpose/transpose.cpp)
guest_kernel(tilize tilize/tilize.cpp)
guest_kernel(untilize untilize/untilize.cpp)
guest_compute(norm norm/norm.cpp)
# Data movement alone: a workload of tensim-bench.
guest_image(movers brisc common/movers.cpp)
guest_image(movers ncrisc common/movers.cpp)
guest_compute(movers common/movers.cpp)
