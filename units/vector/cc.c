// Vector unit: lane predication, moves and configuration.
//
// SFPSETCC, SFPENCC, SFPCOMPC, SFPPUSHC, SFPPOPC; SFPMOV and SFPCONFIG, which also reach the
// configuration; SFPNOP. Flags and condition stack are bit masks, one bit per lane.
// Source: tt-isa-documentation BlackholeA0 pages of these instructions.
#include "units/vector/body.h"

enum {
    SETCC_IMM = 1,
    SETCC_CLEAR = 8,
    ENCC_INVERT_ENABLE = 1,
    ENCC_SET_ENABLE = 2,
    ENCC_SET_FLAGS = 8,
    ENCC_IMM_ENABLE = 1,
    ENCC_IMM_FLAGS = 2,
    MOV_NEGATE = 1,
    MOV_ALL_LANES = 2,
    MOV_SPECIAL = 8,
    CONFIG_IMM_VALUE = 1,
    CONFIG_IMM_LANES = 8,
    CONFIG_MISC = 8, // configuration register numbers
    CONFIG_PRNG = 9,
    CONFIG_LREG = 11,
    CONFIG_LANE = 15,
    MISC_BITS = 0xFFF,
};

enum ts_vector_fault ts_vector_SFPNOP(struct ts_vector *v, const struct ts_vector_insn *i,
                                      const struct ts_vector_ctx *x)
{
    (void)v, (void)i, (void)x;
    return TS_VECTOR_OK;
}

enum ts_vector_fault ts_vector_SFPSETCC(struct ts_vector *v, const struct ts_vector_insn *i,
                                        const struct ts_vector_ctx *x)
{
    const uint32_t *c = v->lreg[i->vc];
    uint32_t set;
    if (i->mod & SETCC_CLEAR)
        set = 0;
    else if (i->mod & SETCC_IMM)
        set = i->imm & 1 ? TS_ALL_LANES : 0;
    else if (i->mod & 2)
        set = ~ts_lanes_zero(c); // 2: != 0, 6: == 0
    else
        set = ts_lanes_negative(c); // 0: < 0, 4: >= 0
    if (!(i->mod & (SETCC_CLEAR | SETCC_IMM)) && (i->mod & 4))
        set = ~set;
    // Lanes that do not use their flags lose them.
    ts_flags_put(v, set & v->use, x->enable);
    return TS_VECTOR_OK;
}

enum ts_vector_fault ts_vector_SFPENCC(struct ts_vector *v, const struct ts_vector_insn *i,
                                       const struct ts_vector_ctx *x)
{
    if (i->mod & ENCC_SET_ENABLE)
        v->use = (v->use & ~x->gate) | (i->imm & ENCC_IMM_ENABLE ? x->gate : 0);
    else if (i->mod & ENCC_INVERT_ENABLE)
        v->use ^= x->gate;
    bool on = !(i->mod & ENCC_SET_FLAGS) || (i->imm & ENCC_IMM_FLAGS);
    ts_flags_put(v, on ? TS_ALL_LANES : 0, x->gate);
    return TS_VECTOR_OK;
}

// else: lanes of the enclosing block that the condition left out.
enum ts_vector_fault ts_vector_SFPCOMPC(struct ts_vector *v, const struct ts_vector_insn *i,
                                        const struct ts_vector_ctx *x)
{
    (void)i;
    uint32_t top_use = v->depth ? v->stack_use[v->depth - 1] : TS_ALL_LANES;
    uint32_t top_flags = v->depth ? v->stack_flags[v->depth - 1] : TS_ALL_LANES;
    ts_flags_put(v, top_use & v->use & top_flags & ~v->flags, x->gate);
    return TS_VECTOR_OK;
}

// Mod1 of SFPPUSHC and SFPPOPC, 1..12, over complete masks.
static uint32_t boolean(unsigned mod, uint32_t a, uint32_t b)
{
    const uint32_t results[] = {b,      ~b,     a & b,   a | b,   a & ~b, a | ~b,
                                ~a & b, ~a | b, ~a & ~b, ~a | ~b, a ^ b,  ~(a ^ b)};
    return results[mod - 1];
}

