// Moves between SrcA, SrcB and Dst, shifts, clears and bank returns. See matrix.h.
//
// Inaccuracies: MOVA2D and MOVB2D of low halves while Fp32_enabled is set corrupt data in hardware (erratum
// TEN-4245; tt-llk issue 449 saw both halves written, LLK's comments say that nothing is): both halves are
// written here, as the ISA pages have it for TF32.

#include "units/matrix/matrix.h"

static enum ts_style move_style(const struct ts_move *move)
{
    return move->fp16a_force ? TS_STYLE_FP16 : ts_format_style(move->format_a);
}

// Hardware aligns the end that is read, and rows of Dst, to the number of rows moved.
static unsigned align_row(unsigned row, unsigned rows, unsigned limit)
{
    return row & (limit - 1) & ~(rows - 1);
}

// ---- Src to Dst --------------------------------------------------------------------------------

// How a move to Dst stores its words.
struct store {
    bool tf32;      // 32-bit data: the low mantissa bits, too
    bool wide;      // a 32-bit row: TF32, or low halves
    bool exponent8; // an 8-bit exponent, not 5 bits
};

static struct store store_of(const struct ts_move *move)
{
    struct store store = {.tf32 = move->format_a == TS_FMT_TF32,
                          .exponent8 = move_style(move) != TS_STYLE_FP16};
    if (!move->fp16a_force && move->fp32 && !store.tf32 &&
        ts_bits_ask(move->bits, TS_BITS_move_fp32))
        store.tf32 = store.exponent8 = true;
    if (!move->fp16a_force && move->dst32 && !store.exponent8 &&
        ts_bits_ask(move->bits, TS_BITS_move_int8))
        store.exponent8 = true;
    store.wide = store.tf32 || move->dst32_lo;
    return store;
}

// The row whose flag a move to physical row `at` sets.
static uint32_t flag_of(const struct ts_dst *dst, const struct ts_move *move, unsigned row,
                        uint32_t at)
{
    uint32_t other = move->dst32 ? ts_dst_row32(dst, row) : ts_dst_row16(dst, row);
    bool differs = other != at && !(dst->valid[at] && dst->valid[other]);
    return differs && ts_bits_ask(move->bits, TS_BITS_move_flag) ? other : at;
}

// The usual move: every column, to the 16-bit view.
static void store_row16(uint16_t *restrict cells, const uint32_t *restrict w, bool keep_denormals,
                        bool exponent8)
{
    const uint32_t kept = keep_denormals ? ~0u : 0x7F800000u;
    for (unsigned c = 0; c < 16; c++) {
        uint32_t v = w[c] & kept ? w[c] : 0;
        uint16_t wide = ts_bf16_to_cell(ts_bf16_from_src(v)),
                 narrow = ts_fp16_to_cell(ts_fp16_from_src(v));
        cells[c] = exponent8 ? wide : narrow;
    }
}

// One row of words into one row of Dst. TF32 goes to the 32-bit view, everything else to the 16-bit
// one unless the low halves of the 32-bit view are selected.
static void store_row(struct ts_dst *dst, const uint32_t *w, const struct ts_move *move,
                      struct store store, unsigned row, bool one_col)
{
    bool tf32 = store.tf32;
    uint32_t at = store.wide ? ts_dst_row32(dst, row) : ts_dst_row16(dst, row);
    uint32_t flag = flag_of(dst, move, row, at);
    uint16_t *hi = dst->bits[at], *lo = dst->bits[store.wide ? at + TS_DST_LO_ROW : at];
    if (!dst->valid[at] && flag == at && move->dst32_lo && !tf32)
        memset(hi, 0, sizeof dst->bits[at]);
    bool usual = !store.wide && !move->block_cols && !one_col;
    if (usual)
        store_row16(hi, w, move->keep_denormals, store.exponent8);
    for (unsigned c = 0; c < 16 && !usual; c++) {
        if (move->block_cols >> c & 1)
            continue;
        uint32_t v = w[one_col ? 0 : c];
        if (!move->keep_denormals && !(v & 0x7F800000u))
            v = 0;
        uint16_t cell = store.exponent8 ? ts_bf16_to_cell(ts_bf16_from_src(v))
                                        : ts_fp16_to_cell(ts_fp16_from_src(v));
        if (tf32) {
            hi[c] = cell;
            lo[c] = (uint16_t)((v & 0xE000u) | (move->dst32_lo ? cell : 0));
        } else if (move->dst32_lo) {
            lo[c] = cell;
        } else {
            hi[c] = cell;
        }
    }
    dst->valid[flag] = 1;
}

