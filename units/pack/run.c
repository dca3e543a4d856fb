// PACR's data phase: rows of Dst through the pipeline into L1. See pack.h.

#include "platform/kernel/component.h"
#include "units/files/format.h"
#include "units/pack/pack.h"

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

// Masks the columns of the next row and advances the position.
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

// ---- the driver --------------------------------------------------------------------------------

static void count_exponents(const struct ts_pack_plan *plan, struct ts_packer *packer,
                            const uint32_t *v)
{
    unsigned step = ts_bits_ask(plan->bits, TS_BITS_exponent_histogram) ? 8 : 1;
    for (unsigned i = plan->first_col; i < plan->first_col + plan->per_row; i++) {
        uint32_t e = plan->kind == TS_PACK_F32 || plan->middle == TS_FMT_INT32 ? v[i] >> 23 & 0xFF
                     : plan->kind == TS_PACK_BF16                              ? v[i] >> 7 & 0xFF
                     : plan->kind == TS_PACK_FP16                              ? v[i] >> 10 & 0x1F
                                                                               : v[i] & 0xFF;
        uint8_t *bin = &packer->histogram[e & 31];
        *bin = (uint8_t)(*bin + (*bin != 255 && i % step == 0));
        packer->max_exponent = (uint8_t)(e > packer->max_exponent ? e : packer->max_exponent);
    }
}

static void read_row(const struct ts_pack_plan *plan, struct ts_packer *packer,
                     const struct ts_dst *dst, unsigned row, uint32_t v[16])
{
    uint32_t at = plan->read32 ? ts_dst_row32(dst, row) : ts_dst_row16(dst, row);
    if (plan->zero || !dst->valid[at])
        memset(v, 0, 16 * sizeof *v);
    else
        ts_pack_early(plan, v, dst->bits[at], dst->bits[plan->read32 ? at + TS_DST_LO_ROW : at],
                      &packer->random);
}

// Complete rows, only conversions.
static void run_plain(const struct ts_pack_plan *plan, struct ts_packer *packer,
                      const struct ts_dst *dst, uint8_t *l1)
{
    ts_pack_direct(plan, l1 + packer->data_byte, dst);
    packer->data_byte += plan->bytes;
    uint32_t *inner = plan->yz_transposed ? &packer->z : &packer->y;
    if (*inner + plan->rows < plan->reads_per_plane)
        *inner += plan->rows;
    else
        for (unsigned r = 0; r < plan->rows; r++)
            step_row(plan, packer);
    if (plan->last || plan->flush)
        ts_pack_close(plan, packer, l1);
}

void ts_pack_clear_histogram(struct ts_packer *packer)
{
    memset(packer->histogram, 0, sizeof packer->histogram);
    packer->max_exponent = 0;
}

// Room for everything this instruction can write, the padding and an unfinished group included.
static struct ts_refusal check_room(const struct ts_pack_plan *plan, const struct ts_packer *packer,
                                    uint32_t l1_size)
{
    uint32_t count = plan->from_l1 ? plan->count : (uint32_t)plan->rows * plan->per_row;
    uint64_t data = packer->open ? packer->data_byte : plan->data_addr;
    uint64_t exponents = packer->open ? packer->exp_byte : plan->exp_addr;
    uint64_t end = data + (uint64_t)count * 4 + 32;
    if (plan->compress) { // worst case: no zero is removed
        end = data + (count / 32 + 3) * (4u * ts_format_bits(plan->out) + 16);
        if ((packer->open ? packer->row_byte : plan->row_addr) + 48u > l1_size)
            return ts_contract("PACR: row starts beyond L1", packer->row_byte);
    }
    if (end > l1_size || (ts_format_is_bfp(plan->out) && exponents + count / 16 + 32 > l1_size))
        return ts_contract("PACR: writes beyond L1", (uint32_t)data);
    if (plan->from_l1 && plan->source + (uint64_t)count * plan->source_bytes > l1_size)
        return ts_contract("PACR: reads beyond L1", plan->source);
    return ts_fine();
}

