// What tt-npe's traces mean: the types of their events, and the chip that they were taken on.
//
// Source: tt-npe's noc_trace_format.md and the loader next to it (npeWorkloadIngest.cpp). The
// loader takes reads, writes and multicasts; here the other requests of the document (SEMAPHORE_INC,
// writes with a transaction id) run too. What needs a second chip (FABRIC_*), and what a trace does
// not say enough about (WRITE_INLINE), is left out by name.
#pragma once

#include "platform/chip/soc.h"

#include <jansson.h>

enum ts_npe_role {
    TS_NPE_TRANSFER,   // a request with its own destination and length
    TS_NPE_SET_STATE,  // only says where later requests go, and how long they are
    TS_NPE_WITH_STATE, // a request that goes to the destination of the last SET_STATE
    TS_NPE_NOTHING,    // barriers, flushes, waits: the time stamps have them
    TS_NPE_LEFT_OUT,   // a request that cannot be run here
};

struct ts_npe_type {
    const char *name;
    enum ts_npe_role role;
    enum ts_noc_kind kind;
};

// A type that is not in the document is left out.
const struct ts_npe_type *ts_npe_type_find(const char *name);

// Is everything in the workload at a place where Wormhole has such a node, and something at one
// where the chip has none? `text` says which.
bool ts_npe_is_wormhole(json_t *root, const struct ts_soc *soc, char *text, size_t size);
