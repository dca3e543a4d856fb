// Vector unit, load and store sub-units: SFPLOAD, SFPSTORE, SFPLOADI, and the address of an access.
//
// An access covers four aligned rows of Dst and eight of their sixteen columns, the even or the odd
// ones: lane l is row l / 8, column 2 * (l % 8) (+ 1). Two neighbouring columns are one 32-bit word
// of the row, so a row of lanes is eight words.
// Source: tt-isa-documentation BlackholeA0 SFPLOAD.md, SFPSTORE.md, SFPLOADI.md, Dst.md.
// Inaccuracies: the Sp update of an INT32_ALL store scheduled by SFPLOADMACRO is skipped (assumed).
#include "units/files/format.h"
#include "units/vector/body.h"

enum {
    FMT_SRCB = 0,
    FMT_FP16 = 1,
    FMT_BF16 = 2,
    FMT_FP32 = 3,
    FMT_INT32 = 4,
    FMT_INT8 = 5,
    FMT_UINT16 = 6,
    FMT_HI16 = 7,
    FMT_INT16 = 8,
    FMT_LO16 = 9,
    FMT_INT32_ALL = 10,
    FMT_ZERO = 11,
    FMT_INT32_SM = 12,
    FMT_INT8_COMP = 13,
    FMT_LO16_ONLY = 14,
    FMT_HI16_ONLY = 15,
    FMT_BF16_WIDE = 16, // BF16 over the high halves of 32-bit rows: the rule sfpu_bf16_rows
};

#define ADDR_BITS 0x3FFu
#define ADDR_ODD  2u // the bit of an address that selects the odd columns

// Formats whose cells are 32 bits wide. Loads of LO16 and HI16 are 16 bits wide, stores 32.
#define WIDE_LOAD                                                                  \
    (1u << FMT_FP32 | 1u << FMT_INT32 | 1u << FMT_INT32_ALL | 1u << FMT_INT32_SM | \
     1u << FMT_BF16_WIDE)
#define WIDE_STORE (WIDE_LOAD | 1u << FMT_LO16 | 1u << FMT_HI16)

// SrcB formats for which format 0 means BF16; for the others FP16.
#define BF16_CLASS                                                                   \
    (1u << TS_FMT_FP32 | 1u << TS_FMT_TF32 | 1u << TS_FMT_BF16 | 1u << TS_FMT_BFP8 | \
     1u << TS_FMT_BFP4 | 1u << TS_FMT_BFP2 | 1u << TS_FMT_INT32 | 1u << TS_FMT_INT16)

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the even column is a word's low half");

uint8_t ts_vector_format(const struct ts_vector_insn *insn, unsigned mod)
{
    return mod == FMT_SRCB ? insn->srcb_fmt : mod == FMT_BF16 ? insn->bf16_fmt : (uint8_t)mod;
}

void ts_vector_bind(struct ts_vector_insn *insn, struct ts_vector_view *view)
{
    insn->srcb_fmt = FMT_FP32;
    if (!view->fp32)
        insn->srcb_fmt = BF16_CLASS >> (view->srcb_format & 15) & 1 ? FMT_BF16 : FMT_FP16;
    insn->bf16_fmt = view->fp32 && ts_bits_silicon(view->bits, TS_BITS_sfpu_bf16_rows)
                         ? FMT_BF16_WIDE
                         : FMT_BF16;
    insn->fmt = ts_vector_format(insn, insn->mod);
    if (view->fp32 && insn->mod == FMT_BF16)
        ts_bits_ask(view->bits, TS_BITS_sfpu_bf16_rows);

    bool store = insn->op == TS_OP_SFPSTORE, stack = insn->fmt == FMT_INT32_ALL;
    uint32_t addr = (uint32_t)insn->imm + view->math_offset;
    uint32_t dst = (uint32_t)view->dst_rwc + view->regw_base;
    if (stack && !store && view->sp) // pop: before the access
        view->sp = (uint16_t)((view->sp - view->stack_incr) & ADDR_BITS);
    uint32_t sp = (uint32_t)view->sp + view->sp_base;
    if (stack && store) // push: after it
        view->sp = (uint16_t)((view->sp + view->stack_incr) & ADDR_BITS);
    addr += stack ? sp + (dst & 3) : dst + (sp & 3);
    insn->dst_addr = (uint16_t)(addr & ADDR_BITS);
}

uint32_t ts_vector_row(const struct ts_vector_insn *insn, const struct ts_dst *dst)
{
    return WIDE_STORE >> insn->fmt & 1 ? ts_dst_row32(dst, insn->dst_addr & ~3u)
                                       : ts_dst_row16(dst, insn->dst_addr & ~3u);
}

