// Windows: every domain runs from start to end independently of the others, then they synchronise.
//
// One thread leads (the caller of ts_kernel_run) and sets `go`; each thread visits its share of the
// domains, tile by tile for the complete window, then domains of others that are left, and counts in
// `done`. Words and room that crossed
// are announced in two sets of counts, for even and odd windows, so one barrier per window is
// enough: a domain takes over in the next window what others announced in this one, in the order of
// its FIFOs. Words carry their cycle, so the results show neither the number of threads nor their
// order.
//
// A barrier costs 0.2 us when it spins and 5 us when it sleeps on a Neoverse V1: threads spin
// first. Short windows are faster on one thread: from time to time the kernel times a few windows
// both ways and keeps the faster way for a while.
#include "platform/base/clock.h"
#include "platform/kernel/internal.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPIN_FREE_CORES 20000 // ordinary imbalance must not cause a system call
#define SPIN_CROWDED    50    // more threads than cores: spinning takes the awaited thread's core
#define PROBE_WINDOWS   16
#define EXPLOIT_WINDOWS 4096
#define PROBE_NS        2000000 // a probe ends after this, if windows are long

enum { WAIT_GO, WAIT_DONE };

static inline void relax(void)
{
#if defined(__aarch64__)
    __asm__ volatile("yield" ::: "memory");
#elif defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// Waits until *word is no longer `old`.
static void await_change(struct ts_kernel *self, atomic_uint *word, unsigned old, int which)
{
    for (uint32_t i = 0; i < self->spin; i++) {
        if (atomic_load_explicit(word, memory_order_acquire) != old)
            return;
        relax();
    }
    while (atomic_load_explicit(word, memory_order_acquire) == old) {
        atomic_fetch_add(&self->sleepers[which], 1);
        if (atomic_load(word) == old)
            syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
        atomic_fetch_sub(&self->sleepers[which], 1);
    }
}

static void announce(struct ts_kernel *self, atomic_uint *word, int which)
{
    atomic_fetch_add(word, 1);
    if (atomic_load(&self->sleepers[which]))
        syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

// Takes over what came in the last window, from the FIFOs whose bits are in the mail: the others are
// not touched, because they would have to come from memory.
static void absorb(const struct ts_span *span, struct ts_domain *domain, uint64_t mail)
{
    uint32_t last = span->parity ^ 1;
    for (; mail; mail &= mail - 1)
        for (uint32_t i = (uint32_t)__builtin_ctzll(mail); i < domain->crossing_count; i += 64) {
            struct ts_fifo *fifo = domain->crossing[i];
            if (fifo->object.domain == domain) // the writer's
                ts_fifo_absorb_room(fifo, last);
            else
                ts_fifo_absorb_words(fifo, last);
        }
}

// Announces what was sent in this window.
static void publish(struct ts_kernel *self, const struct ts_span *span, struct ts_domain *domain)
{
    const uint32_t parity = span->parity;
    atomic_ullong *mail = self->mail[parity];
    for (struct ts_fifo *fifo = domain->dirty_writer; fifo; fifo = fifo->next_dirty_writer) {
        fifo->published[parity] = fifo->pushed;
        fifo->dirty_writer = false;
        atomic_fetch_or_explicit(&mail[fifo->reader_index], 1ull << fifo->reader_mail,
                                 memory_order_relaxed);
    }
    for (struct ts_fifo *fifo = domain->dirty_reader; fifo; fifo = fifo->next_dirty_reader) {
        fifo->returned[parity] = fifo->popped;
        fifo->dirty_reader = false;
        atomic_fetch_or_explicit(&mail[fifo->writer_index], 1ull << fifo->writer_mail,
                                 memory_order_relaxed);
    }
    domain->dirty_writer = domain->dirty_reader = NULL;
}

void ts_window_look(struct ts_kernel *self, const struct ts_domain *domain)
{
    ts_cycle next = ts_domain_next(domain);
    if (domain->faulted && next > domain->fault_cycle)
        next = TS_NEVER;
    __atomic_store_n(&self->next[domain->index], next, __ATOMIC_RELAXED); // see fetch_ahead
    self->noticed[domain->index] = ts_domain_noticed(domain, next);
}

// The k-th domain of a share, in the kernel's `order`. Alternating direction: the domains that ran last are still in the
// cache.
static inline const uint32_t *place_of(const struct ts_share *share, uint32_t k)
{
    return &share->kernel->order[share->first + (share->span->parity ? share->count - 1 - k : k)];
}

// Will a domain run in this window? Another thread may have run it already.
static inline bool may_run(const struct ts_kernel *self, uint32_t i, const struct ts_span *span)
{
    return __atomic_load_n(&self->next[i], __ATOMIC_RELAXED) < span->end;
}

// While a domain runs, the memory fetches what the next one needs: threads go through all domains in
// every window, which together do not fit into the host's caches.
static void fetch_ahead(const struct ts_share *share, uint32_t k)
{
    const struct ts_kernel *self = share->kernel;
    const struct ts_span *span = share->span;
    if (k + 1 < share->count) {
        uint32_t far = *place_of(share, k + 1);
        if (may_run(self, far, span))
            ts_domain_fetch(self->domains[far]);
    }
    if (k < share->count) {
        uint32_t near = *place_of(share, k);
        if (may_run(self, near, span))
            ts_domain_fetch_steps(self->domains[near]);
    }
}

static inline void earlier(ts_cycle *least, ts_cycle cycle)
{
    if (cycle < *least)
        *least = cycle;
}

// What the visits of a window find out: see struct ts_share.
struct found {
    ts_cycle next, noticed, sent, sent_noticed;
    ts_cycle others, others_noticed; // of domains that did not run
    uint32_t ran, last;              // how many did, and the last of them
    bool crossed;                    // something goes to another domain
};
#define NOTHING_FOUND \
    ((struct found){TS_NEVER, TS_NEVER, TS_NEVER, TS_NEVER, TS_NEVER, TS_NEVER, 0, 0, false})

static void keep(struct ts_share *share, struct found found)
{
    const bool all = share->kernel->share_count == 1 && share->kernel->places == 0;
    share->lone = all && found.ran == 1 && !found.crossed ? found.last + 1 : 0;
    share->others = found.others;
    share->others_noticed = found.others_noticed;
    earlier(&found.next, found.others);
    earlier(&found.noticed, found.others_noticed);
    share->sent = found.sent;
    share->next = found.sent < found.next ? found.sent : found.next;
    share->sent_noticed = found.sent_noticed;
    share->noticed = found.sent_noticed < found.noticed ? found.sent_noticed : found.noticed;
}

// Runs domain i, the k-th of `owner`, through the window, by the thread of `share`. `box`: the mail of the last window.
static void run_one(struct ts_share *share, const struct ts_share *owner, atomic_ullong *box,
                    uint32_t i, uint32_t k, struct found *found)
{
    struct ts_kernel *self = share->kernel;
    const struct ts_span *span = share->span;
    struct ts_domain *domain = self->domains[i];
    uint64_t mail = atomic_load_explicit(&box[i], memory_order_relaxed);
    ts_cycle end = span->end;
    if (share == owner)
        fetch_ahead(owner, k + 1);
    if (__builtin_expect(domain->faulted, 0)) {
        if (domain->now > domain->fault_cycle || span->start > domain->fault_cycle)
            return;
        end = domain->fault_cycle + 1 < end ? domain->fault_cycle + 1 : end;
    }
    if (span->start > domain->now)
        ts_domain_run(domain, span->start, span->start);
    if (mail) {
        atomic_store_explicit(&box[i], 0, memory_order_relaxed);
        absorb(span, domain, mail);
    }
    found->ran++;
    found->last = i;
    uint64_t before = domain->activations;
    domain->sent_first = domain->sent_noticed = TS_NEVER;
    ts_domain_run(domain, span->start, end);
    found->crossed |= domain->dirty_writer || domain->dirty_reader;
    publish(self, span, domain);
    ts_window_look(self, domain);
    share->activations += domain->activations - before;
    earlier(&found->sent, domain->sent_first);
    earlier(&found->sent_noticed, domain->sent_noticed);
    earlier(&found->next, self->next[i]);
    earlier(&found->noticed, self->noticed[i]);
}

// Runs those of so many domains that have something to do in the window: `at` is the k-th of `owner`, the others follow it.
static inline void visit(struct ts_share *share, const struct ts_share *owner, atomic_ullong *box,
                         const uint32_t *at, uint32_t k, uint32_t count, struct found *found)
{
    const struct ts_kernel *self = share->kernel;
    const ts_cycle *next = self->next, *noticed = self->noticed, end = share->span->end;
    ts_cycle others = found->others, others_noticed = found->others_noticed;
    for (const int step = owner->span->parity ? -1 : 1; count > 0; count--, k++, at += step)
        if (next[*at] < end || atomic_load_explicit(&box[*at], memory_order_relaxed)) {
            run_one(share, owner, box, *at, k, found);
        } else {
            earlier(&others, next[*at]);
            earlier(&others_noticed, noticed[*at]);
        }
    found->others = others;
    found->others_noticed = others_noticed;
}

void ts_share_run(struct ts_share *share)
{
    atomic_ullong *box = share->kernel->mail[share->span->parity ^ 1];
    struct found found = NOTHING_FOUND;
    if (share->lone && share->others >= share->span->end) {
        found.others = share->others;
        found.others_noticed = share->others_noticed;
        visit(share, share, box, &(uint32_t){share->lone - 1}, share->count, 1, &found);
    } else {
        visit(share, share, box, place_of(share, 0), 0, share->count, &found);
    }
    keep(share, found);
}

// Takes the first domain of a share that nobody has visited, or the last one. False: there is none.
static inline bool take(struct ts_share *owner, bool last, uint32_t *k)
{
    unsigned long long left = atomic_load_explicit(&owner->left, memory_order_relaxed), less;
    uint32_t from, to;
    do {
        from = (uint32_t)left;
        to = (uint32_t)(left >> 32);
        if (from == to)
            return false;
        less = last ? left - (1ull << 32) : left + 1;
    } while (!atomic_compare_exchange_weak_explicit(&owner->left, &left, less, memory_order_relaxed,
                                                    memory_order_relaxed));
    *k = last ? to - 1 : from;
    return true;
}

// Visits the share's own domains, then those that other threads have not come to.
static void run_and_help(struct ts_kernel *self, struct ts_share *share)
{
    atomic_ullong *box = self->mail[self->span.parity ^ 1];
    struct found found = NOTHING_FOUND;
    uint32_t k;
    while (take(share, false, &k))
        visit(share, share, box, place_of(share, k), k, 1, &found);
    for (uint32_t i = (uint32_t)(share - self->shares), n = 1; n < self->share_count; n++) {
        i = i + 1 < self->share_count ? i + 1 : 0;
        while (take(&self->shares[i], true, &k))
            visit(share, &self->shares[i], box, place_of(&self->shares[i], k), k, 1, &found);
    }
    keep(share, found);
}

// Gives every share about the same number of steps, by the steps its domains took since the last
// balancing, at first by their components. The assignment of domains to threads affects only the
// speed.
static void balance(struct ts_kernel *self)
{
    uint64_t total = 0, before = 0;
    if (self->places)
        return;
    for (uint32_t i = 0; i < self->domain_count; i++) {
        const struct ts_domain *domain = self->domains[i];
        uint64_t steps = domain->activations - self->load[i].steps;
        self->load[i].steps = domain->activations;
        self->load[i].weight = self->windows ? steps + 1 : domain->count + 1;
        total += self->load[i].weight;
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < self->config.threads; i++) {
        struct ts_share *share = &self->shares[i];
        uint64_t fair = total * (i + 1) / self->config.threads;
        share->first = next;
        while (next < self->domain_count && before + self->load[next].weight / 2 < fair)
            before += self->load[next++].weight;
        share->count = next - share->first;
    }
}

// What a thread does in a window: domains, or places that no other one has begun.
static void run_part(struct ts_kernel *self, struct ts_share *share)
{
    if (self->places == 0) {
        run_and_help(self, share);
        return;
    }
    for (unsigned i; (i = atomic_fetch_add(&self->taken, 1)) < self->share_count;)
        if (!self->shares[i].absent)
            ts_group_run(&self->shares[i]);
}

static void *work(void *argument)
{
    struct ts_share *share = argument;
    struct ts_kernel *self = share->kernel;
    unsigned seen = share->seen;
    for (;;) {
        await_change(self, &self->go, seen, WAIT_GO);
        seen++;
        if (self->quit)
            return NULL;
        run_part(self, share);
        announce(self, &self->done, WAIT_DONE);
    }
}

bool ts_workers_start(struct ts_kernel *self)
{
    uint32_t threads = self->config.threads,
             most = self->places ? self->places : self->domain_count;
    if (threads > most)
        threads = self->config.threads = most;
    self->share_count = self->places ? self->places : threads;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    self->spin = (long)threads <= cores ? SPIN_FREE_CORES : SPIN_CROWDED;
    self->shares = ts_kernel_alloc(self, self->share_count * sizeof *self->shares);
    self->load = ts_kernel_alloc(self, self->domain_count * sizeof *self->load);
    if (self->shares == NULL || self->load == NULL) {
        self->shares = NULL; // no thread was started
        return false;
    }
    balance(self);
    for (uint32_t i = 0; i < self->share_count; i++) {
        struct ts_share *share = &self->shares[i];
        share->kernel = self;
        share->span = self->places ? &share->own : &self->span;
        share->next = share->noticed = share->sent = share->sent_noticed = TS_NEVER;
    }
    ts_groups_share(self);
    return ts_workers_hire(self);
}

bool ts_workers_hire(struct ts_kernel *self)
{
    self->quit = false;
    atomic_store(&self->sleepers[WAIT_GO], 0); // of threads that are no more
    atomic_store(&self->sleepers[WAIT_DONE], 0);
    for (uint32_t i = 1; i < self->config.threads; i++) {
        struct ts_share *share = &self->shares[i];
        share->seen = atomic_load(&self->go);
        if (pthread_create(&share->thread, NULL, work, share) != 0) {
            self->config.threads = i;
            return false;
        }
    }
    return true;
}

void ts_workers_dismiss(struct ts_kernel *self)
{
    self->quit = true;
    announce(self, &self->go, WAIT_GO);
    for (uint32_t i = 1; i < self->config.threads; i++) {
        pthread_join(self->shares[i].thread, NULL);
        memset(&self->shares[i].thread, 0, sizeof self->shares[i].thread);
    }
}

void ts_workers_stop(struct ts_kernel *self)
{
    if (self->shares == NULL)
        return;
    ts_workers_dismiss(self);
    self->shares = NULL;
}

static void run_parallel(struct ts_kernel *self)
{
    uint32_t workers = self->config.threads - 1;
    atomic_store(&self->done, 0);
    for (uint32_t i = 0; i < self->share_count; i++)
        atomic_store_explicit(&self->shares[i].left,
                              (unsigned long long)self->shares[i].count << 32,
                              memory_order_relaxed);
    announce(self, &self->go, WAIT_GO);
    run_part(self, &self->shares[0]);
    unsigned done;
    while ((done = atomic_load_explicit(&self->done, memory_order_acquire)) != workers)
        await_change(self, &self->done, done, WAIT_DONE);
}

static void run_serial(struct ts_kernel *self)
{
    for (uint32_t i = 0; i < self->share_count; i++)
        if (self->places == 0)
            ts_share_run(&self->shares[i]);
        else if (!self->shares[i].absent)
            ts_group_run(&self->shares[i]);
}

// Measures a few windows on one thread and on all, and keeps the faster choice until the next time.
// Only the speed depends on it.
static bool choose_parallel(struct ts_kernel *self)
{
    struct ts_pace *pace = &self->pace;
    pace->left--;
    if (pace->phase == TS_PACE_EXPLOIT && pace->left > 0)
        return pace->parallel;
    uint64_t now = ts_nanoseconds(), steps = 0;
    if (pace->left > 0 && now - pace->since < PROBE_NS)
        return pace->parallel;
    for (uint32_t i = 0; i < self->share_count; i++)
        steps += self->shares[i].activations;
    double cost = (double)(now - pace->since) / (double)(steps - pace->steps + 1);
    switch (pace->phase) {
    case TS_PACE_EXPLOIT: // one window wakes the workers and is not counted
        balance(self);
        pace->phase = TS_PACE_WARM_UP;
        pace->parallel = true;
        pace->left = 1;
        break;
    case TS_PACE_WARM_UP:
        pace->phase = TS_PACE_PROBE_PARALLEL;
        pace->left = PROBE_WINDOWS;
        break;
    case TS_PACE_PROBE_PARALLEL:
        pace->parallel_cost = cost;
        pace->phase = TS_PACE_PROBE_SERIAL;
        pace->parallel = false;
        pace->left = PROBE_WINDOWS;
        break;
    case TS_PACE_PROBE_SERIAL:
        pace->phase = TS_PACE_EXPLOIT;
        pace->parallel = pace->parallel_cost < cost;
        pace->left = EXPLOIT_WINDOWS;
        balance(self);
        break;
    }
    pace->since = now;
    pace->steps = steps;
    return pace->parallel;
}

void ts_window_run(struct ts_kernel *self)
{
    atomic_store(&self->taken, 0);
    if (self->config.threads > 1 && choose_parallel(self))
        run_parallel(self);
    else
        run_serial(self);
}
