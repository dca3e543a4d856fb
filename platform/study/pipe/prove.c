#include "platform/study/pipe/prove.h"

#include "platform/base/json.h"
#include "platform/out/text.h"
#include "platform/study/pipe/path.h"

enum { EVENTS = 400000, LANES = TS_LANE_COUNT, PROCESSES = TS_CORES * LANES, NEAR = 192 };

// A moment of a process: its clock says how far every process is that must come before it.
struct moment {
    uint32_t clock[PROCESSES];
};

struct happening {
    struct moment begin, end;
    uint8_t process;
    uint32_t end_at; // position in its process
    bool begun, ended;
};

// Sets of a counter in the order of their setter, and its waits.
struct counter {
    uint32_t *sets, *waits; // numbers of events
    uint32_t set_count, wait_count, room, wait_room;
    int waiter; // process, -1: none yet, -2: several
};

struct prover {
    const struct ts_pipe_run *run;
    const struct ts_tape *tape;
    struct ts_pipe_proof *proof;
    struct happening *at; // by event
    struct moment now[PROCESSES];
    uint32_t position[PROCESSES];
    struct counter counter[TS_TAPE_COUNTERS];
};

// --- counters ---

static void append(uint32_t **list, uint32_t *count, uint32_t *room, uint32_t value)
{
    TS_MORE(*list, *count, *room, "the pipe program");
    (*list)[(*count)++] = value;
}

static void add_wait(struct counter *self, uint32_t event, unsigned process)
{
    append(&self->waits, &self->wait_count, &self->wait_room, event);
    self->waiter = self->waiter == -1 || self->waiter == (int)process ? (int)process : -2;
}

// The counters that an event sets, or takes from if it waits. Returns how many.
static unsigned counters_of(struct prover *self, const struct ts_tape_event *e, bool wait,
                            struct counter *to[2])
{
    unsigned key[2];
    unsigned count = ts_tape_counters(e, self->run->program->machine.profile, wait, key);
    for (unsigned i = 0; i < count; i++)
        to[i] = &self->counter[key[i]];
    return count;
}

// --- clocks ---

static void join(struct moment *to, const struct moment *from)
{
    for (int i = 0; i < PROCESSES; i++)
        if (from->clock[i] > to->clock[i])
            to->clock[i] = from->clock[i];
}

// Must the end of a come before the beginning of b?
static bool ordered(struct prover *self, uint32_t a, uint32_t b)
{
    const struct happening *first = &self->at[a], *second = &self->at[b];
    self->proof->pairs++;
    return first->ended && second->begun && second->begin.clock[first->process] >= first->end_at;
}

static bool conflict(const struct ts_tape_event *a, const struct ts_tape_event *b)
{
    return ts_work_conflicts(&a->to, a->from, &b->to, b->from);
}

// With `sync: auto` a piece of work waits for older work on the same bytes.
static void join_older(struct prover *self, uint32_t number, struct moment *now)
{
    const struct ts_tape_event *e = &self->tape->event[number];
    unsigned seen = 0;
    for (uint32_t i = number; i-- > 0 && seen < NEAR;) {
        const struct ts_tape_event *older = &self->tape->event[i];
        if (older->core != e->core || older->kind != TS_ENTRY_WORK)
            continue;
        seen++;
        if (older->lane != e->lane && self->at[i].ended && conflict(older, e))
            join(now, &self->at[i].end);
    }
}

static void join_sets(struct prover *self, struct counter *const *counters, unsigned count,
                      uint32_t event, unsigned process, struct moment *now)
{
    for (unsigned i = 0; i < count; i++) {
        struct counter *counter = counters[i];
        uint32_t nth = counter->wait_count;
        if (nth < counter->set_count)
            join(now, &self->at[counter->sets[nth]].end);
        add_wait(counter, event, process);
    }
}

// Variant G has no flags: the scalar unit waits for a tile, or for room, itself.
static void join_ring(struct prover *self, const struct ts_tape_event *e, struct moment *now)
{
    bool room = e->kind == TS_ENTRY_RING_ROOM;
    uint32_t slots = e->ring->config->slots;
    if (room && e->index < slots)
        return;
    uint32_t index = room ? e->index - slots : e->index;
    for (uint32_t i = 0; i < self->tape->count; i++) {
        const struct ts_tape_event *other = &self->tape->event[i];
        if (other->ring == e->ring && other->index == index && self->at[i].ended &&
            (room ? ts_tape_closes_read(other) : ts_tape_ends_write(other)))
            join(now, &self->at[i].end);
    }
}

