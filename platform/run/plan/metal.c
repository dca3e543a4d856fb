// The host's side of tt-metal's firmware (metal.h).
//
// Source: tt-metal e4f9f0b: hw/inc/hostdev/dev_msgs.h (mailboxes), hw/inc/internal/tt-1xx/blackhole/dev_mem_map.h (places),
// hw/firmware/src/tt-1xx (brisc.cc, ncrisc.cc, trisc.cc), impl/program/dispatch.cpp (order of the configuration).
// Inaccuracies: the host writes everything in one cycle; there is no dispatcher.
#include "platform/load/loader.h"
#include "platform/load/metal_elf.h"
#include "platform/run/plan/captured.h"
#include "platform/run/plan/launch.h"
#include "platform/tile/names.h"

#define ALIGNMENT 16u

#define RETRY 64u // cycles: a captured host polls firmware that is later than it was

#define RUN_INIT                 0x40u
#define MODE_HOST                1u
#define NO_BUFFERS_BETWEEN_NODES 0xffu

static const struct ts_metal_layout layouts[] = {
    {.version = "e4f9f0b (August 2026)",
     .firmware = {0x3ae0, 0x5ce0, 0x66e0, 0x70e0, 0x7ae0},
     .data = {0xa000, 0xc000, 0xe000, 0xf000, 0x10000},
     .sync = 0x68,
     .launch = 0x70,
     .go = 0x4f0,
     .core_x = 0xbb8,
     .core_y = 0xbb9,
     .banks = 0x13000,
     .logical = 0x13800,
     .config = 0xa000},
};

_Static_assert(sizeof(struct ts_metal_message) == 144 &&
                   offsetof(struct ts_metal_message, buffer_mask) == 104 &&
                   offsetof(struct ts_metal_message, enables) == 120,
               "a launch message is laid out as the firmware's compiler lays it out");

// --- the file ---

static bool open_image(struct ts_metal_elf *self, const char *path, void **bytes,
                       struct ts_error *error)
{
    size_t length;
    *bytes = ts_read_file(path, &length, error);
    if (*bytes && ts_metal_elf_open(self, *bytes, length, path, error))
        return true;
    free(*bytes);
    *bytes = NULL;
    return false;
}

const struct ts_metal_layout *ts_metal_known(size_t i)
{
    return i < sizeof layouts / sizeof *layouts ? &layouts[i] : NULL;
}

static const struct ts_metal_layout *layout_of(const uint32_t starts[TS_ON])
{
    const struct ts_metal_layout *at;
    for (size_t i = 0; (at = ts_metal_known(i)) != NULL; i++)
        if (memcmp(at->firmware, starts, sizeof at->firmware) == 0)
            return at;
    return NULL;
}

bool ts_metal_read(struct ts_plan *plan, struct ts_yaml_node node)
{
    char folder[PATH_MAX];
    uint32_t starts[TS_ON] = {0};
    ts_plan_source(plan, folder, sizeof folder, ts_yaml_text(node, ""));
    for (unsigned p = 0; p < TS_ON; p++) {
        struct ts_metal_elf elf;
        struct ts_error said = {0};
        void *bytes;
        snprintf(plan->firmware[p], PATH_MAX, "%.4000s/%s/%s.elf", folder, ts_processor_name[p],
                 ts_processor_name[p]);
        if (!open_image(&elf, plan->firmware[p], &bytes, &said))
            return ts_yaml_refuse(node, "%s", said.text);
        starts[p] = elf.text;
        ts_metal_elf_close(&elf);
        free(bytes);
    }
    plan->metal = layout_of(starts);
    if (plan->metal == NULL)
        ts_yaml_error(node,
                      "firmware of a version of tt-metal that tensim does not know (brisc at 0x%x, "
                      "ncrisc at 0x%x; known: %s)",
                      starts[0], starts[1], layouts[0].version);
    else
        plan->config = plan->metal->config;
    return plan->metal != NULL;
}

// --- boot ---

static void put(struct ts_launch_core *self, uint32_t address, const void *bytes, size_t length,
                ts_cycle now)
{
    if (length > 0)
        ts_l1_write(&self->job->tile->l1, address, bytes, (uint32_t)length, now);
}

