#include "platform/study/pipe/path.h"

#include "platform/base/json.h"

static const char *const kind_names[] = {"work", "cross-core flags", "local events", "issue"};

// --- which set ends which wait ---

static unsigned flag_key(unsigned core, unsigned id, unsigned half)
{
    return (core * TS_FLAG_IDS + id) * 2 + half;
}

unsigned ts_tape_counters(const struct ts_tape_event *e, enum ts_profile profile, bool wait,
                          unsigned key[2])
{
    bool a5 = profile == TS_PROFILE_A5;
    bool local = e->kind == TS_ENTRY_SET_EVENT || e->kind == TS_ENTRY_WAIT_EVENT;
    if (local) {
        unsigned from = wait ? e->other : e->lane, to = wait ? e->lane : e->other;
        key[0] = TS_TAPE_FLAGS + ((e->core * 8u + from) * 8 + to) * 8 + (e->id & 7);
        return 1;
    }
    if (wait) {
        key[0] = flag_key(e->core, e->id, 0);
        key[1] = flag_key(e->core, e->id, 1);
        return e->core == TS_CORE_AIC && !a5 ? 2 : 1;
    }
    struct ts_flag_at to[2];
    const unsigned count = ts_flags_reached(profile, e->core, e->id, to);
    for (unsigned i = 0; i < count; i++)
        key[i] = flag_key(to[i].core, to[i].id, !a5 && e->core == TS_CORE_AIV1);
    return count;
}

static bool is_set(const struct ts_tape_event *e)
{
    return e->kind == TS_ENTRY_SET_FLAG || e->kind == TS_ENTRY_SET_EVENT;
}

static bool is_wait(const struct ts_tape_event *e)
{
    return e->kind == TS_ENTRY_WAIT_FLAG || e->kind == TS_ENTRY_WAIT_EVENT;
}

struct ts_tape_match *ts_tape_matches(const struct ts_tape *tape, enum ts_profile profile)
{
    struct ts_tape_match *match = ts_pipe_or_die(calloc(tape->count + 1, sizeof *match));
    uint32_t *first = ts_pipe_or_die(calloc(TS_TAPE_COUNTERS + 1, sizeof *first));
    uint32_t *fill = ts_pipe_or_die(calloc(TS_TAPE_COUNTERS + 1, sizeof *fill));
    uint32_t *sets = ts_pipe_or_die(calloc(2 * (size_t)tape->count + 1, sizeof *sets));
    unsigned key[2];
    // Sets of each counter in their order, one counter after the other.
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < tape->count; i++) {
            const struct ts_tape_event *e = &tape->event[i];
            unsigned count = is_set(e) ? ts_tape_counters(e, profile, false, key) : 0;
            for (unsigned k = 0; k < count; k++) {
                if (pass == 0)
                    first[key[k] + 1]++;
                else
                    sets[first[key[k]] + fill[key[k]]++] = i + 1;
            }
        }
        for (unsigned k = 0; k < TS_TAPE_COUNTERS && pass == 0; k++)
            first[k + 1] += first[k];
    }
    memset(fill, 0, TS_TAPE_COUNTERS * sizeof *fill);
    for (uint32_t i = 0; i < tape->count; i++) {
        const struct ts_tape_event *e = &tape->event[i];
        unsigned count = is_wait(e) ? ts_tape_counters(e, profile, true, key) : 0;
        for (unsigned k = 0; k < count; k++) {
            uint32_t at = first[key[k]] + fill[key[k]]++;
            match[i].set[k] = at < first[key[k] + 1] ? sets[at] : 0;
        }
    }
    free(sets);
    free(fill);
    free(first);
    return match;
}

// --- the walk ---

struct walk {
    const struct ts_tape *tape;
    const struct ts_tape_match *match;
    ts_cycle latency;
    uint32_t *before_lane; // the event before it on its pipe, + 1
    uint32_t *before_core; // the event that the scalar unit issued before it, + 1
    struct ts_pipe_path *path;
    uint32_t room;
};

static void add_step(struct walk *self, enum ts_path_kind kind, uint32_t event, ts_cycle from,
                     ts_cycle to)
{
    struct ts_pipe_path *path = self->path;
    if (to <= from)
        return;
    TS_MORE(path->step, path->count, self->room, "the pipe program");
    path->step[path->count++] = (struct ts_path_step){kind, event, from, to};
    path->total[kind] += to - from;
    const struct ts_tape_event *e = &self->tape->event[event];
    if (kind == TS_STEP_WORK)
        path->work[e->core][e->lane] += to - from;
}

