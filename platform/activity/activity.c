// What works when: lanes and their sums, see activity.h.
#include "platform/activity/activity.h"

#include "platform/kernel/cluster.h"
#include "platform/kernel/domain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct ts_activity_text ts_activity_text[TS_ACTIVITY_SOURCES] = {
#define TS_ACTIVITY(id, name, text) {name, text},
#include "config/activity.def"
};

#define GROUP 8u // cycles of a byte

// --- writing ---

static TS_SLOW_PATH uint8_t *make_piece(struct ts_activity_place *place,
                                        struct ts_activity_lane *lane, ts_cycle number)
{
    if (number >= lane->count) {
        uint32_t count = lane->count ? lane->count : 16;
        while (count <= number)
            count *= 2;
        uint8_t **pieces = realloc(lane->pieces, count * sizeof *pieces);
        if (pieces == NULL) {
            place->short_of_memory = true;
            return NULL;
        }
        memset(pieces + lane->count, 0, (count - lane->count) * sizeof *pieces);
        lane->pieces = pieces;
        lane->count = count;
    }
    if (lane->pieces[number] == NULL)
        lane->pieces[number] = calloc(TS_ACTIVITY_BYTES + 8, 1);
    place->short_of_memory |= lane->pieces[number] == NULL;
    return lane->pieces[number];
}

static inline uint8_t *piece_of(struct ts_activity_place *place, struct ts_activity_lane *lane,
                                ts_cycle number)
{
    if (__builtin_expect(number < lane->count && lane->pieces[number], 1))
        return lane->pieces[number];
    return make_piece(place, lane, number);
}

// In one piece: `at` is the first cycle's place in it.
static inline void set_bits(uint8_t *piece, uint32_t at, uint32_t cycles)
{
    uint64_t *words = (uint64_t *)(void *)piece;
    while (cycles) {
        uint32_t shift = at % 64, part = 64 - shift < cycles ? 64 - shift : cycles;
        words[at / 64] |= ~UINT64_C(0) >> (64 - part) << shift;
        at += part;
        cycles -= part;
    }
}

// Eight bytes at a time: none of them overflows (activity.h). A piece has room for eight bytes behind its end.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte of a word is its lowest");

static inline void add_counts(uint8_t *piece, uint32_t at, uint32_t cycles)
{
    uint8_t *byte = piece + at / GROUP;
    const uint32_t rest = GROUP - at % GROUP;
    if (cycles <= rest) {
        *byte = (uint8_t)(*byte + cycles);
        return;
    }
    *byte = (uint8_t)(*byte + rest);
    byte++;
    cycles -= rest;
    for (uint32_t full = cycles / GROUP; full;) {
        const uint32_t now = full < 8 ? full : 8;
        uint64_t word;
        memcpy(&word, byte, sizeof word);
        word += UINT64_C(0x0808080808080808) >> 8 * (8 - now);
        memcpy(byte, &word, sizeof word);
        byte += now;
        full -= now;
    }
    *byte = (uint8_t)(*byte + cycles % GROUP);
}

static void worked(struct ts_meter *meter, uint32_t object, uint32_t domain, unsigned part,
                   ts_cycle from, uint64_t cycles)
{
    struct ts_activity *self = (struct ts_activity *)meter;
    if (self->source_of[object] == 0)
        return;
    unsigned source = part ? TS_ACTIVITY_MATRIX : self->source_of[object] - 1u;
    struct ts_activity_place *place = &self->places[domain];
    struct ts_activity_lane *lane = &place->lanes[source];
    for (;;) {
        const uint32_t at = from % TS_ACTIVITY_PIECE, rest = TS_ACTIVITY_PIECE - at;
        const uint32_t now = __builtin_expect(rest < cycles, 0) ? rest : (uint32_t)cycles;
        uint8_t *piece = piece_of(place, lane, from / TS_ACTIVITY_PIECE);
        if (__builtin_expect(piece == NULL, 0))
            return;
        if (source == TS_ACTIVITY_MATRIX)
            set_bits(piece, at, now);
        else
            add_counts(piece, at, now);
        if (__builtin_expect(now == cycles, 1))
            return;
        from += now;
        cycles -= now;
    }
}

// --- what is counted where ---

// By the name of the object in its domain; links by the start of theirs.
static const struct {
    const char *name;
    uint8_t source;
} members[] = {
    {"matrix", TS_ACTIVITY_OTHER}, {"vector", TS_ACTIVITY_VECTOR},  {"sync", TS_ACTIVITY_OTHER},
    {"scalar", TS_ACTIVITY_OTHER}, {"cfg", TS_ACTIVITY_OTHER},      {"misc", TS_ACTIVITY_OTHER},
    {"unpack0", TS_ACTIVITY_L1},   {"unpack1", TS_ACTIVITY_L1},     {"pack", TS_ACTIVITY_L1},
    {"mover", TS_ACTIVITY_L1},     {"link_x0", TS_ACTIVITY_NOC},    {"link_x1", TS_ACTIVITY_NOC},
    {"link_y0", TS_ACTIVITY_NOC},  {"link_y1", TS_ACTIVITY_NOC},    {"link_up0", TS_ACTIVITY_NOC},
    {"link_up1", TS_ACTIVITY_NOC}, {"link_down0", TS_ACTIVITY_NOC}, {"link_down1", TS_ACTIVITY_NOC},
    {"channel", TS_ACTIVITY_DRAM},
};

