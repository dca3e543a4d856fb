// Loads of L1 that others hear of: those behind a kernel's arguments, and all under a check (platform/check).
//
// A check must know which loads are polls: their loop ends when somebody else writes the word, and that puts the two in
// order. The code says so, whether or not the loop goes round: a branch back to the load or before it depends on the
// loaded value, nothing in the loop has an effect that others see, and the address stays the same. A compiler may put
// the first load before the loop: then it depends on its value whether the loop is entered.
#include "cores/riscv/access.h"
#include "cores/riscv/walk.h"

#define LOOP_MOST     24 // instructions on each side of the load
#define FAR_MOST      96 // on each side of the store that issues a request
#define STACK_POINTER 2

static bool reads(const struct ts_rv_insn *insn, uint64_t registers)
{
    return registers >> insn->rs1 & 1 || registers >> insn->rs2 & 1;
}

// Does the address in the register stay the same in the instructions from `from` to `to`?
static bool stays(struct ts_rv_core *core, uint32_t from, uint32_t to, unsigned address)
{
    for (uint32_t pc = from; pc < to; pc += 4) {
        const struct ts_rv_insn *insn = ts_rv_insn_at(core, pc);
        if (insn->cls == TS_RV_CLASS_STORE || insn->cls == TS_RV_CLASS_AMO ||
            insn->cls == TS_RV_CLASS_TTINSN)
            return false;
        if (insn->rd == address && (insn->rs1 == address || insn->rs2 == address))
            return false;
    }
    return true;
}

static bool find_poll(struct ts_rv_core *core, const struct ts_rv_insn *load)
{
    uint64_t follows = UINT64_C(1) << (load->rd & 63); // registers that depend on the value
    bool decides = false;                              // a branch did
    bool same = load->rd != load->rs1;                 // the register of the address is
    for (uint32_t pc = load->pc + 4; pc < load->pc + 4 * LOOP_MOST; pc += 4) {
        const struct ts_rv_insn *insn = ts_rv_insn_at(core, pc);
        bool back = (uint32_t)insn->imm <= load->pc &&
                    load->pc - (uint32_t)insn->imm < 4 * LOOP_MOST;
        switch (insn->cls) {
        case TS_RV_CLASS_BRANCH:
            decides |= reads(insn, follows);
            if (back && decides)
                return stays(core, (uint32_t)insn->imm, pc, load->rs1);
            break;
        case TS_RV_CLASS_JUMP:
            return insn->op == TS_RV_JAL && back && decides &&
                   stays(core, (uint32_t)insn->imm, pc, load->rs1);
        case TS_RV_CLASS_STORE:
        case TS_RV_CLASS_AMO:
        case TS_RV_CLASS_TTINSN:
        case TS_RV_CLASS_SYS:
        case TS_RV_CLASS_NONE:
            return false;
        default:
            if (decides && same && insn->op == load->op && insn->rs1 == load->rs1 &&
                insn->imm == load->imm)
                return find_poll(core, insn);
            same &= insn->rd != load->rs1;
            if (reads(insn, follows))
                follows |= UINT64_C(1) << (insn->rd & 63);
            else if (insn->rd < 64)
                follows &= ~(UINT64_C(1) << insn->rd);
        }
    }
    return false;
}

// The same of the store that issues a read over the NoC: a branch back to it or before it depends on a value that was loaded
// behind it, not from the stack.
static bool find_far_poll(struct ts_rv_core *core, uint32_t store)
{
    uint64_t follows = 0;
    bool decides = false;
    for (uint32_t pc = store + 4; pc < store + 4 * FAR_MOST; pc += 4) {
        const struct ts_rv_insn *insn = ts_rv_insn_at(core, pc);
        const bool back = (uint32_t)insn->imm <= store &&
                          store - (uint32_t)insn->imm < 4 * FAR_MOST;
        switch (insn->cls) {
        case TS_RV_CLASS_BRANCH:
            decides |= reads(insn, follows) && (uint32_t)insn->imm > pc;
            if (back)
                return reads(insn, follows);
            break;
        case TS_RV_CLASS_JUMP:
            return insn->op == TS_RV_JAL && back && decides;
        case TS_RV_CLASS_AMO:
        case TS_RV_CLASS_TTINSN:
        case TS_RV_CLASS_NONE:
            return false;
        default:
            if (insn->cls == TS_RV_CLASS_LOAD ? insn->rs1 != STACK_POINTER : reads(insn, follows))
                follows |= UINT64_C(1) << (insn->rd & 63);
            else if (insn->rd < 64)
                follows &= ~(UINT64_C(1) << insn->rd);
            follows &= ~UINT64_C(1); // x0
        }
    }
    return false;
}