// The words of both columns of every lane, and which half of the word is the lane's.
struct cells {
    uint32_t word[TS_LANES] __attribute__((aligned(64)));
    uint32_t odd; // lanes that use the odd column: the upper half
};

static inline void gather_row(uint32_t *restrict word, const uint16_t *restrict row)
{
    memcpy(word, row, 8 * sizeof *word);
}

static inline uint32_t half(const struct cells *cells, unsigned l)
{
    uint32_t word = cells->word[l];
    return cells->odd & ts_lane_bit[l] ? word >> 16 : word & 0xFFFFu;
}

// Four rows from physical row on; undefined rows read as zero.
static void gather(const struct ts_dst *dst, uint32_t row, uint32_t valid_row, struct cells *cells)
{
    for (unsigned r = 0; r < 4; r++) {
        if (dst->valid[valid_row + r])
            gather_row(&cells->word[8 * r], dst->bits[row + r]);
        else
            memset(&cells->word[8 * r], 0, 8 * sizeof cells->word[0]);
    }
}

static inline void read16(const struct ts_dst *dst, uint32_t addr, uint32_t odd,
                          uint32_t *restrict cell)
{
    struct cells cells;
    uint32_t row = ts_dst_row16(dst, addr & ~3u);
    gather(dst, row, row, &cells);
    cells.odd = odd;
    for (TS_EACH_LANE)
        cell[l] = half(&cells, l);
}

static inline void read32(const struct ts_dst *dst, uint32_t addr, uint32_t odd,
                          uint32_t *restrict cell)
{
    struct cells high, low;
    uint32_t row = ts_dst_row32(dst, addr & ~3u);
    gather(dst, row, row, &high);
    gather(dst, row + TS_DST_LO_ROW, row, &low);
    high.odd = low.odd = odd;
    for (TS_EACH_LANE)
        cell[l] = half(&high, l) << 16 | half(&low, l);
}

static inline uint32_t load_fp16(uint32_t x, bool infinity)
{
    uint32_t man = x >> 5 & 0x3FFu, e = x & 31u;
    uint32_t wide = e ? e + 112 : 0;
    uint32_t plain = wide << 23 | man << 13;
    return (x & 0x8000u) << 16 | (infinity && (x & 0x7FFFu) == 0x7FFFu ? TS_FP32_INF : plain);
}

// Cells as read, to the register's new content. `infinity`: lanes with FP16 infinities.
static inline void from_cells(unsigned fmt, uint32_t *restrict c, const uint32_t *restrict old,
                              uint32_t infinity)
{
    switch (fmt) {
    case FMT_FP16:
        for (TS_EACH_LANE)
            c[l] = load_fp16(c[l], infinity & ts_lane_bit[l]);
        break;
    case FMT_BF16:
        for (TS_EACH_LANE)
            c[l] = (c[l] & 0x8000u) << 16 | (c[l] & 0xFFu) << 23 | (c[l] & 0x7F00u) << 8;
        break;
    case FMT_FP32:
    case FMT_INT32:
    case FMT_INT32_ALL:
    case FMT_INT32_SM:
        for (TS_EACH_LANE)
            c[l] = ts_fp32_from_cell(c[l]);
        break;
    case FMT_BF16_WIDE:
        for (TS_EACH_LANE)
            c[l] = ts_fp32_from_cell(c[l] & 0xFFFF0000u);
        break;
    case FMT_INT8: // eight bits of magnitude
        for (TS_EACH_LANE)
            c[l] = (c[l] & 0x8000u) << 16 | (c[l] >> 5 & 0xFFu);
        break;
    case FMT_INT8_COMP: // ten
        for (TS_EACH_LANE)
            c[l] = (c[l] & 0x8000u) << 16 | (c[l] >> 5 & 0x3FFu);
        break;
    case FMT_INT16:
        for (TS_EACH_LANE)
            c[l] = (c[l] & 0x8000u) << 16 | (c[l] & 0x7FFFu);
        break;
    case FMT_UINT16:
    case FMT_LO16:
        break;
    case FMT_HI16:
        for (TS_EACH_LANE)
            c[l] <<= 16;
        break;
    case FMT_LO16_ONLY:
        for (TS_EACH_LANE)
            c[l] |= old[l] & 0xFFFF0000u;
        break;
    case FMT_HI16_ONLY:
        for (TS_EACH_LANE)
            c[l] = c[l] << 16 | (old[l] & 0xFFFFu);
        break;
    default: // FMT_ZERO
        memset(c, 0, TS_LANES * sizeof *c);
        break;
    }
}

