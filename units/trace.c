// units/trace.c: see trace.h.
#include "units/trace.h"

// Where the words at the gate come from: their pc, and when they were pushed.
static uint64_t origin(const struct ts_tensix *tensix, unsigned thread, ts_cycle *pushed)
{
    if (tensix->hooks.origin)
        return tensix->hooks.origin(tensix->hooks.tile, thread, pushed);
    return UINT32_MAX;
}

static inline struct ts_record record_of(const struct ts_object *front, const struct ts_unit *unit,
                                         unsigned thread)
{
    return (struct ts_record){.emitter = front->id & 0xffffff,
                              .kind = TS_RECORD_WORD,
                              .other = (unit->component.object.id + 1) & 0xffffff,
                              .reason = (uint8_t)thread};
}

static void put_work(const struct ts_unit *unit, unsigned thread, ts_cycle from, ts_cycle to,
                     uint32_t front)
{
    const struct ts_object *object = &unit->component.object;
    ts_trace_put(object->trace, (struct ts_record){.cycle = from,
                                                   .value = to - from,
                                                   .emitter = object->id & 0xffffff,
                                                   .kind = TS_RECORD_WORK,
                                                   .other = front & 0xffffff,
                                                   .reason = (uint8_t)thread});
}

void ts_trace_word(const struct ts_tensix *tensix, const struct ts_unit *unit, struct ts_word in,
                   ts_cycle passed, ts_cycle from, ts_cycle to)
{
    const struct ts_object *front = &tensix->front[in.thread]->object;
    struct ts_record record = record_of(front, unit, in.thread);
    ts_cycle pushed = passed;
    record.cycle = passed;
    record.value = in.word | origin(tensix, in.thread, &pushed) << 32;
    record.more = ts_record_more(pushed, passed, from, to);
    ts_trace_put(front->trace, record);
    if (from - passed >= TS_RECORD_LONG || to - from >= TS_RECORD_LONG)
        put_work(unit, in.thread, from, to, front->id + 1);
}

void ts_trace_stream(const struct ts_tensix *tensix, const struct ts_unit *unit, unsigned thread,
                     const uint32_t *words, unsigned next, unsigned count, ts_cycle from)
{
    ts_cycle pushed = TS_NEVER;
    uint64_t pc = origin(tensix, thread, &pushed);
    struct ts_trace_ring *ring = tensix->front[thread]->object.trace;
    struct ts_record record = record_of(&tensix->front[thread]->object, unit, thread);
    for (unsigned i = 0; i < count; i++, from++) {
        record.cycle = from;
        record.value = words[next * i] | pc << 32;
        record.more = ts_record_more(pushed < from ? pushed : from, from, from, from + 1);
        ts_trace_put(ring, record);
    }
}

void ts_trace_work(const struct ts_unit *unit, unsigned thread, ts_cycle from, ts_cycle to)
{
    put_work(unit, thread, from, to, 0);
}
