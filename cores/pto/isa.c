#include "cores/pto/isa.h"

const char *const ts_dtype_names[] = {
#define TS_PIPE_DTYPE(id, name, ...) name,
#include "config/tpipe.def"
    NULL};

const struct ts_mem_row ts_mems[] = {
#define TS_PIPE_MEM(id, name, tile, a2a3, a5, align) [TS_MEM_##id] = {name, tile, {a2a3, a5}},
#include "config/tpipe.def"
};

const char *const ts_lane_names[] = {
#define TS_PIPE_LANE(id, name, ...) name,
#include "config/tpipe.def"
    NULL};

const struct ts_op_row ts_ops[] = {
#define TS_PIPE_OP(id, name, pattern, text) [TS_OP_##id] = {name, pattern, text},
#include "config/tpipe.def"
};

const char *const ts_switch_names[] = {"alloc", "record", "wait", "free"};

uint32_t ts_dtype_bytes(enum ts_dtype type)
{
    static const uint8_t bytes[] = {
#define TS_PIPE_DTYPE(id, name, bytes, ...) bytes,
#include "config/tpipe.def"
    };
    return bytes[type];
}

bool ts_lane_exists(enum ts_lane_id lane, unsigned core)
{
    static const bool on[][2] = {
#define TS_PIPE_LANE(id, name, aic, aiv, work) {aic, aiv},
#include "config/tpipe.def"
    };
    return on[lane][core != TS_CORE_AIC];
}

// Division and remainder by 0 give 0: a program cannot stop the host.
static int64_t binary(enum ts_expr_op op, int64_t a, int64_t b)
{
    const uint64_t u = (uint64_t)a, v = (uint64_t)b;
    switch (op) {
#define TS_EXPR_BINARY(id, text, level, real, whole) \
    case TS_EXPR_##id:                               \
        return whole;
#include "config/expressions.def"
    default:
        return 0;
    }
}

int64_t ts_expr_run(const struct ts_expr_word *words, const struct ts_expr *expr,
                    const int64_t *vars)
{
    int64_t stack[TS_EXPR_STACK];
    unsigned top = 0;
    if (expr->constant)
        return expr->value;
    for (uint32_t i = expr->first; i < expr->first + expr->count; i++) {
        const struct ts_expr_word *word = &words[i];
        switch (word->op) {
        case TS_EXPR_NUMBER:
            stack[top++] = word->value;
            break;
        case TS_EXPR_NAME:
            stack[top++] = vars[word->value];
            break;
        case TS_EXPR_NEG:
            stack[top - 1] = (int64_t) - (uint64_t)stack[top - 1];
            break;
        case TS_EXPR_NOT:
            stack[top - 1] = !stack[top - 1];
            break;
        default:
            stack[top - 2] = binary(word->op, stack[top - 2], stack[top - 1]);
            top--;
        }
    }
    return stack[0];
}
