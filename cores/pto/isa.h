// What the cores of a TPUSH/TPOP cluster execute: types, memories, tiles, expressions,
// instructions, the machine.
//
// All of it is constant while a cluster runs and shared by all clusters. The assembler that makes
// it from text is platform/study/pipe/asm.c.
#pragma once

#include "cores/pto/ring.h"
#include "platform/base/expr.h"

enum ts_dtype {
#define TS_PIPE_DTYPE(id, ...) TS_DTYPE_##id,
#include "config/tpipe.def"
    TS_DTYPE_COUNT
};

enum ts_mem {
#define TS_PIPE_MEM(id, name, tile, a2a3, a5, align) TS_MEM_##id,
#include "config/tpipe.def"
    TS_MEM_COUNT
};

enum ts_lane_id {
#define TS_PIPE_LANE(id, ...) TS_LANE_##id,
#include "config/tpipe.def"
    TS_LANE_COUNT
};

enum ts_op {
#define TS_PIPE_OP(id, name, pattern, text) TS_OP_##id,
#include "config/tpipe.def"
    TS_OP_COUNT
};

struct ts_timing {
#define TS_PARAM(key, unit, low, high, text) int64_t key;
#include "config/pipe_timing.def"
};

uint32_t ts_dtype_bytes(enum ts_dtype type);
extern const char *const ts_dtype_names[]; // these end with NULL
extern const struct ts_mem_row {
    const char *name, *tile; // as a tile location: vec, mat, ...
    uint32_t bytes[2];       // by profile
} ts_mems[];
extern const char *const ts_lane_names[];
bool ts_lane_exists(enum ts_lane_id lane, unsigned core);
extern const struct ts_op_row {
    const char *name, *pattern, *text;
} ts_ops[];

// --- expressions: postfix (platform/base/expr.h), over 64-bit integers ---

struct ts_expr_word {
    enum ts_expr_op op;
    int64_t value; // number, or the variable of a name
};

struct ts_expr {
    bool constant;
    int64_t value; // constant
    uint32_t first, count;
};

enum { TS_LOOPS = 8 }; // nested at most

enum { TS_VAR_SB, TS_VAR_CLUSTER, TS_VAR_CLUSTERS, TS_VAR_DISPATCH, TS_VAR_FIRST, TS_VARS = 24 };

int64_t ts_expr_run(const struct ts_expr_word *words, const struct ts_expr *expr,
                    const int64_t *vars);

static inline int64_t ts_expr_value(const struct ts_expr_word *words, const struct ts_expr *expr,
                                    const int64_t *vars)
{
    return __builtin_expect(expr->constant, 1) ? expr->value : ts_expr_run(words, expr, vars);
}

// --- declarations ---

struct ts_tile_decl {
    char name[32];
    enum ts_mem mem;
    enum ts_dtype type;
    enum ts_layout layout;
    uint32_t rows, cols;   // allocated
    uint32_t vrows, vcols; // valid
    uint32_t addr;
    uint32_t count; // an array of tiles, one behind the other
    bool bound;     // placed by TPOP
    uint32_t first; // number of its first element among all elements
    uint32_t line;  // of the file
};

struct ts_tensor_decl {
    char name[32];
    enum ts_dtype type;
    uint32_t rows, cols;
    bool window; // has no memory: TALLOC or TPOP place it in a slot
    bool out;
    uint64_t gm;   // address
    uint32_t line; // of the file
};

// Bytes of one tile of an array, and of a tensor.
static inline uint64_t ts_tile_bytes(const struct ts_tile_decl *tile)
{
    return (uint64_t)tile->rows * tile->cols * ts_dtype_bytes(tile->type);
}

static inline uint64_t ts_tensor_bytes(const struct ts_tensor_decl *tensor)
{
    return (uint64_t)tensor->rows * tensor->cols * ts_dtype_bytes(tensor->type);
}

// --- instructions ---

