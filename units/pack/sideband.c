// The packer's outputs other than data: sizes and zero flags of tiles, to SETDMAREG and TDMA-RISC;
// and its inputs from TDMA-RISC. See pack.h.
//
// Source: tt-isa-documentation WormholeB0 SETDMAREG_Special.md, TDMA-RISC.md, SoftReset.md.
// Inaccuracies: Blackhole's one packer is packer 0 here, packers 1 to 3 read as zero. A tile's size
//   counts all its sections, in units of 16 bytes.

#include "units/pack/pack.h"

// Offsets from 0xFFB11000. Packers are 0x100 apart, threads 0x40.
enum {
    PACKED_SIZE = 0x18,
    ACC_PACKED_SIZE = 0x1c,
    ZERO_FLAGS = 0x20,
    CLK_GATE_HYST = 0x28,
    FIFO_SIZE = 0x30,
    FIFO_ZEROMASK = 0x34,
    FIFO_STATUS = 0x38,
    SCALERS = 0x3c,
};

void ts_pack_account(const struct ts_pack_plan *plan, struct ts_packer *packer)
{
    packer->acc_size[plan->thread] = (uint16_t)(packer->acc_size[plan->thread] + packer->last_size +
                                                plan->add_header);
    if (plan->out_fifo && packer->fifo_count < TS_PACK_FIFO) {
        unsigned at = (packer->fifo_first + packer->fifo_count++) % TS_PACK_FIFO;
        packer->fifo[at].size = packer->last_size;
        packer->fifo[at].zero_flags = packer->zero_flags;
    }
}

static void clear_sizes(struct ts_packer *packer)
{
    memset(packer->acc_size, 0, sizeof packer->acc_size);
}

void ts_pack_state(const struct ts_pack_view *view, struct ts_packer *packer, unsigned source,
                   unsigned packers, uint32_t value[4])
{
    uint32_t last = packer->last_thread == view->thread ? packer->last_size : 0;
    memset(value, 0, 16);
    switch (source) {
    case 0:
        value[0] = (uint32_t)packer->acc_size[view->thread] << 16 | last;
        break;
    case 1:
        value[0] = packer->zero_flags;
        break;
    case 2: // a tile header
        value[0] = last + 1;
        value[1] = TS_CFG(view->cfg, THCON_SEC0_REG1_Out_data_format) << 16 |
                   TS_CFG(view->cfg, THCON_SEC0_REG1_Disable_zero_compress) << 20;
        value[2] = packer->zero_flags;
        break;
    case 6:
    case 7:
        if ((packers & 3) == 0)
            memcpy(value, packer->histogram + 16 * (source - 6), 16);
        break;
    case 8:
        value[0] = packer->zero_flags & 1;
        if (packers & 1)
            clear_sizes(packer);
        break;
    case 9:
        value[0] = packer->max_exponent;
        break;
    }
}

bool ts_pack_tdma_write(struct ts_packer *packer, struct ts_pack_setreg *regs, uint32_t offset,
                        uint32_t value)
{
    unsigned which = offset >> 8, rest = offset & 0x3f;
    if (which > 3)
        return false;
    if (offset == FIFO_STATUS) {
        regs->raw = value;
        for (unsigned i = 0; i < 2; i++)
            regs->base[i] = (value >> (20 + 2 * i) & 3) << 18 | (value >> 10 * i & 0x3ff) << 2;
        return true;
    }
    if (offset == CLK_GATE_HYST) {
        regs->scaler[3] = value >> 16 & 0x1ff;
        return true;
    }
    if (offset == SCALERS || offset == 0x100 + SCALERS) {
        for (unsigned i = 0; i < 3; i++)
            regs->scaler[i] = value >> 9 * i & 0x1ff;
        return true;
    }
    switch (rest) {
    case ACC_PACKED_SIZE:
        if (value >> 16 & 1) {
            clear_sizes(packer);
            packer->l1_offset = (uint16_t)value;
        }
        return true;
    case FIFO_ZEROMASK:
        if (which == 0 && packer->fifo_count) {
            packer->fifo_first = (uint8_t)((packer->fifo_first + 1u) % TS_PACK_FIFO);
            packer->fifo_count--;
        }
        return true;
    case PACKED_SIZE:
    case ZERO_FLAGS:
    case FIFO_SIZE:
        return true;
    default:
        return false;
    }
}

bool ts_pack_tdma_read(struct ts_packer *packer, const struct ts_pack_setreg *regs, bool busy,
                       uint32_t offset, uint32_t *value, bool *wait)
{
    unsigned which = offset >> 8, thread = offset >> 6 & 3, rest = offset & 0x3f;
    *value = 0;
    *wait = false;
    if (which > 3)
        return false;
    if (offset == FIFO_STATUS) {
        *value = regs->raw << 8 | 0x54; // packers 1 to 3: empty
        *value |= (uint32_t)(packer->fifo_count == 0) |
                  (uint32_t)(packer->fifo_count == TS_PACK_FIFO) << 1;
        return true;
    }
    if (offset == SCALERS || offset == 0x100 + SCALERS) {
        for (unsigned i = 0; i < 3; i++)
            *value |= regs->scaler[i] << 9 * i;
        *value |= (uint32_t)busy << 27;
        return true;
    }
    bool mine = which == 0 && thread < TS_THREADS;
    switch (rest) {
    case PACKED_SIZE:
        *value = mine && packer->last_thread == thread ? packer->last_size : 0;
        return thread < TS_THREADS;
    case ACC_PACKED_SIZE:
        *value = mine ? packer->acc_size[thread] : 0;
        return thread < TS_THREADS;
    case ZERO_FLAGS:
        *value = mine ? packer->zero_flags : 0;
        return thread == 0;
    case FIFO_SIZE:
        *wait = which == 0 && packer->fifo_count == 0;
        *value = which == 0 ? packer->fifo[packer->fifo_first].size : 0;
        return thread == 0;
    case FIFO_ZEROMASK:
        *value = which == 0 ? packer->fifo[packer->fifo_first].zero_flags : 0;
        if (which == 0 && packer->fifo_count) {
            packer->fifo_first = (uint8_t)((packer->fifo_first + 1u) % TS_PACK_FIFO);
            packer->fifo_count--;
        }
        return thread == 0;
    default:
        return false;
    }
}

void ts_pack_reset(struct ts_packer *packer)
{
    packer->open = packer->in_row = packer->keeps = packer->tail = false;
    packer->pending = 0;
    packer->last_size = 0;
    packer->fifo_count = 0;
    clear_sizes(packer);
}