struct ts_refusal ts_mova2d(struct ts_dst *dst, struct ts_srcs *srcs, const struct ts_move *move,
                            unsigned row_a, unsigned row_d)
{
    const struct ts_src_bank *a = &srcs->a.bank[srcs->a.matrix];
    row_a = align_row(row_a, move->rows, TS_SRC_ROWS);
    row_d = align_row(row_d, move->rows, TS_DST_ROWS);
    struct store store = store_of(move);
    for (unsigned r = 0; r < move->rows; r++)
        store_row(dst, a->w[row_a + r], move, store, row_d + r, false);
    return ts_fine();
}

struct ts_refusal ts_movb2d(struct ts_dst *dst, struct ts_srcs *srcs, const struct ts_move *move,
                            unsigned row_b, unsigned row_d)
{
    const struct ts_src_bank *b = &srcs->b.bank[srcs->b.matrix];
    // By the reference, SrcB's own format selects the bits that leave the file; then SrcA's decides how
    // they are stored.
    uint32_t cut = 0, mask = move->format_b == TS_FMT_FP16             ? 0x8FFFE000u
                             : move->format_b == TS_FMT_TF32           ? 0xFFFFE000u
                             : ts_format_is_fp16_class(move->format_b) ? 0x8FFFE000u
                                                                       : 0xFFFF0000u;
    row_b = align_row(row_b, move->broadcast_row ? 1 : move->rows, TS_SRC_ROWS);
    row_d = align_row(row_d, move->rows, TS_DST_ROWS);
    unsigned step = move->broadcast_row ? 0 : 1;
    for (unsigned r = 0; r < (step ? move->rows : 1); r++)
        for (unsigned c = 0; c < 16; c++)
            cut |= b->w[row_b + r][c] & 0x7F800000u ? b->w[row_b + r][c] & ~mask : 0;
    if (!cut || ts_bits_ask(move->bits, TS_BITS_src_uncut))
        mask = 0xFFFFE000u;
    struct ts_move stored = *move;
    stored.keep_denormals = true;
    struct store store = store_of(move);
    for (unsigned r = 0; r < move->rows; r++) {
        const uint32_t *from = b->w[row_b + step * r];
        uint32_t w[16];
        for (unsigned c = 0; c < 16; c++) // denormals are judged before the mask
            w[c] = !move->keep_denormals && !(from[c] & 0x7F800000u) ? 0 : from[c] & mask;
        store_row(dst, w, &stored, store, row_d + r, move->broadcast_col);
    }
    return ts_fine();
}

// ---- to Src ------------------------------------------------------------------------------------

// The first row of Src that a move writes.
static unsigned target_row(const struct ts_move *move, unsigned row)
{
    unsigned aligned = align_row(row, move->rows, TS_SRC_ROWS);
    row &= TS_SRC_ROWS - 1;
    return row != aligned && !ts_bits_ask(move->bits, TS_BITS_move_src_row) ? aligned : row;
}

// Rows from `row` on have been written; behind the last one comes row 0.
static void touch_rows(struct ts_src_bank *bank, unsigned row, unsigned rows)
{
    unsigned first = rows < TS_SRC_ROWS - row ? rows : TS_SRC_ROWS - row;
    ts_src_touch(bank, row, first);
    ts_src_touch(bank, 0, rows - first);
}

static struct ts_refusal load_check(const struct ts_move *move)
{
    if (!move->dst32 && move->dst32_lo)
        return ts_contract("move from Dst: low half of a 16-bit Dst", 1);
    if (!move->dst32 && move_style(move) == TS_STYLE_TF32)
        return ts_contract("move from Dst: TF32 from a 16-bit Dst", move->format_a);
    return ts_fine();
}