// What an event had to wait for last.
struct cause {
    uint32_t event; // + 1; 0: its own issue
    ts_cycle ready;
    enum ts_path_kind kind; // of the time between
};

static void later(struct cause *best, uint32_t event, ts_cycle ready, enum ts_path_kind kind)
{
    if (ready >= best->ready)
        *best = (struct cause){event, ready, kind};
}

static struct cause cause_of(const struct walk *self, uint32_t number)
{
    const struct ts_tape_event *e = &self->tape->event[number];
    struct cause best = {0, e->issued, TS_STEP_ISSUE};
    uint32_t lane = self->before_lane[number];
    if (lane && e->lane != TS_LANE_S)
        later(&best, lane, self->tape->event[lane - 1].end, TS_STEP_WORK);
    if (e->blocker)
        later(&best, e->blocker, self->tape->event[e->blocker - 1].end, TS_STEP_EVENT);
    for (uint32_t i = 0; i < number && e->kind == TS_ENTRY_DRAIN; i++)
        if (self->tape->event[i].core == e->core && self->tape->event[i].end <= e->end)
            later(&best, i + 1, self->tape->event[i].end, TS_STEP_EVENT);
    for (int k = 0; k < 2 && is_wait(e); k++) {
        uint32_t set = self->match[number].set[k];
        if (set && self->tape->event[set - 1].end < e->end)
            later(&best, set, self->tape->event[set - 1].end,
                  e->kind == TS_ENTRY_WAIT_FLAG ? TS_STEP_FLAG : TS_STEP_EVENT);
    }
    return best;
}

// Back along the issue of instructions to the scalar unit's last own wait.
static uint32_t issuer(const struct walk *self, uint32_t number)
{
    uint32_t at = self->before_core[number];
    while (at && self->tape->event[at - 1].lane != TS_LANE_S)
        at = self->before_core[at - 1];
    return at;
}

static void walk_back(struct walk *self, uint32_t number)
{
    uint32_t guard = 4 * self->tape->count + 16;
    ts_cycle limit = TS_NEVER; // what follows has begun: the fixpipe may follow a matmul's blocks
    for (uint32_t at = number + 1; at && guard--;) {
        const struct ts_tape_event *e = &self->tape->event[at - 1];
        struct cause cause = cause_of(self, at - 1);
        ts_cycle start = e->start < limit ? e->start : limit;
        ts_cycle ready = cause.ready < start ? cause.ready : start;
        add_step(self, TS_STEP_WORK, at - 1, start, e->end < limit ? e->end : limit);
        // A pipe that drains before the next entry still works for the one before.
        bool drains = cause.kind == TS_STEP_WORK;
        add_step(self, cause.kind, drains ? cause.event - 1 : at - 1, ready, start);
        limit = ready;
        if (cause.event == 0) { // issued late: what the scalar unit did before
            cause.event = issuer(self, at - 1);
            ts_cycle end = cause.event ? self->tape->event[cause.event - 1].end : 0;
            limit = end < ready ? end : ready;
            add_step(self, TS_STEP_ISSUE, at - 1, limit, ready);
        }
        at = cause.event;
    }
}

static void reverse(struct ts_pipe_path *self)
{
    for (uint32_t i = 0; i < self->count / 2; i++) {
        struct ts_path_step keep = self->step[i];
        self->step[i] = self->step[self->count - 1 - i];
        self->step[self->count - 1 - i] = keep;
    }
}

static void link_events(struct walk *self)
{
    uint32_t lane[TS_CORES][TS_LANE_COUNT] = {0}, core[TS_CORES] = {0};
    for (uint32_t i = 0; i < self->tape->count; i++) {
        const struct ts_tape_event *e = &self->tape->event[i];
        self->before_lane[i] = lane[e->core][e->lane];
        self->before_core[i] = core[e->core];
        lane[e->core][e->lane] = i + 1;
        core[e->core] = i + 1;
    }
}

// --- the bound in words ---

static double share(uint64_t part, uint64_t all)
{
    return all ? 100.0 * (double)part / (double)all : 0;
}

static const char *const lane_words[] = {
#define TS_PIPE_LANE(id, name, aic, aiv, work) work,
#include "config/tpipe.def"
};

static bool waits_for_slot(const struct ts_tape_event *e)
{
    return e->kind == TS_ENTRY_WAIT_FLAG && e->ring &&
           (e->insn->op == TS_OP_TPUSH || e->insn->op == TS_OP_TALLOC);
}

