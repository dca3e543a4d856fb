// The kernel's part of a run in all accounts (lines.h).
#include "platform/account/lines.h"

// --- marks ---

static bool is_core(const struct ts_component *c)
{
    return strcmp(c->ops->kind, "riscv") == 0;
}

static struct ts_account *account_at(const struct ts_marks *self, const struct ts_mark *mark,
                                     const struct ts_component *c)
{
    return &mark->accounts[self->base[c->domain->index] + c->index];
}

static void take_others(const struct ts_marks *self, struct ts_mark *mark, ts_cycle now)
{
    mark->cycle = now;
    if (self->taken)
        self->taken(self->taken_context, mark == &self->begin, now);
    for (const struct ts_object *o = ts_kernel_objects(self->kernel); o; o = o->next) {
        const struct ts_component *c = ts_object_component(o);
        if (o->busy)
            mark->busy[o->id] = o->busy(o, now);
        if (c && !is_core(c))
            *account_at(self, mark, c) = ts_component_account(c, now);
    }
}

// A core that polls at the end of the kernel: from the poll's begin on nothing else has happened. Others may be ahead of
// the clock: their accounts end with the run.
static void take_polling(const struct ts_marks *self, ts_cycle now)
{
    for (const struct ts_object *o = ts_kernel_objects(self->kernel); o; o = o->next) {
        const struct ts_component *c = ts_object_component(o);
        struct ts_rv_polled polled;
        if (c == NULL || !is_core(c) ||
            !ts_rv_core_polls((const struct ts_rv_core *)c, now, &polled))
            continue;
        struct ts_account *account = account_at(self, &self->end, c);
        *account = ts_component_account(c, now);
        for (unsigned i = 0; i < TS_RV_OWN_STALLS; i++)
            account->lost[TS_STALL_RV_FETCH + i] = polled.lost[i];
        account->lost[TS_STALL_RV_POLL] = 0;
        account->busy = now;
        for (unsigned r = 0; r < TS_STALL_COUNT; r++)
            account->busy -= account->lost[r];
        const uint64_t polls = polled.cycles < account->busy ? polled.cycles : account->busy;
        account->lost[TS_STALL_RV_POLL] = polls;
        account->busy -= polls;
    }
}

static void take_cores(const struct ts_marks *self, struct ts_mark *mark, ts_cycle now)
{
    for (const struct ts_object *o = ts_kernel_objects(self->kernel); o; o = o->next) {
        const struct ts_component *c = ts_object_component(o);
        struct ts_account *account = c && is_core(c) ? account_at(self, mark, c) : NULL;
        if (account == NULL || account->lost[TS_STALL_RV_POLL]) // taken when it polled
            continue;
        *account = ts_rv_core_account((const struct ts_rv_core *)c, now);
    }
}

// --- the run ---

static bool init(struct ts_mark *self, size_t objects, size_t components)
{
    self->busy = calloc(objects, sizeof *self->busy);
    self->accounts = calloc(components, sizeof *self->accounts);
    return self->busy && self->accounts;
}

bool ts_marks_init(struct ts_marks *self, const struct ts_kernel *kernel)
{
    const size_t domains = ts_kernel_domain_count(kernel);
    size_t objects = 0, components = 0;
    *self = (struct ts_marks){
        .kernel = kernel, .both = domains == 1, .base = calloc(domains, sizeof *self->base)};
    for (size_t i = 0; self->base && i < domains; i++) {
        const struct ts_domain *domain = ts_kernel_domain(kernel, i);
        self->base[domain->index] = (uint32_t)components;
        components += domain->count;
    }
    for (const struct ts_object *o = ts_kernel_objects(kernel); o; o = o->next)
        objects = o->id >= objects ? o->id + 1 : objects;
    const bool begin = init(&self->begin, objects, components); // both: ts_marks_free frees both
    return init(&self->end, objects, components) && begin && self->base;
}

void ts_marks_free(struct ts_marks *self)
{
    struct ts_mark *marks[] = {&self->begin, &self->end};
    for (int i = 0; i < 2; i++) {
        free(marks[i]->busy);
        free(marks[i]->accounts);
    }
    free(self->base);
}

void ts_marks_begin(struct ts_marks *self, struct ts_component *by, ts_cycle now)
{
    if (self && self->begin.cycle == 0)
        ts_break(by, now);
}

void ts_marks_end(struct ts_marks *self, struct ts_component *by, ts_cycle now)
{
    if (self && self->both && self->begin.cycle != 0) {
        self->ending = true;
        ts_break(by, now);
    }
}

bool ts_marks_stopped(struct ts_marks *self, ts_cycle now)
{
    const bool begins = self->begin.cycle == 0;
    if (begins) {
        take_others(self, &self->begin, now);
        take_cores(self, &self->begin, now);
    } else if (self->ending) {
        take_others(self, &self->end, now);
        take_polling(self, now);
    }
    self->ending = false;
    return begins;
}

void ts_marks_close(struct ts_marks *self, ts_cycle first, ts_cycle last, ts_cycle now)
{
    self->first = first;
    self->last = last;
    if (self->end.cycle == 0)
        take_others(self, &self->end, now);
    take_cores(self, &self->end, now);
}

// --- the window ---

// Takes `cycles` from the part, as far as it goes. Returns the rest.
static uint64_t take_from(uint64_t *part, uint64_t cycles)
{
    uint64_t taken = cycles < *part ? cycles : *part;
    *part -= taken;
    return cycles - taken;
}

struct ts_account ts_marks_account(const struct ts_marks *self,
                                   const struct ts_component *component)
{
    const struct ts_account *before = account_at(self, &self->begin, component),
                            *after = account_at(self, &self->end, component);
    struct ts_account account;
    uint64_t all = account.busy = after->busy > before->busy ? after->busy - before->busy : 0;
    for (unsigned r = 0; r < TS_STALL_COUNT; r++) {
        account.lost[r] = after->lost[r] > before->lost[r] ? after->lost[r] - before->lost[r] : 0;
        all += account.lost[r];
    }
    const uint64_t window = ts_marks_cycles(self);
    uint64_t *rest =
        &account.lost[is_core(component) && account.lost[TS_STALL_RV_POLL] ? TS_STALL_RV_POLL
                                                                           : TS_STALL_IDLE];
    if (all < window) {
        *rest += window - all;
        return account;
    }
    uint64_t more = take_from(rest, all - window);
    more = take_from(&account.lost[TS_STALL_IDLE], more);
    more = take_from(&account.busy, more);
    for (unsigned r = 0; r < TS_STALL_COUNT; r++)
        more = take_from(&account.lost[r], more);
    return account;
}

double ts_marks_busy(const struct ts_marks *self, const struct ts_object *object)
{
    if (self->last <= self->first)
        return 0;
    uint64_t before = self->begin.busy[object->id], after = self->end.busy[object->id];
    double share = after > before ? (double)(after - before) / (double)ts_marks_cycles(self) : 0;
    return share < 1 ? share : 1;
}

static double busy_of(const void *marks, const struct ts_object *link)
{
    return ts_marks_busy(marks, link);
}

double ts_marks_busiest(const struct ts_marks *self, const struct ts_noc_torus *torus, unsigned noc,
                        const char **path)
{
    return ts_noc_torus_busiest(torus, noc, busy_of, self, path);
}