static void begin(struct prover *self, uint32_t number)
{
    const struct ts_tape_event *e = &self->tape->event[number];
    struct happening *at = &self->at[number];
    unsigned process = at->process;
    struct moment *now = &self->now[process];
    now->clock[process] = ++self->position[process];
    if (e->lane != TS_LANE_S)
        join(now, &at->begin); // of its issue
    struct counter *counters[2];
    if (e->kind == TS_ENTRY_WAIT_FLAG || e->kind == TS_ENTRY_WAIT_EVENT)
        join_sets(self, counters, counters_of(self, e, true, counters), number, process, now);
    else if (e->kind == TS_ENTRY_RING_ROOM || e->kind == TS_ENTRY_RING_TILE)
        join_ring(self, e, now);
    else if (e->kind == TS_ENTRY_DRAIN)
        for (unsigned lane = 0; lane < LANES; lane++)
            join(now, &self->now[e->core * LANES + lane]);
    else if ((e->kind == TS_ENTRY_WORK || e->kind == TS_ENTRY_CTRL_WRITE) &&
             self->run->program->machine.auto_sync)
        join_older(self, number, now);
    at->begin = *now;
    at->begun = true;
}

static void end(struct prover *self, uint32_t number)
{
    const struct ts_tape_event *e = &self->tape->event[number];
    struct happening *at = &self->at[number];
    unsigned process = at->process;
    struct moment *now = &self->now[process];
    now->clock[process] = ++self->position[process];
    at->end = *now;
    at->end_at = self->position[process];
    at->ended = true;
    struct counter *counters[2];
    unsigned count = 0;
    if (e->kind == TS_ENTRY_SET_FLAG || e->kind == TS_ENTRY_SET_EVENT)
        count = counters_of(self, e, false, counters);
    for (unsigned i = 0; i < count; i++)
        append(&counters[i]->sets, &counters[i]->set_count, &counters[i]->room, number);
}

// --- replaying the run ---

struct step {
    ts_cycle cycle;
    uint32_t event;
    uint8_t what; // 0 end, 1 issue, 2 begin, 3 begin and end
};

// Ends before beginnings of the same cycle; otherwise as issued.
static int by_time(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    return TS_COMPARE(x->cycle, y->cycle) ?: TS_COMPARE(x->what != 0, y->what != 0)
                                            ?: TS_COMPARE(x->event, y->event)
                                            ?: TS_COMPARE(x->what, y->what);
}

static void replay(struct prover *self)
{
    uint32_t count = self->tape->count, steps = 0;
    struct step *step = ts_pipe_or_die(calloc(3 * (size_t)count + 1, sizeof *step));
    for (uint32_t i = 0; i < count; i++) {
        const struct ts_tape_event *e = &self->tape->event[i];
        bool timed = e->kind == TS_ENTRY_WORK;
        self->at[i].process = (uint8_t)(e->core * LANES + e->lane);
        if (e->lane != TS_LANE_S)
            step[steps++] = (struct step){e->issued, i, 1};
        if (timed) {
            step[steps++] = (struct step){e->start, i, 2};
            step[steps++] = (struct step){e->end, i, 0};
        } else {
            step[steps++] = (struct step){e->start, i, 3};
        }
    }
    qsort(step, steps, sizeof *step, by_time);
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t number = step[i].event;
        const struct ts_tape_event *e = &self->tape->event[number];
        unsigned su = e->core * LANES + TS_LANE_S;
        if (step[i].what == 1) {
            self->now[su].clock[su] = ++self->position[su];
            self->at[number].begin = self->now[su];
        }
        if (step[i].what >= 2)
            begin(self, number);
        if (step[i].what == 3 || step[i].what == 0)
            end(self, number);
    }
    free(step);
}

// --- what is looked at ---

#define MAY(self, id, number, object, ...)                                              \
    ts_finding_add(&(self)->proof->findings, TS_FINDING_##id,                           \
                   (struct ts_spot){0, (self)->tape->event[number].insn->line, object}, \
                   __VA_ARGS__)

// The events that open and close each tile of a ring, by index and part; number + 1.
struct accesses {
    uint32_t *write_open, *write_close, *read_open, *read_close; // [index * 2 + part]
    uint32_t tiles;
};

static void note(uint32_t *list, const struct ts_tape_event *e, uint32_t number, bool first)
{
    uint32_t *place = &list[2 * e->index + e->part];
    if (*place == 0 || !first)
        *place = number + 1;
}

static struct accesses gather(const struct prover *self, const struct ts_ring *ring)
{
    struct accesses a = {0};
    for (uint32_t i = 0; i < self->tape->count; i++)
        if (self->tape->event[i].ring == ring && self->tape->event[i].index >= a.tiles)
            a.tiles = self->tape->event[i].index + 1;
    uint32_t **lists[] = {&a.write_open, &a.write_close, &a.read_open, &a.read_close};
    for (int i = 0; i < 4; i++)
        *lists[i] = ts_pipe_or_die(calloc(2 * (size_t)a.tiles + 2, sizeof **lists[i]));
    for (uint32_t i = 0; i < self->tape->count; i++) {
        const struct ts_tape_event *e = &self->tape->event[i];
        if (e->ring != ring || e->credit)
            continue;
        if (ts_tape_begins_write(e))
            note(a.write_open, e, i, true);
        if (ts_tape_ends_write(e))
            note(a.write_close, e, i, false);
        if (ts_tape_opens_read(e))
            note(a.read_open, e, i, true);
        if (ts_tape_closes_read(e))
            note(a.read_close, e, i, false);
    }
    return a;
}

