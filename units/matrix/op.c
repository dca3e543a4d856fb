// Dispatch of matrix-unit instructions to their bodies. See unit.h.
#include "units/matrix/unit.h"

// Rows as an instruction computes them before alignment.
struct rows {
    unsigned a, b, d;
};

static bool dst32_of(const struct ts_alu_cfg *alu)
{
    return (alu->fp32 || alu->int8) && !alu->fp16a_force;
}

void ts_matrix_view_settle(struct ts_matrix_view *m)
{
    m->region = (uint16_t)TS_CFG(m->cfg, DEST_REGW_BASE_Base);
    m->base = ts_matrix_base(m);
    m->dst32 = dst32_of(m->alu);
}

static struct rows rows_of(const struct ts_matrix_view *m, unsigned a, unsigned b, unsigned d)
{
    return (struct rows){
        .a = a + m->rwc->srca,
        .b = b + m->rwc->srcb,
        .d = d + m->rwc->dst + TS_THD(m->thd, DEST_TARGET_REG_CFG_MATH_Offset) +
             (__builtin_expect(m->alu != NULL, 1) ? m->region
                                                  : TS_CFG(m->cfg, DEST_REGW_BASE_Base)),
    };
}

static struct ts_alu_cfg alu_of(const struct ts_matrix_view *m)
{
    return m->alu ? *m->alu : ts_alu_cfg_read(m->cfg, m->thd, m->bits);
}

static unsigned phase_of(const struct ts_matrix_view *m)
{
    return (m->rwc->fidelity + TS_THD(m->thd, FIDELITY_BASE_Phase)) & 3;
}

static void flip(const struct ts_matrix_view *m, unsigned which)
{
    if (which & 1)
        ts_src_flip(&m->srcs->a, TS_THD(m->thd, CLR_DVALID_SrcA_Disable));
    if (which & 2)
        ts_src_flip(&m->srcs->b, TS_THD(m->thd, CLR_DVALID_SrcB_Disable));
}

// The steps after a successful body.
static struct ts_refusal after(const struct ts_matrix_view *m, struct ts_refusal refusal,
                               unsigned row_a, unsigned addr_mode, unsigned clear_dvalid)
{
    if (refusal.what)
        return refusal;
    *m->last_row_a = row_a & 0x3F;
    ts_rwc_apply(m->rwc, m->thd, addr_mode, true);
    flip(m, clear_dvalid);
    return refusal;
}

// Written and read field by field: returning it by value would stall on store forwarding.
static void mode_of(struct ts_matrix_mode *mode, const struct ts_matrix_view *m)
{
    if (m->dry) {
        *mode = (struct ts_matrix_mode){0};
    } else if (__builtin_expect(m->alu != NULL, 1)) {
        ts_matrix_mode_of(mode, m->alu, m->srcs, phase_of(m));
    } else {
        struct ts_alu_cfg cfg = ts_alu_cfg_read(m->cfg, m->thd, m->bits);
        ts_matrix_mode_of(mode, &cfg, m->srcs, phase_of(m));
    }
}

// What a rule has to say about the operands of an instruction that computes; most have nothing unusual.
static inline struct ts_refusal unusual(const struct ts_matrix_view *m,
                                        const struct ts_matrix_mode *mode, struct rows r)
{
    if (__builtin_expect(!mode->check, 1))
        return ts_fine();
    struct ts_alu_cfg cfg = alu_of(m);
    return ts_alu_unusual(&cfg, m->srcs, m->bits, r.a, r.b);
}

// A move's common part; the SrcB side takes its formats from the SrcB bank.
static struct ts_move move_of(const struct ts_matrix_view *m, bool srcb, unsigned lo, unsigned rows)
{
    struct ts_alu_cfg cfg = alu_of(m);
    return (struct ts_move){
        .format_a = (uint8_t)(srcb ? ts_alu_format_ab(&cfg, m->srcs)
                                   : ts_alu_format_a(&cfg, m->srcs)),
        .format_b = (uint8_t)ts_alu_format_b(&cfg, m->srcs),
        .fp16a_force = cfg.fp16a_force,
        .fp32 = cfg.fp32,
        .dst32 = cfg.fp32 || cfg.int8,
        .dst32_lo = lo,
        .keep_denormals = cfg.zero_flag_disabled_src,
        .rows = (uint8_t)rows,
        .block_cols = m->block_cols,
        .bits = m->bits,
    };
}

