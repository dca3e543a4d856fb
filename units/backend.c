// units/backend.c: see backend.h.
#include "units/backend.h"

#include "units/lint.h"
#include "units/trace.h"

// Words that no unit takes.
__attribute__((noinline, cold)) static enum ts_verdict refuse(const struct ts_machine *machine,
                                                              struct ts_word in, ts_cycle now,
                                                              struct ts_component *front)
{
    struct ts_insn_text text = ts_insn_text(in);
    const struct ts_op_hot *hot = &ts_op_hot[in.op];
    if (machine->forms && in.op == TS_OP_NO_WORD)
        ts_fault(front, now, in.word & 1 ? TS_NOT_IMPLEMENTED : TS_CONTRACT, "T%u %s: %s%s",
                 in.thread, ts_op_info[in.word >> 16 & 0xff].name,
                 in.word & 1 ? "not implemented: a mode of " : "no such opcode: ", machine->title);
    else if (hot->unit == TS_UNIT_NONE)
        ts_fault(front, now, TS_CONTRACT, "%s: no such opcode%s", text.text,
                 in.word ? "" : "; a core without a program executes such words");
    else if (in.op == TS_OP_MOP || in.op == TS_OP_MOP_CFG)
        ts_fault(front, now, TS_CONTRACT, "%s: pushed behind the MOP expander", text.text);
    else if (hot->unit == TS_UNIT_FRONT)
        ts_fault(front, now, TS_NOT_IMPLEMENTED, "%s: not implemented", text.text);
    else
        ts_fault(front, now, TS_NOT_IMPLEMENTED, "%s: not implemented: unit %s", text.text,
                 ts_unit_name(hot->unit));
    return TS_STOPPED;
}

__attribute__((noinline, cold)) static bool reserved_bits(struct ts_tensix *tensix,
                                                          struct ts_word in, ts_cycle now,
                                                          struct ts_component *front)
{
    struct ts_insn_text text = ts_insn_text(in);
    return ts_tensix_report(tensix, front, in.thread, now, TS_REPORT_RESERVED_BITS, "%s",
                            text.text);
}

// The unit refuses the word. A thread that waits for the unit itself keeps its place in the queue;
// a thread that waits for something else lets the others pass.
__attribute__((noinline)) static void refused(struct ts_unit *unit, unsigned thread,
                                              const struct ts_hold *hold)
{
    uint8_t me = (uint8_t)(1u << thread);
    if (hold->port) {
        unit->keeper = me;
        unit->keeps = (uint8_t)hold->reason;
    } else
        unit->keeper &= (uint8_t)~me;
    if (hold->reason == TS_STALL_UNIT_BUSY || hold->reason == TS_STALL_CFG_PIPE)
        unit->losers |= me;
    else
        unit->losers &= (uint8_t)~me;
}

// Units that only one thread should use at a time, and units whose words cut a promise.
#define ONE_THREAD \
    (1u << TS_UNIT_UNPACK0 | 1u << TS_UNIT_UNPACK1 | 1u << TS_UNIT_PACK | 1u << TS_UNIT_VECTOR)
#define CUTS (1u << TS_UNIT_MATRIX | 1u << TS_UNIT_VECTOR)

// The gate itself: closed by the thread's own previous instruction, or by a latched wait.
static inline __attribute__((always_inline)) bool gate_opens(const struct ts_backend *self,
                                                             const struct ts_tensix *tensix,
                                                             unsigned thread, unsigned block,
                                                             ts_cycle now, struct ts_hold *hold)
{
    const struct ts_closed *closed = &tensix->closed[thread];
    if (closed->until > now)
        return ts_held(hold, closed->reason, closed->object, closed->until);
    return !ts_sync_latched(self->waits, thread) ||
           ts_sync_gate(self->waits, thread, block, now, hold);
}

// Queues behind others that wait for the unit. If the unit refuses every thread now, its answer
// says for how long, so that no thread polls in every cycle.
static TS_SLOW_PATH void queue_up(struct ts_unit *unit, struct ts_word in, ts_cycle now,
                                  struct ts_hold *hold)
{
    if (unit->entered == now || unit->keeper || unit->accept(unit, in, now, hold) || hold->port)
        ts_held(hold, TS_STALL_UNIT_SHARED, &unit->component.object, now + 1);
    else
        refused(unit, in.thread, hold);
}

// The same as start, and the trace gets the word.
static TS_SLOW_PATH bool start_traced(const struct ts_tensix *tensix, struct ts_unit *unit,
                                      struct ts_word in, ts_cycle now)
{
    ts_cycle from = unit->worked > now ? unit->worked : now;
    bool good = unit->start(unit, in, now);
    ts_cycle to = unit->worked > from                       ? unit->worked
                  : unit->busy_until[in.thread] == TS_NEVER ? from
                                                            : from + 1;
    ts_trace_word(tensix, unit, in, now, from, to);
    return good;
}

