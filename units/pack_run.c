// PACR's data phase: rows of Dst through the pipeline into L1. See pack.h.
#include <string.h>

#include "units/format.h"
#include "units/pack.h"

// ---- output streams ----------------------------------------------------------------------------

static void put32(const struct ts_pack_plan *plan, uint8_t *l1, const uint32_t *v, unsigned n)
{
    if (!plan->accumulate) {
        memcpy(l1, v, 4 * n);
        return;
    }
    uint32_t old[16];
    memcpy(old, l1, 4 * n);
    ts_pack_add_row_fp32(old, v, n);
    memcpy(l1, old, 4 * n);
}

static void put16(const struct ts_pack_plan *plan, uint8_t *l1, const uint32_t *v, unsigned n)
{
    uint16_t h[16];
    for (unsigned i = 0; i < n; i++)
        h[i] = (uint16_t)v[i];
    if (!plan->accumulate) {
        memcpy(l1, h, 2 * n);
        return;
    }
    uint16_t old[16];
    memcpy(old, l1, 2 * n);
    if (plan->out == TS_FMT_BF16)
        ts_pack_add_row_bf16(old, h, n);
    else
        for (unsigned i = 0; i < n; i++)
            old[i] = ts_pack_add_fp16(old[i], h[i]);
    memcpy(l1, old, 2 * n);
}

// One finished group of a block format: its exponent and its data.
static void put_group(const struct ts_pack_plan *plan, struct ts_packer *packer, uint8_t *l1)
{
    unsigned bits = ts_format_bits(plan->out);
    uint8_t mant[16], *out = l1 + packer->data_byte;
    l1[packer->exp_byte] = ts_pack_group(mant, packer->group, bits);
    if (bits == 8)
        memcpy(out, mant, 16);
    else if (bits == 4)
        for (unsigned i = 0; i < 8; i++)
            out[i] = (uint8_t)(mant[2 * i] | mant[2 * i + 1] << 4);
    else
        for (unsigned i = 0; i < 4; i++)
            out[i] = (uint8_t)(mant[4 * i] | mant[4 * i + 1] << 2 | mant[4 * i + 2] << 4 |
                               mant[4 * i + 3] << 6);
    packer->data_byte += 2 * bits;
    packer->exp_byte++;
    packer->pending = 0;
}

static void emit(const struct ts_pack_plan *plan, struct ts_packer *packer, uint8_t *l1,
                 const uint32_t *v, unsigned n)
{
    if (ts_format_is_bfp(plan->out)) {
        if (packer->pending == 0 && n == 16) {
            for (unsigned i = 0; i < 16; i++)
                packer->group[i] = (uint16_t)v[i];
            put_group(plan, packer, l1);
            return;
        }
        for (unsigned i = 0; i < n; i++) {
            packer->group[packer->pending++] = (uint16_t)v[i];
            if (packer->pending == 16)
                put_group(plan, packer, l1);
        }
        return;
    }
    unsigned bits = ts_format_bits(plan->out);
    uint8_t *out = l1 + packer->data_byte;
    if (bits == 32)
        put32(plan, out, v, n);
    else if (bits == 16)
        put16(plan, out, v, n);
    else
        for (unsigned i = 0; i < n; i++)
            out[i] = (uint8_t)v[i];
    packer->data_byte += n * bits / 8;
}

// Ends the streams: what is left over is padded with zeros to 16 bytes.
static void close_streams(const struct ts_pack_plan *plan, struct ts_packer *packer, uint8_t *l1)
{
    bool bfp = ts_format_is_bfp(plan->out);
    if (packer->pending) {
        memset(packer->group + packer->pending, 0, (16u - packer->pending) * sizeof *packer->group);
        put_group(plan, packer, l1);
    }
    memset(l1 + packer->data_byte, 0, -packer->data_byte & 15);
    if (bfp)
        memset(l1 + packer->exp_byte, 0, -packer->exp_byte & 15);
    packer->open = false;
}

// ---- edge masks --------------------------------------------------------------------------------

static void step_row(const struct ts_pack_plan *plan, struct ts_packer *packer)
{
    uint32_t *inner = plan->yz_transposed ? &packer->z : &packer->y;
    uint32_t *outer = plan->yz_transposed ? &packer->y : &packer->z;
    if (++*inner == plan->reads_per_plane) {
        *inner = 0;
        ++*outer;
    }
}

static uint16_t mask_now(const struct ts_pack_plan *plan, const struct ts_packer *packer)
{
    unsigned set = plan->row_set_select;
    if (plan->face_enable)
        set = plan->face_set >> 2 * ((plan->z_offset + packer->z) & 15) & 3;
    return plan->mask[plan->row_set[set] >> 2 * (packer->y & 15) & 3];
}

