// Watches runs for near misses (near.h).
#include "platform/study/hang/near.h"

#include "platform/load/script.h"
#include "platform/tile/buffers.h"

enum { EDGE, FILL, WORDS, SHORT, LONG }; // ranks
#define MARGIN 16
#define ROUNDS 4     // of a store to a word that the network changes, too, that are tried
#define STORES 65536 // of a core to L1 whose cycles are known

// Something that happened at a place of --perturb.
struct event {
    uint64_t at, number;
    enum ts_perturb_kind kind;
    unsigned index; // of the place
    unsigned core;  // that did it, or pushed it
    unsigned site;  // the same for the same code
};

struct events {
    struct event *event;
    size_t count, room;
};

// A hold to try.
struct candidate {
    unsigned rank;
    uint64_t slack, cycles;
    struct event event;
    char why[120];
};

enum { CANDIDATES = 120 }; // of a tile

// Tiles may run in threads of their own: each has its list.
struct watch {
    struct ts_tile *tile;
    struct candidate candidate[CANDIDATES];
    size_t count;
    struct ts_follow follow;
    struct events post[TS_SEMAPHORES], get[TS_SEMAPHORES];
    struct events valid[2]; // of SrcA, SrcB
    size_t cleared[2];
    // What a thread has waited for since it last used it: bit per semaphore, bit per bank.
    unsigned not_zero[TS_THREADS], not_max[TS_THREADS], has_bank[TS_THREADS];
    struct event store[TS_THREADS]; // the last STOREIND
    uint64_t *stored[TS_RV_CORES];  // cycles of the stores to L1
};

struct ts_near {
    struct watch **watch;
    size_t watches;
    struct ts_near_hold hold[TS_NEAR_HOLDS];
    size_t count;
};

static void keep(struct events *self, struct event event)
{
    TS_MORE(self->event, self->count, self->room, "the small program");
    self->event[self->count++] = event;
}

// --- holds

// The nearest of each kind and site is kept.
static void hold(struct watch *self, unsigned rank, const struct event *event, uint64_t slack,
                 uint64_t cycles, const char *why)
{
    size_t i = 0;
    for (; i < self->count; i++) {
        const struct candidate *c = &self->candidate[i];
        if (c->rank == rank && c->event.kind == event->kind && c->event.index == event->index &&
            c->event.site == event->site)
            break;
    }
    if (i == CANDIDATES || (i < self->count && self->candidate[i].slack <= slack))
        return;
    self->count += i == self->count;
    struct candidate *to = &self->candidate[i];
    *to = (struct candidate){rank, slack, cycles, *event, ""};
    snprintf(to->why, sizeof to->why, "%s", why);
}

// Any place of synchronisation, once for a short and once for a long time.
static void try_place(struct watch *self, const struct event *event, const char *why)
{
    hold(self, SHORT, event, event->at, 100, why);
    hold(self, LONG, event, event->at, 1000, why);
}

// The second came `slack` cycles after the first, which it needs, and nobody waited.
static void near_miss(struct watch *self, const struct event *first, uint64_t now, const char *why)
{
    uint64_t slack = now > first->at ? now - first->at : 0;
    hold(self, EDGE, first, slack, slack + MARGIN, why);
}

// --- events

static struct event gate_event(struct watch *self, unsigned thread, uint32_t word)
{
    const struct ts_frontend *front = &self->tile->front[thread];
    return (struct event){.at = self->tile->domain->now,
                          .number = front->perturb.count,
                          .kind = TS_PERTURB_GATE,
                          .index = thread,
                          .core = TS_RV_TRISC0 + thread,
                          .site = word};
}

// Something that happened: a near miss if it needs `first`, and nobody has waited for that.
static void note(struct watch *self, const struct event *event, const struct event *first,
                 const char *miss, const char *what, unsigned name)
{
    char why[120];
    if (first) {
        snprintf(why, sizeof why, miss, name);
        near_miss(self, first, event->at, why);
    }
    snprintf(why, sizeof why, what, name);
    try_place(self, event, why);
}

static void posted(struct watch *self, unsigned i, struct event event, bool waited)
{
    const struct ts_sync_semaphore *s = &self->tile->sync.semaphore[i];
    const struct events *gets = &self->get[i];
    const size_t number = self->post[i].count;
    const bool full = !waited && s->max && number >= s->max && number - s->max < gets->count;
    note(self, &event, full ? &gets->event[number - s->max] : NULL,
         "semaphore %u is posted again soon after a get made room", "post of semaphore %u", i);
    keep(&self->post[i], event);
}

static void got(struct watch *self, unsigned i, struct event event, bool waited)
{
    const struct events *posts = &self->post[i];
    const size_t number = self->get[i].count;
    const bool own = number < posts->count && posts->event[number].core == event.core &&
                     posts->event[number].kind != event.kind; // it was pushed after the post
    note(self, &event, !waited && !own && number < posts->count ? &posts->event[number] : NULL,
         "semaphore %u is taken soon after it was posted", "get of semaphore %u", i);
    keep(&self->get[i], event);
}