// The firmware's tables: places of the DRAM banks and of the L1 banks on each NoC, then offsets of both, which are 0.
static bool put_banks(struct ts_launch_core *self, const struct ts_metal_elf *brisc,
                      struct ts_error *error)
{
    const struct ts_plan *plan = self->run->plan;
    const struct ts_program *block = &self->core->block;
    const uint32_t dram = ts_metal_elf_size_of(brisc, "dram_bank_to_noc_xy") / 4,
                   l1 = ts_metal_elf_size_of(brisc, "l1_bank_to_noc_xy") / 4,
                   grid = plan->columns * plan->rows;
    uint32_t at = plan->metal->banks;
    if (dram != plan->soc.channels || l1 != grid)
        return ts_refuse(
            error, TS_SETUP,
            "%s: made for %u DRAM banks and %u compute cores, but the program has %u and %u "
            "(`chip' and `grid' say which)",
            brisc->name, dram, l1, plan->soc.channels, grid);
    for (unsigned noc = 0; noc < 2; noc++, at += 2 * dram)
        put(self, at, block->dram_xy[noc], 2 * (size_t)dram, 0);
    for (unsigned noc = 0; noc < 2; noc++, at += 2 * l1)
        put(self, at, block->l1_xy[noc], 2 * (size_t)l1, 0);
    put(self, plan->metal->logical, block->columns, sizeof block->columns, 0);
    // Columns and rows of the complete network, each rounded up to a word.
    put(self, plan->metal->logical + 20, block->rows, 12, 0);
    return true;
}

static bool put_firmware(struct ts_launch_core *self, unsigned p, struct ts_error *error)
{
    const struct ts_metal_layout *layout = self->run->plan->metal;
    struct ts_metal_elf elf;
    void *bytes;
    if (!open_image(&elf, self->run->plan->firmware[p], &bytes, error))
        return false;
    put(self, elf.text, elf.text_at, elf.text_bytes, 0);
    put(self, layout->data[p], elf.image_at, elf.image_bytes, 0);
    bool good = p != TS_ON_BRISC || put_banks(self, &elf, error);
    ts_metal_elf_close(&elf);
    free(bytes);
    return good;
}

bool ts_metal_start(struct ts_launch_core *self, struct ts_error *error)
{
    if (self->run->plan->captured)
        return ts_captured_boot(self->run->plan->captured, self->job->tile, error);
    const struct ts_metal_layout *layout = self->run->plan->metal;
    const uint8_t x = self->core->at.x, y = self->core->at.y, init = RUN_INIT;
    const uint32_t jump = ts_metal_jump(layout->firmware[TS_ON_BRISC]);
    for (unsigned p = 0; p < TS_ON; p++)
        if (!put_firmware(self, p, error))
            return false;
    put(self, layout->core_x, &x, 1, 0);
    put(self, layout->core_y, &y, 1, 0);
    put(self, layout->go + TS_METAL_SIGNAL, &init, 1, 0);
    put(self, TS_PROGRAM_BRISC, &jump, 4, 0); // BRISC starts there
    return ts_tile_start(self->job->tile, TS_RV_BRISC, TS_PROGRAM_BRISC, 0, error);
}

// --- launch ---

struct host {
    struct ts_component component;
    struct ts_launch_core *core;
    struct ts_metal_message message;
    uint8_t *kernels;
    uint32_t kernels_at, kernel_bytes;
    uint8_t *memory;  // captured: L1 from the configuration on
    unsigned earlier; // captured: launches that went already
    bool released, launched;
    bool runs[TS_ON];
};

