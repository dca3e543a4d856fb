// The rules of NoC requests: what software must obey, and what is not implemented.
//
// All are checked at the store to NOC_CMD_CTRL, so that the fault names the tile, the core and its
// pc. The model accepts what hardware accepts by the documents: rectangles that wrap around the
// torus or cover tiles that do not receive, addresses that are aligned to each other but not by
// themselves, answers that go to another tile.
//
// Source: each rule names its own. The Blackhole page on alignment is not written: its rules are
// the Wormhole page's with the constants of tt-metal's noc_parameters.h for Blackhole.
// Inaccuracies: accesses to the registers of a tile are checked when the request arrives. More than
// 255 packets outstanding under one transaction id only wrap its counter, as in hardware.
#pragma once

#include "noc/niu.h"

// The kind of an address of a tile.
enum ts_noc_space {
    TS_NOC_SPACE_NOWHERE, // unmapped, or there is no such tile
    TS_NOC_SPACE_L1,
    TS_NOC_SPACE_REGISTERS,
    TS_NOC_SPACE_DRAM,
    TS_NOC_SPACE_DEVICE, // of the host: it checks the address itself
};

// One end of a request.
struct ts_noc_end {
    bool tile; // Tensix, or an Ethernet tile
    bool used;
    struct ts_noc_xy at; // in the NoC's own coordinates
    enum ts_noc_node node;
    enum ts_noc_space space;
    uint64_t address;
};

// A request as the rules see it.
struct ts_noc_look {
    const struct ts_noc_niu *niu;
    const struct ts_machine *machine;
    const uint32_t *word;
    const struct ts_noc_packet *request;
    uint64_t length;            // bytes, all packets together
    struct ts_noc_end from, to; // of the data
    struct ts_noc_end back;     // of an atomic's result or a write's acknowledgement
};

struct ts_noc_rule {
    const char *name;
    enum ts_code code; // TS_CONTRACT, or TS_NOT_IMPLEMENTED
    const char *text, *source;
};

// Ends with a row without name.
extern const struct ts_noc_rule ts_noc_rules[];

// Checks a request of `length` bytes that an initiator's registers hold.
enum ts_code ts_noc_rules_check(const struct ts_noc_niu *self, const uint32_t *word,
                                const struct ts_noc_packet *request, uint64_t length,
                                struct ts_error *error);
