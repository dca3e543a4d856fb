// Interpreting instructions without time; see walk.h.
#include "cores/riscv/walk.h"

#include "cores/riscv/alu.h"
#include "cores/riscv/lsu.h"
#include "platform/kernel/domain.h"

bool ts_rv_walk_l0(const struct ts_rv_core *core, uint32_t address, unsigned size, uint32_t *value)
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

static bool is_local(const struct ts_rv_walk *self, uint32_t address, unsigned size)
{
    return address >= TS_RV_LOCAL_BASE &&
           address - TS_RV_LOCAL_BASE + size <= self->core->local_size;
}

// A store in the queue that this load would have to wait for.
static bool queued(const struct ts_rv_core *core, uint32_t address, unsigned size)
{
    for (uint32_t i = 0; i < core->store_count; i++)
        if (overlaps(&core->stores[(core->store_head + i) % TS_RV_STORES], address, size))
            return true;
    return false;
}

static bool load(struct ts_rv_walk *self, uint32_t address, unsigned size, uint32_t *value)
{
    *value = 0;
    if (address % size != 0 || (self->stuck && queued(self->core, address, size)))
        return false;
    if (is_local(self, address, size)) {
        const uint8_t *local = self->lent ? self->core->local : self->local;
        memcpy(value, local + (address - TS_RV_LOCAL_BASE), size);
        return true;
    }
    return self->load && self->load(self, address, size, value);
}

static bool store(struct ts_rv_walk *self, uint32_t address, unsigned size, uint32_t value)
{
    if (address % size != 0)
        return false;
    if (is_local(self, address, size)) {
        if (self->lent)
            memcpy(self->local, self->core->local, self->core->local_size);
        self->lent = false;
        memcpy(self->local + (address - TS_RV_LOCAL_BASE), &value, size);
        return true;
    }
    return self->store && self->store(self, address, size, value);
}

#define A    a
#define B    b
#define S(x) ((int32_t)(x))
#define I    imm

bool ts_rv_branches(enum ts_rv_op op, uint32_t a, uint32_t b)
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

bool ts_rv_compute(enum ts_rv_op op, uint32_t a, uint32_t b, uint32_t imm, uint32_t *d)
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

// Reads of mcycle and cycle, and of their upper halves, are loads of the wall clock: who asks has one clock.
static struct ts_rv_insn clock_load(struct ts_rv_insn in)
{
    const uint32_t number = (uint32_t)in.imm & 0xfff, low = number & ~0x80u;
    if (in.cls != TS_RV_CLASS_CSR || (low != 0xb00 && low != 0xc00) || in.rs1 != 0 ||
        (in.op != TS_RV_CSRRS && in.op != TS_RV_CSRRC))
        return in;
    in.cls = TS_RV_CLASS_LOAD;
    in.op = TS_RV_LW;
    in.size = 4;
    in.imm = (int32_t)(TS_RV_WALL_CLOCK + (number & 0x80 ? 8 : 0));
    return in;
}

// tt_cfg_qstatus and tt_cfg_bstatus, read only.
static bool status(const struct ts_rv_walk *self, const struct ts_rv_insn *in, uint32_t *d)
{
    uint32_t number = (uint32_t)in->imm & 0xfff;
    if ((number != 0xbc0 && number != 0xbc1) || in->op == TS_RV_CSRRW || in->op == TS_RV_CSRRWI ||
        in->rs1 != 0 || in->op > TS_RV_CSRRC)
        return false;
    // The core may be far ahead of the clock, in a long division: the machine does not go on for a question.
    const struct ts_rv_core *core = self->core;
    const struct ts_domain *domain = core->component.domain;
    const ts_cycle reached = domain->now - (domain->running == NULL && domain->now != 0);
    *d = core->bus->ops->status(core->bus->context, core->id, number - 0xbc0,
                                core->t < reached ? core->t : reached, core->t);
    return true;
}

