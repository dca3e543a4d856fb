// Interpreting a loop without time; see spin.h.
#include "cores/riscv/spin.h"

#include "cores/riscv/alu.h"
#include "cores/riscv/internal.h"
#include "cores/riscv/lsu.h"

#include <string.h>

#define LOCAL_MAX 8192

struct state {
    uint32_t r[32];
    uint32_t pc;
    uint8_t local[LOCAL_MAX];
};

struct run {
    const struct ts_rv_core *core;
    ts_rv_look *look;
    void *context;
    struct state now, then;
    struct ts_rv_spin *spin;
    bool noting;
};

static bool same(const struct run *run)
{
    return run->now.pc == run->then.pc && memcmp(run->now.r, run->then.r, sizeof run->now.r) == 0 &&
           memcmp(run->now.local, run->then.local, run->core->local_size) == 0;
}

static void note(struct run *run, uint32_t address, uint32_t value)
{
    struct ts_rv_spin *spin = run->spin;
    for (uint32_t i = 0; i < spin->polls; i++)
        if (spin->poll[i].address == address)
            return;
    if (spin->polls == TS_SPIN_POLLS)
        return;
    spin->poll[spin->polls].pc = run->now.pc;
    spin->poll[spin->polls].address = address;
    spin->poll[spin->polls++].value = value;
}

static bool is_local(const struct run *run, uint32_t address, unsigned size)
{
    return address >= TS_RV_LOCAL_BASE &&
           address - TS_RV_LOCAL_BASE + size <= run->core->local_size;
}

// A store in the queue that this load would have to wait for.
static bool queued(const struct ts_rv_core *core, uint32_t address, unsigned size)
{
    for (uint32_t i = 0; i < core->store_count; i++)
        if (overlaps(&core->stores[(core->store_head + i) % TS_RV_STORES], address, size))
            return true;
    return false;
}

// The L0 cache may hold an older value: only a value that it holds permanently, or that agrees, can
// be used.
static bool in_l0(const struct ts_rv_core *core, uint32_t address, unsigned size, uint32_t *value)
{
    for (unsigned i = 0; core->l0 && i < TS_RV_L0; i++)
        if (core->l0_tag[i] == address / 16 + 1) {
            uint32_t held = 0;
            memcpy(&held, core->l0_data[i] + address % 16, size);
            if (held != *value && !(core->csr[TS_RV_CSR_CFG0] & TS_RV_CFG0_DIS_PERIODIC_FLUSH))
                return false;
            *value = held;
        }
    return true;
}

static bool load(struct run *run, uint32_t address, unsigned size, uint32_t *value)
{
    *value = 0;
    if (address % size != 0 || queued(run->core, address, size))
        return false;
    if (is_local(run, address, size)) {
        memcpy(value, run->now.local + (address - TS_RV_LOCAL_BASE), size);
        return true;
    }
    if (ts_l1_contains(address, size)) {
        memcpy(value, run->core->l1->bytes + address, size);
        uint32_t real = *value;
        if (!in_l0(run->core, address, size, value))
            return false;
        if (run->noting && *value != real) {
            run->spin->stale_pc = run->now.pc;
            run->spin->stale_address = address;
        }
    } else if (!run->look(run->context, run->core->id, address, size, value)) {
        return false;
    }
    if (run->noting)
        note(run, address, *value);
    return true;
}

static bool loaded(struct run *run, const struct ts_rv_insn *in, uint32_t address, uint32_t *value)
{
    if (!load(run, address, in->size, value))
        return false;
    *value = ts_rv_extend(in->op, *value);
    return true;
}

#define A    a
#define B    b
#define S(x) ((int32_t)(x))
#define I    imm

static bool branch(enum ts_rv_op op, uint32_t a, uint32_t b)
{
    switch (op) {
#define BRANCH(id, condition) \
    case TS_RV_##id:          \
        return condition;
#include "cores/riscv/bodies.def"
    default:
        return false;
    }
}

// An instruction whose result follows from its operands. False: not one of these.
static bool alu(enum ts_rv_op op, uint32_t a, uint32_t b, uint32_t imm, uint32_t *d)
{
    switch (op) {
#define BODY(id, value) \
    case TS_RV_##id:    \
        *d = (value);   \
        return true;
#define FLOAT(id, value) // not followed
#include "cores/riscv/bodies.def"
    default:
        return false;
    }
}

