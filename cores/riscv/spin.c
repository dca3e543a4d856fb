// Finding a loop that never ends, and what decides it; see spin.h.
#include "cores/riscv/spin.h"

#include "cores/riscv/internal.h"
#include "cores/riscv/walk.h"

#define BRANCHES 32
#define SPILLS   16

struct run {
    struct ts_rv_walk now, then;
    ts_rv_look *look;
    ts_rv_touch *touch; // NULL: the loop has no stores
    void *context;
    struct ts_rv_spin *spin;
    bool noting;
    // While noting: the term of each register and of words in local RAM, plus one; 0: a constant.
    uint8_t of[32];
    struct {
        uint32_t address;
        uint8_t of;
    } spill[SPILLS];
    unsigned spills;
    struct { // branches with a term, each pc once
        uint32_t pc, other;
        uint8_t op, a, b;
        bool taken;
    } branch[BRANCHES];
    unsigned branches;
    uint32_t first, last; // pcs of the round
    uint64_t seen[(4 * TS_SPIN_STEPS + 63) / 64];
};

// The terms stay as they are: `terms` says how many count.
static void clear(struct ts_rv_spin *spin)
{
    const size_t from = offsetof(struct ts_rv_spin, term), to = from + sizeof spin->term;
    memset(spin, 0, from);
    memset((char *)spin + to, 0, sizeof *spin - to);
}

static bool same(const struct run *run)
{
    return run->now.pc == run->then.pc && memcmp(run->now.r, run->then.r, sizeof run->now.r) == 0 &&
           memcmp(run->now.local, run->then.local, run->now.core->local_size) == 0;
}

// --- loads

static uint32_t note(struct run *run, uint32_t address, unsigned size, uint32_t value)
{
    struct ts_rv_spin *spin = run->spin;
    for (uint32_t i = 0; i < spin->polls; i++)
        if (spin->poll[i].address == address && spin->poll[i].size == size)
            return i;
    if (spin->polls == TS_SPIN_POLLS)
        return TS_SPIN_POLLS;
    spin->poll[spin->polls].pc = run->now.pc;
    spin->poll[spin->polls].address = address;
    spin->poll[spin->polls].size = (uint8_t)size;
    spin->poll[spin->polls].value = value;
    return spin->polls++;
}

static bool load(struct ts_rv_walk *walk, uint32_t address, unsigned size, uint32_t *value)
{
    struct run *run = walk->context;
    if (ts_l1_contains(address, size)) {
        memcpy(value, walk->core->l1->bytes + address, size);
        uint32_t real = *value;
        if (!ts_rv_walk_l0(walk->core, address, size, value))
            return false;
        if (run->noting && *value != real) {
            run->spin->stale_pc = walk->pc;
            run->spin->stale_address = address;
        }
    } else if (!run->look(run->context, walk->core->id, address, size, value)) {
        return false;
    }
    if (run->noting)
        note(run, address, size, *value);
    return true;
}

// --- terms

static uint8_t new_term(struct run *run, struct ts_rv_term term)
{
    struct ts_rv_spin *spin = run->spin;
    if (spin->terms == TS_SPIN_TERMS)
        return 0;
    spin->term[spin->terms] = term;
    return (uint8_t)++spin->terms;
}

static uint8_t constant(struct run *run, uint32_t value)
{
    return new_term(run, (struct ts_rv_term){.kind = TS_TERM_CONST, .value = value});
}

// An operation with an immediate, as one with two operands.
static enum ts_rv_op without_immediate(enum ts_rv_op op)
{
    static const uint8_t pairs[][2] = {
        {TS_RV_ADDI, TS_RV_ADD}, {TS_RV_SLTI, TS_RV_SLT}, {TS_RV_SLTIU, TS_RV_SLTU},
        {TS_RV_XORI, TS_RV_XOR}, {TS_RV_ORI, TS_RV_OR},   {TS_RV_ANDI, TS_RV_AND},
        {TS_RV_SLLI, TS_RV_SLL}, {TS_RV_SRLI, TS_RV_SRL}, {TS_RV_SRAI, TS_RV_SRA},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] == op)
            return pairs[i][1];
    return op;
}

