// The state that a small program (script.h) begins with: registers of the coprocessor, numbers in Src, Dst
// and L1, semaphores.
#pragma once

#include "platform/load/script.h"

#define TS_SETUPS 512

struct ts_setup {
    enum ts_script_do what;
    int line;
    unsigned thread, index, address, shift, bits, first, last;
    uint32_t value, count;
    bool thread_field; // cfg: a register of the thread's own
    char expression[120];
};

struct ts_setups {
    char file[256];
    struct ts_setup rows[TS_SETUPS];
    unsigned count;
    struct ts_script_object semaphores[TS_SEMAPHORES];
};

// Of a program; errors are the script's.
void ts_setups_read(struct ts_setups *self, const struct ts_script *script);
// Before the first cycle. False: an expression is wrong.
bool ts_setups_apply(const struct ts_setups *self, struct ts_tile *tile, struct ts_error *error);

// The numbers of a row of Src or Dst in the format that it has.
double ts_setup_src_value(uint32_t word, unsigned format);
double ts_setup_dst_value(const struct ts_tile *tile, unsigned thread, unsigned row,
                          unsigned column);
bool ts_setup_dst_wide(const struct ts_tile *tile, unsigned thread);
