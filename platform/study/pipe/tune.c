#include "platform/study/pipe/tune.h"
#include "platform/base/json.h"

#include "platform/base/hash.h"
#include "platform/study/pipe/prove.h"

#include <stdlib.h>
#include <string.h>

// --- memory ---

struct ts_pipe_memory ts_pipe_memory(const struct ts_pipe_program *program)
{
    const struct ts_machine *machine = &program->machine;
    struct ts_pipe_memory memory = {0};
    for (uint32_t i = 0; i < machine->tile_count; i++) {
        const struct ts_tile_decl *tile = &machine->tiles[i];
        uint64_t bytes = (uint64_t)tile->rows * tile->cols * ts_dtype_bytes(tile->type) *
                         tile->count;
        if (tile->bound)
            continue; // lies in a ring's buffer
        *(tile->mem == TS_MEM_UB   ? &memory.ub
          : tile->mem == TS_MEM_L1 ? &memory.l1
                                   : &memory.l0) += bytes;
    }
    for (uint32_t i = 0; i < machine->pipe_count; i++) {
        const struct ts_ring_config *pipe = &machine->pipes[i];
        enum ts_ring_path path = ts_ring_path(pipe, machine->profile);
        bool gm = path == TS_PATH_GM;
        uint64_t local = (uint64_t)(gm ? pipe->local_slots : pipe->slots) * pipe->slot_size;
        if (path == TS_PATH_CTRL)
            continue;
        memory.gm += gm ? ts_ring_gm_bytes(pipe) : 0;
        memory.ub += ts_direction_has(pipe->direction, true) ? local : 0;
        memory.l1 += ts_direction_has(pipe->direction, false) ? local : 0;
    }
    return memory;
}

uint64_t ts_pipe_memory_chip(const struct ts_pipe_memory *memory)
{
    return 2 * memory->ub + memory->l1 + memory->l0;
}

uint64_t ts_pipe_memory_total(const struct ts_pipe_memory *memory)
{
    return ts_pipe_memory_chip(memory) + memory->gm;
}

// --- axes ---

bool ts_tune_vary(struct ts_tune *self, const char *text, struct ts_error *error)
{
    const char *equals = strchr(text, '=');
    struct ts_pipe_axis axis = {.count = 0};
    long long from, to;
    int length = 0;
    if (equals == NULL || (size_t)(equals - text) >= sizeof axis.key ||
        self->axis_count == TS_PIPE_AXES) {
        ts_fail(error, TS_USAGE, "'%s' is not KEY=VALUE,VALUE...", text);
        return false;
    }
    snprintf(axis.key, sizeof axis.key, "%.*s", (int)(equals - text), text);
    if (sscanf(equals + 1, "%lld..%lld%n", &from, &to, &length) == 2 && equals[1 + length] == 0) {
        for (; from <= to && axis.count < TS_PIPE_VALUES; from++)
            snprintf(axis.value[axis.count++], sizeof axis.value[0], "%lld", from);
    } else {
        for (const char *at = equals + 1; *at && axis.count < TS_PIPE_VALUES;) {
            size_t part = strcspn(at, ",");
            snprintf(axis.value[axis.count++], sizeof axis.value[0], "%.*s", (int)part, at);
            at += part + (at[part] == ',');
        }
    }
    if (axis.count == 0) {
        ts_fail(error, TS_USAGE, "'%s' has no values", text);
        return false;
    }
    self->axes[self->axis_count++] = axis;
    return true;
}

// Depths that are legal for a pipe, and safe by its credits.
static void vary_depth(struct ts_tune *self, const struct ts_pipe_program *program,
                       const struct ts_ring_config *pipe)
{
    static const unsigned depths[] = {1, 2, 3, 4, 6, 8, 12, 16};
    bool few = program->machine.pipe_count > 1;
    unsigned most = !pipe->tmpipe ? 15 : program->machine.profile == TS_PROFILE_A5 ? 16 : 8;
    struct ts_pipe_axis *axis = &self->axes[self->axis_count++];
    *axis = (struct ts_pipe_axis){.count = 0};
    snprintf(axis->key, sizeof axis->key, "pipes.%s.%s", pipe->name,
             pipe->tmpipe ? "depth" : "slots");
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        bool power = (depths[i] & (depths[i] - 1)) == 0;
        if (depths[i] < (pipe->tmpipe ? 2 : 1) || depths[i] > most || (few && !power))
            continue;
        snprintf(axis->value[axis->count++], sizeof axis->value[0], "%u", depths[i]);
    }
}

static void vary_local(struct ts_tune *self, const struct ts_ring_config *pipe)
{
    struct ts_pipe_axis *axis = &self->axes[self->axis_count++];
    *axis = (struct ts_pipe_axis){.count = 0};
    snprintf(axis->key, sizeof axis->key, "pipes.%s.local_slots", pipe->name);
    for (unsigned slots = 1; slots <= 4; slots *= 2)
        snprintf(axis->value[axis->count++], sizeof axis->value[0], "%u", slots);
}

