// One instruction of the vector unit without a clock.
#pragma once

#include "units/vector/body.h"

// The complete instruction, including its second cycle. Not for SFPLOADMACRO's scheduled part.
static inline enum ts_vector_fault ts_vector_execute(struct ts_vector *v, struct ts_dst *dst,
                                                     const struct ts_vector_insn *insn)
{
    enum ts_vector_fault fault = ts_vector_start(v, dst, insn, ts_vector_enabled(v));
    if (v->settling)
        ts_vector_write_second(v, &v->second[v->phase]);
    v->settling = false;
    v->config_lag = false;
    return fault;
}
