// The NoC overlay as software that does not stream uses it: scratch registers of its 64 streams, and a counter of credits
// (windows.h). tt-metal keeps the counts of circular buffers and of dispatched pages there.
//
//   stream s at 0xffb40000 + 0x1000 * s
//
// Source: tt-isa-documentation NoC/Overlay, tt-metal blackhole noc_overlay_parameters.h.
// Inaccuracies: streams do not move data. All other registers are refused by name.
#include "platform/tile/buffers.h"
#include "platform/tile/names.h"
#include "platform/tile/windows.h"

#define OVERLAY     0xffb40000u
#define OVERLAY_END (OVERLAY + 0x1000u * TS_OVERLAY_STREAMS)

enum { REMOTE_SRC, DEST_START, DEST_SIZE, DEST_SPACE, DEST_UPDATE };

// Which bits a register has. A write of the size sets the space, too; one of the update adds to it.
static const struct {
    uint32_t offset, bits;
    uint8_t word;
    bool readable, writable;
} registers[] = {
    {TS_OVERLAY_SCRATCH - OVERLAY, 0xffffff, REMOTE_SRC, true, true},
    {0x020, 0x1ffff, DEST_START, true, true},
    {0x028, 0x1ffff, DEST_SIZE, true, true},
    {0x438, 0x7fffff, DEST_UPDATE, false, true},
    {TS_OVERLAY_CREDITS - OVERLAY, 0x1ffff, DEST_SPACE, true, false},
};

// The register's row; -1: it is not modelled.
static int find(uint32_t address, bool store)
{
    for (int i = 0; i < (int)(sizeof registers / sizeof *registers); i++)
        if (registers[i].offset == (address & 0xffc))
            return (store ? registers[i].writable : registers[i].readable) ? i : -1;
    return -1;
}

static uint32_t *stream_of(struct ts_tile *self, uint32_t address)
{
    return self->overlay[address >> 12 & (TS_OVERLAY_STREAMS - 1)];
}

uint32_t ts_overlay_word(const struct ts_tile *self, uint32_t address)
{
    int row = find(address, false);
    return row < 0 ? 0
                   : self->overlay[address >> 12 & (TS_OVERLAY_STREAMS - 1)][registers[row].word];
}

const struct ts_overlay_write *ts_overlay_written(const struct ts_tile *self, uint32_t address)
{
    return find(address, false) < 0 || address < OVERLAY || address >= OVERLAY_END
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
    int row = find(address, false);
    (void)core, (void)size, (void)now;
    if (row < 0)
        return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED,
                              "load from 0x%08x: this register of the NoC overlay", address);
    reply->value = stream_of(tile, address)[registers[row].word];
    ts_window_narrow(reply, address);
    return TS_RV_DONE;
}

TS_WINDOW_STORE(ts_overlay_store)
{
    (void)size;
    for (unsigned i = 0; i < count; i++) {
        uint32_t at = address + 4 * i, *stream = stream_of(tile, at);
        int row = find(at, true);
        if (row < 0)
            return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED,
                                  "store to 0x%08x: this register of the NoC overlay", at);
        uint32_t word = words[i] & registers[row].bits;
        switch (registers[row].word) {
        case DEST_UPDATE: // the number is above six bits of a buffer's number
            stream[DEST_SPACE] = (stream[DEST_SPACE] + (word >> 6)) & 0x1ffff;
            break;
        case DEST_SIZE:
            stream[DEST_SPACE] = word;
            // fall through
        default:
            stream[registers[row].word] = word;
        }
        if (core >= TS_RV_CORES)
            written_by_other(tile, at, now);
        ts_buffers_written(tile, core, at, now);
    }
    return TS_RV_DONE;
}
