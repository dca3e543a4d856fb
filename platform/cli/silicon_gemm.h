// tensim silicon gemm: the published matmuls over a grid of 13 x 10 tiles.
#ifndef TENSIM_CLI_SILICON_GEMM_H
#define TENSIM_CLI_SILICON_GEMM_H

int ts_silicon_gemm(int argc, char **argv);

#endif
