// Everything a compute kernel may call, except reductions: their defaults come from macros that kernels
// define before they include reduce.h. A data movement kernel gets the names of modes.
#pragma once
#ifndef COMPILE_FOR_TRISC
#include "internal/base.h"
#include "internal/enums.h"
#else
#include "internal/binary.h"
#include "internal/compute.h"
#include "internal/llk.h"
#include "internal/matmul.h"
#include "internal/sfpu_binary.h"
#include "internal/sfpu_int.h"
#include "internal/sfpu_reduce.h"
#include "internal/sfpu_unary.h"
#include "internal/tilize.h"
#include "internal/transpose.h"
#endif
