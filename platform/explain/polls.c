// What a polling core waits for, as text: the location by its name, what it has and needs, and who
// could change it.
#include "noc/dram.h"
#include "platform/explain/looker.h"
#include "platform/tile/buffers.h"

// Counters of a network interface that programs wait for.
static const char *counter_name(unsigned index)
{
    switch (index) {
    case TS_NOC_MST_ATOMIC_RESP_RECEIVED:
        return "responses to atomics";
    case TS_NOC_MST_WR_ACK_RECEIVED:
        return "acknowledgements of writes";
    case TS_NOC_MST_RD_RESP_RECEIVED:
        return "responses to reads";
    case TS_NOC_MST_NONPOSTED_WR_REQ_SENT:
        return "writes sent";
    case TS_NOC_MST_POSTED_WR_REQ_SENT:
        return "posted writes sent";
    default:
        return NULL;
    }
}

static void name_niu(const struct ts_tile *tile, uint32_t address, char *text, size_t size)
{
    unsigned offset = ts_niu_offset(tile, address), noc = offset >> 16,
             index = offset % TS_NOC_BUF_STRIDE / 4;
    if (index == TS_NOC_CMD_CTRL) {
        snprintf(text, size, "noc%u command buffer %u", noc, offset % 0x10000 / TS_NOC_BUF_STRIDE);
    } else if (index >= 0x80 && index < 0x80 + TS_NOC_COUNTERS) {
        const char *name = counter_name(index - 0x80);
        if (name)
            snprintf(text, size, "%s on NoC %u", name, noc);
        else
            snprintf(text, size, "noc%u counter %u", noc, index - 0x80);
    } else {
        snprintf(text, size, "register 0x%x", address);
    }
}

const char *ts_hang_far_name(const struct ts_tile *tile, const struct ts_far *far,
                             struct ts_noc_xy at, uint64_t address, char *text, size_t size)
{
    char word[80];
    for (unsigned i = 0; i < tile->name_count; i++)
        if (tile->names[i].dram && address - tile->names[i].address < tile->names[i].length) {
            snprintf(text, size, "%s in DRAM", tile->names[i].text);
            return text;
        }
    const struct ts_noc_niu *niu = far ? ts_far_niu(far, tile, at) : NULL;
    if (niu && niu->memory == &ts_tile_memory)
        snprintf(text, size, "%s of %u-%u",
                 ts_tile_word_name(niu->context, (uint32_t)address, word, sizeof word), at.x, at.y);
    else
        snprintf(text, size, "0x%llx of %s%u-%u", (unsigned long long)address,
                 niu && ts_dram_of(niu) ? "DRAM tile " : "", at.x, at.y);
    return text;
}

const char *ts_hang_poll_name(const struct ts_tile *tile, unsigned core, uint32_t address,
                              char *text, size_t size)
{
    const struct ts_place place = ts_place_of(tile, core, address);
    char variable[48] = "";
    switch (place.kind) {
    case TS_PLACE_SEMAPHORE:
        snprintf(text, size, "semaphore %u", place.index);
        break;
    case TS_PLACE_MAILBOX:
        snprintf(text, size, "mailbox[%s-%s]", ts_rv_core_names[place.index],
                 ts_rv_core_names[core]);
        break;
    case TS_PLACE_BUFFER:
        snprintf(text, size, "%s of buffer %s", place.full ? "received" : "acked",
                 place.buffer->name);
        break;
    case TS_PLACE_NIU:
        name_niu(tile, address, text, size);
        break;
    case TS_PLACE_REGISTER:
        ts_tile_register_name(tile, address, text, size);
        break;
    case TS_PLACE_L1:
        ts_tile_word_name(tile, address, text, size);
        struct ts_symbols *symbols = ts_symbols_open(&tile->programs[core]);
        if (ts_symbols_variable(symbols, address, variable, sizeof variable))
            snprintf(text, size, "%s", variable);
        ts_symbols_close(symbols);
    }
    return text;
}

// A location that the core of node `at` polls, by name.
struct naming {
    const struct ts_hang_looker *looker;
    unsigned core;
};

static const char *name_of(void *context, uint32_t address, char *text, size_t size)
{
    const struct naming *self = context;
    return ts_hang_poll_name(self->looker->tile, self->core, address, text, size);
}

// Buffers with pages that nobody has ever taken: perhaps the one that was meant.
static void say_untaken(const struct ts_tile *tile, struct ts_hang_node *node)
{
    for (unsigned i = 0; i < tile->buffer_count; i++) {
        const struct ts_buffer *b = &tile->buffers[i];
        size_t used = strlen(node->last);
        if (b->popped_by == TS_BY_NOBODY && ts_buffer_fill(tile, b) &&
            used + 60 < sizeof node->last)
            snprintf(node->last + used, sizeof node->last - used,
                     " (in %s there %s %u, and nobody has taken one)", b->name,
                     ts_buffer_fill(tile, b) == 1 ? "is" : "are", ts_buffer_fill(tile, b));
    }
}

