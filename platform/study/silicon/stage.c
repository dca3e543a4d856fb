// Builds and runs a tile with programs for its cores (stage.h).
#include "platform/study/silicon/stage.h"

#include "platform/chip/chip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLOCK   0xffb121f0u
#define SYNC    0xffe80004u
#define MARKS   0x160fe0u // start and stop, as the tests have them near the end of L1
#define OVERLAY 0xffb40000u

// ---- overlay counters: plain registers

static enum ts_rv_answer overlay_load(void *context, unsigned core, uint32_t address, unsigned size,
                                      ts_cycle now, struct ts_rv_reply *reply)
{
    (void)core;
    (void)now;
    const uint32_t *words = context;
    uint32_t value = words[(address - OVERLAY) / 4] >> 8 * (address & 3);
    reply->value = size == 2 ? value & 0xffff : size == 1 ? value & 0xff : value;
    return TS_RV_DONE;
}

static enum ts_rv_answer overlay_store(void *context, unsigned core, uint32_t address,
                                       unsigned size, const uint32_t *from, unsigned count,
                                       ts_cycle now, struct ts_rv_reply *reply)
{
    (void)core;
    (void)size;
    (void)now;
    (void)reply;
    uint32_t *words = context;
    for (unsigned i = 0; i < count; i++)
        words[(address - OVERLAY) / 4 + i] = from[i];
    return TS_RV_DONE;
}

struct ts_window stage_overlay(uint32_t *words)
{
    return (struct ts_window){overlay_load, overlay_store, words};
}

// ---- building and running

struct stage *stage_new(const struct ts_silicon_context *context, bool chip, struct ts_error *error)
{
    struct stage *self = calloc(1, sizeof *self);
    if (self)
        *self = (struct stage){.context = context,
                               .error = error,
                               .chip = chip,
                               .overlay = calloc(1, STAGE_OVERLAY),
                               .net = chip ? calloc(1, sizeof *self->net) : NULL};
    if (self == NULL || self->overlay == NULL || (chip && !self->net))
        abort();
    self->kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    self->tile = ts_tile_new_at(self->kernel, 1, 4, &context->tile, error);
    if (self->tile == NULL)
        return self;
    const struct ts_window window = stage_overlay(self->overlay);
    ts_tile_plug(self->tile, TS_DEVICE_OVERLAY, &window);
    struct ts_soc soc;
    if (chip && ts_soc_find(&soc, "p150", error) == TS_OK)
        ts_chip_init(self->net, self->kernel, &soc, context->params, &self->tile, 1, error);
    return self;
}

struct ts_rvasm *stage_core(struct stage *self, unsigned core)
{
    self->active |= 1u << core;
    return &self->code[core];
}

double stage_run(struct stage *self)
{
    struct ts_error *error = self->error;
    if (error->code == TS_OK)
        ts_kernel_elaborate(self->kernel, error);
    for (unsigned core = 0; core < TS_RV_CORES && error->code == TS_OK; core++) {
        // BRISC starts at 0 whatever is asked for.
        uint32_t pc = core == TS_RV_BRISC ? 0 : 0x8000 * core;
        if (!(self->active >> core & 1))
            continue;
        if (self->code[core].overflow)
            ts_fail(error, TS_BUG, "the program is too long");
        ts_l1_write(&self->tile->l1, pc, self->code[core].words, self->code[core].count * 4, 0);
        ts_tile_start(self->tile, core, pc, 0, error);
        // The firmware of blackhole-py switches the L0 data cache off (configure_csr).
        ts_rv_core_configure(&self->tile->cores[core], TS_RV_CFG0_DIS_LOW_CASH);
        if (self->launch > 0)
            self->tile->cores[core].predictor = self->learnt[core];
        if (core >= TS_RV_TRISC0 && core <= TS_RV_TRISC2) // it has pushed words, too
            self->tile->front[core - TS_RV_TRISC0].pushes = 1;
    }
    uint32_t marks[2] = {0};
    if (error->code == TS_OK) {
        struct ts_run run = ts_kernel_run(self->kernel, 1000000);
        if (run.stop != TS_STOP_DONE && run.stop != TS_STOP_LIMIT)
            ts_fail(error, TS_BUG, "%s: %s", ts_stop_name(run.stop), run.error.text);
        memcpy(marks, self->tile->l1.bytes + MARKS, sizeof marks);
        if (marks[1] == marks[0])
            ts_fail(error, TS_LIMIT, "the second marker was not reached");
    }
    for (unsigned core = 0; core < TS_RV_CORES && self->learnt != NULL && self->tile; core++)
        self->learnt[core] = self->tile->cores[core].predictor;
    return error->code == TS_OK ? (double)(marks[1] - marks[0]) : NAN;
}

