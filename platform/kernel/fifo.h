// A bounded FIFO between two components: latency of at least one cycle, back-pressure, one reader.
//
//   writer --push--> [ slots with ready cycles ] --pop--> reader
//          <------------- room, a cycle after the pop ----
//
// A word pushed at cycle t is visible from t + latency on. The room that a pop makes can be used
// one cycle later. So neither end sees what the other does in the same cycle, and the two may step
// in any order. When writer and reader are in different domains the FIFO crosses: words and room
// both travel `latency` cycles (room may have a different latency), and windows end before they
// arrive. The calls are the same.
#pragma once

#include "platform/kernel/domain.h"
#include "platform/kernel/port.h"

struct ts_bytes; // cluster.h

// How words that point to something pass from process to process.
struct ts_parcel {
    // Adds the bytes that a word points to.
    void (*pack)(const void *word, struct ts_bytes *to);
    // The word has left this process.
    void (*drop)(void *word);
    // It comes into another one, with these bytes, for the component that reads it. False: out of memory.
    bool (*take)(struct ts_component *reader, void *word, const void *bytes, uint32_t length);
};

struct ts_fifo {
    struct ts_object object;
    // Configuration.
    unsigned char *slots;
    ts_cycle latency;
    uint32_t depth;
    uint32_t mask;   // slots in the ring - 1: a power of two, at least depth
    uint32_t size;   // bytes of a word
    uint32_t stride; // bytes of a slot: ready cycle and word
    bool *bell;      // see ts_fifo_bell; NULL: none
    bool crossing;
    bool cut;                       // crosses from place to place (cluster.h)
    ts_cycle room_latency;          // crossing: of the room a pop makes
    const struct ts_parcel *parcel; // of words that point to something; NULL: they do not
    struct ts_component *reader;
    struct ts_component *writer; // the first bound one
    // Writer's side, in one line. All indices only count up.
    uint32_t pushed __attribute__((aligned(64)));
    uint32_t freed;        // room seen by the writer (crossing)
    uint32_t credits;      // room announced to the writer (crossing)
    uint32_t published[2]; // pushed, at the end of even and odd windows
    uint32_t peak;
    uint64_t pushes; // counters
    struct ts_fifo *next_dirty_writer;
    uint32_t reader_index; // the reader's domain (crossing),
    uint32_t reader_reach; // the reader's reach,
    uint8_t reader_mail;   // the FIFO's bit in the mail of the reader's domain
    bool dirty_writer;
    // Reader's side, in one line.
    uint32_t popped __attribute__((aligned(64)));
    uint32_t arrived;     // pushed, as the reader's domain knows it (crossing)
    uint32_t returned[2]; // popped, at the end of even and odd windows
    ts_cycle pop_cycle;
    ts_cycle *credit_at; // when the room of each pop reaches the writer (crossing)
    struct ts_fifo *next_dirty_reader;
    uint32_t writer_index; // the same of the writer
    uint32_t writer_reach;
    uint32_t pops; // in cycle pop_cycle: room the writer must not see yet
    uint8_t writer_mail;
    bool dirty_reader;
    // Cut: words and room that the other end's process has.
    uint32_t words_given, room_given;
};

// The domain is the writer's (paths start with it). `size` is the size of a word in bytes.
void ts_fifo_init(struct ts_fifo *self, struct ts_domain *domain, uint32_t depth, size_t size,
                  ts_cycle latency, const char *name, ...) __attribute__((format(printf, 6, 7)));

// Sets *bell whenever words come, which may be before their time: a reader of many FIFOs looks only
// into those whose bells have rung, and resets the bell of an empty FIFO (ts_fifo_empty).
void ts_fifo_bell(struct ts_fifo *self, bool *bell);
// Of a FIFO that may lead to another process.
void ts_fifo_parcel(struct ts_fifo *self, const struct ts_parcel *parcel);
// Of a FIFO that crosses: the latency of room, where it differs from that of words.
void ts_fifo_room_latency(struct ts_fifo *self, ts_cycle latency);

// Slow paths, in fifo.c.
TS_SLOW_PATH bool ts_fifo_room_crossing(struct ts_fifo *self, ts_cycle now);
TS_SLOW_PATH void ts_fifo_pushed_crossing(struct ts_fifo *self, ts_cycle now);
TS_SLOW_PATH void ts_fifo_popped_crossing(struct ts_fifo *self, ts_cycle now);
TS_SLOW_PATH bool ts_fifo_refuse(const struct ts_port *port, ts_cycle now, const char *verb);
TS_SLOW_PATH void ts_fifo_refuse_size(const struct ts_port *port, const struct ts_fifo *self,
                                      ts_cycle now, size_t size);

