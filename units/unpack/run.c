// UNPACR's data phase: L1 to SrcA, SrcB or Dst; and UNPACR_NOP. See unpack.h.

#include "units/files/format.h"
#include "units/unpack/unpack.h"

#define BIAS TS_UNPACK_BIAS

// ---- the plain case: complete rows only --------------------------------------------------------

static bool is_plain(const struct ts_unpack_plan *plan)
{
    unsigned bits = ts_format_bits(plan->in_format);
    bool byte_rows = plan->data_bit % 8 == 0 && (bits >= 8 || plan->data_bit % (16 * bits) == 0);
    bool exps = !plan->bfp || plan->forced_exp || plan->exp_16th % 16 == 0;
    bool room = plan->target == TS_UNPACK_SRCB ||
                (plan->target == TS_UNPACK_SRCA && plan->out >= BIAS && plan->row_from_address);
    return plan->uncompressed && !plan->upsample && !plan->col_shift && !plan->zero &&
           !plan->wrap && plan->count % 16 == 0 && plan->out % 16 == 0 && byte_rows && exps && room;
}

// Bytes of L1 from the first datum to the last.
static uint64_t input_end(const struct ts_unpack_plan *plan)
{
    unsigned bits = ts_format_bits(plan->in_format);
    uint64_t last = plan->count - 1, row = last / plan->row_data, in_row = last % plan->row_data;
    return (plan->data_bit + 8 * row * plan->row_stride + (in_row + 1) * bits + 7) / 8;
}

static struct ts_refusal check_l1(const struct ts_unpack_plan *plan, uint32_t l1_size)
{
    if (plan->count == 0)
        return ts_fine();
    if (input_end(plan) > l1_size)
        return ts_contract("UNPACR: reads beyond L1", (uint32_t)(plan->data_bit / 8));
    if (plan->bfp && !plan->forced_exp && (plan->exp_16th + plan->count + 15) / 16 > l1_size)
        return ts_contract("UNPACR: reads exponents beyond L1", (uint32_t)(plan->exp_16th / 16));
    return ts_fine();
}

static void run_plain(const struct ts_unpack_plan *plan, struct ts_src_bank *bank,
                      const uint8_t *l1)
{
    unsigned row = plan->which ? plan->out / 16 + plan->src_row : (plan->out - BIAS) / 16;
    unsigned row_bytes = 2 * ts_format_bits(plan->in_format), rows = plan->count / 16;
    unsigned together = plan->row_data / 16; // rows
    if (plan->row_stride == together * row_bytes)
        together = rows;
    const uint8_t *in = l1 + plan->data_bit / 8, *exps = l1 + plan->exp_16th / 16;
    bool shared = plan->bfp && !plan->forced_exp;
    for (unsigned r = 0, n; r < rows; r += n) {
        unsigned at = (row + r) & 63, left = together - r % together;
        const uint8_t *from = in + (uint64_t)(r / together) * plan->row_stride +
                              r % together * row_bytes;
        n = plan->transpose ? 1 : left;
        n = n < rows - r ? n : rows - r;
        n = n < 64 - at ? n : 64 - at;
        if (!plan->transpose) {
            ts_unpack_rows(plan, bank->w[at], from, shared ? exps + r : NULL, n);
            continue;
        }
        uint32_t w[16];
        ts_unpack_rows(plan, w, from, shared ? exps + r : NULL, 1);
        for (unsigned c = 0; c < 16; c++)
            bank->w[(at & 0x30) | c][at & 15] = w[c];
    }
    if (rows >= 64 || plan->transpose || (row & 63) + rows > 64)
        ts_src_touch(bank, 0, 64);
    else
        ts_src_touch(bank, row & 63, rows);
}

// ---- any case: one datum at a time -------------------------------------------------------------

struct cursor {
    uint64_t data_bit, exp_16th, delta_bit;
    uint32_t in_row;
};

static uint64_t wrap_byte(const struct ts_unpack_plan *plan, uint64_t byte)
{
    return byte > plan->limit ? byte - plan->wrap : byte;
}

static bool read_bits(const uint8_t *l1, uint32_t l1_size, uint64_t at, unsigned bits,
                      uint32_t *value)
{
    uint64_t byte = at / 8;
    if (byte + (bits + 7) / 8 > l1_size)
        return false;
    uint32_t v = 0;
    memcpy(&v, l1 + byte, (bits + 7) / 8);
    *value = bits < 8 ? v >> at % 8 & ((1u << bits) - 1) : v;
    return true;
}

