// Points of a sweep over a TPUSH/TPOP program (tune.h).
#include "platform/study/pipe/tune.h"

#include "platform/base/json.h"
#include "platform/study/pipe/prove.h"

// --- memory ---

// Bytes that a program takes: ring slots in GM; tiles and buffers in UB (of one Vector core), L1, and L0 with the accumulator.
struct memory {
    uint64_t gm, ub, l1, l0;
};

static struct memory memory_of(const struct ts_pipe_program *program)
{
    const struct ts_machine *machine = &program->machine;
    struct memory memory = {0};
    for (uint32_t i = 0; i < machine->tile_count; i++) {
        const struct ts_tile_decl *tile = &machine->tiles[i];
        if (tile->bound)
            continue; // lies in a ring's buffer
        *(tile->mem == TS_MEM_UB   ? &memory.ub
          : tile->mem == TS_MEM_L1 ? &memory.l1
                                   : &memory.l0) += ts_tile_bytes(tile) * tile->count;
    }
    for (uint32_t i = 0; i < machine->pipe_count; i++) {
        const struct ts_ring_config *pipe = &machine->pipes[i];
        const uint64_t local = ts_ring_local_bytes(pipe, machine->profile);
        if (ts_ring_path(pipe, machine->profile) == TS_PATH_GM)
            memory.gm += ts_ring_gm_bytes(pipe);
        memory.ub += ts_direction_has(pipe->direction, true) ? local : 0;
        memory.l1 += ts_direction_has(pipe->direction, false) ? local : 0;
    }
    return memory;
}

static uint64_t on_chip(const struct memory *memory)
{
    return 2 * memory->ub + memory->l1 + memory->l0;
}

static uint64_t total(const struct memory *memory)
{
    return on_chip(memory) + memory->gm;
}

// --- axes ---

// Depths that are legal for a pipe, and safe by its credits.
static void vary_depth(const struct ts_pipe_program *program, const struct ts_ring_config *pipe,
                       char text[TS_TUNE_AXIS])
{
    static const unsigned depths[] = {1, 2, 3, 4, 6, 8, 12, 16};
    bool few = program->machine.pipe_count > 1;
    unsigned most = !pipe->tmpipe ? 15 : program->machine.profile == TS_PROFILE_A5 ? 16 : 8;
    snprintf(text, TS_TUNE_AXIS, "pipes.%s.%s", pipe->name, pipe->tmpipe ? "depth" : "slots");
    char before = '=';
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        bool power = (depths[i] & (depths[i] - 1)) == 0;
        if (depths[i] < (pipe->tmpipe ? 2 : 1) || depths[i] > most || (few && !power))
            continue;
        ts_append(text, TS_TUNE_AXIS, "%c%u", before, depths[i]);
        before = ',';
    }
}

bool ts_tune_axes(const char *path, ts_tune_axis *add, void *context, struct ts_error *error)
{
    struct ts_pipe_program program;
    unsigned count = 0;
    char text[TS_TUNE_AXIS];
    const bool good = ts_pipe_load(&program, path, NULL, NULL, error) == TS_OK;
    const struct ts_machine *machine = &program.machine;
    for (uint32_t i = 0; good && i < program.axis_count; i++, count++) {
        const struct ts_pipe_axis *axis = &program.axes[i];
        snprintf(text, sizeof text, "%s", axis->key);
        for (unsigned k = 0; k < axis->count; k++)
            ts_append(text, sizeof text, "%c%s", k ? ',' : '=', axis->value[k]);
        add(context, text);
    }
    const bool own = count > 0;
    for (uint32_t i = 0; good && !own && i < machine->pipe_count && count < TS_PIPE_AXES; i++) {
        vary_depth(&program, &machine->pipes[i], text);
        add(context, text);
        count++;
    }
    for (uint32_t i = 0; good && !own && i < machine->pipe_count && count < TS_PIPE_AXES; i++)
        if (ts_ring_path(&machine->pipes[i], machine->profile) == TS_PATH_GM &&
            machine->pipe_count <= 2) {
            snprintf(text, sizeof text, "pipes.%s.local_slots=1,2,4", machine->pipes[i].name);
            add(context, text);
            count++;
        }
    ts_pipe_program_free(&program);
    if (good && count == 0)
        ts_fail(error, TS_SETUP,
                "%s: nothing to vary: it has no pipe and no `tune`; name keys: KEY=VALUE,VALUE...",
                path);
    return good && count > 0;
}

// --- one point ---

static void finding_names(const struct ts_pipe_run *run, char *text, size_t size)
{
    text[0] = '\0';
    for (int id = 0; id < TS_FINDING_COUNT; id++)
        if (run->findings.seen[id])
            ts_append(text, size, "%s%s", text[0] ? " " : "", ts_finding_rows[id].code);
}

void ts_tune_row(const char *path, const char *const *settings, size_t count, json_t *row)
{
    struct ts_pipe_program program;
    struct ts_pipe_run *run = ts_pipe_or_die(calloc(1, sizeof *run));
    struct ts_error error = {0};
    if (ts_pipe_load_set(&program, path, settings, count, &error) == TS_OK)
        ts_pipe_run_alone(run, &program, 1, &error);
    json_object_set_new(row, "code", json_integer(error.code));
    if (error.code != TS_OK) {
        json_object_set_new(row, "error", json_string(error.text));
    } else {
        const struct memory memory = memory_of(&program);
        char findings[600];
        finding_names(run, findings, sizeof findings);
        ts_json_more(row, "{s:s, s:I, s:I, s:I, s:s, s:s}", "verdict",
                     ts_pipe_verdict_names[run->verdict], "cycles", (json_int_t)run->run.cycle,
                     "memory", (json_int_t)total(&memory), "on_chip", (json_int_t)on_chip(&memory),
                     "findings", findings, "why", run->why);
    }
    ts_pipe_run_free_alone(run);
    ts_pipe_program_free(&program);
    free(run);
}

bool ts_tune_cycles(const char *path, const char *const *settings, size_t count, double cycles[2],
                    struct ts_error *error)
{
    struct ts_pipe_program program;
    struct ts_pipe_run *run = ts_pipe_or_die(calloc(1, sizeof *run));
    if (ts_pipe_load_set(&program, path, settings, count, error) == TS_OK &&
        ts_pipe_run_alone(run, &program, 1, error) == TS_OK) {
        cycles[0] = (double)run->run.cycle;
        cycles[1] = (double)run->cluster->core[TS_CORE_AIV0].lane[TS_LANE_V].work_cycles;
    } else if (error->code == TS_OK) {
        ts_fail(error, ts_pipe_verdict_code(run->verdict), "%s: %s", path, run->why);
    }
    ts_pipe_run_free_alone(run);
    ts_pipe_program_free(&program);
    free(run);
    return error->code == TS_OK;
}

bool ts_tune_check(const char *path, const char *const *settings, size_t count,
                   struct ts_error *error)
{
    struct ts_pipe_program program;
    const bool good = ts_pipe_load_set(&program, path, settings, count, error) == TS_OK;
    ts_pipe_program_free(&program);
    return good;
}

bool ts_tune_proved(const char *path, const char *const *settings, size_t count)
{
    struct ts_pipe_program program;
    struct ts_pipe_proof *proof = ts_pipe_or_die(calloc(1, sizeof *proof));
    struct ts_error error = {0};
    const bool proved = ts_pipe_load_set(&program, path, settings, count, &error) == TS_OK &&
                        ts_pipe_prove(&program, proof, &error) == TS_OK && proof->code == TS_OK;
    ts_pipe_program_free(&program);
    free(proof);
    return proved;
}
