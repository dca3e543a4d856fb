#include "platform/gdb/state.h"

#include "platform/tile/buffers.h"

#include <strings.h>

// --- as text ---

static int opcode(const char *name)
{
    for (int op = 0; op < 256; op++)
        if (ts_op_info[op].name && strcasecmp(ts_op_info[op].name, name) == 0)
            return op;
    return -1;
}

bool ts_gdb_event_parse(struct ts_gdb_event *self, const struct ts_tile *tile, const char *text,
                        char *why, size_t size)
{
    char name[32], t;
    unsigned number;
    int end = 0;
    *self = (struct ts_gdb_event){.thread = TS_THREADS};
    if (sscanf(text, "semaphore %u %n", &number, &end) == 1 && text[end] == '\0') {
        self->kind = TS_GDB_SEMAPHORE;
        self->index = number;
        snprintf(why, size, "there are semaphores 0 to %u", TS_SEMAPHORES - 1);
        return number < TS_SEMAPHORES;
    }
    if (sscanf(text, "cb %u %n", &number, &end) == 1 && text[end] == '\0') {
        self->kind = TS_GDB_BUFFER;
        self->index = number;
        snprintf(why, size, "this tile has circular buffers 0 to %d in `monitor cb'",
                 (int)tile->buffer_count - 1);
        return number < tile->buffer_count;
    }
    snprintf(why, size,
             "an event is `MVMUL', `MVMUL on t1', `semaphore 2' or `cb 0' (as listed by `monitor "
             "cb')");
    int words = sscanf(text, "%31s on %c%u %n", name, &t, &number, &end);
    if (words < 1 || (words > 1 && (words != 3 || (t | 32) != 't' || text[end] != '\0')))
        return false;
    if (words == 1 && strlen(name) != strlen(text))
        return false;
    if (words == 3)
        self->thread = number;
    int op = opcode(name);
    if (op < 0)
        snprintf(why, size, "there is no Tensix instruction %s", name);
    else if (words == 3 && number >= TS_THREADS)
        snprintf(why, size, "there are threads t0 to t%u", TS_THREADS - 1);
    self->index = (uint32_t)op;
    return op >= 0 && (words == 1 || number < TS_THREADS);
}

const char *ts_gdb_event_text(const struct ts_gdb_event *self, const struct ts_tile *tile,
                              char *text, size_t size)
{
    int used = snprintf(text, size, "%u-%u: ", tile->x, tile->y);
    text += used;
    size -= (size_t)used;
    if (self->kind == TS_GDB_SEMAPHORE) {
        const struct ts_sync_semaphore *semaphore = &tile->sync.semaphore[self->index];
        snprintf(text, size, "semaphore %u is %u (maximum %u)", self->index, semaphore->value,
                 semaphore->max);
    } else if (self->kind == TS_GDB_BUFFER) {
        const struct ts_buffer *buffer = &tile->buffers[self->index];
        snprintf(text, size, "%s has %u of %u pages", buffer->name, ts_buffer_fill(tile, buffer),
                 buffer->pages);
    } else if (self->thread < TS_THREADS) {
        snprintf(text, size, "%s on t%u", ts_op_info[self->index].name, self->thread);
    } else {
        snprintf(text, size, "%s", ts_op_info[self->index].name);
    }
    return text - used;
}

// --- looking on ---

static void word(void *context, unsigned thread, uint32_t word)
{
    const struct ts_gdb_tile_looker *self = context;
    struct ts_gdb_looker *looker = self->looker;
    for (uint32_t i = 0; i < looker->events->count; i++) {
        const struct ts_gdb_event *event = &looker->events->event[i];
        looker->passed[i] |= event->kind == TS_GDB_WORD && event->tile == self->tile &&
                             event->index == TS_OP_OF(word) &&
                             (event->thread == thread || event->thread == TS_THREADS);
    }
    if (self->other)
        self->other->word(self->other->context, thread, word);
}

#define PASS_ON(event, given, ...)                                                           \
    static void event given                                                                  \
    {                                                                                        \
        const struct ts_follow *other = ((const struct ts_gdb_tile_looker *)context)->other; \
        if (other)                                                                           \
            other->event(other->context, __VA_ARGS__);                                       \
    }
PASS_ON(semaphore, (void *context, unsigned core, unsigned index, bool get), core, index, get)
PASS_ON(mail, (void *context, unsigned core, unsigned to, bool send), core, to, send)
PASS_ON(pages, (void *context, unsigned by, unsigned buffer, bool push, uint32_t count), by, buffer,
        push, count)

bool ts_gdb_looker_init(struct ts_gdb_looker *self, const struct ts_gdb_machine *machine,
                        const struct ts_gdb_events *events)
{
    *self = (struct ts_gdb_looker){.events = events,
                                   .tiles = calloc(machine->tile_count, sizeof *self->tiles)};
    for (uint32_t i = 0; self->tiles && i < machine->tile_count; i++) {
        struct ts_gdb_tile_looker *tile = &self->tiles[i];
        *tile = (struct ts_gdb_tile_looker){.follow = {tile, word, semaphore, mail, pages, NULL},
                                            .other = machine->tiles[i]->follow,
                                            .looker = self,
                                            .tile = i};
        ts_follow_start(machine->tiles[i], &tile->follow);
    }
    return self->tiles != NULL;
}

// What counts up when the event happens.
static uint64_t count(const struct ts_gdb_event *event, const struct ts_tile *tile)
{
    const struct ts_sync_semaphore *semaphore;
    switch (event->kind) {
    case TS_GDB_SEMAPHORE:
        semaphore = &tile->sync.semaphore[event->index];
        return semaphore->posts + semaphore->gets + semaphore->wiped.count +
               ((uint64_t)semaphore->max << 56);
    case TS_GDB_BUFFER:
        return ts_buffer_counts(tile, &tile->buffers[event->index]);
    case TS_GDB_WORD:
        break;
    }
    return 0;
}

const struct ts_gdb_event *ts_gdb_happened(struct ts_gdb_looker *self,
                                           const struct ts_gdb_machine *machine)
{
    const struct ts_gdb_event *hit = NULL;
    for (uint32_t i = 0; i < self->events->count; i++) {
        const struct ts_gdb_event *event = &self->events->event[i];
        const uint64_t now = count(event, machine->tiles[event->tile]);
        if (hit == NULL && self->changes == self->events->changes &&
            (self->passed[i] || now != self->seen[i]))
            hit = event;
        self->seen[i] = now;
        self->passed[i] = false;
    }
    self->changes = self->events->changes;
    return hit;
}
