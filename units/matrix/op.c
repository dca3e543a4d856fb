// Dispatch of matrix-unit instructions to their bodies. See matrix_op.h.
#include "units/matrix/op.h"

#include "units/isa/cfgregs.h"
#include "units/isa/opcodes.h"

// Rows as an instruction computes them before alignment.
struct rows {
    unsigned a, b, d;
};

static unsigned base_of(const struct ts_matrix_view *m)
{
    return TS_THD(m->thd, DEST_TARGET_REG_CFG_MATH_Offset) + TS_CFG(m->cfg, DEST_REGW_BASE_Base);
}

static bool dst32_of(const struct ts_alu_cfg *alu)
{
    return (alu->fp32 || alu->int8) && !alu->fp16a_force;
}

void ts_matrix_view_settle(struct ts_matrix_view *m)
{
    m->base = base_of(m);
    m->dst32 = dst32_of(m->alu);
}

static struct rows rows_of(const struct ts_matrix_view *m, unsigned a, unsigned b, unsigned d)
{
    return (struct rows){
        .a = a + m->rwc->srca,
        .b = b + m->rwc->srcb,
        .d = d + m->rwc->dst + (__builtin_expect(m->alu != NULL, 1) ? m->base : base_of(m)),
    };
}

static struct ts_alu_cfg alu_of(const struct ts_matrix_view *m)
{
    return m->alu ? *m->alu : ts_alu_cfg_read(m->cfg, m->thd);
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

// What follows a body that did its work.
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

// Written field by field and read so: to return it would be to wait for its own bytes.
static void mode_of(struct ts_fpu_mode *mode, const struct ts_matrix_view *m)
{
    if (m->dry) {
        *mode = (struct ts_fpu_mode){0};
    } else if (__builtin_expect(m->alu != NULL, 1)) {
        ts_fpu_mode_of(mode, m->alu, m->srcs, phase_of(m));
    } else {
        struct ts_alu_cfg cfg = ts_alu_cfg_read(m->cfg, m->thd);
        ts_fpu_mode_of(mode, &cfg, m->srcs, phase_of(m));
    }
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
        .dst32 = cfg.fp32 || cfg.int8,
        .dst32_lo = lo,
        .keep_denormals = cfg.zero_flag_disabled_src,
        .rows = (uint8_t)rows,
        .block_cols = m->block_cols,
    };
}

// ---- bodies, in the order of the opcode table --------------------------------------------------

static struct ts_refusal op_movd2(const struct ts_matrix_view *m, uint32_t word, bool srcb)
{
    struct ts_args_MOVD2A a = ts_decode_MOVD2A(word); // MOVD2B has the same fields
    struct rows r = rows_of(m, a.src, a.src, a.dst);
    struct ts_move move = move_of(m, srcb, a.dest_32b_lo, a.instr_mod & 2 ? 4 : 1);
    struct ts_refusal refusal = m->dry ? ts_fine()
                                : srcb ? ts_movd2b(m->dst, m->srcs, &move, r.b, r.d)
                                       : ts_movd2a(m->dst, m->srcs, &move, r.a, r.d);
    return after(m, refusal, r.a, a.addr_mode, 0);
}

static struct ts_refusal op_movb2a(const struct ts_matrix_view *m, uint32_t word)
{
    struct ts_args_MOVB2A a = ts_decode_MOVB2A(word);
    struct rows r = rows_of(m, a.srca, a.srcb, 0);
    struct ts_move move = move_of(m, true, 0, a.instr_mod & 2 ? 4 : 1);
    return after(m, m->dry ? ts_fine() : ts_movb2a(m->srcs, &move, r.a, r.b), r.a, a.addr_mode, 0);
}

