// Parking: a core that polls a location which does not change stops being stepped.
//
// A loop whose only access to the outside is one load, that always returns the same value and
// repeats in the same state (registers and everything in flight), repeats indefinitely. The core
// sleeps, and its polls are advanced by arithmetic, a period each:
// - of L1, as soon as another component makes a request on the same port or bank, or writes the
//   granule, or a transfer begins or could be stopped: all polls before that take their slots, in the
//   order of their cycles and components. The first poll that waits so many cycles for its slot is
//   executed as of its cycle, with the rest of its round: nothing in it concerns others. If it leads
//   back to the same state, what the round adds is known for the next one. A write that changes the
//   value wakes the core.
// - of a register whose every change wakes the waiters of an object (ts_rv_reply): the core sleeps
//   on the object.
// What a round adds to instructions, stalls and counters is added for each. A poll and another access
// in the same cycle keep the order of the components.
//
// Inaccuracies: loops with more than one load that others can see are not parked, nor are polls of
// registers that cores queue for. In a hang a core that is still parked shows its time as rv_poll.
#include "cores/riscv/rounds.h"
#include "platform/kernel/domain.h"

#define ROUNDS  1    // rounds as long as the one before, before the state is compared
#define TRIES   4    // comparisons before giving up for a while
#define BACKOFF 1000 // polls
#define STILL   9    // rounds alone after which a parked core counts as asleep
#define LOOK    4096 // cycles after which a parked core that is not alone is stepped

// Would a poll in this step find the value that the last one found?
static bool unchanged(const struct ts_rv_core *core)
{
    if (core->watch.object != NULL)
        return core->watch.at >= core->now; // nobody else has acted since
    if (core->l0)                           // serves what else is in the line
        return memcmp(core->watch.line, core->l1->bytes + (core->watch.address & ~15u), 16) == 0;
    return ts_rv_extend(core->watch.op, ts_rv_peek(core->l1->bytes, core->watch.address)) ==
           core->watch.value;
}

bool ts_rv_poll_stop(struct ts_rv_core *core, uint32_t address, ts_cycle entered)
{
    if (!core->park || !core->run_ahead || core->log != NULL || core->watch.late ||
        core->watch.captured || core->watch.considered == entered)
        return false;
    core->watch.considered = entered;
    if (core->watch.parked) { // and its round is executed: here is the next one
        core->watch.candidate = true;
        core->watch.entered = entered;
        return true;
    }
    if (core->watch.backoff != 0)
        core->watch.backoff--;
    if (core->watch.rounds < ROUNDS || core->watch.address != address || core->watch.backoff != 0 ||
        core->store_count != 0 || (core->unusual | core->lsu_from) != 0 || core->interrupt ||
        core->watch.clears || core->shared != core->watch.shared ||
        core->stores_done != core->watch.stores || entered - core->watch.at != core->watch.period ||
        core->l1->watch_count == TS_L1_WATCHES || !unchanged(core)) {
        core->watch.has_digest = false; // states are compared from one round to the next only
        return false;
    }
    core->watch.candidate = true;
    core->watch.entered = entered;
    return true;
}

void ts_rv_poll_note(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                     uint32_t value, ts_cycle entered, bool waited, const struct ts_object *object)
{
    if (core->watch.late) {
        core->watch.late = false;
        ts_l1_watch_remove(core->l1, core);
    }
    if (core->watch.parked) {
        // What repeats is known.
    } else if (core->watch.pc == insn->pc && core->watch.address == address &&
               core->watch.value == value && core->shared == core->watch.shared + 1 &&
               core->stores_done == core->watch.stores && !waited) {
        ts_cycle period = entered - core->watch.at;
        core->watch.rounds = period == core->watch.period ? core->watch.rounds + 1 : 0;
        core->watch.period = period;
    } else {
        core->watch.pc = insn->pc;
        core->watch.op = insn->op;
        core->watch.address = address;
        core->watch.value = value;
        core->watch.rounds = core->watch.tries = core->watch.backoff = 0;
        core->watch.has_digest = false;
    }
    core->watch.object = object;
    core->watch.at = entered;
    core->watch.shared = core->shared;
    core->watch.stores = core->stores_done;
}

