// Everything a compute kernel may call, reductions too.
#pragma once
#include "internal/compute_all.h"
#include "internal/reduce.h"
