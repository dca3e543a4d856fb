// Builds the tiles of a plan and the chip around them (launch.h), or puts a plan on tiles that are there: the next program of a
// sequence (platform/run/layer).
#include "platform/run/plan/launch.h"

#include "platform/run/plan/llk.h"
#include "platform/run/plan/metal.h"
#include "platform/run/plan/remedies.h"

// The report shows the first core: one that computes, if there is one.
static void computing_first(struct ts_plan *plan)
{
    for (uint32_t i = 0; i < plan->core_count; i++)
        if (plan->cores[i].kernel[TS_ON_TRISC1] >= 0) {
            if (i == 0)
                return;
            struct ts_plan_core first = plan->cores[i];
            plan->cores[i] = plan->cores[0];
            plan->cores[0] = first;
            return;
        }
}

static struct ts_numbers numbers_of(const struct ts_plan *plan, const struct ts_plan_core *core)
{
    struct ts_numbers to = {.format = TS_DF_BF16,
                            .out_format = TS_DF_BF16,
                            .phases = 1,
                            .repeat = 1,
                            .unit = "tile",
                            .tile = TS_TILE * TS_TILE};
    int math = core->kernel[TS_ON_TRISC1];
    if (math >= 0) {
        const struct ts_plan_kernel *kernel = &plan->kernels[math];
        to.phases = kernel->fidelity == 0 ? 1 : kernel->fidelity;
        to.dst32 = kernel->fp32;
        to.throttle = kernel->throttle;
        to.flips = ts_remedies_nops(plan);
    }
    for (uint32_t i = 0; i < plan->cb_count; i++)
        if (plan->cbs[i].id == 0 && ts_datum_usable(plan->cbs[i].format))
            to.format = to.out_format = plan->cbs[i].format;
    return to;
}

static struct ts_tile **machine_tile(const struct ts_work *work, struct ts_noc_xy at)
{
    return &work->machine[at.y * TS_NOC_WIDTH_MAX + at.x];
}

static bool build(struct ts_work *work, const struct ts_params *params,
                  const struct ts_tile_config *config, struct ts_kernel *kernel,
                  struct ts_error *error)
{
    struct ts_program_run *self = work->program;
    struct ts_tile *tiles[TS_PLAN_CORES + TS_CHIP_ETH];
    struct ts_tile_config own = config ? *config : ts_tile_config_default();
    const struct ts_plan *plan = self->plan;
    const char *prefix = plan->system ? ts_kernel_format(kernel, "chip%u/", plan->chip_id) : "";
    own.free_later = (1u << TS_RV_CORES) - 1;
    for (uint32_t i = 0; i < self->count; i++) {
        struct ts_plan_core *core = &self->plan->cores[i];
        struct ts_job *job = &work->jobs[i];
        job->numbers = numbers_of(plan, core);
        self->cores[i] = (struct ts_launch_core){.run = self, .job = job, .core = core};
        job->kernel = kernel;
        job->program = self;
        job->chip = &work->chip;
        const struct ts_tile_site site = {plan->chip_id, core->raw.x, core->raw.y, -1, prefix};
        job->tile = tiles[i] = work->machine ? *machine_tile(work, core->raw)
                                             : ts_tile_new_on(kernel, &site, &own, error);
        if (job->tile == NULL)
            return false;
        job->domain = job->tile->domain;
        for (unsigned on = 0; on < TS_ON; on++)
            job->kernels[on] = core->kernel[on] >= 0;
        job->loss = self->plan->bare ? NULL : ts_loss_new(job->tile, TS_NODE_GATE + 1);
        work->made++;
        if (self->plan->metal && !ts_metal_add(&self->cores[i], error))
            return false;
        job->flips = plan->flips;
        if (!ts_firmware_add(job, TS_PROGRAM_START, error))
            return false;
    }
    work->shares = true;
    work->eth = self->eth;
    work->eth_loss = self->eth_loss;
    uint32_t count = self->count;
    for (uint32_t i = 0; i < plan->eth_count; i++) {
        const struct ts_plan_eth *eth = &plan->eth[i];
        const struct ts_tile_site site = {plan->chip_id, eth->raw.x, eth->raw.y, (int)eth->channel,
                                          prefix};
        if (self->eth[eth->channel])
            continue;
        self->eth[eth->channel] = tiles[count] = work->machine
                                                     ? *machine_tile(work, eth->raw)
                                                     : ts_tile_new_on(kernel, &site, config, error);
        if (tiles[count] == NULL)
            return false;
        self->eth_loss[eth->channel] = plan->bare ? NULL
                                                  : ts_loss_new(tiles[count], TS_NODE_GATE + 1);
        count++;
    }
    if (work->machine == NULL && ts_chip_init_in(&work->chip, kernel, &plan->soc, params, tiles,
                                                 count, prefix, error) != TS_OK)
        return false;
    for (uint32_t i = 0; i < self->count; i++)
        ts_work_join(work, i,
                     self->plan->cores[i].kernel[TS_ON_NCRISC] >= 0 ? TS_RV_NCRISC : TS_RV_BRISC);
    return true;
}