void ts_rv_load_seen(struct ts_rv_core *core, uint32_t pc, uint32_t address, uint32_t value,
                     ts_cycle entered)
{
    const struct ts_rv_looked load = {pc, address, value};
    bool stored = core->stores_done != core->look.stores;
    for (uint32_t i = 1; !stored && i < core->look.count; i++) {
        const struct ts_rv_looked *at = &core->look.at[i];
        if (at->pc == pc && at->address == address && at->value == value) {
            if (core->look.repeats++ == 0) { // what came before the loop is not polled
                core->look.count -= i;
                memmove(core->look.at, at, core->look.count * sizeof *at);
            }
            return;
        }
    }
    if (core->look.repeats != 0 || stored || core->look.count == TS_RV_LOOKS) {
        if (core->look.repeats != 0) {
            ts_ledger_put(core->component.ledger, TS_STALL_RV_POLL, &core->poll, core->look.from,
                          entered, core->look.at[0].address);
            if (core->look.ended)
                core->look.ended(core->look.context, core, entered);
            core->polled = ts_rv_core_polled(core, entered);
        }
        core->look.count = core->look.repeats = 0;
        core->look.stores = core->stores_done;
    }
    if (core->look.count == 0)
        ts_rv_poll_begins(core, entered);
    core->look.at[core->look.count++] = load;
}

// The core is stepped again, from core->resume on.
static void set_returned(struct ts_rv_core *core)
{
    core->watch.parked = core->watch.candidate = false;
    core->watch.returned = true;
    core->watch.rounds = core->watch.tries = 0;
    core->watch.has_digest = false;
}

static void wake(struct ts_rv_core *core, ts_cycle at)
{
    if (core->watch.object == NULL)
        ts_l1_watch_remove(core->l1, core);
    ts_wake(&core->component, at);
}

// A poll that starts at `start`, and the rest of its round: in another component's step, perhaps, and
// in a cycle before its own. All of it is private.
static void execute(struct ts_rv_core *core, ts_cycle start)
{
    const ts_cycle entered = core->watch.entered, delay = start - entered;
    const bool learns = core->watch.regular && delay < TS_RV_DELAYS;
    ts_rv_catch_up(core);
    core->watch.back = false;
    const ts_cycle t = core->t;
    if (learns)
        ts_rv_put_totals(core, &core->watch.before);
    core->watch.captured = true;
    core->watch.late_start = start;
    core->now = core->limit = core->watch.entered;
    ts_rv_book_ended(core, core->now);
    if (!ts_rv_execute(core, core->now) || !core->watch.candidate) {
        set_returned(core); // the run ends within the round
        wake(core, later(core->resume, core->component.domain->now + 1));
        return;
    }
    core->watch.candidate = false;
    core->watch.regular = ts_rv_state_digest(core) == core->watch.digest;
    if (learns && core->watch.regular && core->t - t == core->watch.entered - entered)
        ts_rv_put_round(core, &core->watch.before, &core->watch.round[delay].adds);
}

// The next poll takes its slot. False: it was executed.
static bool poll(struct ts_rv_core *core)
{
    struct ts_l1 *l1 = core->l1;
    const ts_cycle entered = core->watch.entered;
    const uint32_t address = core->watch.address;
    ts_cycle start;
    if (__builtin_expect(ts_l1_door_clear(&core->door, address, entered), 1)) {
        start = ts_l1_door_pass(l1, &core->door, address, entered, 1);
        ts_l1_meet(l1, address / TS_L1_GRANULE, start, start);
    } else {
        start = ts_l1_start(l1, core->port, address, entered, 1);
        ts_l1_take(l1, core->port, address, start, 1);
        l1->conflicts += start - entered;
    }
    const uint64_t delay = start - entered;
    if (core->watch.regular && delay < TS_RV_DELAYS && core->watch.round[delay].adds.cycles != 0) {
        ts_rv_owe(core, delay, 1);
        return true;
    }
    execute(core, start);
    return false;
}

