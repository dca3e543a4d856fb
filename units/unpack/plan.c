// UNPACR's address generation: configuration and counters to a plan, and the counters' steps
// afterwards. See unpack.h.

#include "units/files/format.h"
#include "units/unpack/unpack.h"

// The two unpackers' registers have the same layout, 48 words apart (2 for the output strides, 12
// for the rest of UNP*).
#define SEC_WORDS \
    (TS_CFG_ADDR_THCON_SEC1_REG0_TileDescriptor - TS_CFG_ADDR_THCON_SEC0_REG0_TileDescriptor)

// A field of THCON_SEC[which], named as in section 0.
#define SEC(name) TS_CFG(view->cfg + which * SEC_WORDS, THCON_SEC0_##name)
// A field of UNP[which] that exists twice under two names.
#define UNP(name) (which ? TS_CFG(view->cfg, UNP1_##name) : TS_CFG(view->cfg, UNP0_##name))

static uint32_t word(const struct ts_unpack_view *view, unsigned which, unsigned addr)
{
    return view->cfg[addr + which * SEC_WORDS];
}

// Unnamed fields of the tile descriptor (four words).
struct descriptor {
    uint32_t format, uncompressed, no_bfp_exp, blobs, x, y, z, w, digest;
    uint32_t blobs_y_start;
};

static struct descriptor read_descriptor(const struct ts_unpack_view *view, unsigned which)
{
    uint32_t w[4];
    for (unsigned i = 0; i < 4; i++)
        w[i] = word(view, which, TS_CFG_ADDR_THCON_SEC0_REG0_TileDescriptor + i);
    struct descriptor d = {
        .format = w[0] & 15,
        .uncompressed = w[0] >> 4 & 1,
        .no_bfp_exp = w[0] >> 5 & 1,
        .blobs = w[0] >> 8 & 7,
        .x = w[0] >> 16,
        .y = w[1] & 0xFF,
        .z = w[1] >> 16 & 0xFF,
        .w = w[2] & 0xFF,
        .blobs_y_start = w[2] >> 16 | w[3] << 16,
        .digest = w[3] >> 24,
    };
    d.z = d.z ? d.z : 1;
    d.w = d.w ? d.w : 1;
    return d;
}

static bool context_flag(uint32_t flags, unsigned context, unsigned shift)
{
    return flags >> (shift + (context & 3) + (context >= 4 ? 16 : 0)) & 1;
}

static unsigned context_count(const struct ts_unpack_view *view, unsigned which)
{
    if (SEC(REG2_Context_count_non_log2_en))
        return SEC(REG2_Context_count_non_log2);
    return 1u << SEC(REG2_Context_count);
}

static uint8_t next_context(const struct ts_unpack_view *view, unsigned which, unsigned context)
{
    unsigned next = (context + 1) & 7;
    return (uint8_t)(next >= context_count(view, which) ? 0 : next);
}

// The tile's sections, from the context's base address on.
static void plan_tile(struct ts_unpack_plan *plan, const struct ts_unpack_view *view, bool multi)
{
    struct descriptor d = read_descriptor(view, plan->which);
    unsigned which = plan->which, context = multi ? plan->context : 0;
    uint32_t x_dim = d.x, starts = d.blobs_y_start;
    if (multi && which == 0) {
        uint32_t pair = view->cfg[TS_CFG_ADDR_THCON_SEC0_REG5_Tile_x_dim_cntx0 + (context & 3) / 2];
        x_dim = pair >> 16 * (context & 1) & 0xFFFF;
        starts = context & 2 ? TS_CFG(view->cfg, UNP0_BLOBS_Y_START_CNTX_23_blobs_y_start)
                             : TS_CFG(view->cfg, UNP0_BLOBS_Y_START_CNTX_01_blobs_y_start);
    }
    plan->tile.x = x_dim;
    plan->tile.y = d.y;
    plan->tile.z = d.z;
    plan->tile.blobs = d.blobs;
    plan->tile.starts = starts;
    plan->tile.base = (uint16_t)(TS_CFG_ADDR_THCON_SEC0_REG3_Base_address + which * SEC_WORDS +
                                 context);
    plan->tile.head =
        (word(view, which, TS_CFG_ADDR_THCON_SEC0_REG7_Offset_address + (context & 3)) & 0xFFFF) +
        1 + d.digest;
    if (!plan->uncompressed) {
        uint32_t rows = (d.blobs ? d.blobs : d.y) * d.z * d.w;
        plan->tile.rows = ((rows + 1) * 2 + 15) & ~15u;
    }
    bool section = plan->in_format == TS_FMT_BFP8 || plan->in_format == TS_FMT_BFP8A ||
                   !d.no_bfp_exp;
    if (plan->bfp && !plan->forced_exp && section) {
        uint32_t exponents = (x_dim * d.y * d.z * d.w + 15) / 16;
        plan->tile.exps = (exponents + 15) & ~15u;
    }
}

