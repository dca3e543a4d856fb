// A core's load/store unit: loads and the L0 data cache. The store queue is in stores.c, atomics and
// fences in atomic.c.
//
//   EX1 --> enters --> load: request at once; result latency - 1 cycles later, plus its waits. Behind a store that it
//                      |     overlaps: a cycle after L1 has written it
//                  \-> store: store queue (4) --> write request, in order, one per cycle
//
// Loads pass stores that they do not overlap. Every effect that others can see happens at its own
// cycle (ts_rv_reach).
//
// Source: MemoryOrdering.md, BabyRISCV/README.md (Load/Store Unit), CSRs.md (cfg0).
#include "cores/riscv/quick.h"
#include "cores/riscv/rounds.h"

static uint32_t latency_of(const struct ts_rv_core *core, enum ts_rv_region region)
{
    switch (region) {
    case TS_RV_REGION_SYNC:
        return core->params.load_sync;
    case TS_RV_REGION_TENSIX:
        return core->params.load_tensix;
    case TS_RV_REGION_SLOW:
        return core->params.load_slow;
    case TS_RV_REGION_L1:
        return core->params.load_l1;
    default:
        return core->params.load_mmio;
    }
}

enum ts_rv_lsu ts_rv_lsu_fault(struct ts_rv_core *core, ts_cycle at, uint32_t pc,
                               const struct ts_rv_reply *reply)
{
    if (at > core->now)
        return later_at(core, at);
    ts_rv_fault(core, at, pc, reply->code, "%s", reply->text);
    core->resume = TS_NEVER;
    return TS_RV_LSU_FAULT;
}

enum ts_rv_lsu ts_rv_lsu_refuse(struct ts_rv_core *core, ts_cycle at, uint32_t pc, const char *what,
                                uint32_t address)
{
    struct ts_rv_reply reply = {.code = TS_CONTRACT};
    snprintf(reply.text, sizeof reply.text, "%s 0x%08x", what, address);
    return ts_rv_lsu_fault(core, at, pc, &reply);
}

static bool any_overlap(struct ts_rv_core *core, uint32_t address, uint32_t size)
{
    for (uint32_t i = 0; i < core->store_count; i++)
        if (overlaps(store_at(core, i), address, size))
            return true;
    return false;
}

// A load that has entered at `entered` and waits for its result.
static void load_pends(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                       enum ts_rv_region region, ts_cycle entered, struct ts_rv_access *access)
{
    core->pending = true;
    core->pending_from = entered;
    core->pending_address = address;
    core->pending_pc = insn->pc;
    core->pending_op = insn->op;
    core->pending_region = (uint8_t)region;
    access->entered = entered;
    access->value = 0;
    access->result = TS_RV_BLOCKED;
}

static enum ts_rv_lsu load_bus(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                               uint32_t address, enum ts_rv_region region, ts_cycle entered,
                               struct ts_rv_access *access)
{
    struct ts_rv_reply reply;
    access->entered = entered;
    if (__builtin_expect(core->watch.captured, 0)) {
        core->watch.captured = false;
        access->value = ts_rv_extend(insn->op, ts_rv_peek(core->watch.line, address & 15));
        access->result = entered + latency_of(core, region) - 1;
        if (__builtin_expect(core->check != NULL, 0))
            ts_rv_register_loaded(core, insn, address, access->value, entered);
        return TS_RV_LSU_DONE;
    }
    ts_rv_reply_clear(&reply);
    core->bus_pc = insn->pc;
    core->watch.found = NULL;
    switch (
        core->bus->ops->load(core->bus->context, core->id, address, insn->size, entered, &reply)) {
    case TS_RV_DONE:
        access->value = ts_rv_extend(insn->op, reply.value);
        access->result = entered + reply.delay + latency_of(core, region) - 1;
        if (__builtin_expect(core->check != NULL, 0))
            ts_rv_register_loaded(core, insn, address, access->value, entered);
        // Regions that cores queue for are not followed. Traces show every poll of a register.
        if (reply.settled && reply.delay == 0 && region == TS_RV_REGION_SYNC &&
            core->component.object.trace == NULL)
            core->watch.found = reply.object;
        return TS_RV_LSU_DONE;
    case TS_RV_WAIT:
        core->wait = reply;
        load_pends(core, insn, address, region, entered, access);
        return TS_RV_LSU_DONE;
    case TS_RV_REFUSE:
        break;
    }
    return ts_rv_lsu_fault(core, entered, insn->pc, &reply);
}

