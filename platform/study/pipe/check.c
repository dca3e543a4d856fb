// What a program may not do, found before it runs: the rules of config/pipe_rules.def, asked of every
// pipe, tile and call. Every refusal names the parameter, its value and the legal range.
#include "platform/study/pipe/program.h"

enum { FLAG_IDS = 16, SEED_FLAGS_A2A3 = 7, USER_FLAGS = 11, SLOT_ALIGN = 32, COUNTER = 15 };

bool ts_pipe_refused(const struct ts_pipe_program *self)
{
    if (ts_findings_any(&self->findings, 'K'))
        return true;
    if (self->machine.strict && self->findings.seen[TS_FINDING_FLAG_USER])
        return true;
    if (!self->machine.unsafe)
        return ts_findings_any(&self->findings, 'C');
    // Unsafe programs may alias flags, nothing else.
    for (int id = 0; id < TS_FINDING_COUNT; id++)
        if (self->findings.seen[id] && ts_finding_rows[id].kind == 'C' &&
            id != TS_FINDING_FLAG_ALIAS)
            return true;
    return false;
}

// What a rule is about: a declaration, or an instruction as a call of its core.
struct about {
    struct ts_pipe_program *self;
    uint32_t line;
    const char *object;
    const struct ts_insn *call; // NULL: a declaration
    const char *tile;           // of the call, the first one; NULL: none
};

