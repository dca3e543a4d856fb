// A baby core as a component: its step, soft reset, interrupts, faults, counters. See core.h.
#include "cores/riscv/record.h"
#include "platform/kernel/domain.h"

const char *const ts_rv_core_names[TS_RV_CORES] = {"brisc", "trisc0", "trisc1", "trisc2", "ncrisc"};

int ts_rv_core_by_name(const char *name)
{
    for (int i = 0; i < TS_RV_CORES; i++)
        if (strcmp(name, ts_rv_core_names[i]) == 0)
            return i;
    return -1;
}

bool ts_rv_fault(struct ts_rv_core *core, ts_cycle at, uint32_t pc, enum ts_code code,
                 const char *format, ...)
{
    char text[200], where[64] = "";
    TS_VSNPRINTF(text, sizeof text, format);
    if (ts_rv_fetches(core, pc)) {
        uint32_t word;
        char name[80];
        memcpy(&word, core->l1->bytes + (pc & TS_RV_PLACE), sizeof word);
        ts_rv_disassemble(pc, word, name, sizeof name);
        snprintf(where, sizeof where, " (0x%08x: %.44s)", word, name);
    }
    core->pc = pc;
    ts_rv_load_cut(core);
    ts_fault(&core->component, at, code, "pc 0x%08x%s: %s", pc, where, text);
    return false;
}

// What a stalled core waits for. It may have run ahead of the access that waits: it is busy, or stalls for
// reasons of its own, up to the instruction that cannot go on.
static ts_step asleep(struct ts_rv_core *core, ts_cycle now, ts_cycle next)
{
    const struct ts_rv_reply *wait = core->store_blocked ? &core->store_wait : &core->wait;
    ts_cycle from = core->store_blocked ? core->blocked_from
                    : core->pending     ? core->pending_from
                                        : 0;
    from = later(from, core->resume == TS_NEVER ? core->t + core->in_unit : core->resume);
    if (core->in_unit && !core->store_full && core->resume == TS_NEVER)
        from = later(from, core->lsu_from);
    core->asleep_from = later(from, now);
    ts_busy_until(&core->component, core->asleep_from);
    ts_step answer = ts_block(&core->component, now, wait->reason, wait->object);
    // An access may enter its region before `now`: then the retry time may already be past.
    if (wait->until != 0 && wait->until < next)
        next = wait->until > now ? wait->until : now + 1;
    // There are two waits, but a component sleeps on one object only: poll in every cycle. (The
    // watchdog does not count this as progress.)
    if (core->pending && core->store_blocked)
        next = now + 1;
    if (next != TS_NEVER)
        ts_wake(&core->component, next);
    return answer;
}

// Books stalls that have ended by `now`.
static void book(struct ts_rv_core *core, struct ts_rv_ahead *ahead, ts_cycle now)
{
    if (now < ahead->until)
        return;
    for (; ahead->any; ahead->any &= ahead->any - 1) {
        unsigned reason = (unsigned)__builtin_ctzll(ahead->any);
        core->component.lost[reason] += ahead->lost[reason];
        ahead->lost[reason] = 0;
    }
}

void ts_rv_book_ended(struct ts_rv_core *core, ts_cycle now)
{
    if (core->before.any)
        book(core, &core->before, now);
    book(core, &core->ahead, now);
}

void ts_rv_part(struct ts_rv_core *core, ts_cycle at, ts_cycle horizon)
{
    if (core->parted == horizon)
        return;
    core->parted = horizon;
    for (; core->ahead.any; core->ahead.any &= core->ahead.any - 1) {
        unsigned reason = (unsigned)__builtin_ctzll(core->ahead.any);
        core->before.lost[reason] += core->ahead.lost[reason];
        core->before.any |= UINT64_C(1) << reason;
        core->ahead.lost[reason] = 0;
    }
    core->before.until = at < horizon ? at : horizon;
}