static void put(const struct ts_unpack_plan *plan, struct ts_srcs *srcs, struct ts_dst *dst,
                uint32_t out, uint32_t datum)
{
    unsigned row = out / 16, col = out % 16;
    if (plan->target == TS_UNPACK_SRCB) {
        srcs->b.bank[srcs->b.unpacker].w[(row + plan->src_row) & 63][col] = datum;
    } else if (plan->target == TS_UNPACK_SRCA) {
        if (out < BIAS || col < plan->col_shift)
            return;
        row -= 4;
        col -= plan->col_shift;
        if (!plan->row_from_address)
            row = (row & 15) + plan->src_row;
        row &= 63;
        if (plan->transpose) {
            unsigned low = row & 15;
            row = (row & 0x30) | col;
            col = low;
        }
        srcs->a.bank[srcs->a.unpacker].w[row][col] = datum;
    } else {
        row = (row - 4) & (plan->row_from_address ? 15 : TS_DST_ROWS - 1);
        if (plan->dst32)
            ts_dst_set32(dst, row, col, datum);
        else
            ts_dst_set16(dst, row, col, (uint16_t)datum);
    }
}

// Steps over one datum of input; false when it would leave L1.
static bool next_datum(const struct ts_unpack_plan *plan, struct cursor *at, const uint8_t *l1,
                       uint32_t l1_size, uint32_t *bits, uint8_t *exponent, uint32_t *zeros)
{
    unsigned width = ts_format_bits(plan->in_format);
    if (!read_bits(l1, l1_size, at->data_bit, width, bits))
        return false;
    at->data_bit += width;
    if (plan->uncompressed && ++at->in_row == plan->row_data) {
        at->in_row = 0;
        at->data_bit += 8ull * plan->row_stride - (uint64_t)plan->row_data * width;
        at->data_bit = wrap_byte(plan, at->data_bit / 8) * 8 + at->data_bit % 8;
    }
    *exponent = plan->exponent;
    if (plan->bfp && !plan->forced_exp) {
        uint32_t e;
        if (!read_bits(l1, l1_size, at->exp_16th / 16 * 8, 8, &e))
            return false;
        *exponent = (uint8_t)e;
        if (++at->exp_16th % 256 == 0)
            at->exp_16th = wrap_byte(plan, at->exp_16th / 16) * 16;
    }
    *zeros = 0;
    if (!plan->uncompressed) {
        if (!read_bits(l1, l1_size, at->delta_bit, 4, zeros))
            return false;
        at->delta_bit += 4;
        if (at->delta_bit % 128 == 0) { // groups of 32 data and 32 counts
            at->data_bit = at->delta_bit;
            at->delta_bit += 32ull * width;
        }
    }
    return true;
}

static struct ts_refusal run_any(const struct ts_unpack_plan *plan, struct ts_srcs *srcs,
                                 struct ts_dst *dst, const uint8_t *l1, uint32_t l1_size)
{
    struct cursor at = {wrap_byte(plan, plan->data_bit / 8) * 8 + plan->data_bit % 8,
                        wrap_byte(plan, plan->exp_16th / 16) * 16 + plan->exp_16th % 16,
                        plan->delta_bit, 0};
    uint32_t out = plan->out, drop = plan->drop, left = plan->out_count;
    for (uint32_t i = 0; i < plan->count && left; i++) {
        uint32_t bits, zeros;
        uint8_t exponent;
        if (!next_datum(plan, &at, l1, l1_size, &bits, &exponent, &zeros))
            return ts_contract("UNPACR: reads beyond L1", (uint32_t)(at.data_bit / 8));
        uint32_t datum = ts_unpack_datum(plan, bits, exponent);
        if (plan->zero)
            zeros = 0;
        for (uint32_t j = 0; j <= zeros && left; j++, datum = 0) {
            if (drop) {
                drop--;
                continue;
            }
            for (uint32_t k = 0; k <= plan->upsample; k++, datum = 0, out++)
                if (k == 0 || !plan->interleave)
                    put(plan, srcs, dst, out, datum);
            left -= left != UINT32_MAX;
        }
    }
    if (plan->target == TS_UNPACK_SRCA)
        ts_src_touch(&srcs->a.bank[srcs->a.unpacker], 0, 64);
    if (plan->target == TS_UNPACK_SRCB)
        ts_src_touch(&srcs->b.bank[srcs->b.unpacker], 0, 64);
    return ts_fine();
}