static void cleared(struct watch *self, unsigned bank, struct event event, bool used)
{
    const struct events *valid = &self->valid[bank];
    const size_t number = self->cleared[bank]++;
    note(self, &event, !used && number < valid->count ? &valid->event[number] : NULL,
         "Src%c is given back soon after it became valid", "Src%c is given back", 'A' + bank);
}

static void sync_word(struct watch *self, unsigned thread, uint32_t word, unsigned select)
{
    const struct event event = gate_event(self, thread, word);
    const uint8_t op = TS_OP_OF(word);
    const unsigned on = op == TS_OP_SEMWAIT ? ts_decode_SEMWAIT(word).wait_sem_cond : 0;
    if (op == TS_OP_STALLWAIT)
        self->has_bank[thread] |= ts_decode_STALLWAIT(word).wait_res >> 7 & 3;
    self->not_zero[thread] |= on & 1 ? select : 0;
    self->not_max[thread] |= on & 2 ? select : 0;
    for (unsigned i = 0; i < TS_SEMAPHORES; i++) {
        const unsigned bit = select & 1u << i;
        if (bit && op == TS_OP_SEMPOST) {
            posted(self, i, event, self->not_max[thread] & bit);
            self->not_max[thread] &= ~bit;
        } else if (bit && op == TS_OP_SEMGET) {
            got(self, i, event, self->not_zero[thread] & bit);
            self->not_zero[thread] &= ~bit;
        }
    }
}

static void on_word(void *context, unsigned thread, uint32_t word)
{
    struct watch *self = context;
    const struct ts_script_effect effect = ts_script_effect(word);
    const struct event event = gate_event(self, thread, word);
    switch (effect.kind) {
    case TS_EFFECT_SYNC:
        sync_word(self, thread, word, effect.semaphores);
        break;
    case TS_EFFECT_UNPACK:
        keep(&self->valid[effect.needs >> 1], event);
        try_place(self, &event, "a bank becomes valid");
        break;
    case TS_EFFECT_MATRIX:
        self->has_bank[thread] |= effect.needs;
        for (unsigned bank = 0; bank < 2; bank++)
            if (effect.clears >> bank & 1) {
                cleared(self, bank, event, self->has_bank[thread] >> bank & 1);
                self->has_bank[thread] &= ~(1u << bank);
            }
        break;
    case TS_EFFECT_STORE:
        self->store[thread] = event;
        break;
    default:
        break;
    }
}

static struct event store_event(struct watch *self, unsigned core, unsigned site)
{
    return (struct event){.at = self->tile->domain->now,
                          .number = self->tile->perturb[TS_RV_CORES + core].count,
                          .kind = TS_PERTURB_STORE,
                          .index = core,
                          .core = core,
                          .site = site};
}

static void on_semaphore(void *context, unsigned core, unsigned index, bool get)
{
    struct watch *self = context;
    struct event event = store_event(self, core, 2 * index + get);
    if (get)
        got(self, index, event, false);
    else
        posted(self, index, event, false);
}

static void on_mail(void *context, unsigned core, unsigned other, bool send)
{
    struct watch *self = context;
    struct event event = store_event(self, core, 64 + other);
    if (send)
        try_place(self, &event, "a mail");
}

static void on_pages(void *context, unsigned by, unsigned buffer, bool push, uint32_t pages)
{
    struct watch *self = context;
    const struct ts_buffer *b = &self->tile->buffers[buffer];
    struct event event = {.at = self->tile->domain->now,
                          .kind = TS_PERTURB_L1,
                          .index = by - TS_BY_CORE,
                          .site = 2 * buffer + push};
    if (by < TS_THREADS) {
        event = self->store[by];
        event.site = 2 * buffer + push;
    } else {
        event.number = self->tile->cores[event.index].perturb.count;
    }
    if (event.number == 0)
        return;
    char why[120];
    uint32_t fill = ts_buffer_fill(self->tile, b);
    bool edge = push ? fill <= pages : fill + pages >= b->pages;
    snprintf(why, sizeof why, "%s %s %s", b->name, push ? "gets pages" : "gets room",
             edge ? push ? "when it is empty" : "when it is full" : "");
    if (edge)
        hold(self, FILL, &event, b->pages, 256, why);
    try_place(self, &event, why);
}

// The network changes a word that a core has stored to before: the store would come behind it if it were held so long.
static void on_arrival(void *context, uint32_t address, uint64_t now)
{
    struct watch *self = context;
    const struct ts_l1_writer writer = ts_l1_writer(&self->tile->l1, address);
    const unsigned core = (unsigned)writer.last.by - TS_BY_CORE;
    if (writer.state != TS_L1_KNOWN || core >= TS_RV_CORES || self->stored[core] == NULL)
        return;
    const uint64_t *stored = self->stored[core], at = writer.last.at;
    uint64_t number = self->tile->cores[core].perturb.count, slack = now > at ? now - at : 0;
    number = number < STORES ? number : STORES;
    while (number && stored[number - 1] > at)
        number--;
    if (number)
        hold(self, WORDS,
             &(struct event){.at = at,
                             .number = number,
                             .kind = TS_PERTURB_L1,
                             .index = core,
                             .site = writer.last.pc * ROUNDS + (unsigned)(number % ROUNDS)},
             slack, slack + MARGIN, "a word is stored soon before the network changes it");
}

