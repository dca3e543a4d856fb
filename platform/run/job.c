// Launches guest kernels (job.h); their results: job_result.c.
#include "platform/run/job.h"

#include "platform/run/firmware.h"
#include "platform/run/formats.h"
#include "platform/run/grid.h"
#include "platform/run/guest.h"
#include "platform/run/loss.h"
#include "platform/run/marks.h"
#include "platform/run/window.h"
#include "platform/tile/buffers.h"
#include "platform/tile/watchdog.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ts_job_spec_default(struct ts_job_spec *spec, const char *program)
{
    const struct ts_job_kind *kind = ts_job_kind_find(program);
    *spec = (struct ts_job_spec){
        .program = program,
        .op = kind && kind->ops ? kind->ops[0] : NULL,
        .broadcast = "none",
        .m = 128,
        .n = 128,
        .k = 128,
        .tile_h = TS_TILE,
        .tile_w = TS_TILE,
        .format = TS_DF_BF16,
        .out_format = TS_DF_BF16,
        .phases = 1,
        .repeat = 1,
        .seed = 1,
        .spread = 1,
        .tiles = 1,
    };
}

// --- set-up
// ---------------------------------------------------------------------------------------------------------

// The tiles of operands and result.
static void set_tiles(struct ts_job *job)
{
    const struct ts_job_spec *s = &job->spec;
    bool product = strncmp(s->program, "matmul", 6) == 0,
         turns = strcmp(s->program, "transpose") == 0;
    for (unsigned i = 0; i < TS_JOB_OPERANDS; i++) {
        job->in[i].tile_rows = product && i == 1 ? TS_TILE : s->tile_h;
        job->in[i].tile_columns = product && i == 0 ? TS_TILE : s->tile_w;
    }
    job->out.tile_rows = turns ? s->tile_w : s->tile_h;
    job->out.tile_columns = turns ? s->tile_h : s->tile_w;
}

static bool check_spec(struct ts_job *job, struct ts_error *error)
{
    const struct ts_job_spec *s = &job->spec;
    char text[256] = "";
    if (s->m == 0 || s->n == 0 || s->k == 0 || s->m % s->tile_h || s->n % s->tile_w ||
        s->k % TS_TILE) {
        ts_fail(error, TS_USAGE, "shape %ux%ux%u: multiples of %u, %u and %u elements", s->m, s->n,
                s->k, s->tile_h, s->tile_w, TS_TILE);
        return false;
    }
    const char *refused = ts_integers_refused(s);
    if (refused) {
        ts_fail(error, TS_NOT_IMPLEMENTED, "not implemented: %s of %s to %s: %s", s->program,
                ts_datum_name(s->format), ts_datum_name(s->out_format), refused);
        return false;
    }
    if (s->throttle > 5 || s->phases < 1 || s->phases > 4 || s->repeat == 0) {
        ts_fail(error, TS_USAGE, "throttle 0 to 5, fidelity phases 1 to 4, at least one pass");
        return false;
    }
    if (s->grid_rows && strcmp(s->program, "matmul") != 0) {
        ts_fail(error, TS_NOT_IMPLEMENTED, "not implemented: %s over a grid of tiles", s->program);
        return false;
    }
    if (s->run_type != TS_RUN_L1_TO_L1 && strncmp(s->program, "matmul_", 7) == 0) {
        ts_fail(error, TS_NOT_IMPLEMENTED, "not implemented: isolated runs of %s", s->program);
        return false;
    }
    if (job->kind->ops && ts_job_op_index(job->kind, s->op) < 0) {
        ts_fail(error, TS_USAGE, "%s: no operation \"%s\"", s->program, s->op ? s->op : "");
        return false;
    }
    if (!job->kind->shape(job, text, sizeof text)) {
        ts_fail(error, *text ? TS_USAGE : TS_NO_MEMORY, "%s", *text ? text : "out of memory");
        return false;
    }
    set_tiles(job);
    return true;
}

