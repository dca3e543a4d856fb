// The short names of C's integers, for kernels that include it.
#pragma once
#include <stddef.h>
#include <stdint.h>
typedef unsigned int uint;
typedef unsigned short ushort;
typedef long ssize_t;
