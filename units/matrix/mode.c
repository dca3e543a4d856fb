// The mode of an instruction, from configuration and recorded formats: formats, styles, Dst width.
// See matrix.h.
#include "units/matrix/matrix.h"

#include "units/isa/cfgregs.h"

struct ts_alu_cfg ts_alu_cfg_read(const uint32_t *cfg, const uint16_t *thread_cfg)
{
    return (struct ts_alu_cfg){
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
    };
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

void ts_matrix_mode_of(struct ts_matrix_mode *mode, const struct ts_alu_cfg *cfg,
                       const struct ts_srcs *srcs, unsigned phase)
{
    bool force = cfg->fp16a_force;
    mode->style_a = (uint8_t)(force ? TS_STYLE_FP16 : ts_format_style(ts_alu_format_a(cfg, srcs)));
    mode->style_b = (uint8_t)(force ? TS_STYLE_FP16 : ts_format_style(ts_alu_format_b(cfg, srcs)));
    mode->int8 = cfg->int8 && !force;
    mode->dst32 = (cfg->fp32 || cfg->int8) && !force;
    mode->keep_denormals = cfg->zero_flag_disabled_src;
    mode->stochastic = cfg->stochastic;
    mode->phase = phase & 3;
}