// The request of a load from L1 that has waited for a store to be written, at `at`, which has been reached.
static void request_behind(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                           ts_cycle at, struct ts_rv_access *access)
{
    request_l1(core, insn, address, at, granule_queued(core, address), false, access);
    seen_by_others(core, at);
    core->look.behind = true; // whatever has been executed since it entered
    noted(core, insn, address, access);
    core->look.behind = false;
    core->flight[(core->flights - 1) % TS_RV_FLIGHT] = access->result;
}

// A load from L1 that overlaps a store which has left the queue: the load stays in the unit, without a place at the port,
// until the cycle after the store is written (B0292 to B0294: cores that read and write one word in turn). What enters the
// unit later stays behind it.
static void load_behind(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                        ts_cycle entered, struct ts_rv_access *access)
{
    const ts_cycle until = core->store_left + 1;
    if (core->component.ledger)
        ts_rv_own_lost(core, core->look.entered);
    core->shared++;
    responded(core, TS_RV_BLOCKED);
    load_entered(core, insn, entered);
    core->load_at = until;
    if (ts_rv_reach(core, until)) {
        request_behind(core, insn, address, until, access);
        access->entered = entered;
        return;
    }
    ts_rv_reply_clear(&core->wait);
    core->wait.reason = TS_STALL_RV_LOAD_STORE;
    core->wait.object = &core->poll;
    core->wait.until = until;
    seen_by_others(core, entered); // nothing of this step is done after the request
    load_pends(core, insn, address, TS_RV_REGION_L1, entered, access);
}

// A load from L1 at `entered`, which has been reached, that others may follow.
static void load_loud(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                      ts_cycle entered, struct ts_rv_access *access)
{
    load_l1(core, insn, address, entered, granule_queued(core, address), false, access);
}

// The same if L0 has the line. False: it has not.
static bool l0_reached(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                       ts_cycle entered, struct ts_rv_access *access)
{
    const int way = l0_find(core, address);
    if (way < 0)
        return false;
    core->lsu_from = 0;
    return l0_load(core, insn, address, way, entered, true, access);
}

// Is a push still in flight to its FIFO? A load from another region overtakes it.
static bool push_queued(struct ts_rv_core *core)
{
    for (uint32_t i = 0; i < core->store_count; i++)
        if (store_at(core, i)->region == TS_RV_REGION_PUSH)
            return true;
    return false;
}

static __attribute__((noinline)) enum ts_rv_lsu load_any(struct ts_rv_core *core,
                                                         const struct ts_rv_insn *insn,
                                                         uint32_t address, ts_cycle issue,
                                                         struct ts_rv_access *access)
{
    enum ts_rv_region region = region_of(core, address);
    if (region == TS_RV_REGION_NONE || region == TS_RV_REGION_LOCAL || region == TS_RV_REGION_PUSH)
        return ts_rv_lsu_refuse(core, issue, insn->pc, "load from unmapped address", address);

    // The unit is in order: behind a load from L1 that waits for a store to be written, loads wait, hits too.
    if (issue < core->load_at)
        core->lsu_from = later(core->lsu_from, core->load_at + 1);
    ts_cycle entered = later(issue + 1, core->lsu_from);
    if (core->pending && core->pending_region == TS_RV_REGION_L1)
        return later_at(core, entered);
    const bool strict = core->strict;

