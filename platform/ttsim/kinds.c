// What cards of each machine have otherwise: identity, sizes, windows.
//
// Source: Blackhole: tt-kmd blackhole.c; Wormhole: tt-umd wormhole_implementation.hpp, ttsim 1.10.0 src/libttsim.cpp,
// tt-isa-documentation WormholeB0/PCIExpressTile.
#include "platform/ttsim/device.h"

const struct ts_card_kind ts_card_kinds[TS_MACHINES] = {
    {.id = 0xb1401e52,
     .bar4 = 32ull << 30,
     .windows = {{0, 21, 0, 202, 0}, {4, 32, 202, 8, 0}},
     .window_words = 3,
     .iatu_words = TS_IATU_WORDS,
     .captures = true},
    {.id = 0x401e1e52,
     .revision = 1,
     .bar4 = 32u << 20,
     .windows = {{0, 20, 0, 156, 0}, {0, 21, 156, 10, 0x9c00000}, {0, 24, 166, 20, 0xb000000}},
     .window_words = 2,
     .iatu_words = 7},
};
