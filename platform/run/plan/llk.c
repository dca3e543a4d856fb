// Puts low-level kernels on their tiles and starts them (llk.h).
#include "platform/run/plan/llk.h"

#include "platform/run/guest.h"
#include "platform/tile/buffers.h"
#include "platform/tile/names.h"

// --- building ---

// What the accounts ask, from the arguments of the kernel and the file.
static void read_numbers(struct ts_plan *plan, struct ts_numbers *to)
{
    const struct ts_plan_scope scope = {.plan = plan};
    struct ts_yaml_node unit = ts_yaml_require(ts_yaml_root(&plan->yaml), "unit"), error = unit;
    uint32_t args[TS_ARGS] = {0};
    double units = 1, mvmuls = 0;
    ts_llk_args(plan, 0, args);
    *to = (struct ts_numbers){.phases = args[TS_ARG_PHASES],
                              .throttle = args[TS_ARG_THROTTLE],
                              .flips = plan->flips[0].at != 0,
                              .dst32 = args[TS_ARG_DST32],
                              .run_type = (enum ts_run_type)args[TS_ARG_RUN_TYPE],
                              .repeat = args[TS_ARG_REPEAT],
                              .unit = ts_yaml_text(ts_yaml_key(unit, 0), ""),
                              .flops = (uint64_t)plan->flops,
                              .tile = 256 * (args[TS_ARG_FACES] & 15) * (args[TS_ARG_FACES] >> 4)};
    ts_plan_number(&scope, ts_yaml_value(unit, 0), 1, 1e15, &units);
    if (ts_yaml_find(unit, "mvmuls").node)
        ts_plan_number(&scope, ts_yaml_find(unit, "mvmuls"), 1, 1e15, &mvmuls);
    to->units = (uint64_t)units;
    to->mvmuls = (uint64_t)mvmuls;
    for (uint32_t i = 0; i < plan->cb_count; i++) {
        if (plan->cbs[i].id == TS_CB_IN0)
            to->format = plan->cbs[i].format;
        if (plan->cbs[i].id == TS_CB_OUT)
            to->out_format = plan->cbs[i].format;
    }
    for (uint32_t i = 0; i < plan->tensor_count; i++)
        if (plan->tensors[i].expected) {
            error = ts_yaml_find(plan->tensors[i].node, "error");
            to->rows = plan->tensors[i].rows;
            to->inner = plan->tensors[i].columns * plan->tensors[0].columns;
        }
    static const char *const parts[] = {"products", "terms", "copies", "more"};
    double *const values[] = {&to->products, &to->terms, &to->copies, &to->more};
    for (unsigned i = 0; i < 4; i++)
        if (ts_yaml_is_map(error) && ts_yaml_find(error, parts[i]).node)
            ts_plan_real(&scope, ts_yaml_find(error, parts[i]), values[i]);
}

bool ts_llk_build(struct ts_work *work, const struct ts_tile_config *from, struct ts_kernel *kernel,
                  struct ts_error *error)
{
    struct ts_plan *plan = work->plan;
    struct ts_tile *tiles[TS_PLAN_CORES];
    struct ts_tile_config config = from ? *from : ts_tile_config_default();
    struct ts_numbers numbers;
    plan->yaml.error = error;
    read_numbers(plan, &numbers);
    // SETDVALID hands over banks without data here, as in the vendor's harness.
    if (numbers.run_type == TS_RUN_MATH_ISOLATE &&
        (config.lints == 0 || config.lints == ts_lints_default()))
        config.lints = ts_lints_default() & ~TS_LINT_BIT(TS_REPORT_SETDVALID);
    config.free_later = 7u << TS_RV_TRISC0;
    work->shares = !plan->llk.lone;
    work->each = (double)numbers.units * numbers.repeat;
    for (uint32_t i = 0; i < plan->core_count && error->code == TS_OK; i++) {
        struct ts_job *job = &work->jobs[i];
        *job = (struct ts_job){.numbers = numbers,
                               .chip = plan->llk.lone ? NULL : &work->chip,
                               .kernel = kernel,
                               .flips = plan->flips};
        work->made++; // frees a partial build too
        job->tile = tiles[i] = ts_tile_new_at(kernel, plan->cores[i].raw.x, plan->cores[i].raw.y,
                                              &config, error);
        if (job->tile == NULL)
            return false;
        job->domain = job->tile->domain;
        job->loss = plan->bare ? NULL : ts_loss_new(job->tile, ts_job_timed[numbers.run_type].node);
        ts_firmware_add(job, TS_NEVER, error);
    }
    if (error->code == TS_OK && work->shares &&
        ts_chip_init(&work->chip, kernel, &plan->soc, work->params, tiles, plan->core_count,
                     error) == TS_OK)
        for (uint32_t i = 0; i < plan->core_count; i++)
            ts_work_join(work, i, TS_RV_NCRISC);
    return error->code == TS_OK;
}

