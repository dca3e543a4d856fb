// fast.c, wide.c and elw.c for x86-64 processors with AVX2: see dispatch.h.
#ifdef __x86_64__
#pragma GCC target("avx2,fma")
#define TS_FOR_AVX2
#include "units/matrix/elw.c"
#include "units/matrix/fast.c"
#include "units/matrix/wide.c"
#else
typedef int not_x86; // a source file is not empty
#endif
