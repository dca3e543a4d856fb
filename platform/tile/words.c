// Records of requests and of words that the network changed; see tile.h.
#include "platform/base/hash.h"
#include "platform/tile/follow.h"
#include "platform/tile/windows.h"

#define WAYS 4u

static bool same_xy(struct ts_noc_xy a, struct ts_noc_xy b)
{
    return a.x == b.x && a.y == b.y;
}

static bool same_target(const struct ts_sent *a, const struct ts_sent *b)
{
    bool small = a->length <= TS_WORDS_SMALL;
    return a->count && a->kind == b->kind && a->core == b->core && a->noc == b->noc &&
           a->pc == b->pc && small == (b->length <= TS_WORDS_SMALL) &&
           (!small ||
            (a->address == b->address && same_xy(a->to, b->to) && same_xy(a->start, b->start)));
}

void ts_words_issued(struct ts_tile *tile, const struct ts_noc_niu *niu, unsigned initiator,
                     unsigned core, ts_cycle now)
{
    if (tile->config.unchecked)
        return;
    struct ts_noc_packet request = {.kind = 0};
    ts_noc_request_build(niu, &niu->initiators[initiator], &request);
    struct ts_sent sent = {
        .at = now,
        .address = request.address,
        .source = (uint32_t)(request.kind == TS_NOC_READ ? request.back_address : request.source),
        .pc = core < TS_RV_CORES ? ts_store_pc(tile, core) : TS_NO_PC,
        .length = request.kind == TS_NOC_ATOMIC || request.inline_data ? 4 : request.length,
        .amount = request.kind == TS_NOC_ATOMIC ? request.data : 0,
        .to = ts_noc_mirror(niu->fabric, niu->noc, request.to),
        .start = ts_noc_mirror(niu->fabric, niu->noc, request.start),
        .kind = request.kind,
        .noc = (uint8_t)niu->noc,
        .core = (uint8_t)core,
        .broadcast = request.broadcast,
        .linked = request.linked,
        .loopback = request.source_too,
        .from = {(uint8_t)tile->x, (uint8_t)tile->y}};
    uint64_t key = ts_hash_word(sent.pc, sent.length <= TS_WORDS_SMALL
                                             ? sent.address ^ (uint64_t)sent.to.x << 40 ^
                                                   (uint64_t)sent.to.y << 48
                                             : 0);
    struct ts_sent *oldest = NULL;
    for (unsigned i = 0; i < WAYS; i++) {
        struct ts_sent *row = &tile->words.sent[(key + i) % TS_SENT];
        if (same_target(row, &sent)) {
            sent.count = row->count + 1;
            sent.first = row->first;
            *row = sent;
            return;
        }
        if (oldest == NULL || row->at < oldest->at)
            oldest = row;
    }
    sent.count = 1;
    sent.first = now;
    *oldest = sent;
}

static struct ts_got *find(struct ts_words *self, uint32_t word, bool add)
{
    struct ts_got *oldest = NULL;
    for (unsigned i = 0; i < WAYS; i++) {
        struct ts_got *row = &self->got[(word / 4 + i) % TS_GOT];
        if (row->word == word)
            return row;
        if (oldest == NULL || row->at < oldest->at)
            oldest = row;
    }
    if (!add)
        return NULL;
    *oldest = (struct ts_got){.word = word};
    return oldest;
}

// Has the tile changed the word since the network did? Then what came and was not seen is lost.
static void note_reset(const struct ts_tile *tile, const struct ts_got *got, uint32_t value,
                       struct ts_lost *lost)
{
    if (got->count == 0 || got->settled || value == got->after)
        return;
    const struct ts_l1_last by = ts_l1_writer(&tile->l1, (got->word - 1) * 4).last;
    bool core = by.word && by.by >= TS_BY_CORE && by.by < TS_BY_CORE + TS_RV_CORES;
    if (!core || (got->looked && got->again == 0)) { // what threads load is not recorded
        lost->since++;
        return;
    }
    *lost = (struct ts_lost){.from = got->after,
                             .to = value,
                             .count = got->looked              ? got->again + 1
                                      : got->after > got->seen ? got->after - got->seen
                                                               : 1,
                             .merged = got->looked,
                             .by = by,
                             .arrived = got->at};
}

