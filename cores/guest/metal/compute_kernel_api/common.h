// Forwards: include/ has a header of the same path for the built-in kernels.
#pragma once
#include "internal/compute_tiles.h"
