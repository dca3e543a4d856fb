// units/files/adc.c: the instructions that move address counters.
#include "units/files/adc.h"

const uint32_t ts_adc_mask[TS_ADC_DIMS] = {0x3ffff, 0x1fff, 0xff, 0xff};

static void move_counter(struct ts_adc_channel *c, enum ts_adc_dim dim, uint32_t value,
                         enum ts_adc_how how)
{
    if (how == TS_ADC_PUT)
        ts_adc_put(c, dim, value);
    else if (how == TS_ADC_ADD)
        ts_adc_add(c, dim, value);
    else
        ts_adc_add_cr(c, dim, value);
}

bool ts_adc_move(struct ts_adcs *adcs, unsigned thread, uint32_t word, enum ts_adc_dim first,
                 enum ts_adc_how how)
{
    // The four small fields are at the same bits in all six: channel 0 first, first dimension of
    // the pair first. INCADC** has no mask.
    struct ts_args_SETADCXY a = ts_decode_SETADCXY(word);
    const uint32_t value[4] = {a.ch0_x, a.ch0_y, a.ch1_x, a.ch1_y};
    const uint32_t mask = how == TS_ADC_ADD ? 0xf : a.bit_mask;
    if (a.thread_override)
        thread = a.thread_override - 1;
    if (thread >= TS_THREADS)
        return false;
    for (unsigned g = 0; g < TS_ADC_GROUPS; g++) {
        if (!(a.cnt_set_mask & 1u << g))
            continue;
        for (unsigned i = 0; i < 4; i++)
            if (mask & 1u << i)
                move_counter(&adcs->set[thread][g].channel[i >> 1], first + (i & 1), value[i], how);
    }
    return true;
}

bool ts_adc_set(struct ts_adcs *adcs, unsigned thread, struct ts_args_SETADC a)
{
    // The thread override is no part of the value, not even of X, which has 18 bits: inferred from
    // tt-llk's face-compressed matmul, which sets another thread's X so (SETADC.md is unsure).
    uint32_t override = a.value >> 16, value = a.value & 0xffff;
    if (override)
        thread = override - 1;
    if (thread >= TS_THREADS)
        return false;
    for (unsigned g = 0; g < TS_ADC_GROUPS; g++)
        if (a.cnt_set_mask & 1u << g)
            ts_adc_put(&adcs->set[thread][g].channel[a.channel_index], a.dimension_index, value);
    return true;
}

void ts_adc_set_range(struct ts_adcs *adcs, unsigned thread, struct ts_args_SETADCXX a)
{
    for (unsigned g = 0; g < TS_ADC_GROUPS; g++) {
        if (!(a.cnt_set_mask & 1u << g))
            continue;
        ts_adc_put(&adcs->set[thread][g].channel[0], TS_ADC_X, a.x_start);
        ts_adc_put(&adcs->set[thread][g].channel[1], TS_ADC_X, a.x_end2);
    }
}

void ts_adc_poke(struct ts_adcs *adcs, unsigned thread, enum ts_adc_group group, unsigned channel,
                 enum ts_adc_dim dim, bool cr, uint32_t value)
{
    struct ts_adc_channel *c = &adcs->set[thread][group].channel[channel];
    (cr ? c->cr : c->v)[dim] = value & ts_adc_mask[dim];
}
