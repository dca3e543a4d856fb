// Puts a plan on a chip and starts it (launch.h).
#include "platform/run/plan/launch.h"

#include "platform/load/loader.h"
#include "platform/run/guest.h"
#include "platform/run/plan/captured.h"
#include "platform/run/plan/data.h"
#include "platform/tile/buffers.h"
#include "platform/tile/names.h"

// --- what kernels tell the host ---

// A kernel begins or ends: so do the accounts of its tile's cycles.
static void account(struct ts_job *job, const struct ts_launch_event *event, ts_cycle now)
{
    struct ts_loss *loss = job->loss;
    bool begin = event->type == TS_ZONE_BEGIN;
    if (event->id != TS_ZONE_WHOLE)
        return;
    if (begin) {
        ts_tile_free_core(job->tile, ts_processor_core[event->processor]);
        ts_marks_begin(job->marks, &job->tile->cores[TS_RV_BRISC].component, now);
    }
    if (loss == NULL)
        return;
    if (event->processor == TS_ON_TRISC1)
        (begin ? ts_loss_begin : ts_loss_end)(&loss->compute, event->cycle, now);
    (begin ? ts_loss_begin : ts_loss_end)(&loss->move, event->cycle, now);
}

void ts_launch_record(struct ts_launch_core *self, const struct ts_launch_event *event,
                      ts_cycle now)
{
    if (!TS_GROW(self->events, self->event_count, self->event_room))
        return; // the run goes on without it
    self->events[self->event_count++] = *event;
    account(self->job, &self->events[self->event_count - 1], now);
}

// A watch tells of granules, not of words: the host clears what it has taken.
static void zone_written(void *context, uint32_t address, uint32_t length, ts_cycle at)
{
    struct ts_launch_core *self = context;
    uint8_t *zones = self->job->tile->l1.bytes + TS_PROGRAM + offsetof(struct ts_program, zone);
    (void)address, (void)length;
    for (uint8_t p = 0; p < TS_ON; p++)
        for (;;) {
            uint32_t slot = p * TS_PROGRAM_ZONES + self->taken[p] % TS_PROGRAM_ZONES, words[2];
            memcpy(words, zones + 8 * slot, 8);
            if (words[1] == 0)
                break;
            ts_launch_record(
                self,
                &(struct ts_launch_event){.cycle = (ts_cycle)(words[1] & 0xfff) << 32 | words[0],
                                          .type = words[1] >> 28,
                                          .id = words[1] >> 12 & 0xffff,
                                          .processor = p},
                at);
            memset(zones + 8 * slot, 0, 8);
            self->taken[p]++;
        }
}

static void print_written(void *context, uint32_t address, uint32_t length, ts_cycle at)
{
    struct ts_launch_core *self = context;
    uint8_t *lengths = self->job->tile->l1.bytes + TS_PROGRAM +
                       offsetof(struct ts_program, printed);
    (void)address, (void)length;
    for (uint8_t p = 0; p < TS_ON; p++) {
        uint32_t bytes;
        memcpy(&bytes, lengths + 4 * p, 4);
        if (bytes == 0)
            continue;
        ts_print_message(self, p, bytes, at);
        memset(lengths + 4 * p, 0, 4);
    }
}

static void done_written(void *context, uint32_t address, uint32_t length, ts_cycle at)
{
    (void)address, (void)length;
    ts_job_written(((struct ts_launch_core *)context)->job,
                   TS_PROGRAM + offsetof(struct ts_program, sync),
                   TS_PROGRAM + offsetof(struct ts_program, done), TS_PROGRAM_DONE, at);
}

static void watch(struct ts_launch_core *self, size_t offset, size_t bytes, ts_l1_written *written)
{
    ts_l1_watch_add(
        &self->job->tile->l1,
        &(struct ts_l1_watch){.granule = (TS_PROGRAM + (uint32_t)offset) / TS_L1_GRANULE,
                              .more = ((uint32_t)bytes - 1) / TS_L1_GRANULE,
                              .port = UINT32_MAX,
                              .written = written,
                              .context = self,
                              .stops = written == done_written});
}

// --- starting ---

const struct ts_image *ts_launch_image(struct ts_program_run *self, const char *path,
                                       struct ts_error *error)
{
    for (uint32_t i = 0; i < self->image_count; i++)
        if (strcmp(self->images[i].path, path) == 0)
            return &self->images[i];
    struct ts_image *to = &self->images[self->image_count];
    snprintf(to->path, sizeof to->path, "%s", path);
    to->bytes = ts_read_file(path, &to->length, error);
    return to->bytes ? &self->images[self->image_count++] : NULL;
}

