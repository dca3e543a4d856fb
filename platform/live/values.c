// Numbers that change when something happens: what a step waits for, what a search looks for.
#include "platform/live/inside.h"
#include "platform/tile/names.h"

static uint64_t units_of(const struct ts_tile *tile, unsigned unit)
{
    uint64_t sum = 0;
    for (unsigned i = TS_UNIT_SYNC; i < TS_UNIT_COUNT; i++)
        if (tile->tensix.unit[i] && (unit == TS_UNIT_NONE || unit == i))
            sum += tile->tensix.unit[i]->instructions;
    return sum;
}

// The bytes and, as far as it is known, who wrote them and when: the same value again is a write, too.
static uint64_t word_of(const struct ts_live *self, uint32_t thread, uint32_t address)
{
    uint32_t word = 0;
    const struct ts_tile *tile = self->machine.tiles[thread / TS_RV_CORES];
    ts_gdb_read(&self->machine, thread, address, (uint8_t *)&word, 4);
    if (!ts_l1_contains(address, 4))
        return word;
    const struct ts_l1_writer writer = ts_l1_writer(&tile->l1, address);
    return writer.state == TS_L1_KNOWN ? (uint64_t)writer.last.at << 32 ^ word : word;
}

uint64_t ts_live_value(const struct ts_live *self, const struct ts_live_watch *watch)
{
    const struct ts_tile *tile = self->machine.tiles[watch->thread / TS_RV_CORES];
    const struct ts_rv_view core = ts_rv_core_view(ts_gdb_core(&self->machine, watch->thread));
    switch (watch->what) {
    case TS_LIVE_INSTRUCTIONS:
        return core.instructions;
    case TS_LIVE_UNIT:
        return units_of(tile, watch->address);
    case TS_LIVE_WORD:
        return word_of(self, watch->thread, watch->address);
    case TS_LIVE_POSTS:
        return tile->sync.semaphore[watch->address].posted.count;
    case TS_LIVE_REGISTER:
        return core.x[watch->address];
    case TS_LIVE_NOTHING:
        break;
    }
    return 0;
}

const char *ts_live_watch_name(const struct ts_live *self, const struct ts_live_watch *watch,
                               char *text, size_t size)
{
    const struct ts_tile *tile = self->machine.tiles[watch->thread / TS_RV_CORES];
    const char *core = ts_tile_core_name(tile, watch->thread % TS_RV_CORES);
    char at[16], word[80];
    ts_tile_place_name(tile, at, sizeof at);
    switch (watch->what) {
    case TS_LIVE_INSTRUCTIONS:
        snprintf(text, size, "an instruction of %s of %s", core, at);
        break;
    case TS_LIVE_UNIT:
        snprintf(text, size, "a word for %s of %s",
                 watch->address ? ts_unit_name(watch->address) : "any unit", at);
        break;
    case TS_LIVE_WORD:
        if (ts_l1_contains(watch->address, 4))
            ts_tile_word_name(tile, watch->address, word, sizeof word);
        else
            snprintf(word, sizeof word, "the word at 0x%x of %s", watch->address, core);
        snprintf(text, size, "a write of %s of %s", word, at);
        break;
    case TS_LIVE_POSTS:
        snprintf(text, size, "a post of semaphore %u of %s", watch->address, at);
        break;
    case TS_LIVE_REGISTER:
        snprintf(text, size, "a change of x%u of %s of %s", watch->address, core, at);
        break;
    case TS_LIVE_NOTHING:
        snprintf(text, size, "nothing");
        break;
    }
    return text;
}
