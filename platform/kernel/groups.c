// Places of a model, their windows, and what passes between them (cluster.h).
#include "platform/kernel/internal.h"

// --- places ---

void ts_kernel_place(struct ts_kernel *self, uint32_t place)
{
    if (place == self->place)
        return;
    self->place = place;
    if (self->cluster)
        self->cluster->enter(self->cluster->context, place);
}

void ts_kernel_expect(struct ts_kernel *self, uint32_t places)
{
    self->expected = places;
}

bool ts_kernel_is_cluster(const struct ts_kernel *self)
{
    return self->cluster && self->places;
}

bool ts_kernel_is_first(const struct ts_kernel *self)
{
    return self->cluster == NULL || self->cluster->rank == 0;
}

bool ts_kernel_has_place(const struct ts_kernel *self, uint32_t place)
{
    return place != 0 && place <= self->places;
}

int ts_kernel_signal(const struct ts_kernel *self)
{
    return atomic_load_explicit(&self->stop_signal, memory_order_relaxed);
}

static uint32_t rank_of(const struct ts_kernel *self, uint32_t place, uint32_t places)
{
    return (place - 1) * self->cluster->ranks / places;
}

uint32_t ts_kernel_rank_of(const struct ts_kernel *self, uint32_t place)
{
    return self->cluster ? rank_of(self, place, self->places) : 0;
}

bool ts_groups_makes_others(const struct ts_kernel *self)
{
    return self->cluster && self->expected && self->place &&
           rank_of(self, self->place, self->expected) != self->cluster->rank;
}

static bool is_here(const struct ts_kernel *self, uint32_t place)
{
    return !ts_kernel_is_cluster(self) || ts_kernel_rank_of(self, place) == self->cluster->rank;
}

bool ts_domain_absent(const struct ts_domain *self)
{
    return !is_here(self->kernel, self->place);
}

bool ts_domain_elsewhere(const struct ts_domain *self)
{
    return ts_domain_absent(self) && !self->kernel->whole;
}

uint64_t ts_kernel_of_all(const struct ts_kernel *self, uint64_t value, enum ts_all what)
{
    return ts_kernel_is_cluster(self) ? self->cluster->all(self->cluster->context, value, what)
                                      : value;
}

bool ts_kernel_all(const struct ts_kernel *self, bool here)
{
    return ts_kernel_of_all(self, !here, TS_ALL_MOST) == 0;
}

void ts_kernel_tell(const struct ts_kernel *self, uint32_t place, void *bytes, size_t length)
{
    if (ts_kernel_is_cluster(self))
        self->cluster->tell(self->cluster->context, ts_kernel_rank_of(self, place), bytes, length);
}

void ts_kernel_gather(struct ts_kernel *self)
{
    if (!ts_kernel_is_cluster(self) || self->whole)
        return;
    self->cluster->gather(self->cluster->context, self);
    self->whole = true;
}

void ts_groups_find(struct ts_kernel *self)
{
    self->order = ts_kernel_alloc(self, self->domain_count * sizeof *self->order);
    for (uint32_t i = 0; i < self->domain_count; i++)
        self->places = self->domains[i]->place > self->places ? self->domains[i]->place
                                                              : self->places;
    if (self->order == NULL)
        return;
    uint32_t next = 0;
    for (uint32_t place = 0; place <= self->places; place++)
        for (uint32_t i = 0; i < self->domain_count; i++)
            if (self->domains[i]->place == place)
                self->order[next++] = i;
    if (self->places == 0)
        return;
    self->lookahead = TS_NEVER;
    self->cuts = ts_kernel_alloc(self, self->fifo_count * sizeof(struct ts_fifo *));
    for (uint32_t i = 0; self->cuts && i < self->fifo_count; i++) {
        struct ts_fifo *fifo = self->fifos[i];
        if (!fifo->cut)
            continue;
        self->cuts[self->cut_count++] = fifo;
        ts_cycle least = fifo->latency < fifo->room_latency ? fifo->latency : fifo->room_latency;
        self->lookahead = least < self->lookahead ? least : self->lookahead;
    }
    for (uint32_t i = 0; i < self->domain_count; i++) {
        if (self->domains[i]->place == 0)
            ts_kernel_refuse(self, "%s: belongs to no place, and others do",
                             self->domains[i]->object.path);
    }
}

