#include "platform/tile/names.h"

#include "platform/tile/nodes.h"

const uint8_t ts_processor_core[5] = {TS_RV_BRISC, TS_RV_NCRISC, TS_RV_TRISC0, TS_RV_TRISC1,
                                      TS_RV_TRISC2};
const char *const ts_processor_name[5] = {"brisc", "ncrisc", "trisc0", "trisc1", "trisc2"};
const char *const ts_processor_thread[5] = {"brisc", "ncrisc", "unpack", "math", "pack"};

const char *ts_tile_core_name(const struct ts_tile *tile, unsigned core)
{
    static const char *const names[TS_RV_CORES] = {[TS_RV_BRISC] = "erisc0",
                                                   [TS_RV_TRISC0] = "trisc0",
                                                   [TS_RV_TRISC1] = "trisc1",
                                                   [TS_RV_TRISC2] = "trisc2",
                                                   [TS_RV_NCRISC] = "erisc1"};
    return tile->channel < 0 ? ts_rv_core_names[core] : names[core];
}

int ts_tile_core_by_name(const struct ts_tile *tile, const char *name)
{
    if (tile->channel < 0)
        return ts_rv_core_by_name(name);
    const bool two = tile->config.machine->eth_start[1] != 0;
    return strcmp(name, "erisc0") == 0          ? TS_RV_BRISC
           : two && strcmp(name, "erisc1") == 0 ? TS_RV_NCRISC
                                                : -1;
}

const char *ts_tile_place_name(const struct ts_tile *tile, char *text, size_t size)
{
    int used = tile->system ? snprintf(text, size, "%u/", tile->chip) : 0;
    if (tile->channel >= 0)
        snprintf(text + used, size - (size_t)used, "eth%d", tile->channel);
    else
        snprintf(text + used, size - (size_t)used, "%u-%u", tile->x, tile->y);
    return text;
}

const char *ts_tile_far_name(const struct ts_tile *tile, bool dram, uint64_t address, char *text,
                             size_t size)
{
    for (unsigned i = 0; i < tile->name_count; i++) {
        const struct ts_tile_name *name = &tile->names[i];
        uint64_t offset = address - name->address;
        if (offset >= name->length || name->dram != dram)
            continue;
        if (dram) // pages of all channels
            snprintf(text, size, "%s", name->text);
        else if (name->page)
            snprintf(text, size, "page %u of %s", (uint32_t)offset / name->page, name->text);
        else
            snprintf(text, size, "%s", name->text);
        return text;
    }
    return NULL;
}

const char *ts_tile_word_name(const struct ts_tile *tile, uint32_t address, char *text, size_t size)
{
    if (ts_tile_far_name(tile, false, address, text, size) == NULL)
        snprintf(text, size, "L1 word 0x%x", address);
    return text;
}

const char *ts_tile_register_name(const struct ts_tile *tile, uint32_t address, char *text,
                                  size_t size)
{
    const uint16_t *overlay = tile->config.machine->overlay;
    const uint32_t stream = address >> 12 & (TS_OVERLAY_STREAMS - 1),
                   at = address - (stream << 12) - 0xffb40000u;
    if (at == overlay[TS_OVERLAY_SPACE] || at == overlay[TS_OVERLAY_SCRATCH])
        snprintf(text, size, "%s of stream %u",
                 at == overlay[TS_OVERLAY_SPACE] ? "credits" : "scratch", stream);
    else
        snprintf(text, size, "register 0x%x", address);
    return text;
}

const char *ts_tile_poll_name(const struct ts_tile *tile, unsigned core, uint32_t address,
                              char *text, size_t size)
{
    const struct ts_place place = ts_place_of(tile, core, address);
    switch (place.kind) {
    case TS_PLACE_BUFFER:
        snprintf(text, size, "%s in %s", place.full ? "pages" : "room", place.buffer->name);
        return text;
    case TS_PLACE_SEMAPHORE:
        snprintf(text, size, "semaphore %u", place.index);
        return text;
    case TS_PLACE_MAILBOX:
        snprintf(text, size, "mailbox of %s", ts_rv_core_names[place.index]);
        return text;
    case TS_PLACE_NIU:
        snprintf(text, size, "transfers of noc%u", place.index);
        return text;
    case TS_PLACE_L1:
    case TS_PLACE_REGISTER:
        break;
    }
    if (address < TS_L1_SIZE)
        return ts_tile_word_name(tile, address, text, size);
    return ts_tile_register_name(tile, address, text, size);
}