// ---- what several instructions share -----------------------------------------------------------

static struct ts_refusal move_from_dst(const struct ts_matrix_view *m, uint32_t word, bool srcb)
{
    struct ts_args_MOVD2A a = ts_decode_MOVD2A(word); // MOVD2B has the same fields
    struct rows r = rows_of(m, a.src, a.src, a.dst);
    struct ts_move move = move_of(m, srcb, a.dest_32b_lo, a.instr_mod & 2 ? 4 : 1);
    struct ts_refusal refusal = m->dry ? ts_fine()
                                : srcb ? ts_movd2b(m->dst, m->srcs, &move, r.b, r.d)
                                       : ts_movd2a(m->dst, m->srcs, &move, r.a, r.d);
    return after(m, refusal, r.a, a.addr_mode, 0);
}

static unsigned movb2d_rows(unsigned mod)
{
    return mod & 2 ? 8 : mod & 4 ? 4 : 1;
}

static struct ts_refusal elementwise(const struct ts_matrix_view *m, uint32_t word,
                                     enum ts_elw_op op)
{
    struct ts_args_ELWADD a = ts_decode_ELWADD(word); // all three have the same fields
    struct rows r = rows_of(m, 0, 0, a.dst);
    struct ts_matrix_mode mode;
    mode_of(&mode, m);
    struct ts_elw elw = {(uint8_t)op, a.dest_accum_en, a.instr_mod19 >> 1 & 1, a.instr_mod19 & 1};
    struct ts_refusal refusal = unusual(m, &mode, r);
    if (!m->dry && !refusal.what)
        refusal = ts_elementwise(m->dst, m->srcs, &mode, &elw, r.a, r.b, r.d);
    return after(m, refusal, r.a, a.addr_mode, a.clear_dvalid);
}

static struct ts_refusal pool(const struct ts_matrix_view *m, uint32_t word, bool max)
{
    struct ts_args_GMPOOL a = ts_decode_GMPOOL(word); // GAPOOL has the same fields
    struct rows r = rows_of(m, 0, 0, a.dst);
    struct ts_matrix_mode mode;
    mode_of(&mode, m);
    bool index = max && a.max_pool_index_en && !m->dry &&
                 !ts_bits_ask(m->bits, TS_BITS_gmpool_index);
    struct ts_refusal refusal = unusual(m, &mode, r);
    if (!m->dry && !refusal.what)
        refusal = max ? ts_gmpool(m->dst, m->srcs, &mode, index, r.a, r.b, r.d)
                      : ts_mvmul(m->dst, m->srcs, &mode, r.a, r.b, r.d, 4);
    return after(m, refusal, r.a, a.pool_addr_mode, a.clear_dvalid);
}

// invalid_format: of a bank that the matrix unit does not own; -1: it owns it
static struct ts_refusal move_from_a(const struct ts_matrix_view *m, uint32_t word,
                                     int invalid_format)
{
    struct ts_args_MOVA2D a = ts_decode_MOVA2D(word);
    struct rows r = rows_of(m, a.src, 0, a.dst);
    unsigned moved = a.instr_mod & 2 ? 8 : 1;
    // The lowest bit of the AddrMod's number is that of four rows, too.
    if (moved == 1 && a.addr_mode & 1 && !m->dry && ts_bits_ask(m->bits, TS_BITS_mova2d_odd))
        moved = 4;
    struct ts_move move = move_of(m, false, a.dest_32b_lo, moved);
    if (invalid_format >= 0)
        move.format_a = (uint8_t)invalid_format;
    return after(m, m->dry ? ts_fine() : ts_mova2d(m->dst, m->srcs, &move, r.a, r.d), r.a,
                 a.addr_mode, 0);
}

// ---- bodies, in the order of the opcode table --------------------------------------------------

