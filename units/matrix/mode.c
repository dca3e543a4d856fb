// What configuration and recorded formats make of an instruction: formats, styles, width of Dst.
// See matrix.h.
#include "units/matrix/matrix.h"

// Word addresses of the thread configuration (tt-metal cfg_defines.h).
enum { THREAD_IMPLIED_A = 2, THREAD_IMPLIED_B = 3, THREAD_FP16A_FORCE = 55 };

struct ts_alu_cfg ts_alu_cfg_read(const uint32_t *cfg, const uint16_t *thread_cfg)
{
    return (struct ts_alu_cfg){
        .fmt_a_override = cfg[0] & 15,
        .override_a = cfg[0] >> 4 & 1,
        .fmt_a = cfg[1] >> 17 & 15,
        .fmt_b = cfg[1] >> 21 & 15,
        .stochastic = cfg[1] & 1,
        .fp32 = cfg[1] >> 29 & 1,
        .int8 = cfg[1] >> 31,
        .zero_flag_disabled_src = cfg[2] & 1,
        .implied_a = !(thread_cfg[THREAD_IMPLIED_A] & 1),
        .implied_b = !(thread_cfg[THREAD_IMPLIED_B] & 1),
        .fp16a_force = thread_cfg[THREAD_FP16A_FORCE] & 1,
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

void ts_fpu_mode_of(struct ts_fpu_mode *mode, const struct ts_alu_cfg *cfg,
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
