// The states of a search of explore.h in little space: program counters and objects in as many bytes
// as they need. A wait at the gate is always the last one before the program counter, so one bit
// says whether it is still there.
#include "platform/study/explore/words.h"

#include "platform/base/hash.h"

static void *grown(void *old, size_t count, size_t size)
{
    return ts_need(realloc(old, count * size), "the exploration");
}

static uint8_t bytes_of(uint32_t largest)
{
    return largest < 1u << 8 ? 1 : largest < 1u << 16 ? 2 : largest < 1u << 24 ? 3 : 4;
}

void ts_explore_store_init(struct ts_explore_store *self, const struct ts_explore_program *program)
{
    *self = (struct ts_explore_store){.program = program};
    ts_explore_mask used = 0;
    for (unsigned t = 0; t < program->threads; t++) {
        const struct ts_explore_touch *all = &program->thread[t].rest[0];
        self->width[t] = bytes_of(program->thread[t].count);
        self->size += self->width[t];
        used |= all->up | all->down | all->set | all->writes;
    }
    for (unsigned u = 0; u < TS_EXPLORE_UNITS; u++)
        used |= used & ts_explore_bit(program->unit[u]) ? ts_explore_bit(program->src[u]) : 0;
    self->size += 2; // a bit for each thread
    for (unsigned i = 0; i < program->objects; i++) {
        enum ts_explore_kind kind = program->object[i].kind;
        bool large = kind == TS_EXPLORE_CB || kind == TS_EXPLORE_ROOM || kind == TS_EXPLORE_QUEUE;
        self->object_width[i] = !(used >> i & 1) ? 0 : large ? 4 : kind == TS_EXPLORE_RING ? 2 : 1;
        self->size += self->object_width[i];
    }
}

void ts_explore_store_free(struct ts_explore_store *self)
{
    free(self->packed);
    free(self->parent);
    free(self->mover);
    free(self->table);
}

static void pack(const struct ts_explore_store *self, const struct ts_explore_state *state,
                 uint8_t *to)
{
    const struct ts_explore_program *p = self->program;
    unsigned latches = 0;
    for (unsigned t = 0; t < p->threads; t++) {
        for (unsigned k = 0; k < self->width[t]; k++)
            *to++ = (uint8_t)(state->pc[t] >> 8 * k);
        latches |= (unsigned)(state->latch[t] != 0) << t;
    }
    *to++ = (uint8_t)latches;
    *to++ = (uint8_t)(latches >> 8);
    for (unsigned i = 0; i < p->objects; i++) {
        uint32_t value = (uint32_t)state->a[i];
        if (p->object[i].kind == TS_EXPLORE_SEMAPHORE)
            value |= (uint32_t)state->b[i] << 4;
        else if (p->object[i].kind == TS_EXPLORE_RING)
            value |= (uint32_t)state->b[i] << 8;
        for (unsigned k = 0; k < self->object_width[i]; k++)
            *to++ = (uint8_t)(value >> 8 * k);
    }
}

static uint32_t number(const uint8_t **from, unsigned width)
{
    uint32_t value = 0;
    for (unsigned k = 0; k < width; k++)
        value |= (uint32_t) * (*from)++ << 8 * k;
    return value;
}

void ts_explore_store_get(const struct ts_explore_store *self, uint32_t index,
                          struct ts_explore_state *state)
{
    const struct ts_explore_program *p = self->program;
    const uint8_t *from = self->packed + (size_t)index * self->size;
    ts_explore_begin(p, state);
    for (unsigned t = 0; t < p->threads; t++)
        state->pc[t] = number(&from, self->width[t]);
    uint32_t latches = number(&from, 2);
    for (unsigned t = 0; t < p->threads; t++)
        if (latches >> t & 1)
            state->latch[t] = p->thread[t].op[state->pc[t] - 1].wait;
    for (unsigned i = 0; i < p->objects; i++) {
        if (self->object_width[i] == 0)
            continue;
        uint32_t value = number(&from, self->object_width[i]);
        if (p->object[i].kind == TS_EXPLORE_SEMAPHORE) {
            state->b[i] = (uint8_t)(value >> 4);
            value &= 15;
        } else if (p->object[i].kind == TS_EXPLORE_RING) {
            state->b[i] = (uint8_t)(value >> 8);
            value &= 255;
        }
        state->a[i] = (int32_t)value;
    }
}

static uint32_t hash(const struct ts_explore_store *self, uint32_t index)
{
    uint64_t h = ts_hash_bytes(TS_HASH_START, self->packed + (size_t)index * self->size,
                               self->size);
    return (uint32_t)(h ^ h >> 32); // the table goes by the low bits
}

static void rehash(struct ts_explore_store *self)
{
    uint32_t size = self->mask ? 2 * (self->mask + 1) : 1024;
    free(self->table);
    self->table = ts_need(calloc(size, sizeof *self->table), "the exploration");
    self->mask = size - 1;
    for (uint32_t i = 0; i < self->count; i++) {
        uint32_t at = hash(self, i) & self->mask;
        while (self->table[at])
            at = (at + 1) & self->mask;
        self->table[at] = i + 1;
    }
}

bool ts_explore_store_add(struct ts_explore_store *self, const struct ts_explore_state *state,
                          uint32_t parent, unsigned mover)
{
    if (2 * (self->count + 1) > self->mask)
        rehash(self);
    if (self->count == self->room) {
        self->room = self->room ? 2 * self->room : 512;
        self->packed = grown(self->packed, self->room, self->size);
        self->parent = grown(self->parent, self->room, sizeof *self->parent);
        self->mover = grown(self->mover, self->room, sizeof *self->mover);
    }
    // Written where it would stay; it stays if it is new.
    uint8_t *own = self->packed + (size_t)self->count * self->size;
    pack(self, state, own);
    uint32_t at = hash(self, self->count) & self->mask;
    for (; self->table[at]; at = (at + 1) & self->mask)
        if (memcmp(self->packed + (size_t)(self->table[at] - 1) * self->size, own, self->size) == 0)
            return false;
    self->parent[self->count] = parent;
    self->mover[self->count] = (uint8_t)mover;
    self->table[at] = ++self->count;
    return true;
}