static uint8_t source_of(const struct ts_object *object)
{
    if (object->domain == NULL || object->path == NULL)
        return 0;
    const char *path = object->domain->object.path;
    size_t length = path ? strlen(path) : 0;
    if (strncmp(object->path, path ? path : "", length) != 0 || object->path[length] != '.')
        return 0;
    const char *name = object->path + length + 1;
    size_t end = strcspn(name, "[");
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (strlen(members[i].name) == end && strncmp(members[i].name, name, end) == 0)
            return (uint8_t)(1 + members[i].source);
    return 0;
}

static bool wanted(struct ts_meter *meter, const struct ts_object *object)
{
    return ((struct ts_activity *)meter)->source_of[object->id] != 0;
}

// "1/tile[3-4]", "tile[3-4]": where it is.
static bool place_init(struct ts_activity_place *self, const struct ts_domain *domain)
{
    struct ts_kernel *kernel = domain->kernel;
    const char *path = domain->object.path, *at = path ? strrchr(path, '[') : NULL;
    *self = (struct ts_activity_place){.domain = domain, .x = -1, .y = -1};
    if (at && sscanf(at, "[%d-%d]", &self->x, &self->y) != 2)
        self->x = self->y = -1;
    self->chip = domain->place ? (int)domain->place - 1 : 0;
    ts_kernel_place(kernel, domain->place);
    self->lanes = ts_kernel_alloc(kernel, TS_ACTIVITY_SOURCES * sizeof *self->lanes);
    ts_kernel_place(kernel, 0);
    return self->lanes != NULL;
}

struct ts_activity *ts_activity_new(struct ts_kernel *kernel)
{
    struct ts_activity *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    uint32_t objects = 0;
    for (const struct ts_object *object = ts_kernel_objects(kernel); object; object = object->next)
        objects = object->id >= objects ? object->id + 1 : objects;
    self->kernel = kernel;
    self->count = (uint32_t)ts_kernel_domain_count(kernel);
    self->places = calloc(self->count, sizeof *self->places);
    self->source_of = calloc(objects, 1);
    if (self->places == NULL || self->source_of == NULL) {
        free(self->places);
        free(self->source_of);
        free(self);
        return NULL;
    }
    for (uint32_t i = 0; i < self->count; i++)
        if (!place_init(&self->places[i], ts_kernel_domain(kernel, i))) {
            ts_activity_free(self);
            return NULL;
        }
    for (const struct ts_object *object = ts_kernel_objects(kernel); object;
         object = object->next) {
        self->source_of[object->id] = source_of(object);
        const char *name = strrchr(object->path, '.');
        if (self->source_of[object->id] && name && strcmp(name, ".matrix") == 0)
            self->places[object->domain->index].tile = true;
    }
    self->meter.worked = worked;
    self->shut.shut = true;
    ts_kernel_meter(kernel, &self->shut, &self->meter, wanted);
    return self;
}

// Work that was booked ahead and lies beyond the end of the run is taken out of the byte that the end divides; later bytes are
// never read.
static void take_back(struct ts_activity *self, const struct ts_object *object, ts_cycle stop)
{
    const ts_cycle past = (self->end + GROUP - 1) / GROUP * GROUP;
    const struct ts_component *c = ts_object_component(object);
    ts_cycle beyond = 0;
    if (c) {
        const ts_cycle begin = c->work_from > stop ? c->work_from : stop;
        const ts_cycle to = c->work_to < past ? c->work_to : past;
        const ts_cycle before = c->work_before < past ? c->work_before : past;
        beyond = (to > begin ? to - begin : 0) + (before > stop ? before - stop : 0);
    } else if (object->busy)
        beyond = object->busy(object, past) - object->busy(object, stop);
    const unsigned source = self->source_of[object->id] - 1u;
    struct ts_activity_place *place = &self->places[object->domain->index];
    uint8_t *piece = beyond ? piece_of(place, &place->lanes[source], stop / TS_ACTIVITY_PIECE)
                            : NULL;
    if (piece && piece[stop % TS_ACTIVITY_PIECE / GROUP] >= beyond)
        piece[stop % TS_ACTIVITY_PIECE / GROUP] =
            (uint8_t)(piece[stop % TS_ACTIVITY_PIECE / GROUP] - beyond);
}