// The input: position of the first datum in the tile, and how many.
static struct ts_refusal place_input(struct ts_unpack_plan *plan, const struct ts_unpack_view *view,
                                     const struct ts_adcs *adcs)
{
    const struct ts_adc *xy = &adcs->set[plan->adc][plan->which];
    const uint32_t *zw = adcs->set[view->thread][plan->which].channel[0].v;
    uint32_t x = xy->channel[0].v[TS_ADC_X], y = xy->channel[0].v[TS_ADC_Y];
    uint32_t x_end = xy->channel[1].v[TS_ADC_X] + 1, first, bits = ts_format_bits(plan->in_format);
    uint32_t plane = zw[TS_ADC_W] * plan->tile.z + zw[TS_ADC_Z], blobs = plan->tile.blobs;
    uint32_t row_starts = (view->cfg[plan->tile.base] + plan->tile.head) * 16;
    uint32_t exponents = row_starts + plan->tile.rows;
    bool row_search = plan->row_search;
    plan->drop = 0;
    plan->out_count = UINT32_MAX;
    plan->data_bit = (uint64_t)(exponents + plan->tile.exps) * 8;
    if (plan->uncompressed) {
        if (__builtin_expect(row_search, 0)) {
            if (blobs) {
                uint32_t starts = plan->tile.starts, next = (x & 7) + 1;
                x = (starts >> 4 * (y & 7) & 15) << 4;
                y = 0;
                x_end = next == blobs ? plan->tile.x & 0x1F0
                                      : (next < 8 ? starts >> 4 * next & 15 : 0) << 4;
            } else {
                x = 0;
                x_end--;
            }
        }
        first = (plane * plan->tile.y + y) * plan->tile.x + x;
        if (x_end < x)
            return ts_contract("UNPACR: last datum before first", x_end);
        plan->count = x_end - x;
        plan->data_bit += (uint64_t)first * bits;
    } else {
        uint32_t rows = row_search && blobs ? blobs : plan->tile.y;
        uint32_t at = row_starts + 2 * plane * rows;
        uint32_t need = at + 2 * (((row_search ? x : y) & 0xFF) + 1) + 2;
        if (need > view->l1_size || at + 2 * (y & 0xFF) + 2 > view->l1_size)
            return ts_contract("UNPACR: row starts outside L1", at);
        uint16_t start, end;
        memcpy(&start, view->l1 + at + 2 * (y & 0xFF), 2);
        memcpy(&end, view->l1 + need - 2, 2);
        first = start;
        plan->count = (uint32_t)(end - start);
        if (!row_search && !(x == 0 && x_end == plan->tile.x)) {
            plan->drop = x;
            plan->out_count = x_end - x;
            plan->count = UINT32_MAX;
        }
        uint64_t group = plan->data_bit + (uint64_t)(first / 32) * (32 * bits + 128);
        plan->data_bit = group + (first % 32) * bits;
        plan->delta_bit = group + 32 * bits + (first % 32) * 4;
    }
    plan->exp_16th = (uint64_t)exponents * 16 + first;
    plan->bytes = plan->count == UINT32_MAX ? plan->out_count * bits / 8
                                            : (plan->count * bits + 7) / 8;
    if (__builtin_expect(plan->transpose || plan->tileize, 0) && plan->data_bit % 128)
        return ts_contract("UNPACR: transpose or tileize from an unaligned address",
                           (uint32_t)(plan->data_bit / 8));
    return ts_fine();
}