static void buffer_wait(const struct ts_hang_looker *self, int at, const struct ts_buffer *buffer,
                        bool full, const struct ts_condition *condition,
                        const struct ts_rv_spin *spin)
{
    struct ts_hang_node *node = &self->story->node[at];
    uint32_t fill = ts_buffer_fill(self->tile, buffer);
    uint32_t has = full ? fill : buffer->pages - fill;
    snprintf(node->object, sizeof node->object, "buffer %s", buffer->name);
    ts_hang_say(node, "polls for %s in circular buffer %s: %u of %u pages are in it",
                full ? "pages" : "room", buffer->name, fill, buffer->pages);
    if (condition->known) {
        // What others took since the core began to wait does not count.
        uint32_t asks = ts_condition_asks(condition, spin), missing = (uint32_t)condition->missing;
        uint32_t needs = asks ? asks : has + (condition->missing < 0 ? 0 - missing : missing);
        node->need.known = true;
        node->need.has = has;
        node->need.needs = needs;
        ts_hang_say(node, ", has %u, needs %u", has, needs);
        snprintf(node->need.text, sizeof node->need.text, "has %u of %u pages%s, needs %u", has,
                 buffer->pages, full ? "" : " free", needs);
        if (needs > buffer->pages)
            snprintf(node->never, sizeof node->never, "it asks for %u pages, and the buffer has %u",
                     needs, buffer->pages);
    }
    if (buffer->received < TS_L1_SIZE)
        ts_hang_last_writer(self, node, full ? buffer->received : buffer->acked);
    uint8_t by = full ? buffer->pushed_by : buffer->popped_by;
    node->to = by == TS_BY_NOBODY ? -1 : ts_node_by(by);
    node->sure = false; // by history
    if (by == TS_BY_NOBODY)
        snprintf(node->last, sizeof node->last, "nobody has ever %s",
                 full ? "put a page in" : "taken a page out");
    if (by == TS_BY_NOBODY && full)
        say_untaken(self->tile, node);
    if (node->to == at)
        node->to = -1;
    // Pages came, and another core took them.
    uint8_t taker = buffer->popped_by;
    if (full && fill == 0 && buffer->pushed_by != TS_BY_NOBODY && taker != TS_BY_NOBODY &&
        ts_node_by(taker) != at)
        snprintf(node->taken, sizeof node->taken, "%s has taken the %u that came",
                 ts_by_name(taker), buffer->was_acked);
}

// A buffer that the program does not have.
static void undeclared(const struct ts_hang_looker *self, struct ts_hang_node *node, int number,
                       bool full)
{
    const struct ts_tile *tile = self->tile;
    char has[80] = "";
    size_t used = 0;
    for (unsigned i = 0; i < tile->buffer_count && used + 8 < sizeof has; i++)
        used += (size_t)snprintf(has + used, sizeof has - used, "%s%s", i ? ", " : "",
                                 tile->buffers[i].name);
    snprintf(node->object, sizeof node->object, "buffer c_%d", number);
    snprintf(node->need.text, sizeof node->need.text, "not declared");
    snprintf(node->never, sizeof node->never, "buffer %d is not declared; this core has %s", number,
             has[0] ? has : "none");
    ts_hang_say(node, "polls for %s in circular buffer c_%d, which is not declared",
                full ? "pages" : "room", number);
}

// Has the interface sent writes that nobody acknowledges?
static uint32_t posted(const struct ts_noc_niu *niu)
{
    return niu->counters[TS_NOC_MST_POSTED_WR_REQ_SENT];
}

// The last multicast of the interface, and its rectangle: as many as took it have acknowledged it.
static void say_multicast(const struct ts_tile *tile, struct ts_hang_node *node, unsigned noc)
{
    const struct ts_sent *last = NULL;
    for (unsigned i = 0; i < TS_SENT; i++) {
        const struct ts_sent *row = &tile->words.sent[i];
        if (row->count && row->kind == TS_NOC_WRITE && row->broadcast && row->noc == noc &&
            row->core < TS_RV_CORES && (last == NULL || row->at > last->at))
            last = row;
    }
    if (last == NULL)
        return;
    char line[80];
    struct ts_frames frames = ts_symbols_find(tile, last->core, last->pc);
    ts_frames_line(&frames, line, sizeof line);
    ts_append(node->never, sizeof node->never,
              "; the multicast at %s went to the rectangle from %u-%u to %u-%u%s",
              line[0] ? line : "an unknown line", last->start.x, last->start.y, last->to.x,
              last->to.y, last->loopback ? "" : ", without its sender");
}

