// How long a piece of work keeps its pipe: rates and formulas of config/pipe_timing.def.
//
// Source: pto-isa include/pto/costmodel. Row reductions and row expansions are taken apart into the
// vector instructions that the published A2/A3 headers use for them (TRowReduceOps.hpp,
// TRowExpandBinOp.hpp), each followed by a barrier.
// Inaccuracies: A5 vector operations use the published one-dimensional fp32 formulas for all shapes
// and types.
#include "cores/pto/cluster.h"

enum { REPEAT_BYTES = 256, FRACTAL = 16, FRACTAL_BYTES = 32 };

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static uint64_t transfer(uint64_t bytes, int64_t start, int64_t rate)
{
    return (uint64_t)start + ceil_div(bytes * 1000, (uint64_t)rate);
}

// A GM rate, where all clusters share a total.
static int64_t shared_rate(int64_t rate, int64_t total, uint32_t clusters)
{
    int64_t share = total / clusters;
    return total && share < rate ? (share ? share : 1) : rate;
}

static uint64_t move_cost(const struct ts_core *core, const struct ts_entry *entry)
{
    const struct ts_machine *machine = core->cluster->machine;
    const struct ts_timing *t = &machine->timing;
    enum ts_mem from = entry->a.mem, to = entry->to.mem;
    uint64_t elements = (uint64_t)entry->a.rows * entry->a.cols * entry->blocks;
    // The narrower type crosses; what leaves L0C is counted as the cost model does.
    uint32_t size = ts_dtype_bytes(
        to == TS_MEM_GM || to == TS_MEM_L1 || to == TS_MEM_UB ? entry->to.type : entry->a.type);
    if (from == TS_MEM_L0C && to != TS_MEM_UB && t->l0c_element)
        size = (uint32_t)t->l0c_element;
    uint64_t bytes = elements * size;
#define READS(rate)  shared_rate(t->rate, t->gm_total_read, machine->clusters)
#define WRITES(rate) shared_rate(t->rate, t->gm_total_write, machine->clusters)
#define TS_PIPE_MOVE(when, start, rate) \
    if (when)                           \
        return transfer(bytes, start, rate);
#include "config/tpipe.def"
    return 0;
}

static uint64_t matmul_cost(const struct ts_core *core, const struct ts_entry *entry)
{
    uint64_t blocks = ceil_div(entry->to.rows, FRACTAL) *
                      ceil_div((uint64_t)entry->a.cols * ts_dtype_bytes(entry->a.type),
                               FRACTAL_BYTES) *
                      ceil_div(entry->to.cols, FRACTAL);
    return (uint64_t)core->cluster->machine->timing.matmul +
           (entry->a.type == TS_DTYPE_FP32 ? 2 : 1) * blocks;
}

// A vector instruction's numbers, in thousandths of a cycle.
struct vec {
    int64_t head, slope, tail;
};

#define VEC(t, name) \
    ((struct vec){(t)->v_##name##_head, (t)->v_##name##_slope, (t)->v_##name##_tail})

static struct vec vec_of(const struct ts_timing *t, enum ts_op op)
{
    switch (op) {
#define TS_PIPE_VECTOR(id, arithmetic, spread, timing) \
    case TS_OP_##id:                                   \
        return VEC(t, timing);
#include "config/tpipe.def"
    case TS_OP_TCVT:
        return VEC(t, convert);
    case TS_OP_TFILL:
    case TS_OP_TROWEXPAND:
        return VEC(t, dup);
    default:
        return VEC(t, add);
    }
}

// A whole instruction between two barriers.
static uint64_t alone(struct vec v, uint64_t repeats)
{
    return (uint64_t)v.head + (uint64_t)v.slope * repeats + (uint64_t)v.tail;
}

static uint64_t vector_cost(const struct ts_core *core, const struct ts_entry *entry, bool warm,
                            uint64_t *tail)
{
    const struct ts_timing *t = &core->cluster->machine->timing;
    enum ts_op op = entry->insn->op;
    const struct ts_view *shape = op == TS_OP_TFILL || op == TS_OP_TROWEXPAND ? &entry->to
                                                                              : &entry->a;
    uint32_t size = ts_dtype_bytes(shape->type);
    if (op == TS_OP_TCVT && ts_dtype_bytes(entry->to.type) > size)
        size = ts_dtype_bytes(entry->to.type);
    uint64_t rows = shape->rows, row_bytes = (uint64_t)shape->cols * size;
    bool whole = shape->cols == shape->stride || rows == 1;
    uint64_t repeats = whole ? ceil_div(rows * row_bytes, REPEAT_BYTES)
                             : rows * ceil_div(row_bytes, REPEAT_BYTES);
    uint64_t mode = (uint64_t)t->partial * 1000;
    const bool counts = op >= TS_OP_TADD && op <= TS_OP_TMIN; // two tiles: pays for counting mode
    uint64_t partial = counts && (whole ? rows * row_bytes : row_bytes) % REPEAT_BYTES ? mode : 0;
    struct vec v = vec_of(t, op);
    uint64_t cost = 0;
    switch (op) {
    case TS_OP_TROWMAX:
    case TS_OP_TROWSUM: {
        // The repeats of a row are combined until one is left, then that is reduced; a barrier
        // after each.
        uint64_t combined = ceil_div(row_bytes, REPEAT_BYTES) - 1;
        cost = combined * (alone(VEC(t, add), rows) + mode);
        cost += alone(op == TS_OP_TROWMAX ? VEC(t, row_max) : VEC(t, row_add), rows);
        *tail = 0;
        return ceil_div(cost, 1000);
    }
    case TS_OP_TROWEXPANDADD:
    case TS_OP_TROWEXPANDSUB:
    case TS_OP_TROWEXPANDMUL:
    case TS_OP_TROWEXPANDDIV:
        // The column is spread over blocks first (eight rows a repeat), then a barrier.
        cost = alone(VEC(t, spread), ceil_div(rows, 8));
        warm = false;
        break;
    default:
        break;
    }
    cost += (warm ? 0 : (uint64_t)v.head) + (uint64_t)v.slope * repeats + partial;
    *tail = ceil_div((uint64_t)v.tail, 1000);
    return ceil_div(cost, 1000);
}

uint64_t ts_cost(const struct ts_core *core, const struct ts_entry *entry, bool warm,
                 uint64_t *tail)
{
    *tail = 0;
    uint64_t cost;
    switch ((enum ts_lane_id)entry->lane) {
    case TS_LANE_M:
        cost = matmul_cost(core, entry);
        break;
    case TS_LANE_V:
        cost = entry->insn->op == TS_OP_TMOV || entry->insn->op == TS_OP_TINSERT ||
                       entry->insn->op == TS_OP_TEXTRACT
                   ? move_cost(core, entry)
                   : vector_cost(core, entry, warm, tail);
        break;
    default:
        cost = move_cost(core, entry);
    }
    return cost ? cost : 1;
}
