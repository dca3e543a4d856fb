// The steps of small programs (load/script.h) as guest code.
#pragma once

#include "cores/riscv/assemble.h"
#include "platform/chip/traffic.h"
#include "platform/load/script.h"

struct ts_hang_steps {
    struct ts_rvasm *code;
    struct ts_noc_xy here;
    const struct ts_chip *chip; // for coordinates; only its SoC is there
    const struct ts_script *script;
    bool noc;                    // a step uses the network
    unsigned depth;              // of repeat
    struct ts_tile_lines *lines; // of the steps; pcs from 0
    struct ts_hang_words {       // of the core's Tensix thread, if it has a list of its own
        uint32_t word[TS_RVASM_WORDS];
        unsigned count, next;
    } words;
};

// Words of L1: counters of buffer i.
static inline uint32_t ts_hang_received(unsigned buffer)
{
    return 0x2f000u + 16 * buffer;
}
static inline uint32_t ts_hang_acked(unsigned buffer)
{
    return 0x2f200u + 16 * buffer;
}

// Makes code of the steps of a core, and of the words of its thread.
void ts_hang_steps(struct ts_hang_steps *self, const struct ts_script_list *list,
                   const struct ts_script_list *thread);
