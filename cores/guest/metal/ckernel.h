// The vocabulary of low-level kernels, for all processors.
#pragma once
#include "internal/base.h"
#include "internal/enums.h"
#ifdef COMPILE_FOR_TRISC
#include_next <ckernel.h>
#endif