bool ts_rv_polls_far(struct ts_rv_core *core, uint32_t pc)
{
    struct ts_rv_poll_site *known = &core->poll_sites[pc / 4 % TS_RV_POLL_SITES];
    const int32_t word = ts_rv_insn_at(core, pc)->imm;
    if (known->pc != pc || known->word != word)
        *known = (struct ts_rv_poll_site){.pc = pc, .word = word, .polls = find_far_poll(core, pc)};
    return known->polls;
}

static struct ts_rv_poll_site *poll_site(struct ts_rv_core *core, const struct ts_rv_insn *load)
{
    struct ts_rv_poll_site *known = &core->poll_sites[load->pc / 4 % TS_RV_POLL_SITES];
    if (known->pc != load->pc || known->word != load->imm)
        *known = (struct ts_rv_poll_site){
            .pc = load->pc, .word = load->imm, .polls = find_poll(core, load)};
    return known;
}

bool ts_rv_polls(struct ts_rv_core *core, uint32_t pc)
{
    return poll_site(core, ts_rv_insn_at(core, pc))->polls;
}

// ---- how many pages a core waits for

// The code from a load of a counter on, if the counter had another value.
struct trial {
    uint32_t address, value;
    unsigned loads; // of the counter
};
#define TRIAL_MOST 64 // instructions
#define TRIAL_NEAR 8  // values

static bool trial_load(struct ts_rv_walk *walk, uint32_t address, unsigned size, uint32_t *value)
{
    struct trial *trial = walk->context;
    if (address == trial->address) {
        *value = trial->value;
        trial->loads++;
    } else if (ts_l1_contains(address, size))
        memcpy(value, walk->core->l1->bytes + address, size);
    else
        return false;
    return true;
}

// Would the core load the counter again before it does anything that others see? The pc of that load, or 0.
static uint32_t loads_again(struct ts_rv_walk *walk, const struct ts_rv_core *core, uint32_t pc,
                            uint32_t value)
{
    struct trial *trial = walk->context;
    trial->value = value;
    trial->loads = 0;
    if (!ts_rv_walk_again(walk, core, pc))
        return 0;
    for (unsigned i = 0; i < TRIAL_MOST && trial->loads < 2 && ts_rv_walk_step(walk);)
        i++;
    return trial->loads == 2 ? walk->at : 0;
}

// Does a poll go on with this value? A load of the same word behind the loop is not of the poll.
static bool goes_on(struct ts_rv_walk *walk, const struct ts_rv_core *core, uint32_t pc,
                    uint32_t value)
{
    const uint32_t again = loads_again(walk, core, pc, value);
    return again && again <= pc;
}

static void begin_trial(struct ts_rv_walk *walk, struct trial *trial)
{
    walk->load = trial_load;
    walk->store = NULL;
    walk->push = NULL;
    walk->context = trial;
    walk->stuck = false;
    memset(walk->decoded, 0, sizeof walk->decoded);
}

// A load of a circular buffer's counter, in L1 or in a register. It is the last one of a poll if the core would go on
// with less: then as many pages are more than it asked for. Most polls ask for as many pages as the one before.
static void ask_pages(struct ts_rv_core *core, struct ts_rv_poll_site *site, uint32_t address,
                      uint32_t value, ts_cycle start)
{
    bool full;
    int ring = ts_memory_ring(core->check, address, &full);
    const uint32_t pc = site->pc;
    if (ring < 0)
        return;
    if (site->waits && site->counter == address && site->value == value)
        return;
    struct trial trial = {.address = address};
    struct ts_rv_walk walk;
    begin_trial(&walk, &trial);
    site->counter = address;
    site->value = value;
    site->waits = false;
    const uint32_t most = core->check->memory.rings[ring].pages;
    const int64_t guess = ts_memory_spare(core->check, core->id, (unsigned)ring, full);
    uint32_t spare = (uint32_t)guess;
    if (guess < 0 || guess > most || !loads_again(&walk, core, pc, value - spare - 1) ||
        loads_again(&walk, core, pc, value - spare)) {
        site->waits = loads_again(&walk, core, pc, value);
        if (site->waits)
            return;
        for (spare = 0; !loads_again(&walk, core, pc, value - spare - 1);)
            if (++spare > most)
                return; // whatever the value
    }
    ts_memory_polled(core->check, core->id, pc, (unsigned)ring, full, spare, (uint32_t)start);
}

