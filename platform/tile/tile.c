// One Tensix tile, complete: builds its parts and wires them.
//
//   brisc     trisc0    trisc1    trisc2    ncrisc        five RISC-V cores with local RAM
//     |         |         |         |         |
//   ==+=========+=========+===bus===+=========+==+================+=================+==
//     |           |             |           |    |                |                 |
//     |       mailboxes,      tile         PIC <-+- NIU 0, NIU 1  |                 |
//     |       PC buffers     control             |  (both NoCs)   |                 |
//     |                                          |                |                 |
//     L1 1.5 MiB <-------------------------------'                |                 |
//      |                                                 push, MOP registers        |
//      |                                                          v                 |
//      |   .-- front ends T0, T1, T2: FIFO > MOP > REPLAY > wait gate               |
//      |   |                                                                        |
//      |   |                                                semaphores, TTSync, GPRs,
//      |   |                                                CFG, TDMA-RISC, Dst
//      |   |                                                                        |
//      +---+--> SYNC   CFG   SCALAR   MISC   MOVER <--------------------------------+
//      |   |                                                                        |
//      +---+--> UNPACK0 --> SrcA --.                                                |
//      |   |                       +--> MATRIX <--> Dst <---------------------------'
//      +---+--> UNPACK1 --> SrcB --'    VECTOR <-->  |
//      |   |                                         |
//      +---+--> PACK <-------------------------------'
//
// All components of a tile are in one domain. Where to look next:
//   cores/riscv       the cores               bus.c      which address is what (config/*/memmap.def)
//   cores/frontend    the front ends          windows.h  the cores' windows on the coprocessor
//   units             the units, SrcA .. Dst  hooks.c    what the units ask of the tile
//   noc               the NIUs                niu.c      the tile on the NoC
// The NIUs are part of the network, which a chip builds: ts_tile_join connects them. In a tile that
// is on no chip, an access to an NIU faults "not implemented" by name.
//
// An Ethernet tile (eth.c) is built the same way. Its map has two cores (BRISC is E0, NCRISC is E1), 512 KiB of L1 and
// the queues of noc/eth.h; what is not in the map is never used and never steps.
//
// Inaccuracies: of the NoC overlay only scratch registers are modelled (overlay.c).
#include "platform/kernel/kernel.h"
#include "platform/tile/free.h"
#include "platform/tile/hooks.h"
#include "platform/tile/names.h"
#include "platform/tile/windows.h"

// Numbers of the random sequences for --perturb, by what they delay; the bus has two for each core.
enum { PERTURB_BUS = 0, PERTURB_FRONT = 32, PERTURB_CORE = 40, PERTURB_TRANSFER = 48 };

// The shortcuts of config/shortcuts.def that are used: a bit each.
enum {
#define SHORTCUT(name, text) SHORTCUT_##name,
#include "config/shortcuts.def"
};

static unsigned shortcuts(struct ts_kernel *kernel)
{
    static const char *const names[] = {
#define SHORTCUT(name, text) #name,
#include "config/shortcuts.def"
    };
    unsigned used = ~0u, count = sizeof names / sizeof *names;
    for (const char *at = getenv("TENSIM_WITHOUT"); at && *at; at += strspn(at, ",")) {
        const size_t length = strcspn(at, ",");
        unsigned i = 0;
        while (i < count && (strlen(names[i]) != length || strncmp(names[i], at, length) != 0))
            i++;
        if (i == count)
            ts_kernel_refuse(kernel, "TENSIM_WITHOUT: no shortcut '%.*s'", (int)length, at);
        else
            used &= ~(1u << i);
        at += length;
    }
    return used;
}

static bool uses(const struct ts_tile *self, unsigned shortcut)
{
    return shortcuts(ts_domain_kernel(self->domain)) >> shortcut & 1;
}

struct ts_tile_config ts_tile_config_default(void)
{
    return (struct ts_tile_config){.machine = &ts_machines[0],
                                   .clock_mhz = (uint32_t)ts_clock_default.clock_mhz,
                                   .params = ts_rv_params_default,
                                   .tensix = ts_tensix_timing_default,
                                   .bits = ts_bits_all(TS_BITS_SILICON),
                                   .run_ahead = true,
                                   .automaton = true,
                                   .park = true};
}

void ts_tile_params_add(struct ts_params *params)
{
    ts_clock_add(params);
    ts_rv_params_add(params);
    ts_free_add(params);
    ts_tensix_timing_add(params);
    ts_bits_add(params);
}

struct ts_tile_config ts_tile_config_from(const struct ts_params *params)
{
    struct ts_tile_config config = ts_tile_config_default();
    const struct ts_machine *machine = ts_machine_by_name(params->machine);
    config.machine = machine ? machine : &ts_machines[0];
    config.clock_mhz = ts_clock_mhz(params);
    ts_rv_params_get(params, &config.params);
    ts_tensix_timing_get(params, &config.tensix);
    config.bits = ts_bits_get(params);
    const struct ts_free free = ts_free_get(params);
    ts_free_tile(&free, &config);
    return config;
}

