// The page of a TPUSH/TPOP run (path.h): what limits it, its pipes over time with the critical path,
// the life of every ring slot, the flags, and where the cycles went. The first cluster is shown.
#include "platform/report/page.h"
#include "platform/report/pipe_tables.h"
#include "platform/study/pipe/path.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 2500 }; // pieces of work that a drawing has room for

// What an operation is for, by its pipe.
static const char *use_of(unsigned lane)
{
    return lane == TS_LANE_M ? "cube" : lane == TS_LANE_V ? "vector" : "DMA";
}

// --- time ---

struct frame {
    const struct ts_pipe_picture *picture;
    ts_cycle end; // of what is drawn
    bool part;    // of the run
};

static struct frame frame_of(const struct ts_pipe_picture *picture)
{
    struct frame frame = {.picture = picture, .end = picture->run->run.cycle};
    uint32_t works = 0;
    for (uint32_t i = 0; i < picture->tape->count; i++)
        if (picture->tape->event[i].kind == TS_ENTRY_WORK && ++works == SHOWN) {
            frame.part = picture->tape->event[i].end < frame.end;
            frame.end = picture->tape->event[i].end;
        }
    return frame;
}

static void add_part(json_t *parts, ts_cycle from, ts_cycle to, const char *what, double shade,
                     json_t *label)
{
    json_array_append_new(
        parts, json_pack("[I, I, s, f, o]", (json_int_t)from, (json_int_t)to, what, shade, label));
}

static void add_row(json_t *rows, const char *name, json_t *parts)
{
    json_array_append_new(rows, json_pack("{s:s, s:o}", "name", name, "parts", parts));
}

static void add_lanes(const struct frame *self, const char *title, json_t *rows, json_t *page)
{
    ts_page_add(page, "lanes", title,
                json_pack("{s:i, s:I, s:o}", "from", 0, "to", (json_int_t)self->end, "rows", rows));
}

// --- pipes over time ---

static json_t *label_of(const struct ts_tape_event *e)
{
    if (e->ring)
        return json_sprintf("%s of tile %u, pipe %s, line %u", ts_op_name(e->insn->op), e->index,
                            e->ring->config->name, e->insn->line);
    return json_sprintf("%s, line %u", ts_op_name(e->insn->op), e->insn->line);
}

static json_t *work_of(const struct frame *self, unsigned core, unsigned lane, const bool *critical)
{
    const struct ts_tape *tape = self->picture->tape;
    json_t *parts = json_array();
    for (uint32_t i = 0; i < tape->count; i++) {
        const struct ts_tape_event *e = &tape->event[i];
        if (e->core != core || e->lane != lane || e->kind != TS_ENTRY_WORK || e->end == 0 ||
            e->start >= self->end)
            continue;
        add_part(parts, e->start, e->end, use_of(lane), critical[i] ? 1 : 0.35, label_of(e));
    }
    return parts;
}

// The path as a row of its own: what it goes through, one after the other.
static json_t *path_of(const struct frame *self, bool *critical)
{
    const struct ts_pipe_path *path = self->picture->path;
    json_t *parts = json_array();
    for (uint32_t i = 0; i < path->count; i++) {
        const struct ts_path_step *step = &path->step[i];
        const struct ts_tape_event *e = &self->picture->tape->event[step->event];
        bool work = step->kind == TS_STEP_WORK;
        critical[step->event] |= work;
        if (step->from < self->end && step->to > step->from)
            add_part(parts, step->from, step->to,
                     work ? use_of(e->lane) : ts_path_kind_names[step->kind], 1,
                     work ? json_sprintf("%s.%s: %s, line %u", ts_core_name(e->core),
                                         ts_lane_name(e->lane), ts_op_name(e->insn->op),
                                         e->insn->line)
                          : json_string(ts_path_kind_names[step->kind]));
    }
    return parts;
}

static void add_pipes(const struct frame *self, json_t *page)
{
    json_t *rows = json_array();
    bool *critical = calloc(self->picture->tape->count + 1, sizeof *critical);
    if (critical == NULL)
        abort();
    add_row(rows, "critical path", path_of(self, critical));
    for (unsigned core = 0; core < TS_CORES; core++)
        for (unsigned lane = 0; lane < TS_LANE_COUNT; lane++) {
            char name[24];
            json_t *parts = work_of(self, core, lane, critical);
            snprintf(name, sizeof name, "%s.%s", ts_core_name(core), ts_lane_name(lane));
            if (json_array_size(parts) > 0)
                add_row(rows, name, parts);
            else
                json_decref(parts);
        }
    free(critical);
    add_lanes(self, "Pipes over time (full colour: on the critical path)", rows, page);
}

// --- slots ---

struct life {
    ts_cycle allocated, filled, popped, freed; // TS_NEVER: not yet
};