static void check_ring(struct prover *self, const struct ts_ring *ring)
{
    struct accesses a = gather(self, ring);
    const char *pipe = ring->config->name;
    for (uint32_t i = 0; i < a.tiles; i++)
        for (unsigned writer = 0; writer < ring->writers; writer++)
            for (unsigned reader = 0; reader < ring->readers; reader++) {
                uint32_t open = a.write_open[2 * i + writer], close = a.write_close[2 * i + writer];
                uint32_t read = a.read_open[2 * i + reader];
                uint32_t slots = ring->config->slots;
                uint32_t old = i >= slots ? a.read_close[2 * (i - slots) + reader] : 0;
                if (open && i >= slots && (old == 0 || !ordered(self, old - 1, open - 1))) {
                    MAY(self, OVERWRITE, open - 1, pipe,
                        "pipe %s: tile %u may overwrite slot %u before tile %u is read: nothing "
                        "orders them",
                        pipe, i, i % slots, i - slots);
                }
                if (read && close && !ordered(self, close - 1, read - 1)) {
                    MAY(self, STALE_READ, read - 1, pipe,
                        "pipe %s: tile %u may be read before it is written: nothing orders them",
                        pipe, i);
                }
            }
    free(a.write_open);
    free(a.write_close);
    free(a.read_open);
    free(a.read_close);
}

// Pieces of work of one core on the same bytes, on different pipes.
static void check_races(struct prover *self)
{
    for (uint32_t b = 0; b < self->tape->count; b++) {
        const struct ts_tape_event *later = &self->tape->event[b];
        if (later->kind != TS_ENTRY_WORK)
            continue;
        unsigned seen = 0;
        for (uint32_t a = b; a-- > 0 && seen < NEAR;) {
            const struct ts_tape_event *older = &self->tape->event[a];
            if (older->core != later->core || older->kind != TS_ENTRY_WORK)
                continue;
            seen++;
            bool published = older->insn->unit_flag && later->insn->unit_flag;
            if (older->lane == later->lane || published || !conflict(older, later) ||
                ordered(self, a, b))
                continue;
            MAY(self, LOCAL_RACE, b, ts_lane_names[later->lane],
                "%s: %s on %s may run while %s on %s (line %u) still uses the same bytes: an event "
                "is missing",
                ts_core_names[later->core], ts_ops[later->insn->op].name,
                ts_lane_names[later->lane], ts_ops[older->insn->op].name,
                ts_lane_names[older->lane], older->insn->line);
        }
    }
}

// The most that a counter may hold: sets so far, less the waits that must be over by then.
static void check_counter(struct prover *self, const struct counter *counter, unsigned core,
                          unsigned id)
{
    unsigned most = self->run->cluster[0].flags.most;
    uint32_t waits = 0;
    for (uint32_t k = 0; k < counter->set_count; k++) {
        while (waits < counter->wait_count &&
               ordered(self, counter->waits[waits], counter->sets[k]))
            waits++;
        if (k + 1 - waits <= most)
            continue;
        char name[24];
        struct ts_flag flag = {.core = (uint8_t)core, .id = (uint8_t)id};
        MAY(self, CTR_OVERFLOW, counter->sets[k], ts_flag_name(&flag, name),
            "%s may have %u sets outstanding; a counter holds 0 to %u", name, k + 1 - waits, most);
        return;
    }
}

static void check_counters(struct prover *self)
{
    for (unsigned key = 0; key < TS_TAPE_FLAGS; key++) {
        check_counter(self, &self->counter[key], key / 2 / TS_FLAG_IDS, key / 2 % TS_FLAG_IDS);
        if (self->counter[key].waiter == -2)
            self->proof->code = TS_LIMIT;
    }
}

static void look_at_counters(struct prover *self)
{
    for (unsigned key = 0; key < TS_TAPE_COUNTERS; key++)
        self->counter[key].waiter = -1;
    self->at = ts_pipe_or_die(calloc(self->tape->count + 1, sizeof *self->at));
    replay(self);
    const struct ts_cluster *cluster = &self->run->cluster[0];
    for (uint32_t p = 0; p < cluster->machine->pipe_count; p++)
        for (int half = 0; half < 2; half++)
            if (cluster->ring[half][p].exists)
                check_ring(self, &cluster->ring[half][p]);
    if (!cluster->machine->auto_sync)
        check_races(self);
    check_counters(self);
    free(self->at);
    for (unsigned key = 0; key < TS_TAPE_COUNTERS; key++) {
        free(self->counter[key].sets);
        free(self->counter[key].waits);
    }
}

