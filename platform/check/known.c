// What cores and threads know of each other's accesses, and how they learn it; see check.h.
#include "platform/check/check.h"

// ---- what cores and threads know

// How often what the core knows had changed by `at`, as far as that is remembered.
static uint32_t change_at(const struct ts_check_core *core, uint32_t at)
{
    uint32_t number = core->changes;
    uint32_t oldest = number < TS_CHECK_HISTORY ? 0 : number - TS_CHECK_HISTORY;
    while (number > oldest && core->history[(number - 1) % TS_CHECK_HISTORY].from > at)
        number--;
    return number;
}

// What it knew then.
static struct ts_vclock *clock_at(const struct ts_check_core *core, uint32_t at)
{
    uint32_t number = change_at(core, at);
    return number == core->changes ? core->clock : core->history[number % TS_CHECK_HISTORY].clock;
}

struct ts_known ts_check_known_core(const struct ts_check *self, unsigned core, unsigned region,
                                    ts_cycle at)
{
    return (struct ts_known){.clock = clock_at(&self->cores[core], (uint32_t)at),
                             .at = (uint32_t)at,
                             .self = {TS_ACTOR_CORE(core, TS_REGION_LOADS),
                                      TS_ACTOR_CORE(core, region), TS_ACTOR_NOBODY}};
}

struct ts_known ts_check_known_thread(const struct ts_check *self, unsigned thread, unsigned unit,
                                      ts_cycle at)
{
    return (struct ts_known){.clock = self->threads[thread].clock,
                             .at = (uint32_t)at,
                             .self = {TS_ACTOR_GATE(thread),
                                      unit ? TS_ACTOR_UNIT(thread, unit) : TS_ACTOR_NOBODY,
                                      TS_ACTOR_NOBODY}};
}

// The core knew `before` up to now.
static void changed(struct ts_check_core *core, struct ts_vclock *before, ts_cycle now)
{
    uint32_t place = core->changes++ % TS_CHECK_HISTORY;
    ts_vclock_drop(core->history[place].clock);
    core->history[place].from = (uint32_t)now;
    core->history[place].clock = before;
}

static void core_joins(struct ts_check *self, unsigned core, const struct ts_known *known,
                       ts_cycle now)
{
    struct ts_vclock *before = ts_vclock_hold(self->cores[core].clock);
    if (ts_vclock_join(&self->cores[core].clock, known))
        changed(&self->cores[core], before, now);
    else
        ts_vclock_drop(before);
}

void ts_check_acquire_core(struct ts_check *self, unsigned core, struct ts_vclock *object,
                           ts_cycle now)
{
    if (object)
        core_joins(self, core, &(struct ts_known){.clock = object, .self = {TS_ACTOR_NOBODY}}, now);
}

struct receiver {
    struct ts_check *self;
    unsigned number;
    ts_cycle now;
};

static void core_gets(void *context, struct ts_vclock *clock)
{
    const struct receiver *to = context;
    ts_check_acquire_core(to->self, to->number, clock, to->now);
}

static void thread_gets(void *context, struct ts_vclock *clock)
{
    const struct receiver *to = context;
    ts_check_acquire_thread(to->self, to->number, clock);
}

void ts_check_waited_core(struct ts_check *self, unsigned core, const struct ts_releases *object,
                          uint32_t value, uint32_t spare, ts_cycle now)
{
    ts_releases_wait(object, value, spare, core_gets, &(struct receiver){self, core, now});
}

void ts_check_semaphore(struct ts_check *self, unsigned number, bool gets,
                        const struct ts_known *known)
{
    struct ts_releases *history = gets ? &self->gets[number] : &self->posts[number];
    const uint32_t last = history->count ? history->list[history->count - 1].value : history->first;
    ts_releases_add(history, self->home, known, last + 1, true);
    if (number == TS_PAIRS_MATH_PACK)
        *(gets ? &self->pairs.back : &self->pairs.given) += 1;
}

void ts_check_seminit(struct ts_check *self, unsigned number, unsigned max,
                      const struct ts_known *known)
{
    if (number == TS_PAIRS_MATH_PACK) {
        self->pairs.parts = max == 1 || max == 2 ? (uint8_t)max : 0;
        self->pairs.given = self->pairs.back = 0;
    }
    ts_releases_add(&self->posts[number], self->home, known, 0, false);
    ts_releases_add(&self->gets[number], self->home, known, 0, false);
}

void ts_check_send(struct ts_check *self, unsigned core, unsigned region, uint32_t pc,
                   struct ts_check_queue *queue, ts_cycle now)
{
    const struct ts_known known = ts_check_known_core(self, core, region, now);
    const struct ts_check_site site = {
        .pc = pc, .actor = TS_ACTOR_CORE(core, region), .core = (uint8_t)core, .how = TS_HOW_WRITE};
    queue->last = (struct ts_check_place){self->home, ts_check_site_of(&self->sites, &site),
                                          (uint32_t)now};
    if (queue->count == TS_CHECK_QUEUE)
        return;
    const unsigned place = (queue->first + queue->count++) % TS_CHECK_QUEUE;
    ts_vclock_release(&queue->clocks[place], self->home, &known, false);
}

void ts_check_take(struct ts_check *self, unsigned core, struct ts_check_queue *queue, ts_cycle now)
{
    if (queue->count == 0)
        return;
    ts_check_acquire_core(self, core, queue->clocks[queue->first], now);
    queue->first = (uint8_t)((queue->first + 1u) % TS_CHECK_QUEUE);
    queue->count--;
}