// The output: position, in data.
static void plan_output(struct ts_unpack_plan *plan, const struct ts_unpack_view *view, bool multi)
{
    unsigned which = plan->which;
    plan->output.base = UNP(ADDR_BASE_REG_1_Base);
    plan->output.stride[TS_ADC_Y] = UNP(ADDR_CTRL_XY_REG_1_Ystride);
    plan->output.stride[TS_ADC_Z] = UNP(ADDR_CTRL_ZW_REG_1_Zstride);
    plan->output.stride[TS_ADC_W] = UNP(ADDR_CTRL_ZW_REG_1_Wstride);
    plan->output.shift = ts_format_bits(plan->out_format) == 32
                             ? 2
                             : ts_format_bits(plan->out_format) == 16;
    if (multi && which == 0) {
        unsigned context = plan->context & 3;
        uint32_t pair = view->cfg[TS_CFG_ADDR_THCON_SEC0_REG5_Dest_cntx0_address + context / 2];
        plan->output.offset = pair >> 16 * (context & 1) & 0xFFFF;
        plan->output.absolute = plan->target != TS_UNPACK_DST &&
                                !TS_CFG(view->cfg, UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr);
    }
    plan->row_from_address = TS_THD(view->thd, SRCA_SET_SetOvrdWithAddr);
}

static struct ts_refusal place_output(struct ts_unpack_plan *plan,
                                      const struct ts_unpack_view *view, const struct ts_adcs *adcs)
{
    const uint32_t *at = adcs->set[view->thread][plan->which].channel[1].v;
    const uint32_t *stride = plan->output.stride;
    uint32_t addr = plan->output.base + at[TS_ADC_Y] * stride[TS_ADC_Y] +
                    at[TS_ADC_Z] * stride[TS_ADC_Z] + at[TS_ADC_W] * stride[TS_ADC_W];
    if (addr & ((1u << plan->output.shift) - 1))
        return ts_contract("UNPACR: output address not aligned to a datum", addr);
    plan->out = (plan->output.absolute ? 0 : addr >> plan->output.shift) + plan->output.offset;
    return ts_fine();
}

// Bytes per cycle: the mode's own speed, or that of Throttle_mode. Blackhole's default is x4, x8
// for 8-bit formats.
static uint8_t plan_speed(const struct ts_unpack_plan *plan, const struct ts_unpack_view *view,
                          bool tileize)
{
    unsigned which = plan->which, bits = ts_format_bits(plan->in_format);
    if (!plan->uncompressed || plan->upsample >= 3 || bits == 2)
        return 0;
    unsigned speed = SEC(REG2_Throttle_mode);
    if (tileize)
        speed = 2;
    else if (!SEC(REG1_ovrd_default_throttle_mode))
        speed = bits == 8 ? 3 : 2;
    bool slow = plan->upsample == 1 || (plan->target == TS_UNPACK_DST && bits == 4);
    return (uint8_t)(slow && speed > 1 ? 1 : speed);
}

// Which context and whose counters an UNPACR with ovrd_thread_id takes.
static struct ts_refusal plan_context(struct ts_unpack_plan *plan,
                                      const struct ts_unpack_view *view,
                                      const struct ts_unpacker *unpacker,
                                      struct ts_args_UNPACR args)
{
    unsigned which = plan->which;
    unsigned context = args.auto_inc_context_id ? unpacker->context[view->thread]
                                                : args.cfg_context_id;
    context += which ? TS_THD(view->thd, UNPACK_MISC_CFG_CfgContextOffset_1)
                     : TS_THD(view->thd, UNPACK_MISC_CFG_CfgContextOffset_0);
    plan->context = context & 7;
    if (args.addr_cnt_context_id ||
        (view->thread && ts_bits_ask(view->bits, TS_BITS_unpack_counters)))
        plan->adc = (uint8_t)args.addr_cnt_context_id;
    if (plan->adc == 3)
        return ts_contract("UNPACR: addr_cnt_context_id", 3);
    if (which == 1 && plan->context >= 2)
        return ts_contract("UNPACR: context of unpacker 1", plan->context);
    return ts_fine();
}

