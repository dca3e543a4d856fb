// Loops that change only what they do not depend on; see drift.h.
#include "cores/riscv/drift.h"

#include "cores/riscv/walk.h"

#include <stdlib.h>
#include <string.h>

#define ROUND  1024 // instructions
#define WORDS  (TS_WALK_LOCAL / 4)
#define PASSES 8

struct run {
    struct ts_rv_walk now;
    ts_rv_look *look;
    void *context;
    struct ts_rv_drift *drift;
    struct { // L1 as the loop has written it
        uint32_t address, value;
    } word[TS_DRIFT_STORES];
    // Marks: what differs from round to round.
    bool reg[32], local[WORDS], stored[TS_DRIFT_STORES];
    uint32_t pc[ROUND];
};

static int slot(struct run *run, uint32_t address, bool add)
{
    struct ts_rv_drift *drift = run->drift;
    for (uint32_t i = 0; i < drift->stores; i++)
        if (drift->store[i] == (address & ~3u))
            return (int)i;
    if (!add || drift->stores == TS_DRIFT_STORES)
        return -1;
    uint32_t i = drift->stores++;
    drift->store[i] = run->word[i].address = address & ~3u;
    memcpy(&run->word[i].value, run->now.core->l1->bytes + (address & ~3u), 4);
    return (int)i;
}

static bool load(struct ts_rv_walk *walk, uint32_t address, unsigned size, uint32_t *value)
{
    struct run *run = walk->context;
    if (!ts_l1_contains(address, size))
        return run->look(run->context, walk->core->id, address, size, value);
    int i = slot(run, address, false);
    if (i >= 0)
        memcpy(value, (const char *)&run->word[i].value + address % 4, size);
    else
        memcpy(value, walk->core->l1->bytes + address, size);
    return i >= 0 || ts_rv_walk_l0(walk->core, address, size, value);
}

static bool store(struct ts_rv_walk *walk, uint32_t address, unsigned size, uint32_t value)
{
    struct run *run = walk->context;
    int i = ts_l1_contains(address, size) ? slot(run, address, true) : -1;
    if (i < 0)
        return false;
    memcpy((char *)&run->word[i].value + address % 4, &value, size);
    return true;
}

static bool *mark_of(struct run *run, uint32_t address)
{
    uint32_t offset = address - TS_RV_LOCAL_BASE;
    if (address >= TS_RV_LOCAL_BASE && offset < run->now.core->local_size)
        return &run->local[offset / 4];
    int i = slot(run, address, false);
    return i >= 0 ? &run->stored[i] : NULL;
}

// Passes the marks through one instruction that has just been done. False: the way depends on one.
static bool follow(struct run *run)
{
    const struct ts_rv_insn *in = &run->now.insn;
    bool a = run->reg[in->rs1], b = run->reg[in->rs2], *memory;
    switch (in->cls) {
    case TS_RV_CLASS_BRANCH:
        return !a && !b;
    case TS_RV_CLASS_JUMP:
        if (a && in->op != TS_RV_JAL)
            return false;
        a = b = false;
        break;
    case TS_RV_CLASS_STORE:
        memory = mark_of(run, run->now.address);
        if (a || memory == NULL)
            return false;
        *memory = b || (*memory && in->size != 4);
        return true;
    case TS_RV_CLASS_LOAD:
        if (a)
            return false;
        memory = mark_of(run, run->now.address);
        a = memory && *memory;
        b = false;
        break;
    case TS_RV_CLASS_FENCE:
        return true;
    case TS_RV_CLASS_CSR:
    case TS_RV_CLASS_AMO:
        return false;
    default:
        break;
    }
    if (in->rd > 0 && in->rd < 32)
        run->reg[in->rd] = a || b;
    return true;
}

// Goes to the next time at the same pc; the length of the round, 0: none.
static uint32_t go_round(struct run *run, bool first)
{
    uint32_t head = run->now.pc;
    for (uint32_t i = 0; i < ROUND; i++) {
        if (first)
            run->pc[i] = run->now.pc;
        else if (run->pc[i] != run->now.pc)
            return 0;
        if (!ts_rv_walk_step(&run->now))
            return 0;
        if (run->now.pc == head)
            return i + 1;
    }
    return 0;
}