// The run ends within the last stalls: books the part of them before `now`.
static void book_part(struct ts_rv_core *core, ts_cycle now)
{
    struct ts_rv_ahead *ahead = &core->ahead;
    uint64_t all = 0, beyond = ahead->until - now;
    for (uint64_t any = ahead->any; any; any &= any - 1)
        all += ahead->lost[__builtin_ctzll(any)];
    uint64_t left = all > beyond ? all - beyond : 0;
    for (uint64_t any = ahead->any; any && left; any &= any - 1) {
        unsigned reason = (unsigned)__builtin_ctzll(any);
        uint64_t part = ahead->lost[reason] < left ? ahead->lost[reason] : left;
        core->component.lost[reason] += part;
        ahead->lost[reason] -= part;
        left -= part;
    }
}

void ts_rv_unpoll(struct ts_rv_core *core, ts_cycle now)
{
    // A run that goes on may wake the core before the cycle that its end was booked up to.
    const ts_cycle polled = now > core->watch.since ? now - core->watch.since : 0;
    core->component.lost[TS_STALL_RV_POLL] -= polled - core->watch.unpolled;
    core->watch.unpolled = polled;
}

// A parked core does what is left of its round, step by step up to the end of the run.
static void close(struct ts_component *component, ts_cycle now);

static void settle_core(struct ts_component *component, ts_cycle now)
{
    struct ts_rv_core *core = (struct ts_rv_core *)component;
    if (core->held)
        return;
    if (core->watch.parked && (!core->watch.still || core->watch.again != TS_NEVER)) {
        // Such a core does not count as asleep: the watchdog looks at its polls.
        close(component, now);
        return;
    }
    if (core->watch.returned) {
        ts_rv_unpoll(core, now);
    } else if (core->watch.parked) { // up to the round that its pipeline has reached
        ts_cycle reached = ts_rv_park_reached(core);
        ts_rv_unpoll(core, reached < now ? reached : now);
    }
    ts_rv_book_ended(core, now);
    if (core->ahead.any && !core->before.any)
        book_part(core, now);
}

static void close(struct ts_component *component, ts_cycle now)
{
    struct ts_rv_core *core = (struct ts_rv_core *)component;
    const ts_cycle due = core->resume;
    if (!ts_rv_park_end(core, now))
        return;
    const bool run_ahead = core->run_ahead;
    core->run_ahead = false;
    while (core->resume < now) {
        core->now = core->limit = core->resume;
        ts_rv_book_ended(core, core->now);
        if (!ts_rv_execute(core, core->now))
            break;
    }
    core->run_ahead = run_ahead;
    settle_core(component, now);
    if (component->asleep == TS_AWAKE) // it has been stepped since it came back
        ts_recall(component, due, core->resume);
    else
        ts_wake(component, core->resume);
}

// Where the core is, for a detailed trace. It may be ahead of the clock.
static TS_SLOW_PATH void show_pc(struct ts_rv_core *core, ts_cycle now)
{
    if (core->shown_pc == core->pc)
        return;
    core->shown_pc = core->pc;
    bool ahead = core->t > now && core->t < TS_RV_BLOCKED;
    const struct ts_object *object = &core->component.object;
    ts_trace_put(object->trace, (struct ts_record){.cycle = ahead ? core->t : now,
                                                   .value = core->pc,
                                                   .emitter = object->id & 0xffffff,
                                                   .kind = TS_RECORD_PC});
}

// A core that is kept in its cycle, or no longer.
static TS_SLOW_PATH void leash(struct ts_rv_core *core)
{
    const bool stays = core->kept || core->debugged;
    if (stays && core->run_ahead) {
        ts_rv_leash(core);
    } else if (core->leashed && !stays && core->store_count == 0) {
        core->leashed = false;
        core->run_ahead = true;
    }
}

