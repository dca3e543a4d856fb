// PACR's address generation: configuration and counters to a plan, and the counters' steps
// afterwards. See pack.h.

#include "units/files/format.h"
#include "units/pack/pack.h"

#define CFG(name) TS_CFG(view->cfg, name)

// Four row numbers at once.
typedef uint16_t rows_mem __attribute__((vector_size(8), aligned(2), may_alias));

static struct ts_refusal refuse_fields(const struct ts_pack_view *view, struct ts_args_PACR args)
{
    if (args.ctxt_ctrl)
        return ts_not_implemented("PACR: ctxt_ctrl", args.ctxt_ctrl);
    if (args.cfg_context)
        return ts_not_implemented("PACR: cfg_context", args.cfg_context);
    if (args.row_pad_zero)
        return ts_not_implemented("PACR: row_pad_zero", args.row_pad_zero);
    if (CFG(THCON_SEC0_REG1_All_pack_disable_zero_compress_ovrd))
        return ts_not_implemented("PACR: All_pack_disable_zero_compress_ovrd", 1);
    if (CFG(THCON_SEC0_REG1_Dis_shared_exp_assembler))
        return ts_not_implemented("PACR: Dis_shared_exp_assembler", 1);
    if (CFG(THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel))
        return ts_not_implemented("PACR: Auto_set_last_pacr_intf_sel", 1);
    if (CFG(THCON_SEC0_REG1_pack_start_intf_pos))
        return ts_not_implemented("PACR: pack_start_intf_pos",
                                  CFG(THCON_SEC0_REG1_pack_start_intf_pos));
    return ts_fine();
}

// An address modifier: for each channel Y in six bits, then for each Z in two.
enum { Y_INCR = 15, Y_CR = 1 << 4, Y_CLEAR = 1 << 5, Z_INCR = 1, Z_CLEAR = 1 << 1 };
#define Y_OF(mod, channel) ((mod) >> 6 * (channel))
#define Z_OF(mod, channel) ((mod) >> (12 + 2 * (channel)))

static void plan_steps(struct ts_pack_plan *plan, const struct ts_pack_view *view)
{
    for (unsigned m = 0; m < 4; m++) {
        uint32_t mod = view->thd[TS_THD_ADDR_ADDR_MOD_PACK_SEC0_YsrcIncr + m];
        plan->mods[m] = (uint16_t)mod;
        for (unsigned ch = 0; ch < 2; ch++) {
            plan->steps[m][ch] = (ts_adc_yz){Y_OF(mod, ch) & Y_INCR, Z_OF(mod, ch) & Z_INCR};
            if (Y_OF(mod, ch) & (Y_CR | Y_CLEAR) || Z_OF(mod, ch) & Z_CLEAR)
                plan->returns |= (uint8_t)(1u << m);
        }
    }
}

void ts_pack_return(struct ts_adc *adc, uint32_t mod)
{
    for (unsigned ch = 0; ch < 2; ch++) {
        struct ts_adc_channel *c = &adc->channel[ch];
        if (Y_OF(mod, ch) & Y_CLEAR)
            ts_adc_put(c, TS_ADC_Y, 0);
        else if (Y_OF(mod, ch) & Y_CR)
            ts_adc_add_cr(c, TS_ADC_Y, Y_OF(mod, ch) & Y_INCR);
        else
            ts_adc_add(c, TS_ADC_Y, Y_OF(mod, ch) & Y_INCR);
        if (Z_OF(mod, ch) & Z_CLEAR)
            ts_adc_put(c, TS_ADC_Z, 0);
        else
            ts_adc_add(c, TS_ADC_Z, Z_OF(mod, ch) & Z_INCR);
    }
}