bool ts_tune_axes(struct ts_tune *self, struct ts_error *error)
{
    struct ts_pipe_program program;
    if (ts_pipe_load(&program, self->program, self->sets, error) != TS_OK) {
        ts_pipe_program_free(&program);
        return false;
    }
    const struct ts_machine *machine = &program.machine;
    snprintf(self->name, sizeof self->name, "%s", program.name);
    snprintf(self->profile, sizeof self->profile, "%s", ts_profile_name(machine->profile));
    snprintf(self->preset, sizeof self->preset, "%s", program.preset);
    if (self->axis_count == 0 && program.axis_count) {
        memcpy(self->axes, program.axes, program.axis_count * sizeof *program.axes);
        self->axis_count = program.axis_count;
    }
    bool given = self->axis_count > 0;
    for (uint32_t i = 0; i < machine->pipe_count && !given && self->axis_count < TS_PIPE_AXES; i++)
        vary_depth(self, &program, &machine->pipes[i]);
    for (uint32_t i = 0; i < machine->pipe_count && !given && self->axis_count < TS_PIPE_AXES; i++)
        if (ts_ring_path(&machine->pipes[i], machine->profile) == TS_PATH_GM &&
            machine->pipe_count <= 2)
            vary_local(self, &machine->pipes[i]);
    ts_pipe_program_free(&program);
    if (self->axis_count == 0) {
        ts_fail(error, TS_SETUP,
                "%s: nothing to vary: it has no pipe and no `tune`; name keys with --vary",
                self->program);
        return false;
    }
    return true;
}

const char *ts_tune_value(const struct ts_tune *self, size_t point, unsigned axis)
{
    for (unsigned i = self->axis_count; i-- > axis + 1;)
        point /= self->axes[i].count;
    return self->axes[axis].value[point % self->axes[axis].count];
}

void ts_tune_key(const struct ts_tune *self, size_t point, char *to, size_t room)
{
    size_t used = 0;
    for (unsigned i = 0; i < self->axis_count && used < room; i++)
        used += (size_t)snprintf(to + used, room - used, "%s%s=%s", i ? " " : "", self->axes[i].key,
                                 ts_tune_value(self, point, i));
}

// --- one point ---

struct sets {
    struct ts_pipe_set set[64];
    uint8_t used[64];
    struct ts_pipe_sets sets;
};

static void make_sets(const struct ts_tune *self, size_t point, struct sets *to)
{
    size_t count = 0;
    for (size_t i = 0; self->sets && i < self->sets->count && count < 48; i++)
        to->set[count++] = self->sets->set[i];
    for (unsigned i = 0; i < self->axis_count; i++)
        to->set[count++] = (struct ts_pipe_set){self->axes[i].key, ts_tune_value(self, point, i)};
    memset(to->used, 0, sizeof to->used);
    to->sets = (struct ts_pipe_sets){.set = to->set, .count = count, .used = to->used};
}

static void run_point(const struct ts_tune *self, size_t number, struct ts_tune_point *point,
                      struct ts_error *error)
{
    struct sets sets;
    struct ts_pipe_program program;
    struct ts_pipe_run *run = ts_pipe_or_die(calloc(1, sizeof *run));
    make_sets(self, number, &sets);
    if (ts_pipe_load(&program, self->program, &sets.sets, error) == TS_OK) {
        for (size_t i = 0; i < sets.sets.count && error->code == TS_OK; i++)
            if (!sets.used[i] && strcmp(sets.set[i].key, "data") != 0)
                ts_fail(error, TS_SETUP, "%s: the program has no '%s'", self->program,
                        sets.set[i].key);
        struct ts_pipe_memory memory = ts_pipe_memory(&program);
        point->memory = ts_pipe_memory_total(&memory);
        point->chip = ts_pipe_memory_chip(&memory);
        if (error->code == TS_OK)
            ts_pipe_run_alone(run, &program, 1, error);
        point->verdict = run->verdict;
        point->cycles = run->run.cycle;
        snprintf(point->why, sizeof point->why, "%.119s", run->why);
        ts_pipe_run_free_alone(run);
    }
    ts_pipe_program_free(&program);
    free(run);
}

// --- all points ---

static void key_of(const void *context, size_t index, char *key, size_t size)
{
    ts_tune_key(context, index, key, size);
}

// One run of the crew: a row of results.jsonl.
static void run_of(void *context, size_t index, struct ts_crew_seat *seat, json_t *row)
{
    struct ts_tune_point point = {.why = ""};
    struct ts_error error = {0};
    (void)seat;
    run_point(context, index, &point, &error);
    json_object_set_new(row, "code", json_integer(error.code));
    json_object_set_new(row, "verdict", json_integer(point.verdict));
    json_object_set_new(row, "cycles", json_integer((json_int_t)point.cycles));
    json_object_set_new(row, "memory", json_integer((json_int_t)point.memory));
    json_object_set_new(row, "chip", json_integer((json_int_t)point.chip));
    json_object_set_new(row, "why", json_string(error.code ? error.text : point.why));
}