static bool load_images(struct ts_launch_core *self, struct ts_error *error)
{
    for (unsigned p = 0; p < TS_ON; p++) {
        if (self->core->kernel[p] < 0)
            continue;
        const char *path = self->run->plan->kernels[self->core->kernel[p]].image[p];
        const struct ts_image *from = ts_launch_image(self->run, path, error);
        if (from == NULL ||
            !ts_guest_load(&self->job->tile->l1, path, from->bytes, from->length, NULL, error))
            return false;
        self->job->tile->programs[ts_processor_core[p]].bytes = from->bytes;
        self->job->tile->programs[ts_processor_core[p]].length = from->length;
        ts_rv_core_data(&self->job->tile->cores[ts_processor_core[p]],
                        ts_guest_data_end(from->bytes));
    }
    return true;
}

// For lints and hangs. In the NoC overlay, stream n is buffer n.
static void name_buffers(struct ts_launch_core *self)
{
    const struct ts_plan *plan = self->run->plan;
    struct ts_tile *tile = self->job->tile;
    tile->kernels = true;
    const uint16_t *overlay = tile->config.machine->overlay;
    tile->counters.received = plan->registers ? TS_CB_STREAMS + overlay[TS_OVERLAY_SIZE]
                                              : TS_PROGRAM + offsetof(struct ts_program, received);
    tile->counters.acked = plan->registers ? TS_CB_STREAMS + overlay[TS_OVERLAY_START]
                                           : TS_PROGRAM + offsetof(struct ts_program, acked);
    tile->counters.count = TS_PROGRAM_CBS;
    tile->counters.step = plan->registers ? TS_CB_STEP : 4;
    for (uint32_t i = 0; i < plan->cb_count; i++) {
        const struct ts_plan_cb *cb = &plan->cbs[i];
        char name[16];
        if (!(self->core->block.cb_mask[cb->id / 32] >> cb->id % 32 & 1))
            continue;
        snprintf(name, sizeof name, "c_%u", cb->id);
        ts_buffers_add(tile, name, tile->counters.received + tile->counters.step * cb->id,
                       tile->counters.acked + tile->counters.step * cb->id, cb->pages);
    }
}

static void name(struct ts_launch_core *self, uint32_t address, uint32_t length, uint32_t page,
                 const char *kind, const char *text)
{
    struct ts_tile *tile = self->job->tile;
    struct ts_tile_name *to = &self->names[tile->name_count++];
    *to = (struct ts_tile_name){.address = address, .length = length, .page = page};
    snprintf(to->text, sizeof to->text, "%s %s", kind, text);
}

// What the program file calls the words of this core's L1.
static void name_words(struct ts_launch_core *self)
{
    const struct ts_plan *plan = self->run->plan;
    self->names = calloc(plan->semaphore_count + plan->tensor_count * plan->soc.parts +
                             plan->cb_count + 4,
                         sizeof *self->names);
    if (self->names == NULL)
        return; // words go by their addresses
    for (uint32_t i = 0; i < plan->semaphore_count; i++) {
        uint32_t word = self->core->block.semaphores + TS_SEMAPHORE_STEP * i;
        name(self, word, TS_SEMAPHORE_STEP, 0, "semaphore", plan->semaphores[i].name);
        ts_check_declare(self->job->tile->check, word, 4);
    }
    for (uint32_t i = 0; i < plan->tensor_count; i++)
        for (uint32_t part = 0; part < (plan->tensors[i].dram ? plan->soc.parts : 1); part++) {
            name(self, plan->tensors[i].address + (uint32_t)(part * plan->dram_end),
                 (uint32_t)plan->tensors[i].bank_bytes, plan->tensors[i].stride, "tensor",
                 plan->tensors[i].name);
            self->names[self->job->tile->name_count - 1].dram = plan->tensors[i].dram;
        }
    for (uint32_t i = 0; i < plan->cb_count; i++) {
        char id[16];
        snprintf(id, sizeof id, "c_%u", plan->cbs[i].id);
        name(self, plan->cbs[i].address, plan->cbs[i].pages * plan->cbs[i].page, plan->cbs[i].page,
             "circular buffer", id);
    }
    if (plan->metal) {
        name(self, plan->metal->sync, 4, 0, "tt-metal's", "sync word");
        name(self, plan->metal->go, 4, 0, "tt-metal's", "go message");
    } else {
        static const char *const cores[4] = {"ncrisc", "trisc0", "trisc1", "trisc2"};
        for (uint32_t i = 0; i < 4; i++)
            name(self, TS_PROGRAM + (uint32_t)offsetof(struct ts_program, sync) + 4 * i, 4, 0,
                 "launch word of", cores[i]);
    }
    self->job->tile->names = self->names;
}

