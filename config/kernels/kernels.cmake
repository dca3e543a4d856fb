# The guest programs there are. Compute kernels are compiled for unpack, math and pack.
guest_image(reader_l1 ncrisc reader_l1.cpp)
guest_image(writer_l1 brisc writer_l1.cpp)
guest_compute(matmul matmul.cpp)
# The kernel of the user's document, unchanged, and the same with matmul_tiles.
set(SEED_ARGUMENTS "-Dnum_tiles=get_arg(TS_ARG_TILES)" "-DKt=get_arg(TS_ARG_OP)")
guest_compute(matmul_seed matmul_seed.cpp ${SEED_ARGUMENTS})
guest_compute(matmul_tiles matmul_tiles.cpp ${SEED_ARGUMENTS})
guest_compute(eltwise eltwise.cpp)
guest_compute(sfpu sfpu.cpp)
guest_compute(reduce reduce.cpp)
guest_compute(transpose transpose.cpp)
guest_compute(tilize tilize.cpp)
guest_compute(untilize untilize.cpp)