// As another one of its kind.
#define BODY_AS(op, ...)                                                                   \
    static struct ts_refusal ts_matrix_##op(const struct ts_matrix_view *m, uint32_t word) \
    {                                                                                      \
        return __VA_ARGS__;                                                                \
    }

BODY_AS(MOVD2A, move_from_dst(m, word, false))

static struct ts_refusal ts_matrix_MOVDBGA2D(const struct ts_matrix_view *m, uint32_t word)
{
    struct ts_alu_cfg cfg = alu_of(m);
    const struct ts_src_bank *bank = &m->srcs->a.bank[m->srcs->a.matrix];
    bool differs = cfg.implied_a && bank->owner != TS_SRC_MATRIX && bank->format != cfg.fmt_dest;
    bool silicon = differs && !m->dry && ts_bits_ask(m->bits, TS_BITS_movdbga2d_format);
    return move_from_a(m, word, silicon ? cfg.fmt_dest : -1);
}

BODY_AS(MOVD2B, move_from_dst(m, word, true))

static struct ts_refusal ts_matrix_MOVB2A(const struct ts_matrix_view *m, uint32_t word)
{
    struct ts_args_MOVB2A a = ts_decode_MOVB2A(word);
    struct rows r = rows_of(m, a.srca, a.srcb, 0);
    struct ts_move move = move_of(m, true, 0, a.instr_mod & 2 ? 4 : 1);
    return after(m, m->dry ? ts_fine() : ts_movb2a(m->srcs, &move, r.a, r.b), r.a, a.addr_mode, 0);
}

static struct ts_refusal ts_matrix_ZEROACC(const struct ts_matrix_view *m, uint32_t word)
{
    struct ts_args_ZEROACC a = ts_decode_ZEROACC(word);
    struct ts_alu_cfg cfg = alu_of(m);
    struct ts_zeroacc z = {
        .mode = (uint8_t)a.clear_mode,
        .use_32b = a.use_32_bit_mode,
        .dst32 = cfg.fp32 || cfg.int8,
        .revert = a.clear_zero_flags,
        .absolute = TS_CFG(m->cfg, DEST_ACCESS_CFG_zeroacc_absolute_tile_mode),
        .odd = a.addr_mode & 1,
        .bits = m->bits,
    };
    if (!m->dry)
        ts_zeroacc(m->dst, &z, a.where, rows_of(m, 0, 0, 0).d);
    if (a.clear_mode == TS_ZEROACC_ROW || a.clear_mode == TS_ZEROACC_16)
        ts_rwc_apply(m->rwc, m->thd, a.addr_mode, true);
    return ts_fine();
}

static struct ts_refusal ts_matrix_ZEROSRC(const struct ts_matrix_view *m, uint32_t word)
{
    struct ts_args_ZEROSRC a = ts_decode_ZEROSRC(word);
    if (!m->dry)
        ts_zerosrc(m->srcs, a.src_mask, a.bank_mask, a.write_mode, a.zero_val);
    return ts_fine();
}

BODY_AS(MOVA2D, move_from_a(m, word, -1))

static struct ts_refusal ts_matrix_MOVB2D(const struct ts_matrix_view *m, uint32_t word)
{
    struct ts_args_MOVB2D a = ts_decode_MOVB2D(word);
    struct rows r = rows_of(m, 0, a.src, a.dst);
    struct ts_move move = move_of(m, true, a.dest_32b_lo, movb2d_rows(a.movb2d_instr_mod));
    move.broadcast_row = a.movb2d_instr_mod >> 1 & 1;
    move.broadcast_col = a.movb2d_instr_mod & 1;
    return after(m, m->dry ? ts_fine() : ts_movb2d(m->dst, m->srcs, &move, r.b, r.d), r.a,
                 a.addr_mode, 0);
}

static struct ts_refusal ts_matrix_TRNSPSRCB(const struct ts_matrix_view *m, uint32_t word)
{
    (void)word;
    if (!m->dry)
        ts_trnspsrcb(m->srcs);
    return ts_fine();
}