static void perturb(struct ts_tile *self, struct ts_perturb *which, unsigned number)
{
    ts_perturb_init(which, self->config.perturb_max, self->config.perturb_seed,
                    (uint64_t)self->domain->index << 8 | number);
}

// Holds at the tile's places instead of random delays.
static void hold_places(struct ts_tile *self)
{
    const char *holds = self->holds;
    if (holds == NULL)
        return;
    for (unsigned i = 0; i < 2 * TS_RV_CORES; i++)
        ts_perturb_only(
            &self->perturb[i], holds,
            ts_perturb_place(i < TS_RV_CORES ? TS_PERTURB_LOAD : TS_PERTURB_STORE, i % TS_RV_CORES),
            self->x, self->y);
    for (unsigned i = 0; i < TS_RV_CORES; i++)
        ts_perturb_only(&self->cores[i].perturb, holds, ts_perturb_place(TS_PERTURB_L1, i), self->x,
                        self->y);
    for (unsigned i = 0; i < TS_THREADS; i++) {
        ts_perturb_only(&self->front[i].perturb, holds, ts_perturb_place(TS_PERTURB_GATE, i),
                        self->x, self->y);
        ts_perturb_only(&self->transfer[i], holds, ts_perturb_place(TS_PERTURB_TRANSFER, i),
                        self->x, self->y);
    }
}

// ---- L1

static bool build_l1(struct ts_tile *self)
{
    self->lines = calloc(TS_RV_LINES, sizeof *self->lines);
    self->code = ts_rv_code_of(ts_domain_kernel(self->domain));
    if (!ts_l1_init(&self->l1, (uint32_t)self->config.params.l1_bank_bits) || self->lines == NULL ||
        self->code == NULL)
        return false;
    if (self->config.unchecked) {
        free(self->l1.last);
        self->l1.last = NULL;
    }
    self->l1.narrow_blocks = ts_machine_has(self->config.machine, TS_RULE_narrow_blocks);
    self->l1.code_written = ts_rv_lines_written;
    self->l1.hit_written = ts_rv_hits_written;
    self->l1.cores = self->cores;
    return true;
}

// ---- the bus: the cores' address space above L1, with its registers and queues

static void build_bus(struct ts_tile *self)
{
    static const struct {
        enum ts_device device;
        struct ts_window window;
    } windows[] = {
        {TS_DEVICE_PUSH0, {ts_push_load, ts_push_store, NULL}},
        {TS_DEVICE_PUSH1, {ts_push_load, ts_push_store, NULL}},
        {TS_DEVICE_PUSH2, {ts_push_load, ts_push_store, NULL}},
        {TS_DEVICE_MOP, {ts_mop_load, ts_mop_store, NULL}},
        {TS_DEVICE_GPR, {ts_gpr_load, ts_gpr_store, NULL}},
        {TS_DEVICE_CFG, {ts_cfg_load, ts_cfg_store, NULL}},
        {TS_DEVICE_PCBUF0, {ts_semaphore_load, ts_semaphore_store, NULL}},
        {TS_DEVICE_TDMA, {ts_tdma_load, ts_tdma_store, NULL}},
        {TS_DEVICE_DST, {ts_dst_load, ts_dst_store, NULL}},
        {TS_DEVICE_OVERLAY, {ts_overlay_load, ts_overlay_store, NULL}},
    };
    self->bus.ops = &ts_tile_bus_ops;
    self->bus.context = self;
    ts_tile_map(self);
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        self->window[windows[i].device] = windows[i].window;
        self->window[windows[i].device].context = self;
    }
    for (unsigned i = 0; i < 2 * TS_RV_CORES; i++)
        perturb(self, &self->perturb[i], PERTURB_BUS + i);
    ts_control_init(self);
    self->outside_by = TS_BY_NOC;
    ts_queues_init(&self->queues, self->domain, self->config.params.mailbox_push);
}

// ---- the baby cores