// Before the next instruction that it executes, the core halts for a debugger, or takes an interrupt.
static TS_SLOW_PATH void answer_call(struct ts_rv_core *core, ts_cycle now)
{
    if (core->t > now)
        return;
    if (core->halting && !core->pending) {
        ts_rv_leave(core);
        if (core->paused)
            core->halting = false;
        else
            ts_rv_debug_halt(core, 0);
    }
    if (!core->interrupt || core->in_handler || core->halted)
        return;
    ts_rv_leave(core);
    core->interrupt = false;
    core->in_handler = true;
    core->restore_pc = core->pc;
    core->csr[TS_RV_CSR_INTP_RESTORE_PC] = core->pc;
    core->pc = core->interrupt_pc;
    core->spinning = false;
    core->t = now + core->params.mispredict;
    core->resume = now;
}

static inline ts_step work(struct ts_component *component, ts_cycle now)
{
    struct ts_rv_core *core = (struct ts_rv_core *)component;
    if (core->held)
        return ts_idle(component, now);
    if (ts_trace_detail(&component->object))
        show_pc(core, now);
    if (core->watch.parked) {
        if (core->watch.still)
            return ts_rv_sleep(core, now);
        ts_rv_unpark(core, now);
    }
    if (core->watch.returned) {
        ts_rv_unpoll(core, now);
        core->watch.returned = false;
    }
    if ((core->before.any | core->ahead.any) != 0)
        ts_rv_book_ended(core, now);
    if (__builtin_expect(core->tied != 0, 0))
        leash(core);
    core->now = now;
    core->limit = now;
    core->stepping = true;
    core->sent = false;
    bool go_on = true;
    if (core->asleep_from != TS_NEVER) {
        if (core->t >= core->woken)
            core->slept = 0; // of the sleep before
        core->slept += now > core->asleep_from ? now - core->asleep_from : 0;
        core->asleep_from = TS_NEVER;
        core->woken = now;
    }

    if (core->store_blocked) {
        core->store_blocked = false;
        core->stores[core->store_head].from = now;
        ts_rv_store_due(core);
    }
    ts_cycle resume = core->resume;
    if (core->store_count != 0) {
        core->resume = 0;
        go_on = ts_rv_drain(core, now) || core->resume != TS_NEVER;
        core->resume = resume;
    }
    // Of a core that is ahead, the load has not even entered: nobody else has acted since it looked.
    if (go_on && core->pending && core->pending_from < now)
        go_on = ts_rv_retry_load(core, now);
    if (go_on && core->called != 0)
        answer_call(core, now);
    if (core->store_full && core->store_blocked && core->store_count == TS_RV_STORES) {
        core->resume = TS_NEVER;
    } else if (go_on && !core->held && !core->stopped && !core->spinning &&
               (core->resume <= now || core->resume == TS_NEVER)) {
        core->store_full = core->watch.back = false;
        go_on = ts_rv_execute(core, now);
    }
    while (go_on && core->watch.candidate) {
        if (ts_rv_park(core)) {
            core->stepping = false;
            return ts_rv_sleep(core, now);
        }
        go_on = ts_rv_execute(core, now);
    }
    // A store that entered in this cycle may have ended the wait of the one before it.
    if (go_on && !core->held && core->store_due <= now) {
        resume = core->resume;
        core->resume = 0;
        go_on = ts_rv_drain(core, now) || core->resume != TS_NEVER;
        core->resume = resume;
    }
    core->stepping = false;
    if (!go_on)
        return 0;
    if (core->held)
        return ts_idle(component, now);

    ts_cycle next = core->resume, store = core->store_due;
    if (store <= now)
        store = now + 1;
    bool stuck = next == TS_NEVER && !(core->store_full && core->store_blocked);
    // A core that is ahead is busy until the clock reaches it.
    if (stuck && core->t > now && core->t < TS_RV_BLOCKED)
        next = core->t;
    if (store < next)
        next = store;
    const bool behind = core->pending && core->pending_region == TS_RV_REGION_L1;
    if (behind && core->wait.until < next)
        next = core->wait.until; // it waits no longer than that: the core is not asleep
    if (core->pending && core->sent && next > now + 1)
        next = now + 1; // the store may have been what the load waits for
    if ((core->pending && !behind) || core->store_blocked)
        return asleep(core, now, next); // also in a jump to itself: the store must still leave
    if (core->spinning || core->stopped) {
        ts_step answer = ts_idle(component, now);
        if (core->load_at > now && core->load_at < next)
            next = core->load_at; // it has asked ahead of the clock
        if (next != TS_NEVER)
            ts_wake(component, next);
        return answer;
    }
    if (next == TS_NEVER)
        return asleep(core, now, next);
    return next - now;
}