bool ts_job_build(struct ts_job *job, const struct ts_job_spec *spec, struct ts_kernel *kernel,
                  struct ts_error *error)
{
    memset(job, 0, sizeof *job);
    job->spec = *spec;
    if (job->spec.blocks == 0)
        job->spec.blocks = 1;
    job->kernel = kernel;
    job->kind = ts_job_kind_find(spec->program);
    if (!job->kind) {
        ts_fail(error, TS_USAGE, "no kernel \"%s\"", spec->program);
        return false;
    }
    if (!check_spec(job, error))
        return false;
    // Worker tiles, row by row.
    uint32_t x = ts_grid_x(spec->tile % TS_GRID_COLUMNS),
             y = TS_GRID_Y + spec->tile / TS_GRID_COLUMNS;
    if (spec->grid_rows) {
        x = ts_grid_x(spec->grid_column);
        y = TS_GRID_Y + spec->grid_row;
    }
    struct ts_tile_config config = spec->tile_config ? *spec->tile_config
                                                     : ts_tile_config_default();
    config.timing_only = spec->timing_only;
    if (spec->step_by_step)
        config.run_ahead = config.park = false;
    config.perturb_seed = spec->perturb_seed;
    config.perturb_max = spec->perturb_max;
    config.perturb_holds = spec->perturb_holds;
    config.strict = spec->strict;
    config.lints = spec->lints;
    // SETDVALID hands over banks without data here, as in the vendor's harness.
    if (spec->lints == 0 && spec->run_type == TS_RUN_MATH_ISOLATE)
        config.lints = ts_lints_default() & ~TS_LINT_BIT(TS_REPORT_SETDVALID);
    config.unchecked = spec->unchecked;
    config.free_later = 7u << TS_RV_TRISC0;
    job->tile = ts_tile_new_at(kernel, x, y, &config, error);
    if (job->tile == NULL)
        return false;
    job->domain = job->tile->domain;
    job->loss = ts_loss_new(job->tile, ts_job_timed[spec->run_type].node);
    return ts_firmware_add(job, error);
}

// --- launch
// -----------------------------------------------------------------------------------------------------------

static bool load(struct ts_job *job, const char *name, const char *core, struct ts_error *error)
{
    char full[96];
    snprintf(full, sizeof full, "%s.%s", name, core);
    const struct ts_guest_program *program = ts_guest_find(full);
    if (!program) {
        ts_fail(error, TS_SETUP, "no guest program \"%s\"", full);
        return false;
    }
    static const char *const cores[TS_RV_CORES] = {"brisc", "unpack", "math", "pack", "ncrisc"};
    for (unsigned i = 0; i < TS_RV_CORES; i++)
        if (strcmp(cores[i], core) == 0) {
            job->tile->programs[i].bytes = program->bytes;
            job->tile->programs[i].length = program->length;
        }
    return ts_guest_load(&job->tile->l1, full, program->bytes, program->length, NULL, error);
}

uint32_t ts_job_elements(const struct ts_matrix *matrix)
{
    return ts_tile_rows(matrix) * ts_tile_columns(matrix);
}

// Words of grid kernels (cores/guest/include/grid.h), and where BRISC sees the others end.
#define WORD(at, text)          \
    {                           \
        (at), 4, 0, false, text \
    }
#define SYNC(core) (TS_L1_LAUNCH + offsetof(struct ts_launch, sync) + 4 * (core))
static const struct ts_tile_name words[] = {
    WORD(TS_L1_SEMAPHORES, "semaphore in0_ready"),
    WORD(TS_L1_SEMAPHORES + 0x10, "semaphore in0_valid"),
    WORD(TS_L1_SEMAPHORES + 0x40, "semaphore in1_ready"),
    WORD(TS_L1_SEMAPHORES + 0x50, "semaphore in1_valid"),
    WORD(SYNC(0), "launch word of ncrisc"),
    WORD(SYNC(1), "launch word of trisc0"),
    WORD(SYNC(2), "launch word of trisc1"),
    WORD(SYNC(3), "launch word of trisc2"),
};

// Registers the rings, for lints and hangs.
static void name_buffers(struct ts_job *job, const struct ts_launch *launch)
{
    job->tile->names = words;
    job->tile->name_count = sizeof words / sizeof *words;
    for (unsigned i = 0; i < TS_CBS; i++) {
        char name[16];
        if (launch->cb[i].tiles == 0)
            continue;
        snprintf(name, sizeof name, "c_%u", i);
        ts_buffers_add(job->tile, name, TS_L1_LAUNCH + offsetof(struct ts_launch, received) + 4 * i,
                       TS_L1_LAUNCH + offsetof(struct ts_launch, acked) + 4 * i,
                       launch->cb[i].tiles);
    }
}

bool ts_job_ring(struct ts_cb_config *cb, uint32_t *at, uint32_t tiles, uint32_t elements,
                 unsigned format, struct ts_error *error)
{
    *cb = (struct ts_cb_config){*at, tiles, ts_datum_bytes(format, elements), format};
    *at += tiles * cb->tile_bytes;
    if (*at > TS_L1_EVENTS) {
        ts_fail(error, TS_USAGE, "operands and result need %u KiB of L1, there are %u",
                (*at - TS_L1_DATA) / 1024, (TS_L1_EVENTS - TS_L1_DATA) / 1024);
        return false;
    }
    return true;
}

