// units/trace.c: see trace.h.
#include "units/trace.h"

void ts_trace_word(const struct ts_tensix *tensix, const struct ts_unit *unit, struct ts_word in,
                   ts_cycle passed, ts_cycle from, ts_cycle to)
{
    const struct ts_object *front = &tensix->front[in.thread]->object;
    ts_cycle pushed = passed;
    uint64_t pc = UINT32_MAX;
    if (tensix->hooks.origin)
        pc = tensix->hooks.origin(tensix->hooks.tile, in.thread, &pushed);
    ts_trace_put(front->trace,
                 (struct ts_record){.cycle = passed,
                                    .value = in.word | pc << 32,
                                    .more = ts_record_more(pushed, passed, from, to),
                                    .emitter = front->id & 0xffffff,
                                    .kind = TS_RECORD_WORD,
                                    .other = (unit->component.object.id + 1) & 0xffffff,
                                    .reason = in.thread});
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
