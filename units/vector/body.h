// Inside the vector unit: lane helpers and the bodies, one per vector opcode of tensix.def.
//
// A body is the functional model of its ISA page over all 32 lanes. Loops run over plain arrays of
// 32 so that the compiler turns them into vector code; predication is a select at the end.
#pragma once

#include "units/vector/vector.h"

#define TS_SIGN     0x80000000u
#define TS_FP32_ONE 0x3F800000u
#define TS_FP32_INF 0x7F800000u

// What the unit passes to a body about this cycle.
struct ts_vector_ctx {
    uint32_t enable; // LaneEnabled, without the lanes where VD of 12..15 writes a template
    uint32_t gate;   // lanes where VD of 12..15 does not write a template; all for other VD
    struct ts_dst *dst;
};

typedef enum ts_vector_fault ts_vector_body(struct ts_vector *v, const struct ts_vector_insn *i,
                                            const struct ts_vector_ctx *x);

#define TS_OP_VECTOR(...) TS_DECLARE(vector, __VA_ARGS__)
#include "units/isa/bodies.h"

#define TS_EACH_LANE \
    unsigned l = 0;  \
    l < TS_LANES;    \
    l++
#define TS_LANE_ARRAY(name) uint32_t name[TS_LANES] __attribute__((aligned(64)))

extern const uint32_t ts_lane_bit[TS_LANES]; // 1 << lane: masks without shifts by lane

// dst = lanes ? value : dst
static inline void ts_lanes_put(uint32_t *restrict dst, const uint32_t *restrict value,
                                uint32_t lanes)
{
    if (lanes == TS_ALL_LANES) {
        memcpy(dst, value, TS_LANES * sizeof *dst);
        return;
    }
    for (TS_EACH_LANE) {
        uint32_t new = value[l], old = dst[l]; // both loaded, so that this is a select
        dst[l] = lanes & ts_lane_bit[l] ? new : old;
    }
}

static inline bool ts_lreg_writable(unsigned vd)
{
    return vd < 8 || vd == TS_LREG_BONUS;
}

// LaneFlags = set, in these lanes.
static inline void ts_flags_put(struct ts_vector *v, uint32_t set, uint32_t lanes)
{
    v->flags = (v->flags & ~lanes) | (set & lanes);
}

// A bit per lane whose value is negative, or zero.
static inline uint32_t ts_lanes_negative(const uint32_t *value)
{
    uint32_t mask = 0;
    for (TS_EACH_LANE)
        mask |= (value[l] & TS_SIGN) ? ts_lane_bit[l] : 0;
    return mask;
}
static inline uint32_t ts_lanes_zero(const uint32_t *value)
{
    uint32_t mask = 0;
    for (TS_EACH_LANE)
        mask |= value[l] ? 0 : ts_lane_bit[l];
    return mask;
}

// AdvancePRNG in these lanes; bits may be NULL.
void ts_vector_random(struct ts_vector *v, uint32_t lanes, uint32_t *bits);

// d = x * y + z in all lanes; bit-equal to ts_vector_fma.
void ts_vector_fma_lanes(const uint32_t *x, const uint32_t *y, const uint32_t *z, uint32_t *d);
// The same with y of one, and with z of +0 or -0 everywhere.
void ts_vector_add_lanes(const uint32_t *x, const uint32_t *z, uint32_t *d);
void ts_vector_mul_lanes(const uint32_t *x, const uint32_t *y, uint32_t zero, uint32_t *d);

// Where the machine's rule nan_leaks says so: does d = x * y + z for all lanes. False: nothing is done.
bool ts_vector_fma_leaks(const struct ts_vector *v, const uint32_t *x, const uint32_t *y,
                         const uint32_t *z, uint32_t *d);

// The masks derived from lane_config, and whether the columns of LoadMacroConfig differ.
void ts_vector_derive(struct ts_vector *v);

// First cycle of an instruction, with the lanes that were enabled when the cycle began.
enum ts_vector_fault ts_vector_start(struct ts_vector *v, struct ts_dst *dst,
                                     const struct ts_vector_insn *i, uint32_t enabled);

// The second cycle of two-cycle instructions: writes their results and clears them.
void ts_vector_write_second(struct ts_vector *v, struct ts_vector_second *second);
void ts_vector_swap_write(struct ts_vector *v, const struct ts_vector_second *second);
void ts_vector_copy4(struct ts_vector *v, uint32_t lanes);

// Where a starting instruction stores what its second cycle writes.
static inline struct ts_vector_second *ts_vector_later(struct ts_vector *v)
{
    v->settling = true;
    return &v->second[v->phase];
}
