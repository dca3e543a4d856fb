// How long a piece of work keeps its pipe: rates and formulas of config/pipe_timing.def.
//
// Source: pto-isa include/pto/costmodel. Row reductions and row expansions are taken apart into the
// vector instructions that the published A2/A3 headers use for them (TRowReduceOps.hpp,
// TRowExpandBinOp.hpp), each followed by a barrier.
// A5: an operation is a vector function, a program of its own on the vector unit: start-up and end,
// and between them a loop over registers of 256 bytes. What takes longest counts: the loop's issue,
// the load ports, the execution units or the memory (include/pto/costmodel/a5/VfSim/params: latencies,
// intervals, ports; profiled cycles in tests/costmodel/st_a5_fit).
// Inaccuracies: functions do not overlap each other; the headers' choice between updated and computed
// addresses (VFIMPL) is not seen. Column sums, row reductions and row expansions have no profile.
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
    case TS_OP_TSEL:
        return VEC(t, sel);
    case TS_OP_TROWMAX:
        return VEC(t, row_max);
    case TS_OP_TROWSUM:
        return VEC(t, row_add);
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

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// --- A5: vector functions ---

enum { LOADS_SCALAR = 1, LOADS_FULL, LOADS_COLUMN = 2, LOADS_ROW = 2 };

// Registers that a pass of the loop loads.
static unsigned loads_of(enum ts_op op)
{
    switch (op) {
#define TS_PIPE_VECTOR(id, arithmetic, spread, timing) \
    case TS_OP_##id:                                   \
        return LOADS_##spread;
#include "config/tpipe.def"
    case TS_OP_TSEL:
        return 3;
    case TS_OP_TFILL:
        return 0;
    default:
        return 1;
    }
}

// The loop: passes of a row, rows (1: the tile is one piece, or the rows are the passes), elements of
// a register.
struct loop {
    uint64_t passes, rows, width;
};

static struct loop loop_of(const struct ts_entry *entry, const struct ts_view *shape)
{
    const struct ts_view *a = &entry->a, *b = &entry->b;
    const uint64_t width = REPEAT_BYTES / ts_dtype_bytes(shape->type), rows = shape->rows;
    const bool reduces = shape == a;
    const bool repeats = b->used && (b->rows != rows || b->cols != shape->cols);
    const bool gaps = shape->layout == TS_LAYOUT_ND &&
                      (shape->cols != shape->stride || (a->used && a->cols != a->stride));
    const bool whole = rows == 1 || (!reduces && !repeats && !gaps);
    const uint64_t passes = ceil_div(whole ? rows * shape->cols : shape->cols, width);
    if (whole || passes == 1)
        return (struct loop){whole ? passes : rows, 1, width};
    return (struct loop){passes, rows, width};
}

static uint64_t function_cost(const struct ts_timing *t, const struct ts_entry *entry)
{
    const enum ts_op op = entry->insn->op;
    const bool reduces = op == TS_OP_TROWMAX || op == TS_OP_TROWSUM;
    const struct ts_view *shape = reduces || op == TS_OP_TCOLSUM ? &entry->a : &entry->to;
    const struct loop loop = loop_of(entry, shape);
    const uint64_t n = loop.passes * loop.rows;
    if (entry->insn->precise && shape->type == TS_DTYPE_FP32)
        return ceil_div((uint64_t)t->v_function + n * (uint64_t)t->v_precise, 1000);
    if (entry->insn->precise && shape->type == TS_DTYPE_FP16)
        return ceil_div((uint64_t)t->v_function + n * (uint64_t)t->v_precise_half, 1000);
    const uint32_t from = ts_dtype_bytes(entry->a.type), to = ts_dtype_bytes(shape->type);
    uint64_t loads = loads_of(op), stride = 1; // cycles in which the loop issues a pass
    struct vec insn[2] = {vec_of(t, op)};      // of a pass, one after the other
    unsigned count = 1;
    if (op == TS_OP_TRSQRT) { // has no instruction of its own
        insn[0] = VEC(t, sqrt);
        insn[count++] = VEC(t, div);
    } else if (reduces && shape->cols > loop.width) {
        insn[count++] = VEC(t, add); // the passes of a row are combined
    } else if (op == TS_OP_TCVT && from > to) {
        loads = stride = from / to; // several registers become one
    }
    // A slow instruction takes 64 elements at a time.
    uint64_t latency = (loads ? (uint64_t)t->v_load : 0) + (uint64_t)t->v_store +
                       (n > 1 ? (uint64_t)t->v_loop : 0);
    const uint64_t parts = loop.width > 64 ? 2 : 1;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t sooner = i ? (uint64_t)t->v_forward : 0; // than a store
        const uint64_t head = (uint64_t)insn[i].head + (parts - 1) * (uint64_t)insn[i].tail;
        latency += head > sooner ? head - sooner : 0;
    }
    const uint64_t keeps = (insn[0].tail ? parts : 1) * (uint64_t)insn[0].slope;
    // Reductions are of one unit only.
    const uint64_t turns = reduces ? shape->rows : ceil_div(n * count, (uint64_t)t->v_units);
    const uint64_t row = most((uint64_t)t->v_row_least,
                              loop.passes * stride * 1000 + (uint64_t)t->v_row);
    uint64_t steps = (loop.passes - 1) * stride * 1000 + (loop.rows - 1) * row;
    steps = most(steps, (n - 1) * ceil_div(loads, (uint64_t)t->v_ports) * 1000);
    steps = most(steps, (turns - 1) * keeps);
    const uint64_t memory = (uint64_t)t->v_load + n * (loads + 1) * (uint64_t)t->v_access;
    return ceil_div((uint64_t)t->v_function + most(latency + steps, memory), 1000);
}

static uint64_t vector_cost(const struct ts_core *core, const struct ts_entry *entry, bool warm,
                            uint64_t *tail)
{
    const struct ts_timing *t = &core->cluster->machine->timing;
    if (t->v_function)
        return function_cost(t, entry);
    enum ts_op op = entry->insn->op;
    const bool fills = op == TS_OP_TFILL || op == TS_OP_TROWEXPAND || op == TS_OP_TSEL;
    const struct ts_view *shape = fills ? &entry->to : &entry->a;
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
        cost += alone(v, rows);
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