void ts_groups_share(struct ts_kernel *self)
{
    for (uint32_t i = 0; i < self->domain_count; i++)
        self->domains[i]->span = self->places ? &self->shares[self->domains[i]->place - 1].own
                                              : &self->span;
    uint32_t next = 0;
    for (uint32_t i = 0; i < self->places; i++) {
        struct ts_share *share = &self->shares[i];
        share->place = i + 1;
        share->absent = !is_here(self, i + 1);
        share->first = next;
        while (next < self->domain_count && self->domains[self->order[next]]->place == i + 1)
            next++;
        share->count = next - share->first;
    }
}

// --- windows ---

ts_cycle ts_groups_end(const struct ts_kernel *self, ts_cycle until)
{
    ts_cycle most = self->config.window && self->config.window < self->lookahead
                        ? self->config.window
                        : self->lookahead;
    ts_cycle end = ts_cycle_add(self->span.start, most);
    if (self->trace == NULL)
        end = end < self->between_at ? end : self->between_at;
    return end < until ? end : until;
}

void ts_group_run(struct ts_share *share)
{
    struct ts_kernel *self = share->kernel;
    struct ts_span *span = &share->own;
    if (self->cluster)
        self->cluster->enter(self->cluster->context, share->place);
    span->until = self->span.until;
    while (share->next < self->span.end) {
        ts_cycle end = ts_cycle_add(share->next, self->window);
        end = end < self->span.end ? end : self->span.end;
        span->start = share->next;
        span->end = share->noticed < end ? share->noticed : end;
        ts_share_run(share);
        span->parity ^= 1;
    }
    if (self->cluster)
        self->cluster->enter(self->cluster->context, 0);
}

// A domain has got something: its share looks at it again.
static void look_again(struct ts_kernel *self, const struct ts_domain *domain)
{
    struct ts_share *share = &self->shares[domain->place - 1];
    ts_window_look(self, domain);
    if (self->next[domain->index] < share->next)
        share->next = self->next[domain->index];
    if (self->noticed[domain->index] < share->noticed)
        share->noticed = self->noticed[domain->index];
}

static void give_words(struct ts_kernel *self, struct ts_fifo *fifo)
{
    fifo->words_given = fifo->published[0] = fifo->pushed;
    ts_fifo_absorb_words(fifo, 0);
    look_again(self, fifo->reader->domain);
}

static void give_room(struct ts_kernel *self, struct ts_fifo *fifo)
{
    fifo->room_given = fifo->returned[0] = fifo->popped;
    ts_fifo_absorb_room(fifo, 0);
    look_again(self, fifo->object.domain);
}

void ts_groups_meet(struct ts_kernel *self)
{
    for (uint32_t i = 0; i < self->cut_count; i++) {
        struct ts_fifo *fifo = self->cuts[i];
        if (ts_domain_absent(fifo->reader->domain) || ts_domain_absent(fifo->object.domain))
            continue;
        if (fifo->pushed != fifo->words_given)
            give_words(self, fifo);
        if (fifo->popped != fifo->room_given)
            give_room(self, fifo);
    }
    uint64_t least[TS_AGREED_COUNT] = {TS_NEVER, atomic_load(&self->stop_at), TS_NEVER};
    int signal = atomic_load_explicit(&self->stop_signal, memory_order_relaxed);
    if (signal)
        least[TS_AGREED_SIGNAL] = (uint64_t)signal;
    if (self->cluster)
        self->cluster->meet(self->cluster->context, self, least);
    else
        ts_groups_least(self, least);
    self->span.start = least[TS_AGREED_NEXT];
    atomic_store(&self->stop_at, least[TS_AGREED_STOP]);
    if (least[TS_AGREED_SIGNAL] != TS_NEVER)
        atomic_store(&self->stop_signal, (int)least[TS_AGREED_SIGNAL]);
}

void ts_groups_least(const struct ts_kernel *self, uint64_t least[TS_AGREED_COUNT])
{
    for (uint32_t i = 0; i < self->share_count; i++)
        if (!self->shares[i].absent && self->shares[i].next < least[TS_AGREED_NEXT])
            least[TS_AGREED_NEXT] = self->shares[i].next;
}

// --- from process to process ---