// A late poll is followed by another access: it must be done first.
static void capture(struct ts_rv_core *core)
{
    struct ts_l1 *l1 = core->l1;
    const ts_cycle at = core->watch.entered;
    ts_cycle start = ts_l1_start(l1, core->port, core->watch.address, at, 1);
    ts_l1_take(l1, core->port, core->watch.address, start, 1);
    l1->conflicts += start - at;
    memcpy(core->watch.line, l1->bytes + (core->watch.address & ~15u), 16);
    core->watch.late_start = start;
    core->watch.captured = true;
}

// All but the last two polls before `at` of a core that has L1 to itself.
static void skip(struct ts_rv_core *core, ts_cycle at)
{
    const ts_cycle period = core->watch.period;
    if (!core->watch.regular || at < core->watch.entered + 4 * period ||
        ts_l1_start(core->l1, core->port, core->watch.address, core->watch.entered, 1) !=
            core->watch.entered ||
        ts_l1_takes_later(core->l1, core->port, core->watch.address, core->watch.entered))
        return;
    uint64_t rounds = (at - core->watch.entered) / period - 2;
    const ts_cycle end = core->watch.entered + rounds * period;
    for (ts_cycle t = core->watch.entered; t < end && t < core->l1->flows_until; t += period)
        ts_l1_meet(core->l1, core->watch.address / TS_L1_GRANULE, t, t);
    ts_rv_owe(core, 0, rounds);
}

static void disturbed(void *context, ts_cycle at);

// The core has polled for so many rounds without others in between.
static void count_rounds(struct ts_rv_core *core, uint32_t rounds)
{
    core->watch.again = core->watch.entered +
                        (rounds < STILL ? STILL - rounds : 0) * core->watch.period;
}

// Parked cores and those with a late poll. Returns how many.
static uint32_t pollers_of(const struct ts_l1 *l1, struct ts_rv_core *pollers[TS_L1_WATCHES])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < l1->watch_count; i++) {
        struct ts_rv_core *core = l1->watches[i].context;
        if (l1->watches[i].disturbed == disturbed && !core->watch.captured)
            pollers[count++] = core;
    }
    return count;
}

// The one whose poll comes first.
static struct ts_rv_core *first_of(struct ts_rv_core *const *pollers, uint32_t count)
{
    struct ts_rv_core *first = pollers[0];
    for (uint32_t i = 1; i < count; i++)
        if (pollers[i]->watch.entered < first->watch.entered ||
            (pollers[i]->watch.entered == first->watch.entered &&
             pollers[i]->component.index < first->component.index))
            first = pollers[i];
    return first;
}

// Does the polls that come before an access at `at` of the component `actor`.
static void advance(struct ts_l1 *l1, ts_cycle at, uint32_t actor)
{
    while (at >= l1->polls_from) {
        struct ts_rv_core *pollers[TS_L1_WATCHES], *first;
        const uint32_t count = pollers_of(l1, pollers);
        if (count == 0) {
            l1->polls_from = TS_NEVER;
            return;
        }
        do {
            first = first_of(pollers, count);
            l1->polls_from = first->watch.entered;
            if (l1->polls_from > at || (l1->polls_from == at && first->component.index >= actor))
                return;
            if (first->watch.late) {
                capture(first);
                break;
            }
            if (count == 1)
                skip(first, at);
            first->hits.clean = at + (first->component.index < actor);
        } while (poll(first));
    }
}

// An access of a step, not from outside between runs. Another core's late poll is as of the cycle
// before.
static bool in_step(const struct ts_rv_core *core, ts_cycle at)
{
    const struct ts_domain *domain = core->component.domain;
    return domain->now == domain->last && at + 1 >= domain->now;
}

