# The guest programs there are. Compute kernels are compiled for unpack, math and pack: plain, and with TS_GENERAL as
# NAME_general, which takes the formats and tiles that the plain one spends no instruction on (compute_kernel_api/common.h).
# NAME_narrow packs a 32-bit Dst to blocks with 5-bit exponents.
macro(guest_kernel name source)
    guest_compute(${name} ${source} ${ARGN})
    guest_compute(${name}_general ${source} ${ARGN} -DTS_GENERAL)
    guest_image(${name}_narrow pack ${source} ${ARGN} -DTS_GENERAL -DTS_NARROW)
endmacro()
guest_image(reader_l1 ncrisc reader_l1.cpp)
guest_image(writer_l1 brisc writer_l1.cpp)
guest_image(reader_grid ncrisc reader_grid.cpp)
guest_image(writer_grid brisc writer_grid.cpp)
guest_kernel(matmul matmul.cpp)
# The kernel of the user's document, unchanged, and the same with matmul_tiles.
set(SEED_ARGUMENTS "-Dnum_tiles=get_arg(TS_ARG_TILES)" "-DKt=get_arg(TS_ARG_OP)")
guest_kernel(matmul_seed matmul_seed.cpp ${SEED_ARGUMENTS})
guest_kernel(matmul_tiles matmul_tiles.cpp ${SEED_ARGUMENTS})
guest_kernel(eltwise eltwise.cpp)
guest_kernel(sfpu sfpu.cpp)
guest_kernel(reduce reduce.cpp)
guest_kernel(transpose transpose.cpp)
guest_kernel(tilize tilize.cpp)
guest_kernel(untilize untilize.cpp)
guest_compute(norm norm.cpp)
# Data movement alone: a workload of tensim-bench.
guest_image(movers brisc movers.cpp)
guest_image(movers ncrisc movers.cpp)
guest_compute(movers movers.cpp)
