// Packets stuck in the networks when a run hangs: packets that wait for each other.
//
// A packet at the front of a router's lane waits for the packet that holds the channel it needs, or
// for the one at the front of the full buffer behind its link. Software that multicasts without
// reserving its path, or links transactions, can turn these waits into a cycle.
#pragma once

#include "platform/kernel/kernel.h"

#include <jansson.h>

#define TS_HANG_PACKETS 8

struct ts_hang_noc {
    struct ts_hang_packet {
        char name[64];  // "NoC 0 multicast from 1-2"
        char waits[96]; // "channel 4 of router 3-5's south output"
    } packets[TS_HANG_PACKETS];
    unsigned count; // of the explanation; 0: nothing is stuck
    bool is_cycle;
    unsigned stuck; // packets in all
};

struct ts_hang_noc ts_hang_noc_look(const struct ts_kernel *kernel);
json_t *ts_hang_noc_json(const struct ts_hang_noc *self); // NULL: nothing is stuck