// How counters map to rows of Dst: one per read interface, adjacent, or sixteen apart in strided
// access.
static void plan_input(struct ts_pack_plan *plan, const struct ts_pack_view *view,
                       struct ts_args_PACR args)
{
    static const uint8_t shift_of[4] = {2, 1, 0, 0}; // by the low bits of the format
    plan->input_shift = shift_of[plan->in & 3];
    plan->input_mask = 15u >> plan->input_shift;
    plan->input.base = CFG(PCK0_ADDR_BASE_REG_0_Base);
    plan->input.stride[TS_ADC_X] = CFG(PCK0_ADDR_CTRL_XY_REG_0_Xstride) & 15;
    plan->input.stride[TS_ADC_Y] = CFG(PCK0_ADDR_CTRL_XY_REG_0_Ystride);
    plan->input.stride[TS_ADC_Z] = CFG(PCK0_ADDR_CTRL_ZW_REG_0_Zstride);
    plan->input.stride[TS_ADC_W] = CFG(PCK0_ADDR_CTRL_ZW_REG_0_Wstride);
    plan->flush = args.flush;
    plan->concat = args.concat;
    if (args.flush)
        return; // nothing is read
    plan->zero = args.zero_write;
    if (plan->from_l1)
        return;
    uint32_t interfaces = args.read_intf_sel ? args.read_intf_sel : 15,
             stride = args.dst_access_mode ? 16 : 1;
    plan->adjacent = stride == 1;
    for (unsigned i = 0; i < 4; i++)
        if (interfaces >> i & 1)
            plan->row_step[plan->rows++] = (uint16_t)(i * stride);
}

static void plan_edges(struct ts_pack_plan *plan, const struct ts_pack_view *view)
{
    static const uint16_t rows[4] = {
        TS_CFG_ADDR_TILE_ROW_SET_MAPPING_0_row_set_mapping_0,
        TS_CFG_ADDR_TILE_ROW_SET_MAPPING_1_row_set_mapping_0,
        TS_CFG_ADDR_TILE_ROW_SET_MAPPING_2_row_set_mapping_0,
        TS_CFG_ADDR_TILE_ROW_SET_MAPPING_3_row_set_mapping_0,
    };
    static const uint16_t faces[4] = {
        TS_CFG_ADDR_TILE_FACE_SET_MAPPING_0_face_set_mapping_0,
        TS_CFG_ADDR_TILE_FACE_SET_MAPPING_1_face_set_mapping_0,
        TS_CFG_ADDR_TILE_FACE_SET_MAPPING_2_face_set_mapping_0,
        TS_CFG_ADDR_TILE_FACE_SET_MAPPING_3_face_set_mapping_0,
    };
    plan->mask[0] = (uint16_t)CFG(PCK_EDGE_OFFSET_SEC0_mask);
    plan->mask[1] = (uint16_t)CFG(PCK_EDGE_OFFSET_SEC1_mask);
    plan->mask[2] = (uint16_t)CFG(PCK_EDGE_OFFSET_SEC2_mask);
    plan->mask[3] = (uint16_t)CFG(PCK_EDGE_OFFSET_SEC3_mask);
    plan->mask_neginf = CFG(PCK_EDGE_MODE_mode);
    plan->row_set_select = CFG(PCK_EDGE_TILE_ROW_SET_SELECT_select) & 3;
    plan->face_enable = CFG(PCK_EDGE_TILE_FACE_SET_SELECT_enable);
    plan->face_set = view->cfg[faces[CFG(PCK_EDGE_TILE_FACE_SET_SELECT_select) & 3]];
    plan->yz_transposed = CFG(PACK_COUNTERS_SEC0_pack_yz_transposed);
    plan->reads_per_plane = (uint8_t)CFG(PACK_COUNTERS_SEC0_pack_reads_per_xy_plane);
    bool some = false;
    for (unsigned i = 0; i < 4; i++) {
        plan->row_set[i] = view->cfg[rows[i]];
        some |= plan->mask[i] != 0xFFFF;
    }
    if (!some)
        return;
    if (!plan->face_enable && plan->row_set[plan->row_set_select] == 0) { // every row uses mask 0
        plan->masked = plan->mask[0] != 0xFFFF;
        return;
    }
    plan->masked = true;
}