// The last round was added: back to the poll that it begins with, which has had its slot.
static void take_back(struct ts_rv_core *core)
{
    const struct ts_rv_round *last = &core->watch.round[core->watch.delay].adds;
    ts_rv_shift(core, last, UINT64_MAX);
    core->watch.entered -= last->cycles;
    core->watch.at = core->watch.entered - core->watch.period;
    core->watch.back = false;
}

// Before an access at `at` of the component `actor`.
static void advance_core(struct ts_rv_core *core, ts_cycle at, uint32_t actor)
{
    if (core->watch.object == NULL) {
        advance(core->l1, at, in_step(core, at) ? actor : 0);
    } else if (at > core->watch.entered) {
        uint64_t rounds = (at - core->watch.entered + core->watch.period - 1) / core->watch.period;
        ts_rv_owe(core, 0, rounds);
    }
}

// Wakes the core for an access at `at` by the component `actor`.
static void come_back(struct ts_rv_core *core, ts_cycle at, uint32_t actor)
{
    const ts_cycle now = core->component.domain->now;
    advance_core(core, at, actor);
    if (!core->watch.parked)
        return;
    core->watch.back |= ts_rv_catch_up(core);
    if (core->l0 && core->watch.object == NULL && core->watch.back) {
        // Hits of the last round may be old by their cycles: it is executed.
        core->hits.clean = ts_rv_sees_from(core, at, actor);
        take_back(core);
        execute(core, core->watch.entered + core->watch.delay);
        if (!core->watch.parked)
            return;
    }
    set_returned(core);
    core->resume = core->watch.entered;
    if (core->resume > now || !in_step(core, at)) {
        wake(core, core->resume);
    } else if (core->watch.object != NULL) {
        wake(core, now + 1);
    } else {
        // Others were first in this cycle: the poll is done in the next step, as of this cycle.
        core->watch.late = true;
        core->watch.captured = false;
        ts_wake(&core->component, now + 1);
    }
}

static void disturbed(void *context, ts_cycle at)
{
    struct ts_rv_core *core = context;
    if (core->l1->actor == core->component.index)
        return; // the core's own late poll
    advance_core(core, at, core->l1->actor);
    if (!core->watch.parked || !core->watch.still)
        return;
    const bool asleep = core->watch.again == TS_NEVER;
    count_rounds(core, 0);
    if (asleep)
        ts_wake(&core->component, core->watch.again);
}

static void flowing(void *context, ts_cycle at)
{
    struct ts_rv_core *core = context;
    if (core->l1->actor != core->component.index)
        advance_core(core, at, core->l1->actor);
}

static void written(void *context, uint32_t address, uint32_t length, ts_cycle at)
{
    (void)address;
    (void)length;
    struct ts_rv_core *core = context;
    if (!core->watch.parked)
        return;
    if (unchanged(core))
        advance_core(core, at, core->l1->actor);
    else
        come_back(core, at, core->l1->actor);
}

// Is another core parked on the same port or bank? Then neither has L1 to itself.
static bool meets_another(const struct ts_rv_core *core)
{
    const struct ts_l1 *l1 = core->l1;
    const uint32_t granule = core->watch.address / TS_L1_GRANULE;
    bool meets = false;
    for (uint32_t i = 0; i < l1->watch_count; i++) {
        const struct ts_l1_watch *watch = &l1->watches[i];
        if (watch->disturbed != disturbed ||
            (watch->port != core->port && ((watch->granule ^ granule) & l1->bank_mask) != 0))
            continue;
        ((struct ts_rv_core *)watch->context)->watch.still = false;
        meets = true;
    }
    return meets;
}

// The kernel reports a hang when all components are asleep; the watchdog, when those that are not
// poll. So a parked core is stepped once more before it counts as asleep, or now and then.
ts_step ts_rv_sleep(struct ts_rv_core *core, ts_cycle now)
{
    const struct ts_object *on = core->watch.object ? core->watch.object : &core->poll;
    ts_step answer = ts_block(&core->component, now, TS_STALL_RV_POLL, on);
    if (core->watch.again > now) {
        ts_wake(&core->component, core->watch.again);
    } else { // what comes now is shown as rv_poll if nothing wakes it any more
        advance_core(core, now, 0);
        core->watch.back |= ts_rv_catch_up(core);
        ts_rv_unpoll(core, now);
        core->watch.again = TS_NEVER;
    }
    return answer;
}