static ts_step step(struct ts_component *component, ts_cycle now)
{
    struct ts_rv_core *core = (struct ts_rv_core *)component;
    if (core->hits.old <= now)
        ts_rv_hits_end(core, now);
    ts_step answer = work(component, now);
    if (__builtin_expect(core->hits.old != TS_NEVER, 0)) { // it steps then too
        if (answer == 0)
            ts_wake(component, core->hits.old);
        else if (answer > core->hits.old - now)
            answer = core->hits.old - now;
    }
    core->due = now + answer;
    return answer;
}

static const struct ts_counter counters[] = {
    {"instructions", "instructions", "instructions executed", offsetof(struct ts_rv_core, instret)},
    {"loads", "accesses", "loads and atomics", offsetof(struct ts_rv_core, loads)},
    {"stores", "accesses", "stores and pushed words", offsetof(struct ts_rv_core, stores_done)},
    {"mispredicts", "branches", "wrongly predicted branches and jumps",
     offsetof(struct ts_rv_core, mispredicts)},
    {"fetch_misses", "lines", "instruction cache misses",
     offsetof(struct ts_rv_core, fetch_misses)},
    {"l0_hits", "loads", "loads served by the L0 data cache", offsetof(struct ts_rv_core, l0_hits)},
    {0},
};

static uint32_t polled(const struct ts_component *component)
{
    return ((const struct ts_rv_core *)component)->watch.address;
}

static const struct ts_component_ops ops = {.kind = "riscv",
                                            .step = step,
                                            .polled = polled,
                                            .counters = counters,
                                            .settle = settle_core,
                                            TS_HOT(struct ts_rv_core, t, watch.digest),
                                            .close = close};

void ts_rv_core_init(struct ts_rv_core *self, struct ts_domain *domain,
                     const struct ts_rv_core_desc *desc)
{
    memset(self, 0, sizeof *self);
    self->params = desc->params ? *desc->params : ts_rv_params_default;
    self->id = desc->id;
    self->port = desc->port;
    self->l1 = desc->l1;
    self->door = ts_l1_door(desc->l1, desc->port);
    self->lines = desc->lines;
    self->code = desc->code;
    self->bus = desc->bus;
    self->local = desc->local;
    self->machine = desc->machine;
    self->l1_size = desc->l1_size;
    self->iram_size = desc->iram_size;
    self->extensions = desc->extensions;
    self->plain = desc->plain;
    self->sets = desc->cache_bytes / (2 * 16);
    self->local_size = self->stack_size = desc->local_size;
    self->stack_from = TS_RV_LOCAL_BASE;
    self->run_ahead = self->automaton = self->park = true;
    self->held = true;
    self->resume = self->asleep_from = self->store_due = self->hits.old = TS_NEVER;
    self->bit = (uint8_t)(1u << desc->id);
    ts_component_init(&self->component, &ops, domain, "%s", ts_rv_core_names[desc->id]);
    ts_resource_init(&self->poll, domain, NULL, "%s.poll", ts_rv_core_names[desc->id]);
}