static uint32_t aligned(uint32_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// Kernels lie behind arguments and buffers, one after the other. A compute kernel has three.
static bool make_kernels(struct host *self, struct ts_error *error)
{
    struct ts_launch_core *to = self->core;
    const struct ts_plan *plan = to->run->plan;
    struct ts_tile *tile = to->job->tile;
    uint32_t end = plan->config + aligned(4 * to->core->word_count);
    self->kernels_at = end;
    self->kernels = ts_kernel_alloc(to->job->kernel, TS_PROGRAM_FREE - plan->config);
    if (self->kernels == NULL)
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    for (unsigned p = 0; p < TS_ON; p++) {
        struct ts_metal_elf elf;
        if (to->core->kernel[p] < 0)
            continue;
        const struct ts_image *from = ts_launch_image(
            to->run, plan->kernels[to->core->kernel[p]].image[p], error);
        if (from == NULL || !ts_metal_elf_open(&elf, from->bytes, from->length, from->path, error))
            return false;
        uint32_t bytes = ts_metal_elf_bytes(&elf), next = end + aligned(bytes);
        bool fits = next <= TS_PROGRAM_FREE;
        if (!fits)
            ts_fail(error, TS_SETUP, "%s: the kernels of core %u,%u need %u bytes too many",
                    from->path, to->core->at.x, to->core->at.y, next - TS_PROGRAM_FREE);
        bool good = fits &&
                    ts_metal_elf_move(&elf, end, self->kernels + (end - self->kernels_at), error);
        self->message.text[p] = end - plan->config;
        self->message.text_bytes[p] = bytes;
        tile->programs[ts_processor_core[p]] = (struct ts_tile_program){
            .bytes = from->bytes, .length = from->length, .at = end, .moved = end - elf.text};
        ts_metal_elf_close(&elf);
        if (!good)
            return false;
        end = next;
    }
    self->kernel_bytes = end - self->kernels_at;
    return true;
}

static void make_message(struct host *self)
{
    const struct ts_plan *plan = self->core->run->plan;
    const struct ts_plan_core *core = self->core->core;
    const struct ts_program *block = &core->block;
    struct ts_metal_message *to = &self->message;
    to->config[0] = plan->config;
    to->semaphores[0] = (uint16_t)(block->semaphores - plan->config);
    to->buffers = (uint16_t)(block->cb_config - plan->config);
    to->remote_buffers = (uint16_t)(4 * core->word_count);
    for (unsigned p = 0; p < TS_ON; p++) {
        if (core->kernel[p] < 0)
            continue;
        to->arguments[p].own = (uint16_t)(block->rta[p] - plan->config);
        to->arguments[p].common = (uint16_t)(block->crta[p] - plan->config);
    }
    to->mode = MODE_HOST;
    to->between_nodes = NO_BUFFERS_BETWEEN_NODES;
    memcpy(to->buffer_mask, block->cb_mask, sizeof to->buffer_mask);
    to->first_remote = TS_PROGRAM_CBS;
    to->enables = block->enables;
    const int brisc = core->kernel[TS_ON_BRISC], ncrisc = core->kernel[TS_ON_NCRISC];
    to->noc = (uint8_t)(brisc >= 0    ? plan->kernels[brisc].noc
                        : ncrisc >= 0 ? 1 - plan->kernels[ncrisc].noc
                                      : 0);
    to->noc_mode = brisc >= 0 && plan->kernels[brisc].dynamic_noc;
}

// --- what the firmware says ---

static void mark(struct host *self, unsigned p, bool runs, ts_cycle at)
{
    if (self->runs[p] == runs || !(self->message.enables >> p & 1))
        return;
    self->runs[p] = runs;
    ts_launch_record(self->core,
                     &(struct ts_launch_event){.cycle = at,
                                               .type = runs ? TS_ZONE_BEGIN : TS_ZONE_FINISH,
                                               .id = TS_ZONE_WHOLE,
                                               .processor = (uint8_t)p},
                     at);
}

// BRISC runs its kernel from the go message on; the others have a byte each, which says go and then done.
static void words_written(void *context, uint32_t address, uint32_t length, ts_cycle at)
{
    struct host *self = context;
    struct ts_job *job = self->core->job;
    const struct ts_metal_layout *layout = self->core->run->plan->metal;
    const uint8_t *l1 = job->tile->l1.bytes;
    (void)address, (void)length;
    if (!self->launched || job->done != 0)
        return;
    for (unsigned i = 0; i < TS_ON; i++)
        ts_rv_core_keep(&job->tile->cores[ts_processor_core[i]]);
    mark(self, TS_ON_BRISC, l1[layout->go + TS_METAL_SIGNAL] == TS_METAL_GO, at);
    for (unsigned i = 0; i < 4; i++)
        if (l1[layout->sync + i] == TS_METAL_GO || l1[layout->sync + i] == TS_METAL_DONE)
            mark(self, TS_ON_NCRISC + i, l1[layout->sync + i] == TS_METAL_GO, at);
    if (l1[layout->go + TS_METAL_SIGNAL] != TS_METAL_DONE)
        return;
    job->done = at;
    ts_break(&job->tile->cores[TS_RV_BRISC].component, at);
}

// The host of a captured launch does what the host did, in the same cycles, or as soon as the firmware is ready. A host acts
// before everything else of its cycle: at the end of the one before.
static ts_step captured_step(struct host *self, ts_cycle before)
{
    const ts_cycle now = before + 1;
    struct ts_component *component = &self->component;
    struct ts_job *job = self->core->job;
    struct ts_captured *last = self->core->run->plan->captured,
                       *launch = ts_captured_launch(last, self->earlier);
    const struct ts_captured_release *release = ts_captured_release(last, job->tile);
    const uint8_t *signal = &job->tile->l1.bytes[last->layout->go + TS_METAL_SIGNAL];
    struct ts_error error = {0};
    if (now < release->cycle)
        return release->cycle - now;
    if (!self->released && release->cycle > 0 && // 0: ts_captured_boot
        !ts_tile_write(job->tile, TS_CAPTURED_RESET, &release->word, 4, now, &error))
        return ts_fault(component, before, error.code, "%s", error.text);
    self->released = true;
    if (now < launch->go)
        return launch->go - now;
    if (*signal != TS_METAL_DONE && now < launch->go + TS_METAL_START)
        return RETRY;
    if (*signal != TS_METAL_DONE)
        return ts_fault(component, before, TS_SETUP,
                        "tt-metal's firmware has not taken its go message back %u cycles after "
                        "the captured host sent the next one",
                        TS_METAL_START);
    if (!ts_captured_put(launch, job->tile, self->memory, now, &error))
        return ts_fault(component, before, error.code, "%s", error.text);
    if (launch->earlier)
        ts_break(component, before); // for DRAM (ts_work_break)
    if (launch != last) {
        self->earlier++;
        return ts_captured_launch(last, self->earlier)->go - now;
    }
    self->launched = ts_captured_launches(last, job->tile);
    ts_captured_names(last, job->tile, &self->message);
    if (self->launched)
        words_written(self, 0, 0, now);
    else
        job->done = now;
    return ts_finish(component, before);
}

static ts_step host_step(struct ts_component *component, ts_cycle now)
{
    struct host *self = (struct host *)component;
    if (self->core->run->plan->captured)
        return captured_step(self, now);
    struct ts_launch_core *core = self->core;
    const struct ts_metal_layout *layout = core->run->plan->metal;
    const uint32_t go = TS_METAL_GO << 24;
    if (now < TS_METAL_START)
        return TS_METAL_START - now;
    if (core->job->tile->l1.bytes[layout->go + TS_METAL_SIGNAL] != TS_METAL_DONE)
        return ts_fault(component, now, TS_SETUP,
                        "tt-metal's firmware has not started within %u cycles", TS_METAL_START);
    put(core, core->run->plan->config, core->core->words, 4 * (size_t)core->core->word_count, now);
    put(core, self->kernels_at, self->kernels, self->kernel_bytes, now);
    put(core, layout->launch, &self->message, sizeof self->message, now);
    self->launched = true;
    put(core, layout->go, &go, 4, now);
    return ts_finish(component, now);
}

static const struct ts_component_ops host_ops = {.kind = "host", .step = host_step};

bool ts_metal_add(struct ts_launch_core *core, struct ts_error *error)
{
    struct ts_job *job = core->job;
    const struct ts_metal_layout *layout = core->run->plan->metal;
    struct host *self = ts_kernel_alloc(job->kernel, sizeof *self);
    if (self == NULL)
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    memset(self, 0, sizeof *self);
    self->core = core;
    if (core->run->plan->captured) {
        self->memory = ts_kernel_alloc(job->kernel, TS_L1_SIZE - layout->config);
        ts_captured_message(core->run->plan->captured, core->core->raw, &self->message);
    } else {
        make_message(self);
        if (!make_kernels(self, error))
            return false;
    }
    ts_component_init(&self->component, &host_ops, job->domain, "host");
    return ts_l1_watch_add(
        &job->tile->l1,
        &(struct ts_l1_watch){.granule = layout->sync / TS_L1_GRANULE,
                              .more = (layout->go + TS_METAL_SIGNAL) / TS_L1_GRANULE -
                                      layout->sync / TS_L1_GRANULE,
                              .port = UINT32_MAX,
                              .written = words_written,
                              .context = self,
                              .stops = true});
}
