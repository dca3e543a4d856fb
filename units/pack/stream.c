// The packer's output: data, exponent and row-start streams in L1, plain or compressed. See pack.h.
//
//   plain:       exponents (one a group of 16) | data
//   compressed:  row starts | exponents | 32 data, 32 counts of zeros behind each; again and again
//
// In compressed output a zero is only counted, in the count of the datum before it, up to 15; the
// first and the last datum of a row stay. So the newest datum is held until the next one that
// stays, or the end of the row, and a zero that is a row's last datum is restored.

#include "units/files/format.h"
#include "units/pack/pack.h"

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
static void put_group(const struct ts_pack_plan *plan, struct ts_packer *packer, uint8_t *l1,
                      uint8_t *out)
{
    unsigned bits = ts_format_bits(plan->out);
    uint8_t mant[16];
    l1[packer->exp_byte] = plan->random_late
                               ? ts_pack_group_random(mant, packer->group, bits, &packer->random)
                               : ts_pack_group(mant, packer->group, bits);
    if (bits == 8)
        memcpy(out, mant, 16);
    else if (bits == 4)
        for (unsigned i = 0; i < 8; i++)
            out[i] = (uint8_t)(mant[2 * i] | mant[2 * i + 1] << 4);
    else
        for (unsigned i = 0; i < 4; i++)
            out[i] = (uint8_t)(mant[4 * i] | mant[4 * i + 1] << 2 | mant[4 * i + 2] << 4 |
                               mant[4 * i + 3] << 6);
    packer->exp_byte++;
    packer->pending = 0;
}

static void next_group(const struct ts_pack_plan *plan, struct ts_packer *packer, uint8_t *l1)
{
    put_group(plan, packer, l1, l1 + packer->data_byte);
    packer->data_byte += 2 * ts_format_bits(plan->out);
}

// ---- compression

// Writes the kept datum to the streams.
static void commit(const struct ts_pack_plan *plan, struct ts_packer *packer, uint8_t *l1)
{
    unsigned bits = ts_format_bits(plan->out), at = packer->augmented++ % 32;
    if (at == 0 && packer->augmented > 1)
        packer->data_byte += 4 * bits + 16;
    uint8_t *group = l1 + packer->data_byte, *count = group + 4 * bits + at / 2;
    *count = (uint8_t)(at & 1 ? *count | packer->zeros << 4 : packer->zeros);
    if (ts_format_is_bfp(plan->out)) {
        packer->group[packer->pending++] = (uint16_t)packer->kept;
        if (packer->pending == 16)
            put_group(plan, packer, l1, group + at / 16 * 2 * bits);
    } else {
        memcpy(group + at * bits / 8, &packer->kept, bits / 8);
    }
    packer->keeps = false;
}

static void squeeze(const struct ts_pack_plan *plan, struct ts_packer *packer, uint8_t *l1,
                    const uint32_t *v, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        packer->row_zero &= v[i] == 0;
        if (packer->keeps && v[i] == 0 && packer->zeros < 15) {
            packer->zeros++;
            packer->tail = true;
            continue;
        }
        if (packer->keeps)
            commit(plan, packer, l1);
        packer->kept = v[i];
        packer->zeros = 0;
        packer->keeps = true;
        packer->tail = false;
    }
}

void ts_pack_end_row(const struct ts_pack_plan *plan, struct ts_packer *packer, uint8_t *l1)
{
    if (packer->keeps) {
        packer->zeros = (uint8_t)(packer->zeros - packer->tail);
        commit(plan, packer, l1);
        if (packer->tail) { // the row's last datum was counted, not written
            packer->kept = 0;
            packer->zeros = 0;
            commit(plan, packer, l1);
        }
    }
    uint16_t start = (uint16_t)packer->augmented;
    memcpy(l1 + packer->row_byte, &start, 2);
    packer->row_byte += 2;
    if (packer->row < 32 && packer->row_zero)
        packer->zero_flags |= 1u << packer->row;
    packer->row++;
    packer->row_zero = true;
    packer->in_row = packer->tail = false;
}

