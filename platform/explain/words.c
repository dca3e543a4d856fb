// What the network did to a word that a core polls: who sent how often, what was lost by a reset,
// what went to another place; see chip.h.
#include "platform/explain/chip.h"
#include "platform/tile/buffers.h"

#define SETTLED 2000 // cycles after which a request has surely read its source

static uint32_t word_at(const struct ts_tile *tile, uint32_t address)
{
    uint32_t word;
    memcpy(&word, tile->l1.bytes + (address & ~3u), sizeof word);
    return word;
}

static const char *operation(const struct ts_sent *row)
{
    if (row->kind == TS_NOC_ATOMIC)
        return row->count == 1 ? "increment" : "increments";
    if (row->broadcast)
        return row->count == 1 ? "multicast" : "multicasts";
    return row->count == 1 ? "write" : "writes";
}

// "8 increments by brisc of 1-2 at sender.cpp:9, the last at cycle 812".
static void row_text(const struct ts_hang_chip *self, size_t tile, const struct ts_sent *row,
                     char *text, size_t size)
{
    char who[40], line[80];
    ts_hang_who(self, tile, TS_NODE_CORE + row->core, who, sizeof who);
    ts_hang_at(self->of[tile], row->core, row->pc, line, sizeof line);
    snprintf(text, size, "%llu %s by %s at %s, the last at cycle %llu",
             (unsigned long long)row->count, operation(row), who, line,
             (unsigned long long)row->at);
}

static struct ts_noc_xy xy_of(const struct ts_tile *tile)
{
    return (struct ts_noc_xy){(uint8_t)tile->x, (uint8_t)tile->y};
}

static int tile_at(const struct ts_hang_chip *self, uint32_t chip, struct ts_noc_xy at)
{
    for (size_t t = 0; t < self->count; t++)
        if (self->of[t]->chip == chip && self->of[t]->x == at.x && self->of[t]->y == at.y)
            return (int)t;
    return -1;
}

// Did a request of tile `from` write the bytes of tile `to`?
static bool hits(const struct ts_hang_chip *self, size_t from, const struct ts_sent *row, size_t to,
                 uint32_t address, uint32_t size)
{
    return self->of[from]->chip == self->of[to]->chip &&
           ts_sent_hits(row, xy_of(self->of[to]), address, size);
}

static bool polled(const struct ts_hang_tile *self, uint32_t address)
{
    for (int i = TS_NODE_CORE; i < TS_NODE_CORE + TS_RV_CORES; i++)
        if (self->node[i].state == TS_HANG_POLLS && self->node[i].address / 4 == address / 4)
            return true;
    return false;
}

// A word that programs count in: a semaphore, or one without a name.
static bool counts(const struct ts_tile *tile, uint32_t address)
{
    char name[64];
    bool full;
    ts_tile_word_name(tile, address, name, sizeof name);
    if (ts_buffers_at(tile, address, &full))
        return false;
    return strncmp(name, "semaphore ", 10) == 0 || strncmp(name, "L1 word ", 8) == 0;
}

// Did a request for the same address go where nobody asks for it?
static bool went_astray(const struct ts_hang_chip *self, size_t tile, const struct ts_hang_node *n,
                        size_t from, const struct ts_sent *row)
{
    if (row->count == 0 || row->kind == TS_NOC_READ || row->broadcast || row->length > 16 ||
        self->of[from]->chip != self->of[tile]->chip ||
        hits(self, from, row, tile, n->address, n->size))
        return false;
    int there = tile_at(self, self->of[from]->chip, row->to);
    if (row->address == n->address)
        return there < 0 || (size_t)there == from ||
               (!polled(&self->tiles[there], n->address) &&
                word_at(self->of[there], n->address) >=
                    n->need.needs + (uint32_t)(n->need.missing > 0 ? n->need.missing : 1));
    // Another word that counts, which nobody asks for: of the right tile, or without a name.
    if (row->kind != TS_NOC_ATOMIC || ts_words_got(self->of[tile], n->address) ||
        row->address >= TS_L1_SIZE || !counts(self->of[tile], n->address))
        return false;
    if (there < 0)
        return true;
    if (polled(&self->tiles[there], (uint32_t)row->address))
        return false;
    const struct ts_tile *of = self->of[there];
    char name[64];
    bool unnamed = strncmp(ts_tile_word_name(of, (uint32_t)row->address, name, sizeof name),
                           "L1 word ", 8) == 0;
    return (there == (int)tile || unnamed) && counts(of, (uint32_t)row->address);
}

