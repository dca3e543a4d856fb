// Loops that change only what they do not depend on; see drift.h.
#include "cores/riscv/drift.h"

#include "cores/riscv/walk.h"

#define ROUND  1024 // instructions
#define WORDS  (TS_WALK_LOCAL / 4)
#define PASSES 8
#define STARTS 4

#define LOOKS 64 // loads of registers in a round

// How a value differs from round to round: by the same step each time, or in a way that is not
// followed. All zero: it does not.
struct mark {
    uint32_t step;
    bool wild;
};

struct run {
    struct ts_rv_walk now;
    ts_rv_look *look;
    ts_rv_touch *touch;
    void *context;
    struct ts_rv_drift *drift;
    struct { // L1 as the loop has written it
        uint32_t address, value;
    } word[TS_DRIFT_STORES];
    struct mark reg[32], local[WORDS], stored[TS_DRIFT_STORES];
    // Registers of devices that were loaded, in order: in this round, and in the one before.
    uint32_t seen[LOOKS], before[LOOKS], looks;
    uint32_t pc[ROUND];
    bool counts;   // the way may depend on a count:
    uint64_t left; // rounds for which no branch on it goes another way
};

static bool marked(struct mark a)
{
    return a.step != 0 || a.wild;
}

static bool same_mark(struct mark a, struct mark b)
{
    return a.step == b.step && a.wild == b.wild;
}

static struct mark wild_if(bool any)
{
    return (struct mark){.wild = any};
}

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
    if (!ts_l1_contains(address, size)) {
        if (run->looks == LOOKS || !run->look(run->context, walk->core->id, address, size, value))
            return false;
        run->seen[run->looks++] = *value;
        return true;
    }
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
    if (!ts_l1_contains(address, size))
        return run->touch && size == 4 && run->touch(run->context, walk->pc, address, value);
    int i = slot(run, address, true);
    if (i < 0)
        return false;
    memcpy((char *)&run->word[i].value + address % 4, &value, size);
    return true;
}

static struct mark *mark_of(struct run *run, uint32_t address)
{
    uint32_t offset = address - TS_RV_LOCAL_BASE;
    if (address >= TS_RV_LOCAL_BASE && offset < run->now.core->local_size)
        return &run->local[offset / 4];
    int i = slot(run, address, false);
    return i >= 0 ? &run->stored[i] : NULL;
}

static bool is_register(const struct run *run, uint32_t address)
{
    return !ts_l1_contains(address, 1) &&
           (address < TS_RV_LOCAL_BASE || address - TS_RV_LOCAL_BASE >= run->now.core->local_size);
}

static struct mark loaded(struct run *run, const struct ts_rv_insn *in)
{
    uint32_t address = run->now.address;
    if (is_register(run, address)) {
        uint32_t k = run->looks - 1;
        return (struct mark){.step = run->seen[k] - run->before[k]};
    }
    struct mark *memory = mark_of(run, address);
    if (memory == NULL || !marked(*memory))
        return (struct mark){0};
    return in->size == 4 ? *memory : wild_if(true);
}

static struct mark computed(const struct ts_rv_insn *in, struct mark a, struct mark b)
{
    if (a.wild || b.wild)
        return wild_if(true);
    switch (in->op) {
    case TS_RV_ADD:
    case TS_RV_ADDI:
        return (struct mark){.step = a.step + b.step};
    case TS_RV_SUB:
        return (struct mark){.step = a.step - b.step};
    default:
        return wild_if(marked(a) || marked(b));
    }
}

// Rounds for which a value stays within 0 to UINT32_MAX.
static uint64_t stays_within(uint64_t value, int64_t step)
{
    if (step == 0)
        return UINT64_MAX;
    return step > 0 ? (UINT32_MAX - value) / (uint64_t)step : value / (uint64_t)-step;
}