bool ts_activity_stop(struct ts_activity *self)
{
    ts_kernel_meter(self->kernel, &self->shut, NULL, NULL);
    self->end = ts_kernel_reached(self->kernel);
    for (const struct ts_object *object = ts_kernel_objects(self->kernel); object;
         object = object->next)
        if (self->source_of[object->id])
            take_back(self, object, self->end);
    bool enough = true;
    for (uint32_t i = 0; i < self->count; i++) {
        struct ts_activity_place *place = &self->places[i];
        place->used = ts_activity_sum(self, i, TS_ACTIVITY_MATRIX, 0, self->end) > 0;
        enough &= !place->short_of_memory;
    }
    return enough;
}

void ts_activity_free(struct ts_activity *self)
{
    for (uint32_t i = 0; self && i < self->count; i++)
        for (unsigned s = 0; self->places[i].lanes && s < TS_ACTIVITY_SOURCES; s++) {
            struct ts_activity_lane *lane = &self->places[i].lanes[s];
            for (uint32_t p = 0; p < lane->count; p++)
                free(lane->pieces[p]);
            free(lane->pieces);
        }
    if (self) {
        free(self->places);
        free(self->source_of);
    }
    free(self);
}

// --- reading ---

static uint64_t count_bits(const uint8_t *piece, uint32_t from, uint32_t to)
{
    const uint64_t *words = (const uint64_t *)(const void *)piece;
    uint64_t sum = 0;
    while (from < to) {
        uint32_t shift = from % 64, part = 64 - shift < to - from ? 64 - shift : to - from;
        sum += (uint64_t)__builtin_popcountll(words[from / 64] >> shift &
                                              ~UINT64_C(0) >> (64 - part));
        from += part;
    }
    return sum;
}

static uint64_t count_bytes(const uint8_t *piece, uint32_t from, uint32_t to)
{
    uint64_t sum = 0;
    for (uint32_t i = from / GROUP; i < (to + GROUP - 1) / GROUP; i++)
        sum += piece[i];
    return sum;
}

static uint64_t sum_of(const struct ts_activity_lane *lane, enum ts_activity_source source,
                       ts_cycle from, ts_cycle to)
{
    uint64_t sum = 0;
    while (from < to) {
        ts_cycle number = from / TS_ACTIVITY_PIECE, next = (number + 1) * TS_ACTIVITY_PIECE;
        ts_cycle part = next < to ? next : to;
        if (number >= lane->count)
            break;
        const uint8_t *piece = lane->pieces[number];
        uint32_t a = (uint32_t)(from % TS_ACTIVITY_PIECE), b = a + (uint32_t)(part - from);
        if (piece)
            sum += source == TS_ACTIVITY_MATRIX ? count_bits(piece, a, b)
                                                : count_bytes(piece, a, b);
        from = part;
    }
    return sum;
}

void ts_activity_series(const struct ts_activity *self, uint32_t place,
                        enum ts_activity_source source, ts_cycle from, ts_cycle to, ts_cycle bin,
                        uint64_t *sums)
{
    if (to > from)
        memset(sums, 0, (to - from + bin - 1) / bin * sizeof *sums);
    for (uint32_t i = 0; i < self->count; i++) {
        if (place != TS_ACTIVITY_ALL && i != place)
            continue;
        const struct ts_activity_lane *lane = &self->places[i].lanes[source];
        size_t n = 0;
        for (ts_cycle at = from; at < to && at / TS_ACTIVITY_PIECE < lane->count; at += bin, n++)
            sums[n] += sum_of(lane, source, at, to - at < bin ? to : at + bin);
    }
}

uint64_t ts_activity_sum(const struct ts_activity *self, uint32_t place,
                         enum ts_activity_source source, ts_cycle from, ts_cycle to)
{
    uint64_t sum = 0;
    if (to > from)
        ts_activity_series(self, place, source, from, to, to - from, &sum);
    return sum;
}

// The first cycle from `at` on whose bit is `set`; the end of the run if there is none.
static ts_cycle find_bit(const struct ts_activity *self, const struct ts_activity_lane *lane,
                         ts_cycle at, bool set)
{
    while (at < self->end) {
        const ts_cycle number = at / TS_ACTIVITY_PIECE;
        const uint8_t *piece = number < lane->count ? lane->pieces[number] : NULL;
        if (piece == NULL && (!set || number >= lane->count))
            return set ? self->end : at;
        if (piece == NULL) {
            at = (number + 1) * TS_ACTIVITY_PIECE;
            continue;
        }
        const uint64_t *words = (const uint64_t *)(const void *)piece;
        const uint64_t word = words[at % TS_ACTIVITY_PIECE / 64];
        const uint64_t rest = (set ? word : ~word) >> at % 64;
        if (rest) {
            at += (ts_cycle)__builtin_ctzll(rest);
            return at < self->end ? at : self->end;
        }
        at = (at / 64 + 1) * 64;
    }
    return self->end;
}

bool ts_activity_run(const struct ts_activity *self, uint32_t place, ts_cycle at, ts_cycle *from,
                     ts_cycle *to)
{
    const struct ts_activity_lane *lane = &self->places[place].lanes[TS_ACTIVITY_MATRIX];
    *from = find_bit(self, lane, at, true);
    *to = find_bit(self, lane, *from, false);
    return *from < *to;
}
