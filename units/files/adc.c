// units/files/adc.c: the instructions that move address counters.
#include "units/files/adc.h"

const uint32_t ts_adc_mask[TS_ADC_DIMS] = {0x3ffff, 0x1fff, 0xff, 0xff};

// The four small fields that SETADC**, INCADC** and ADDRCR** share. They lie at the same bits in
// all six, in the order channel 0 first, first dimension of the pair first.
struct quad {
    uint32_t value[4];
    uint32_t mask; // which are used
    uint32_t groups;
    uint32_t thread_override;
};

static struct quad quad_of(uint32_t word, bool masked)
{
    struct ts_args_SETADCXY a = ts_decode_SETADCXY(word);
    return (struct quad){
        .value = {a.ch0_x, a.ch0_y, a.ch1_x, a.ch1_y},
        .mask = masked ? a.bit_mask : 0xf,
        .groups = a.cnt_set_mask,
        .thread_override = a.thread_override,
    };
}

typedef void mover(struct ts_adc_channel *c, enum ts_adc_dim dim, uint32_t value);

static void put(struct ts_adc_channel *c, enum ts_adc_dim dim, uint32_t value)
{
    ts_adc_put(c, dim, value);
}
static void add(struct ts_adc_channel *c, enum ts_adc_dim dim, uint32_t value)
{
    ts_adc_add(c, dim, value);
}
static void add_cr(struct ts_adc_channel *c, enum ts_adc_dim dim, uint32_t value)
{
    ts_adc_add_cr(c, dim, value);
}

static bool move_quad(struct ts_adcs *adcs, unsigned thread, struct quad q, enum ts_adc_dim first,
                      mover *move)
{
    if (q.thread_override)
        thread = q.thread_override - 1;
    if (thread >= TS_THREADS)
        return false;
    for (unsigned g = 0; g < TS_ADC_GROUPS; g++) {
        if (!(q.groups & 1u << g))
            continue;
        for (unsigned i = 0; i < 4; i++)
            if (q.mask & 1u << i)
                move(&adcs->set[thread][g].channel[i >> 1], first + (i & 1), q.value[i]);
    }
    return true;
}

static bool set_one(struct ts_adcs *adcs, unsigned thread, struct ts_args_SETADC a)
{
    // The two high bits of an 18-bit X are also the thread override: hardware uses them as both.
    uint32_t override = a.value >> 16;
    if (override)
        thread = override - 1;
    if (thread >= TS_THREADS)
        return false;
    for (unsigned g = 0; g < TS_ADC_GROUPS; g++)
        if (a.cnt_set_mask & 1u << g)
            ts_adc_put(&adcs->set[thread][g].channel[a.channel_index], a.dimension_index, a.value);
    return true;
}

static bool set_xx(struct ts_adcs *adcs, unsigned thread, struct ts_args_SETADCXX a)
{
    for (unsigned g = 0; g < TS_ADC_GROUPS; g++) {
        if (!(a.cnt_set_mask & 1u << g))
            continue;
        ts_adc_put(&adcs->set[thread][g].channel[0], TS_ADC_X, a.x_start);
        ts_adc_put(&adcs->set[thread][g].channel[1], TS_ADC_X, a.x_end2);
    }
    return true;
}

bool ts_adc_execute(struct ts_adcs *adcs, unsigned thread, uint32_t word)
{
    switch (TS_OP_OF(word)) {
    case TS_OP_SETADC:
        return set_one(adcs, thread, ts_decode_SETADC(word));
    case TS_OP_SETADCXX:
        return set_xx(adcs, thread, ts_decode_SETADCXX(word));
    case TS_OP_SETADCXY:
        return move_quad(adcs, thread, quad_of(word, true), TS_ADC_X, put);
    case TS_OP_SETADCZW:
        return move_quad(adcs, thread, quad_of(word, true), TS_ADC_Z, put);
    case TS_OP_INCADCXY:
        return move_quad(adcs, thread, quad_of(word, false), TS_ADC_X, add);
    case TS_OP_INCADCZW:
        return move_quad(adcs, thread, quad_of(word, false), TS_ADC_Z, add);
    case TS_OP_ADDRCRXY:
        return move_quad(adcs, thread, quad_of(word, true), TS_ADC_X, add_cr);
    case TS_OP_ADDRCRZW:
        return move_quad(adcs, thread, quad_of(word, true), TS_ADC_Z, add_cr);
    default:
        return false;
    }
}

void ts_adc_poke(struct ts_adcs *adcs, unsigned thread, enum ts_adc_group group, unsigned channel,
                 enum ts_adc_dim dim, bool cr, uint32_t value)
{
    struct ts_adc_channel *c = &adcs->set[thread][group].channel[channel];
    (cr ? c->cr : c->v)[dim] = value & ts_adc_mask[dim];
}