// Loads between a kernel's own arguments and the end of the configuration are not of anything that it was given. tt-metal's
// firmware reads the configuration of buffers behind them on the kernel's cores.
static void guard_arguments(struct ts_launch_core *self)
{
    const struct ts_plan *plan = self->run->plan;
    const struct ts_plan_core *core = self->core;
    const bool metal = plan->metal != NULL;
    struct ts_tile *tile = self->job->tile;
    for (unsigned p = 0; p < TS_ON; p++) {
        if (core->kernel[p] < 0 || !(core->block.enables >> p & 1))
            continue;
        const char *source = plan->kernels[core->kernel[p]].source,
                   *slash = source ? strrchr(source, '/') : NULL;
        const uint32_t from = core->block.rta[p] + 4 * core->given[0][p],
                       end = metal ? core->block.cb_config : plan->config + 4 * core->word_count;
        tile->args[ts_processor_core[p]] = (struct ts_tile_args){
            .kernel = slash    ? slash + 1
                      : source ? source
                               : "the kernel",
            .since = self->run->at + (metal ? TS_METAL_START : TS_PROGRAM_START),
            .address = {core->block.rta[p], core->block.crta[p]},
            .count = {core->given[0][p], core->given[1][p]},
        };
        ts_rv_core_guard(&tile->cores[ts_processor_core[p]], from, end - from);
    }
}

static bool start_metal(struct ts_launch_core *self, struct ts_error *error)
{
    name_buffers(self);
    name_words(self);
    guard_arguments(self);
    return ts_metal_start(self, error);
}

static bool start_core(struct ts_launch_core *self, struct ts_error *error)
{
    struct ts_l1 *l1 = &self->job->tile->l1;
    const struct ts_plan_core *core = self->core;
    if (self->run->plan->metal)
        return start_metal(self, error);
    if (!load_images(self, error))
        return false;
    ts_l1_write(l1, TS_PROGRAM, &core->block, sizeof core->block, self->run->at);
    if (core->word_count)
        ts_l1_write(l1, self->run->plan->config, core->words, 4 * core->word_count, self->run->at);
    name_buffers(self);
    name_words(self);
    ts_launch_areas(self);
    guard_arguments(self);
    watch(self, 0, offsetof(struct ts_program, my_x), done_written);
    watch(self, offsetof(struct ts_program, zone), sizeof core->block.zone, zone_written);
    if (self->run->plan->print)
        watch(self, offsetof(struct ts_program, printed), sizeof core->block.printed,
              print_written);
    if (!ts_tile_start(self->job->tile, TS_RV_BRISC, TS_PROGRAM_BRISC, self->run->at, error))
        return false;
    if (core->block.enables ==
        1u << TS_ON_BRISC) // it starts no others: no word says that its kernel begins
        ts_rv_core_keep(&self->job->tile->cores[TS_RV_BRISC]);
    return true;
}

static bool start_eth(struct ts_program_run *self, const struct ts_plan_eth *eth,
                      struct ts_error *error)
{
    struct ts_tile *tile = self->eth[eth->channel];
    const unsigned core = eth->core ? TS_RV_NCRISC : TS_RV_BRISC;
    const uint32_t at = TS_ETH_LAUNCH +
                        (uint32_t)offsetof(struct ts_eth_launch, core[eth->core].argument);
    struct ts_loader loader;
    uint32_t pc;
    ts_loader_init(&loader, tile);
    if (!ts_load_elf(&loader, core, eth->kernel.image[0], &pc, error))
        return false;
    ts_l1_write(&tile->l1, at, eth->words, 4 * eth->count, self->at);
    return ts_tile_start(tile, core, pc, self->at, error);
}

bool ts_program_start(struct ts_work *work, struct ts_error *error)
{
    struct ts_program_run *self = work->program;
    self->at = work->at;
    if (!ts_plan_store(self->plan, &work->chip, error) ||
        (self->plan->captured && !ts_captured_store(self->plan->captured, &work->chip, 0, error)))
        return false;
    ts_launch_dram_areas(self->plan, &work->chip);
    for (uint32_t i = 0; i < self->count; i++)
        if (!start_core(&self->cores[i], error))
            return false;
    for (uint32_t i = 0; i < self->plan->eth_count; i++)
        if (!start_eth(self, &self->plan->eth[i], error))
            return false;
    return true;
}