// Dst in 32 bits, the usual way to unpack there: complete rows without conversion.
static bool is_plain_dst(const struct ts_unpack_plan *plan)
{
    return plan->target == TS_UNPACK_DST && plan->dst32 && plan->uncompressed && !plan->upsample &&
           !plan->zero && !plan->wrap && !plan->row_from_address && plan->data_bit % 32 == 0 &&
           plan->count % 16 == 0 && plan->out % 16 == 0 && plan->out >= BIAS;
}

static void run_plain_dst(const struct ts_unpack_plan *plan, struct ts_dst *dst, const uint8_t *l1)
{
    const uint8_t *in = l1 + plan->data_bit / 8;
    const unsigned together = plan->row_data / 16; // rows
    for (unsigned r = 0; r < plan->count / 16; r++) {
        uint32_t w[16];
        memcpy(w, in + (uint64_t)(r / together) * plan->row_stride + r % together * 64, sizeof w);
        uint32_t at = ts_dst_row32(dst, (plan->out - BIAS) / 16 + r);
        for (unsigned c = 0; c < 16; c++) {
            uint32_t cell = ts_fp32_to_cell(w[c]);
            dst->bits[at][c] = (uint16_t)(cell >> 16);
            dst->bits[at + TS_DST_LO_ROW][c] = (uint16_t)cell;
        }
        dst->valid[at] = 1;
    }
}

struct ts_refusal ts_unpack_run(const struct ts_unpack_plan *plan, struct ts_srcs *srcs,
                                struct ts_dst *dst, const uint8_t *l1, uint32_t l1_size)
{
    if (plan->uncompressed && !plan->wrap) {
        struct ts_refusal refusal = check_l1(plan, l1_size);
        if (refusal.what)
            return refusal;
    }
    if (is_plain_dst(plan)) {
        run_plain_dst(plan, dst, l1);
        return ts_fine();
    }
    if (!is_plain(plan))
        return run_any(plan, srcs, dst, l1, l1_size);
    struct ts_src_file *file = plan->target == TS_UNPACK_SRCB ? &srcs->b : &srcs->a;
    run_plain(plan, &file->bank[file->unpacker], l1);
    return ts_fine();
}

// ---- UNPACR_NOP --------------------------------------------------------------------------------

enum { NOP_POP, NOP_CLEAR, NOP_NOTHING, NOP_POP_STREAM };   // unpack_pop
enum { CLEAR_ZERO, CLEAR_NEGINF, CLEAR_ONE, CLEAR_CONFIG }; // src_clr_val_ctrl

bool ts_unpack_nop_gives(struct ts_bits *bits, struct ts_args_UNPACR_NOP args)
{
    return args.set_dvalid & 1 &&
           !(args.unpack_pop == NOP_NOTHING && !ts_bits_machine(bits, TS_RULE_nop_sets_valid) &&
             ts_bits_ask(bits, TS_BITS_nop_gives));
}

int ts_unpack_nop_bank(const struct ts_srcs *srcs, struct ts_args_UNPACR_NOP args)
{
    const struct ts_src_file *file = args.unpacker_select ? &srcs->b : &srcs->a;
    if (args.unpack_pop != NOP_CLEAR)
        return -1;
    return args.stall_clr_cntrl ? file->unpacker : file->matrix;
}

static void clear_to(struct ts_src_bank *bank, uint32_t word)
{
    for (unsigned r = 0; r < TS_SRC_ROWS; r++)
        for (unsigned c = 0; c < TS_SRC_COLS; c++)
            bank->w[r][c] = word;
    ts_src_touch(bank, 0, TS_SRC_ROWS);
}

static void clear_to_one(struct ts_src_bank *bank, unsigned format)
{
    static const uint32_t one[4] = {
        15u << 23,            // FP16
        0x3F800000u,          // BF16, TF32
        16u << 23 | 1u << 13, // INT8
        0x3F800000u,
    };
    clear_to(bank, one[format & 3]);
}

static unsigned configured_format(const struct ts_unpack_view *view, unsigned which)
{
    return which ? TS_CFG(view->cfg, THCON_SEC1_REG2_Out_data_format)
                 : TS_CFG(view->cfg, THCON_SEC0_REG2_Out_data_format);
}

static void hand_over(const struct ts_unpack_view *view, struct ts_unpacker *unpacker,
                      struct ts_srcs *srcs, unsigned which, unsigned format)
{
    ts_src_hand_over(which ? &srcs->b : &srcs->a, format);
    uint32_t base = which ? TS_THD(view->thd, SRCB_SET_Base) : TS_THD(view->thd, SRCA_SET_Base);
    unpacker->src_row[view->thread] = (uint8_t)(base << 4);
}