// Masks the columns of a row that is about to pass and moves the position on.
static void edge_row(const struct ts_pack_plan *plan, struct ts_packer *packer, uint32_t v[16])
{
    if (!plan->masked) {
        for (packer->x += plan->per_row; packer->x >= 16; packer->x -= 16)
            step_row(plan, packer);
        return;
    }
    uint32_t fill = plan->mask_neginf ? ts_pack_neginf(plan) : 0;
    for (unsigned c = plan->first_col; c < plan->first_col + plan->per_row; c++) {
        if (!(mask_now(plan, packer) >> c & 1))
            v[c] = fill;
        if (++packer->x == 16) {
            packer->x = 0;
            step_row(plan, packer);
        }
    }
}

// ---- the whole ---------------------------------------------------------------------------------

static void count_exponents(const struct ts_pack_plan *plan, struct ts_packer *packer,
                            const uint32_t *v)
{
    for (unsigned i = plan->first_col; i < plan->first_col + plan->per_row; i++) {
        uint32_t e = plan->kind == TS_PACK_F32 || plan->middle == TS_FMT_INT32 ? v[i] >> 23 & 0xFF
                     : plan->kind == TS_PACK_BF16                              ? v[i] >> 7 & 0xFF
                     : plan->kind == TS_PACK_FP16                              ? v[i] >> 10 & 0x1F
                                                                               : v[i] & 0xFF;
        uint8_t *bin = &packer->histogram[e & 31];
        *bin = (uint8_t)(*bin + (*bin != 255));
        packer->max_exponent = (uint8_t)(e > packer->max_exponent ? e : packer->max_exponent);
    }
}

static void read_row(const struct ts_pack_plan *plan, const struct ts_dst *dst, unsigned row,
                     uint32_t v[16])
{
    uint32_t at = plan->read32 ? ts_dst_row32(dst, row) : ts_dst_row16(dst, row);
    if (plan->zero || !dst->valid[at])
        memset(v, 0, 16 * sizeof *v);
    else
        ts_pack_early(plan, v, dst->bits[at], dst->bits[plan->read32 ? at + TS_DST_LO_ROW : at]);
}

// Whole rows through both conversions at once; false when the pair of formats has no such way.
static bool run_plain(const struct ts_pack_plan *plan, struct ts_packer *packer,
                      const struct ts_dst *dst, uint8_t *l1)
{
    unsigned bytes = 2 * ts_format_bits(plan->out);
    for (unsigned r = 0; r < plan->rows; r++) {
        uint32_t at = plan->read32 ? ts_dst_row32(dst, plan->row[r])
                                   : ts_dst_row16(dst, plan->row[r]);
        uint8_t *out = l1 + packer->data_byte + r * bytes;
        if (!ts_pack_direct(plan, out, dst->bits[at],
                            dst->bits[plan->read32 ? at + TS_DST_LO_ROW : at]))
            return false;
        if (!dst->valid[at])
            memset(out, 0, bytes);
        step_row(plan, packer);
    }
    packer->data_byte += plan->rows * bytes;
    if (plan->last || plan->flush)
        close_streams(plan, packer, l1);
    return true;
}

void ts_pack_clear_histogram(struct ts_packer *packer)
{
    memset(packer->histogram, 0, sizeof packer->histogram);
    packer->max_exponent = 0;
}

struct ts_refusal ts_pack_run(const struct ts_pack_plan *plan, struct ts_packer *packer,
                              const struct ts_dst *dst, uint8_t *l1, uint32_t l1_size)
{
    if (!packer->open) {
        packer->data_byte = plan->data_addr;
        packer->exp_byte = plan->exp_addr;
        packer->x = packer->y = packer->z = 0;
        packer->pending = 0;
        packer->open = true;
    }
    // Room for everything this instruction can write, the padding and an unfinished group included.
    uint64_t end = (uint64_t)packer->data_byte + plan->rows * plan->per_row * 4u + 32;
    if (end > l1_size || (ts_format_is_bfp(plan->out) && packer->exp_byte + 32u > l1_size))
        return ts_contract("PACR: writes beyond L1", packer->data_byte);

    if (plan->plain && run_plain(plan, packer, dst, l1))
        return ts_fine();
    bool all = plan->first_col == 0 && plan->per_row == 16;
    uint16_t sample = plan->downsample ? plan->downsample : 0xFFFF;
    for (unsigned r = 0; r < plan->rows; r++) {
        uint32_t v[16];
        read_row(plan, dst, plan->row[r], v);
        edge_row(plan, packer, v);
        if (plan->relu)
            ts_pack_relu(plan, v);
        if (plan->stats)
            count_exponents(plan, packer, v);
        if (plan->exp_threshold_en)
            ts_pack_threshold(plan, v);
        ts_pack_late(plan, v);
        if (all && sample == 0xFFFF) {
            emit(plan, packer, l1, v, 16);
            continue;
        }
        uint32_t kept[16];
        unsigned n = 0;
        for (unsigned i = 0; i < plan->per_row; i++) {
            kept[n] = v[plan->first_col + i];
            n += sample & 1;
            sample = (uint16_t)(sample << 15 | sample >> 1);
        }
        emit(plan, packer, l1, kept, n);
    }
    if (plan->last || plan->flush)
        close_streams(plan, packer, l1);
    return ts_fine();
}
