// One Tensix tile: builds its parts and wires them. See tile.h for the block diagram.
#include "platform/tile/tile.h"

#include "platform/kernel/domain.h"

#include <stdlib.h>
#include <string.h>

struct ts_tile_config ts_tile_config_default(void)
{
    return (struct ts_tile_config){.params = ts_rv_params_default,
                                   .tensix = ts_tensix_timing_default,
                                   .run_ahead = true,
                                   .park = true};
}

void ts_tile_params_add(struct ts_params *params)
{
    ts_rv_params_add(params);
    ts_tensix_timing_add(params);
}

struct ts_tile_config ts_tile_config_from(const struct ts_params *params)
{
    struct ts_tile_config config = ts_tile_config_default();
    ts_rv_params_get(params, &config.params);
    ts_tensix_timing_get(params, &config.tensix);
    return config;
}

bool ts_tile_init(struct ts_tile *self, struct ts_domain *domain,
                  const struct ts_tile_config *config)
{
    static const uint32_t ports[TS_RV_CORES] = {TS_L1_PORT_B_T0_NC, TS_L1_PORT_B_T0_NC,
                                                TS_L1_PORT_T1_T2, TS_L1_PORT_T1_T2,
                                                TS_L1_PORT_B_T0_NC};
    static const uint32_t sizes[TS_RV_CORES] = {8192, 4096, 4096, 4096, 8192};

    memset(self, 0, sizeof *self);
    self->domain = domain;
    self->config = config ? *config : ts_tile_config_default();
    self->lines = calloc(TS_RV_LINES + 1, sizeof *self->lines);
    if (!ts_l1_init(&self->l1) || self->lines == NULL) {
        ts_tile_free(self);
        return false;
    }
    if (self->config.unchecked) {
        free(self->l1.last);
        self->l1.last = NULL;
    }
    self->l1.code_written = ts_rv_lines_written;
    self->l1.code_context = self->lines;

    self->bus.ops = &ts_tile_bus_ops;
    self->bus.context = self;
    ts_tile_map(self);
    ts_control_init(&self->control);
    ts_queues_init(&self->queues, domain, self->config.params.mailbox_push);

    for (unsigned i = 0; i < 2 * TS_RV_CORES; i++)
        ts_perturb_init(&self->perturb[i], self->config.perturb_max, self->config.perturb_seed,
                        (uint64_t)domain->index << 8 | i);
    for (unsigned id = 0; id < TS_RV_CORES; id++) {
        ts_rv_core_init(&self->cores[id], domain,
                        &(struct ts_rv_core_desc){.params = &self->config.params,
                                                  .id = id,
                                                  .port = ports[id],
                                                  .l1 = &self->l1,
                                                  .lines = self->lines,
                                                  .bus = &self->bus,
                                                  .local = self->local[id],
                                                  .local_size = sizes[id]});
        self->cores[id].run_ahead = self->config.run_ahead;
        ts_perturb_init(&self->cores[id].perturb, self->config.perturb_max,
                        self->config.perturb_seed, (uint64_t)domain->index << 8 | (40 + id));
        self->cores[id].park = self->config.park;
    }
    return true;
}

void ts_tile_free(struct ts_tile *self)
{
    ts_l1_free(&self->l1);
    free(self->lines);
    self->lines = NULL;
}

void ts_tile_plug(struct ts_tile *self, enum ts_device device, const struct ts_window *window)
{
    self->window[device] = *window;
}

bool ts_tile_read(struct ts_tile *self, uint32_t address, void *bytes, uint32_t length,
                  ts_cycle now, struct ts_error *error)
{
    if (ts_l1_contains(address, length)) {
        memcpy(bytes, self->l1.bytes + address, length);
        return true;
    }
    if (address % 4 != 0 || length != 4) {
        ts_fail(error, TS_SETUP, "read of %u bytes at 0x%08x: outside L1 only aligned words",
                length, address);
        return false;
    }
    struct ts_rv_reply reply = {0};
    switch (ts_tile_load(self, TS_OUTSIDE, address, 4, now, &reply)) {
    case TS_RV_DONE:
        memcpy(bytes, &reply.value, 4);
        return true;
    case TS_RV_WAIT:
        ts_fail(error, TS_SETUP, "read at 0x%08x would wait", address);
        return false;
    case TS_RV_REFUSE:
        break;
    }
    ts_fail(error, reply.code, "%s", reply.text);
    return false;
}

bool ts_tile_write(struct ts_tile *self, uint32_t address, const void *bytes, uint32_t length,
                   ts_cycle now, struct ts_error *error)
{
    if (ts_l1_contains(address, length)) {
        ts_l1_write(&self->l1, address, bytes, length, now);
        return true;
    }
    if (address < TS_RV_MMIO_BASE) {
        ts_fail(error, TS_SETUP, "write of %u bytes at 0x%08x: outside L1", length, address);
        return false;
    }
    if (address % 4 != 0 || length != 4) {
        ts_fail(error, TS_SETUP, "write of %u bytes at 0x%08x: outside L1 only aligned words",
                length, address);
        return false;
    }
    struct ts_rv_reply reply = {0};
    uint32_t word;
    memcpy(&word, bytes, 4);
    switch (ts_tile_store(self, TS_OUTSIDE, address, 4, &word, 1, now, &reply)) {
    case TS_RV_DONE:
        return true;
    case TS_RV_WAIT:
        ts_fail(error, TS_SETUP, "write at 0x%08x would wait", address);
        return false;
    case TS_RV_REFUSE:
        break;
    }
    ts_fail(error, reply.code, "%s", reply.text);
    return false;
}

static uint32_t soft_reset_with(const struct ts_tile *self, unsigned core, bool held)
{
    uint32_t bit = ts_control_reset_bit(core);
    return held ? self->control.soft_reset | bit : self->control.soft_reset & ~bit;
}

bool ts_tile_startable(unsigned core, uint32_t pc, struct ts_error *error)
{
    if (core == TS_RV_BRISC && pc != 0) {
        ts_fail(error, TS_SETUP, "brisc always starts at 0, not at 0x%x", pc);
        return false;
    }
    if (pc >= TS_L1_SIZE || pc % 4 != 0) {
        ts_fail(error, TS_SETUP, "%s cannot start at 0x%x: not a word of L1",
                ts_rv_core_names[core], pc);
        return false;
    }
    return true;
}

bool ts_tile_start(struct ts_tile *self, unsigned core, uint32_t pc, ts_cycle now,
                   struct ts_error *error)
{
    if (!ts_tile_startable(core, pc, error))
        return false;
    self->control.reset_pc[core] = pc;
    if (core == TS_RV_NCRISC)
        self->control.ncrisc_override |= 1;
    else if (core != TS_RV_BRISC)
        self->control.trisc_override |= 1u << (core - TS_RV_TRISC0);
    struct ts_rv_reply reply = {0};
    ts_control_store(self, TS_OUTSIDE, 0x1b0, soft_reset_with(self, core, false), now, &reply);
    return true;
}

void ts_tile_hold(struct ts_tile *self, unsigned core, ts_cycle now)
{
    struct ts_rv_reply reply = {0};
    ts_control_store(self, TS_OUTSIDE, 0x1b0, soft_reset_with(self, core, true), now, &reply);
}