void ts_pack_emit(const struct ts_pack_plan *plan, struct ts_packer *packer, uint8_t *l1,
                  const uint32_t *v, unsigned n)
{
    if (plan->compress) {
        squeeze(plan, packer, l1, v, n);
        return;
    }
    if (ts_format_is_bfp(plan->out)) {
        if (packer->pending == 0 && n == 16) {
            for (unsigned i = 0; i < 16; i++)
                packer->group[i] = (uint16_t)v[i];
            next_group(plan, packer, l1);
            return;
        }
        for (unsigned i = 0; i < n; i++) {
            packer->group[packer->pending++] = (uint16_t)v[i];
            if (packer->pending == 16)
                next_group(plan, packer, l1);
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

// ---- both ends

void ts_pack_open(const struct ts_pack_plan *plan, struct ts_packer *packer, uint8_t *l1)
{
    packer->data_byte = plan->data_addr;
    packer->exp_byte = plan->exp_addr;
    packer->first_byte = plan->compress                ? plan->row_addr
                         : ts_format_is_bfp(plan->out) ? plan->exp_addr
                                                       : plan->data_addr;
    packer->x = packer->y = packer->z = 0;
    packer->pending = 0;
    packer->open = true;
    if (plan->compress) {
        packer->row_byte = plan->row_addr + 2;
        memset(l1 + plan->row_addr, 0, 2);
        packer->augmented = packer->row = packer->zero_flags = 0;
        packer->keeps = packer->in_row = packer->tail = false;
        packer->row_zero = true;
    }
}

static void close_compressed(const struct ts_pack_plan *plan, struct ts_packer *packer, uint8_t *l1)
{
    unsigned bits = ts_format_bits(plan->out);
    if (packer->in_row)
        ts_pack_end_row(plan, packer, l1);
    unsigned used = (packer->augmented + 31) % 32 + 1; // of the last group of 32
    if (packer->augmented) {
        uint8_t *group = l1 + packer->data_byte;
        if (packer->pending && ts_format_is_bfp(plan->out)) {
            memset(packer->group + packer->pending, 0,
                   (16u - packer->pending) * sizeof *packer->group);
            put_group(plan, packer, l1, group + (used - 1) / 16 * 2 * bits);
        }
        if (ts_format_is_bfp(plan->out))
            used = (used + 15) & ~15u;
        memset(group + used * bits / 8, 0, (32 - used) * bits / 8);
        unsigned counts = ((packer->augmented + 31) % 32 + 2) / 2;
        memset(group + 4 * bits + counts, 0, 16 - counts);
        packer->data_byte += 4 * bits + 16;
    }
    memset(l1 + packer->row_byte, 0, -packer->row_byte & 15);
}

// Ends the streams: pads the remainder with zeros to 16 bytes.
void ts_pack_close(const struct ts_pack_plan *plan, struct ts_packer *packer, uint8_t *l1)
{
    if (plan->compress)
        close_compressed(plan, packer, l1);
    else if (packer->pending && ts_format_is_bfp(plan->out)) {
        memset(packer->group + packer->pending, 0, (16u - packer->pending) * sizeof *packer->group);
        next_group(plan, packer, l1);
    }
    uint32_t pad = -packer->data_byte & 15;
    memset(l1 + packer->data_byte, 0, pad);
    if (ts_format_is_bfp(plan->out))
        memset(l1 + packer->exp_byte, 0, -packer->exp_byte & 15);
    packer->open = false;
    packer->pending = 0;
    packer->last_size = (uint16_t)((packer->data_byte + pad - packer->first_byte) / 16);
    packer->last_thread = plan->thread;
    if (plan->last)
        ts_pack_account(plan, packer);
}