// What happens to the pipeline when a core is held, and again when it is released.
static void clear_pipeline(struct ts_rv_core *self)
{
    self->record = NULL;
    self->retire = self->longest = 0;
    memset(self->reg, 0, sizeof self->reg);
    self->written = 0;
    memset(self->ring_result, 0, sizeof self->ring_result);
    memset(self->ring_retire, 0, sizeof self->ring_retire);
    self->seq = 2 * TS_RV_RETIRE; // far from 0, which unwritten registers hold
    memset(self->flight, 0, sizeof self->flight);
    self->lsu_from = 0;
    self->draining = self->behind = false;
    self->local_at = 0;
    self->run_ahead |= self->leashed;
    self->leashed = false;
    self->store_count = 0;
    self->store_blocked = self->store_full = false;
    self->store_next = 1;
    self->store_left = self->load_at = 0;
    self->store_due = TS_NEVER;
    self->pending = false;
    memset(self->l0_tag, 0, sizeof self->l0_tag);
    self->hits.from = self->hits.to;
    self->hits.old = TS_NEVER;
    self->hits.clean = 0;
    memset(&self->watch, 0, sizeof self->watch);
    self->wait = self->store_wait = (struct ts_rv_reply){0};
    if (self->log != NULL)
        ts_rv_log_flush(self);
    self->log_count = 0;
}

void ts_rv_core_hold(struct ts_rv_core *self, ts_cycle now)
{
    if (self->held)
        return;
    ts_rv_unpark(self, now);
    settle_core(&self->component, now);
    self->ahead = self->before = (struct ts_rv_ahead){0}; // what it would have done after this
    self->held = true;
    self->resume = self->asleep_from = TS_NEVER;
    self->slept = 0;
    self->paused = self->halted = self->spinning = false;
    self->interrupt = self->halting = self->in_handler = false;
    ts_rv_debug_reset(self);
    clear_pipeline(self);
    if (!self->stepping)
        ts_halt(&self->component, now);
}

void ts_rv_core_release(struct ts_rv_core *self, uint32_t pc, bool clear_local, ts_cycle now)
{
    if (!self->held)
        return;
    clear_pipeline(self);
    memset(self->r, 0, sizeof self->r);
    memset(self->csr, 0, sizeof self->csr);
    self->csr[TS_RV_CSR_CFG0] = self->plain
                                    ? TS_RV_CFG0_DIS_BP | TS_RV_CFG0_DIS_LOW_CASH |
                                          TS_RV_CFG0_DIS_ST_MERGE | TS_RV_CFG0_DIS_TRISC_CACHE
                                    : (uint32_t)self->params.store_merge
                                          << TS_RV_CFG0_ST_MERGE_SHIFT;
    self->csr[TS_RV_CSR_VLENB] = 16;
    self->l0_left = self->params.l0_flush_period;
    ts_rv_csr_apply(self);
    self->instret_base = 0 - self->instret;
    self->cycle_base = 0 - now;
    ts_rv_icache_clear(self);
    ts_rv_predictor_clear(&self->predictor);
    if (clear_local) {
        memset(self->local, 0, self->local_size);
        self->local_ready = now + self->params.local_zeroing;
    } else {
        self->local_ready = 0;
    }
    self->pc = pc;
    self->t = self->resume = now + self->params.reset_start;
    self->held = false;
    const bool loud = self->check || self->perturb.max != 0 || self->l1->last == NULL;
    self->quiet = loud ? TS_RV_REGION_NONE : TS_RV_REGION_L1;
    ts_wake(&self->component, self->resume);
}

void ts_rv_core_keep(struct ts_rv_core *self)
{
    self->kept = true; // a parked one stays parked
    if (self->run_ahead && !self->watch.parked && !self->watch.late)
        ts_rv_leash(self);
}

void ts_rv_core_note(struct ts_rv_core *self)
{
    self->noting = self->unready = true; // no edge is followed any more
    self->guard = 0;
}

void ts_rv_core_let_go(struct ts_rv_core *self)
{
    self->kept = self->noting = false;
}

void ts_rv_core_interrupt(struct ts_rv_core *self, uint32_t handler, ts_cycle now)
{
    if (self->held)
        return;
    ts_rv_unpark(self, now + 1);
    self->interrupt = true;
    self->interrupt_pc = handler;
    ts_wake(&self->component, now + 1);
}