// The machine's rule load_int32: Dst has sign and magnitude, registers two's complement. `sign`: 0 of a load.
static inline void complement(const struct ts_vector *v, unsigned fmt, uint32_t *c, uint32_t sign)
{
    if (__builtin_expect(fmt != FMT_INT32_SM && fmt != FMT_INT8_COMP, 1) ||
        !ts_bits_machine(v->bits, TS_RULE_load_int32))
        return;
    for (TS_EACH_LANE)
        if (c[l] >> 31)
            c[l] = sign | (0u - (sign ? c[l] : c[l] & 0x7FFFFFFFu));
}

// With TS_LANE_CAPTURE_INDEX: where each datum came from goes to the register four above.
static void capture(struct ts_vector *v, const struct ts_vector_insn *i, uint32_t odd,
                    uint32_t lanes)
{
    TS_LANE_ARRAY(c);
    for (TS_EACH_LANE) {
        uint32_t row = ((i->dst_addr & ~3u) + l / 8) & ADDR_BITS;
        c[l] = row << 4 | (l & 7) * 2 | (odd & ts_lane_bit[l] ? 1 : 0);
    }
    ts_lanes_put(v->lreg[i->vd + 4], c, lanes & v->capture);
}

enum ts_vector_fault ts_vector_SFPLOAD(struct ts_vector *v, const struct ts_vector_insn *i,
                                       const struct ts_vector_ctx *x)
{
    uint32_t lanes = (i->fmt == FMT_INT32_ALL ? x->gate : x->enable) & ~v->block_read;
    if (i->vd >= 8 || !lanes)
        return TS_VECTOR_OK;
    uint32_t odd = i->dst_addr & ADDR_ODD ? TS_ALL_LANES : v->odd_read;
    uint32_t *restrict old = v->lreg[i->vd];
    TS_LANE_ARRAY(c);
    if (WIDE_LOAD >> i->fmt & 1)
        read32(x->dst, i->dst_addr, odd, c);
    else
        read16(x->dst, i->dst_addr, odd, c);
    from_cells(i->fmt, c, old, v->fp16a_inf);
    complement(v, i->fmt, c, 0);
    ts_lanes_put(old, c, lanes);
    if (__builtin_expect((v->capture & lanes) && i->vd < 4, 0))
        capture(v, i, odd, lanes);
    return TS_VECTOR_OK;
}

// Puts a cell of each lane into its half of the rows' words.
static void write16(struct ts_dst *dst, uint32_t row, uint32_t odd, uint32_t lanes,
                    const uint32_t *restrict cell)
{
    TS_LANE_ARRAY(word);
    for (unsigned r = 0; r < 4; r++)
        memcpy(&word[8 * r], dst->bits[row + r], 8 * sizeof word[0]);
    for (TS_EACH_LANE) {
        uint32_t c = cell[l], w = word[l];
        uint32_t upper = c << 16 | (w & 0xFFFFu), lower = (w & 0xFFFF0000u) | (c & 0xFFFFu);
        uint32_t with = odd & ts_lane_bit[l] ? upper : lower;
        word[l] = lanes & ts_lane_bit[l] ? with : w;
    }
    for (unsigned r = 0; r < 4; r++)
        memcpy(dst->bits[row + r], &word[8 * r], 8 * sizeof word[0]);
}

static void define_rows(struct ts_dst *dst, uint32_t row, uint32_t lanes)
{
    for (unsigned r = 0; r < 4; r++) {
        if (lanes >> 8 * r & 0xFFu)
            dst->valid[row + r] = 1;
    }
}

static inline uint32_t flush(uint32_t x)
{
    return x & TS_FP32_INF ? x : x & TS_SIGN;
}

// Sign | exponent 5 | mantissa 10, cut; too small is zero, too large all ones.
static inline uint32_t store_fp16(uint32_t x)
{
    int32_t e = (int32_t)(x >> 23 & 255) - 112;
    uint32_t cell = (x >> 13 & 0x3FFu) << 5 | ((uint32_t)e & 31u);
    cell = e > 31 ? 0x7FFFu : cell;
    cell = e <= 0 ? 0 : cell;
    return (x >> 16 & 0x8000u) | cell;
}

static inline uint32_t store_bf16(uint32_t x)
{
    x = flush(x);
    return (x >> 16 & 0x8000u) | (x >> 8 & 0x7F00u) | (x >> 23 & 0xFFu);
}