static void load_row(struct ts_src_bank *bank, unsigned row, const struct ts_dst *dst,
                     const struct ts_move *move, unsigned row_d, bool low_is_zero)
{
    enum ts_style style = move_style(move);
    bool wide = move->dst32 && !move->fp16a_force;
    for (unsigned c = 0; c < 16; c++) {
        if (move->block_cols >> c & 1)
            continue;
        uint32_t d;
        if (wide) {
            d = ts_dst_get32(dst, row_d, c);
            if (move->dst32_lo)
                d = d << 16 | (d & 0xFFFFu);
        } else {
            d = (uint32_t)ts_dst_get16(dst, row_d, c) << 16;
        }
        uint32_t w;
        if (style == TS_STYLE_FP16) {
            w = ts_src_from_fp16(ts_fp16_from_cell((uint16_t)(d >> 16)));
        } else if (style == TS_STYLE_BF16) {
            w = ts_src_from_bf16(ts_bf16_from_cell((uint16_t)(d >> 16)));
        } else if (!move->dst32_lo) {
            w = ts_src_from_fp32(ts_fp32_from_cell(d));
        } else { // the 13 bits that the branch above drops, laid into mantissa (low 5) and exponent
            w = low_is_zero ? 0 : (d & 0x1F00u) << 5 | (d & 0xFFu) << 23;
        }
        bank->w[row][c] = w;
    }
}

// Rows of a bank from Dst.
static struct ts_refusal load_rows(struct ts_src_bank *bank, const struct ts_dst *dst,
                                   const struct ts_move *move, unsigned row, unsigned row_d)
{
    struct ts_refusal refusal = load_check(move);
    if (refusal.what)
        return refusal;
    bool low_is_zero = move->dst32_lo && move_style(move) == TS_STYLE_TF32 &&
                       ts_bits_ask(move->bits, TS_BITS_movd2_low);
    row = target_row(move, row);
    row_d = align_row(row_d, move->rows, TS_DST_ROWS);
    for (unsigned r = 0; r < move->rows; r++)
        load_row(bank, (row + r) % TS_SRC_ROWS, dst, move, row_d + r, low_is_zero);
    bank->moved = true;
    touch_rows(bank, row, move->rows);
    return ts_fine();
}

struct ts_refusal ts_movd2a(struct ts_dst *dst, struct ts_srcs *srcs, const struct ts_move *move,
                            unsigned row_a, unsigned row_d)
{
    return load_rows(&srcs->a.bank[srcs->a.matrix], dst, move, row_a, row_d);
}

struct ts_refusal ts_movd2b(struct ts_dst *dst, struct ts_srcs *srcs, const struct ts_move *move,
                            unsigned row_b, unsigned row_d)
{
    return load_rows(&srcs->b.bank[srcs->b.matrix], dst, move, row_b, row_d);
}

struct ts_refusal ts_movb2a(struct ts_srcs *srcs, const struct ts_move *move, unsigned row_a,
                            unsigned row_b)
{
    struct ts_src_bank *a = &srcs->a.bank[srcs->a.matrix];
    const struct ts_src_bank *b = &srcs->b.bank[srcs->b.matrix];
    row_a = target_row(move, row_a);
    row_b = align_row(row_b, move->rows, TS_SRC_ROWS);
    for (unsigned r = 0; r < move->rows; r++)
        for (unsigned c = 0; c < 16; c++) {
            uint32_t v = b->w[row_b + r][c];
            if (!(move->block_cols >> c & 1))
                a->w[(row_a + r) % TS_SRC_ROWS][c] = move->keep_denormals || (v & 0x7F800000u) ? v
                                                                                               : 0;
        }
    a->moved |= b->moved || a->format != b->format;
    touch_rows(a, row_a, move->rows);
    return ts_fine();
}

// ---- within Src --------------------------------------------------------------------------------

void ts_trnspsrcb(struct ts_srcs *srcs)
{
    struct ts_src_bank *b = &srcs->b.bank[srcs->b.matrix];
    uint32_t(*w)[16] = &b->w[16];
    for (unsigned i = 1; i < 16; i++)
        for (unsigned j = 0; j < i; j++) {
            uint32_t ij = w[i][j];
            w[i][j] = w[j][i];
            w[j][i] = ij;
        }
    ts_src_touch(b, 16, 16);
}

struct ts_refusal ts_shiftxa(struct ts_srcs *srcs, unsigned direction, unsigned in_row)
{
    if (direction != 2 && direction != 3)
        return ts_contract("SHIFTXA: direction", direction);
    struct ts_src_bank *a = &srcs->a.bank[srcs->a.matrix];
    in_row &= 0x30;
    for (unsigned r = 0; r < 16; r++) {
        if (direction == 2) {
            memmove(&a->w[r][1], &a->w[in_row + r][0], 15 * sizeof(uint32_t));
            a->w[r][0] = 0;
        } else {
            memmove(&a->w[r][0], &a->w[in_row + r][1], 15 * sizeof(uint32_t));
            a->w[r][15] = 0;
        }
    }
    ts_src_touch(a, 0, 16);
    return ts_fine();
}

