// What a compute kernel may call on tiles, except the vector unit's functions (sfpu_*.h), which take a third of a compiler's
// time, and reductions: their defaults come from macros that kernels define before they include reduce.h. A data movement
// kernel gets the names of modes.
#pragma once
#ifndef COMPILE_FOR_TRISC
#include "internal/base.h"
#include "internal/enums.h"
#else
#include "internal/binary.h"
#include "internal/compute.h"
#include "internal/llk.h"
#include "internal/matmul.h"
#include "internal/tilize.h"
#include "internal/transpose.h"
#endif
