// The assembler of TPUSH/TPOP programs: one line, one instruction.
//
//   for i 0 tiles                          tload a1[i % 2], a(i * 16, 0)
//     sync mte2 mte1 0                     tpush acc, c2v, up_down alloc=(i % 2 == 0)
//   end                                    tpop  out, c2v, up_down
//
// Operands: NAME, NAME[index], NAME(row, col), NAME(row, col, rows, cols). Commas between operands
// may be left out. Switches behind the operands: t uf relu cast=TYPE scale=X scales=TILE sub=N
// split=N alloc= record= wait= free=, noalloc norecord nowait nofree.
#include "platform/study/pipe/asm.h"

bool ts_asm_bad(struct ts_asm *self, const char *what, const char *which)
{
    char column[16] = "";
    if (self->column)
        snprintf(column, sizeof column, "%d: ", self->column);
    if (!self->failed)
        ts_fail(self->error, TS_SETUP, "%s:%d:%s%s%s%.60s", self->program->file, self->number,
                column, self->column ? "" : " ", what, which);
    self->failed = true;
    return false;
}

// --- words ---

static const struct ts_token *peek(const struct ts_asm *self)
{
    return ts_peek(&self->words, 0);
}

static bool accept(struct ts_asm *self, const char *sign)
{
    return ts_accept(&self->words, sign);
}

static bool expect(struct ts_asm *self, const char *sign)
{
    return accept(self, sign) || ts_asm_bad(self, "expected ", sign);
}

static bool word(struct ts_asm *self, char *to, size_t room)
{
    if (peek(self)->kind != TS_TOKEN_NAME || peek(self)->length >= room)
        return false;
    ts_word(ts_next(&self->words), to, room);
    return true;
}

// The words go on behind what was read as text.
static bool go_on(struct ts_asm *self, const char *at)
{
    const struct ts_token *last = peek(self);
    while (peek(self)->kind != TS_TOKEN_END && peek(self)->at < at)
        last = ts_next(&self->words);
    return last->at >= at || last->at + last->length <= at || ts_asm_bad(self, "cannot read ", at);
}

static bool expression(struct ts_asm *self, struct ts_expr *expr)
{
    char why[100];
    const char *at = peek(self)->at;
    if (!ts_pipe_expr(&self->scope, &at, expr, why, sizeof why))
        return ts_asm_bad(self, why, "");
    return go_on(self, at);
}

static bool number(struct ts_asm *self, float *value)
{
    char *end;
    *value = strtof(peek(self)->at, &end);
    if (end != peek(self)->at)
        return go_on(self, end);
    struct ts_expr expr;
    if (!expression(self, &expr))
        return false;
    *value = (float)expr.value;
    return expr.constant || ts_asm_bad(self, "a scalar operand must be a number", "");
}

static bool choose(struct ts_asm *self, const char *what, const char *const *names, uint8_t *chosen)
{
    char name[32];
    if (!word(self, name, sizeof name))
        return ts_asm_bad(self, "expected ", what);
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0) {
            *chosen = (uint8_t)i;
            return true;
        }
    return ts_asm_bad(self, "no such thing here: ", name);
}

// --- operands ---

static bool reference(struct ts_asm *self, struct ts_ref *ref, bool tile, bool tensor)
{
    const struct ts_machine *machine = &self->program->machine;
    char name[32];
    if (!word(self, name, sizeof name))
        return ts_asm_bad(self, tile ? "expected a tile" : "expected a tensor", "");
    int id = tile ? ts_pipe_find_tile(machine, name) : -1;
    if (id < 0 && tensor) {
        id = ts_pipe_find_tensor(machine, name);
        ref->tensor = id >= 0;
    }
    if (id < 0)
        return ts_asm_bad(self,
                          !tile    ? "no tensor is called "
                          : tensor ? "no tile or tensor is called "
                                   : "no tile is called ",
                          name);
    ref->used = true;
    ref->id = (uint16_t)id;
    ref->index.constant = true;
    if (accept(self, "[")) {
        if (ref->tensor)
            return ts_asm_bad(self, "only tiles have an index in []: ", name);
        if (!expression(self, &ref->index) || !expect(self, "]"))
            return false;
        if (ref->index.constant &&
            (ref->index.value < 0 || ref->index.value >= machine->tiles[id].count))
            return ts_asm_bad(self, "index beyond the tiles of ", name);
    }
    if (!accept(self, "("))
        return true;
    ref->has_offset = true;
    if (!expression(self, &ref->row) || !expect(self, ",") || !expression(self, &ref->col))
        return false;
    if (accept(self, ",")) {
        ref->has_shape = true;
        if (!expression(self, &ref->rows) || !expect(self, ",") || !expression(self, &ref->cols))
            return false;
    }
    return expect(self, ")");
}

