// Words that several headers use and whose operands differ between machines (TT_OTHER_X: X has operands of its own there).
#pragma once
#include "machine.h"
#include "tensix_ops.h"

#ifdef TT_OTHER_ZEROACC
#define TS_OP_ZEROACC(mode, dst32, addr_mode, where) \
    TT_OP_ZEROACC((mode) + ((uint32_t)(dst32) << 2), addr_mode, where)
#else
#define TS_OP_ZEROACC(mode, dst32, addr_mode, where) TT_OP_ZEROACC(mode, dst32, 0, addr_mode, where)
#endif

// The bank that an unpacker fills next: zeros or minus infinity; `waits`: as soon as it is free. Then TS_OP_GIVE hands it over,
// where the zeros do not do that themselves.
#ifdef TT_OTHER_UNPACR_NOP
#define TS_OP_CLEAR(source, minus_infinity) TT_OP_UNPACR_NOP(source, (minus_infinity) ? 5 : 1)
#define TS_OP_ZEROS(source, waits)          TT_OP_UNPACR_NOP(source, (waits) ? 0x11 : 1)
#define TS_OP_GIVE(source)                  TT_OP_UNPACR_NOP(source, 7)
#define TS_GIVE(source)                     TS_INLINE(TS_OP_GIVE(source))
#else
#define TS_OP_CLEAR(source, minus_infinity) \
    TT_OP_UNPACR_NOP(source, 0, 0, 0, 0, 0, 0, minus_infinity, 1)
#define TS_OP_ZEROS(source, waits) TT_OP_UNPACR_NOP(source, 0, 0, 1, 0, waits, 0, 0, 1)
#define TS_OP_GIVE(source)         TT_OP_NOP
#define TS_GIVE(source)
#endif