void ts_check_acquire_thread(struct ts_check *self, unsigned thread, struct ts_vclock *object)
{
    if (object)
        ts_vclock_join(&self->threads[thread].clock,
                       &(struct ts_known){.clock = object, .self = {TS_ACTOR_NOBODY}});
}

void ts_check_learn(struct ts_check *self, unsigned core, unsigned actor, uint32_t at, ts_cycle now)
{
    if (ts_vclock_at(self->cores[core].clock, self->home, actor) >= at)
        return;
    struct ts_vclock *before = ts_vclock_hold(self->cores[core].clock);
    if (ts_vclock_learn(&self->cores[core].clock, actor, at))
        changed(&self->cores[core], before, now);
    else
        ts_vclock_drop(before);
}

void ts_check_thread_done(struct ts_check *self, unsigned core, unsigned thread, ts_cycle now)
{
    struct ts_vclock *before = ts_vclock_hold(self->cores[core].clock);
    const struct ts_known gate = ts_check_known_thread(self, thread, 0, now);
    ts_vclock_join(&self->cores[core].clock, &gate);
    for (unsigned unit = 0; unit < TS_ACTOR_UNITS; unit++)
        ts_vclock_learn(&self->cores[core].clock, TS_ACTOR_UNIT(thread, unit), (uint32_t)now);
    changed(&self->cores[core], before, now);
}

void ts_check_start(struct ts_check *self, unsigned by, unsigned core, ts_cycle now)
{
    const struct ts_known known = ts_check_known_core(self, by, TS_REGION_L1, now);
    core_joins(self, core, &known, now);
}

void ts_check_counted(struct ts_check *self, unsigned core, unsigned noc, unsigned phases,
                      unsigned id, ts_cycle now)
{
    struct ts_vclock *before = ts_vclock_hold(self->cores[core].clock),
                     **clock = &self->cores[core].clock;
    ts_pairs_counted(self, noc, phases, id);
    unsigned first = id < TS_ACTOR_IDS ? id : 0, last = id < TS_ACTOR_IDS ? id : TS_ACTOR_IDS - 1;
    bool more = phases >> TS_PHASES & 1 &&
                ts_vclock_learn(clock, TS_ACTOR_POSTED_SENT(noc), (uint32_t)now);
    for (unsigned phase = 0; phase < TS_PHASES; phase++)
        for (unsigned i = first; phases >> phase & 1 && i <= last; i++)
            more |= ts_vclock_learn(clock, TS_ACTOR_NOC(noc, phase, i), (uint32_t)now);
    if (more)
        changed(&self->cores[core], before, now);
    else
        ts_vclock_drop(before);
    if (phases >> TS_PHASE_READ & 1)
        ts_check_acquire_core(self, core, self->answers, now);
}

// ---- gates

void ts_check_waits(struct ts_check *self, unsigned thread, const struct ts_check_wait *wait)
{
    self->threads[thread].wait = *wait;
}

// The wait is over: a word that it blocks passes.
static void end_wait(struct ts_check *self, unsigned thread, ts_cycle now)
{
    struct ts_check_thread *by = &self->threads[thread];
    for (unsigned unit = 1; unit < TS_ACTOR_UNITS; unit++)
        for (unsigned t = 0; t < TS_ACTOR_THREADS; t++)
            if ((t == thread ? by->wait.units | by->wait.others : by->wait.others) >> unit & 1)
                ts_vclock_learn(&by->clock, TS_ACTOR_UNIT(t, unit), (uint32_t)now);
    if (by->wait.units >> TS_ACTOR_MATRIX & 1)
        memset(by->late, 0, sizeof by->late);
    struct receiver to = {self, thread, now};
    for (unsigned i = 0; i < 8; i++) {
        if (by->wait.full >> i & 1)
            ts_releases_wait(&self->posts[i], 0, self->more[i], thread_gets, &to);
        if (by->wait.room >> i & 1)
            ts_releases_wait(&self->gets[i], 0, self->less[i], thread_gets, &to);
    }
    if (by->wait.core)
        ts_vclock_learn(&by->clock, TS_ACTOR_CORE(1 + thread, TS_REGION_TENSIX), (uint32_t)now);
    ts_registers_wait(self, by->wait.banks);
    by->wait = (struct ts_check_wait){0};
}

void ts_check_passed(struct ts_check *self, unsigned thread, unsigned words)
{
    struct ts_check_late *late = self->threads[thread].late;
    for (unsigned i = TS_CHECK_LATE; i-- > 0;)
        late[i] = i >= words ? late[i - words] : (struct ts_check_late){0};
}

void ts_check_pass(struct ts_check *self, unsigned thread, unsigned unit, uint8_t op,
                   unsigned block, uint32_t pc, ts_cycle pushed, ts_cycle now)
{
    struct ts_check_thread *by = &self->threads[thread];
    if (by->pushed != pushed) { // what its core knew when it pushed the word
        const struct ts_known known = ts_check_known_core(self, 1 + thread, TS_REGION_PUSH, pushed);
        uint32_t number = change_at(&self->cores[1 + thread], (uint32_t)pushed);
        if (by->joined != number)
            ts_vclock_join(&by->clock, &known);
        else
            ts_vclock_learn(&by->clock, known.self[0], known.at);
        by->pushed = pushed;
        by->joined = number;
    }
    ts_check_passed(self, thread, 1);
    if (by->wait.block & block)
        end_wait(self, thread, now);
    by->word[unit].pc = pc;
    by->word[unit].at = (uint32_t)now;
    by->word[unit].op = op;
}