// The register, to cells as they are written.
static inline void to_cells(unsigned fmt, uint32_t *restrict c, const uint32_t *restrict d)
{
    switch (fmt) {
    case FMT_FP16:
        for (TS_EACH_LANE)
            c[l] = store_fp16(d[l]);
        break;
    case FMT_BF16:
        for (TS_EACH_LANE)
            c[l] = store_bf16(d[l]);
        break;
    case FMT_BF16_WIDE:
        for (TS_EACH_LANE)
            c[l] = store_bf16(d[l]) << 16;
        break;
    case FMT_FP32:
        for (TS_EACH_LANE)
            c[l] = ts_fp32_to_cell(flush(d[l]));
        break;
    case FMT_INT32:
    case FMT_INT32_ALL:
    case FMT_INT32_SM:
        for (TS_EACH_LANE)
            c[l] = ts_fp32_to_cell(d[l]);
        break;
    case FMT_INT8:
    case FMT_INT8_COMP: // ten bits of magnitude over the exponent 16 of an integer "8"
        for (TS_EACH_LANE)
            c[l] = (d[l] >> 16 & 0x8000u) | (d[l] & 0x3FFu) << 5 | 16u;
        break;
    case FMT_UINT16:
    case FMT_LO16_ONLY:
    case FMT_HI16: // 32 bits as they are
        memcpy(c, d, TS_LANES * sizeof *c);
        break;
    case FMT_HI16_ONLY:
        for (TS_EACH_LANE)
            c[l] = d[l] >> 16;
        break;
    case FMT_INT16:
        for (TS_EACH_LANE)
            c[l] = (d[l] >> 16 & 0x8000u) | (d[l] & 0x7FFFu);
        break;
    case FMT_LO16:
        for (TS_EACH_LANE)
            c[l] = d[l] << 16 | d[l] >> 16;
        break;
    default: // FMT_ZERO
        memset(c, 0, TS_LANES * sizeof *c);
        break;
    }
}

enum ts_vector_fault ts_vector_SFPSTORE(struct ts_vector *v, const struct ts_vector_insn *i,
                                        const struct ts_vector_ctx *x)
{
    uint32_t lanes = (i->fmt == FMT_INT32_ALL ? x->gate : x->enable) & ~v->block_write;
    if (!lanes)
        return TS_VECTOR_OK;
    uint32_t odd = i->dst_addr & ADDR_ODD ? TS_ALL_LANES : v->odd_write;
    TS_LANE_ARRAY(c);
    TS_LANE_ARRAY(d);
    memcpy(d, v->lreg[i->vd], sizeof d);
    complement(v, i->fmt, d, TS_SIGN);
    to_cells(i->fmt, c, d);
    uint32_t row;
    if (WIDE_STORE >> i->fmt & 1) {
        TS_LANE_ARRAY(high);
        row = ts_dst_row32(x->dst, i->dst_addr & ~3u);
        for (TS_EACH_LANE)
            high[l] = c[l] >> 16;
        write16(x->dst, row, odd, lanes, high);
        write16(x->dst, row + TS_DST_LO_ROW, odd, lanes, c);
    } else {
        row = ts_dst_row16(x->dst, i->dst_addr & ~3u);
        write16(x->dst, row, odd, lanes, c);
    }
    define_rows(x->dst, row, lanes);
    return TS_VECTOR_OK;
}

enum ts_vector_fault ts_vector_SFPLOADI(struct ts_vector *v, const struct ts_vector_insn *i,
                                        const struct ts_vector_ctx *x)
{
    uint32_t imm = i->imm, keep = 0, value;
    switch (i->mod) {
    case 0: // BF16
        value = imm << 16;
        break;
    case 1: // FP16, only its exponent moved: no denormals, infinities or NaN
        value = (imm & 0x8000u) << 16 | ((imm & 0x7FFFu) + (112u << 10)) << 13;
        break;
    case 2: // unsigned
        value = imm;
        break;
    case 4: // two's complement
        value = (uint32_t)(int32_t)(int16_t)imm;
        break;
    case 8: // upper half
        value = imm << 16;
        keep = 0xFFFFu;
        break;
    case 10: // lower half
        value = imm;
        keep = 0xFFFF0000u;
        break;
    default:
        return TS_VECTOR_MODE;
    }
    if (i->vd >= 8)
        return TS_VECTOR_OK;
    uint32_t *restrict d = v->lreg[i->vd];
    for (TS_EACH_LANE)
        d[l] = x->enable & ts_lane_bit[l] ? (d[l] & keep) | value : d[l];
    return TS_VECTOR_OK;
}

// The load; the unit schedules the rest (units/vector/macro.c).
enum ts_vector_fault ts_vector_SFPLOADMACRO(struct ts_vector *v, const struct ts_vector_insn *i,
                                            const struct ts_vector_ctx *x)
{
    return ts_vector_SFPLOAD(v, i, x);
}