    // A hit waits for no load, unless a store in the queue is about to invalidate the line.
    int way = -1;
    if (region == TS_RV_REGION_L1 && core->l0 && !strict && !core->draining && !core->behind)
        way = l0_find(core, address);
    if (way >= 0 && l0_waits(core, address))
        way = -1;
    if (way >= 0) {
        if (l0_load(core, insn, address, way, entered, false, access)) {
            core->lsu_from = 0;
            return TS_RV_LSU_DONE;
        }
    } else {
        // At most four loads are in flight.
        ts_cycle oldest = core->flight[core->flights % TS_RV_FLIGHT];
        if (oldest >= TS_RV_BLOCKED || core->pending)
            return later_at(core, TS_NEVER);
        entered = later(entered, oldest);
        if (insn->pc == core->watch.pc && ts_rv_poll_stop(core, address, entered))
            return later_at(core, TS_NEVER);
    }
    if (!ts_rv_reach(core, entered))
        return later_at(core, entered);
    if (!ts_rv_drain(core, entered))
        return core->resume == TS_NEVER ? TS_RV_LSU_FAULT : TS_RV_LSU_LATER;
    if (core->held)
        return later_at(core, TS_NEVER);
    // A store that just left the queue may have woken a component that acts before the load.
    if (!ts_rv_reach(core, entered))
        return later_at(core, entered);
    if (way >= 0 && l0_reached(core, insn, address, entered, access))
        return TS_RV_LSU_DONE;
    // A store to the same register that left in this very cycle is seen from the next one on.
    if (__builtin_expect(core->bus_sent == entered, 0) && core->bus_address == (address & ~3u)) {
        core->lsu_from = ++entered;
        if (!ts_rv_reach(core, entered))
            return later_at(core, entered);
    }
    const bool behind = strict || core->draining || core->behind ||
                        any_overlap(core, address, insn->size);
    if (behind) {
        ts_cycle from = core->store_count != 0 ? conflict_ends(core, first_store(core), entered)
                                               : entered + core->params.store_conflict;
        enum ts_rv_lsu answer = ts_rv_empty_queue(core, &entered, from);
        if (answer != TS_RV_LSU_DONE)
            return answer;
        if (!ts_rv_reach(core, entered)) {
            core->draining = true; // it is behind the last store still
            core->lsu_from = entered;
            return later_at(core, entered);
        }
    }
    if (region == TS_RV_REGION_L1 && core->l0 && l0_reached(core, insn, address, entered, access)) {
        core->draining = false;
        return TS_RV_LSU_DONE;
    }
    if (region == TS_RV_REGION_SYNC)
        core->passes_push = push_queued(core);
    if (region == TS_RV_REGION_L1 && behind && core->store_left >= entered) {
        load_behind(core, insn, address, entered, access);
    } else if (region == TS_RV_REGION_L1) {
        load_loud(core, insn, address, entered, access);
    } else {
        enum ts_rv_lsu answer = load_bus(core, insn, address, region, entered, access);
        if (answer != TS_RV_LSU_DONE) {
            core->lsu_from = entered;
            return answer;
        }
        loaded(core, insn, address, false, access);
        if (core->watch.found != NULL)
            ts_rv_poll_note(core, insn, address, access->value, entered, false, core->watch.found);
    }
    core->draining = false;
    return TS_RV_LSU_DONE;
}

// A load from L1 at `entered`, which has been reached, that may be a poll or is watched.
static __attribute__((noinline)) enum ts_rv_lsu load_watched(struct ts_rv_core *core,
                                                             const struct ts_rv_insn *insn,
                                                             uint32_t address, ts_cycle entered,
                                                             struct ts_rv_access *access)
{
    if (insn->pc == core->watch.pc && ts_rv_poll_stop(core, address, entered))
        return later_at(core, TS_NEVER);
    load_loud(core, insn, address, entered, access);
    if (entered == core->load_at) // it has waited in the unit
        access->entered = core->store_next;
    // A load is tracked as a possible poll until it has not repeated for a while.
    if (insn->pc == core->watch.pc || core->shared > core->watch.shared + 8)
        ts_rv_poll_note(core, insn, address, access->value, entered,
                        access->result != entered + core->params.load_l1 - 1, NULL);
    return TS_RV_LSU_DONE;
}

// The load is the next thing in the unit, and this step has not reached its cycle yet.
static __attribute__((noinline)) enum ts_rv_lsu load_later(struct ts_rv_core *core,
                                                           const struct ts_rv_insn *insn,
                                                           uint32_t address, ts_cycle issue,
                                                           ts_cycle at, struct ts_rv_access *access)
{
    if (ts_rv_reach_alone(core, at))
        return ts_rv_load(core, insn, address, issue, access);
    if (insn->pc == core->watch.pc && ts_rv_poll_stop(core, address, at))
        return later_at(core, TS_NEVER);
    return later_at(core, at);
}

// The same behind a store that must leave first, or that cannot leave quietly.
static __attribute__((noinline)) enum ts_rv_lsu load_further(struct ts_rv_core *core,
                                                             const struct ts_rv_insn *insn,
                                                             uint32_t address, ts_cycle issue,
                                                             ts_cycle at,
                                                             struct ts_rv_access *access)
{
    if (at > core->limit && ts_rv_reach_alone(core, at))
        return ts_rv_load(core, insn, address, issue, access);
    return load_any(core, insn, address, issue, access);
}

