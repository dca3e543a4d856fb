// near.c for x86-64 processors with AVX2: see dispatch.h.
#ifdef __x86_64__
#ifndef __clang__ // does not know it: the plain form has this name then
#pragma GCC target("avx2,fma")
#endif
#define TS_FOR_AVX2
#include "units/matrix/near.c"
#else
typedef int not_x86; // a source file is not empty
#endif