void ts_cut_peers(const struct ts_kernel *self, bool *wanted)
{
    for (uint32_t i = 0; i < self->cut_count; i++) {
        const struct ts_domain *ends[2] = {self->cuts[i]->object.domain,
                                           self->cuts[i]->reader->domain};
        for (int k = 0; k < 2; k++)
            if (!ts_domain_absent(ends[k]))
                wanted[ts_kernel_rank_of(self, ends[1 - k]->place)] = true;
    }
    for (uint32_t i = 0; self->trace && i < self->cluster->ranks; i++)
        if (i == 0 || self->cluster->rank == 0)
            wanted[i] = true;
}

void *ts_bytes_more(struct ts_bytes *self, size_t length)
{
    if (self->room - self->length < length) {
        self->room = 2 * (self->room + length);
        self->bytes = ts_need(realloc(self->bytes, self->room), "what passes between ranks");
    }
    self->length += length;
    return self->bytes + self->length - length;
}

static void put(struct ts_bytes *to, const void *bytes, size_t length)
{
    memcpy(ts_bytes_more(to, length), bytes, length);
}

// In front of what comes: words, room or records.
enum kind { WORDS, ROOM, RECORDS };
struct head {
    uint32_t kind, index, count; // index: of the FIFO, or of the domain
};

static void pack_words(struct ts_fifo *fifo, uint32_t index, struct ts_bytes *to)
{
    const struct head head = {WORDS, index, fifo->pushed - fifo->words_given};
    put(to, &head, sizeof head);
    for (; fifo->words_given != fifo->pushed; fifo->words_given++) {
        unsigned char *slot = ts_fifo_slot(fifo, fifo->words_given);
        unsigned char *word = slot + sizeof(ts_cycle);
        uint32_t length = 0;
        put(to, slot, sizeof(ts_cycle) + fifo->size);
        put(to, &length, sizeof length);
        if (fifo->parcel == NULL)
            continue;
        const size_t begin = to->length;
        fifo->parcel->pack(word, to);
        length = (uint32_t)(to->length - begin);
        memcpy(to->bytes + begin - sizeof length, &length, sizeof length);
        fifo->parcel->drop(word);
    }
}

static void pack_room(struct ts_fifo *fifo, uint32_t index, struct ts_bytes *to)
{
    const struct head head = {ROOM, index, fifo->popped - fifo->room_given};
    put(to, &head, sizeof head);
    for (; fifo->room_given != fifo->popped; fifo->room_given++)
        put(to, &fifo->credit_at[fifo->room_given & fifo->mask], sizeof *fifo->credit_at);
}

// The first process writes the trace.
static void pack_records(struct ts_kernel *self, struct ts_bytes *to)
{
    for (uint32_t i = 0; i < self->domain_count; i++) {
        struct ts_trace_ring *ring = ts_trace_ring(self->trace, i);
        if (ts_domain_absent(self->domains[i]) || ring->count == 0)
            continue;
        const struct head head = {RECORDS, i, (uint32_t)ring->count};
        put(to, &head, sizeof head);
        put(to, ring->records, ring->count * sizeof *ring->records);
        ring->count = 0;
    }
}

void ts_cut_pack(struct ts_kernel *self, uint32_t rank, struct ts_bytes *to)
{
    for (uint32_t i = 0; i < self->cut_count; i++) {
        struct ts_fifo *fifo = self->cuts[i];
        const struct ts_domain *writer = fifo->object.domain, *reader = fifo->reader->domain;
        if (!ts_domain_absent(writer) && ts_kernel_rank_of(self, reader->place) == rank &&
            fifo->pushed != fifo->words_given)
            pack_words(fifo, i, to);
        if (!ts_domain_absent(reader) && ts_kernel_rank_of(self, writer->place) == rank &&
            fifo->popped != fifo->room_given)
            pack_room(fifo, i, to);
    }
    if (rank == 0 && self->trace)
        pack_records(self, to);
}

struct reading {
    const unsigned char *at, *end;
};

static void get(struct reading *from, void *bytes, size_t length)
{
    if ((size_t)(from->end - from->at) < length)
        ts_give_up("the ranks are processes of different builds of tensim");
    memcpy(bytes, from->at, length);
    from->at += length;
}