// --- the verdict ---

// What the run itself found is possible, too.
static void add_found(struct ts_pipe_proof *proof, const struct ts_pipe_run *run)
{
    bool stopped = run->verdict == TS_PIPE_REFUSED || run->verdict == TS_PIPE_DEADLOCK;
    for (uint32_t i = 0; i < run->findings.count; i++) {
        const struct ts_finding *item = &run->findings.item[i];
        if (stopped || ts_finding_rows[item->id].kind != 'W')
            ts_finding_add(&proof->findings, item->id,
                           (struct ts_spot){item->cycle, item->line, item->object}, "%s",
                           item->text);
    }
}

static void conclude(struct ts_pipe_proof *proof, const struct ts_pipe_run *run,
                     const struct ts_tape *tape)
{
    proof->events = tape->count;
    if (run->verdict == TS_PIPE_REFUSED || run->verdict == TS_PIPE_LIMIT || tape->full) {
        proof->code = run->verdict == TS_PIPE_REFUSED ? TS_SETUP : TS_LIMIT;
        snprintf(proof->text, sizeof proof->text, "%s",
                 tape->full ? "too many events to look at: use fewer tiles" : run->why);
    } else if (run->verdict == TS_PIPE_DEADLOCK) {
        proof->code = TS_HANG;
        snprintf(proof->text, sizeof proof->text,
                 "every interleaving deadlocks: which waits end does not depend on time");
    } else if (proof->findings.count) {
        proof->code = TS_CONTRACT;
        snprintf(proof->text, sizeof proof->text,
                 "ends in every interleaving, but not safely in all");
    } else if (proof->code == TS_LIMIT) {
        snprintf(proof->text, sizeof proof->text,
                 "not decided: two pipes wait for the same flag, so the order of waits decides");
    } else {
        proof->code = TS_OK;
        snprintf(proof->text, sizeof proof->text,
                 "no interleaving deadlocks, overwrites an unread slot, reads one too early, "
                 "overflows a counter or races");
    }
}

enum ts_code ts_pipe_prove(struct ts_pipe_program *program, struct ts_pipe_proof *proof,
                           struct ts_error *error)
{
    if (program->machine.event_bits)
        return ts_fail(
            error, TS_SETUP,
            "%s: events: source: a set that finds its bit set is lost, which interleavings "
            "do not follow; legal here: pair",
            program->name);
    struct ts_pipe_run *run = ts_pipe_or_die(calloc(1, sizeof *run));
    struct prover *prover = ts_pipe_or_die(calloc(1, sizeof *prover));
    struct ts_tape tape = {.most = EVENTS};
    memset(proof, 0, sizeof *proof);
    program->machine.clusters = program->machine.dispatches = 1;
    run->tape = &tape;
    ts_pipe_run_alone(run, program, 1, error);
    if (error->code == TS_OK) {
        *prover = (struct prover){.run = run, .tape = &tape, .proof = proof};
        if (run->verdict == TS_PIPE_PASS || run->verdict == TS_PIPE_DIFFERS ||
            run->verdict == TS_PIPE_HAZARD)
            look_at_counters(prover);
        add_found(proof, run);
        conclude(proof, run, &tape);
    }
    ts_pipe_run_free_alone(run);
    free(tape.event);
    free(prover);
    free(run);
    return error->code;
}

// --- output ---

json_t *ts_pipe_proof_json(const struct ts_pipe_program *program, const struct ts_pipe_proof *proof)
{
    json_t *findings = json_array();
    for (uint32_t i = 0; i < proof->findings.count; i++) {
        const struct ts_finding *item = &proof->findings.item[i];
        ts_json_add(findings, "{s:s, s:i, s:s, s:I, s:s}", "code", ts_finding_rows[item->id].code,
                    "line", (int)item->line, "object", item->object, "times",
                    (json_int_t)item->times, "text", item->text);
    }
    return json_pack("{s:s, s:i, s:s, s:i, s:s, s:I, s:I, s:o}", "schema", "tensim.pipe.proof",
                     "version", 1, "program", program->name, "code", (int)proof->code, "text",
                     proof->text, "events", (json_int_t)proof->events, "pairs",
                     (json_int_t)proof->pairs, "findings", findings);
}

void ts_pipe_proof_print(const struct ts_pipe_program *program, const json_t *proof, FILE *file)
{
    json_t *document = json_copy((json_t *)proof);
    json_object_set_new(document, "file", json_string(program->file));
    ts_text_print("pipe_proof", document, true, file);
    json_decref(document);
}
