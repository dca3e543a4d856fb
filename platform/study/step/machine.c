// Runs a program cycle by cycle; see step.h.
#include "platform/study/step/step.h"

#include "platform/explain/hang.h"
#include "platform/tile/follow.h"

#include <inttypes.h>

// Pushes the words as a core would, one a cycle and thread; never sleeps, so that the run goes on.
struct feeder {
    struct ts_component component;
    struct ts_tile *tile;
    const struct ts_step_program *program;
    unsigned next[TS_THREADS];
};

static ts_step feeder_step(struct ts_component *component, ts_cycle now)
{
    struct feeder *self = (struct feeder *)component;
    for (unsigned t = 0; t < TS_THREADS; t++) {
        struct ts_frontend *front = &self->tile->front[t];
        if (self->next[t] == self->program->counts[t])
            continue;
        const struct ts_step_item *item = &self->program->items[t][self->next[t]];
        struct ts_hold hold;
        self->next[t] += item->wait ? ts_frontend_drained(front, now, &hold)
                                    : ts_frontend_push(front, &item->word, 1, now, &hold);
    }
    return 1;
}

static const struct ts_component_ops feeder_ops = {.kind = "feeder", .step = feeder_step};

struct machine {
    struct ts_kernel *kernel;
    struct ts_tile *tile;
    struct feeder *feeder;
    struct ts_follow follow;
    struct ts_step *step;
    struct ts_step_watch *watch;
    ts_cycle passed;                     // the last word of all
    struct gate {                        // of a thread, after the last cycle
        bool held;                       // a word is first in it
        bool passed;                     // one has passed in this cycle
        uint64_t waited[TS_STALL_COUNT]; // of the word that is first, by reason
        uint64_t lost[TS_STALL_COUNT];   // booked by the front end so far
    } gates[TS_THREADS];
};

static void word_passed(void *context, unsigned thread, uint32_t word)
{
    struct machine *self = context;
    if (self->step->count == TS_STEP_ROWS)
        return;
    struct ts_step_row *row = &self->step->rows[self->step->count++];
    *row = (struct ts_step_row){.thread = thread, .word = word, .cycle = self->tile->domain->now};
    struct gate *gate = &self->gates[thread];
    for (unsigned reason = 0; reason < TS_STALL_COUNT; reason++) {
        row->waited += gate->waited[reason];
        if (gate->waited[reason] > gate->waited[row->reason])
            row->reason = (enum ts_stall)reason;
    }
    memset(gate->waited, 0, sizeof gate->waited);
    gate->passed = true;
    self->passed = row->cycle;
}

// Why the first word does not pass: a stall of one cycle is booked at once, a longer one is a wait.
static enum ts_stall reason_of(const struct ts_component *front, const struct gate *gate)
{
    for (enum ts_stall reason = 0; reason < TS_STALL_COUNT; reason++)
        if (reason != TS_STALL_IDLE && ts_lost(front, reason) == gate->lost[reason] + 1)
            return reason;
    return ts_waiting(front).reason;
}

// A word that was first at the end of the last cycle, and is still there, has waited.
static void look_gates(struct machine *self)
{
    for (unsigned t = 0; t < TS_THREADS; t++) {
        const struct ts_frontend *front = &self->tile->front[t];
        struct gate *gate = &self->gates[t];
        if (gate->held && !gate->passed)
            gate->waited[reason_of(&front->component, gate)]++;
        for (unsigned reason = 0; reason < TS_STALL_COUNT; reason++)
            gate->lost[reason] = ts_lost(&front->component, (enum ts_stall)reason);
        gate->held = front->gate_count != 0;
        gate->passed = false;
    }
}

static bool build(struct machine *self, const struct ts_step_program *program,
                  const struct ts_tile_config *config, struct ts_error *error)
{
    self->kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    self->tile = self->kernel ? ts_tile_new_at(self->kernel, 1, 2, config, error) : NULL;
    self->feeder = self->tile ? ts_kernel_alloc(self->kernel, sizeof *self->feeder) : NULL;
    if (self->feeder == NULL)
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    memset(self->feeder, 0, sizeof *self->feeder);
    self->feeder->tile = self->tile;
    self->feeder->program = program;
    ts_component_init(&self->feeder->component, &feeder_ops, self->tile->domain, "feeder");
    if (ts_kernel_elaborate(self->kernel, error) != TS_OK ||
        !ts_setups_apply(&program->setups, self->tile, error))
        return false;
    self->follow = (struct ts_follow){.context = self, .word = word_passed};
    ts_follow_start(self->tile, &self->follow);
    for (unsigned t = 0; t < TS_THREADS; t++)
        self->tile->front[t].run_ahead = false;
    self->watch = ts_step_watch_new(self->tile, self->step);
    return self->watch != NULL;
}