static void take_row(struct ts_tune_point *point, const json_t *row)
{
    const char *why = json_string_value(json_object_get(row, "why"));
    point->done = true;
    point->verdict = (enum ts_pipe_verdict)ts_json_integer(row, "verdict");
    point->cycles = (uint64_t)ts_json_integer(row, "cycles");
    point->memory = (uint64_t)ts_json_integer(row, "memory");
    point->chip = (uint64_t)ts_json_integer(row, "chip");
    snprintf(point->why, sizeof point->why, "%.119s", why ? why : "");
}

// Of the program and of --set: results of another one are not taken.
static uint64_t hash_source(const struct ts_tune *self)
{
    uint64_t hash = TS_HASH_START;
    FILE *file = fopen(self->program, "r");
    char piece[4096];
    for (size_t got; file && (got = fread(piece, 1, sizeof piece, file)) > 0;)
        hash = ts_hash_bytes(hash, piece, got);
    if (file)
        fclose(file);
    for (size_t i = 0; self->sets && i < self->sets->count; i++) {
        hash = ts_hash_bytes(hash, self->sets->set[i].key, strlen(self->sets->set[i].key) + 1);
        hash = ts_hash_bytes(hash, self->sets->set[i].value, strlen(self->sets->set[i].value) + 1);
    }
    return hash;
}

static bool beats(const struct ts_tune_point *a, const struct ts_tune_point *b)
{
    return a->cycles <= b->cycles && a->memory <= b->memory &&
           (a->cycles < b->cycles || a->memory < b->memory);
}

// Points that no other beats; of equals the first.
static void mark_front(struct ts_tune *self)
{
    for (size_t i = 0; i < self->count; i++) {
        struct ts_tune_point *point = &self->points[i];
        point->front = point->done && point->verdict == TS_PIPE_PASS;
        for (size_t k = 0; k < self->count && point->front; k++) {
            const struct ts_tune_point *other = &self->points[k];
            if (!other->done || other->verdict != TS_PIPE_PASS || k == i)
                continue;
            bool equal = other->cycles == point->cycles && other->memory == point->memory;
            point->front = !beats(other, point) && !(equal && k < i);
        }
    }
}

static void prove_front(struct ts_tune *self)
{
    struct ts_pipe_proof *proof = ts_pipe_or_die(calloc(1, sizeof *proof));
    for (size_t i = 0; i < self->count; i++) {
        struct sets sets;
        struct ts_pipe_program program;
        struct ts_error error = {0};
        if (!self->points[i].front && i != self->own)
            continue;
        make_sets(self, i, &sets);
        if (ts_pipe_load(&program, self->program, &sets.sets, &error) == TS_OK &&
            ts_pipe_prove(&program, proof, &error) == TS_OK)
            self->points[i].proved = proof->code == TS_OK;
        ts_pipe_program_free(&program);
    }
    free(proof);
}

// The point whose values are those of the program itself.
static void find_own(struct ts_tune *self)
{
    struct ts_error error = {0};
    struct ts_tune bare = {.program = self->program, .sets = self->sets};
    struct ts_tune_point own = {0};
    self->own = self->count;
    run_point(&bare, 0, &own, &error);
    for (size_t i = 0; i < self->count && error.code == TS_OK && self->own == self->count; i++)
        if (self->points[i].done && self->points[i].cycles == own.cycles &&
            self->points[i].memory == own.memory && self->points[i].verdict == own.verdict)
            self->own = i;
}

int ts_tune_run(struct ts_tune *self, struct ts_crew *crew, struct ts_error *error)
{
    size_t count = 1;
    for (unsigned i = 0; i < self->axis_count; i++)
        count *= self->axes[i].count;
    if (count > TS_TUNE_POINTS)
        return ts_fail(error, TS_USAGE, "%zu combinations; at most %d: vary fewer keys", count,
                       TS_TUNE_POINTS);
    self->count = count;
    self->points = ts_pipe_or_die(calloc(count, sizeof *self->points));
    struct ts_crew_list list = {.command = "pipe tune",
                                .unit = "runs",
                                .count = count,
                                .configuration = hash_source(self),
                                .context = self,
                                .key = key_of,
                                .run = run_of};
    int code = ts_crew_run(crew, &list, error);
    if (code != TS_OK || crew->shards)
        return code;
    for (size_t i = 0; i < count; i++) {
        const json_t *row = crew->rows[i];
        if (ts_json_integer(row, "code") != TS_OK)
            return ts_fail(error, (enum ts_code)ts_json_integer(row, "code"), "%s",
                           json_string_value(json_object_get(row, "why")));
        take_row(&self->points[i], row);
    }
    mark_front(self);
    find_own(self);
    prove_front(self);
    return TS_OK;
}

void ts_tune_free(struct ts_tune *self)
{
    free(self->points);
    self->points = NULL;
}
