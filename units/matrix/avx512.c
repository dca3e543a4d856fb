// near.c for x86-64 processors with AVX-512: see dispatch.h.
#ifdef __x86_64__
#ifndef __clang__ // does not know it: the plain form has this name then
#pragma GCC target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")
#endif
#define TS_FOR_AVX512
#include "units/matrix/near.c"
#else
typedef int not_x86; // a source file is not empty
#endif