// Marks what differs between two states at the head of the loop.
static void mark(struct run *run, const struct run *before)
{
    for (unsigned i = 1; i < 32; i++)
        run->reg[i] = before->reg[i] || run->now.r[i] != before->now.r[i];
    for (uint32_t i = 0; i < run->now.core->local_size / 4; i++)
        run->local[i] = before->local[i] ||
                        memcmp(run->now.local + 4 * i, before->now.local + 4 * i, 4) != 0;
    for (uint32_t i = 0; i < run->drift->stores; i++)
        run->stored[i] = before->stored[i] || run->word[i].value != before->word[i].value;
}

static bool same_marks(const struct run *a, const struct run *b)
{
    return memcmp(a->reg, b->reg, sizeof a->reg) == 0 &&
           memcmp(a->local, b->local, sizeof a->local) == 0 &&
           memcmp(a->stored, b->stored, sizeof a->stored) == 0;
}

// Follows the marks round after round until they no longer grow.
static bool closes(struct run *run, struct run *before)
{
    for (unsigned pass = 0; pass < PASSES; pass++) {
        *before = *run;
        before->now.context = before;
        for (uint32_t i = 0; i < run->drift->period; i++)
            if (run->pc[i] != run->now.pc || !ts_rv_walk_step(&run->now) || !follow(run))
                return false;
        struct run after = *run;
        mark(run, before);
        if (same_marks(run, before) && same_marks(&after, before))
            return true;
        for (unsigned i = 0; i < 32; i++)
            run->reg[i] |= after.reg[i];
        for (unsigned i = 0; i < WORDS; i++)
            run->local[i] |= after.local[i];
        for (unsigned i = 0; i < TS_DRIFT_STORES; i++)
            run->stored[i] |= after.stored[i];
    }
    return false;
}

// Stores that are still in the core's queue belong to the loop.
static bool take_queue(struct run *run, const struct ts_rv_core *core)
{
    for (uint32_t i = 0; i < core->store_count; i++) {
        const struct ts_rv_store *s = &core->stores[(core->store_head + i) % TS_RV_STORES];
        for (unsigned w = 0; w < 4; w++) {
            if (!ts_l1_contains(s->address, 16))
                return false;
            int at = s->mask >> (4 * w) & 15 ? slot(run, s->address + 4 * w, true) : -2;
            if (at == -1 || (at >= 0 && (s->mask >> (4 * w) & 15) != 15))
                return false;
            if (at >= 0)
                run->word[at].value = s->data.word[w];
        }
    }
    return true;
}

bool ts_rv_drifts(const struct ts_rv_core *core, ts_rv_look *look, void *context,
                  struct ts_rv_spin *spin, struct ts_rv_drift *drift)
{
    memset(spin, 0, sizeof *spin);
    memset(drift, 0, sizeof *drift);
    if (core->held || core->paused || core->spinning || core->pending || core->interrupt ||
        core->watch.late || core->store_blocked)
        return false;
    struct run *run = calloc(2, sizeof *run);
    if (run == NULL)
        return false;
    run->look = look;
    run->context = context;
    run->drift = drift;
    run->now.context = run;
    run->now.load = load;
    run->now.store = store;
    bool proved = ts_rv_walk_start(&run->now, core, core->pc) && take_queue(run, core);
    // The first round reaches the loop's own values, the second is compared with the third.
    proved = proved && go_round(run, true) != 0;
    drift->period = proved ? go_round(run, false) : 0;
    if (drift->period) {
        run[1] = *run;
        proved = go_round(run, false) == drift->period;
        mark(run, &run[1]);
        proved = proved && closes(run, &run[1]);
    }
    proved = proved && drift->period;
    if (proved)
        ts_rv_spin_describe(core, look, context, drift->period, spin);
    free(run);
    return proved;
}