// Where the streams begin, when this PACR opens them.
static void plan_start(struct ts_pack_plan *plan, const struct ts_pack_view *view,
                       const uint32_t *ch1, const struct ts_packer *packer)
{
    uint32_t addr = CFG(THCON_SEC0_REG1_L1_Dest_addr) +
                    !CFG(THCON_SEC0_REG1_Sub_l1_tile_header_size);
    uint32_t yzw = CFG(PCK0_ADDR_BASE_REG_1_Base) +
                   ch1[TS_ADC_Y] * CFG(PCK0_ADDR_CTRL_XY_REG_1_Ystride) +
                   ch1[TS_ADC_Z] * CFG(PCK0_ADDR_CTRL_ZW_REG_1_Zstride) +
                   ch1[TS_ADC_W] * CFG(PCK0_ADDR_CTRL_ZW_REG_1_Wstride);
    // Blackhole counts bytes here, Wormhole units of 16.
    addr += ts_bits_machine(view->bits, TS_RULE_four_packers) ? yzw & ~15u : yzw >> 4;
    if (CFG(THCON_SEC0_REG1_Add_l1_dest_addr_offset))
        addr += packer->l1_offset;
    uint32_t fifo = CFG(THCON_SEC0_REG9_Pack_0_2_fifo_size) * 2;
    if (fifo && addr > CFG(THCON_SEC0_REG9_Pack_0_2_limit_address) * 2 + 1)
        addr -= fifo;
    plan->row_addr = (addr & 0x1FFFF) << 4;
    if (plan->compress)
        addr += CFG(THCON_SEC0_REG1_Row_start_section_size);
    plan->exp_addr = (addr & 0x1FFFF) << 4;
    if (plan->out & 2) // every format under 16 bits, FP8 and INT8 too
        addr += CFG(THCON_SEC0_REG1_Exp_section_size);
    plan->data_addr = (addr & 0x1FFFF) << 4;
}

// What a PACR of this many data writes.
static void plan_output(struct ts_pack_plan *plan, uint32_t count)
{
    uint32_t mask = plan->downsample ? plan->downsample : 0xFFFF, rows = plan->rows;
    plan->bytes = count * ts_format_bits(plan->out) / 8;
    if (plan->compress) // as if no zero were removed: time does not depend on data
        plan->bytes += count / 2;
    if (mask != 0xFFFF)
        plan->bytes = plan->bytes * (uint32_t)__builtin_popcount(mask) / 16;
    plan->row_bytes = rows ? (plan->bytes + rows - 1) / rows : plan->bytes;
}

struct ts_refusal ts_pack_settings(struct ts_pack_plan *plan, const struct ts_pack_view *view,
                                   struct ts_args_PACR args)
{
    memset(plan, 0, sizeof *plan);
    struct ts_refusal refusal = refuse_fields(view, args);
    if (refusal.what)
        return refusal;
    plan->adc = plan->thread = (uint8_t)view->thread;
    if (args.ovrd_thread_id)
        plan->adc = (uint8_t)(args.addr_cnt_context == 3 ? 0 : args.addr_cnt_context);
    plan->stats = view->stats;