// Loads, stores and atomics. False: not followed.
static bool memory(struct ts_rv_walk *self, const struct ts_rv_insn *in)
{
    const struct ts_rv_row *row = ts_rv_row(in->op);
    self->address = in->cls == TS_RV_CLASS_AMO ? self->a : self->a + (uint32_t)in->imm;
    if (in->cls == TS_RV_CLASS_STORE)
        return row && row->format == TS_RV_FMT_S && store(self, self->address, in->size, self->b);
    if ((in->rd >= 32 && in->rd != TS_RV_SINK) ||
        !load(self, self->address, in->cls == TS_RV_CLASS_AMO ? 4 : in->size, &self->value))
        return false;
    if (in->cls == TS_RV_CLASS_AMO) // the value matters less than that it is written
        return store(self, self->address, 4, self->value + self->b);
    self->value = ts_rv_extend(in->op, self->value);
    return true;
}

bool ts_rv_walk_again(struct ts_rv_walk *self, const struct ts_rv_core *core, uint32_t pc)
{
    if (core->local_size > TS_WALK_LOCAL)
        return false;
    self->core = core;
    memcpy(self->r, core->r, sizeof self->r);
    self->lent = true;
    self->r[0] = 0;
    self->pc = pc;
    return true;
}

bool ts_rv_walk_start(struct ts_rv_walk *self, const struct ts_rv_core *core, uint32_t pc)
{
    if (!ts_rv_walk_again(self, core, pc))
        return false;
    memcpy(self->local, core->local, core->local_size);
    self->lent = false;
    return true;
}

bool ts_rv_walk_step(struct ts_rv_walk *self)
{
    uint32_t word, next = self->pc + 4;
    if (!ts_rv_code(self->core->l1, self->pc, &word) || word == 0)
        return false;
    if (self->decoded[self->pc / 4 % TS_WALK_DECODED].word != word) {
        self->decoded[self->pc / 4 % TS_WALK_DECODED].word = word;
        self->decoded[self->pc / 4 % TS_WALK_DECODED].insn = clock_load(ts_rv_decode(word));
    }
    struct ts_rv_insn in = self->insn = self->decoded[self->pc / 4 % TS_WALK_DECODED].insn;
    if (in.rs1 >= 32 || in.rs2 >= 32)
        return false;
    uint32_t imm = (uint32_t)in.imm;
    self->at = self->pc;
    self->a = self->r[in.rs1];
    self->b = self->r[in.rs2];
    self->value = 0;
    switch (in.cls) {
    case TS_RV_CLASS_FENCE:
        if (self->stuck) // the fence waits for the queue
            return false;
        break;
    case TS_RV_CLASS_BRANCH:
        self->taken = ts_rv_branches(in.op, self->a, self->b);
        self->other = self->taken ? next : self->pc + imm;
        self->pc = self->taken ? self->pc + imm : next;
        return true;
    case TS_RV_CLASS_JUMP:
        self->value = next;
        next = in.op == TS_RV_JAL ? self->pc + imm : (self->a + imm) & ~1u;
        break;
    case TS_RV_CLASS_LOAD:
    case TS_RV_CLASS_STORE:
    case TS_RV_CLASS_AMO:
        if (!memory(self, &in))
            return false;
        break;
    case TS_RV_CLASS_CSR:
        if (!status(self, &in, &self->value))
            return false;
        break;
    case TS_RV_CLASS_TTINSN:
        if (self->push == NULL || !self->push(self, imm))
            return false;
        break;
    default:
        if (!ts_rv_compute(in.op, self->a, self->b, in.op == TS_RV_AUIPC ? self->pc + imm : imm,
                           &self->value))
            return false;
    }
    if (in.rd < 32 && in.cls != TS_RV_CLASS_STORE && in.cls != TS_RV_CLASS_FENCE &&
        in.cls != TS_RV_CLASS_TTINSN)
        self->r[in.rd] = self->value;
    self->r[0] = 0;
    self->pc = next;
    return true;
}