static struct ts_refusal op_zeroacc(const struct ts_matrix_view *m, uint32_t word)
{
    struct ts_args_ZEROACC a = ts_decode_ZEROACC(word);
    struct ts_alu_cfg cfg = alu_of(m);
    struct ts_zeroacc z = {
        .mode = (uint8_t)a.clear_mode,
        .use_32b = a.use_32_bit_mode,
        .dst32 = cfg.fp32 || cfg.int8,
        .revert = a.clear_zero_flags,
        .absolute = TS_CFG(m->cfg, DEST_ACCESS_CFG_zeroacc_absolute_tile_mode),
    };
    if (!m->dry)
        ts_zeroacc(m->dst, &z, a.where, rows_of(m, 0, 0, 0).d);
    if (a.clear_mode == TS_ZEROACC_ROW || a.clear_mode == TS_ZEROACC_16)
        ts_rwc_apply(m->rwc, m->thd, a.addr_mode, true);
    return ts_fine();
}

static struct ts_refusal op_mova2d(const struct ts_matrix_view *m, uint32_t word)
{
    struct ts_args_MOVA2D a = ts_decode_MOVA2D(word);
    struct rows r = rows_of(m, a.src, 0, a.dst);
    struct ts_move move = move_of(m, false, a.dest_32b_lo, a.instr_mod & 2 ? 8 : 1);
    return after(m, m->dry ? ts_fine() : ts_mova2d(m->dst, m->srcs, &move, r.a, r.d), r.a,
                 a.addr_mode, 0);
}

static unsigned movb2d_rows(unsigned mod)
{
    return mod & 2 ? 8 : mod & 4 ? 4 : 1;
}

static struct ts_refusal op_movb2d(const struct ts_matrix_view *m, uint32_t word)
{
    struct ts_args_MOVB2D a = ts_decode_MOVB2D(word);
    struct rows r = rows_of(m, 0, a.src, a.dst);
    struct ts_move move = move_of(m, true, a.dest_32b_lo, movb2d_rows(a.movb2d_instr_mod));
    move.broadcast_row = a.movb2d_instr_mod >> 1 & 1;
    move.broadcast_col = a.movb2d_instr_mod & 1;
    return after(m, m->dry ? ts_fine() : ts_movb2d(m->dst, m->srcs, &move, r.b, r.d), r.a,
                 a.addr_mode, 0);
}

static struct ts_refusal op_mvmul(const struct ts_matrix_view *m, uint32_t word)
{
    struct ts_args_MVMUL a = ts_decode_MVMUL(word);
    struct rows r = rows_of(m, 0, 0, a.dst);
    struct ts_fpu_mode mode;
    mode_of(&mode, m);
    struct ts_refusal refusal = m->dry ? ts_fine()
                                : a.instr_mod19
                                    ? ts_mvmul_broadcast(m->dst, m->srcs, &mode, r.a, r.b, r.d)
                                    : ts_mvmul(m->dst, m->srcs, &mode, r.a, r.b, r.d, 8);
    return after(m, refusal, r.a, a.addr_mode, a.clear_dvalid);
}

static struct ts_refusal op_elw(const struct ts_matrix_view *m, uint32_t word, enum ts_elw_op op)
{
    struct ts_args_ELWADD a = ts_decode_ELWADD(word); // all three have the same fields
    struct rows r = rows_of(m, 0, 0, a.dst);
    struct ts_fpu_mode mode;
    mode_of(&mode, m);
    struct ts_elw elw = {(uint8_t)op, a.dest_accum_en, a.instr_mod19 >> 1 & 1, a.instr_mod19 & 1};
    return after(m,
                 m->dry ? ts_fine() : ts_elementwise(m->dst, m->srcs, &mode, &elw, r.a, r.b, r.d),
                 r.a, a.addr_mode, a.clear_dvalid);
}