// Partial sums of a matmul in blocks: in the result's place, if they have its format.
static bool place_partials(struct ts_job *job, struct ts_launch *launch, uint32_t *at,
                           struct ts_error *error)
{
    unsigned format;
    if (!ts_job_partials(&job->spec, &format))
        return true;
    if (format == job->spec.out_format) {
        launch->cb[TS_CB_PARTIALS] = launch->cb[TS_CB_OUT];
        return true;
    }
    return ts_job_ring(&launch->cb[TS_CB_PARTIALS], at, ts_tile_count(&job->out),
                       ts_job_elements(&job->out), format, error);
}

void ts_job_values(struct ts_job *job, unsigned i)
{
    struct ts_matrix *matrix = &job->in[i];
    if (job->spec.grid_rows) {
        ts_grid_values(job, i);
        return;
    }
    ts_matrix_random(matrix, job->spec.seed * 1000003 + i);
    bool integers = ts_datum_integer(job->spec.format);
    double scale = job->spec.format == TS_DF_INT8 ? 32 : 4096; // the range of a byte, or more
    bool reduce = strcmp(job->kind->name, "reduce") == 0 && i == 1;
    bool norm = strcmp(job->kind->name, "norm") == 0 && i == 1;
    for (uint32_t p = 0; p < matrix->rows * matrix->columns; p++) {
        double *value = &matrix->at[p];
        if (i == 0)
            *value = *value * job->spec.spread + job->spec.mean;
        if (integers)
            *value *= scale;
        // The second operand of a reduction: ones, for sums in the first row only (each row would
        // give a row of sums).
        if (reduce)
            *value = p < matrix->columns || strcmp(job->spec.op, "sum") != 0;
        if (norm)
            *value = 1;
    }
}

static bool fill_operand(struct ts_job *job, unsigned i, struct ts_launch *launch, uint32_t *at,
                         struct ts_error *error)
{
    struct ts_matrix *matrix = &job->in[i];
    // If a kernel uses an operand's tiles repeatedly, the ring holds them as often.
    uint32_t tiles = ts_tile_count(matrix);
    bool repeats = job->kind->arguments && strncmp(job->kind->name, "matmul_", 7) == 0;
    if (repeats)
        tiles = (uint32_t)job->kind->work(job);
    uint32_t bytes = ts_datum_bytes(job->spec.format, ts_job_elements(matrix));
    job->address[i] = *at;
    if (!ts_job_ring(&launch->cb[i], at, tiles, ts_job_elements(matrix), job->spec.format, error))
        return false;
    if (job->spec.timing_only)
        return true;
    ts_job_values(job, i);
    if (job->kind->rows_in) {
        ts_rows_encode(matrix, job->spec.format, job->tile->l1.bytes + job->address[i]);
        return true;
    }
    uint8_t buffer[4096];
    for (uint32_t t = 0; t < tiles; t++) {
        uint32_t row, column;
        job->kind->operand_tile(job, i, t, &row, &column);
        ts_tile_encode(matrix, row, column, job->spec.format, buffer);
        ts_l1_write(&job->tile->l1, job->address[i] + t * bytes, buffer, bytes, 0);
    }
    return true;
}

void ts_job_keep(struct ts_job *job, const uint32_t sync[4])
{
    static const uint8_t cores[4] = {TS_RV_NCRISC, TS_RV_TRISC0, TS_RV_TRISC1, TS_RV_TRISC2};
    const bool begun = !job->quoted || job->marks->begin.cycle != 0;
    for (unsigned i = 0; i < 4; i++) {
        struct ts_rv_core *core = &job->tile->cores[cores[i]];
        if (sync[i] != (begun ? TS_SYNC_DONE : TS_SYNC_GO) || (begun && ts_rv_core_view(core).held))
            continue;
        if (begun) {
            ts_rv_core_keep(core);
            continue;
        }
        ts_rv_core_note(core);
        ts_rv_core_note(&job->tile->cores[TS_RV_BRISC]);
    }
}

// The done word ends the run. Before it, each core says that it has done its part.
static void done_written(void *context, uint32_t address, uint32_t length, ts_cycle at)
{
    struct ts_job *job = context;
    const uint8_t *block = job->tile->l1.bytes + TS_L1_LAUNCH;
    uint32_t sync[4], done;
    (void)address, (void)length;
    memcpy(sync, block + offsetof(struct ts_launch, sync), sizeof sync);
    memcpy(&done, block + offsetof(struct ts_launch, done), sizeof done);
    ts_job_keep(job, sync);
    if (done != TS_DONE_WORD || job->done != 0)
        return;
    job->done = at;
    ts_rv_core_keep(&job->tile->cores[TS_RV_BRISC]); // other tiles may go on
    ts_break(&job->tile->cores[TS_RV_BRISC].component, at);
}