static uint32_t merge(uint32_t old, uint32_t new, uint32_t lanes)
{
    return (old & ~lanes) | (new &lanes);
}

enum ts_vector_fault ts_vector_SFPPUSHC(struct ts_vector *v, const struct ts_vector_insn *i,
                                        const struct ts_vector_ctx *x)
{
    if (i->mod == 0) {
        if (x->gate != TS_ALL_LANES)
            return x->gate ? TS_VECTOR_LANES : TS_VECTOR_OK;
        if (v->depth == TS_CC_DEPTH)
            return TS_VECTOR_STACK_FULL;
        v->stack_flags[v->depth] = v->flags;
        v->stack_use[v->depth++] = v->use;
        return TS_VECTOR_OK;
    }
    if (!x->gate)
        return TS_VECTOR_OK;
    if (!v->depth)
        return TS_VECTOR_STACK_EMPTY;
    uint32_t *top = &v->stack_flags[v->depth - 1], *top_use = &v->stack_use[v->depth - 1];
    if (i->mod <= 12) {
        *top = merge(*top, boolean(i->mod, *top, v->flags), x->gate);
        *top_use = merge(*top_use, v->use, x->gate);
    } else if (i->mod == 13) {
        v->flags ^= x->gate;
        *top = merge(*top, v->flags, x->gate);
        *top_use = merge(*top_use, v->use, x->gate);
    } else {
        *top = merge(*top, i->mod == 14 ? TS_ALL_LANES : 0, x->gate);
        *top_use |= x->gate;
    }
    return TS_VECTOR_OK;
}

enum ts_vector_fault ts_vector_SFPPOPC(struct ts_vector *v, const struct ts_vector_insn *i,
                                       const struct ts_vector_ctx *x)
{
    if (!x->gate)
        return TS_VECTOR_OK;
    uint32_t top = v->depth ? v->stack_flags[v->depth - 1] : 0;
    uint32_t top_use = v->depth ? v->stack_use[v->depth - 1] : 0;
    if (i->mod == 0) {
        if (x->gate != TS_ALL_LANES)
            return TS_VECTOR_LANES;
        if (!v->depth)
            return TS_VECTOR_STACK_EMPTY;
        v->depth--;
        v->flags = top;
        v->use = top_use;
    } else if (i->mod <= 12) {
        v->use = merge(v->use, top_use, x->gate);
        v->flags = merge(v->flags, boolean(i->mod, v->flags, top), x->gate);
    } else if (i->mod == 13) {
        v->flags ^= x->gate;
    } else {
        v->use |= x->gate;
        v->flags = merge(v->flags, i->mod == 14 ? TS_ALL_LANES : 0, x->gate);
    }
    return TS_VECTOR_OK;
}

enum ts_vector_fault ts_vector_SFPMOV(struct ts_vector *v, const struct ts_vector_insn *i,
                                      const struct ts_vector_ctx *x)
{
    uint32_t lanes = i->mod == MOV_ALL_LANES ? x->gate : x->enable;
    TS_LANE_ARRAY(result);
    if (i->mod & MOV_SPECIAL) {
        if (i->vc == CONFIG_PRNG) {
            ts_vector_random(v, lanes, result);
        } else {
            static const uint32_t none[8];
            const uint32_t *column = i->vc < 4              ? v->template[i->vc]
                                     : i->vc < CONFIG_MISC  ? v->sequence[i->vc - 4]
                                     : i->vc == CONFIG_MISC ? v->misc
                                     : i->vc == CONFIG_LANE ? v->lane_config
                                                            : none;
            for (unsigned row = 0; row < 4; row++)
                memcpy(&result[8 * row], column, 8 * sizeof *column);
        }
    } else {
        uint32_t turn = i->mod & MOV_NEGATE ? TS_SIGN : 0;
        for (TS_EACH_LANE)
            result[l] = v->lreg[i->vc][l] ^ turn;
    }
    if (ts_lreg_writable(i->vd))
        ts_lanes_put(v->lreg[i->vd], result, lanes);
    return TS_VECTOR_OK;
}

static uint32_t combine(unsigned mod, uint32_t old, uint32_t value)
{
    switch (mod & 6) {
    case 0:
        return value;
    case 2:
        return old | value;
    case 4:
        return old & value;
    default:
        return old ^ value;
    }
}

