// PACR's address generation: configuration and counters to a plan, and the counters' steps
// afterwards. See pack.h.
#include <string.h>

#include "config/cfgregs.h"
#include "units/format.h"
#include "units/pack.h"

#define CFG(name) TS_CFG(view->cfg, name)

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

// Rows of Dst: one per read interface, next to each other, or sixteen apart in strided access.
static struct ts_refusal plan_input(struct ts_pack_plan *plan, const struct ts_pack_view *view,
                                    const struct ts_adcs *adcs, struct ts_args_PACR args)
{
    const struct ts_adc *adc = &adcs->set[plan->adc][TS_ADC_PACK];
    const uint32_t *ch0 = adc->channel[0].v;
    uint32_t addr = CFG(PCK0_ADDR_BASE_REG_0_Base) +
                    ch0[TS_ADC_X] * (CFG(PCK0_ADDR_CTRL_XY_REG_0_Xstride) & 15) +
                    ch0[TS_ADC_Y] * CFG(PCK0_ADDR_CTRL_XY_REG_0_Ystride) +
                    ch0[TS_ADC_Z] * CFG(PCK0_ADDR_CTRL_ZW_REG_0_Zstride) +
                    ch0[TS_ADC_W] * CFG(PCK0_ADDR_CTRL_ZW_REG_0_Wstride);
    static const uint8_t shift_of[4] = {2, 1, 0,
                                        0}; // bytes per datum by the low bits of the format
    unsigned shift = shift_of[plan->in & 3];
    uint32_t mask = 15u >> shift, index = ((addr >> shift) & ~mask) + (ch0[TS_ADC_X] & mask);
    uint32_t count = adc->channel[1].v[TS_ADC_X] - ch0[TS_ADC_X] + 1;
    plan->count = 0;
    if (args.flush)
        return ts_fine(); // nothing is read
    plan->zero = args.zero_write;
    if (plan->from_l1) {
        uint32_t at = (CFG(THCON_SEC0_REG1_L1_source_addr) << 18) + (addr & 0x3FFFF);
        plan->source = ((at & ~15u) + (ch0[TS_ADC_X] & mask) * plan->source_bytes) & 0x1FFFFF;
        plan->count = count;
        return count <= 0x8000 ? ts_fine() : ts_contract("PACR: data from L1", count);
    }
    if (CFG(INT_DESCALE_Enable) && CFG(INT_DESCALE_Mode)) {
        uint32_t z = ch0[TS_ADC_Z];
        uint32_t values = view->cfg[TS_CFG_ADDR_INT_DESCALE_VALUES_SEC0_Value + ((z & 63) >> 2)];
        plan->shift = values >> (z & 3) * 8 & 31;
    }
    plan->first_col = index & 15;
    if (count == 0 || count > 16u - plan->first_col)
        return ts_not_implemented("PACR: data per read interface", count);
    plan->per_row = (uint8_t)count;
    uint32_t first = (index >> 4) + CFG(DEST_TARGET_REG_CFG_PACK_SEC0_Offset);
    uint32_t interfaces = args.read_intf_sel ? args.read_intf_sel : 15,
             stride = args.dst_access_mode ? 16 : 1;
    for (unsigned i = 0; i < 4; i++)
        if (interfaces >> i & 1)
            plan->row[plan->rows++] = (uint16_t)((first + i * stride) & (TS_DST_ROWS - 1));
    return ts_fine();
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
    plan->z_offset = (uint8_t)CFG(DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset);
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
                       const struct ts_adcs *adcs, const struct ts_packer *packer)
{
    const uint32_t *ch1 = adcs->set[plan->adc][TS_ADC_PACK].channel[1].v;
    uint32_t addr = CFG(THCON_SEC0_REG1_L1_Dest_addr) +
                    !CFG(THCON_SEC0_REG1_Sub_l1_tile_header_size);
    uint32_t yzw = CFG(PCK0_ADDR_BASE_REG_1_Base) +
                   ch1[TS_ADC_Y] * CFG(PCK0_ADDR_CTRL_XY_REG_1_Ystride) +
                   ch1[TS_ADC_Z] * CFG(PCK0_ADDR_CTRL_ZW_REG_1_Zstride) +
                   ch1[TS_ADC_W] * CFG(PCK0_ADDR_CTRL_ZW_REG_1_Wstride);
    addr += yzw >> 4; // Blackhole counts bytes here, Wormhole units of 16
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

static void plan_output(struct ts_pack_plan *plan, const struct ts_pack_view *view,
                        const struct ts_adcs *adcs, const struct ts_packer *packer)
{
    if (!packer->open)
        plan_start(plan, view, adcs, packer);
    uint32_t mask = plan->downsample ? plan->downsample : 0xFFFF;
    uint32_t count = plan->from_l1 ? plan->count : (uint32_t)plan->rows * plan->per_row;
    plan->bytes = count * ts_format_bits(plan->out) / 8;
    if (plan->compress) // as if nothing disappeared: time does not depend on data
        plan->bytes += count / 2;
    if (mask != 0xFFFF)
        plan->bytes = plan->bytes * (uint32_t)__builtin_popcount(mask) / 16;
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
    return ts_fine();
}

struct ts_refusal ts_pack_place(struct ts_pack_plan *plan, const struct ts_pack_view *view,
                                const struct ts_adcs *adcs, const struct ts_packer *packer,
                                struct ts_args_PACR args)
{
    plan->flush = args.flush;
    plan->last = args.last;
    plan->concat = args.concat;
    plan->rows = plan->per_row = plan->first_col = 0;
    plan->zero = false;
    struct ts_refusal refusal = plan_input(plan, view, adcs, args);
    if (refusal.what)
        return refusal;
    plan->plain = plan->per_row == 16 && !plan->zero && !plan->compress && !plan->random_early &&
                  !plan->relu && !plan->exp_threshold_en && !plan->masked && !plan->stats &&
                  !plan->accumulate && (!plan->downsample || plan->downsample == 0xFFFF);
    plan_output(plan, view, adcs, packer);
    return ts_fine();
}

struct ts_refusal ts_pack_plan(struct ts_pack_plan *plan, const struct ts_pack_view *view,
                               const struct ts_adcs *adcs, const struct ts_packer *packer,
                               struct ts_args_PACR args)
{
    struct ts_refusal refusal = ts_pack_settings(plan, view, args);
    return refusal.what ? refusal : ts_pack_place(plan, view, adcs, packer, args);
}

void ts_pack_finish(const struct ts_pack_plan *plan, const struct ts_pack_view *view,
                    struct ts_adcs *adcs, struct ts_args_PACR args)
{
    struct ts_adc *adc = &adcs->set[plan->adc][TS_ADC_PACK];
    uint32_t mod = view->thd[TS_THD_ADDR_ADDR_MOD_PACK_SEC0_YsrcIncr + args.addr_mode];
    for (unsigned ch = 0; ch < 2; ch++) {
        struct ts_adc_channel *c = &adc->channel[ch];
        uint32_t y = mod >> 6 * ch,
                 z = mod >> (12 + 2 * ch); // incr 3:0, cr 4, clear 5; incr 0, clear 1
        if (y & 1u << 5)
            ts_adc_put(c, TS_ADC_Y, 0);
        else if (y & 1u << 4)
            ts_adc_add_cr(c, TS_ADC_Y, y & 15);
        else
            ts_adc_add(c, TS_ADC_Y, y & 15);
        if (z & 2)
            ts_adc_put(c, TS_ADC_Z, 0);
        else
            ts_adc_add(c, TS_ADC_Z, z & 1);
    }
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
