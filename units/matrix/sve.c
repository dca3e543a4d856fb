// near.c and split.c for arm64 processors with SVE: see dispatch.h.
#ifdef __aarch64__
#pragma GCC target("+sve")
#define TS_FOR_SVE
#include "units/matrix/near.c"
#include "units/matrix/split.c"
#else
typedef int not_arm64; // a source file is not empty
#endif
