// What an instruction body returns when it does not support a request.
//
// A body is pure: it cannot fault the simulation itself. The component that called it turns a
// refusal into a fault with its own name, cycle and thread.
#pragma once

#include "platform/base/error.h"

struct ts_refusal {
    const char *what; // what was requested; NULL on success
    uint32_t value;   // the field's value
    uint32_t kind;    // enum ts_code: TS_CONTRACT (undefined behaviour in the documents) or
                      // TS_NOT_IMPLEMENTED (exists in hardware, not here)
};

static inline struct ts_refusal ts_fine(void)
{
    return (struct ts_refusal){0};
}
static inline struct ts_refusal ts_contract(const char *what, uint32_t value)
{
    return (struct ts_refusal){what, value, TS_CONTRACT};
}
static inline struct ts_refusal ts_not_implemented(const char *what, uint32_t value)
{
    return (struct ts_refusal){what, value, TS_NOT_IMPLEMENTED};
}