// Formats, target and the transformations of the data.
static void plan_formats(struct ts_unpack_plan *plan, const struct ts_unpack_view *view, bool multi)
{
    unsigned which = plan->which;
    struct descriptor d = read_descriptor(view, which);
    uint32_t flags = word(view, which, TS_CFG_ADDR_THCON_SEC0_REG2_Disable_zero_compress_cntx0);
    plan->uncompressed = multi ? context_flag(flags, plan->context, 0) : d.uncompressed;
    plan->in_format = (uint8_t)d.format;
    plan->out_format = (uint8_t)SEC(REG2_Out_data_format);
    if (multi && SEC(REG2_Ovrd_data_format)) {
        uint32_t w = word(view, which,
                          TS_CFG_ADDR_THCON_SEC0_REG7_Offset_address + (plan->context & 3));
        w >>= plan->context >= 4 ? 24 : 16;
        plan->in_format = w & 15;
        plan->out_format = w >> 4 & 15;
    }
    plan->bfp = ts_format_is_bfp(plan->in_format);
    plan->forced_exp = SEC(REG2_Force_shared_exp);
    plan->exponent = (uint8_t)UNP(FORCED_SHARED_EXP_shared_exp);
    plan->int8_unsigned = which ? TS_CFG(view->cfg, ALU_FORMAT_SPEC_REG0_SrcBUnsigned)
                                : TS_CFG(view->cfg, ALU_FORMAT_SPEC_REG0_SrcAUnsigned);
    plan->fp8_e4m3 = SEC(REG1_Unp_LF8_4b_exp);
    plan->fp8_plain = ts_bits_machine(view->bits, TS_RULE_fp8_plain);
    bool to_dst = which == 0 &&
                  (multi ? context_flag(flags, plan->context, 4) : SEC(REG2_Unpack_If_Sel));
    plan->target = which ? TS_UNPACK_SRCB : to_dst ? TS_UNPACK_DST : TS_UNPACK_SRCA;
    plan->dst32 = ts_format_bits(plan->out_format) == 32;
    plan->transpose = which == 0 && SEC(REG2_Haloize_mode);
    plan->upsample = (uint8_t)((1u << SEC(REG2_Upsample_rate)) - 1);
    plan->interleave = SEC(REG2_Upsample_and_interleave);
}

// Rows of input: Blackhole takes 32 data at a time, 16 of those that are 8 bits or smaller; Wormhole 16.
static struct ts_refusal plan_rows(struct ts_unpack_plan *plan, const struct ts_unpack_view *view)
{
    unsigned which = plan->which;
    bool tileize = plan->tileize = SEC(REG2_Tileize_mode);
    unsigned bits = ts_format_bits(plan->in_format);
    const bool narrow = ts_bits_machine(view->bits, TS_RULE_unpack_rows_16);
    plan->row_data = bits <= 8 || narrow ? 16 : 32;
    plan->row_stride = plan->row_data * bits / 8;
    if (tileize)
        plan->row_stride = SEC(REG2_Shift_amount_cntx0) << 4 | SEC(REG2_Shift_amount_cntx1) << 8 |
                           SEC(REG2_Shift_amount_cntx2) << 12;
    else if (which == 0)
        plan->col_shift = word(view, 0, TS_CFG_ADDR_THCON_SEC0_REG2_Shift_amount_cntx0) >>
                              (16 + 4 * (plan->context & 3)) &
                          15;
    plan->bytes_shift = plan_speed(plan, view, tileize);
    uint32_t bytes = plan->bytes_shift == 2 && bits >= 16 && !narrow ? 128
                                                                     : 16u << plan->bytes_shift;
    plan->burst = (uint8_t)(bytes / (2 * bits) > 8 ? 8 : bytes / (2 * bits));

    if (tileize && (plan->upsample || !plan->uncompressed || bits < 8))
        return ts_contract("UNPACR: tileize with upsampling, compression or a format under 8 bits",
                           bits);
    if (plan->target == TS_UNPACK_DST && (plan->col_shift || plan->transpose))
        return ts_contract("UNPACR: to Dst with transpose or shift", plan->col_shift);
    return ts_fine();
}