// The life of each tile of a ring. `tiles` has room for all indices.
static void gather_lives(const struct ts_tape *tape, const struct ts_ring *ring, struct life *lives,
                         uint32_t tiles)
{
    for (uint32_t i = 0; i < tiles; i++)
        lives[i] = (struct life){TS_NEVER, 0, TS_NEVER, 0};
    for (uint32_t i = 0; i < tape->count; i++) {
        const struct ts_tape_event *e = &tape->event[i];
        if (e->ring != ring || e->credit || e->index >= tiles || e->end == 0)
            continue;
        struct life *life = &lives[e->index];
        if (ts_tape_begins_write(e) && e->start < life->allocated)
            life->allocated = e->start;
        if (ts_tape_ends_write(e) && e->end > life->filled)
            life->filled = e->end;
        if (ts_tape_opens_read(e) && e->start < life->popped)
            life->popped = e->start;
        if (ts_tape_closes_read(e) && e->end > life->freed)
            life->freed = e->end;
    }
}

static const char *const stages[] = {"allocated: being filled", "filled: waits for its pop",
                                     "popped: being read"};

static void add_life(const struct frame *self, const struct life *life, uint32_t index,
                     json_t *parts)
{
    ts_cycle end = self->picture->run->run.cycle;
    ts_cycle filled = life->filled ? life->filled : end;
    ts_cycle popped = life->popped != TS_NEVER ? life->popped : end;
    ts_cycle freed = life->freed ? life->freed : end;
    const ts_cycle at[] = {life->allocated, filled, popped > filled ? popped : filled, freed};
    for (int stage = 0; stage < 3; stage++)
        if (at[stage + 1] > at[stage] && at[stage] < self->end)
            add_part(parts, at[stage], at[stage + 1], stages[stage], 0.85,
                     json_sprintf("tile %u, %s", index, stages[stage]));
}

static void add_slots(const struct frame *self, const struct ts_ring *ring, const char *half,
                      json_t *page)
{
    const struct ts_tape *tape = self->picture->tape;
    uint32_t tiles = 0, slots = ring->config->slots;
    char title[160];
    for (uint32_t i = 0; i < tape->count; i++)
        if (tape->event[i].ring == ring && tape->event[i].index >= tiles)
            tiles = tape->event[i].index + 1;
    struct life *lives = calloc(tiles + 1, sizeof *lives);
    if (lives == NULL)
        abort();
    gather_lives(tape, ring, lives, tiles);
    json_t *rows = json_array();
    for (uint32_t slot = 0; slot < slots; slot++) {
        char name[24];
        json_t *parts = json_array();
        snprintf(name, sizeof name, "slot %u", slot);
        for (uint32_t i = slot; i < tiles; i += slots)
            if (lives[i].allocated != TS_NEVER)
                add_life(self, &lives[i], i, parts);
        add_row(rows, name, parts);
    }
    free(lives);
    snprintf(title, sizeof title,
             "Slots of ring %s%s: %u tile%s through %u slot%s, at most %u taken",
             ring->config->name, half, (unsigned)ring->pushes, ring->pushes == 1 ? "" : "s", slots,
             slots == 1 ? "" : "s", ring->peak);
    add_lanes(self, title, rows, page);
}

// --- flags ---

struct change {
    ts_cycle at;
    int by;
};

static int by_time(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : y->by - x->by;
}

// Arrivals at a counter and takes from it. On A2/A3 the Cube's counter rises when both AIVs have set.
static size_t gather_changes(const struct frame *self, unsigned core, unsigned id,
                             struct change *to)
{
    const struct ts_tape *tape = self->picture->tape;
    const struct ts_machine *machine = &self->picture->run->program->machine;
    bool a5 = machine->profile == TS_PROFILE_A5, reduce = core == TS_CORE_AIC && !a5;
    ts_cycle latency = (ts_cycle)machine->timing.flag, first = 0;
    size_t count = 0;
    uint32_t sets[2] = {0};
    for (uint32_t i = 0; i < tape->count; i++) {
        const struct ts_tape_event *e = &tape->event[i];
        if (e->kind == TS_ENTRY_WAIT_FLAG && e->core == core && e->id == id && e->end)
            to[count++] = (struct change){e->end, -1};
        if (e->kind != TS_ENTRY_SET_FLAG || e->end == 0)
            continue;
        unsigned sent = e->id;
        bool reaches = e->core == TS_CORE_AIC
                           ? core != TS_CORE_AIC &&
                                 (a5 ? sent == id + (core == TS_CORE_AIV1 ? TS_FLAG_AIV1 : 0u)
                                     : sent == id)
                           : core == TS_CORE_AIC &&
                                 (a5 ? sent + (e->core == TS_CORE_AIV1 ? TS_FLAG_AIV1 : 0u) == id
                                     : sent == id);
        if (!reaches)
            continue;
        bool second = reduce && e->core == TS_CORE_AIV1;
        sets[second]++;
        // The later one of each pair raises the counter.
        if (!reduce || sets[second] <= sets[!second])
            to[count++] = (struct change){(e->end > first ? e->end : first) + latency, 1};
    }
    qsort(to, count, sizeof *to, by_time);
    return count;
}