static struct ts_refusal op_dotpv(const struct ts_matrix_view *m, uint32_t word)
{
    struct ts_args_DOTPV a = ts_decode_DOTPV(word);
    struct rows r = rows_of(m, 0, 0, a.dst);
    struct ts_fpu_mode mode;
    mode_of(&mode, m);
    return after(m, m->dry ? ts_fine() : ts_mvmul(m->dst, m->srcs, &mode, r.a, r.b, r.d, 8), r.a,
                 a.addr_mode, a.clear_dvalid);
}

static struct ts_refusal op_pool(const struct ts_matrix_view *m, uint32_t word, bool max)
{
    struct ts_args_GMPOOL a = ts_decode_GMPOOL(word); // GAPOOL has the same fields
    struct rows r = rows_of(m, 0, 0, a.dst);
    struct ts_fpu_mode mode;
    mode_of(&mode, m);
    struct ts_refusal refusal = m->dry ? ts_fine()
                                : max  ? ts_gmpool(m->dst, m->srcs, &mode, a.max_pool_index_en, r.a,
                                                   r.b, r.d)
                                       : ts_mvmul(m->dst, m->srcs, &mode, r.a, r.b, r.d, 4);
    return after(m, refusal, r.a, a.pool_addr_mode, a.clear_dvalid);
}

struct ts_refusal ts_matrix_execute(const struct ts_matrix_view *m, uint32_t word)
{
    switch (TS_OP_OF(word)) {
    case TS_OP_MOVD2A:
        return op_movd2(m, word, false);
    case TS_OP_MOVD2B:
        return op_movd2(m, word, true);
    case TS_OP_MOVB2A:
        return op_movb2a(m, word);
    case TS_OP_ZEROACC:
        return op_zeroacc(m, word);
    case TS_OP_ZEROSRC: {
        struct ts_args_ZEROSRC a = ts_decode_ZEROSRC(word);
        if (!m->dry)
            ts_zerosrc(m->srcs, a.src_mask, a.bank_mask, a.write_mode, a.zero_val);
        return ts_fine();
    }
    case TS_OP_MOVA2D:
    case TS_OP_MOVDBGA2D:
        return op_mova2d(m, word);
    case TS_OP_MOVB2D:
        return op_movb2d(m, word);
    case TS_OP_TRNSPSRCB:
        if (!m->dry)
            ts_trnspsrcb(m->srcs);
        return ts_fine();
    case TS_OP_SHIFTXA:
        return m->dry ? ts_fine()
                      : ts_shiftxa(m->srcs, ts_decode_SHIFTXA(word).shift_mode, *m->last_row_a);
    case TS_OP_SHIFTXB: {
        struct ts_args_SHIFTXB a = ts_decode_SHIFTXB(word);
        if (!m->dry)
            ts_shiftxb(m->srcs, a.rot_shift, a.shift_row + m->rwc->srcb);
        ts_rwc_apply(m->rwc, m->thd, a.addr_mode, true);
        return ts_fine();
    }
    case TS_OP_MVMUL:
        return op_mvmul(m, word);
    case TS_OP_ELWMUL:
        return op_elw(m, word, TS_ELW_MUL);
    case TS_OP_ELWADD:
        return op_elw(m, word, TS_ELW_ADD);
    case TS_OP_ELWSUB:
        return op_elw(m, word, TS_ELW_SUB);
    case TS_OP_DOTPV:
        return op_dotpv(m, word);
    case TS_OP_GMPOOL:
        return op_pool(m, word, true);
    case TS_OP_GAPOOL:
        return op_pool(m, word, false);
    case TS_OP_GATESRCRST: // the operand cache in front of SrcB is not modelled: nothing to
                           // invalidate
        return ts_fine();
    case TS_OP_CLEARDVALID: {
        struct ts_args_CLEARDVALID a = ts_decode_CLEARDVALID(word);
        ts_cleardvalid(m->srcs, a.cleardvalid, a.reset >> 1 & 1, a.reset & 1);
        return ts_fine();
    }
    case TS_OP_SETRWC: {
        struct ts_args_SETRWC a = ts_decode_SETRWC(word);
        ts_rwc_set(m->rwc, a);
        flip(m, a.clear_ab_vld);
        return ts_fine();
    }
    case TS_OP_INCRWC:
        ts_rwc_increment(m->rwc, ts_decode_INCRWC(word));
        return ts_fine();
    default:
        return ts_not_implemented("matrix unit: opcode", TS_OP_OF(word));
    }
}