static struct ts_program_run *new_run(struct ts_plan *plan)
{
    struct ts_program_run *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    self->plan = plan;
    self->count = plan->core_count;
    self->cores = calloc(self->count, sizeof *self->cores);
    self->images = calloc(TS_PLAN_KERNELS * 3 + 3, sizeof *self->images);
    return self;
}

struct ts_work *ts_work_new_program(struct ts_plan *plan, const struct ts_params *params,
                                    const struct ts_tile_config *config, struct ts_kernel *kernel,
                                    struct ts_error *error)
{
    struct ts_work *work = calloc(1, sizeof *work);
    if (work == NULL) {
        ts_plan_free(plan);
        return ts_nothing(error, TS_NO_MEMORY, "out of memory");
    }
    work->plan = plan;
    work->params = params;
    work->jobs = calloc(plan->core_count, sizeof *work->jobs);
    work->program = plan->llk.on ? NULL : new_run(plan);
    const struct ts_program_run *run = work->program;
    if (work->jobs == NULL || (!plan->llk.on && (!run || !run->cores || !run->images))) {
        ts_fail(error, TS_NO_MEMORY, "out of memory");
    } else if (plan->llk.on) {
        if (ts_llk_build(work, config, kernel, error))
            return work;
    } else {
        computing_first(plan);
        if (build(work, params, config, kernel, error))
            return work;
    }
    ts_work_free(work);
    return NULL;
}

void ts_program_free(struct ts_program_run *self)
{
    if (self == NULL)
        return;
    for (uint32_t i = 0; self->cores && i < self->count; i++) {
        for (size_t t = 0; t < self->cores[i].text_count; t++)
            free(self->cores[i].texts[t].text);
        free(self->cores[i].texts);
        free(self->cores[i].names);
        free(self->cores[i].events);
        free(self->cores[i].spans);
    }
    for (uint32_t i = 0; i < TS_CHIP_ETH; i++) {
        ts_loss_free(self->eth_loss[i]);
        ts_tile_free(self->eth[i]);
    }
    for (uint32_t i = 0; self->images && i < self->image_count; i++)
        free(self->images[i].bytes);
    free(self->images);
    free(self->cores);
    free(self->zones);
    free(self);
}

// --- a machine that runs one program after the other ---

struct ts_work *ts_machine_new(const struct ts_soc *soc, const struct ts_tile_site *sites,
                               uint32_t count, const struct ts_params *params,
                               const struct ts_tile_config *config, struct ts_kernel *kernel,
                               struct ts_error *error)
{
    struct ts_tile *tiles[TS_PLAN_CORES + TS_CHIP_ETH];
    struct ts_tile_config own = *config;
    struct ts_work *work = calloc(1, sizeof *work);
    own.free_later = (1u << TS_RV_CORES) - 1;
    if (work)
        work->machine = calloc(TS_NOC_WIDTH_MAX * TS_NOC_HEIGHT_MAX, sizeof *work->machine);
    if (work == NULL || work->machine == NULL)
        ts_fail(error, TS_NO_MEMORY, "out of memory");
    for (uint32_t i = 0; i < count && error->code == TS_OK; i++)
        *machine_tile(work, (struct ts_noc_xy){(uint8_t)sites[i].x, (uint8_t)sites[i].y}) =
            tiles[i] = ts_tile_new_on(kernel, &sites[i], sites[i].channel < 0 ? &own : config,
                                      error);
    if (work)
        work->params = params;
    if (error->code == TS_OK && ts_chip_init_in(&work->chip, kernel, soc, params, tiles, count,
                                                sites->prefix, error) == TS_OK)
        return work;
    ts_work_free(work);
    return NULL;
}