// Rounds for which a branch goes the same way, its operands changing by their steps.
static uint64_t stays(enum ts_rv_op op, uint32_t a, uint32_t b, struct mark by_a, struct mark by_b)
{
    const int64_t step = (int64_t)(int32_t)by_a.step - (int32_t)by_b.step;
    const uint32_t sign = op == TS_RV_BLT || op == TS_RV_BGE ? UINT32_C(1) << 31 : 0;
    const uint64_t x = a ^ sign, y = b ^ sign; // signed ones in the order of unsigned ones
    uint64_t rounds = stays_within(x, (int32_t)by_a.step),
             others = stays_within(y, (int32_t)by_b.step);
    rounds = others < rounds ? others : rounds;
    if ((op == TS_RV_BEQ || op == TS_RV_BNE) && x == y)
        return step == 0 ? rounds : 0;
    // Up to the round before they meet, or, if equal is the same as less or as more, in which they do.
    const bool below = x < y;
    const uint64_t apart = below ? y - x - 1 : x - y - (op == TS_RV_BEQ || op == TS_RV_BNE);
    others = step == 0 || (step > 0) != below ? UINT64_MAX
                                              : apart / (uint64_t)(step > 0 ? step : -step);
    return others < rounds ? others : rounds;
}

// Passes the marks through one instruction that has just been done. False: the way depends on one.
static bool follow_marks(struct run *run)
{
    const struct ts_rv_insn *in = &run->now.insn;
    struct mark a = run->reg[in->rs1], b = run->reg[in->rs2], result = {0}, *memory;
    switch (in->cls) {
    case TS_RV_CLASS_BRANCH: // two counts that grow alike stay equal, or different
        if (run->counts && !a.wild && !b.wild) {
            const uint64_t left = stays(in->op, run->now.a, run->now.b, a, b);
            run->left = left < run->left ? left : run->left;
            return left != 0;
        }
        return (!marked(a) && !marked(b)) || ((in->op == TS_RV_BEQ || in->op == TS_RV_BNE) &&
                                              !a.wild && !b.wild && a.step == b.step);
    case TS_RV_CLASS_JUMP:
        if (marked(a) && in->op != TS_RV_JAL)
            return false;
        break;
    case TS_RV_CLASS_STORE:
        if (is_register(run, run->now.address))
            return !marked(a) && !marked(b); // the same request in every round
        memory = mark_of(run, run->now.address);
        if (marked(a) || memory == NULL)
            return false;
        *memory = in->size == 4 ? b : wild_if(marked(b) || marked(*memory));
        return true;
    case TS_RV_CLASS_LOAD:
        if (marked(a))
            return false;
        result = loaded(run, in);
        break;
    case TS_RV_CLASS_FENCE:
        return true;
    case TS_RV_CLASS_CSR:
    case TS_RV_CLASS_AMO:
        return false;
    default:
        result = computed(in, a, b);
        break;
    }
    if (in->rd > 0 && in->rd < 32)
        run->reg[in->rd] = result;
    return true;
}

static void begin_round(struct run *run)
{
    memcpy(run->before, run->seen, sizeof run->seen);
    run->looks = 0;
}