bool ts_job_start(struct ts_job *job, struct ts_error *error)
{
    const struct ts_job_spec *s = &job->spec;
    struct ts_launch launch = {.x = job->tile->x, .y = job->tile->y};
    launch.args[TS_ARG_RUN_TYPE] = s->run_type;
    launch.args[TS_ARG_REPEAT] = s->repeat;
    launch.args[TS_ARG_PHASES] = s->phases;
    launch.args[TS_ARG_THROTTLE] = s->throttle;
    launch.args[TS_ARG_DST32] = s->dst32;
    launch.args[TS_ARG_TRANSPOSE] = s->transposed;
    launch.args[TS_ARG_TO_DST] = s->to_dst;
    launch.args[TS_ARG_FACES] = s->tile_h / 16 | s->tile_w / 16 << 4;
    job->kind->arguments(job, launch.args);
    uint32_t at = TS_L1_DATA;
    if (s->grid_rows && !ts_grid_place(job, &launch, &at, error))
        return false;
    for (unsigned i = 0; i < TS_JOB_OPERANDS && !s->grid_rows; i++)
        if (job->in[i].rows && !fill_operand(job, i, &launch, &at, error))
            return false;
    job->out_address = at;
    if (!ts_job_ring(&launch.cb[TS_CB_OUT], &at, ts_tile_count(&job->out),
                     ts_job_elements(&job->out), s->out_format, error) ||
        !place_partials(job, &launch, &at, error))
        return false;
    for (unsigned i = 0; job->kind->middle && job->kind->middle(job, i) != 0; i++)
        if (!ts_job_ring(&launch.cb[24 + i], &at, job->kind->middle(job, i), TS_TILE * TS_TILE,
                         s->out_format, error))
            return false;
    char image[32], pack[32];
    ts_job_image(s, image, sizeof image);
    ts_job_pack_image(s, pack, sizeof pack);
    if (!load(job, s->grid_rows ? "writer_grid" : job->kind->writer, "brisc", error) ||
        !load(job, s->grid_rows ? "reader_grid" : job->kind->reader, "ncrisc", error) ||
        !load(job, image, "unpack", error) || !load(job, image, "math", error) ||
        !load(job, pack, "pack", error))
        return false;
    for (unsigned i = 0; i < TS_CBS; i++)
        launch.used |= (uint32_t)(launch.cb[i].tiles != 0) << i;
    ts_l1_write(&job->tile->l1, TS_L1_LAUNCH, &launch, sizeof launch, 0);
    name_buffers(job, &launch);
    uint32_t zero = 0;
    ts_l1_write(&job->tile->l1, TS_L1_THROTTLE, &zero, 4, 0);
    ts_l1_watch_add(&job->tile->l1, &(struct ts_l1_watch){
                                        .granule = TS_L1_LAUNCH / TS_L1_GRANULE,
                                        .more = offsetof(struct ts_launch, sync[3]) / TS_L1_GRANULE,
                                        .port = UINT32_MAX,
                                        .written = done_written,
                                        .context = job,
                                        .stops = true});
    ts_job_window_watch(job);
    return ts_tile_start(job->tile, TS_RV_BRISC, TS_L1_BRISC, 0, error);
}

void ts_job_free(struct ts_job *job)
{
    for (unsigned i = 0; i < TS_JOB_OPERANDS; i++)
        ts_matrix_free(&job->in[i]);
    ts_matrix_free(&job->out);
    ts_matrix_free(&job->want);
    ts_loss_free(job->loss);
    job->loss = NULL;
    ts_tile_free(job->tile);
    job->tile = NULL;
}

bool ts_job_run(const struct ts_job_spec *spec, ts_cycle limit, struct ts_job_result *result)
{
    struct ts_error error = {0};
    struct ts_job *job = malloc(sizeof *job);
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    memset(result, 0, sizeof *result);
    bool ready = job != NULL && kernel != NULL;
    if (ready) {
        ready = ts_job_build(job, spec, kernel, &error) &&
                ts_kernel_elaborate(kernel, &error) == TS_OK && ts_job_start(job, &error);
        if (ready) {
            struct ts_run run = ts_watched_run(kernel, limit);
            ts_job_finish(job, &run, result);
        } else {
            result->code = error.code ? error.code : TS_SETUP;
            snprintf(result->text, sizeof result->text, "%s", error.text);
        }
        ts_job_free(job);
    }
    free(job);
    if (kernel)
        ts_kernel_free(kernel);
    return ready;
}
