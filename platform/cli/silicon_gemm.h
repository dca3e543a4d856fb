// tensim silicon gemm: the published matmuls over a grid of 13 x 10 tiles.
#pragma once

int ts_silicon_gemm(int argc, char **argv);
