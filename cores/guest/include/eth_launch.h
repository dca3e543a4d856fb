// An Ethernet tile's launch: where things lie in its L1. Wormhole's has no E1. Used on both sides.
//
//   0x00000 E0   0x08000 E1   0x18000 struct ts_eth_launch   0x18400 state of channels   0x1b400 free
#ifndef TENSIM_GUEST_ETH_LAUNCH_H
#define TENSIM_GUEST_ETH_LAUNCH_H

#include <stdint.h>

#define TS_ETH_LAUNCH     0x18000
#define TS_ETH_SYNC       0x18400
#define TS_ETH_FREE       0x1b400
#define TS_ETH_ARGUMENTS  30
#define TS_ETH_CODE(core) (0x8000 * (core))
#define TS_ETH_CODE_ROOM  0x8000
#define TS_ETH_DONE       0x600dd04eu

struct ts_eth_launch {
    struct {
        uint32_t done; // TS_ETH_DONE when the kernel has finished
        uint32_t unused;
        uint32_t argument[TS_ETH_ARGUMENTS];
    } core[2];
};

#endif