static bool variable(struct ts_asm *self, uint8_t *var)
{
    char name[32];
    if (!word(self, name, sizeof name))
        return ts_asm_bad(self, "expected a variable", "");
    int free_var = -1;
    for (int i = 0; i < TS_VARS; i++) {
        if (self->scope.vars[i] && strcmp(self->scope.vars[i], name) == 0) {
            if (i < TS_VAR_FIRST)
                return ts_asm_bad(self, "cannot be changed: ", name);
            *var = (uint8_t)i;
            return true;
        }
        if (self->scope.vars[i] == NULL && free_var < 0 && i >= TS_VAR_FIRST)
            free_var = i;
    }
    if (free_var < 0)
        return ts_asm_bad(self, "too many variables: ", name);
    snprintf(self->scope.text[free_var], sizeof self->scope.text[free_var], "%s", name);
    self->scope.vars[free_var] = self->scope.text[free_var];
    *var = (uint8_t)free_var;
    return true;
}

static bool lane(struct ts_asm *self, uint8_t *chosen)
{
    if (!choose(self, "a pipe of the core", ts_lane_names, chosen))
        return false;
    if (*chosen != TS_LANE_ALL && !ts_lane_exists(*chosen, self->side ? TS_CORE_AIV0 : TS_CORE_AIC))
        return ts_asm_bad(self,
                          self->side ? "a Vector core has no pipe " : "the Cube core has no pipe ",
                          ts_lane_names[*chosen]);
    return true;
}

static bool pipe_name(struct ts_asm *self, struct ts_insn *insn)
{
    char name[32];
    if (!word(self, name, sizeof name))
        return ts_asm_bad(self, "expected a pipe", "");
    int id = ts_pipe_find_pipe(&self->program->machine, name);
    if (id < 0)
        return ts_asm_bad(self, "no pipe is called ", name);
    insn->pipe = (uint16_t)id;
    return true;
}

// The split may be left out: the pipe's own.
static bool split(struct ts_asm *self, struct ts_insn *insn)
{
    const size_t before = self->words.at;
    char name[32];
    insn->split = self->program->machine.pipes[insn->pipe].no_split ? TS_NO_SPLIT : TS_UP_DOWN;
    if (!word(self, name, sizeof name))
        return true;
    for (int i = 0; ts_split_names[i]; i++)
        if (strcmp(ts_split_names[i], name) == 0) {
            insn->split = (enum ts_split)i;
            return true;
        }
    self->words.at = before;
    return true;
}

// --- what follows the operands ---

static bool dtype(struct ts_asm *self, enum ts_dtype *type)
{
    uint8_t chosen = 0;
    if (!choose(self, "a type", ts_dtype_names, &chosen))
        return false;
    *type = (enum ts_dtype)chosen;
    return true;
}

static bool constant(struct ts_asm *self, int64_t low, int64_t high, const char *what,
                     int64_t *value)
{
    struct ts_expr expr;
    if (!expression(self, &expr))
        return false;
    *value = expr.value;
    return (expr.constant && expr.value >= low && expr.value <= high) || ts_asm_bad(self, what, "");
}

