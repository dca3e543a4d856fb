// Data movement kernels: everything they may call. Included before each of them.
#pragma once
#include "internal/objects.h"