static struct ts_refusal ts_matrix_SHIFTXA(const struct ts_matrix_view *m, uint32_t word)
{
    return m->dry ? ts_fine()
                  : ts_shiftxa(m->srcs, ts_decode_SHIFTXA(word).shift_mode, *m->last_row_a);
}

static struct ts_refusal ts_matrix_SHIFTXB(const struct ts_matrix_view *m, uint32_t word)
{
    struct ts_args_SHIFTXB a = ts_decode_SHIFTXB(word);
    if (!m->dry)
        ts_shiftxb(m->srcs, a.rot_shift, a.shift_row + m->rwc->srcb);
    ts_rwc_apply(m->rwc, m->thd, a.addr_mode, true);
    return ts_fine();
}

static struct ts_refusal ts_matrix_CLREXPHIST(const struct ts_matrix_view *m, uint32_t word)
{
    (void)word;
    if (m->packer)
        ts_pack_clear_histogram(m->packer);
    return ts_fine();
}

static inline struct ts_refusal multiply(const struct ts_matrix_view *m,
                                         const struct ts_matrix_mode *mode, struct ts_args_MVMUL a,
                                         struct rows r)
{
    struct ts_refusal refusal = unusual(m, mode, r);
    if (refusal.what)
        return refusal;
    return a.instr_mod19 ? ts_mvmul_broadcast(m->dst, m->srcs, mode, r.a, r.b, r.d)
                         : ts_mvmul(m->dst, m->srcs, mode, r.a, r.b, r.d, 8);
}

static struct ts_refusal ts_matrix_MVMUL(const struct ts_matrix_view *m, uint32_t word)
{
    struct ts_args_MVMUL a = ts_decode_MVMUL(word);
    struct rows r = rows_of(m, 0, 0, a.dst);
    struct ts_matrix_mode mode;
    mode_of(&mode, m);
    return after(m, m->dry ? ts_fine() : multiply(m, &mode, a, r), r.a, a.addr_mode,
                 a.clear_dvalid);
}

struct ts_refusal ts_matrix_run(const struct ts_matrix_view *m, const uint32_t *words,
                                unsigned count)
{
    struct ts_refusal refusal = ts_fine();
    struct ts_matrix_mode mode; // stays but for the phase: configuration and banks do
    mode_of(&mode, m);
    for (unsigned i = 0; i < count && !refusal.what; i++) {
        struct ts_args_MVMUL a = ts_decode_MVMUL(words[i]);
        struct rows r = rows_of(m, 0, 0, a.dst);
        const struct ts_rwc before = *m->rwc;
        unsigned phase = phase_of(m);
        ts_rwc_apply(m->rwc, m->thd, a.addr_mode, true);
        mode.phase = (uint8_t)phase;
        if (!m->dry)
            refusal = multiply(m, &mode, a, r);
        if (refusal.what)
            *m->rwc = before;
        else
            *m->last_row_a = r.a & 0x3F;
    }
    return refusal;
}

bool ts_matrix_multiply(const struct ts_matrix_view *m, const struct ts_mvmul_run *run)
{
    struct ts_matrix_mode mode;
    mode_of(&mode, m);
    return !mode.check && !TS_THD(m->thd, FIDELITY_BASE_Phase) &&
           ts_mvmuls(m->dst, m->srcs, &mode, run);
}

BODY_AS(ELWMUL, elementwise(m, word, TS_ELW_MUL))

BODY_AS(ELWADD, elementwise(m, word, TS_ELW_ADD))

static struct ts_refusal ts_matrix_DOTPV(const struct ts_matrix_view *m, uint32_t word)
{
    struct ts_args_DOTPV a = ts_decode_DOTPV(word);
    struct rows r = rows_of(m, 0, 0, a.dst);
    struct ts_matrix_mode mode;
    mode_of(&mode, m);
    struct ts_refusal refusal = unusual(m, &mode, r);
    if (!m->dry && !refusal.what)
        refusal = ts_mvmul(m->dst, m->srcs, &mode, r.a, r.b, r.d, 8);
    return after(m, refusal, r.a, a.addr_mode, a.clear_dvalid);
}

BODY_AS(ELWSUB, elementwise(m, word, TS_ELW_SUB))