    plan->middle = (uint8_t)(CFG(ALU_FORMAT_SPEC_REG_Dstacc_override)
                                 ? CFG(ALU_FORMAT_SPEC_REG_Dstacc_val)
                                 : CFG(ALU_FORMAT_SPEC_REG2_Dstacc));
    plan->in = (uint8_t)CFG(THCON_SEC0_REG1_In_data_format);
    plan->out = (uint8_t)CFG(THCON_SEC0_REG1_Out_data_format);
    plan->read32 = CFG(PCK_DEST_RD_CTRL_Read_32b_data);
    plan->raw = CFG(PCK_DEST_RD_CTRL_Read_int8);
    plan->is_unsigned = CFG(PCK_DEST_RD_CTRL_Read_unsigned);
    plan->round10 = CFG(PCK_DEST_RD_CTRL_Round_10b_mant);
    plan->shift = CFG(INT_DESCALE_Enable) ? CFG(INT_DESCALE_VALUES_SEC0_Value) & 31 : 0;
    plan->fp8_e4m3 = CFG(THCON_SEC0_REG1_Pac_LF8_4b_exp);
    plan->accumulate = CFG(THCON_SEC0_REG1_Pack_L1_Acc);
    plan->compress = !CFG(THCON_SEC0_REG1_Disable_zero_compress);
    plan->from_l1 = CFG(THCON_SEC0_REG1_Source_interface_selection);
    plan->random_early = CFG(ALU_ROUNDING_MODE_Gasket_srnd_en);
    plan->random_late = CFG(ALU_ROUNDING_MODE_Packer_srnd_en);
    plan->add_header = CFG(THCON_SEC0_REG1_Add_tile_header_size);
    plan->out_fifo = CFG(THCON_SEC0_REG1_Enable_out_fifo);
    bool gasket = plan->round10 && !plan->from_l1 && plan->in == TS_FMT_FP16 &&
                  (plan->middle == TS_FMT_BF16 || plan->middle == TS_FMT_BFP8);
    if (gasket && ts_bits_ask(view->bits, TS_BITS_pack_gasket))
        plan->middle = TS_FMT_FP16;
    plan->bits = view->bits;
    refusal = ts_pack_check(plan);
    if (refusal.what)
        return refusal;

    plan->relu = CFG(STACC_RELU_ApplyRelu) & 3;
    plan->threshold = (uint16_t)CFG(STACC_RELU_ReluThreshold);
    if (plan->relu > 1 && (plan->threshold >> 15 || plan->kind == TS_PACK_INT))
        return ts_contract("PACR: ReLU threshold", plan->threshold);
    plan->exp_threshold_en = CFG(THCON_SEC0_REG1_Exp_threshold_en);
    plan->exp_threshold = (uint8_t)CFG(THCON_SEC0_REG1_Exp_threshold);
    plan->downsample = (uint16_t)CFG(THCON_SEC0_REG1_Downsample_mask);
    plan_edges(plan, view);
    plan_input(plan, view, args);
    plan_steps(plan, view);
    plan->shift_by_z = CFG(INT_DESCALE_Enable) && CFG(INT_DESCALE_Mode);
    plan->bfp = ts_format_is_bfp(plan->out);
    bool bare = !plan->zero && !plan->compress && !plan->random_early && !plan->relu &&
                !plan->exp_threshold_en && !plan->masked && !plan->stats && !plan->accumulate &&
                (!plan->downsample || plan->downsample == 0xFFFF);
    plan->pair = (uint8_t)(bare ? ts_pack_pair_of(plan) : TS_PACK_NO_PAIR);
    return ts_fine();
}

// The first datum's address and position in Dst, and how many data.
struct input {
    uint32_t addr, datum, index, count;
};

static inline struct input input_of(const struct ts_pack_plan *plan, const struct ts_adc *adc)
{
    const uint32_t *at = adc->channel[0].v, *stride = plan->input.stride;
    uint32_t mask = plan->input_mask;
    struct input in = {
        .addr = plan->input.base + at[TS_ADC_X] * stride[TS_ADC_X] +
                at[TS_ADC_Y] * stride[TS_ADC_Y] + at[TS_ADC_Z] * stride[TS_ADC_Z] +
                at[TS_ADC_W] * stride[TS_ADC_W],
        .datum = at[TS_ADC_X] & mask,
        .count = adc->channel[1].v[TS_ADC_X] - at[TS_ADC_X] + 1,
    };
    in.index = ((in.addr >> plan->input_shift) & ~mask) + in.datum;
    return in;
}

static inline uint64_t extent_of(const struct input *in)
{
    return (uint64_t)in->count << 4 | (in->index & 15);
}