static void find(const struct about *about, enum ts_finding_id id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void find(const struct about *about, enum ts_finding_id id, const char *format, ...)
{
    char text[sizeof about->self->findings.item[0].text];
    const bool of_tile = id == TS_FINDING_TILE_PROD || id == TS_FINDING_TILE_CONS ||
                         id == TS_FINDING_FIXPIPE_TILE || *about->object == '\0';
    TS_VSNPRINTF(text, sizeof text, format);
    ts_finding_add(
        &about->self->findings, id,
        (struct ts_spot){0, about->line, of_tile && about->tile ? about->tile : about->object},
        "%s%s%s", about->call ? ts_ops[about->call->op].name : "", about->call ? ": " : "", text);
}

#define RULE(id, breaks, ...) \
    if (breaks)               \
        find(&about, TS_FINDING_##id, __VA_ARGS__);
#define OR(id, breaks, ...) else RULE(id, breaks, __VA_ARGS__)
#define STOP(id, breaks, ...)                       \
    if (breaks) {                                   \
        find(&about, TS_FINDING_##id, __VA_ARGS__); \
        return;                                     \
    }
#define DONE(when) \
    if (when)      \
        return;

// --- pipes ---

// Flag ids a pipe takes from its FlagID on.
static uint32_t flags_of(const struct ts_ring_config *pipe)
{
    uint32_t pairs = pipe->variant == TS_VARIANT_E ? pipe->slots : 1;
    return (ts_direction_both(pipe->direction) ? 4 : 2) * pairs;
}

// The shapes of both ends of a TMPipe in local memory: the Cube's is one part, or two side by side or one above the other.
static bool shapes_fit(const struct ts_ring_config *pipe)
{
    const bool c2v = pipe->direction == TS_DIR_C2V;
    const uint32_t rows = c2v ? pipe->prod_rows : pipe->cons_rows,
                   cols = c2v ? pipe->prod_cols : pipe->cons_cols,
                   part_rows = c2v ? pipe->cons_rows : pipe->prod_rows,
                   part_cols = c2v ? pipe->cons_cols : pipe->prod_cols;
    if (pipe->ratio == 2)
        return (rows == 2 * part_rows && cols == part_cols) ||
               (rows == part_rows && cols == 2 * part_cols);
    return rows == part_rows && cols == part_cols;
}

static void check_local(const struct about about, const struct ts_ring_config *pipe,
                        enum ts_mem mem, uint32_t address, uint64_t local)
{
    const struct ts_machine *machine = &about.self->machine;
    const bool tm = pipe->tmpipe;
#define RULES_LOCAL
#include "config/pipe_rules.def"
    for (uint32_t i = 0; i < machine->tile_count; i++) {
        const struct ts_tile_decl *tile = &machine->tiles[i];
#define RULES_LOCAL_TILE
#include "config/pipe_rules.def"
    }
}

static void check_gm(const struct about about, const struct ts_ring_config *pipe)
{
    const struct ts_machine *machine = &about.self->machine;
    const uint64_t ring = ts_ring_gm_bytes(pipe);
#define RULES_GM
#include "config/pipe_rules.def"
    for (uint32_t i = 0; i < machine->tensor_count; i++) {
        const struct ts_tensor_decl *tensor = &machine->tensors[i];
        const uint64_t bytes = ts_tensor_bytes(tensor);
#define RULES_GM_TENSOR
#include "config/pipe_rules.def"
    }
    for (const struct ts_ring_config *other = machine->pipes; other < pipe; other++) {
#define RULES_GM_PIPE
#include "config/pipe_rules.def"
    }
}

static void check_pipe(struct ts_pipe_program *self, const struct ts_ring_config *pipe)
{
    const struct ts_machine *machine = &self->machine;
    const struct about about = {.self = self, .line = pipe->line, .object = pipe->name};
    const char *profile = ts_profile_names[machine->profile];
    const enum ts_ring_path path = ts_ring_path(pipe, machine->profile);
    const bool a5 = machine->profile == TS_PROFILE_A5, tm = pipe->tmpipe,
               c2v = pipe->direction == TS_DIR_C2V, ctrl = pipe->direction == TS_DIR_V2C_CTRL;
    // FlagID: the document's range, or the headers'. A TMPipe's records are bounded by its credits, its depth by the documents.
    const uint32_t flags = flags_of(pipe), period = ts_ring_period(pipe), least = tm ? 2 : 1,
                   most_flag = ts_ring_as_published(pipe, TS_PUBLISHED_FLAG_RANGE)
                                   ? FLAG_IDS - flags
                               : a5 ? FLAG_IDS - 1
                                    : SEED_FLAGS_A2A3,
                   most = !tm  ? COUNTER
                          : a5 ? 16
                               : 8,
                   unit = ctrl ? TS_CTRL_BYTES : SLOT_ALIGN;
#define RULES_PIPE
#include "config/pipe_rules.def"
    const uint64_t local = ts_ring_local_bytes(pipe, machine->profile);
    if (path == TS_PATH_GM)
        check_gm(about, pipe);
    if (path != TS_PATH_CTRL && ts_direction_has(pipe->direction, true))
        check_local(about, pipe, TS_MEM_UB, pipe->ub, local);
    if (path != TS_PATH_CTRL && ts_direction_has(pipe->direction, false))
        check_local(about, pipe, TS_MEM_L1, pipe->l1, local);
}

// The ids that are counters of one side's cores.
static uint64_t receivers(const struct ts_ring_config *pipe, bool vector)
{
    uint64_t ids = 0;
    uint32_t pairs = pipe->variant == TS_VARIANT_E ? pipe->slots : 1;
    uint32_t flag = pipe->flag;
    for (int half = 0; half < 2; half++) {
        bool c2v = half == 0;
        if (!ts_direction_has(pipe->direction, c2v))
            continue;
        for (uint32_t i = 0; i < pairs; i++) {
            // Ready flags go to the consumer, credits to the producer.
            uint32_t id = c2v == vector ? flag + i : flag + pairs + i;
            ids |= UINT64_C(1) << id % FLAG_IDS;
        }
        flag += 2 * pairs;
    }
    return ids;
}

static void check_alias(struct ts_pipe_program *self, const struct ts_ring_config *other,
                        const struct ts_ring_config *pipe)
{
    const struct about about = {.self = self, .line = pipe->line, .object = pipe->name};
    if (other->variant == TS_VARIANT_G || pipe->variant == TS_VARIANT_G ||
        other->flag >= FLAG_IDS || pipe->flag >= FLAG_IDS)
        return;
    for (int vector = 0; vector < 2; vector++) {
        const uint64_t shared = receivers(other, vector) & receivers(pipe, vector);
#define RULES_ALIAS
#include "config/pipe_rules.def"
    }
}

// --- tiles ---

static void check_tile(struct ts_pipe_program *self, const struct ts_tile_decl *tile)
{
    const struct about about = {.self = self, .line = tile->line, .object = tile->name};
    const uint64_t end = tile->addr + ts_tile_bytes(tile) * tile->count;
    const uint32_t size = ts_mems[tile->mem].bytes[self->machine.profile],
                   width = 32 / ts_dtype_bytes(tile->type);
#define RULES_DECLARED
#include "config/pipe_rules.def"
}

// --- calls ---

struct call {
    struct about about;
    const struct ts_insn *insn;
    bool vector;
    const struct ts_tile_decl *tile[4]; // operands that are tiles
};

static bool has_call(const struct ts_code_text *code, enum ts_op op, uint16_t pipe)
{
    for (uint32_t i = 0; i < code->count; i++)
        if (code->insn[i].op == op && code->insn[i].pipe == pipe)
            return true;
    return false;
}

static void check_pair(struct ts_pipe_program *self, const struct ts_code_text *code,
                       const struct ts_insn *insn)
{
    const struct ts_ring_config *pipe = &self->machine.pipes[insn->pipe];
    const struct about about = {
        .self = self, .line = insn->line, .object = self->machine.pipe_count ? pipe->name : ""};
#define RULES_PAIR
#include "config/pipe_rules.def"
}

static void check_scales(const struct about about, const struct ts_tile_decl *scales)
{
#define RULES_SCALES
#include "config/pipe_rules.def"
}

static void check_window(const struct call *call, const struct ts_ring_config *pipe)
{
    const struct about about = call->about;
    const struct ts_insn *insn = call->insn;
    const struct ts_machine *machine = &about.self->machine;
    const struct ts_tensor_decl *tensor = &machine->tensors[insn->ref[0].id];
    const bool vector = call->vector, a5 = machine->profile == TS_PROFILE_A5,
               local = ts_ring_path(pipe, machine->profile) != TS_PATH_GM;
    const uint64_t bytes = ts_tensor_bytes(tensor) * (vector && insn->split != TS_NO_SPLIT ? 2 : 1);
#define RULES_WINDOW
#include "config/pipe_rules.def"
}

static void check_tile_call(const struct call *call, const struct ts_ring_config *pipe, bool pop)
{
    const struct about about = call->about;
    const struct ts_insn *insn = call->insn;
    const struct ts_tile_decl *tile = call->tile[0];
    const enum ts_profile profile = about.self->machine.profile;
    const bool vector = call->vector, a5 = profile == TS_PROFILE_A5, tm = pipe->tmpipe,
               ctrl = pipe->direction == TS_DIR_V2C_CTRL,
               local = ts_ring_path(pipe, profile) != TS_PATH_GM,
               halves = a5 && local && !vector && !tm && !insn->fixpipe; // the Cube's to both AIVs
    const uint32_t width = 32 / ts_dtype_bytes(tile->type),
                   element = ts_dtype_bytes(insn->has_cast ? insn->cast : tile->type);
    const uint64_t row_bytes = (uint64_t)tile->cols * element /
                               (insn->split == TS_LEFT_RIGHT ? 2 : 1);
    // Bytes of an entry as the slot sees it.
    const uint64_t entry = halves ? (insn->split == TS_UP_DOWN
                                         ? (uint64_t)tile->rows / 2 * tile->cols
                                         : (uint64_t)tile->rows * tile->cols /
                                               (insn->split == TS_LEFT_RIGHT ? 2 : 1)) *
                                        element
                                  : (uint64_t)tile->vrows * (local ? tile->cols : tile->vcols) *
                                        element * (vector && insn->split != TS_NO_SPLIT ? 2 : 1);
#define RULES_TILE
#include "config/pipe_rules.def"
}

static void check_ring_call(struct call *call, const struct ts_ring_config *pipe)
{
    const struct about about = call->about;
    const enum ts_op op = call->insn->op;
    const bool vector = call->vector, produces = op == TS_OP_TPUSH || op == TS_OP_TALLOC;
#define RULES_SIDE
#include "config/pipe_rules.def"
    if (call->insn->ref[0].tensor)
        check_window(call, pipe);
    else if (call->tile[0]) // else it pops into a variable, or frees
        check_tile_call(call, pipe, !produces);
}

// Do the first operand and another one, where both are whole tiles, differ in the rows or columns that must agree?
static bool differ(const struct call *call, int other, bool rows, bool cols)
{
    const struct ts_tile_decl *a = call->tile[0], *b = call->tile[other];
    const struct ts_ref *ref = call->insn->ref;
    return a && b && !ref[0].has_offset && !ref[other].has_offset &&
           ((rows && a->vrows != b->vrows) || (cols && a->vcols != b->vcols));
}

static void check_vector(const struct call *call)
{
    const struct about about = call->about;
    const enum ts_op op = call->insn->op;
    const bool selects = op == TS_OP_TSEL; // its first source is a mask
    const struct ts_tile_decl *d = call->tile[0], *a = call->tile[selects ? 3 : 1],
                              *b = call->tile[2], *mask = call->tile[1];
    const bool vector = call->vector,
               layouts = d->layout != (a ? a->layout : d->layout) || (b && b->layout != d->layout);
    // What reduces, or spreads a column or a row, has fewer of them.
    const bool rows1 = op != TS_OP_TCOLSUM,
               cols1 = op != TS_OP_TROWMAX && op != TS_OP_TROWSUM && op != TS_OP_TROWEXPAND,
               rows2 = op != TS_OP_TCOLEXPANDADD && op != TS_OP_TCOLEXPANDMUL,
               cols2 = op < TS_OP_TROWEXPANDADD || op > TS_OP_TROWEXPANDDIV;
#define RULES_VECTOR
#include "config/pipe_rules.def"
}

static void check_operands(const struct call *call)
{
    const struct about about = call->about;
    const struct ts_insn *insn = call->insn;
    const enum ts_op op = insn->op;
    const bool vector = call->vector;
    const struct ts_tile_decl *d = call->tile[0], *a = call->tile[1], *b = call->tile[2];
    const struct ts_tensor_decl *tensors = about.self->machine.tensors,
                                *tensor = tensors ? &tensors[insn->ref[op == TS_OP_TLOAD].id]
                                                  : NULL;
    for (int i = 0; i < 4; i++) {
        const struct ts_tile_decl *tile = call->tile[i];
#define RULES_OPERAND
#include "config/pipe_rules.def"
    }
    if (op >= TS_OP_TMATMUL && op <= TS_OP_TMATMUL_BIAS) {
#define RULES_MATMUL
#include "config/pipe_rules.def"
    } else if (op == TS_OP_TLOAD) {
#define RULES_LOAD
#include "config/pipe_rules.def"
    } else if (op == TS_OP_TSTORE) {
#define RULES_STORE
#include "config/pipe_rules.def"
    } else if (op == TS_OP_TMOV || op == TS_OP_TEXTRACT || op == TS_OP_TINSERT) {
#define RULES_MOVE
#include "config/pipe_rules.def"
    } else {
        check_vector(call);
    }
}

static void check_call(struct ts_pipe_program *self, const struct ts_insn *insn, bool vector)
{
    const struct ts_machine *machine = &self->machine;
    struct call call = {.about = {.self = self, .line = insn->line, .object = "", .call = insn},
                        .insn = insn,
                        .vector = vector};
    for (int i = 0; i < 4; i++)
        call.tile[i] = insn->ref[i].used && !insn->ref[i].tensor ? &machine->tiles[insn->ref[i].id]
                                                                 : NULL;
    const struct ts_tile_decl *first = call.tile[insn->op == TS_OP_TSTORE];
    call.about.tile = first ? first->name : NULL;
    if (insn->scales.used)
        check_scales(call.about, &machine->tiles[insn->scales.id]);
    if (insn->op >= TS_OP_TLOAD && insn->op < TS_OP_STOP)
        check_operands(&call);
    if (insn->op < TS_OP_TPUSH || insn->op > TS_OP_TFREE)
        return;
    call.about.object = machine->pipes[insn->pipe].name;
    check_ring_call(&call, &machine->pipes[insn->pipe]);
}

void ts_pipe_check(struct ts_pipe_program *self)
{
    struct ts_machine *machine = &self->machine;
    for (uint32_t i = 0; i < machine->pipe_count; i++)
        check_pipe(self, &machine->pipes[i]);
    for (uint32_t i = 0; i < machine->pipe_count; i++)
        for (uint32_t j = 0; j < i; j++)
            check_alias(self, &machine->pipes[j], &machine->pipes[i]);
    for (uint32_t i = 0; i < machine->tile_count; i++)
        check_tile(self, &machine->tiles[i]);
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < machine->code[side].count; i++)
            check_pair(self, &machine->code[side], &machine->code[side].insn[i]);
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < machine->code[side].count; i++)
            check_call(self, &machine->code[side].insn[i], side);
}
