// What the verbs of synchronisation programs are made of: the pieces of code that they write.
#pragma once

#include "platform/study/hang/step.h"

// Registers of the code: address, value, loaded, then those of circular buffers; repeat has x10 on.
enum { AT = 5, VALUE = 6, GOT = 7, LOCAL = 28, OWN = 29, WANT = 30 };

// One verb.
typedef void ts_hang_step(struct ts_hang_steps *self, const struct ts_script_step *step);

// step_noc.c
ts_hang_step ts_hang_noc_write;
ts_hang_step ts_hang_noc_read;
ts_hang_step ts_hang_noc_multicast;
ts_hang_step ts_hang_noc_increment;
ts_hang_step ts_hang_noc_wait;

static inline void store(struct ts_hang_steps *self, uint32_t address, uint32_t value)
{
    ts_rvasm_li(self->code, AT, address);
    ts_rvasm_li(self->code, VALUE, value);
    ts_rvasm(self->code, TS_RV_SW, 0, AT, VALUE, 0);
}

// A load whose value is waited for.
static inline void arrive(struct ts_hang_steps *self, uint32_t address)
{
    ts_rvasm_li(self->code, AT, address);
    ts_rvasm(self->code, TS_RV_LW, GOT, AT, 0, 0);
    ts_rvasm(self->code, TS_RV_AND, 0, GOT, GOT, 0);
}

// Polls a word until it has the value (BNE), is below it (BGEU)...; `turned`: value first.
static inline void poll(struct ts_hang_steps *self, uint32_t address, uint32_t value,
                        enum ts_rv_op again, bool turned)
{
    ts_rvasm_li(self->code, AT, address);
    ts_rvasm_li(self->code, VALUE, value);
    uint32_t here = ts_rvasm_here(self->code);
    ts_rvasm(self->code, TS_RV_LW, GOT, AT, 0, 0);
    ts_rvasm_back(self->code, again, turned ? VALUE : GOT, turned ? GOT : VALUE, here);
}

static inline void fence(struct ts_hang_steps *self)
{
    ts_rvasm(self->code, TS_RV_FENCE, 0, 0, 0, 0);
}

static inline uint32_t arg(const struct ts_script_step *step, const char *key)
{
    return (uint32_t)ts_script_arg(step, key);
}