static inline void place_rows(struct ts_pack_plan *plan, const struct ts_pack_view *view,
                              const struct input *in)
{
    rows_mem *row = (rows_mem *)plan->row;
    const rows_mem *step = (const rows_mem *)plan->row_step;
    uint16_t first = (uint16_t)((in->index >> 4) + CFG(DEST_TARGET_REG_CFG_PACK_SEC0_Offset));
    *row = (*step + first) & (uint16_t)(TS_DST_ROWS - 1);
}

static struct ts_refusal place_from_l1(struct ts_pack_plan *plan, const struct ts_pack_view *view,
                                       const struct input *in)
{
    uint32_t at = (CFG(THCON_SEC0_REG1_L1_source_addr) << 18) + (in->addr & 0x3FFFF);
    plan->source = ((at & ~15u) + in->datum * plan->source_bytes) & 0x1FFFFF;
    plan->count = in->count;
    if (in->count > 0x8000)
        return ts_not_implemented("PACR: data from L1", in->count);
    plan_output(plan, in->count);
    return ts_fine();
}

struct ts_refusal ts_pack_place(struct ts_pack_plan *plan, const struct ts_pack_view *view,
                                const struct ts_adc *adc, const struct ts_packer *packer, bool last)
{
    plan->last = last;
    plan->extent = TS_PACK_NO_EXTENT;
    plan->z_offset = (uint8_t)CFG(DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset);
    if (!packer->open)
        plan_start(plan, view, adc->channel[1].v, packer);
    if (plan->flush)
        return ts_fine();
    struct input in = input_of(plan, adc);
    if (plan->from_l1)
        return place_from_l1(plan, view, &in);
    if (!plan->shift_by_z && !plan->masked)
        plan->extent = extent_of(&in);
    if (plan->shift_by_z) {
        uint32_t z = adc->channel[0].v[TS_ADC_Z];
        uint32_t values = view->cfg[TS_CFG_ADDR_INT_DESCALE_VALUES_SEC0_Value + ((z & 63) >> 2)];
        plan->shift = values >> (z & 3) * 8 & 31;
    }
    plan->first_col = in.index & 15;
    if (in.count == 0 || in.count > 16u - plan->first_col)
        return ts_not_implemented("PACR: data per read interface", in.count);
    plan->per_row = (uint8_t)in.count;
    plan->plain = plan->pair && in.count == 16;
    plan_output(plan, plan->rows * in.count);
    place_rows(plan, view, &in);
    return ts_fine();
}

bool ts_pack_goes_on(struct ts_pack_plan *plan, const struct ts_pack_view *view,
                     const struct ts_adc *adc, bool last)
{
    struct input in = input_of(plan, adc);
    if (__builtin_expect(plan->extent != extent_of(&in), 0))
        return false;
    plan->last = last;
    place_rows(plan, view, &in);
    return true;
}

struct ts_refusal ts_pack_plan(struct ts_pack_plan *plan, const struct ts_pack_view *view,
                               struct ts_adcs *adcs, const struct ts_packer *packer,
                               struct ts_args_PACR args)
{
    struct ts_refusal refusal = ts_pack_settings(plan, view, args);
    return refusal.what ? refusal
                        : ts_pack_place(plan, view, ts_pack_adc(plan, adcs), packer, args.last);
}

struct ts_refusal ts_pack_setreg(const struct ts_pack_view *view, const struct ts_pack_setreg *regs,
                                 struct ts_args_PACR_SETREG args, uint32_t *addr, uint32_t *value,
                                 bool *some)
{
    uint32_t low = args.unused, high = low * regs->scaler[CFG(THCON_SEC0_REG1_Out_data_format) & 3];
    *addr = 0xFFB00000u + regs->base[args.addr_sel & 1] + (args.stream_id << 12);
    *value = low + ((high & 0x1FFFF) << 12);
    *some = *addr < 0xFFB80000u;
    if (*addr < 0xFFB11000u)
        return ts_contract("PACR_SETREG: address", *addr);
    return ts_fine();
}
