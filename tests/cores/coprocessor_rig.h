// A coprocessor without cores: three pushers in place of the TRISCs, one word a cycle each, and the
// control units. What the front end's and the units' tests share.
#ifndef TENSIM_TESTS_COPROCESSOR_RIG_H
#define TENSIM_TESTS_COPROCESSOR_RIG_H

#include "cores/frontend/frontend.h"
#include "platform/kernel/kernel.h"
#include "units/backend.h"
#include "units/cfg.h"
#include "units/misc.h"
#include "units/mover.h"
#include "units/scalar/scalar.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RIG_L1 0x10000

struct rig_pusher {
    struct ts_component component;
    struct ts_frontend *front;
    const uint32_t *words;
    unsigned count, next;
    ts_cycle begin; // waits until this cycle
    bool brisc;
    ts_cycle first_push, last_push, done; // done: drained
};

struct rig {
    struct ts_kernel *kernel;
    struct ts_domain *domain;
    struct ts_tensix tensix;
    struct ts_backend backend;
    struct ts_frontend front[TS_THREADS];
    struct ts_sync_unit sync;
    struct ts_cfg_unit config;
    struct ts_scalar_unit scalar;
    struct ts_misc_unit misc;
    struct ts_mover_unit mover;
    struct rig_pusher pusher[TS_THREADS + 1]; // [3]: BRISC
    char report[400];
    unsigned reports;
    uint8_t l1[RIG_L1];
};

static ts_step rig_push(struct ts_component *component, ts_cycle now)
{
    struct rig_pusher *self = (struct rig_pusher *)component;
    if (now < self->begin)
        return self->begin - now;
    struct ts_hold hold;
    if (self->next < self->count) {
        const uint32_t *word = &self->words[self->next];
        if (!(self->brisc ? ts_frontend_push_brisc(self->front, *word, now, &hold)
                          : ts_frontend_push(self->front, word, 1, now, &hold)))
            return ts_block(component, now, hold.reason, hold.object);
        if (self->next++ == 0)
            self->first_push = now;
        self->last_push = now;
        return 1;
    }
    if (!ts_frontend_drained(self->front, now, &hold)) {
        ts_step step = ts_block(component, now, hold.reason, hold.object);
        if (hold.until != TS_NEVER)
            ts_wake(component, hold.until);
        return step;
    }
    self->done = now;
    return ts_finish(component, now);
}

static const struct ts_component_ops rig_pusher_ops = {.kind = "pusher", .step = rig_push};

static void rig_report(void *tile, enum ts_report report, unsigned by, ts_cycle now,
                       const char *text)
{
    (void)by, (void)now;
    struct rig *rig = tile;
    rig->reports++;
    snprintf(rig->report, sizeof rig->report, "%d: %s (%s)", report, ts_report_name(report), text);
}

static struct rig *rig_new(void)
{
    struct rig *rig = calloc(1, sizeof *rig);
    struct ts_kernel_config config = {.threads = 1};
    rig->kernel = ts_kernel_new(&config);
    rig->domain = ts_domain_new(rig->kernel, "tile");
    ts_tensix_init(&rig->tensix, &ts_machines[0], rig->l1, sizeof rig->l1);
    rig->tensix.hooks.tile = rig;
    rig->tensix.hooks.report = rig_report;
    for (unsigned i = 0; i <= TS_THREADS; i++) {
        struct rig_pusher *p = &rig->pusher[i];
        ts_component_init(&p->component, &rig_pusher_ops, rig->domain, "pusher[%u]", i);
        p->front = &rig->front[i % TS_THREADS];
        p->brisc = i == TS_THREADS;
    }
    ts_backend_init(&rig->backend, &rig->tensix, &rig->sync, true);
    for (unsigned t = 0; t < TS_THREADS; t++) {
        ts_frontend_init(&rig->front[t], t, &rig->backend, &ts_machines[0], rig->domain);
        rig->tensix.front[t] = &rig->front[t].component;
    }
    ts_sync_unit_init(&rig->sync, &rig->tensix, rig->domain);
    ts_cfg_unit_init(&rig->config, &rig->tensix, rig->domain);
    ts_scalar_unit_init(&rig->scalar, &rig->tensix, rig->domain);
    ts_misc_unit_init(&rig->misc, &rig->tensix, rig->domain);
    ts_mover_unit_init(&rig->mover, &rig->tensix, rig->domain);
    return rig;
}

static void rig_program(struct rig *rig, unsigned thread, const uint32_t *words, unsigned count)
{
    rig->pusher[thread].words = words;
    rig->pusher[thread].count = count;
}

static struct ts_run rig_run(struct rig *rig, ts_cycle limit)
{
    struct ts_error error = {0};
    ck_assert_msg(ts_kernel_elaborate(rig->kernel, &error) == TS_OK, "%s", error.text);
    return ts_kernel_run(rig->kernel, limit);
}

static void rig_free(struct rig *rig)
{
    ts_kernel_free(rig->kernel);
    free(rig);
}

// Words used by several tests.
#define OP(op)                 ((uint32_t)(op) << 24)
#define NOP                    OP(TS_OP_NOP)
#define DMANOP                 OP(TS_OP_DMANOP)
#define SETDMAREG(half, value) (OP(TS_OP_SETDMAREG) | (uint32_t)(value) << 8 | (half))
#define ADDDMAREG(r, b, a)     (OP(TS_OP_ADDDMAREG) | (uint32_t)(r) << 12 | (b) << 6 | (a))
#define ADDI(r, imm, a)        (ADDDMAREG(r, imm, a) | 1u << 23)
#define SETC16(reg, value)     (OP(TS_OP_SETC16) | (uint32_t)(reg) << 16 | (value))
#define WRCFG(gpr, wide, reg)  (OP(TS_OP_WRCFG) | (uint32_t)(gpr) << 16 | (wide) << 15 | (reg))
#define RDCFG(gpr, reg)        (OP(TS_OP_RDCFG) | (uint32_t)(gpr) << 16 | (reg))
#define RMWCIB(byte, mask, data, reg) \
    (OP(TS_OP_RMWCIB0 + (byte)) | (uint32_t)(mask) << 16 | (data) << 8 | (reg))
#define STALLWAIT(block, cond) (OP(TS_OP_STALLWAIT) | (uint32_t)(block) << 15 | (cond))
#define SEMINIT(max, init, sel) \
    (OP(TS_OP_SEMINIT) | (uint32_t)(max) << 20 | (init) << 16 | (sel) << 2)
#define SEMPOST(sel) (OP(TS_OP_SEMPOST) | (sel) << 2)
#define SEMGET(sel)  (OP(TS_OP_SEMGET) | (sel) << 2)
#define SEMWAIT(block, sel, cond) \
    (OP(TS_OP_SEMWAIT) | (uint32_t)(block) << 15 | (sel) << 2 | (cond))
#define ATGETM(i) (OP(TS_OP_ATGETM) | (i))
#define ATRELM(i) (OP(TS_OP_ATRELM) | (i))
#define REPLAY(start, len, exec, load) \
    (OP(TS_OP_REPLAY) | (uint32_t)(start) << 14 | (len) << 4 | (exec) << 1 | (load))
#define MOP1     (OP(TS_OP_MOP) | 1u << 23)
#define COUNT(a) (unsigned)(sizeof(a) / sizeof *(a))

#endif
