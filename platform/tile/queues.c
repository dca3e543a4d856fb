// Mailboxes and PC buffers (tile.h).
#include "platform/tile/tile.h"

static void push(struct ts_queue *queue, uint32_t word, ts_cycle ready)
{
    uint32_t at = (queue->first + queue->count++) % TS_PCBUF_DEPTH;
    queue->value[at] = word;
    queue->ready[at] = ready;
    ts_wake_all(&queue->words, ready);
}

static uint32_t pop(struct ts_queue *queue)
{
    uint32_t word = queue->value[queue->first];
    queue->first = (queue->first + 1) % TS_PCBUF_DEPTH;
    queue->count--;
    return word;
}

static bool there(const struct ts_queue *queue, ts_cycle now)
{
    return queue->count != 0 && queue->ready[queue->first] <= now;
}

static enum ts_rv_answer wait_for(struct ts_rv_reply *reply, enum ts_stall reason,
                                  const struct ts_object *object)
{
    reply->reason = reason;
    reply->object = object;
    return TS_RV_WAIT;
}

void ts_queues_init(struct ts_queues *self, struct ts_domain *domain, uint32_t latency)
{
    memset(self, 0, sizeof *self);
    self->latency = latency;
    for (unsigned from = 0; from < TS_MAIL_CORES; from++) {
        ts_resource_init(&self->mail_room[from], domain, NULL, "mailbox[%s].room",
                         ts_rv_core_names[from]);
        for (unsigned to = 0; to < TS_MAIL_CORES; to++)
            ts_resource_init(&self->mail[from][to].words, domain, NULL, "mailbox[%s-%s]",
                             ts_rv_core_names[from], ts_rv_core_names[to]);
    }
    for (unsigned i = 0; i < TS_PCBUFS; i++) {
        ts_resource_init(&self->pcbuf[i].words, domain, NULL, "pcbuf[%u]", i);
        ts_resource_init(&self->pcbuf_room[i], domain, NULL, "pcbuf[%u].room", i);
        ts_resource_init(&self->pcbuf_drained[i], domain, NULL, "pcbuf[%u].drained", i);
    }
}

enum ts_rv_answer ts_mail_store(struct ts_queues *self, unsigned core, uint32_t address,
                                uint32_t word, ts_cycle now, struct ts_rv_reply *reply)
{
    unsigned to = address >> 12 & 3;
    uint32_t held = 0;
    for (unsigned i = 0; i < TS_MAIL_CORES; i++)
        held += self->mail[core][i].count;
    if (held >= TS_MAIL_DEPTH)
        return wait_for(reply, TS_STALL_MAILBOX_FULL, &self->mail_room[core]);
    push(&self->mail[core][to], word, now + self->latency);
    self->sent++;
    return TS_RV_DONE;
}

enum ts_rv_answer ts_mail_load(struct ts_queues *self, unsigned core, uint32_t address,
                               ts_cycle now, struct ts_rv_reply *reply)
{
    unsigned from = address >> 12 & 3;
    struct ts_queue *queue = &self->mail[from][core];
    if (address & 4) {
        reply->value = there(queue, now);
        reply->settled = reply->value || queue->count == 0; // else it changes when the word arrives
        reply->object = &queue->words;
        return TS_RV_DONE;
    }
    if (!there(queue, now)) {
        reply->until = queue->count ? queue->ready[queue->first] : 0;
        return wait_for(reply, TS_STALL_MAILBOX_EMPTY, &queue->words);
    }
    reply->value = pop(queue);
    ts_wake_all(&self->mail_room[from], now + 1);
    ts_wake_all(&queue->words, now + 1); // a core may watch the count
    return TS_RV_DONE;
}

static uint32_t override_of(const struct ts_queues *self, unsigned index)
{
    return self->override >> (10 * index) & 0x3ff;
}

bool ts_pcbuf_overridden(const struct ts_queues *self, unsigned index)
{
    return (override_of(self, index) & 3) == 3;
}

enum ts_rv_answer ts_pcbuf_store(struct ts_queues *self, unsigned index, uint32_t word,
                                 ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_queue *queue = &self->pcbuf[index];
    if (queue->count == TS_PCBUF_DEPTH)
        return wait_for(reply, TS_STALL_FIFO_FULL, &self->pcbuf_room[index]);
    push(queue, word, now + self->latency);
    return TS_RV_DONE;
}

enum ts_rv_answer ts_pcbuf_wait(struct ts_queues *self, unsigned index, bool idle, ts_cycle now,
                                struct ts_rv_reply *reply)
{
    (void)now;
    reply->value = 0;
    if (ts_pcbuf_overridden(self, index))
        return TS_RV_DONE;
    if (self->pcbuf[index].count == 0 && self->reader_waits[index] && idle)
        return TS_RV_DONE;
    return wait_for(reply, TS_STALL_FIFO_FULL, &self->pcbuf_drained[index]);
}

enum ts_rv_answer ts_pcbuf_load(struct ts_queues *self, unsigned index, ts_cycle now,
                                struct ts_rv_reply *reply)
{
    struct ts_queue *queue = &self->pcbuf[index];
    if (there(queue, now)) {
        reply->value = pop(queue);
        self->reader_waits[index] = false;
        ts_wake_all(&self->pcbuf_room[index], now + 1);
        return TS_RV_DONE;
    }
    uint32_t configured = override_of(self, index);
    if (queue->count == 0 && configured & 1) {
        reply->value = configured >> 2;
        return TS_RV_DONE;
    }
    if (queue->count == 0 && !self->reader_waits[index]) {
        self->reader_waits[index] = true;
        ts_wake_all(&self->pcbuf_drained[index], now + 1);
    }
    reply->until = queue->count ? queue->ready[queue->first] : 0;
    return wait_for(reply, TS_STALL_FIFO_EMPTY, &queue->words);
}

void ts_queues_held(struct ts_queues *self, unsigned core, ts_cycle now)
{
    if (core < TS_MAIL_CORES) {
        for (unsigned to = 0; to < TS_MAIL_CORES; to++)
            self->mail[core][to].count = 0;
        ts_wake_all(&self->mail_room[core], now + 1);
    }
    if (core >= TS_RV_TRISC0 && core <= TS_RV_TRISC2)
        self->reader_waits[core - TS_RV_TRISC0] = false;
}

void ts_queues_released(struct ts_queues *self, unsigned core, ts_cycle now)
{
    if (core < TS_RV_TRISC0 || core > TS_RV_TRISC2)
        return;
    unsigned index = core - TS_RV_TRISC0;
    self->pcbuf[index].count = 0;
    ts_wake_all(&self->pcbuf_room[index], now + 1);
}