// What is most like a slip first: the right word of another tile, another word of the right tile.
static unsigned likeness(const struct ts_hang_chip *self, size_t tile, const struct ts_hang_node *n,
                         const struct ts_sent *row)
{
    return row->address == n->address                                  ? 3
           : tile_at(self, self->of[tile]->chip, row->to) == (int)tile ? 2
                                                                       : 1;
}

static void look_astray(struct ts_hang_chip *self, size_t tile, struct ts_hang_node *n)
{
    unsigned best = 0;
    for (size_t t = 0; t < self->count; t++)
        for (unsigned i = 0; i < TS_SENT; i++) {
            const struct ts_sent *row = &self->of[t]->words.sent[i];
            char text[260], name[64];
            if (!went_astray(self, tile, n, t, row) || likeness(self, tile, n, row) <= best)
                continue;
            best = likeness(self, tile, n, row);
            row_text(self, t, row, text, sizeof text);
            char *last = strstr(text, ", the last");
            if (last)
                *last = '\0';
            int there = tile_at(self, self->of[t]->chip, row->to);
            snprintf(name, sizeof name, "L1 word 0x%llx", (unsigned long long)row->address);
            if (there >= 0)
                ts_tile_word_name(self->of[there], (uint32_t)row->address, name, sizeof name);
            if (best == 3)
                snprintf(n->astray, sizeof n->astray, "%s went to %u-%u", text, row->to.x,
                         row->to.y);
            else if (strncmp(name, "L1 word ", 8) != 0)
                snprintf(n->astray, sizeof n->astray, "%s went to %s", text, name);
            else // an address says nothing of what was meant
                snprintf(n->elsewhere, sizeof n->elsewhere, "%s went to %s of %u-%u%s", text, name,
                         row->to.x, row->to.y, there < 0 ? ", where no kernel runs" : "");
        }
}

// --- counts that are too low

struct sender {
    size_t tile;
    unsigned core;
    uint64_t count;
    uint32_t pc;
};

#define SENDERS 64u // at most
#define NAMED   4u

// The cores that incremented the word, each once; 0: none, too many, or it was written too.
static unsigned find_senders(const struct ts_hang_chip *self, size_t tile, uint32_t address,
                             struct sender *list)
{
    unsigned count = 0;
    for (size_t t = 0; t < self->count; t++)
        for (unsigned i = 0; i < TS_SENT; i++) {
            const struct ts_sent *row = &self->of[t]->words.sent[i];
            unsigned k = 0;
            if (!hits(self, t, row, tile, address, 4))
                continue;
            while (k < count && (list[k].tile != t || list[k].core != row->core))
                k++;
            if (row->kind != TS_NOC_ATOMIC || k == SENDERS)
                return 0;
            if (k == count)
                list[count++] = (struct sender){t, row->core, 0, row->pc};
            list[k].count += row->count;
        }
    return count;
}

// "1 increment each by brisc of 2-2 and brisc of 3-2 at sum.cpp:10".
static void senders_text(const struct ts_hang_chip *self, const struct sender *list, unsigned count,
                         char *text, size_t size)
{
    char who[40], line[80];
    snprintf(text, size, "%llu increment%s%s by ", (unsigned long long)list[0].count,
             list[0].count == 1 ? "" : "s", count > 1 ? " each" : "");
    for (unsigned i = 0; i < count; i++) {
        bool rest = i + 1 == NAMED && count > NAMED;
        const char *before = i == 0 ? "" : i + 1 == count || rest ? " and " : ", ";
        if (rest)
            snprintf(who, sizeof who, "%u more", count - i);
        else
            ts_hang_who(self, list[i].tile, TS_NODE_CORE + (int)list[i].core, who, sizeof who);
        ts_append(text, size, "%s%s", before, who);
        if (rest)
            break;
    }
    ts_hang_at(self->of[list[0].tile], list[0].core, list[0].pc, line, sizeof line);
    ts_append(text, size, " at %s", line);
}

// The increments that arrived are too few, and their senders send no more, or only after the waiting core goes on.
// Then no sender is the cause.
static void look_few(const struct ts_hang_chip *self, size_t tile, struct ts_hang_node *n)
{
    struct sender list[SENDERS];
    char text[260];
    unsigned count = find_senders(self, tile, n->address & ~3u, list);
    bool ended = true, alike = true;
    if (count == 0 || n->size != 4 || !n->need.known || !n->need.plain || n->need.missing <= 0)
        return;
    for (unsigned i = 0; i < count; i++) {
        ended &= self->tiles[list[i].tile].node[TS_NODE_CORE + list[i].core].state == TS_HANG_ENDED;
        alike &= list[i].count == list[0].count;
    }
    if (!alike)
        return;
    senders_text(self, list, count, text, sizeof text);
    if (ended && !n->would[0])
        snprintf(n->few, sizeof n->few, "%s, which %s ended", text, count == 1 ? "has" : "have");
    else if (count > 1 && n->need.needs % count != 0 && n->need.has % count == 0)
        snprintf(n->few, sizeof n->few,
                 "%s; %u cores send to it, equally often: that never makes %u", text, count,
                 n->need.needs);
}

