// units/pack/unit.h: the packer in time: one engine with four Dst read interfaces.
//
//   wait gates --> [ one PACR at a time: up to four rows of Dst | conversions ] --> L1
//
// A PACR occupies the engine for as long as its widest row takes at 32 bytes a cycle; after one
// more pipeline latency the data are in L1 and the unit is idle.
//
// Source: tt-isa-documentation BlackholeA0/PACR.md, WormholeB0/Packers/*.md; bodies in pack.h.
// Timing: pack_* of config/blackhole.yaml.
// Inaccuracies: data reach L1 when the PACR starts. L1 accumulation costs nothing
// (boopdotpng/blackhole-py hardware_probe_results.md); the slow orbit of tt-metal issue 51901 does
// not occur.
#pragma once

#include "units/files/files.h"
#include "units/pack/pack.h"

struct ts_pack_unit {
    struct ts_unit unit;
    struct ts_files *files;
    // architectural
    struct ts_packer state;
    struct ts_packer more[3]; // of packers 1 to 3, where there are four
    struct ts_pack_setreg setreg;
    // pipeline
    ts_cycle free;    // the engine takes the next PACR
    uint32_t l1_next; // where its data go if it continues a row
    // what follows from the configuration, kept while that and the word's own fields stay
    uint64_t plan_key;
    struct ts_pack_plan plan;
    struct ts_pack_view view;
    struct ts_adc *adc;
    uint32_t cycles; // the engine is taken
    bool silent;     // without data: only time and counters
    struct {         // of the tile that is packed, for checks
        uint16_t first;
        bool open, written; // a row of it
    } dst;
    // counters
    uint64_t bytes;
};

void ts_pack_unit_init(struct ts_pack_unit *self, struct ts_files *files, struct ts_domain *domain);
