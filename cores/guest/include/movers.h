// Where the data of `movers' (config/programs/llk/common/movers.cpp) lie in L1, and its arguments. Used on both
// sides.
#ifndef TENSIM_GUEST_MOVERS_H
#define TENSIM_GUEST_MOVERS_H

#include "launch.h"

enum { // coordinates: x | y << 6
    TS_ARG_MOVERS_NEXT = TS_ARG_OWN,
    TS_ARG_MOVERS_BEFORE,
    TS_ARG_MOVERS_DRAM,
    TS_ARG_MOVERS_END
};

#define TS_MOVERS_PAGE  2048
#define TS_MOVERS_PAGES 4
#define TS_MOVERS_OUT   0x20000 // that BRISC sends
#define TS_MOVERS_IN    0x30000 // that the tile before sends
#define TS_MOVERS_READ  0x40000 // that NCRISC reads
#define TS_MOVERS_COPY  0x50000 // that the TRISCs write
#define TS_MOVERS_SUMS  0x60000

#endif