// ---- what an instruction touches ---------------------------------------------------------------

// By opcode; where a field decides, `field` says which.
enum { ROWS_8_OR_1 = 1, ROWS_4_OR_1, ROWS_MOVB2D, READS_TO_ADD };
static const struct shape {
    bool need_a, need_b, read, write;
    uint8_t rows; // of Dst
    uint8_t field;
} shapes[256] = {
    [TS_OP_MVMUL] = {true, true, true, true, 8, 0},
    [TS_OP_DOTPV] = {true, true, true, true, 8, 0},
    [TS_OP_ELWMUL] = {true, true, true, true, 8, 0},
    [TS_OP_ELWADD] = {true, true, false, true, 8, READS_TO_ADD},
    [TS_OP_ELWSUB] = {true, true, false, true, 8, READS_TO_ADD},
    [TS_OP_GMPOOL] = {true, true, true, true, 4, 0},
    [TS_OP_GAPOOL] = {true, true, true, true, 4, 0},
    [TS_OP_MOVA2D] = {true, false, false, true, 1, ROWS_8_OR_1},
    [TS_OP_MOVDBGA2D] = {false, false, false, true, 1, ROWS_8_OR_1},
    [TS_OP_MOVB2D] = {false, true, false, true, 1, ROWS_MOVB2D},
    [TS_OP_MOVD2A] = {false, false, true, false, 1, ROWS_4_OR_1},
    [TS_OP_MOVD2B] = {false, false, true, false, 1, ROWS_4_OR_1},
    [TS_OP_SHIFTXA] = {true, false, false, false, 0, 0},
    [TS_OP_MOVB2A] = {false, true, false, false, 0, 0},
    [TS_OP_TRNSPSRCB] = {false, true, false, false, 0, 0},
    [TS_OP_SHIFTXB] = {false, true, false, false, 0, 0},
};

static void by_field(struct shape *shape, uint32_t word)
{
    switch (shape->field) {
    case ROWS_8_OR_1:
        shape->rows = ts_decode_MOVA2D(word).instr_mod & 2 ? 8 : 1;
        break;
    case ROWS_4_OR_1:
        shape->rows = ts_decode_MOVD2A(word).instr_mod & 2 ? 4 : 1;
        break;
    case ROWS_MOVB2D:
        shape->rows = (uint8_t)movb2d_rows(ts_decode_MOVB2D(word).movb2d_instr_mod);
        break;
    default:
        shape->read = ts_decode_ELWADD(word).dest_accum_en;
    }
}

void ts_matrix_access_to(struct ts_matrix_access *access, const struct ts_matrix_view *m,
                         uint32_t word)
{
    struct shape shape = shapes[TS_OP_OF(word)];
    if (shape.field)
        by_field(&shape, word);
    *access = (struct ts_matrix_access){
        .need_a = shape.need_a,
        .need_b = shape.need_b,
        .read_dst = shape.read,
        .write_dst = shape.write,
        .dst_rows = shape.rows,
    };
    if (!shape.rows)
        return;
    unsigned d = TS_BITS(word, 0, 10); // where every one of these has its row
    access->dst_row = (uint16_t)(rows_of(m, 0, 0, d).d & (TS_DST_ROWS - 1) & (0u - shape.rows));
    if (__builtin_expect(m->alu != NULL, 1)) {
        access->dst32 = m->dst32;
        return;
    }
    struct ts_alu_cfg cfg = ts_alu_cfg_read(m->cfg, m->thd);
    access->dst32 = dst32_of(&cfg);
}