// All words have passed, and all units are done.
static bool over(const struct machine *self, ts_cycle now)
{
    struct ts_hold hold;
    for (unsigned t = 0; t < TS_THREADS; t++)
        if (self->feeder->next[t] != self->feeder->program->counts[t] ||
            !ts_frontend_drained(&self->tile->front[t], now, &hold))
            return false;
    return true;
}

static void say_hang(const struct machine *self)
{
    struct ts_step *step = self->step;
    step->code = TS_HANG;
    for (unsigned t = 0; t < TS_THREADS; t++) {
        const struct ts_frontend *front = &self->tile->front[t];
        if (ts_frontend_empty(front))
            continue;
        char word[200] = "nothing";
        struct ts_wait wait = ts_waiting(&front->component);
        if (front->gate_count)
            ts_disasm_fields(front->gate[0].word, word, sizeof word);
        ts_append(step->text, sizeof step->text, "%sT%u holds %.120s: %s%s%s",
                  *step->text ? "; " : "", t, word, ts_stall_name(wait.reason),
                  wait.object ? ", " : "", wait.object ? wait.object->path : "");
    }
}

static void run(struct machine *self, ts_cycle limit)
{
    struct ts_step *step = self->step;
    const ts_cycle settle = 8; // writes of the configuration unit come after its instruction
    ts_cycle ended = TS_NEVER;
    struct ts_run run = {0};
    for (ts_cycle now = 1; ended == TS_NEVER || now < ended + settle; now++) {
        run = ts_kernel_advance(self->kernel, now);
        ts_step_watch_look(self->watch);
        look_gates(self);
        step->cycles = now;
        if (run.stop != TS_STOP_LIMIT) {
            step->code = run.stop == TS_STOP_FAULT ? run.error.code : TS_BUG;
            snprintf(step->text, sizeof step->text, "%.380s",
                     run.stop == TS_STOP_FAULT ? run.error.text : ts_stop_name(run.stop));
            break;
        }
        if (ended == TS_NEVER && over(self, now))
            ended = now;
        if (ended == TS_NEVER && now > self->passed + TS_STEP_QUIET) {
            say_hang(self);
            step->cycles = self->passed + 1;
            break;
        }
        if (now >= limit) {
            step->code = TS_LIMIT;
            snprintf(step->text, sizeof step->text, "not done after %" PRIu64 " cycles", limit);
            break;
        }
    }
    if (ended != TS_NEVER && step->code == TS_OK)
        step->cycles = ended;
    ts_kernel_close(self->kernel, &run);
    step->lints = ts_lints(self->kernel, NULL);
}

void ts_step_run(struct ts_step *self, const struct ts_step_program *program,
                 const struct ts_tile_config *config, bool with_values, ts_cycle limit)
{
    struct machine machine = {.step = self};
    struct ts_error error = {0};
    *self = (struct ts_step){.rows = calloc(TS_STEP_ROWS, sizeof *self->rows),
                             .with_values = with_values};
    if (self->rows && build(&machine, program, config, &error)) {
        run(&machine, limit);
    } else {
        self->code = error.code != TS_OK ? error.code : TS_NO_MEMORY;
        snprintf(self->text, sizeof self->text, "%.380s", error.text);
    }
    ts_step_watch_free(machine.watch);
    if (machine.tile)
        ts_tile_free(machine.tile);
    if (machine.kernel)
        ts_kernel_free(machine.kernel);
}

void ts_step_free(struct ts_step *self)
{
    for (unsigned i = 0; i < self->count; i++) {
        json_decref(self->rows[i].changes);
        json_decref(self->rows[i].values);
    }
    json_decref(self->lints);
    free(self->rows);
    *self = (struct ts_step){0};
}