static uint8_t operation(struct run *run, const struct ts_rv_walk *walk)
{
    const struct ts_rv_insn *in = &walk->insn;
    uint8_t a = run->of[in->rs1], b = run->of[in->rs2];
    enum ts_rv_op op = without_immediate(in->op);
    bool immediate = op != (enum ts_rv_op)in->op;
    if (in->op == TS_RV_ADDI && in->imm == 0)
        return a; // a move
    if (a == 0 && (b == 0 || immediate))
        return 0;
    if (in->op == TS_RV_ZEXT_H) {
        op = TS_RV_AND;
        b = constant(run, 0xffff);
    } else if (immediate) {
        b = constant(run, (uint32_t)in->imm);
    }
    a = a ? a : constant(run, walk->a);
    b = b ? b : constant(run, walk->b);
    if (a == 0 || b == 0)
        return 0;
    return new_term(run, (struct ts_rv_term){.kind = TS_TERM_OP,
                                             .op = (uint8_t)op,
                                             .a = (uint8_t)(a - 1),
                                             .b = (uint8_t)(b - 1),
                                             .imm = (uint32_t)in->imm,
                                             .value = walk->value});
}

static uint8_t *spilled(struct run *run, uint32_t address, bool add)
{
    for (unsigned i = 0; i < run->spills; i++)
        if (run->spill[i].address == address)
            return &run->spill[i].of;
    if (!add || run->spills == SPILLS)
        return NULL;
    run->spill[run->spills].address = address;
    run->spill[run->spills].of = 0;
    return &run->spill[run->spills++].of;
}

static void follow_branch(struct run *run, const struct ts_rv_walk *walk)
{
    const struct ts_rv_insn *in = &walk->insn;
    if (in->rs1 != 0 || in->rs2 != 0) {
        run->spin->branch.pc = walk->at;
        run->spin->branch.a = walk->a;
        run->spin->branch.b = walk->b;
        run->spin->branch.op = in->op;
        run->spin->branch.taken = walk->taken;
    }
    uint8_t a = run->of[in->rs1], b = run->of[in->rs2];
    if ((a == 0 && b == 0) || run->branches == BRANCHES)
        return;
    for (unsigned i = 0; i < run->branches; i++)
        if (run->branch[i].pc == walk->at)
            return;
    a = a ? a : constant(run, walk->a);
    b = b ? b : constant(run, walk->b);
    if (a && b) {
        run->branch[run->branches].pc = walk->at;
        run->branch[run->branches].other = walk->other;
        run->branch[run->branches].op = in->op;
        run->branch[run->branches].a = (uint8_t)(a - 1);
        run->branch[run->branches].b = (uint8_t)(b - 1);
        run->branch[run->branches++].taken = walk->taken;
    }
}

// The terms after a step.
static void follow_terms(struct run *run)
{
    const struct ts_rv_walk *walk = &run->now;
    const struct ts_rv_insn *in = &walk->insn;
    uint8_t result = 0, *spill;
    bool local = walk->address >= TS_RV_LOCAL_BASE &&
                 walk->address - TS_RV_LOCAL_BASE < walk->core->local_size;
    switch (in->cls) {
    case TS_RV_CLASS_BRANCH:
        follow_branch(run, walk);
        return;
    case TS_RV_CLASS_STORE:
        spill = spilled(run, walk->address, run->of[in->rs2] != 0);
        if (spill)
            *spill = run->of[in->rs2];
        return;
    case TS_RV_CLASS_LOAD:
        spill = local ? spilled(run, walk->address, false) : NULL;
        if (spill)
            result = *spill;
        if (!local) {
            uint32_t index = note(run, walk->address, in->size, walk->value);
            if (index < TS_SPIN_POLLS)
                result = new_term(run, (struct ts_rv_term){.kind = TS_TERM_POLL,
                                                           .op = in->op,
                                                           .a = (uint8_t)index,
                                                           .value = walk->value});
        }
        break;
    case TS_RV_CLASS_ALU:
    case TS_RV_CLASS_MUL:
        result = operation(run, walk);
        break;
    }
    if (in->rd < 32)
        run->of[in->rd] = in->rd ? result : 0;
}

// --- the round

static void mark(struct run *run, uint32_t pc)
{
    uint32_t index = (pc - run->first) / 4;
    if (pc >= run->first && index < 64 * (sizeof run->seen / sizeof *run->seen))
        run->seen[index / 64] |= UINT64_C(1) << index % 64;
}

static bool marked(const struct run *run, uint32_t pc)
{
    uint32_t index = (pc - run->first) / 4;
    return pc >= run->first && index < 64 * (sizeof run->seen / sizeof *run->seen) &&
           (run->seen[index / 64] >> index % 64 & 1);
}

static void find_exits(struct run *run)
{
    struct ts_rv_spin *spin = run->spin;
    for (unsigned i = 0; i < run->branches && spin->exits < TS_SPIN_EXITS; i++) {
        spin->exit[spin->exits].leaves = !marked(run, run->branch[i].other) || run->branches == 1;
        spin->exit[spin->exits].pc = run->branch[i].pc;
        spin->exit[spin->exits].op = run->branch[i].op;
        spin->exit[spin->exits].a = run->branch[i].a;
        spin->exit[spin->exits].b = run->branch[i].b;
        spin->exit[spin->exits++].taken = run->branch[i].taken;
    }
}

