// The NoC overlay as software that does not stream uses it: scratch registers of its 64 streams, and a counter of credits
// (windows.h). tt-metal keeps the counts of circular buffers and of dispatched pages there.
//
//   stream s at 0xffb40000 + 0x1000 * s
//
// Source: tt-isa-documentation NoC/Overlay, tt-metal noc_overlay_parameters.h of both machines.
// Inaccuracies: streams do not move data. All other registers are refused by name.
#include "platform/tile/buffers.h"
#include "platform/tile/names.h"
#include "platform/tile/windows.h"

#define OVERLAY     0xffb40000u
#define OVERLAY_END (OVERLAY + 0x1000u * TS_OVERLAY_STREAMS)

// Which bits a register has, by its number. A write of the size sets the space, too; one of the update adds to it.
static const struct {
    uint32_t bits;
    bool readable, writable;
} registers[] = {
    [TS_OVERLAY_SCRATCH] = {0xffffff, true, true}, [TS_OVERLAY_START] = {0x1ffff, true, true},
    [TS_OVERLAY_SIZE] = {0x1ffff, true, true},     [TS_OVERLAY_SPACE] = {0x1ffff, true, false},
    [TS_OVERLAY_UPDATE] = {0x7fffff, false, true},
};

// The register; -1: it is not modelled.
static int find(const struct ts_tile *self, uint32_t address, bool store)
{
    for (int i = 0; i < TS_OVERLAY_REGISTERS; i++)
        if (self->config.machine->overlay[i] == (address & 0xffc))
            return (store ? registers[i].writable : registers[i].readable) ? i : -1;
    return -1;
}

static uint32_t *stream_of(struct ts_tile *self, uint32_t address)
{
    return self->overlay[address >> 12 & (TS_OVERLAY_STREAMS - 1)];
}

uint32_t ts_overlay_word(const struct ts_tile *self, uint32_t address)
{
    int row = find(self, address, false);
    return row < 0 ? 0 : self->overlay[address >> 12 & (TS_OVERLAY_STREAMS - 1)][row];
}

const struct ts_overlay_write *ts_overlay_written(const struct ts_tile *self, uint32_t address)
{
    return find(self, address, false) < 0 || address < OVERLAY || address >= OVERLAY_END
               ? NULL
               : &self->overlay_writes[address >> 12 & (TS_OVERLAY_STREAMS - 1)];
}

static void written_by_other(struct ts_tile *self, uint32_t address, ts_cycle now)
{
    self->overlay_writes[address >> 12 & (TS_OVERLAY_STREAMS - 1)] = (struct ts_overlay_write){
        now, self->noc_writer};
}

TS_WINDOW_LOAD(ts_overlay_load)
{
    int row = find(tile, address, false);
    (void)core, (void)size, (void)now;
    if (row < 0)
        return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED,
                              "load from 0x%08x: this register of the NoC overlay", address);
    reply->value = stream_of(tile, address)[row];
    ts_window_narrow(reply, address);
    return TS_RV_DONE;
}

TS_WINDOW_STORE(ts_overlay_store)
{
    (void)size;
    for (unsigned i = 0; i < count; i++) {
        uint32_t at = address + 4 * i, *stream = stream_of(tile, at);
        int row = find(tile, at, true);
        if (row < 0)
            return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED,
                                  "store to 0x%08x: this register of the NoC overlay", at);
        uint32_t word = words[i] & registers[row].bits;
        switch (row) {
        case TS_OVERLAY_UPDATE: // the number is above six bits of a buffer's number
            stream[TS_OVERLAY_SPACE] = (stream[TS_OVERLAY_SPACE] + (word >> 6)) & 0x1ffff;
            break;
        case TS_OVERLAY_SIZE:
            stream[TS_OVERLAY_SPACE] = word;
            // fall through
        default:
            stream[row] = word;
        }
        if (core >= TS_RV_CORES)
            written_by_other(tile, at, now);
        ts_buffers_written(tile, core, at, now);
    }
    return TS_RV_DONE;
}
