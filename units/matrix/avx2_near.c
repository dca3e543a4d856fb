// near.c and split.c for x86-64 processors with AVX2: see dispatch.h.
#ifdef __x86_64__
#pragma GCC target("avx2,fma")
#define TS_FOR_AVX2
#include "units/matrix/near.c"
#include "units/matrix/split.c"
#else
typedef int not_x86; // a source file is not empty
#endif