void ts_setdvalid(const struct ts_unpack_view *view, struct ts_unpacker unpackers[2],
                  struct ts_srcs *srcs, unsigned which)
{
    for (unsigned i = 0; i < 2; i++) {
        if (!(which >> i & 1))
            continue;
        unsigned format = configured_format(view, i), last = unpackers[i].last_format;
        if (unpackers[i].any_format && last != format &&
            ts_bits_ask(view->bits, TS_BITS_setdvalid_format))
            format = last;
        hand_over(view, &unpackers[i], srcs, i, format);
    }
}

struct ts_refusal ts_src_store(const struct ts_unpack_view *view,
                               const struct ts_unpacker unpackers[2], struct ts_srcs *srcs,
                               bool srcb, uint32_t addr, const uint32_t gprs[2])
{
    struct ts_src_file *file = srcb ? &srcs->b : &srcs->a;
    struct ts_src_bank *bank = &file->bank[file->unpacker];
    bool whole = !srcb &&
                 TS_THD(view->thd, SRCA_SET_SetOvrdWithAddr); // the address gives all of the row
    uint32_t row = addr >> 2 & 0x3FFF, col = (addr & 3) * 4;
    if (addr & 0xF0000u)
        return ts_contract("STOREIND: Src address", addr);
    if (!srcb && row < 4)
        return ts_fine(); // dropped, as unpacker 0 does with its first four rows
    row -= srcb ? 0 : 4;
    if (row >= (whole ? TS_SRC_ROWS : 16))
        return ts_contract("STOREIND: Src row", row);
    row += whole ? 0 : unpackers[srcb].src_row[view->thread];
    row &= TS_SRC_ROWS - 1;
    for (unsigned i = 0; i < 2; i++) {
        bank->w[row][col + 2 * i] = ts_src_from_bf16(ts_bf16_from_cell((uint16_t)gprs[i]));
        bank->w[row][col + 2 * i + 1] = ts_src_from_bf16((uint16_t)(gprs[i] >> 16));
    }
    ts_src_touch(bank, row, 1);
    return ts_fine();
}

// A clear that hands the bank over as it is.
static bool leaves_data(const struct ts_unpack_view *view, struct ts_args_UNPACR_NOP args)
{
    return args.src_clr_val_ctrl == CLEAR_ONE && args.clr_to1_fmt_ctrl == 3 &&
           ts_bits_ask(view->bits, TS_BITS_nop_leaves);
}

struct ts_refusal ts_unpack_nop(const struct ts_unpack_view *view, struct ts_unpacker *unpacker,
                                struct ts_srcs *srcs, struct ts_args_UNPACR_NOP args,
                                struct ts_unpack_nop_write *write)
{
    unsigned which = args.unpacker_select;
    struct ts_src_file *file = which ? &srcs->b : &srcs->a;
    *write = (struct ts_unpack_nop_write){0};
    if (args.unpack_pop == NOP_POP || args.unpack_pop == NOP_POP_STREAM) {
        uint32_t stream = args.msg_clr_cnt ? args.stream_id
                          : which          ? TS_THD(view->thd, NOC_OVERLAY_MSG_CLEAR_StreamId_1)
                                           : TS_THD(view->thd, NOC_OVERLAY_MSG_CLEAR_StreamId_0);
        *write = (struct ts_unpack_nop_write){true, stream, 1};
    } else if (args.unpack_pop == NOP_CLEAR && !leaves_data(view, args)) {
        for (unsigned bank = 0; bank < 2; bank++) {
            if (!args.bank_clr_ctrl && bank != file->unpacker)
                continue;
            if (args.src_clr_val_ctrl == CLEAR_ONE)
                clear_to_one(&file->bank[bank], args.clr_to1_fmt_ctrl);
            else if (args.src_clr_val_ctrl == CLEAR_CONFIG)
                clear_to(&file->bank[bank],
                         (which ? TS_CFG(view->cfg, UNP1_NOP_REG_CLR_VAL_nop_reg_clr_val)
                                : TS_CFG(view->cfg, UNP0_NOP_REG_CLR_VAL_nop_reg_clr_val)) &
                             0xFFFFE000u);
            else // SrcB has no minus infinity
                ts_src_fill(&file->bank[bank], !which && args.src_clr_val_ctrl == CLEAR_NEGINF);
        }
    }
    if (ts_unpack_nop_gives(view->bits, args))
        hand_over(view, unpacker, srcs, which, configured_format(view, which));
    return ts_fine();
}
