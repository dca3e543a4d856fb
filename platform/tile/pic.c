// The tile's interrupt controller (tile.h).
#include "platform/tile/tile.h"

enum {
    SW_INT = 0x018,
    HW_INT = 0x098,
    SW_INT_PC = 0x0a8,
    HW_INT_PC = 0x128,
    PC_SNAPSHOT = 0x138,
    END = 0x14c,
};

static const unsigned targets[2] = {TS_RV_BRISC, TS_RV_NCRISC};
static const unsigned snapshots[TS_RV_CORES] = {TS_RV_BRISC, TS_RV_NCRISC, TS_RV_TRISC0,
                                                TS_RV_TRISC1, TS_RV_TRISC2};

void ts_pic_poll(struct ts_tile *tile, ts_cycle now)
{
    struct ts_pic *self = &tile->pic;
    for (unsigned i = 0; i < 2; i++) {
        struct ts_rv_core *core = &tile->cores[targets[i]];
        if (core->held || core->in_handler || core->interrupt)
            continue;
        for (unsigned k = 0; k < 36; k++) {
            unsigned irq = (self->next[i] + k) % 36;
            bool raised = irq < 32
                              ? self->sw[irq] != 0 && self->sw_enable[i] >> irq & 1
                              : self->hw[irq - 32] != 0 && self->hw_enable[i] >> (irq - 32) & 1;
            if (!raised)
                continue;
            self->next[i] = (irq + 1) % 36;
            self->number[i] = irq;
            ts_rv_core_interrupt(core, irq < 32 ? self->sw_pc[irq] : self->hw_pc[irq - 32], now);
            break;
        }
    }
}

enum ts_rv_answer ts_pic_load(struct ts_tile *tile, uint32_t offset, ts_cycle now,
                              struct ts_rv_reply *reply)
{
    struct ts_pic *self = &tile->pic;
    (void)now;
    offset &= ~3u;
    if (offset < SW_INT) {
        unsigned i = offset / 12;
        reply->value = offset % 12 == 0   ? self->sw_enable[i]
                       : offset % 12 == 4 ? self->hw_enable[i]
                                          : self->number[i];
    } else if (offset < HW_INT) {
        // Reading clears the interrupt.
        reply->value = self->sw[(offset - SW_INT) / 4];
        self->sw[(offset - SW_INT) / 4] = 0;
    } else if (offset < SW_INT_PC) {
        reply->value = self->hw[(offset - HW_INT) / 4];
    } else if (offset < HW_INT_PC) {
        reply->value = self->sw_pc[(offset - SW_INT_PC) / 4];
    } else if (offset < PC_SNAPSHOT) {
        reply->value = self->hw_pc[(offset - HW_INT_PC) / 4];
    } else if (offset < END) {
        reply->value = tile->cores[snapshots[(offset - PC_SNAPSHOT) / 4]].pc;
    } else {
        return ts_tile_refuse(reply, TS_CONTRACT, "load from unmapped address 0xffb13%03x", offset);
    }
    return TS_RV_DONE;
}

enum ts_rv_answer ts_pic_store(struct ts_tile *tile, uint32_t offset, uint32_t value, ts_cycle now,
                               struct ts_rv_reply *reply)
{
    struct ts_pic *self = &tile->pic;
    offset &= ~3u;
    if (offset < SW_INT) {
        // BRISC_INT_NO and NCRISC_INT_NO ignore stores.
        if (offset % 12 == 0)
            self->sw_enable[offset / 12] = value;
        else if (offset % 12 == 4)
            self->hw_enable[offset / 12] = value;
    } else if (offset < HW_INT) {
        self->sw[(offset - SW_INT) / 4] = value;
    } else if (offset < SW_INT_PC) {
        return TS_RV_DONE;
    } else if (offset < HW_INT_PC) {
        self->sw_pc[(offset - SW_INT_PC) / 4] = value;
    } else if (offset < PC_SNAPSHOT) {
        self->hw_pc[(offset - HW_INT_PC) / 4] = value;
    } else if (offset >= END) {
        return ts_tile_refuse(reply, TS_CONTRACT, "store to unmapped address 0xffb13%03x", offset);
    }
    ts_pic_poll(tile, now);
    return TS_RV_DONE;
}