void stage_free(struct stage *self)
{
    if (self->net)
        ts_chip_free(self->net);
    ts_tile_free(self->tile);
    ts_kernel_free(self->kernel);
    free(self->net);
    free(self->overlay);
    free(self);
}

// ---- markers and helpers

static void read_clock(struct ts_rvasm *code, unsigned to)
{
    ts_rvasm_li(code, STAGE_T, CLOCK);
    ts_rvasm(code, TS_RV_LW, to, STAGE_T, 0, 0);
}

static void keep(struct ts_rvasm *code, unsigned from, uint32_t place)
{
    ts_rvasm_li(code, STAGE_T, place);
    ts_rvasm(code, TS_RV_SW, 0, STAGE_T, from, 0);
}

void stage_start(struct ts_rvasm *code)
{
    read_clock(code, STAGE_V);
    keep(code, STAGE_V, MARKS);
}

void stage_stop(struct ts_rvasm *code)
{
    read_clock(code, STAGE_V);
    keep(code, STAGE_V, MARKS + 4);
    ts_rvasm(code, TS_RV_FENCE, 0, 0, 0, 0);
}

// Several intervals: the start stays in a register, the sum in L1.
void stage_add_start(struct ts_rvasm *code)
{
    read_clock(code, STAGE_TOTAL);
}

void stage_add_stop(struct ts_rvasm *code)
{
    read_clock(code, STAGE_V);
    ts_rvasm(code, TS_RV_SUB, STAGE_V, STAGE_V, STAGE_TOTAL, 0);
    ts_rvasm_li(code, STAGE_T, MARKS + 4);
    ts_rvasm(code, TS_RV_LW, STAGE_TOTAL, STAGE_T, 0, 0);
    ts_rvasm(code, TS_RV_ADD, STAGE_TOTAL, STAGE_TOTAL, STAGE_V, 0);
    keep(code, STAGE_TOTAL, MARKS + 4);
    ts_rvasm(code, TS_RV_FENCE, 0, 0, 0, 0);
}

void stage_keep(struct ts_rvasm *code, unsigned start, unsigned stop)
{
    keep(code, start, MARKS);
    keep(code, stop, MARKS + 4);
    ts_rvasm(code, TS_RV_FENCE, 0, 0, 0, 0);
}

void stage_store(struct ts_rvasm *code, uint32_t address, uint32_t value)
{
    ts_rvasm_li(code, STAGE_T, address);
    if (value != 0)
        ts_rvasm_li(code, STAGE_V, value);
    ts_rvasm(code, TS_RV_SW, 0, STAGE_T, value ? STAGE_V : STAGE_ZERO, 0);
}

void stage_tensix(struct ts_rvasm *code, uint32_t word)
{
    ts_rvasm_word(code, ts_word_to_inline(word));
}

void stage_sync(struct ts_rvasm *code)
{
    ts_rvasm_li(code, STAGE_T, SYNC);
    ts_rvasm(code, TS_RV_SW, 0, STAGE_T, STAGE_ZERO, 0);
    ts_rvasm(code, TS_RV_LW, STAGE_V, STAGE_T, 0, 0);
    ts_rvasm(code, TS_RV_AND, 0, 0, STAGE_V, 0);
}

void stage_end(struct ts_rvasm *code)
{
    ts_rvasm(code, TS_RV_JAL, 0, 0, 0, 0);
}
