// Everything a compute kernel may call, except reductions (reduce.h).
#pragma once
#include "internal/compute_tiles.h"
#ifdef COMPILE_FOR_TRISC
#include "internal/sfpu_binary.h"
#include "internal/sfpu_int.h"
#include "internal/sfpu_reduce.h"
#include "internal/sfpu_unary.h"
#include "internal/topk.h"
#endif