// The tile set the word anew before it had seen all that came: recorded when it was loaded. It explains the wait
// if the word would do with what was lost. If the tile has set it anew since then, for what it had seen, other
// waits have passed meanwhile.
static void look_reset(const struct ts_hang_chip *self, size_t tile, struct ts_hang_node *n)
{
    const struct ts_tile *of = self->of[tile];
    const struct ts_lost lost = ts_words_lost(of, n->address);
    const uint32_t now = word_at(of, n->address);
    if (lost.count == 0 || !n->need.known || n->address % 4 || n->size != 4)
        return;
    if (!ts_rv_spin_ends(&n->need.loop, n->need.poll, now + lost.count) &&
        !ts_rv_spin_ends(&n->need.loop, n->need.poll, lost.from))
        return;
    char where[140] = "", line[100];
    ts_hang_at(of, (unsigned)lost.by.by - TS_BY_CORE, lost.by.pc, line, sizeof line);
    snprintf(where, sizeof where, " at %.100s, cycle %llu", line, (unsigned long long)lost.by.at);
    n->lost_likely = lost.since != 0 || (lost.merged && n->would[0]);
    if (lost.merged)
        snprintf(n->lost, sizeof n->lost,
                 "%u writes of %u came before it was set to %u%s: they are seen as one", lost.count,
                 lost.from, lost.to, where);
    else
        snprintf(n->lost, sizeof n->lost, "%u had arrived%s when it was set from %u to %u%s",
                 lost.count, lost.count < lost.from ? " unseen" : "", lost.from, lost.to, where);
}

// A write that carried another value than it should: its source was rewritten behind it.
static void look_source(const struct ts_hang_chip *self, size_t tile, struct ts_hang_node *n,
                        size_t from, const struct ts_sent *row)
{
    const struct ts_tile *of = self->of[from];
    uint32_t source = row->source + ((n->address & ~3u) - (uint32_t)row->address);
    const struct ts_l1_writer writer = ts_l1_writer(&of->l1, source);
    char line[80], again[80], who[40];
    if (n->lost[0] || row->kind != TS_NOC_WRITE || !ts_l1_contains(source, 4) ||
        writer.state != TS_L1_KNOWN || writer.last.at <= row->at ||
        writer.last.at > row->at + SETTLED || writer.last.by != (unsigned)TS_BY_CORE + row->core ||
        word_at(of, source) != word_at(self->of[tile], n->address))
        return;
    ts_hang_at(of, row->core, row->pc, line, sizeof line);
    ts_hang_at(of, row->core, writer.last.pc, again, sizeof again);
    snprintf(n->lost, sizeof n->lost,
             "the %s by %s at %s carried the %u that %s stored to its source behind it",
             row->broadcast ? "multicast" : "write",
             ts_hang_who(self, from, TS_NODE_CORE + row->core, who, sizeof who), line,
             word_at(of, source), again);
}

// The core polls a copy, or its own multicast leaves it out.
static void look_left_out(const struct ts_hang_chip *self, size_t tile, struct ts_hang_node *n,
                          const struct ts_sent *latest)
{
    const struct ts_tile *of = self->of[tile];
    for (unsigned i = 0; i < TS_SENT && !n->never[0] && latest == NULL; i++) {
        const struct ts_sent *row = &of->words.sent[i];
        char line[80], name[64];
        if (row->count == 0 || row->kind != TS_NOC_READ || n->address - row->source >= row->length)
            continue;
        ts_hang_at(of, row->core, row->pc, line, sizeof line);
        snprintf(n->never, sizeof n->never,
                 "it polls a copy of %s that was read at %s, cycle %llu, and is not read again",
                 ts_hang_far_name(of, self->far, row->to, row->address, name, sizeof name), line,
                 (unsigned long long)row->at);
    }
    for (unsigned i = 0; i < TS_SENT && !n->never[0]; i++) {
        struct ts_sent row = of->words.sent[i];
        bool left_out = row.broadcast && !row.loopback;
        row.loopback = true;
        if (!left_out || !ts_sent_hits(&row, xy_of(of), n->address, n->size))
            continue;
        char line[80];
        ts_hang_at(of, row.core, row.pc, line, sizeof line);
        snprintf(n->never, sizeof n->never, "the multicast at %s leaves its sender out", line);
    }
}

