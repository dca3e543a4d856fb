// units/trace.c: see trace.h.
#include "units/trace.h"

// Where the words at the gate come from: their pc, and when they were pushed.
static uint64_t origin(const struct ts_tensix *tensix, unsigned thread, ts_cycle *pushed)
{
    if (tensix->hooks.origin)
        return tensix->hooks.origin(tensix->hooks.tile, thread, pushed);
    return UINT32_MAX;
}

static inline void put(const struct ts_object *front, const struct ts_unit *unit, unsigned thread,
                       uint64_t word, ts_cycle passed, uint64_t more)
{
    ts_trace_put(front->trace,
                 (struct ts_record){.cycle = passed,
                                    .value = word,
                                    .more = more,
                                    .emitter = front->id & 0xffffff,
                                    .kind = TS_RECORD_WORD,
                                    .other = (unit->component.object.id + 1) & 0xffffff,
                                    .reason = (uint8_t)thread});
}

void ts_trace_word(const struct ts_tensix *tensix, const struct ts_unit *unit, struct ts_word in,
                   ts_cycle passed, ts_cycle from, ts_cycle to)
{
    ts_cycle pushed = passed;
    uint64_t pc = origin(tensix, in.thread, &pushed);
    put(&tensix->front[in.thread]->object, unit, in.thread, in.word | pc << 32, passed,
        ts_record_more(pushed, passed, from, to));
}

void ts_trace_stream(const struct ts_tensix *tensix, const struct ts_unit *unit, unsigned thread,
                     const uint32_t *words, unsigned next, unsigned count, ts_cycle from)
{
    ts_cycle pushed = TS_NEVER;
    uint64_t pc = origin(tensix, thread, &pushed);
    for (unsigned i = 0; i < count; i++, from++)
        put(&tensix->front[thread]->object, unit, thread, words[next * i] | pc << 32, from,
            ts_record_more(pushed < from ? pushed : from, from, from, from + 1));
}

void ts_trace_work(const struct ts_unit *unit, unsigned thread, ts_cycle from, ts_cycle to)
{
    const struct ts_object *object = &unit->component.object;
    ts_trace_put(object->trace, (struct ts_record){.cycle = from,
                                                   .value = to - from,
                                                   .emitter = object->id & 0xffffff,
                                                   .kind = TS_RECORD_WORK,
                                                   .reason = (uint8_t)thread});
}
