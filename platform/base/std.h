// The C library that every file may use. error.h brings it, and so nearly every header does: files include of the C library only
// what is not here.
#pragma once

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// For qsort: the first number that differs decides (`?:' between them).
#define TS_COMPARE(a, b) (((a) > (b)) - ((a) < (b)))