void ts_shiftxb(struct ts_srcs *srcs, bool shift_in_zero, unsigned row_b)
{
    struct ts_src_bank *b = &srcs->b.bank[srcs->b.matrix];
    uint32_t *w = b->w[row_b & 0x3F], first = w[0];
    memmove(w, w + 1, 15 * sizeof *w);
    w[15] = shift_in_zero ? 0 : first;
    ts_src_touch(b, row_b & 0x3F, 1);
}

// ---- clears ------------------------------------------------------------------------------------

static void clear_row(struct ts_dst *dst, const struct ts_zeroacc *z, unsigned row)
{
    bool moved = z->dst32 && ts_dst_row32(dst, row) != ts_dst_row16(dst, row) &&
                 !ts_bits_ask(z->bits, TS_BITS_zeroacc_row);
    unsigned rows = z->odd && ts_bits_ask(z->bits, TS_BITS_zeroacc_odd) ? 8 : 1;
    for (unsigned r = 0; r < rows; r++) // revert has no meaning here
        if (moved)
            ts_dst_clear32(dst, row + r, 1, false);
        else
            ts_dst_clear16(dst, row + r, 1, false);
}

// Does ZEROACC of sixteen rows clear in the upper half of Dst? Silicon adds the block's number to an
// offset in rows (for 32-bit rows by analogy, not measured).
static bool in_upper_half(const struct ts_zeroacc *z, unsigned block, unsigned offset)
{
    unsigned upper = z->use_32b ? 768 : 512;
    bool silicon = !z->absolute && ((offset + block) & upper),
         reference = !z->absolute && (offset & upper);
    return silicon != reference && !ts_bits_ask(z->bits, TS_BITS_zeroacc_half) ? reference
                                                                               : silicon;
}

void ts_zeroacc(struct ts_dst *dst, const struct ts_zeroacc *z, unsigned where, unsigned offset)
{
    unsigned half = where & 1 ? TS_DST_ROWS / 2 : 0;
    switch (z->mode) {
    case TS_ZEROACC_ROW:
        clear_row(dst, z, where + offset);
        break;
    case TS_ZEROACC_16: // counts in units of sixteen rows; an index out of range clears nothing
        where &= 0xFF;
        if (in_upper_half(z, where, offset))
            where += z->use_32b ? 16 : 32;
        if (z->use_32b && where < TS_DST_ROWS / 32)
            ts_dst_clear32(dst, 16 * where, 16, z->revert);
        else if (!z->use_32b && where < TS_DST_ROWS / 16)
            ts_dst_clear16(dst, 16 * where, 16, z->revert);
        break;
    case TS_ZEROACC_HALF: // rows never leave their half, under any remapping
        memset(dst->valid + half, z->revert, TS_DST_ROWS / 2);
        break;
    default:
        memset(dst->valid, z->revert, TS_DST_ROWS);
        break;
    }
}

static void zero_file(struct ts_src_file *file, bool both_banks, bool matrix_bank, bool ones)
{
    unsigned bank = matrix_bank ? file->matrix : file->unpacker;
    if (both_banks || bank == 0)
        ts_src_fill(&file->bank[0], ones);
    if (both_banks || bank == 1)
        ts_src_fill(&file->bank[1], ones);
}

void ts_zerosrc(struct ts_srcs *srcs, unsigned which, bool both_banks, bool matrix_bank,
                bool negative_infinity)
{
    if (which & 1)
        zero_file(&srcs->a, both_banks, matrix_bank, negative_infinity);
    if (which & 2)
        zero_file(&srcs->b, both_banks, matrix_bank, false);
}

void ts_cleardvalid(struct ts_srcs *srcs, unsigned which, bool keep_bank, bool reset)
{
    for (unsigned i = 0; i < 2; i++) {
        struct ts_src_file *file = i ? &srcs->b : &srcs->a;
        if (reset) {
            file->matrix = file->unpacker = 0;
            file->bank[0].owner = file->bank[1].owner = TS_SRC_UNPACKER;
        } else if (which >> i & 1) {
            file->bank[file->matrix].owner = TS_SRC_UNPACKER;
            file->matrix ^= keep_bank ? 0 : 1;
        }
    }
}
