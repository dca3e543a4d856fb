// near.c for arm64 processors with SVE: see dispatch.h.
#ifdef __aarch64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("sve"))), apply_to = function)
#else
#pragma GCC target("+sve")
#endif
#define TS_FOR_SVE
#include "units/matrix/near.c"
#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int not_arm64; // a source file is not empty
#endif