// --- launch ---

static bool load(const struct ts_plan *plan, struct ts_job *job, struct ts_error *error)
{
    bool good = true;
    for (unsigned p = 0; p < TS_ON && good; p++) {
        char name[96];
        ts_llk_image(plan, p, name, sizeof name);
        const struct ts_guest_program *image = ts_guest_find(name);
        job->tile->programs[ts_processor_core[p]].bytes = image->bytes;
        job->tile->programs[ts_processor_core[p]].length = image->length;
        good = ts_guest_load(&job->tile->l1, name, image->bytes, image->length, NULL, error);
    }
    return good;
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

// The done word ends the run. Before it, each core says that it has done its part.
static void done_written(void *context, uint32_t address, uint32_t length, ts_cycle at)
{
    (void)address, (void)length;
    ts_job_written(context, SYNC(0), TS_L1_LAUNCH + offsetof(struct ts_launch, done), TS_DONE_WORD,
                   at);
}

// Where the channels of DRAM are, on both networks.
static void write_channels(struct ts_job *job)
{
    const struct ts_soc *soc = &job->chip->soc;
    uint32_t where[TS_NOC_COUNT][TS_DRAM_CHANNELS];
    for (uint32_t channel = 0; channel < TS_DRAM_CHANNELS; channel++)
        for (uint32_t noc = 0; noc < TS_NOC_COUNT; noc++) {
            struct ts_noc_xy xy = ts_soc_logical(soc, ts_soc_worker_endpoint(soc, channel, noc));
            where[noc][channel] = xy.x | (uint32_t)xy.y << 6;
        }
    ts_l1_write(&job->tile->l1, TS_L1_DRAM, where, sizeof where, 0);
}

static bool start_core(struct ts_work *work, uint32_t core, struct ts_error *error)
{
    struct ts_plan *plan = work->plan;
    struct ts_job *job = &work->jobs[core];
    struct ts_l1 *l1 = &job->tile->l1;
    struct ts_launch launch = {.x = job->tile->x, .y = job->tile->y};
    const uint32_t zero = 0;
    ts_llk_args(plan, core, launch.args);
    for (uint32_t i = 0; i < plan->cb_count; i++) {
        const struct ts_plan_cb *cb = &plan->cbs[i];
        if (cb->id == TS_CBS)
            continue;
        launch.cb[cb->id] = (struct ts_cb_config){cb->address, cb->pages, cb->page, cb->format};
        launch.used |= 1u << cb->id;
    }
    if (job->chip)
        write_channels(job);
    if (!job->tile->config.timing_only && !ts_llk_store(work, core, error))
        return false;
    if (!load(plan, job, error))
        return false;
    ts_l1_write(l1, TS_L1_LAUNCH, &launch, sizeof launch, 0);
    name_buffers(job, &launch);
    ts_l1_write(l1, TS_L1_THROTTLE, &zero, 4, 0);
    ts_l1_watch_add(
        l1, &(struct ts_l1_watch){.granule = TS_L1_LAUNCH / TS_L1_GRANULE,
                                  .more = offsetof(struct ts_launch, sync[3]) / TS_L1_GRANULE,
                                  .port = UINT32_MAX,
                                  .written = done_written,
                                  .context = job,
                                  .stops = true});
    ts_job_window_watch(job);
    return ts_tile_start(job->tile, TS_RV_BRISC, TS_L1_BRISC, 0, error);
}

bool ts_llk_start(struct ts_work *work, struct ts_error *error)
{
    work->plan->yaml.error = error;
    for (uint32_t i = 0; i < work->made; i++)
        if (!start_core(work, i, error))
            return false;
    return error->code == TS_OK;
}