static bool option(struct ts_asm *self, struct ts_insn *insn)
{
    int64_t number_of = 0;
    char name[32];
    if (!word(self, name, sizeof name))
        return ts_asm_bad(self, "cannot read ", peek(self)->at);
    bool value = accept(self, "=");
    for (int i = 0; i < TS_SWITCHES; i++) {
        if (value && strcmp(name, ts_switch_names[i]) == 0) {
            insn->has_switch[i] = true;
            return expression(self, &insn->on[i]);
        }
        if (!value && strncmp(name, "no", 2) == 0 && strcmp(name + 2, ts_switch_names[i]) == 0) {
            insn->has_switch[i] = true;
            insn->on[i] = (struct ts_expr){.constant = true};
            return true;
        }
    }
#define TS_PIPE_OPTION(word, with_value, of_fixpipe, read)      \
    if (value == with_value && strcmp(name, #word) == 0) {      \
        insn->fixpipe |= of_fixpipe && insn->op == TS_OP_TPUSH; \
        return read;                                            \
    }
#include "config/tpipe.def"
    return ts_asm_bad(self, "unknown option ", name);
}

// TPOP from a control pipe has a variable where others have a tile.
static bool pops_control(struct ts_asm *self)
{
    const size_t before = self->words.at;
    const struct ts_machine *machine = &self->program->machine;
    char name[32];
    int id = -1;
    if (word(self, name, sizeof name)) {
        accept(self, ",");
        id = word(self, name, sizeof name) ? ts_pipe_find_pipe(machine, name) : -1;
    }
    self->words.at = before;
    return id >= 0 && machine->pipes[id].direction == TS_DIR_V2C_CTRL;
}

static bool operands(struct ts_asm *self, struct ts_insn *insn)
{
    int refs = 0, exprs = 0, lanes = 0;
    const char *pattern = ts_ops[insn->op].pattern;
    bool may_be_tensor = insn->op == TS_OP_TPUSH || insn->op == TS_OP_TPOP;
    if (insn->op == TS_OP_TFREE) { // the tensor form names its tensor first
        const size_t before = self->words.at;
        char name[32];
        if (word(self, name, sizeof name) &&
            ts_pipe_find_tensor(&self->program->machine, name) >= 0) {
            self->words.at = before;
            if (!reference(self, &insn->ref[0], false, true))
                return false;
            accept(self, ",");
        } else {
            self->words.at = before;
        }
    }
    if (insn->op == TS_OP_TPOP && pops_control(self))
        pattern = "vPx";
    for (const char *p = pattern; *p; p++) {
        bool good = true;
        switch (*p) {
#define TS_PIPE_OPERAND(letter, read) \
    case letter:                      \
        good = read;                  \
        break;
#include "config/tpipe.def"
        }
        if (!good)
            return false;
        accept(self, ",");
    }
    // EN_UNIT_FLAG of a pipe is for its pushes from the accumulator.
    if (insn->op == TS_OP_TPUSH && !insn->ref[0].tensor && self->side == 0)
        insn->unit_flag = self->program->machine.pipes[insn->pipe].unit_flag;
    while (peek(self)->kind != TS_TOKEN_END) {
        if (!option(self, insn))
            return false;
        accept(self, ",");
    }
    return true;
}

bool ts_asm_line(struct ts_asm *self, struct ts_insn *insn)
{
    char name[32];
    if (!word(self, name, sizeof name))
        return ts_asm_bad(self, "cannot read ", peek(self)->at);
    const char *names[TS_OP_COUNT];
    size_t count = 0;
    for (int op = 0; op < TS_OP_STOP; op++) {
        names[count++] = ts_ops[op].name;
        if (strcmp(ts_ops[op].name, name) == 0) {
            insn->op = (enum ts_op)op;
            insn->line = (uint16_t)self->number;
            insn->column = (uint16_t)self->column;
            return operands(self, insn);
        }
    }
    names[count] = NULL;
    const char *near = ts_nearest(name, names);
    char text[80];
    snprintf(text, sizeof text, near ? "'%s': did you mean '%s'?" : "'%s'", name, near ? near : "");
    return ts_asm_bad(self, "no such instruction ", text);
}