bool ts_rv_park(struct ts_rv_core *core)
{
    uint64_t state = ts_rv_state_digest(core);
    core->watch.candidate = false;
    if (core->watch.has_digest && core->watch.digest == state) {
        memset(core->watch.round, 0, sizeof core->watch.round);
        if (core->watch.object != NULL) {
            const uint32_t word = core->watch.value << core->watch.address % 4 * 8;
            memcpy(core->watch.line + (core->watch.address & 12), &word, sizeof word);
        }
        ts_rv_put_round(core, &core->watch.before, &core->watch.round[0].adds);
        core->watch.parked = core->watch.regular = true;
        core->watch.back = false;
        core->watch.since = later(core->now, core->watch.entered);
        core->watch.unpolled = 0;
        ts_busy_until(&core->component, core->watch.entered);
        core->watch.still = core->watch.object == NULL && !meets_another(core);
        core->watch.again = core->watch.entered + LOOK;
        if (core->watch.still)
            count_rounds(core, core->watch.rounds);
        if (core->watch.object == NULL)
            ts_l1_watch_add(core->l1,
                            &(struct ts_l1_watch){.granule = core->watch.address / TS_L1_GRANULE,
                                                  .port = core->port,
                                                  .written = written,
                                                  .disturbed = disturbed,
                                                  .flowing = flowing,
                                                  .context = core});
        return true;
    }
    core->watch.digest = state;
    core->watch.has_digest = true;
    ts_rv_put_totals(core, &core->watch.before);
    if (++core->watch.tries == TRIES) {
        core->watch.tries = 0;
        core->watch.has_digest = false;
        core->watch.backoff = BACKOFF;
    }
    return false;
}

// The run ends at `now`, which may be in the middle of a round: the core is left before the last poll
// that comes earlier, with all earlier rounds booked. That poll has had its slot.
bool ts_rv_park_end(struct ts_rv_core *core, ts_cycle now)
{
    if (core->watch.late)
        return core->watch.entered < now;
    if (core->watch.parked) {
        advance_core(core, now, 0);
        if (!core->watch.parked)
            return true;
        if (core->watch.object == NULL)
            ts_l1_watch_remove(core->l1, core);
        core->watch.back |= ts_rv_catch_up(core);
        set_returned(core);
        core->resume = core->watch.entered;
    } else if (!core->watch.back || core->resume < now) {
        return false;
    }
    if (core->watch.back) { // the core continues with a poll after the end: one round less
        take_back(core);
        core->resume = core->watch.entered;
        core->watch.captured = true;
        core->watch.late_start = core->watch.entered + core->watch.delay;
    }
    core->watch.back = false; // a run that ends in this same cycle again takes nothing back
    return true;
}

void ts_rv_core_invalidate(struct ts_rv_core *core, ts_cycle now)
{
    const struct ts_component *running = core->component.domain->running;
    const uint32_t actor = running ? running->index : UINT32_MAX;
    const ts_cycle from = ts_rv_sees_from(core, now, actor);
    if (core->held)
        return;
    if (core->watch.parked && core->watch.object == NULL)
        come_back(core, now, actor);
    else if (core->watch.parked)
        ts_summon(&core->component, from);
    if (!core->watch.clears)
        core->clear_first = from;
    core->clear_last = from;
    core->watch.clears = true;
}

void ts_rv_unpark(struct ts_rv_core *core, ts_cycle now)
{
    if (core->watch.parked)
        come_back(core, now, core->component.index);
    if (core->watch.late) {
        ts_l1_watch_remove(core->l1, core);
        core->watch.late = false;
    }
}
