// The circular buffers of a tile; see buffers.h.
#include "platform/tile/buffers.h"

#include "platform/tile/follow.h"
#include "platform/tile/lints.h"
#include "platform/tile/windows.h"

static uint32_t word_at(const struct ts_tile *tile, uint32_t address)
{
    uint32_t word;
    if (address >= TS_L1_SIZE)
        return ts_overlay_word(tile, address);
    memcpy(&word, tile->l1.bytes + address, sizeof word);
    return word;
}

uint32_t ts_buffer_fill(const struct ts_tile *tile, const struct ts_buffer *buffer)
{
    return (word_at(tile, buffer->received) - word_at(tile, buffer->acked)) & 0xffff;
}

uint64_t ts_buffer_counts(const struct ts_tile *tile, const struct ts_buffer *buffer)
{
    return (uint64_t)word_at(tile, buffer->received) << 32 | word_at(tile, buffer->acked);
}

const struct ts_buffer *ts_buffers_at(const struct ts_tile *tile, uint32_t address, bool *full)
{
    for (unsigned i = 0; i < tile->buffer_count; i++) {
        const struct ts_buffer *buffer = &tile->buffers[i];
        *full = (address & ~3u) == buffer->received;
        if (*full || (address & ~3u) == buffer->acked)
            return buffer;
    }
    return NULL;
}

int ts_buffers_number(const struct ts_tile *tile, uint32_t address, bool *full)
{
    const uint32_t step = tile->counters.step, bytes = tile->counters.count * step;
    const uint32_t received = address - tile->counters.received,
                   acked = address - tile->counters.acked;
    *full = received < bytes && received % step < 4;
    return *full                               ? (int)(received / step)
           : acked < bytes && acked % step < 4 ? (int)(acked / step)
                                               : -1;
}

// Each end belongs to one writer.
static void check_owner(struct ts_tile *tile, const struct ts_buffer *buffer, uint8_t *owner,
                        const struct ts_l1_last *last, const char *end)
{
    // A store of a thread counts as its core's.
    uint8_t by = (uint8_t)(last->by < TS_THREADS ? TS_BY_CORE + TS_RV_TRISC0 + last->by : last->by);
    if (*owner == TS_BY_NOBODY)
        *owner = by;
    if (*owner == by || by < TS_BY_CORE)
        return;
    ts_tile_lint(tile, TS_REPORT_CB_TWO_OWNERS, last->by, last->pc, last->at,
                 "buffer %s: %s of %s is written by %s", buffer->name, end, ts_by_name(*owner),
                 ts_by_name(by));
    *owner = by;
}

// A check hears of the pages that a counter counts.
static void check_pages(struct ts_tile *tile, uint32_t counter, uint32_t pages,
                        const struct ts_l1_last *last)
{
    const bool unit = last->by < TS_THREADS;
    const uint8_t core = (uint8_t)(unit ? TS_RV_TRISC0 + last->by : last->by - TS_BY_CORE);
    const struct ts_check_site site = {.pc = last->pc,
                                       .actor = unit ? TS_ACTOR_UNIT(last->by, TS_UNIT_SCALAR)
                                                     : TS_ACTOR_CORE(core, TS_REGION_L1),
                                       .core = core,
                                       .how = TS_HOW_WRITE,
                                       .detail = unit ? TS_OP_STOREIND : 0};
    if (pages && core < TS_RV_CORES)
        ts_memory_counted(tile->check, counter, pages, &site, (uint32_t)last->at);
}

// Reports the new counter value to the follower.
static void follow_pages(struct ts_tile *tile, unsigned index, const struct ts_l1_last *last)
{
    struct ts_buffer *buffer = &tile->buffers[index];
    uint32_t received = word_at(tile, buffer->received), acked = word_at(tile, buffer->acked);
    bool known = last->by < TS_THREADS || last->by - TS_BY_CORE < TS_RV_CORES;
    if (tile->follow && known && received != buffer->was_received)
        tile->follow->pages(tile->follow->context, last->by, index, true,
                            (received - buffer->was_received) & 0xffff);
    if (tile->follow && known && acked != buffer->was_acked)
        tile->follow->pages(tile->follow->context, last->by, index, false,
                            (acked - buffer->was_acked) & 0xffff);
    if (__builtin_expect(tile->check != NULL, 0)) {
        check_pages(tile, buffer->received, (received - buffer->was_received) & 0xffff, last);
        check_pages(tile, buffer->acked, (acked - buffer->was_acked) & 0xffff, last);
    }
    buffer->was_received = received;
    buffer->was_acked = acked;
}