// A counter that cannot reach what the core waits for: everything that was sent has been answered.
static void niu_wait(const struct ts_hang_looker *self, struct ts_hang_node *node, uint32_t address,
                     const struct ts_condition *condition)
{
    unsigned offset = ts_niu_offset(self->tile, address), noc = offset >> 16,
             index = offset % TS_NOC_BUF_STRIDE / 4 - 0x80;
    const struct ts_noc_niu *niu = self->tile->window[TS_DEVICE_NOC0 + noc].context;
    if (niu == NULL || index > TS_NOC_MST_RD_RESP_RECEIVED)
        return;
    // A multicast counts once and is answered by each receiver: the count may fall below 0.
    bool outstanding = false;
    for (unsigned id = 0; id < TS_NOC_IDS; id++)
        outstanding |= (int8_t)niu->counters[TS_NOC_MST_REQS_OUTSTANDING_ID + id] > 0;
    if (condition->known && !outstanding && condition->missing > 0)
        snprintf(node->never, sizeof node->never, "everything that was sent has been answered");
    if (node->never[0] && index == TS_NOC_MST_WR_ACK_RECEIVED && posted(niu)) {
        ts_append(node->never, sizeof node->never,
                  "; %u posted write%s were sent, which nobody acknowledges", posted(niu),
                  posted(niu) == 1 ? "" : "s");
    }
    if (node->never[0] && index == TS_NOC_MST_WR_ACK_RECEIVED)
        say_multicast(self->tile, node, noc);
}

void ts_hang_poll(const struct ts_hang_looker *self, int at, const struct ts_rv_spin *spin,
                  const struct ts_far_poll *asks)
{
    struct ts_hang_node *node = &self->story->node[at];
    unsigned id = (unsigned)at - TS_NODE_CORE, first = 0;
    struct ts_condition condition = ts_condition_of(spin);
    struct naming naming = {self, id};
    if (condition.known)
        first = condition.poll;
    uint32_t address = spin->poll[first].address, value = spin->poll[first].value;
    node->size = spin->poll[first].size ? spin->poll[first].size : 4;
    const struct ts_place place = ts_place_of(self->tile, id, address);
    const struct ts_far_read *read = asks ? ts_far_copied(asks, address) : NULL;
    node->address = address;
    if (place.kind == TS_PLACE_BUFFER) {
        buffer_wait(self, at, place.buffer, place.full, &condition, spin);
        return;
    }
    bool full;
    int number = ts_buffers_number(self->tile, address, &full);
    if (number >= 0) {
        undeclared(self, node, number, full);
        return;
    }
    if (read) {
        node->far.memory = ts_far_memory(self->far, self->tile, read->to);
        node->far.at = read->to;
        node->far.address = read->address + (address - read->back);
        ts_hang_far_name(self->tile, self->far, read->to, node->far.address, node->object,
                         sizeof node->object);
        ts_hang_say(node, "reads %s over NoC %u again and again", node->object, read->noc);
    } else {
        name_of(&naming, address, node->object, sizeof node->object);
        if (node->size == 1 && strncmp(node->object, "L1 word", 7) == 0)
            memcpy(node->object + 3, "byte", 4);
        ts_hang_say(node, "polls %s", node->object);
    }
    if (condition.known) {
        node->need.known = true;
        node->need.has = condition.has;
        node->need.needs = condition.needs;
        node->need.missing = condition.missing;
        node->need.plain = condition.plain && !condition.both;
        node->need.exact = condition.plain && condition.relation == TS_REL_EQ;
        node->need.goal = condition.goal;
        node->need.poll = condition.poll;
        node->need.loop = *spin;
        ts_condition_text(&condition, spin, name_of, &naming, node->need.text,
                          sizeof node->need.text);
    } else {
        snprintf(node->need.text, sizeof node->need.text, value < 0x10000 ? "has %u" : "has 0x%x",
                 value);
    }
    if (place.kind == TS_PLACE_SEMAPHORE) {
        unsigned index = place.index;
        ts_hang_say(node, " (%s), max %u", ts_hang_semaphore_names[index],
                    self->tile->sync.semaphore[index].max);
        ts_hang_last_change(node, &self->tile->sync.semaphore[index]);
        node->semaphore = (int)index;
        node->to = ts_hang_changer(self, index, condition.missing > 0, at);
    } else if (place.kind == TS_PLACE_MAILBOX) {
        node->to = TS_NODE_CORE + (int)place.index;
    } else if (place.kind == TS_PLACE_NIU) {
        niu_wait(self, node, address, &condition);
    }
    ts_hang_say(node, ": %s", node->need.text);
    if (address >= TS_L1_SIZE || read)
        return;
    uint32_t real;
    memcpy(&real, self->tile->l1.bytes + (address & ~3u), sizeof real);
    if (spin->stale_pc != 0 && spin->stale_address == address) {
        ts_hang_say(node, " from its L0 cache (L1 has 0x%x: it is not invalidated)", real);
        snprintf(node->lost, sizeof node->lost,
                 "its L0 cache still has %u, L1 has %u: the poll never sees the write", value,
                 real);
    }
    int by = ts_hang_last_writer(self, node, address);
    node->to = by == at || node->size < 4 ? -1 : by; // of a word, not of its bytes
    node->sure = false;                              // by history
}