// --- the list

static void add_requests(struct watch *self)
{
    static const enum ts_device devices[TS_NOC_COUNT] = {TS_DEVICE_NOC0, TS_DEVICE_NOC1};
    for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
        const struct ts_noc_niu *niu = self->tile->window[devices[noc]].context;
        for (uint64_t i = 1; niu && i <= niu->perturb.count && i <= 12; i++)
            try_place(self,
                      &(struct event){.number = i,
                                      .kind = TS_PERTURB_NOC,
                                      .index = noc,
                                      .at = i,
                                      .site = (unsigned)i},
                      "a request to the NoC");
    }
}

static int compare(const void *a, const void *b)
{
    const struct ts_near_hold *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->slack != y->slack)
        return x->slack < y->slack ? -1 : 1;
    return strcmp(x->perturb, y->perturb);
}

static void name(const struct watch *self, const struct candidate *from, bool alone,
                 struct ts_near_hold *to)
{
    char tile[24] = "";
    if (!alone)
        snprintf(tile, sizeof tile, "%u-%u/", self->tile->x, self->tile->y);
    *to = (struct ts_near_hold){.rank = from->rank, .slack = from->slack};
    snprintf(to->perturb, sizeof to->perturb, "%s%s@%llu+%llu", tile,
             ts_perturb_place(from->event.kind, from->event.index),
             (unsigned long long)from->event.number, (unsigned long long)from->cycles);
    snprintf(to->why, sizeof to->why, "%s", from->why);
}

struct ts_near *ts_near_new(void)
{
    struct ts_near *self = ts_need(calloc(1, sizeof *self), "the small program");
    return self;
}

void ts_near_watch(struct ts_near *self, struct ts_tile *tile)
{
    struct watch *watch = calloc(1, sizeof *watch);
    self->watch = realloc(self->watch, (self->watches + 1) * sizeof(struct watch *));
    if (self->watch == NULL || watch == NULL)
        ts_out_of_memory("the small program");
    self->watch[self->watches++] = watch;
    watch->tile = tile;
    watch->follow = (struct ts_follow){watch, on_word, on_semaphore, on_mail, on_pages, on_arrival};
    for (unsigned c = 0; c < TS_RV_CORES; c++) {
        tile->cores[c].perturb.times = watch->stored[c] = calloc(STORES, sizeof *watch->stored[c]);
        tile->cores[c].perturb.room = watch->stored[c] ? STORES : 0;
    }
    ts_follow_start(tile, &watch->follow);
}

static void forget(struct watch *self)
{
    ts_follow_start(self->tile, NULL);
    for (unsigned c = 0; c < TS_RV_CORES; c++) {
        self->tile->cores[c].perturb.room = 0;
        free(self->stored[c]);
    }
    for (unsigned s = 0; s < TS_SEMAPHORES; s++) {
        free(self->post[s].event);
        free(self->get[s].event);
    }
    free(self->valid[0].event);
    free(self->valid[1].event);
    free(self);
}

void ts_near_end(struct ts_near *self)
{
    for (size_t i = 0; i < self->watches; i++) {
        struct watch *watch = self->watch[i];
        add_requests(watch);
        for (size_t k = 0; k < watch->count && self->count < TS_NEAR_HOLDS; k++)
            name(watch, &watch->candidate[k], self->watches == 1, &self->hold[self->count++]);
        forget(watch);
    }
    self->watches = 0;
    qsort(self->hold, self->count, sizeof *self->hold, compare);
}

const struct ts_near_hold *ts_near_list(const struct ts_near *self, size_t *count)
{
    *count = self->count;
    return self->hold;
}

void ts_near_free(struct ts_near *self)
{
    if (self)
        free(self->watch);
    free(self);
}

void ts_near_write(const struct ts_near *self, FILE *file)
{
    for (size_t i = 0; i < self->count; i++)
        fprintf(file, "%s %s\n", self->hold[i].perturb, self->hold[i].why);
}

size_t ts_near_read(FILE *file, struct ts_near_hold *list, size_t room)
{
    size_t count = 0;
    char line[TS_PERTURB_TEXT + 140];
    while (count < room && fgets(line, sizeof line, file)) {
        size_t length = strcspn(line, " \n");
        if (length == 0 || length >= TS_PERTURB_TEXT)
            continue;
        struct ts_near_hold *to = &list[count++];
        *to = (struct ts_near_hold){.rank = 0};
        memcpy(to->perturb, line, length);
        line[strcspn(line, "\n")] = '\0';
        snprintf(to->why, sizeof to->why, "%.119s", line[length] ? line + length + 1 : "");
    }
    return count;
}