// Cycles that producers waited for free slots.
static uint64_t slot_waits(const struct walk *self)
{
    uint64_t cycles = 0;
    for (uint32_t i = 0; i < self->tape->count; i++) {
        const struct ts_tape_event *e = &self->tape->event[i];
        uint32_t before = self->before_lane[i];
        ts_cycle since = e->issued;
        if (!waits_for_slot(e))
            continue;
        if (before && e->lane != TS_LANE_S && self->tape->event[before - 1].end > since)
            since = self->tape->event[before - 1].end;
        cycles += e->start > since ? e->start - since : 0;
    }
    return cycles;
}

static void find_bound(struct ts_pipe_path *self, const struct ts_pipe_run *run,
                       const struct walk *walk)
{
    unsigned core = 0, lane = 0;
    uint64_t all = run->run.cycle;
    for (unsigned c = 0; c < TS_CORES; c++)
        for (unsigned l = 0; l < TS_LANE_COUNT; l++)
            if (self->work[c][l] > self->work[core][lane]) {
                core = c;
                lane = l;
            }
    uint64_t sync = self->total[TS_STEP_FLAG] + self->total[TS_STEP_EVENT];
    bool latency = self->total[TS_STEP_FLAG] > self->work[core][lane];
    snprintf(
        self->bound, sizeof self->bound,
        "Bound by %s of %s: %.0f %% of the %llu cycles on the critical path; all work on it is "
        "%.0f %%, signals between pipes and cores %.0f %%, issue %.0f %%.",
        latency ? "cross-core flags" : lane_words[lane],
        latency ? "the cluster" : ts_core_names[core],
        share(latency ? self->total[TS_STEP_FLAG] : self->work[core][lane], all),
        (unsigned long long)all, share(self->total[TS_STEP_WORK], all), share(sync, all),
        share(self->total[TS_STEP_ISSUE], all));
    uint64_t full = slot_waits(walk);
    uint32_t through = 0; // waits for a free slot that the path goes through
    for (uint32_t i = 0; i < self->count; i++)
        through += self->step[i].kind == TS_STEP_FLAG &&
                   waits_for_slot(&walk->tape->event[self->step[i].event]);
    if (run->program->machine.pipe_count && through)
        ts_append(self->bound, sizeof self->bound,
                  " The path goes through %u waits for a free slot: deeper rings may help.",
                  through);
    else if (run->program->machine.pipe_count)
        ts_append(self->bound, sizeof self->bound, "%s: deeper rings do not help.",
                  full ? " Producers wait for free slots only off the path"
                       : " No producer waits for a free slot");
}

void ts_pipe_path_find(struct ts_pipe_path *self, const struct ts_pipe_run *run,
                       const struct ts_tape *tape)
{
    memset(self, 0, sizeof *self);
    if (tape->count == 0) {
        snprintf(self->bound, sizeof self->bound, "Nothing ran.");
        return;
    }
    struct ts_tape_match *match = ts_tape_matches(tape, run->program->machine.profile);
    struct walk walk = {.tape = tape,
                        .match = match,
                        .latency = (ts_cycle)run->program->machine.timing.flag,
                        .before_lane = ts_pipe_or_die(calloc(tape->count, sizeof(uint32_t))),
                        .before_core = ts_pipe_or_die(calloc(tape->count, sizeof(uint32_t))),
                        .path = self};
    uint32_t last = 0;
    for (uint32_t i = 0; i < tape->count; i++)
        if (tape->event[i].end >= tape->event[last].end)
            last = i;
    link_events(&walk);
    walk_back(&walk, last);
    reverse(self);
    find_bound(self, run, &walk);
    free(match);
    free(walk.before_lane);
    free(walk.before_core);
}

void ts_pipe_path_free(struct ts_pipe_path *self)
{
    free(self->step);
    self->step = NULL;
}

json_t *ts_pipe_path_json(const struct ts_pipe_path *self, const struct ts_tape *tape)
{
    json_t *kinds = json_object(), *steps = json_array();
    for (int i = 0; i < TS_STEP_KINDS; i++)
        json_object_set_new(kinds, kind_names[i], json_integer((json_int_t)self->total[i]));
    for (uint32_t i = 0; i < self->count; i++) {
        const struct ts_path_step *step = &self->step[i];
        const struct ts_tape_event *e = &tape->event[step->event];
        ts_json_add(steps, "{s:s, s:s, s:s, s:s, s:i, s:I, s:I}", "kind", kind_names[step->kind],
                    "core", ts_core_names[e->core], "pipe", ts_lane_names[e->lane], "operation",
                    ts_ops[e->insn->op].name, "line", (int)e->insn->line, "from",
                    (json_int_t)step->from, "to", (json_int_t)step->to);
    }
    return json_pack("{s:s, s:o, s:o}", "bound", self->bound, "cycles", kinds, "steps", steps);
}