// Several cores sent equally often, and one that runs the same kernel sent nothing: that one.
static void look_silent(const struct ts_hang_chip *self, size_t tile, struct ts_hang_node *n,
                        const struct ts_sent *like)
{
    const void *program = NULL;
    unsigned senders = 0, silent = 0;
    size_t who = 0;
    int first = tile_at(self, self->of[tile]->chip, like->from);
    if (first >= 0)
        program = self->of[first]->programs[like->core].bytes;
    for (size_t t = 0; t < self->count && program; t++) {
        bool sent = false;
        for (unsigned i = 0; i < TS_SENT; i++) {
            const struct ts_sent *row = &self->of[t]->words.sent[i];
            if (!hits(self, t, row, tile, n->address, n->size))
                continue;
            sent = true;
            if (row->count != like->count)
                return;
        }
        senders += sent;
        if (!sent && t != tile && self->of[t]->chip == self->of[tile]->chip &&
            self->of[t]->programs[like->core].bytes == program) {
            silent++;
            who = t;
        }
    }
    if (senders < 2 || silent != 1)
        return;
    n->to = TS_NODE_CORE + like->core;
    n->to_tile = (int)who;
    n->few[0] = '\0';
    snprintf(n->sent, sizeof n->sent, "%u other cores with the same kernel sent %llu each", senders,
             (unsigned long long)like->count);
}

// The word lies in DRAM or in another tile, and the core reads it again and again.
static void look_far(struct ts_hang_chip *self, size_t tile, struct ts_hang_node *n)
{
    const struct ts_sent *latest = NULL;
    size_t latest_tile = 0;
    for (size_t t = 0; t < self->count; t++)
        for (unsigned i = 0; i < TS_SENT; i++) {
            const struct ts_sent *row = &self->of[t]->words.sent[i];
            if (row->count == 0 || row->kind == TS_NOC_READ || row->broadcast ||
                ts_far_memory(self->far, self->of[t], row->to) != n->far.memory ||
                n->far.address - row->address >= row->length || (latest && row->at <= latest->at))
                continue;
            latest = row;
            latest_tile = t;
        }
    if (latest == NULL) {
        snprintf(n->last, sizeof n->last, "no core has written it");
        return;
    }
    row_text(self, latest_tile, latest, n->sent, sizeof n->sent);
    ts_hang_fact(&self->tiles[tile], "%s: %s", n->object, n->sent);
    if (n->would[0])
        return;
    n->to = TS_NODE_CORE + latest->core;
    n->to_tile = latest_tile == tile ? -1 : (int)latest_tile;
    n->sure = false;
}

void ts_hang_look_word(struct ts_hang_chip *self, size_t tile, int node)
{
    struct ts_hang_node *n = &self->tiles[tile].node[node];
    const struct ts_sent *latest = NULL;
    size_t latest_tile = 0;
    if (n->far.memory) {
        look_far(self, tile, n);
        return;
    }
    for (size_t t = 0; t < self->count; t++)
        for (unsigned i = 0; i < TS_SENT; i++) {
            const struct ts_sent *row = &self->of[t]->words.sent[i];
            char text[260];
            if (!hits(self, t, row, tile, n->address, n->size))
                continue;
            row_text(self, t, row, text, sizeof text);
            ts_hang_fact(&self->tiles[tile], "%s: %s", n->object, text);
            if (latest == NULL || row->at > latest->at) {
                latest = row;
                latest_tile = t;
            }
        }
    // Only increments come, and they have passed what the core waits for.
    if (latest && latest->kind == TS_NOC_ATOMIC && n->need.exact && n->need.missing < 0 &&
        !n->would[0])
        snprintf(n->never, sizeof n->never,
                 "it waits for exactly %u, and the increments have gone past it", n->need.needs);
    look_reset(self, tile, n);
    look_few(self, tile, n);
    if (n->would[0])
        return; // somebody still could
    look_left_out(self, tile, n, latest);
    if (latest && n->few[0] == '\0') {
        n->to = TS_NODE_CORE + latest->core;
        n->to_tile = latest_tile == tile ? -1 : (int)latest_tile;
        n->sure = false;
        row_text(self, latest_tile, latest, n->sent, sizeof n->sent);
        look_source(self, tile, n, latest_tile, latest);
    } else if (latest) {
        n->to = -1; // no sender is the cause
    }
    if (latest)
        look_silent(self, tile, n, latest);
    look_astray(self, tile, n);
    if (n->astray[0])
        ts_hang_fact(&self->tiles[tile], "%s: %s", n->object, n->astray);
}