static void build_cores(struct ts_tile *self)
{
    static const uint32_t ports[TS_RV_CORES] = {[TS_RV_BRISC] = TS_L1_PORT_B_T0_NC,
                                                [TS_RV_TRISC0] = TS_L1_PORT_B_T0_NC,
                                                [TS_RV_TRISC1] = TS_L1_PORT_T1_T2,
                                                [TS_RV_TRISC2] = TS_L1_PORT_T1_T2,
                                                [TS_RV_NCRISC] = TS_L1_PORT_B_T0_NC};
    const struct ts_machine *machine = self->config.machine;
    const unsigned iram_of = self->channel < 0 ? TS_RV_NCRISC : TS_RV_BRISC;
    for (unsigned id = 0; id < TS_RV_CORES; id++) {
        struct ts_rv_core *core = &self->cores[id];
        const bool free = self->config.free_cores >> id & 1;
        ts_rv_core_init(
            core, self->domain,
            &(struct ts_rv_core_desc){.params = &self->config.params,
                                      .id = id,
                                      .port = ports[id],
                                      .l1 = &self->l1,
                                      .lines = self->lines,
                                      .code = self->code,
                                      .bus = &self->bus,
                                      .machine = machine->title,
                                      .extensions = machine->extensions,
                                      .plain = ts_machine_has(machine, TS_RULE_plain_cores),
                                      .cache_bytes = self->channel < 0 ? machine->cache_bytes[id]
                                                                       : machine->eth_cache,
                                      .l1_size = self->channel < 0 ? self->l1_size : TS_L1_SIZE,
                                      .iram_size = id == iram_of ? machine->iram_bytes : 0,
                                      .local = self->local[id],
                                      .local_size = machine->local_bytes[id]});
        if (self->channel >= 0)
            core->component.object.path = ts_kernel_format(ts_domain_kernel(self->domain), "%s.%s",
                                                           self->domain->object.path,
                                                           ts_tile_core_name(self, id));
        // A core that becomes free in the middle of its run is not ahead then.
        core->run_ahead = self->config.run_ahead && uses(self, SHORTCUT_ahead) &&
                          !(self->config.free_cores & self->config.free_later & 1u << id);
        // Records of pipeline states are shared by cores with the same parameters.
        core->automaton = self->config.automaton && uses(self, SHORTCUT_records) && !free;
        core->park = self->config.park && uses(self, SHORTCUT_polls);
        if (free && !(self->config.free_later >> id & 1))
            ts_free_core(&core->params);
        perturb(self, &core->perturb, PERTURB_CORE + id);
    }
}

void ts_tile_free_core(struct ts_tile *self, unsigned core)
{
    if (self->config.free_cores & self->config.free_later & 1u << core) {
        struct ts_rv_params params = self->cores[core].params;
        ts_free_core(&params);
        ts_rv_core_retime(&self->cores[core], &params);
        self->cores[core].run_ahead = self->config.run_ahead && uses(self, SHORTCUT_ahead);
    }
}

// ---- the coprocessor

// What all units share: configuration, GPRs, address counters, L1's bytes, the ways to the tile.
static void build_tensix(struct ts_tile *self)
{
    ts_tensix_init(&self->tensix, self->config.machine, self->l1.bytes,
                   self->channel < 0 ? self->l1_size : TS_L1_SIZE);
    self->tensix.banks = &self->l1;
    self->l1.flows_pass = self->config.free_l1;
    self->tensix.timing = self->config.tensix;
    self->tensix.bits = self->config.bits;
    self->tensix.bits.machine = self->config.machine->rules;
    self->tensix.strict = self->config.strict;
    self->tensix.free_unpack = self->config.free_unpack;
    if (self->config.lints)
        self->tensix.shown = self->config.lints;
    self->tensix.lints = !self->config.unchecked;
    self->said_pc = TS_NO_PC;
    ts_tile_hooks(self, &self->tensix.hooks);
    ts_backend_init(&self->backend, &self->tensix, &self->sync, uses(self, SHORTCUT_promises));
}

// Before the units: what units change at the end of a cycle is seen in the next one.
static void build_front_ends(struct ts_tile *self)
{
    for (unsigned t = 0; t < TS_THREADS; t++) {
        self->tensix.front[t] = &self->front[t].component;
        ts_frontend_init(&self->front[t], t, &self->backend, self->config.machine, self->domain);
        self->front[t].run_ahead = self->config.run_ahead && uses(self, SHORTCUT_stages);
        perturb(self, &self->front[t].perturb, PERTURB_FRONT + t);
    }
}

static void build_units(struct ts_tile *self)
{
    // control
    ts_sync_unit_init(&self->sync, &self->tensix, self->domain);
    ts_cfg_unit_init(&self->cfg, &self->tensix, self->domain);
    ts_scalar_unit_init(&self->scalar, &self->tensix, self->domain);
    ts_misc_unit_init(&self->misc, &self->tensix, self->domain);
    ts_mover_unit_init(&self->mover, &self->tensix, self->domain);
    // the data path: L1 -> unpackers -> SrcA, SrcB -> matrix, vector <-> Dst -> packer -> L1
    ts_files_init(&self->files, &self->tensix, self->domain);
    self->files.timing_only = self->config.timing_only;
    ts_unpack_unit_init(&self->unpack[0], 0, &self->files, self->domain);
    ts_unpack_unit_init(&self->unpack[1], 1, &self->files, self->domain);
    ts_matrix_unit_init(&self->matrix, &self->files, &self->pack.state, self->domain);
    ts_vector_unit_init(&self->vector, &self->files, self->domain);
    self->matrix.unit.at_once = self->config.free_matrix;
    self->vector.unit.at_once = self->config.free_vector;
    self->backend.at_once = (uint32_t)self->config.free_matrix << TS_UNIT_MATRIX |
                            (uint32_t)self->config.free_vector << TS_UNIT_VECTOR;
    ts_pack_unit_init(&self->pack, &self->files, self->domain);
    for (unsigned i = 0; i < 3; i++)
        perturb(self, &self->transfer[i], PERTURB_TRANSFER + i);
}