enum ts_rv_lsu ts_rv_load_on(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                             uint32_t address, ts_cycle issue, enum ts_rv_way way,
                             struct ts_rv_access *access)
{
    switch (way) {
    case TS_RV_WAY_DONE:
        return TS_RV_LSU_DONE;
    case TS_RV_WAY_LATER:
        return load_later(core, insn, address, issue, access->entered, access);
    case TS_RV_WAY_FURTHER:
        return load_further(core, insn, address, issue, access->entered, access);
    case TS_RV_WAY_WATCHED:
        return load_watched(core, insn, address, access->entered, access);
    default:
        return load_any(core, insn, address, issue, access);
    }
}

enum ts_rv_lsu ts_rv_load(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                          ts_cycle issue, struct ts_rv_access *access)
{
    enum ts_rv_way way = ts_rv_quick_load(core, insn, address, issue, access);
    return ts_rv_load_on(core, insn, address, issue, way, access);
}

// Nobody writes L1 between the fault and the load's request: the run ends in the fault's cycle. So the value is the one
// that the load has if the core runs ahead, and asks before it comes to the instruction that faults.
void ts_rv_load_cut(struct ts_rv_core *core)
{
    if (!core->pending || core->pending_region != TS_RV_REGION_L1)
        return;
    const uint32_t raw = ts_rv_peek(core->l1->bytes, core->pending_address);
    const uint32_t value = ts_rv_extend(core->pending_op, raw);
    if (core->log != NULL)
        ts_rv_log_resolve(core, value);
    if (core->reg[core->pending_rd].last == core->pending_seq)
        core->r[core->pending_rd] = value;
}

bool ts_rv_retry_load(struct ts_rv_core *core, ts_cycle now)
{
    struct ts_rv_insn insn = {.op = core->pending_op, .size = 4, .pc = core->pending_pc};
    struct ts_rv_access access;
    insn.size = insn.op == TS_RV_LB || insn.op == TS_RV_LBU                           ? 1
                : insn.op == TS_RV_LH || insn.op == TS_RV_LHU || insn.op == TS_RV_FLH ? 2
                                                                                      : 4;
    const enum ts_rv_region region = (enum ts_rv_region)core->pending_region;
    if (region == TS_RV_REGION_L1 && now < core->wait.until)
        return true;
    core->pending = false;
    if (region == TS_RV_REGION_L1)
        request_behind(core, &insn, core->pending_address, now, &access);
    else if (load_bus(core, &insn, core->pending_address, region, now, &access) != TS_RV_LSU_DONE)
        return false;
    if (core->pending)
        return true;
    if (core->log != NULL)
        ts_rv_log_resolve(core, access.value);
    // The result is known now: everything behind it in the retire queue gets its time.
    uint32_t seq = core->pending_seq;
    core->flight[(core->flights - 1) % TS_RV_FLIGHT] = access.result;
    struct ts_rv_scoreboard *reg = &core->reg[core->pending_rd];
    if (reg->last == seq) {
        reg->near = access.result;
        core->r[core->pending_rd] = access.value;
    }
    core->ring_result[seq % TS_RV_RETIRE] = access.result;
    core->longest = 0;
    ts_cycle retire = core->pending_after;
    for (uint32_t s = seq; s != core->seq; s++) {
        ts_cycle result = core->ring_result[s % TS_RV_RETIRE];
        retire = later(result, retire + 1);
        core->ring_retire[s % TS_RV_RETIRE] = retire;
        core->longest = later(core->longest, result);
    }
    for (unsigned i = 0; i < TS_RV_REG_COUNT; i++) {
        reg = &core->reg[i];
        if (core->seq - reg->last > core->seq - seq)
            continue; // written before the load
        reg->retire = core->ring_retire[reg->last % TS_RV_RETIRE];
        bool behind = core->seq - reg->before <= core->seq - seq;
        if (behind || reg->far >= TS_RV_BLOCKED)
            reg->far = later(reg->near, behind ? core->ring_retire[reg->before % TS_RV_RETIRE] +
                                                     core->params.forward_lag
                                               : core->pending_far);
    }
    core->retire = retire;
    acted(core, now);
    return true;
}