bool ts_machine_put(struct ts_work *work, struct ts_plan *plan, ts_cycle at,
                    struct ts_kernel *kernel, struct ts_error *error)
{
    static const uint8_t zeros[TS_ETH_FREE - TS_ETH_LAUNCH];
    work->plan = plan;
    work->at = at;
    work->jobs = calloc(plan->core_count, sizeof *work->jobs);
    work->program = new_run(plan);
    if (!work->jobs || !work->program || !work->program->cores || !work->program->images)
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    computing_first(plan);
    if (!build(work, work->params, NULL, kernel, error))
        return false;
    for (uint32_t i = 0; i < work->made; i++)
        for (unsigned t = 0; t < TS_THREADS; t++) // figures count the words of this program
            memset(work->jobs[i].tile->front[t].passed, 0,
                   sizeof work->jobs[i].tile->front[t].passed);
    for (uint32_t i = 0; i < TS_CHIP_ETH; i++) // counters of channels begin at 0
        if (work->program->eth[i]) {
            memset(work->program->eth[i]->overlay, 0, sizeof work->program->eth[i]->overlay);
            ts_l1_write(&work->program->eth[i]->l1, TS_ETH_LAUNCH, zeros, sizeof zeros, at);
        }
    return true;
}

bool ts_machine_ended(const struct ts_work *work)
{
    for (uint32_t i = 0; i < work->plan->eth_count; i++) {
        const struct ts_plan_eth *eth = &work->plan->eth[i];
        uint32_t done;
        memcpy(&done,
               work->program->eth[eth->channel]->l1.bytes + TS_ETH_LAUNCH +
                   offsetof(struct ts_eth_launch, core[eth->core].done),
               sizeof done);
        if (done != TS_ETH_DONE)
            return false;
    }
    return true;
}

void ts_machine_take(struct ts_work *work, ts_cycle now)
{
    for (uint32_t i = 0; i < TS_CHIP_ETH; i++) {
        struct ts_tile *tile = work->program->eth[i];
        for (unsigned core = 0; tile && core < TS_RV_CORES; core++)
            ts_tile_hold(tile, core, tile->domain->now > now ? tile->domain->now : now);
        work->program->eth[i] = NULL; // the machine's
    }
    work->eth = NULL;
    work->eth_loss = NULL;
    for (uint32_t i = 0; i < work->made; i++) {
        struct ts_tile *tile = work->jobs[i].tile;
        for (unsigned core = 0; core < TS_RV_CORES; core++) {
            ts_rv_core_let_go(&tile->cores[core]);
            ts_tile_hold(tile, core, tile->domain->now > now ? tile->domain->now : now);
            ts_rv_core_guard(&tile->cores[core], 0, 0);
            tile->programs[core] = (struct ts_tile_program){.bytes = NULL};
            tile->args[core] = (struct ts_tile_args){.kernel = NULL};
        }
        for (unsigned watches = 0; watches < 3; watches++)
            ts_l1_watch_remove(&tile->l1, &work->program->cores[i]);
        tile->names = NULL;
        tile->name_count = tile->buffer_count = 0;
        ts_loss_free(work->jobs[i].loss);
    }
    ts_marks_free(&work->marks);
    ts_program_free(work->program);
    ts_plan_free(work->plan);
    ts_loss_account_free(work->loss);
    free(work->results);
    free(work->jobs);
    work->marks = (struct ts_marks){.kernel = NULL};
    work->program = NULL;
    work->plan = NULL;
    work->loss = NULL;
    work->results = NULL;
    work->jobs = NULL;
    work->made = 0;
    work->traced = false;
}