static inline unsigned char *ts_fifo_slot(const struct ts_fifo *self, uint32_t index)
{
    return self->slots + (size_t)(index & self->mask) * self->stride;
}

// Words in the FIFO, on their way or ready, as the writer counts them.
static inline uint32_t ts_fifo_level(const struct ts_fifo *self)
{
    return self->pushed - (self->crossing ? self->freed : self->popped);
}

// Is there room for a push in this cycle?
static inline bool ts_fifo_writable(const struct ts_port *port, ts_cycle now)
{
    struct ts_fifo *self = port->out;
    if (__builtin_expect(self == NULL, 0))
        return ts_fifo_refuse(port, now, "push to");
    if (__builtin_expect(self->crossing, 0))
        return ts_fifo_room_crossing(self, now);
    uint32_t hidden = self->pop_cycle == now ? self->pops : 0;
    return self->pushed - self->popped + hidden < self->depth;
}

// Pushes a word; false if there is no room. Use the TS_FIFO_PUSH macro, which passes the size.
static inline bool ts_fifo_push(const struct ts_port *port, ts_cycle now, const void *word,
                                size_t size)
{
    struct ts_fifo *self = port->out;
    if (!ts_fifo_writable(port, now))
        return false;
    if (__builtin_expect(size != self->size, 0)) {
        ts_fifo_refuse_size(port, self, now, size);
        return false;
    }
    unsigned char *slot = ts_fifo_slot(self, self->pushed);
    ts_cycle ready = now + self->latency;
    memcpy(slot, &ready, sizeof ready);
    memcpy(slot + sizeof ready, word, size);
    self->pushed++;
    self->pushes++;
    uint32_t level = ts_fifo_level(self);
    if (level > self->peak)
        self->peak = level;
    if (__builtin_expect(self->crossing, 0)) {
        ts_fifo_pushed_crossing(self, now);
    } else {
        if (self->bell)
            *self->bell = true;
        struct ts_component *reader = self->reader;
        reader->inbound++;
        if (reader->asleep != TS_AWAKE && (reader->on == &self->object ||
                                           reader->asleep == TS_IDLE || reader->asleep == TS_ALERT))
            ts_wake(reader, ready);
    }
    ts_trace_count(&self->object, now, level);
    return true;
}

// Does the reader's domain know of no word, ready or in flight?
static inline bool ts_fifo_empty(const struct ts_fifo *self)
{
    return (self->crossing ? self->arrived : self->pushed) == self->popped;
}

// The first word if it is there in this cycle, else NULL. Valid until popped.
static inline const void *ts_fifo_head(const struct ts_port *port, ts_cycle now)
{
    struct ts_fifo *self = port->in;
    if (__builtin_expect(self == NULL, 0)) {
        ts_fifo_refuse(port, now, "read from");
        return NULL;
    }
    if (ts_fifo_empty(self))
        return NULL;
    const unsigned char *slot = ts_fifo_slot(self, self->popped);
    ts_cycle ready;
    memcpy(&ready, slot, sizeof ready);
    return ready <= now ? slot + sizeof ready : NULL;
}

// Removes the first word, which must be there (ts_fifo_head was not NULL).
static inline void ts_fifo_drop(const struct ts_port *port, ts_cycle now)
{
    struct ts_fifo *self = port->in;
    self->popped++;
    port->owner->inbound--;
    if (__builtin_expect(self->crossing, 0)) {
        ts_fifo_popped_crossing(self, now);
        return;
    }
    self->pops = self->pop_cycle == now ? self->pops + 1 : 1;
    self->pop_cycle = now;
    if (self->object.waiters)
        ts_wake_all(&self->object, now + 1);
    ts_trace_count(&self->object, now, self->pushed - self->popped);
}

// Pops a word; false if none is there. Use the TS_FIFO_POP macro, which passes the size.
static inline bool ts_fifo_pop(const struct ts_port *port, ts_cycle now, void *word, size_t size)
{
    const void *head = ts_fifo_head(port, now);
    if (head == NULL)
        return false;
    const struct ts_fifo *self = port->in;
    if (__builtin_expect(size != self->size, 0)) {
        ts_fifo_refuse_size(port, self, now, size);
        return false;
    }
    memcpy(word, head, size);
    ts_fifo_drop(port, now);
    return true;
}

#define TS_FIFO_PUSH(port, now, word) ts_fifo_push((port), (now), &(word), sizeof(word))
#define TS_FIFO_POP(port, now, word)  ts_fifo_pop((port), (now), &(word), sizeof(word))

// To be returned by a step: asleep until there is room.
TS_SLOW_PATH ts_step ts_fifo_await_room(const struct ts_port *port, ts_cycle now);
// When the first word will be there: TS_NEVER if the reader's domain knows of none in flight.
ts_cycle ts_fifo_next_word(const struct ts_fifo *self);
