// See free.h. Numbers that others depend on stay: sizes of queues, what boots a core.
#include "platform/tile/free.h"

#include "platform/tile/tile.h"

const struct ts_param ts_free_rows[] = {
#define TS_PARAM(key, unit, low, high, text) {#key, unit, low, high, text},
#include "config/free.def"
    {0},
};

void ts_free_add(struct ts_params *params)
{
    ts_params_add(params, "free", ts_free_rows, sizeof ts_free_rows / sizeof *ts_free_rows - 1);
}

struct ts_free ts_free_get(const struct ts_params *params)
{
    struct ts_free self;
    TS_PARAMS_FILL32(params, "free", &self);
    return self;
}

void ts_free_core(struct ts_rv_params *p)
{
    p->mispredict = p->slow_busy = p->mmio_busy = p->retire_credit = p->forward_lag = 0;
    p->serialise = p->store_drain = p->store_conflict = p->store_settle = 0;
    p->icache_stream = p->icache_stream_t1 = p->icache_miss = p->icache_unfetched = 0;
    p->mul_latency = p->fpu_latency = p->div_special = p->div_min = p->div_max = 1;
    p->load_local = p->load_sync = p->load_tensix = p->load_mmio = p->load_slow = 1;
    p->load_l1 = p->amo_l1 = 1;
}

static void free_units(const struct ts_free *self, struct ts_tensix_timing *t)
{
    if (self->unpack) {
        t->unpack_address = t->unpack_nop = 1;
        t->unpack_latency = t->unpack_valid = t->unpack_idle = t->unpack_nop_idle = 0;
    }
    if (self->pack) {
        t->pack_interface_bytes = 4096;
        t->pack_drain = t->pack_hazard = 0;
    }
    if (self->matrix) {
        t->matrix_latency = t->matrix_latency_move = t->matrix_latency_short = 0;
        t->matrix_latency_movd2 = t->matrix_block_period = t->matrix_idle = 0;
    }
    if (self->vector)
        t->vector_idle = t->dst_switch_vector = t->dst_switch_matrix = 0;
    if (self->front)
        t->mop_penalty = 0;
    if (self->semaphore)
        t->matrix_idle = t->vector_idle = t->unpack_idle = t->unpack_nop_idle = t->pack_drain = 0;
}

void ts_free_tile(const struct ts_free *self, struct ts_tile_config *config)
{
    const uint32_t cores[TS_RV_CORES] = {[TS_RV_BRISC] = self->brisc,
                                         [TS_RV_TRISC0] = self->trisc0,
                                         [TS_RV_TRISC1] = self->trisc1,
                                         [TS_RV_TRISC2] = self->trisc2,
                                         [TS_RV_NCRISC] = self->ncrisc};
    free_units(self, &config->tensix);
    config->free_unpack = self->unpack;
    config->free_matrix = self->matrix;
    config->free_vector = self->vector;
    for (unsigned i = 0; i < TS_RV_CORES; i++)
        config->free_cores |= (uint32_t)(cores[i] || self->riscv) << i;
    config->free_l1 = self->l1;
    if (self->l1)
        config->params.l1_narrow = config->params.l1_atomic = config->params.load_l1 =
            config->params.amo_l1 = 1;
}
