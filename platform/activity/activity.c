// What works when: lanes and their sums, see activity.h.
#include "platform/activity/activity.h"

#include "platform/kernel/cluster.h"
#include "platform/kernel/domain.h"

const struct ts_activity_text ts_activity_text[TS_ACTIVITY_SOURCES] = {
#define TS_ACTIVITY(id, name, text) {name, text},
#include "config/activity.def"
};

#define GROUP 8u // cycles of a byte

// --- writing ---

static uint8_t *piece_of(struct ts_activity_lane *lane, ts_cycle number)
{
    if (number >= lane->count) {
        uint32_t count = lane->count ? lane->count : 16;
        while (count <= number)
            count *= 2;
        uint8_t **pieces = realloc(lane->pieces, count * sizeof *pieces);
        if (pieces == NULL) {
            lane->short_of_memory = true;
            return NULL;
        }
        memset(pieces + lane->count, 0, (count - lane->count) * sizeof *pieces);
        lane->pieces = pieces;
        lane->count = count;
    }
    if (lane->pieces[number] == NULL) // with room behind its end for differences
        lane->pieces[number] = calloc(TS_ACTIVITY_BYTES + 8, 1);
    lane->short_of_memory |= lane->pieces[number] == NULL;
    return lane->pieces[number];
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

static inline void add_counts(uint8_t *piece, uint32_t at, uint32_t cycles)
{
    const uint32_t end = at + cycles;
    uint8_t *first = piece + at / GROUP, *last = piece + end / GROUP;
    if (first == last) { // as single words are
        first[0] = (uint8_t)(first[0] + cycles);
        first[1] = (uint8_t)(first[1] - cycles);
        return;
    }
    first[0] = (uint8_t)(first[0] + (GROUP - at % GROUP));
    first[1] = (uint8_t)(first[1] + at % GROUP);
    last[0] = (uint8_t)(last[0] - (GROUP - end % GROUP));
    last[1] = (uint8_t)(last[1] - end % GROUP);
}

static inline void add(uint8_t *piece, unsigned mvmuls, uint64_t at, uint64_t cycles)
{
    if (mvmuls)
        set_bits(piece, (uint32_t)at, (uint32_t)cycles);
    else
        add_counts(piece, (uint32_t)at, (uint32_t)cycles);
}

// Work in another piece than the last, or in several.
static TS_SLOW_PATH void worked_elsewhere(struct ts_activity_lane *lane, unsigned mvmuls,
                                          ts_cycle from, uint64_t cycles)
{
    while (cycles) {
        const uint64_t at = from % TS_ACTIVITY_PIECE, rest = TS_ACTIVITY_PIECE - at;
        const uint64_t now = rest < cycles ? rest : cycles;
        uint8_t *piece = piece_of(lane, from / TS_ACTIVITY_PIECE);
        if (piece == NULL)
            return;
        lane->piece = piece;
        lane->begin = from - at;
        add(piece, mvmuls, at, now);
        from += now;
        cycles -= now;
    }
}

static void worked(const struct ts_object *object, unsigned mvmuls, ts_cycle from, uint64_t cycles,
                   struct ts_meter *meter)
{
    const struct ts_activity *self = (const struct ts_activity *)meter;
    struct ts_activity_lane *lane =
        mvmuls ? &self->places[object->domain->index].lanes[TS_ACTIVITY_MATRIX]
               : self->lane_of[object->id];
    if (__builtin_expect(lane == NULL, 0))
        return;
    const uint64_t at = from - lane->begin;
    if (__builtin_expect(at >= TS_ACTIVITY_PIECE || cycles > TS_ACTIVITY_PIECE - at, 0))
        worked_elsewhere(lane, mvmuls, from, cycles);
    else
        add(lane->piece, mvmuls, at, cycles);
}

// --- what is counted where ---

// By the name of the object in its domain; links by the start of theirs.
static const struct {
    const char *name;
    size_t length;
    uint8_t source;
} members[] = {
#define MEMBER(name, source) {name, sizeof name - 1, TS_ACTIVITY_##source},
    MEMBER("matrix", OTHER) MEMBER("vector", VECTOR) MEMBER("sync", OTHER) MEMBER("scalar", OTHER)
        MEMBER("cfg", OTHER) MEMBER("misc", OTHER) MEMBER("unpack0", L1) MEMBER("unpack1", L1)
            MEMBER("pack", L1) MEMBER("mover", L1) MEMBER("link_x0", NOC) MEMBER("link_x1", NOC)
                MEMBER("link_y0", NOC) MEMBER("link_y1", NOC) MEMBER("link_up0", NOC)
                    MEMBER("link_up1", NOC) MEMBER("link_down0", NOC) MEMBER("link_down1", NOC)
                        MEMBER("channel", DRAM)
#undef MEMBER
};

// The row of `members` that an object is; -1: none. `length` is that of its domain's path.
static int member_of(const struct ts_object *object, size_t length)
{
    if (strncmp(object->path, object->domain->object.path, length) != 0 ||
        object->path[length] != '.')
        return -1;
    const char *name = object->path + length + 1;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (name[0] == members[i].name[0] &&
            strncmp(members[i].name, name, members[i].length) == 0 &&
            (name[members[i].length] == '\0' || name[members[i].length] == '['))
            return (int)i;
    return -1;
}

static bool wanted(struct ts_meter *meter, const struct ts_object *object)
{
    return ((struct ts_activity *)meter)->lane_of[object->id] != NULL;
}

// "1/tile[3-4]", "tile[3-4]": where it is.
static bool place_init(struct ts_activity_place *self, const struct ts_domain *domain)
{
    struct ts_kernel *kernel = domain->kernel;
    const char *path = domain->object.path, *at = path ? strrchr(path, '[') : NULL;
    *self = (struct ts_activity_place){.domain = domain, .x = -1, .y = -1};
    char *end = NULL;
    const long x = at ? strtol(at + 1, &end, 10) : -1;
    if (at && end > at + 1 && *end == '-') {
        self->x = (int)x;
        self->y = (int)strtol(end + 1, NULL, 10);
    }
    self->chip = domain->place ? (int)domain->place - 1 : 0;
    ts_kernel_place(kernel, domain->place);
    self->lanes = ts_kernel_alloc(kernel, TS_ACTIVITY_SOURCES * sizeof *self->lanes);
    ts_kernel_place(kernel, 0);
    for (unsigned s = 0; self->lanes && s < TS_ACTIVITY_SOURCES; s++)
        self->lanes[s].begin = TS_NEVER / 2; // no piece is there
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
    self->lane_of = calloc(objects, sizeof *self->lane_of);
    if (self->places == NULL || self->lane_of == NULL) {
        free(self->places);
        free(self->lane_of);
        free(self);
        return NULL;
    }
    for (uint32_t i = 0; i < self->count; i++)
        if (!place_init(&self->places[i], ts_kernel_domain(kernel, i))) {
            ts_activity_free(self);
            return NULL;
        }
    const struct ts_domain *domain = NULL;
    size_t length = 0; // of its path
    for (const struct ts_object *object = ts_kernel_objects(kernel); object;
         object = object->next) {
        if (object->domain == NULL || object->path == NULL || object->domain->object.path == NULL)
            continue;
        if (object->domain != domain)
            length = strlen((domain = object->domain)->object.path);
        const int member = member_of(object, length);
        if (member >= 0)
            self->lane_of[object->id] = &self->places[domain->index].lanes[members[member].source];
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
    uint8_t *piece = beyond ? piece_of(self->lane_of[object->id], stop / TS_ACTIVITY_PIECE) : NULL;
    if (piece && piece[stop % TS_ACTIVITY_PIECE / GROUP] >= beyond)
        piece[stop % TS_ACTIVITY_PIECE / GROUP] =
            (uint8_t)(piece[stop % TS_ACTIVITY_PIECE / GROUP] - beyond);
}

// Sums of eight bytes each, none of which carries into the next.
static uint64_t add_bytes(uint64_t a, uint64_t b)
{
    const uint64_t top = 0x8080808080808080;
    return ((a & ~top) + (b & ~top)) ^ ((a ^ b) & top);
}

// From differences to counts, eight bytes at a time.
static void add_up(const struct ts_activity_lane *lane)
{
    for (uint32_t p = 0; p < lane->count; p++) {
        uint8_t *piece = lane->pieces[p];
        uint64_t sums, last = 0;
        for (uint32_t i = 0; piece && i < TS_ACTIVITY_BYTES; i += sizeof sums) {
            memcpy(&sums, piece + i, sizeof sums);
            for (unsigned bits = 8; bits < 64; bits *= 2)
                sums = add_bytes(sums, sums << bits);
            sums = add_bytes(sums, last * 0x0101010101010101);
            last = sums >> 56;
            memcpy(piece + i, &sums, sizeof sums);
        }
    }
}

bool ts_activity_stop(struct ts_activity *self)
{
    ts_kernel_meter(self->kernel, &self->shut, NULL, NULL);
    self->end = ts_kernel_reached(self->kernel);
    bool enough = true;
    for (uint32_t i = 0; i < self->count; i++)
        for (unsigned s = 0; s < TS_ACTIVITY_SOURCES; s++) {
            enough &= !self->places[i].lanes[s].short_of_memory;
            if (s != TS_ACTIVITY_MATRIX)
                add_up(&self->places[i].lanes[s]);
        }
    for (const struct ts_object *object = ts_kernel_objects(self->kernel); object;
         object = object->next)
        if (self->lane_of[object->id])
            take_back(self, object, self->end);
    for (uint32_t i = 0; i < self->count; i++)
        self->places[i].used = ts_activity_sum(self, i, TS_ACTIVITY_MATRIX, 0, self->end) > 0;
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
        free(self->lane_of);
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
    const uint64_t even = UINT64_C(0x00ff00ff00ff00ff);
    const uint32_t end = (to + GROUP - 1) / GROUP;
    uint64_t sum = 0;
    uint32_t i = from / GROUP;
    for (uint64_t word; i + 8 <= end; i += 8) { // eight bytes at a time
        memcpy(&word, piece + i, sizeof word);
        sum += ((word & even) + (word >> 8 & even)) * UINT64_C(0x0001000100010001) >> 48;
    }
    for (; i < end; i++)
        sum += piece[i];
    return sum;
}

// Adds the sums of one piece's cycles in [from, to), the first of which lies `into` bin `sums`.
static void add_piece(const uint8_t *piece, bool bits, uint32_t from, uint32_t to, ts_cycle into,
                      ts_cycle bin, uint64_t *sums)
{
    for (ts_cycle rest = bin - into; from < to; rest = bin, sums++) {
        const uint32_t next = rest < to - from ? from + (uint32_t)rest : to;
        *sums += bits ? count_bits(piece, from, next) : count_bytes(piece, from, next);
        from = next;
    }
}

void ts_activity_series(const struct ts_activity *self, uint32_t place,
                        enum ts_activity_source source, ts_cycle from, ts_cycle to, ts_cycle bin,
                        uint64_t *sums)
{
    const uint32_t first = place == TS_ACTIVITY_ALL ? 0 : place,
                   last = place == TS_ACTIVITY_ALL ? self->count : place + 1;
    if (to <= from)
        return;
    memset(sums, 0, (to - from + bin - 1) / bin * sizeof *sums);
    for (uint32_t i = first; i < last; i++) {
        const struct ts_activity_lane *lane = &self->places[i].lanes[source];
        for (ts_cycle p = from / TS_ACTIVITY_PIECE; p < lane->count; p++) {
            const ts_cycle begin = p * TS_ACTIVITY_PIECE, a = from > begin ? from : begin,
                           end = begin + TS_ACTIVITY_PIECE, b = to < end ? to : end;
            if (a >= to)
                break;
            if (lane->pieces[p])
                add_piece(lane->pieces[p], source == TS_ACTIVITY_MATRIX, (uint32_t)(a - begin),
                          (uint32_t)(b - begin), (a - from) % bin, bin, sums + (a - from) / bin);
        }
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
