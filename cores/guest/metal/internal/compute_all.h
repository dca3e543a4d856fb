// Everything a compute kernel may call, except reductions: their defaults come from macros that kernels
// define before they include reduce.h.
#pragma once
#include "internal/binary.h"
#include "internal/compute.h"
#include "internal/matmul.h"
#include "internal/sfpu_binary.h"
#include "internal/sfpu_unary.h"
#include "internal/tilize.h"
#include "internal/transpose.h"