// A tile or tensor operand: name[index](row, col, rows, cols).
struct ts_ref {
    bool used, tensor;
    bool has_offset, has_shape;
    uint16_t id;
    struct ts_expr index, row, col, rows, cols;
};

enum { TS_SWITCH_ALLOCATE, TS_SWITCH_RECORD, TS_SWITCH_WAIT, TS_SWITCH_FREE, TS_SWITCHES };
extern const char *const ts_switch_names[];

struct ts_insn {
    enum ts_op op;
    uint16_t line, column; // column 0: not known
    uint16_t pipe;
    enum ts_split split;
    uint8_t lane[2];
    uint8_t var;
    uint32_t jump; // FOR, IF, ELSE: behind their END; END of a FOR: the FOR + 1
    struct ts_ref ref[4];
    struct ts_expr expr[3];
    float scalar;
    bool transpose; // tload ... t: rows and columns change places
    bool unit_flag; // uf: the matmul publishes, the fixpipe follows
    bool fixpipe;   // tpush with a fixpipe configuration
    bool relu;
    bool precise; // a division in software, as the headers' HIGH_PRECISION
    bool has_cast, has_scale;
    enum ts_dtype cast;
    float scale;
    struct ts_ref scales; // a row of factors, one a column
    uint8_t target;       // fixpipe on A5: sub-block
    bool has_switch[TS_SWITCHES];
    struct ts_expr on[TS_SWITCHES];
};

struct ts_code_text {
    struct ts_insn *insn;
    uint32_t count;
};

struct ts_machine {
    enum ts_profile profile;
    bool strict;    // user range of flag ids
    bool unsafe;    // runs what the configuration checks would refuse
    bool auto_sync; // pipes of a core wait for tiles in use instead of racing
    bool
        event_bits; // a local event is a bit of its set pipe and id, not a counter of the pipe pair
    bool data;      // else time only
    uint32_t clusters;
    uint32_t dispatches; // kernels in a row
    struct ts_timing timing;
    struct ts_code_text code[2]; // Cube, Vector
    struct ts_expr_word *words;
    uint32_t word_count;
    struct ts_tile_decl *tiles;
    uint32_t tile_count, element_count;
    struct ts_tensor_decl *tensors;
    uint32_t tensor_count;
    struct ts_ring_config *pipes;
    uint32_t pipe_count;
    uint64_t gm_bytes;
};

// --- views: where an operand of a running instruction is ---

struct ts_view {
    uint8_t mem;
    uint8_t type;
    uint8_t owner; // UB: of which AIV
    uint8_t used;
    uint8_t layout;              // enum ts_layout
    uint32_t rows, cols, stride; // elements; stride: from row to row, or all rows if not nd
    uint64_t addr;
};

// Elements of a row that lie next to each other: 0 for all of them (nd).
static inline uint32_t ts_layout_width(enum ts_layout layout, uint32_t size)
{
    return layout == TS_LAYOUT_ND ? 0 : layout == TS_LAYOUT_DN ? 1 : 32 / size;
}

// Elements from the first to (row, col).
static inline uint64_t ts_layout_offset(uint32_t width, uint64_t stride, uint64_t row, uint64_t col)
{
    if (width == 0)
        return row * stride + col;
    return col / width * (stride * width) + row * width + col % width;
}

static inline uint64_t ts_view_offset(const struct ts_view *view, uint64_t row, uint64_t col)
{
    uint32_t size = ts_dtype_bytes((enum ts_dtype)view->type);
    return size * ts_layout_offset(ts_layout_width((enum ts_layout)view->layout, size),
                                   view->stride, row, col);
}

static inline uint64_t ts_view_extent(const struct ts_view *view, uint32_t size)
{
    if (view->rows == 0 || view->cols == 0)
        return 0;
    uint32_t width = ts_layout_width((enum ts_layout)view->layout, size);
    return (ts_layout_offset(width, view->stride, view->rows - 1, view->cols - 1) + 1) * size;
}