static struct ts_refusal ts_matrix_GMPOOL(const struct ts_matrix_view *m, uint32_t word)
{
    if (!(ts_decode_GMPOOL(word).instr_mod19 & 1)) // the vendor's DIM_1X16: a row, not 16 of them
        return ts_not_implemented("GMPOOL: DIM_1X16 (instr_mod19)", 0);
    return pool(m, word, true);
}

BODY_AS(GAPOOL, pool(m, word, false))

// The operand cache in front of SrcB is not modelled: nothing to invalidate.
static struct ts_refusal ts_matrix_GATESRCRST(const struct ts_matrix_view *m, uint32_t word)
{
    (void)m, (void)word;
    return ts_fine();
}

static struct ts_refusal ts_matrix_CLEARDVALID(const struct ts_matrix_view *m, uint32_t word)
{
    struct ts_args_CLEARDVALID a = ts_decode_CLEARDVALID(word);
    ts_cleardvalid(m->srcs, a.cleardvalid, a.reset >> 1 & 1, a.reset & 1);
    return ts_fine();
}

static struct ts_refusal ts_matrix_SETRWC(const struct ts_matrix_view *m, uint32_t word)
{
    struct ts_args_SETRWC a = ts_decode_SETRWC(word);
    ts_rwc_set(m->rwc, a);
    flip(m, a.clear_ab_vld);
    return ts_fine();
}

static struct ts_refusal ts_matrix_INCRWC(const struct ts_matrix_view *m, uint32_t word)
{
    ts_rwc_increment(m->rwc, ts_decode_INCRWC(word));
    return ts_fine();
}

struct ts_refusal ts_matrix_execute(const struct ts_matrix_view *m, uint32_t word)
{
    switch (TS_OP_OF(word)) {
#define TS_OP_MATRIX(...) TS_CASE(matrix, (m, word), __VA_ARGS__)
#include "units/isa/bodies.h"
    }
    return ts_not_implemented("no public specification: opcode", TS_OP_OF(word));
}

// ---- what an instruction touches ---------------------------------------------------------------

// What the word's field says of rows, and of reads.
static void by_field(struct ts_matrix_access *access, unsigned field, uint32_t word)
{
    switch (field) {
    case TS_ROWS_8_OR_1:
        access->dst_rows = ts_decode_MOVA2D(word).instr_mod & 2   ? 8
                           : ts_decode_MOVA2D(word).addr_mode & 1 ? 4
                                                                  : 1;
        break;
    case TS_ROWS_4_OR_1:
        access->dst_rows = ts_decode_MOVD2A(word).instr_mod & 2 ? 4 : 1;
        break;
    case TS_ROWS_MOVB2D:
        access->dst_rows = (uint16_t)movb2d_rows(ts_decode_MOVB2D(word).movb2d_instr_mod);
        break;
    default:
        access->read_dst = ts_decode_ELWADD(word).dest_accum_en;
    }
}

struct ts_matrix_access ts_matrix_access(const struct ts_matrix_view *m, uint32_t word)
{
    const struct ts_op_effects *effects = &ts_op_effects[TS_OP_OF(word)];
    struct ts_matrix_access access = {
        .need_a = effects->waits & 1,
        .need_b = effects->waits >> 1 & 1,
        .read_dst = (effects->reads & TS_STATE_DST) != 0,
        .write_dst = (effects->writes & TS_STATE_DST) != 0,
        .dst_rows = effects->rows,
    };
    if (effects->field)
        by_field(&access, effects->field, word);
    if (!access.dst_rows)
        return access;
    unsigned d = TS_BITS(word, 0, 10); // where every one of these has its row
    access.dst_row = (uint16_t)(rows_of(m, 0, 0, d).d & (TS_DST_ROWS - 1) & (0u - access.dst_rows));
    if (__builtin_expect(m->alu != NULL, 1)) {
        access.dst32 = m->dst32;
        return access;
    }
    struct ts_alu_cfg cfg = ts_alu_cfg_read(m->cfg, m->thd, m->bits);
    access.dst32 = dst32_of(&cfg);
    return access;
}