// LReg 11..14 when no room is left in the instruction for a value (SFPCONFIG.md).
static const uint32_t config_default[4] = {0xBF800000u, 0x37800000u, 0xBF2CC4C7u, 0xBEB08FF9u};

// Reads the first eight lanes of LReg 0 only, and their flags; every column serves four lanes.
enum ts_vector_fault ts_vector_SFPCONFIG(struct ts_vector *v, const struct ts_vector_insn *i,
                                         const struct ts_vector_ctx *x)
{
    (void)x;
    bool immediate = i->mod & CONFIG_IMM_VALUE;
    for (unsigned column = 0; column < 8; column++) {
        if ((i->mod & CONFIG_IMM_LANES) && !(i->imm >> 2 * column & 1))
            continue;
        if (v->use & ~v->flags & ts_lane_bit[column])
            continue;
        uint32_t lreg = v->lreg[0][column], value = immediate ? i->imm : lreg;
        if (i->vd < 4) { // no room for an instruction in an immediate
            v->template[i->vd][column] = lreg;
        } else if (i->vd < CONFIG_MISC) {
            v->sequence[i->vd - 4][column] = value;
        } else if (i->vd == CONFIG_MISC) {
            v->misc[column] = combine(i->mod, v->misc[column], value) & MISC_BITS;
        } else if (i->vd >= CONFIG_LREG && i->vd < CONFIG_LANE) {
            value = immediate ? config_default[i->vd - CONFIG_LREG] : lreg;
            for (unsigned row = 0; row < 4; row++)
                v->lreg[i->vd][8 * row + column] = value;
        } else if (i->vd == CONFIG_LANE) {
            uint32_t old = v->lane_config[column];
            value = combine(i->mod, old, value) & TS_LANE_BITS;
            if (immediate) // sixteen bits do not cover the upper ones
                value |= old & ~0xFFFFu;
            if ((value ^ old) & TS_LANE_NO_BACKDOOR)
                v->config_lag = true;
            v->lane_config[column] = value;
        }
    }
    if (i->vd < 9 || i->vd == CONFIG_LANE)
        ts_vector_derive(v);
    return TS_VECTOR_OK;
}

void ts_vector_derive(struct ts_vector *v)
{
    struct {
        uint32_t bit, *mask;
    } derived[] = {
        {TS_LANE_FP16A_INF, &v->fp16a_inf},   {TS_LANE_NO_BACKDOOR, &v->no_backdoor},
        {TS_LANE_DEST_INDEX, &v->dest_index}, {TS_LANE_BLOCK_WRITE, &v->block_write},
        {TS_LANE_BLOCK_READ, &v->block_read}, {TS_LANE_ODD_READ, &v->odd_read},
        {TS_LANE_ODD_WRITE, &v->odd_write},   {TS_LANE_EXCHANGE, &v->exchange},
        {TS_LANE_CAPTURE_INDEX, &v->capture},
    };
    for (unsigned d = 0; d < sizeof derived / sizeof derived[0]; d++) {
        uint32_t mask = 0;
        for (TS_EACH_LANE)
            mask |= v->lane_config[l & 7] & derived[d].bit ? ts_lane_bit[l] : 0;
        *derived[d].mask = mask;
    }
    v->capture &= v->dest_index;
    v->row_mask = 0;
    for (TS_EACH_LANE)
        v->row_mask |= v->lane_config[l & 7] >> 12 >> l / 8 & 1 ? ts_lane_bit[l] : 0;
    v->columns_differ = false;
    for (unsigned column = 1; column < 8; column++) {
        v->columns_differ |= v->misc[column] != v->misc[0];
        for (unsigned n = 0; n < 4; n++)
            v->columns_differ |= v->template[n][column] != v->template[n][0] ||
                                 v->sequence[n][column] != v->sequence[n][0];
    }
}

uint16_t ts_vector_blocked_columns(const struct ts_vector *v)
{
    unsigned mask = 0;
    for (unsigned lane = 0; lane < 8; lane++) // two columns each
        mask |= (v->lane_config[lane] >> 9 & 3) << 2 * lane;
    return (uint16_t)mask;
}
