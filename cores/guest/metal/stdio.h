// Kernels have no files and no printf: DPRINT prints. The header is here for kernels that include it in vain.
#pragma once
#include <stddef.h>