static json_t *levels_of(const struct frame *self, const struct change *changes, size_t count)
{
    json_t *points = json_pack("[[i, i]]", 0, 0);
    int level = 0;
    for (size_t i = 0; i < count && changes[i].at < self->end; i++) {
        level = level + changes[i].by < 0 ? 0 : level + changes[i].by;
        json_array_append_new(points, json_pack("[I, i]", (json_int_t)changes[i].at, level));
    }
    json_array_append_new(points, json_pack("[I, i]", (json_int_t)self->end, level));
    return points;
}

static void add_flags(const struct frame *self, json_t *page)
{
    const struct ts_cluster *cluster = &self->picture->run->cluster[0];
    struct change *changes = calloc(self->picture->tape->count + 1, sizeof *changes);
    json_t *rows = json_array();
    if (changes == NULL)
        abort();
    for (unsigned core = 0; core < TS_CORES; core++)
        for (unsigned id = 0; id < TS_FLAG_IDS; id++) {
            char name[24];
            if (cluster->flags.flag[core][id].sets == 0)
                continue;
            snprintf(name, sizeof name, "%s flag %u", ts_core_name(core), id);
            size_t count = gather_changes(self, core, id, changes);
            json_array_append_new(rows, json_pack("{s:s, s:o}", "name", name, "points",
                                                  levels_of(self, changes, count)));
        }
    free(changes);
    if (json_array_size(rows) > 0)
        ts_page_add(
            page, "levels", "Credits and ready flags: counter of each cross-core flag",
            json_pack("{s:i, s:I, s:O}", "from", 0, "to", (json_int_t)self->end, "rows", rows));
    json_decref(rows);
}

// --- the page ---

static void add_cards(const struct ts_pipe_picture *self, json_t *page)
{
    const struct ts_pipe_run *run = self->run;
    char clock[48], preset[96];
    snprintf(clock, sizeof clock, "µs at %u MHz", self->clock_mhz);
    snprintf(preset, sizeof preset, "%s, %s", ts_profile_name(run->program->machine.profile),
             run->program->preset);
    ts_page_add(page, "cards", NULL,
                json_pack("{s:[[s, s], [I, s], [f, s], [s, s], [I, s]]}", "cards",
                          ts_pipe_verdict_name(run->verdict), "verdict", (json_int_t)run->run.cycle,
                          "cycles", (double)run->run.cycle / self->clock_mhz, clock, preset,
                          "profile, preset", (json_int_t)run->tile_ops, "tile operations"));
}

static json_t *new_page(const struct frame *self)
{
    const struct ts_pipe_run *run = self->picture->run;
    char title[128], answer[1024];
    snprintf(title, sizeof title, "tensim pipe: %s", run->program->name);
    int used = snprintf(answer, sizeof answer, "%s",
                        run->verdict == TS_PIPE_PASS ? self->picture->path->bound : run->why);
    if (self->part)
        used += snprintf(answer + used, sizeof answer - (size_t)used,
                         " The drawings show the first %llu cycles.",
                         (unsigned long long)self->end);
    if (run->program->machine.clusters > 1)
        snprintf(answer + used, sizeof answer - (size_t)used, " The first of %u clusters is shown.",
                 run->program->machine.clusters);
    return ts_page_new(title, answer, self->picture->command);
}

void ts_pipe_page(const void *what, FILE *file)
{
    const struct ts_pipe_picture *self = what;
    const struct ts_machine *machine = &self->run->program->machine;
    struct frame frame = frame_of(self);
    json_t *page = new_page(&frame);
    add_cards(self, page);
    ts_pipe_table_deadlock(self->run, page);
    ts_pipe_table_findings(self->run, page);
    add_pipes(&frame, page);
    for (uint32_t p = 0; p < machine->pipe_count; p++)
        for (int half = 0; half < 2; half++) {
            const struct ts_ring *ring = &self->run->cluster[0].ring[half][p];
            bool both = ts_direction_both(machine->pipes[p].direction);
            if (ring->exists)
                add_slots(&frame, ring, both ? (half ? ".v2c" : ".c2v") : "", page);
        }
    json_t *plots = ts_page_part(page, "plots", NULL);
    add_flags(&frame, plots);
    ts_pipe_table_busy(self, plots);
    ts_pipe_table_path(self, page);
    ts_page_write(page, file);
}