// ---- checks

static uint32_t peek(const void *context, uint32_t address)
{
    const struct ts_tile *self = context;
    uint32_t value = 0;
    if (address < TS_L1_SIZE)
        memcpy(&value, self->l1.bytes + address, sizeof value);
    else
        value = ts_overlay_word(self, address);
    return value;
}

static bool build_check(struct ts_tile *self)
{
    if (self->config.check.kinds)
        self->check = ts_check_new(&self->config.check, self->domain->index, TS_L1_SIZE, 0);
    if (self->check) {
        self->check->peek = peek;
        self->check->overlay = self->config.machine->overlay;
        self->check->context = self;
    }
    self->tensix.check = self->check;
    self->unusual = self->check || self->config.perturb_max != 0;
    for (unsigned i = 0; i < TS_RV_CORES; i++)
        ts_rv_core_check(&self->cores[i], self->check);
    for (unsigned t = 0; t < TS_THREADS; t++)
        self->front[t].dated = self->check != NULL;
    return self->check || !self->config.check.kinds;
}

// ---- the tile

static struct ts_tile *build(struct ts_domain *domain, int channel,
                             const struct ts_tile_config *config, struct ts_error *error)
{
    struct ts_kernel *kernel = ts_domain_kernel(domain);
    ts_kernel_spread(kernel); // spreads tiles over the host's cache sets
    struct ts_tile *self = ts_kernel_alloc(kernel, sizeof *self);
    if (self == NULL) {
        ts_fail(error, TS_NO_MEMORY, "no memory for %s", domain->object.path);
        return NULL;
    }
    self->domain = domain;
    self->channel = channel;
    self->config = config ? *config : ts_tile_config_default();
    self->l1_size = channel < 0 ? self->config.machine->l1_bytes
                                : self->config.machine->eth_l1_bytes;
    const char *holds = self->config.perturb_holds;
    self->config.perturb_holds = self->holds = holds ? strdup(holds) : NULL;
    if (!build_l1(self) || (holds && self->holds == NULL)) {
        ts_tile_free(self);
        ts_fail(error, TS_NO_MEMORY, "no memory for the L1 of %s", domain->object.path);
        return NULL;
    }
    build_bus(self);
    build_cores(self);
    build_tensix(self);
    build_front_ends(self);
    build_units(self);
    hold_places(self);
    if (!build_check(self)) {
        ts_tile_free(self);
        ts_fail(error, TS_NO_MEMORY, "no memory for the checks of %s", domain->object.path);
        return NULL;
    }
    return self; // ts_tile_join adds the NIU windows when a chip takes the tile
}

struct ts_tile *ts_tile_new(struct ts_domain *domain, const struct ts_tile_config *config,
                            struct ts_error *error)
{
    return build(domain, -1, config, error);
}

struct ts_tile *ts_tile_new_on(struct ts_kernel *kernel, const struct ts_tile_site *site,
                               const struct ts_tile_config *config, struct ts_error *error)
{
    const char *kind = site->channel < 0 ? "tile" : "eth";
    struct ts_domain *domain = ts_domain_new(kernel, "%s%s[%u-%u]", site->prefix, kind, site->x,
                                             site->y);
    struct ts_tile *self = build(domain, site->channel, config, error);
    if (self) {
        self->chip = site->chip;
        self->system = site->prefix[0] != '\0';
        self->x = site->x;
        self->y = site->y;
        hold_places(self);
    }
    return self;
}

struct ts_tile *ts_tile_new_at(struct ts_kernel *kernel, uint32_t x, uint32_t y,
                               const struct ts_tile_config *config, struct ts_error *error)
{
    return ts_tile_new_on(
        kernel, &(struct ts_tile_site){.x = x, .y = y, .channel = -1, .prefix = ""}, config, error);
}

void ts_tile_free(struct ts_tile *self)
{
    if (self == NULL)
        return;
    ts_l1_free(&self->l1);
    ts_check_free(self->check);
    self->check = NULL;
    free(self->lines);
    free(self->holds);
    self->lines = NULL;
    self->holds = NULL;
}

void ts_tile_plug(struct ts_tile *self, enum ts_device device, const struct ts_window *window)
{
    self->window[device] = *window;
}