struct ts_refusal ts_unpack_settings(struct ts_unpack_plan *plan, const struct ts_unpack_view *view,
                                     const struct ts_unpacker *unpacker, struct ts_args_UNPACR args)
{
    unsigned which = args.unpack_block_selection;
    bool multi = args.ovrd_thread_id;
    memset(plan, 0, sizeof *plan);
    plan->args = args;
    plan->which = (uint8_t)which;
    plan->adc = (uint8_t)view->thread;
    if (args.srcb_bcast)
        return ts_not_implemented("UNPACR: srcb_bcast", 1);
    struct ts_refusal refusal = multi ? plan_context(plan, view, unpacker, args) : ts_fine();
    if (refusal.what)
        return refusal;
    plan->zero = args.zero_write2;
    plan_formats(plan, view, multi);
    refusal = ts_unpack_check(plan);
    if (refusal.what)
        return refusal;
    plan_tile(plan, view, multi);
    plan->row_search = args.row_search;
    plan->limit = SEC(REG2_Unpack_limit_address) * 16;
    plan->wrap = SEC(REG2_Unpack_fifo_size) * 16;
    refusal = plan_rows(plan, view);
    if (!refusal.what)
        plan_output(plan, view, multi);
    return refusal;
}

struct ts_refusal ts_unpack_place(struct ts_unpack_plan *plan, const struct ts_unpack_view *view,
                                  const struct ts_adcs *adcs, const struct ts_unpacker *unpacker)
{
    struct ts_refusal refusal = place_input(plan, view, adcs);
    plan->src_row = unpacker->src_row[view->thread];
    return refusal.what ? refusal : place_output(plan, view, adcs);
}

struct ts_refusal ts_unpack_plan(struct ts_unpack_plan *plan, const struct ts_unpack_view *view,
                                 const struct ts_adcs *adcs, const struct ts_unpacker *unpacker,
                                 struct ts_args_UNPACR args)
{
    struct ts_refusal refusal = ts_unpack_settings(plan, view, unpacker, args);
    return refusal.what ? refusal : ts_unpack_place(plan, view, adcs, unpacker);
}

static void step(struct ts_adc *adc, uint32_t addr_mode)
{
    ts_adc_add_yz(&adc->channel[0], (ts_adc_yz){addr_mode >> 2 & 3, addr_mode & 3});
    ts_adc_add_yz(&adc->channel[1], (ts_adc_yz){addr_mode >> 6 & 3, addr_mode >> 4 & 3});
}

void ts_unpack_count(const struct ts_unpack_plan *plan, const struct ts_unpack_view *view,
                     struct ts_adcs *adcs, struct ts_unpacker *unpacker)
{
    unsigned which = plan->which, thread = view->thread;
    if (plan->args.ovrd_thread_id && plan->args.auto_inc_context_id)
        unpacker->context[thread] = next_context(view, which, plan->context);
    if (!plan->args.addr_mode)
        return;
    step(&adcs->set[thread][which], plan->args.addr_mode);
    if (plan->adc != thread)
        step(&adcs->set[plan->adc][which], plan->args.addr_mode);
}

void ts_unpack_hand_over(const struct ts_unpack_plan *plan, const struct ts_unpack_view *view,
                         struct ts_unpacker *unpacker, struct ts_srcs *srcs)
{
    unsigned which = plan->which, thread = view->thread;
    uint32_t base = (which ? TS_THD(view->thd, SRCB_SET_Base) : TS_THD(view->thd, SRCA_SET_Base))
                    << 4;
    unpacker->last_format = plan->out_format;
    unpacker->any_format = true;
    if (plan->args.set_dat_valid) {
        ts_src_hand_over(which ? &srcs->b : &srcs->a, plan->out_format);
        unpacker->src_row[thread] = (uint8_t)base;
    } else if (SEC(REG2_Unpack_Src_Reg_Set_Upd)) {
        unpacker->src_row[thread] = (uint8_t)((unpacker->src_row[thread] + 16 + base) & 0x3F);
    }
}

bool ts_unpack_other(const struct ts_unpack_view *view, struct ts_unpacker *unpacker,
                     struct ts_args_UNPACR args)
{
    if (args.cfg_context_cnt_inc) {
        uint8_t *context = &unpacker->context[view->thread];
        *context = next_context(view, args.unpack_block_selection, *context);
        return true;
    }
    return args.search_cache_flush; // the cache of row starts is not modelled: nothing to flush
}