// Data out of L1: no early conversion, no edge mask, sixteen at a time. Block formats come with
// exponent zero.
static void run_l1(const struct ts_pack_plan *plan, struct ts_packer *packer, uint8_t *l1)
{
    uint16_t sample = plan->downsample ? plan->downsample : 0xFFFF;
    for (uint32_t first = 0; first < plan->count; first += 16) {
        unsigned n = plan->count - first < 16 ? plan->count - first : 16, kept = 0;
        uint32_t v[16] = {0};
        for (unsigned i = 0; i < n && !plan->zero; i++) {
            memcpy(&v[i], l1 + plan->source + (first + i) * plan->source_bytes, plan->source_bytes);
            if (plan->middle == TS_FMT_FP8)
                v[i] <<= 8;
            else if (plan->middle == TS_FMT_BFP8)
                v[i] = (v[i] & 0x80) << 8 | (v[i] & 0x7F);
            else if (plan->middle == TS_FMT_BFP8A)
                v[i] = (v[i] & 0x80) << 8 | (v[i] & 0x7F) << 3;
            else if (plan->source_shift >= 0)
                v[i] <<= plan->source_shift;
            else
                v[i] >>= -plan->source_shift;
        }
        if (plan->relu)
            ts_pack_relu(plan, v);
        if (plan->exp_threshold_en)
            ts_pack_threshold(plan, v);
        ts_pack_late(plan, v);
        for (unsigned i = 0; i < n; i++) {
            v[kept] = v[i];
            kept += sample & 1;
            sample = (uint16_t)(sample << 15 | sample >> 1);
        }
        ts_pack_emit(plan, packer, l1, v, kept);
    }
}

// Everything else, a row at a time.
static TS_SLOW_PATH void run_any(const struct ts_pack_plan *plan, struct ts_packer *packer,
                                 const struct ts_dst *dst, uint8_t *l1)
{
    if (plan->compress && !plan->flush)
        packer->in_row = true;
    if (plan->from_l1)
        run_l1(plan, packer, l1);
    bool all = plan->first_col == 0 && plan->per_row == 16;
    uint16_t sample = plan->downsample ? plan->downsample : 0xFFFF;
    for (unsigned r = 0; r < plan->rows; r++) {
        uint32_t v[16];
        read_row(plan, packer, dst, plan->row[r], v);
        edge_row(plan, packer, v);
        if (plan->relu)
            ts_pack_relu(plan, v);
        if (plan->stats)
            count_exponents(plan, packer, v);
        if (plan->exp_threshold_en)
            ts_pack_threshold(plan, v);
        ts_pack_late(plan, v);
        if (all && sample == 0xFFFF) {
            ts_pack_emit(plan, packer, l1, v, 16);
            continue;
        }
        uint32_t kept[16];
        unsigned n = 0;
        for (unsigned i = 0; i < plan->per_row; i++) {
            kept[n] = v[plan->first_col + i];
            n += sample & 1;
            sample = (uint16_t)(sample << 15 | sample >> 1);
        }
        ts_pack_emit(plan, packer, l1, kept, n);
    }
    if (packer->in_row && !plan->concat)
        ts_pack_end_row(plan, packer, l1);
    if (plan->last || plan->flush)
        ts_pack_close(plan, packer, l1);
}

struct ts_refusal ts_pack_run(const struct ts_pack_plan *plan, struct ts_packer *packer,
                              const struct ts_dst *dst, uint8_t *l1, uint32_t l1_size)
{
    struct ts_refusal refusal = check_room(plan, packer, l1_size);
    if (refusal.what)
        return refusal;
    if (!packer->open)
        ts_pack_open(plan, packer, l1);
    if (plan->plain)
        run_plain(plan, packer, dst, l1);
    else
        run_any(plan, packer, dst, l1);
    return ts_fine();
}