// Goes to the next time at the same pc; the length of the round, 0: none.
static uint32_t go_round(struct run *run, bool first)
{
    uint32_t head = run->now.pc;
    begin_round(run);
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

// Every value that lives from round to round, by number: its mark, and what it is now.
#define VALUES (32 + WORDS + TS_DRIFT_STORES)

static struct mark *value_at(struct run *run, uint32_t i, uint32_t *value)
{
    if (i < 32) {
        *value = run->now.r[i];
        return &run->reg[i];
    }
    if (i < 32 + WORDS) {
        memcpy(value, run->now.local + 4 * (i - 32), 4);
        return &run->local[i - 32];
    }
    *value = run->word[i - 32 - WORDS].value;
    return &run->stored[i - 32 - WORDS];
}

// Follows the marks round after round until they stay as they are. A value that does not go by its
// step, or gets another mark on its way, is wild.
static bool closes(struct run *run, struct run *before)
{
    for (unsigned pass = 0; pass < PASSES; pass++) {
        bool stays = true;
        *before = *run;
        run->left = UINT64_MAX;
        begin_round(run);
        for (uint32_t i = 0; i < run->drift->period; i++)
            if (run->pc[i] != run->now.pc || !ts_rv_walk_step(&run->now) || !follow_marks(run))
                return false;
        for (uint32_t i = 0; i < VALUES; i++) {
            uint32_t now, then;
            struct mark *after = value_at(run, i, &now), *assumed = value_at(before, i, &then);
            if (assumed->wild) {
                *after = *assumed;
            } else if (!same_mark(*after, *assumed) || now - then != assumed->step) {
                *after = wild_if(true);
                stays = false;
            }
        }
        if (stays)
            return true;
    }
    return false;
}

// Stores that are still in the core's queue belong to the loop.
static bool take_queue(struct run *run, const struct ts_rv_core *core)
{
    for (uint32_t i = 0; i < core->store_count; i++) {
        const struct ts_rv_store *s = &core->stores[(core->store_head + i) % TS_RV_STORES];
        if (!ts_l1_contains(s->address, 16)) {
            if (run->touch == NULL || s->size != 4 || s->words != 1 ||
                !run->touch(run->context, s->pc[0], s->address, s->data.word[0]))
                return false;
            continue;
        }
        for (unsigned w = 0; w < 4; w++) {
            int at = s->mask >> (4 * w) & 15 ? slot(run, s->address + 4 * w, true) : -2;
            if (at == -1 || (at >= 0 && (s->mask >> (4 * w) & 15) != 15))
                return false;
            if (at >= 0)
                run->word[at].value = s->data.word[w];
        }
    }
    return true;
}

// Is the way of the loop the same in every further round, or, if it counts, in the next ones?
static bool prove(struct run *run, const struct ts_rv_core *core, struct ts_rv_drift *drift)
{
    memset(drift, 0, sizeof *drift);
    run->drift = drift;
    run->now.context = run;
    bool proved = ts_rv_walk_start(&run->now, core, core->pc) && take_queue(run, core);
    // The first round reaches the loop's own values, the second is compared with the third. Where the
    // core stands in a small loop that it leaves, the large one begins behind it.
    for (unsigned i = 0; proved && drift->period == 0 && i < STARTS; i++) {
        proved = go_round(run, true) != 0;
        drift->period = proved ? go_round(run, false) : 0;
    }
    if (!proved || drift->period == 0)
        return false;
    run[1] = *run;
    proved = go_round(run, false) == drift->period;
    for (uint32_t i = 1; i < VALUES; i++) {
        uint32_t now, then;
        struct mark *mark = value_at(run, i, &now);
        value_at(&run[1], i, &then);
        *mark = (struct mark){.step = now - then};
    }
    return proved && closes(run, &run[1]);
}

static bool other_than_running(const struct ts_rv_core *core)
{
    return core->held || core->stopped || core->spinning || core->pending || core->interrupt ||
           core->watch.late || core->store_blocked;
}

bool ts_rv_drifts(const struct ts_rv_core *core, const struct ts_rv_world *world,
                  struct ts_rv_spin *spin, struct ts_rv_drift *drift)
{
    spin->period = spin->polls = spin->terms = spin->exits = spin->stale_pc = 0;
    struct run *run = other_than_running(core) ? NULL : calloc(2, sizeof *run);
    if (run == NULL)
        return false;
    run->look = world->look;
    run->touch = world->touch;
    run->context = world->context;
    run->now.load = load;
    run->now.store = store;
    const bool proved = prove(run, core, drift);
    if (proved)
        ts_rv_spin_describe(&run->now, world, drift->period, spin);
    free(run);
    return proved;
}

uint64_t ts_rv_counts(const struct ts_rv_core *core, uint32_t *first, uint32_t *last)
{
    struct ts_rv_drift drift;
    struct run *run = other_than_running(core) || core->store_count ? NULL : calloc(2, sizeof *run);
    if (run == NULL)
        return 0;
    run->counts = true; // without load and store: only registers and local RAM are followed
    uint64_t cycles = 0;
    bool changes = false;
    if (prove(run, core, &drift)) {
        for (uint32_t i = 1; i < 32; i++)
            changes |= run->reg[i].step != 0 && !run->reg[i].wild;
        cycles = changes ? (run->left < UINT32_MAX ? run->left : UINT32_MAX) * drift.period : 0;
        *first = UINT32_MAX;
        *last = 0;
        for (uint32_t i = 0; i < drift.period; i++) {
            *first = run->pc[i] < *first ? run->pc[i] : *first;
            *last = run->pc[i] > *last ? run->pc[i] : *last;
        }
    }
    free(run);
    return cycles;
}