void ts_words_arrive(struct ts_tile *tile, uint32_t address, const void *bytes, uint32_t length,
                     ts_cycle now)
{
    if (tile->config.unchecked || address % 4 || length % 4)
        return;
    tile->l1.looked = ts_words_looked;
    tile->l1.book_context = tile;
    for (uint32_t i = 0; i < length; i += 4) {
        uint32_t before;
        struct ts_got *got = find(&tile->words, (address + i) / 4 + 1, true);
        if (tile->follow && tile->follow->arrival)
            tile->follow->arrival(tile->follow->context, address + i, now);
        memcpy(&before, tile->l1.bytes + address + i, 4);
        if (got->count == 0)
            got->seen = before;
        note_reset(tile, got, before, &got->lost);
        if (got->count && before != got->after)
            got->reset = ts_l1_writer(&tile->l1, address + i).last;
        bool same = got->count && memcmp(&before, (const char *)bytes + i, 4) == 0;
        got->again = before == got->after || got->count == 0 ? got->again + same : 0;
        if (got->count && before != got->after)
            got->seen = before;
        memcpy(&got->after, (const char *)bytes + i, 4);
        got->count++;
        got->looked = got->settled = false;
        tile->l1.news |= UINT64_C(1) << (address + i) / 4 % 64;
        got->from = (uint16_t)tile->noc_writer;
        got->at = now;
        got->issued = tile->noc_issued;
    }
}

void ts_words_looked(void *context, uint32_t address, uint32_t value)
{
    struct ts_tile *tile = context;
    struct ts_got *got = find(&tile->words, address / 4 + 1, false);
    if (got == NULL || got->looked || got->settled)
        return; // another word with the same bit
    if (value != got->after) {
        note_reset(tile, got, value, &got->lost);
        got->settled = true;
    } else {
        got->seen = value;
        got->looked = true;
    }
    tile->l1.news = 0;
    for (unsigned i = 0; i < TS_GOT; i++)
        if (tile->words.got[i].word && !tile->words.got[i].looked && !tile->words.got[i].settled)
            tile->l1.news |= UINT64_C(1) << (tile->words.got[i].word - 1) % 64;
}

struct ts_lost ts_words_lost(const struct ts_tile *tile, uint32_t address)
{
    const struct ts_got *got = ts_words_got(tile, address);
    struct ts_lost lost = {0};
    uint32_t now;
    if (got == NULL)
        return lost;
    lost = got->lost;
    memcpy(&now, tile->l1.bytes + (address & ~3u), 4);
    note_reset(tile, got, now, &lost);
    return lost;
}

const struct ts_got *ts_words_got(const struct ts_tile *tile, uint32_t address)
{
    return find((struct ts_words *)&tile->words, address / 4 + 1, false);
}

bool ts_sent_hits(const struct ts_sent *sent, struct ts_noc_xy at, uint64_t address, uint32_t size)
{
    if (sent->count == 0 || sent->kind == TS_NOC_READ || address + size <= sent->address ||
        address >= sent->address + sent->length)
        return false;
    if (!sent->broadcast)
        return same_xy(sent->to, at);
    if (!sent->loopback && same_xy(sent->from, at))
        return false;
    // A rectangle of NoC 1 begins at its other corner.
    struct ts_noc_xy a = sent->start, b = sent->to;
    uint8_t x0 = a.x < b.x ? a.x : b.x, x1 = a.x < b.x ? b.x : a.x;
    uint8_t y0 = a.y < b.y ? a.y : b.y, y1 = a.y < b.y ? b.y : a.y;
    return at.x >= x0 && at.x <= x1 && at.y >= y0 && at.y <= y1;
}