// Goes round again, from the state that repeats: twice, because a value may come from the round
// before.
static void describe(struct run *run)
{
    run->first = UINT32_MAX;
    for (uint32_t k = 0; k < run->spin->period; k++) {
        run->first = run->now.pc < run->first ? run->now.pc : run->first;
        ts_rv_walk_step(&run->now);
    }
    run->noting = true;
    for (uint32_t k = 0; k < 2 * run->spin->period; k++) {
        if (k == run->spin->period)
            run->branches = 0;
        mark(run, run->now.pc);
        ts_rv_walk_step(&run->now);
        follow_terms(run);
    }
    find_exits(run);
}

// The core's first store waits until others act, and the stores behind it wait too; loads overtake
// them.
static bool stores_wait(const struct ts_rv_core *core)
{
    return core->store_blocked && core->store_wait.until == 0 && !core->store_full &&
           !core->draining && !core->behind && !core->strict;
}

bool ts_rv_spins(const struct ts_rv_core *core, ts_rv_look *look, void *context,
                 struct ts_rv_spin *spin)
{
    clear(spin);
    if (core->held || core->stopped || core->spinning || core->pending || core->interrupt ||
        (core->store_count != 0 && !stores_wait(core)) || core->watch.late)
        return false;
    struct run run = {.look = look, .spin = spin};
    run.now.stuck = core->store_count != 0;
    run.now.load = load;
    run.now.context = &run;
    run.context = context;
    if (!ts_rv_walk_start(&run.now, core, core->pc))
        return false;
    // Brent: compare with the state at the last power of two.
    run.then = run.now;
    uint32_t power = 1, length = 0;
    for (uint32_t i = 0; i < TS_SPIN_STEPS; i++) {
        if (!ts_rv_walk_step(&run.now))
            return false;
        length++;
        spin->steps = i + 1;
        if (same(&run)) {
            if (run.now.pc == run.now.at)
                return false; // a jump to itself is the end of a program, not a wait
            spin->period = length;
            describe(&run);
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

static bool store(struct ts_rv_walk *walk, uint32_t address, unsigned size, uint32_t value)
{
    struct run *run = walk->context;
    if (!ts_l1_contains(address, size) && run->touch)
        run->touch(run->context, walk->pc, address, value);
    return true;
}

void ts_rv_spin_describe(const struct ts_rv_walk *from, const struct ts_rv_world *world,
                         uint32_t period, struct ts_rv_spin *spin)
{
    struct run run = {.now = *from,
                      .look = world->look,
                      .touch = world->touch,
                      .spin = spin,
                      .context = world->context};
    clear(spin);
    run.now.load = load;
    run.now.store = store;
    run.now.context = &run;
    spin->period = period;
    describe(&run);
}

// --- other values

// Operands stand before the operations that use them.
void ts_rv_spin_evaluate(const struct ts_rv_spin *self, uint32_t poll, uint32_t value,
                         uint32_t of[TS_SPIN_TERMS])
{
    for (uint32_t i = 0; i < self->terms; i++) {
        const struct ts_rv_term *x = &self->term[i];
        of[i] = x->value;
        if (x->kind == TS_TERM_POLL && x->a == poll)
            of[i] = ts_rv_extend(x->op, value);
        else if (x->kind == TS_TERM_OP)
            ts_rv_compute(x->op, of[x->a], of[x->b], x->imm, &of[i]);
    }
}

bool ts_rv_spin_ends(const struct ts_rv_spin *self, uint32_t poll, uint32_t value)
{
    uint32_t of[TS_SPIN_TERMS];
    ts_rv_spin_evaluate(self, poll, value, of);
    for (uint32_t i = 0; i < self->exits; i++)
        if (ts_rv_branches(self->exit[i].op, of[self->exit[i].a], of[self->exit[i].b]) !=
            self->exit[i].taken)
            return self->exit[i].leaves; // else another way round
    return false;
}

int ts_rv_spin_poll_of(const struct ts_rv_spin *self, uint32_t term)
{
    const struct ts_rv_term *x = &self->term[term];
    if (x->kind != TS_TERM_OP)
        return x->kind == TS_TERM_POLL ? x->a : -1;
    int first = ts_rv_spin_poll_of(self, x->a);
    return first >= 0 ? first : ts_rv_spin_poll_of(self, x->b);
}
