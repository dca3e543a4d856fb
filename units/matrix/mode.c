// The mode of an instruction, from configuration and recorded formats: formats, styles, Dst width.
// See matrix.h.
#include "units/matrix/matrix.h"

struct ts_alu_cfg ts_alu_cfg_read(const uint32_t *cfg, const uint16_t *thread_cfg,
                                  struct ts_bits *bits)
{
    struct ts_alu_cfg alu = (struct ts_alu_cfg){
        .fmt_a_override = TS_CFG(cfg, ALU_FORMAT_SPEC_REG_SrcA_val),
        .override_a = TS_CFG(cfg, ALU_FORMAT_SPEC_REG_SrcA_override),
        .fmt_a = TS_CFG(cfg, ALU_FORMAT_SPEC_REG0_SrcA),
        .fmt_b = TS_CFG(cfg, ALU_FORMAT_SPEC_REG1_SrcB),
        .stochastic = TS_CFG(cfg, ALU_ROUNDING_MODE_Fpu_srnd_en),
        .fp32 = TS_CFG(cfg, ALU_ACC_CTRL_Fp32_enabled),
        .int8 = TS_CFG(cfg, ALU_ACC_CTRL_INT8_math_enabled),
        .zero_flag_disabled_src = TS_CFG(cfg, ALU_ACC_CTRL_Zero_Flag_disabled_src),
        .implied_a = !TS_THD(thread_cfg, DISABLE_IMPLIED_SRCA_FMT_Base),
        .implied_b = !TS_THD(thread_cfg, DISABLE_IMPLIED_SRCB_FMT_Base),
        .fp16a_force = TS_THD(thread_cfg, FP16A_FORCE_Enable),
        .fmt_dest = TS_THD(thread_cfg, SFPU_DEST_FMT_Base),
        .uncut = ts_bits_silicon(bits, TS_BITS_src_uncut),
        .minus_one = ts_bits_machine(bits, TS_RULE_minus_one),
    };
    unsigned b = TS_CFG(cfg, ALU_FORMAT_SPEC_REG_SrcB_val);
    if (TS_CFG(cfg, ALU_FORMAT_SPEC_REG_SrcB_override) && b != alu.fmt_b && !alu.implied_b &&
        ts_bits_ask(bits, TS_BITS_srcb_override))
        alu.fmt_b = (uint8_t)b;
    return alu;
}

// An implied format wins over the configured one, override or not.
static unsigned configured_a(const struct ts_alu_cfg *cfg)
{
    return cfg->override_a ? cfg->fmt_a_override : cfg->fmt_a;
}

unsigned ts_alu_format_a(const struct ts_alu_cfg *cfg, const struct ts_srcs *srcs)
{
    return cfg->implied_a ? srcs->a.bank[srcs->a.matrix].format : configured_a(cfg);
}

unsigned ts_alu_format_b(const struct ts_alu_cfg *cfg, const struct ts_srcs *srcs)
{
    return cfg->implied_b ? srcs->b.bank[srcs->b.matrix].format : cfg->fmt_b;
}

unsigned ts_alu_format_ab(const struct ts_alu_cfg *cfg, const struct ts_srcs *srcs)
{
    return cfg->implied_a ? srcs->b.bank[srcs->b.matrix].format : configured_a(cfg);
}

// Uncut words of BF16 formats are read as those of TF32: the accumulator is the same.
static uint8_t style_of(const struct ts_alu_cfg *cfg, unsigned format)
{
    enum ts_style style = ts_format_style(format);
    return cfg->fp16a_force                       ? TS_STYLE_FP16
           : cfg->uncut && style == TS_STYLE_BF16 ? TS_STYLE_TF32
                                                  : (uint8_t)style;
}

// Can words of the bank have bits that the format lacks? Only if they were moved there, or unpacked
// in another format.
static bool is_unusual(const struct ts_alu_cfg *cfg, const struct ts_src_bank *bank,
                       unsigned format)
{
    if (cfg->int8)
        return bank->moved || bank->format != TS_FMT_INT8;
    return ts_format_style(format) == TS_STYLE_BF16 &&
           (bank->moved || ts_format_style(bank->format) != TS_STYLE_BF16);
}

void ts_matrix_mode_of(struct ts_matrix_mode *mode, const struct ts_alu_cfg *cfg,
                       const struct ts_srcs *srcs, unsigned phase)
{
    bool force = cfg->fp16a_force;
    unsigned a = ts_alu_format_a(cfg, srcs), b = ts_alu_format_b(cfg, srcs);
    mode->style_a = style_of(cfg, a);
    mode->style_b = style_of(cfg, b);
    mode->check = !force && (is_unusual(cfg, &srcs->a.bank[srcs->a.matrix], a) ||
                             is_unusual(cfg, &srcs->b.bank[srcs->b.matrix], b));
    mode->int8 = cfg->int8 && !force;
    mode->dst32 = (cfg->fp32 || cfg->int8) && !force;
    mode->keep_denormals = cfg->zero_flag_disabled_src;
    mode->stochastic = cfg->stochastic;
    mode->minus_one = cfg->minus_one && mode->dst32;
    mode->phase = phase & 3;
}

static uint32_t low_bits(const uint32_t w[16], unsigned rows)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < 16 * rows; i++)
        bits |= w[i];
    return bits & 0xE000u;
}

static bool exponents_are_16(const uint32_t w[16], unsigned rows)
{
    for (unsigned i = 0; i < 16 * rows; i++) {
        uint32_t exponent = w[i] >> 23 & 0xFF;
        if (exponent != 0 && exponent != 16)
            return false;
    }
    return true;
}

struct ts_refusal ts_alu_unusual(const struct ts_alu_cfg *cfg, const struct ts_srcs *srcs,
                                 struct ts_bits *bits, unsigned row_a, unsigned row_b)
{
    const uint32_t *a = srcs->a.bank[srcs->a.matrix].w[row_a & 0x30],
                   *b = srcs->b.bank[srcs->b.matrix].w[row_b & 0x38];
    if (cfg->int8) {
        if (!(exponents_are_16(a, 16) && exponents_are_16(b, 8)) &&
            ts_bits_ask(bits, TS_BITS_int8_exponent))
            return ts_not_implemented(
                "integers in Src whose exponent is not 16 (rule int8_exponent)", 0);
        return ts_fine();
    }
    bool cut_a = ts_format_style(ts_alu_format_a(cfg, srcs)) == TS_STYLE_BF16 && low_bits(a, 16);
    bool cut_b = ts_format_style(ts_alu_format_b(cfg, srcs)) == TS_STYLE_BF16 && low_bits(b, 8);
    if (cut_a || cut_b)
        ts_bits_ask(bits, TS_BITS_src_uncut);
    return ts_fine();
}