static void unpack_words(struct ts_kernel *self, struct ts_fifo *fifo, uint32_t count,
                         struct reading *from)
{
    ts_kernel_place(self, fifo->reader->domain->place);
    for (; count; count--) {
        unsigned char *slot = ts_fifo_slot(fifo, fifo->pushed++);
        uint32_t length;
        get(from, slot, sizeof(ts_cycle) + fifo->size);
        get(from, &length, sizeof length);
        const unsigned char *bytes = from->at;
        from->at += length;
        if (fifo->parcel &&
            !fifo->parcel->take(fifo->reader, slot + sizeof(ts_cycle), bytes, length))
            ts_out_of_memory("what passes between ranks");
    }
    ts_kernel_place(self, 0);
    give_words(self, fifo);
}

static void unpack_room(struct ts_kernel *self, struct ts_fifo *fifo, uint32_t count,
                        struct reading *from)
{
    for (; count; count--)
        get(from, &fifo->credit_at[fifo->popped++ & fifo->mask], sizeof *fifo->credit_at);
    give_room(self, fifo);
}

// As if the domain had put them here.
static void unpack_records(const struct ts_kernel *self, uint32_t domain, uint32_t count,
                           struct reading *from)
{
    struct ts_trace_ring *ring = ts_trace_ring(self->trace, domain);
    for (uint32_t i = 0; i < count; i++) {
        struct ts_record record, *last = ring->count ? &ring->records[ring->count - 1] : NULL;
        get(from, &record, sizeof record);
        if (i == 0 && last && record.kind == TS_RECORD_BUSY && record.reason == TS_RECORD_GOES_ON &&
            last->kind == TS_RECORD_BUSY && last->emitter == record.emitter &&
            last->cycle + last->value == record.cycle)
            last->value += record.value;
        else
            ts_trace_put(ring, record);
    }
}

void ts_cut_unpack(struct ts_kernel *self, const unsigned char *bytes, size_t length)
{
    struct reading from = {bytes, bytes + length};
    while (from.at < from.end) {
        struct head head;
        get(&from, &head, sizeof head);
        if (head.kind == WORDS)
            unpack_words(self, self->cuts[head.index], head.count, &from);
        else if (head.kind == ROOM)
            unpack_room(self, self->cuts[head.index], head.count, &from);
        else
            unpack_records(self, head.index, head.count, &from);
    }
}

void ts_cut_traces(struct ts_kernel *self, bool on)
{
    struct ts_trace *trace = self->trace;
    if (trace == NULL)
        return;
    ts_kernel_trace(self, on ? trace : NULL);
    self->trace = trace;
}

// The reader's side of a cut FIFO: the memory is the writer's.
struct side {
    uint32_t index, popped, arrived, room_given, returned[2];
};

void ts_cut_keep(const struct ts_kernel *self, struct ts_bytes *to)
{
    for (uint32_t i = 0; i < self->cut_count; i++) {
        const struct ts_fifo *fifo = self->cuts[i];
        if (ts_domain_absent(fifo->reader->domain) || !ts_domain_absent(fifo->object.domain))
            continue;
        const struct side side = {.index = i,
                                  .popped = fifo->popped,
                                  .arrived = fifo->arrived,
                                  .room_given = fifo->room_given,
                                  .returned = {fifo->returned[0], fifo->returned[1]}};
        put(to, &side, sizeof side);
        put(to, fifo->slots, (size_t)(fifo->mask + 1) * fifo->stride);
        put(to, fifo->credit_at, (size_t)(fifo->mask + 1) * sizeof *fifo->credit_at);
    }
}

void ts_cut_restore(struct ts_kernel *self, const unsigned char *bytes, size_t length)
{
    struct reading from = {bytes, bytes + length};
    while (from.at < from.end) {
        struct side side;
        get(&from, &side, sizeof side);
        struct ts_fifo *fifo = self->cuts[side.index];
        fifo->popped = side.popped;
        fifo->arrived = side.arrived;
        fifo->room_given = side.room_given;
        memcpy(fifo->returned, side.returned, sizeof side.returned);
        get(&from, fifo->slots, (size_t)(fifo->mask + 1) * fifo->stride);
        get(&from, fifo->credit_at, (size_t)(fifo->mask + 1) * sizeof *fifo->credit_at);
    }
}