// The smallest distance from `value` at which the poll goes on, from 1 to `most`; most + 1: nowhere. A condition is met from one
// value on; differences of counters wrap, and small distances are tried one by one.
static uint32_t distance(struct ts_rv_walk *walk, const struct ts_rv_core *core, uint32_t pc,
                         uint32_t value, bool down, uint32_t most)
{
    uint32_t low = 0, high = most + 1;
    while (low < TRIAL_NEAR && low < most) {
        low++;
        if (goes_on(walk, core, pc, down ? value - low : value + low))
            return low;
    }
    while (low + 1 < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (goes_on(walk, core, pc, down ? value - middle : value + middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

bool ts_rv_poll_ends(struct ts_rv_core *core, uint32_t pc, uint32_t address, uint32_t value,
                     uint32_t most, uint32_t *below, uint32_t *above)
{
    struct ts_rv_poll_site *site = poll_site(core, ts_rv_insn_at(core, pc));
    struct trial trial = {.address = address};
    struct ts_rv_walk walk;
    *below = *above = 0;
    if (!site->polls)
        return true;
    if (site->waits && site->counter == address && site->value == value)
        return false;
    begin_trial(&walk, &trial);
    site->counter = address;
    site->value = value;
    site->waits = goes_on(&walk, core, pc, value);
    if (site->waits)
        return false;
    const uint32_t room = most > value ? most - value : 0;
    const bool both = most < UINT32_MAX;
    *below = distance(&walk, core, pc, value, true, value) - 1;
    *above = both ? distance(&walk, core, pc, value, false, room) - 1 : 0;
    if (*below == value && (!both || *above == room)) // whatever the value
        *below = *above = 0;
    return true;
}

void ts_rv_looked(struct ts_rv_core *core, uint32_t address, const uint8_t *word)
{
    uint32_t value;
    memcpy(&value, word, sizeof value);
    core->l1->looked(core->l1->book_context, address, value);
}

void ts_rv_guarded(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                   ts_cycle start)
{
    if (core->check) {
        struct ts_rv_poll_site *site = poll_site(core, insn);
        uint32_t spare = 0, above;
        const uint32_t value = ts_rv_peek(core->l1->bytes, address) &
                               (UINT32_MAX >> (32 - 8 * insn->size));
        if (ts_rv_poll_ends(core, insn->pc, address, value, UINT32_MAX, &spare, &above))
            ts_check_load(core->check, core->id, insn->pc, address, insn->size, site->polls,
                          insn->size == 4 ? spare : 0, start);
        if (core->check->memory.ring_count)
            ask_pages(core, site, address, ts_rv_peek(core->l1->bytes, address), start);
    }
    if (address - core->guard_from < core->guard_bytes)
        core->bus->ops->guarded(core->bus->context, core->id, insn->pc, address, start);
}

void ts_rv_register_loaded(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                           uint32_t value, ts_cycle entered)
{
    if (core->check->memory.ring_count)
        ask_pages(core, poll_site(core, insn), address, value, entered);
}

void ts_rv_core_guard(struct ts_rv_core *self, uint32_t from, uint32_t bytes)
{
    self->guard_from = from;
    self->guard_bytes = bytes;
    self->heard = self->check != NULL || bytes != 0;
}

// Stores to local RAM that are looked at: all for races, else those below the stack.
static void look_at_stores(struct ts_rv_core *core)
{
    const bool all = ts_checks_for(core->check, TS_CHECK_RACE);
    core->stack_from = core->stack_end ? core->stack_end : TS_RV_LOCAL_BASE;
    core->stack_size = all ? 0 : core->local_size - (core->stack_from - TS_RV_LOCAL_BASE);
}

void ts_rv_data_stored(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                       ts_cycle entered)
{
    if (ts_checks_for(core->check, TS_CHECK_RACE))
        ts_check_own_store(core->check, core->id, insn->pc, address - TS_RV_LOCAL_BASE, insn->size,
                           entered);
    if (insn->rs1 != STACK_POINTER || address >= core->stack_end)
        return;
    ts_memory_stack(core->check, core->id, insn->pc, address, core->stack_end, (uint32_t)entered);
    core->stack_end = 0; // the first store says it
    look_at_stores(core);
}

void ts_rv_core_data(struct ts_rv_core *self, uint32_t end)
{
    if (ts_checks_for(self->check, TS_CHECK_MEMORY) && end - TS_RV_LOCAL_BASE <= self->local_size)
        self->stack_end = end;
    look_at_stores(self);
}

void ts_rv_core_check(struct ts_rv_core *self, struct ts_check *check)
{
    self->check = check;
    ts_rv_core_guard(self, self->guard_from, self->guard_bytes);
    ts_rv_core_data(self, 0);
}