static void booked(void *context, const struct ts_l1_last *last)
{
    struct ts_tile *tile = context;
    uint32_t at = (last->word - 1) * 4;
    for (unsigned i = 0; i < tile->buffer_count; i++) {
        struct ts_buffer *buffer = &tile->buffers[i];
        follow_pages(tile, i, last);
        if (buffer->acked == at || buffer->received == at)
            ts_trace_level(&tile->cores[TS_RV_BRISC].component.object, last->at, buffer->name,
                           ts_buffer_fill(tile, buffer));
        if (buffer->acked == at)
            check_owner(tile, buffer, &buffer->popped_by, last, "acked");
        if (buffer->received != at)
            continue;
        check_owner(tile, buffer, &buffer->pushed_by, last, "received");
        uint32_t fill = ts_buffer_fill(tile, buffer);
        if (fill > buffer->pages)
            ts_tile_lint(tile, TS_REPORT_CB_OVERFULL, last->by, last->pc, last->at,
                         "buffer %s: %u pages in a ring of %u; received 0x%x, acked 0x%x",
                         buffer->name, fill, buffer->pages, word_at(tile, buffer->received),
                         word_at(tile, buffer->acked));
    }
}

void ts_buffers_written(struct ts_tile *tile, unsigned core, uint32_t address, ts_cycle now)
{
    const bool outside = core == TS_OUTSIDE;
    const uint8_t by = (uint8_t)(outside ? tile->outside_by : TS_BY_CORE + core);
    bool full;
    struct ts_buffer *buffer = (struct ts_buffer *)(uintptr_t)ts_buffers_at(tile, address, &full);
    if (buffer == NULL)
        return;
    if (word_at(tile, address) == 0)
        *(full ? &buffer->pushed_by : &buffer->popped_by) = TS_BY_NOBODY;
    else
        booked(tile, &(struct ts_l1_last){.word = address / 4 + 1,
                                          .pc = outside ? TS_NO_PC : ts_store_pc(tile, core),
                                          .stamp = now << 8 | by});
}

// Counters in L1 are books: the memory tells of writes to them.
static void keep_books(struct ts_tile *tile, uint32_t received, uint32_t acked)
{
    ts_check_declare(tile->check, received, 4);
    ts_check_declare(tile->check, acked, 4);
    struct ts_l1 *l1 = &tile->l1;
    uint32_t low = received < acked ? received : acked, high = received > acked ? received : acked;
    uint32_t end = l1->books + l1->books_length;
    if (l1->books_length == 0 || low < l1->books)
        l1->books = low & ~15u;
    if (high + 16 > end)
        end = (high & ~15u) + 16;
    l1->books_length = end - l1->books;
    l1->booked = booked;
    l1->book_context = tile;
}

bool ts_buffers_add(struct ts_tile *tile, const char *name, uint32_t received, uint32_t acked,
                    uint32_t pages)
{
    if (tile->buffer_count == TS_TILE_BUFFERS)
        return false;
    struct ts_buffer *buffer = &tile->buffers[tile->buffer_count++];
    *buffer = (struct ts_buffer){.received = received,
                                 .acked = acked,
                                 .pages = pages,
                                 .pushed_by = TS_BY_NOBODY,
                                 .popped_by = TS_BY_NOBODY};
    snprintf(buffer->name, sizeof buffer->name, "%s", name);
    buffer->was_received = word_at(tile, received);
    buffer->was_acked = word_at(tile, acked);
    if (received < TS_L1_SIZE)
        keep_books(tile, received, acked);
    return true;
}