// Lets the first word of a thread pass, or says why not.
static enum ts_verdict offer(const struct ts_backend *self, struct ts_word in, ts_cycle now,
                             struct ts_component *front, struct ts_hold *hold)
{
    struct ts_tensix *tensix = self->context;
    const unsigned thread = in.thread;
    const struct ts_op_hot *hot = &ts_op_hot[in.op];
    ts_tensix_late(tensix, now);
    if (!gate_opens(self, tensix, thread, hot->block, now, hold))
        return TS_HELD;
    unsigned id = hot->unit;
    if (id == TS_UNIT_UNPACK)
        id += in.word >> 23 & 1;
    struct ts_unit *unit = tensix->unit[id];
    if (__builtin_expect(!unit, 0))
        return refuse(tensix->cfg.machine, in, now, front);
    if (1u << id & CUTS)
        ts_promise_cut(tensix, now);
    const bool competes = !(hot->block & TS_B_FREE);
    if (competes && __builtin_expect(!ts_unit_turn(unit, thread, now), 0)) {
        queue_up(unit, in, now, hold);
        return TS_HELD;
    }
    if (!unit->accept(unit, in, now, hold)) {
        if (competes)
            refused(unit, thread, hold);
        return TS_HELD;
    }
    if (__builtin_expect(in.word & hot->reserved, 0) && !reserved_bits(tensix, in, now, front))
        return TS_STOPPED;
    if (competes) {
        if (__builtin_expect(unit->last != thread, 0) && 1u << id & ONE_THREAD &&
            unit->busy_until[unit->last] > now &&
            !ts_lint_two_threads(tensix, unit, in, unit->last, now))
            return TS_STOPPED;
        ts_unit_enter(unit, thread, now);
    } else
        unit->instructions++;
    if (__builtin_expect(tensix->check != NULL, 0))
        ts_tensix_pass(tensix, in, id, now);
    if (ts_trace_detail(&unit->component.object))
        return start_traced(tensix, unit, in, now) ? TS_PASSED : TS_STOPPED;
    return __builtin_expect(unit->start(unit, in, now), 1) ? TS_PASSED : TS_STOPPED;
}

static bool promises(const struct ts_backend *self, struct ts_word first, ts_cycle now)
{
    struct ts_tensix *tensix = self->context;
    struct ts_unit *unit = tensix->unit[ts_op_hot[first.op].unit];
    // Under strict a report would be a fault, in its own cycle; with lost flags each read of Dst is looked at.
    return unit && !unit->at_once && !tensix->promise &&
           tensix->closed[first.thread].until <= now &&
           !ts_sync_latched(self->waits, first.thread) && unit->last == first.thread &&
           !ts_unit_claimed(unit, first.thread) && !tensix->strict &&
           !(tensix->lint.flags_lost[0] | tensix->lint.flags_lost[1]) &&
           unit->ops->promises(unit, first, now);
}

static bool promise(const struct ts_backend *self, struct ts_promise *promise)
{
    struct ts_tensix *tensix = self->context;
    struct ts_unit *unit = tensix->unit[promise->unit];
    if (__builtin_expect(tensix->check != NULL, 0))
        ts_tensix_pass(tensix, ts_word(promise->words[0], promise->thread), promise->unit,
                       promise->from);
    if (!unit->ops->promise(unit, promise))
        return false;
    tensix->promise = promise;
    return true;
}

static void back(const struct ts_backend *self, unsigned thread)
{
    ts_promise_end(self->context, thread);
}

static void recall(const struct ts_backend *self, unsigned thread, ts_cycle now)
{
    struct ts_tensix *tensix = self->context;
    if (tensix->promise && tensix->promise->thread == thread)
        ts_promise_stop(tensix, now);
}

static bool waits(const struct ts_backend *self, unsigned thread)
{
    return ts_sync_latched(self->waits, thread);
}

static void look_at_gate(const struct ts_backend *self, unsigned thread, ts_cycle now)
{
    struct ts_sync_unit *sync = self->waits;
    struct ts_hold hold;
    if (ts_sync_latched(sync, thread))
        ts_sync_gate(sync, thread, 0, now, &hold);
}

static bool idle(const struct ts_backend *self, unsigned thread, ts_cycle now, struct ts_hold *hold)
{
    const struct ts_tensix *tensix = self->context;
    bool none = true;
    for (unsigned i = 0; i < TS_UNIT_COUNT; i++) {
        const struct ts_unit *unit = tensix->unit[i];
        // The mover works in the background: its work no longer belongs to an instruction.
        if (!unit || i == TS_UNIT_MOVER || unit->busy_until[thread] <= now)
            continue;
        if (none || unit->busy_until[thread] > hold->until)
            none = ts_held(hold, TS_STALL_TENSIX_SYNC, &unit->component.object,
                           unit->busy_until[thread]);
    }
    return none;
}

static uint32_t busy(const struct ts_backend *self, unsigned thread, ts_cycle now)
{
    struct ts_tensix *tensix = self->context;
    uint32_t units = 0;
    ts_promise_cut(tensix, now);
    for (unsigned i = 0; i < TS_UNIT_COUNT; i++)
        if (tensix->unit[i] && tensix->unit[i]->busy_until[thread] > now)
            units |= 1u << i;
    return units;
}

static bool lost(const struct ts_backend *self, struct ts_word in, ts_cycle now,
                 struct ts_component *front)
{
    struct ts_insn_text text = ts_insn_text(in);
    return ts_tensix_report(self->context, front, TS_BY_NOBODY, now, TS_REPORT_BRISC_MUX_LOST, "%s",
                            text.text);
}

static bool promises_none(const struct ts_backend *self, struct ts_word first, ts_cycle now)
{
    (void)self, (void)first, (void)now;
    return false;
}

#define OPS(promises)                                                                 \
    {                                                                                 \
        offer, promises, promise, back, recall, waits, look_at_gate, idle, busy, lost \
    }
static const struct ts_backend_ops backend_ops[2] = {OPS(promises_none), OPS(promises)};

void ts_backend_init(struct ts_backend *self, struct ts_tensix *tensix, struct ts_sync_unit *sync,
                     bool has_promises)
{
    *self = (struct ts_backend){.ops = &backend_ops[has_promises],
                                .context = tensix,
                                .waits = sync,
                                .timing = &tensix->timing,
                                .closed = tensix->closed};
    for (unsigned t = 0; t < TS_THREADS; t++)
        self->thd[t] = tensix->cfg.thd[t];
}