// tt_cfg_qstatus and tt_cfg_bstatus, read only.
static bool status(struct run *run, const struct ts_rv_insn *in, uint32_t *d)
{
    uint32_t number = (uint32_t)in->imm & 0xfff;
    if ((number != 0xbc0 && number != 0xbc1) || in->op == TS_RV_CSRRW || in->op == TS_RV_CSRRWI ||
        in->rs1 != 0 || in->op > TS_RV_CSRRC)
        return false;
    const struct ts_rv_bus *bus = run->core->bus;
    *d = bus->ops->status(bus->context, run->core->id, number - 0xbc0, run->core->t);
    return true;
}

// One instruction. False: it cannot be part of a loop without effect.
static bool step(struct run *run)
{
    struct state *s = &run->now;
    uint32_t word, next = s->pc + 4, value = 0;
    if (!ts_l1_contains(s->pc, 4) || s->pc % 4 != 0)
        return false;
    memcpy(&word, run->core->l1->bytes + s->pc, 4);
    struct ts_rv_insn in = ts_rv_decode(word);
    if (in.rs1 >= 32 || in.rs2 >= 32)
        return false;
    uint32_t a = s->r[in.rs1], b = s->r[in.rs2], imm = (uint32_t)in.imm;
    const struct ts_rv_row *row = ts_rv_row(in.op);
    switch (in.cls) {
    case TS_RV_CLASS_FENCE:
        s->pc = next;
        return run->core->store_count == 0; // it waits for the queue
    case TS_RV_CLASS_BRANCH:
        if (run->noting && (in.rs1 != 0 || in.rs2 != 0)) {
            run->spin->branch.pc = s->pc;
            run->spin->branch.a = a;
            run->spin->branch.b = b;
            run->spin->branch.op = (uint8_t)in.op;
            run->spin->branch.taken = branch(in.op, a, b);
        }
        s->pc = branch(in.op, a, b) ? s->pc + imm : next;
        return true;
    case TS_RV_CLASS_JUMP:
        value = next;
        next = in.op == TS_RV_JAL ? s->pc + imm : (a + imm) & ~1u;
        break;
    case TS_RV_CLASS_LOAD:
        if (in.rd >= 32 && in.rd != TS_RV_SINK)
            return false;
        if (!loaded(run, &in, a + imm, &value))
            return false;
        break;
    case TS_RV_CLASS_STORE:
        if (!is_local(run, a + imm, in.size) || (a + imm) % in.size != 0 || row == NULL ||
            row->format != TS_RV_FMT_S)
            return false;
        memcpy(s->local + (a + imm - TS_RV_LOCAL_BASE), &b, in.size);
        s->pc = next;
        return true;
    case TS_RV_CLASS_CSR:
        if (!status(run, &in, &value))
            return false;
        break;
    default:
        if (!alu(in.op, a, b, in.op == TS_RV_AUIPC ? s->pc + imm : imm, &value))
            return false;
    }
    if (in.rd < 32)
        s->r[in.rd] = value;
    s->pc = next;
    return true;
}

// Its first store waits until others act, and those behind it wait too; loads overtake them.
static bool stores_wait(const struct ts_rv_core *core)
{
    return core->store_blocked && core->store_wait.until == 0 && !core->store_full &&
           !core->draining && !core->behind && !core->strict;
}

bool ts_rv_spins(const struct ts_rv_core *core, ts_rv_look *look, void *context,
                 struct ts_rv_spin *spin)
{
    memset(spin, 0, sizeof *spin);
    if (core->held || core->paused || core->spinning || core->pending || core->interrupt ||
        (core->store_count != 0 && !stores_wait(core)) || core->watch.late ||
        core->local_size > LOCAL_MAX)
        return false;
    struct run run = {.core = core, .look = look, .context = context, .spin = spin};
    memcpy(run.now.r, core->r, sizeof run.now.r);
    memcpy(run.now.local, core->local, core->local_size);
    run.now.r[0] = 0;
    run.now.pc = core->pc;
    // Brent: compare with the state at the last power of two.
    run.then = run.now;
    uint32_t power = 1, length = 0;
    for (uint32_t i = 0; i < TS_SPIN_STEPS; i++) {
        if (!step(&run))
            return false;
        length++;
        if (same(&run)) {
            spin->period = length;
            run.noting = true;
            for (uint32_t k = 0; k < length; k++)
                step(&run);
            return true;
        }
        if (length == power) {
            power *= 2;
            length = 0;
            run.then = run.now;
        }
    }
    return false;
}
