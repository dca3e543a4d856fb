// units/files/adc.h: the address counters (ADC) of the unpackers and the packer.
//
// Three sets (one per thread), each with three groups (unpacker 0, unpacker 1, packer), each with
// two channels of four dimensions. UNPACR and PACR read and move them; MISC instructions set them.
//
// Source: tt-isa-documentation WormholeB0/ADCs.md and the pages of the instructions below.
#pragma once

#include "units/isa/opcodes.h"

enum ts_adc_group { TS_ADC_UNPACK0, TS_ADC_UNPACK1, TS_ADC_PACK, TS_ADC_GROUPS };
enum ts_adc_dim { TS_ADC_X, TS_ADC_Y, TS_ADC_Z, TS_ADC_W, TS_ADC_DIMS };

typedef uint32_t ts_adc_yz __attribute__((vector_size(8)));

struct ts_adc_channel {
    uint32_t v[TS_ADC_DIMS];  // the counter
    uint32_t cr[TS_ADC_DIMS]; // the counter's carriage return
};

struct ts_adc {
    struct ts_adc_channel channel[2];
};

struct ts_adcs {
    struct ts_adc set[TS_THREADS][TS_ADC_GROUPS];
};

// Widths of X, Y, Z, W: 18, 13, 8, 8.
extern const uint32_t ts_adc_mask[TS_ADC_DIMS];

static inline void ts_adc_put(struct ts_adc_channel *c, enum ts_adc_dim dim, uint32_t value)
{
    c->v[dim] = c->cr[dim] = value & ts_adc_mask[dim];
}
static inline void ts_adc_add(struct ts_adc_channel *c, enum ts_adc_dim dim, uint32_t incr)
{
    c->v[dim] = (c->v[dim] + incr) & ts_adc_mask[dim];
}
// Y and Z at once.
static inline void ts_adc_add_yz(struct ts_adc_channel *c, ts_adc_yz incr)
{
    typedef uint32_t mem __attribute__((vector_size(8), aligned(4), may_alias));
    mem *yz = (mem *)&c->v[TS_ADC_Y];
    *yz = (*yz + incr) & (ts_adc_yz){ts_adc_mask[TS_ADC_Y], ts_adc_mask[TS_ADC_Z]};
}
static inline void ts_adc_add_cr(struct ts_adc_channel *c, enum ts_adc_dim dim, uint32_t incr)
{
    c->v[dim] = c->cr[dim] = (c->cr[dim] + incr) & ts_adc_mask[dim];
}

// SETADC: one counter. False: no such thread (an override of 4).
bool ts_adc_set(struct ts_adcs *adcs, unsigned thread, struct ts_args_SETADC a);
// SETADCXX: X of both channels.
void ts_adc_set_range(struct ts_adcs *adcs, unsigned thread, struct ts_args_SETADCXX a);
// SETADC** (PUT), INCADC** (ADD) and ADDRCR** (ADD_CR): two dimensions of both channels, from
// `first` on. False: no such thread.
enum ts_adc_how { TS_ADC_PUT, TS_ADC_ADD, TS_ADC_ADD_CR };
bool ts_adc_move(struct ts_adcs *adcs, unsigned thread, uint32_t word, enum ts_adc_dim first,
                 enum ts_adc_how how);

// REG2FLOP to an ADC: one counter or its carriage return.
void ts_adc_poke(struct ts_adcs *adcs, unsigned thread, enum ts_adc_group group, unsigned channel,
                 enum ts_adc_dim dim, bool cr, uint32_t value);
