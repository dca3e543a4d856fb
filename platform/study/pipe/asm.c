// The assembler of TPUSH/TPOP programs: one line, one instruction; blocks of for, if and else.
//
//   for i 0 tiles                          tload a1[i % 2], a(i * 16, 0)
//     sync mte2 mte1 0                     tpush acc, c2v, up_down alloc=(i % 2 == 0)
//   end                                    tpop  out, c2v, up_down
//
// Operands: NAME, NAME[index], NAME(row, col), NAME(row, col, rows, cols). Commas between operands
// may be left out. Switches behind the operands: t uf relu cast=TYPE scale=X scales=TILE sub=N
// split=N alloc= record= wait= free=, noalloc norecord nowait nofree.
#include "platform/study/pipe/lex.h"
#include "platform/study/pipe/program.h"

struct assembler {
    struct ts_pipe_program *program;
    struct ts_pipe_scope scope;
    struct ts_error *error;
    int number;             // line of the file
    int column;             // 0: not known
    struct ts_reader words; // of the line
    unsigned side;
    bool failed;
};

// An error at the line; returns false.
static bool bad(struct assembler *self, const char *what, const char *which)
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

static const struct ts_token *peek(const struct assembler *self)
{
    return ts_peek(&self->words, 0);
}

static bool accept(struct assembler *self, const char *sign)
{
    return ts_accept(&self->words, sign);
}

static bool expect(struct assembler *self, const char *sign)
{
    return accept(self, sign) || bad(self, "expected ", sign);
}

static bool word(struct assembler *self, char *to, size_t room)
{
    if (peek(self)->kind != TS_TOKEN_NAME || peek(self)->length >= room)
        return false;
    ts_word(ts_next(&self->words), to, room);
    return true;
}

// The words go on behind what was read as text.
static bool go_on(struct assembler *self, const char *at)
{
    const struct ts_token *last = peek(self);
    while (peek(self)->kind != TS_TOKEN_END && peek(self)->at < at)
        last = ts_next(&self->words);
    return last->at >= at || last->at + last->length <= at || bad(self, "cannot read ", at);
}

static bool expression(struct assembler *self, struct ts_expr *expr)
{
    char why[100];
    const char *at = peek(self)->at;
    if (!ts_pipe_expr(&self->scope, &at, expr, why, sizeof why))
        return bad(self, why, "");
    return go_on(self, at);
}

static bool number(struct assembler *self, float *value)
{
    char *end;
    *value = strtof(peek(self)->at, &end);
    if (end != peek(self)->at)
        return go_on(self, end);
    struct ts_expr expr;
    if (!expression(self, &expr))
        return false;
    *value = (float)expr.value;
    return expr.constant || bad(self, "a scalar operand must be a number", "");
}

static bool choose(struct assembler *self, const char *what, const char *const *names,
                   uint8_t *chosen)
{
    char name[32];
    if (!word(self, name, sizeof name))
        return bad(self, "expected ", what);
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0) {
            *chosen = (uint8_t)i;
            return true;
        }
    return bad(self, "no such thing here: ", name);
}

// --- operands ---

static bool reference(struct assembler *self, struct ts_ref *ref, bool tile, bool tensor)
{
    const struct ts_machine *machine = &self->program->machine;
    char name[32];
    if (!word(self, name, sizeof name))
        return bad(self, tile ? "expected a tile" : "expected a tensor", "");
    int id = tile ? ts_pipe_find_tile(machine, name) : -1;
    if (id < 0 && tensor) {
        id = ts_pipe_find_tensor(machine, name);
        ref->tensor = id >= 0;
    }
    if (id < 0)
        return bad(self,
                   !tile    ? "no tensor is called "
                   : tensor ? "no tile or tensor is called "
                            : "no tile is called ",
                   name);
    ref->used = true;
    ref->id = (uint16_t)id;
    ref->index.constant = true;
    if (accept(self, "[")) {
        if (ref->tensor)
            return bad(self, "only tiles have an index in []: ", name);
        if (!expression(self, &ref->index) || !expect(self, "]"))
            return false;
        if (ref->index.constant &&
            (ref->index.value < 0 || ref->index.value >= machine->tiles[id].count))
            return bad(self, "index beyond the tiles of ", name);
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

static bool variable(struct assembler *self, uint8_t *var)
{
    char name[32];
    if (!word(self, name, sizeof name))
        return bad(self, "expected a variable", "");
    int free_var = -1;
    for (int i = 0; i < TS_VARS; i++) {
        if (self->scope.vars[i] && strcmp(self->scope.vars[i], name) == 0) {
            if (i < TS_VAR_FIRST)
                return bad(self, "cannot be changed: ", name);
            *var = (uint8_t)i;
            return true;
        }
        if (self->scope.vars[i] == NULL && free_var < 0 && i >= TS_VAR_FIRST)
            free_var = i;
    }
    if (free_var < 0)
        return bad(self, "too many variables: ", name);
    snprintf(self->scope.text[free_var], sizeof self->scope.text[free_var], "%s", name);
    self->scope.vars[free_var] = self->scope.text[free_var];
    *var = (uint8_t)free_var;
    return true;
}

static bool lane(struct assembler *self, uint8_t *chosen)
{
    if (!choose(self, "a pipe of the core", ts_lane_names, chosen))
        return false;
    if (*chosen != TS_LANE_ALL && !ts_lane_exists(*chosen, self->side ? TS_CORE_AIV0 : TS_CORE_AIC))
        return bad(self, self->side ? "a Vector core has no pipe " : "the Cube core has no pipe ",
                   ts_lane_names[*chosen]);
    return true;
}

static bool pipe_name(struct assembler *self, struct ts_insn *insn)
{
    char name[32];
    if (!word(self, name, sizeof name))
        return bad(self, "expected a pipe", "");
    int id = ts_pipe_find_pipe(&self->program->machine, name);
    if (id < 0)
        return bad(self, "no pipe is called ", name);
    insn->pipe = (uint16_t)id;
    return true;
}

// The split may be left out: the pipe's own.
static bool split(struct assembler *self, struct ts_insn *insn)
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

static bool dtype(struct assembler *self, enum ts_dtype *type)
{
    uint8_t chosen = 0;
    if (!choose(self, "a type", ts_dtype_names, &chosen))
        return false;
    *type = (enum ts_dtype)chosen;
    return true;
}

static bool constant(struct assembler *self, int64_t low, int64_t high, const char *what,
                     int64_t *value)
{
    struct ts_expr expr;
    if (!expression(self, &expr))
        return false;
    *value = expr.value;
    return (expr.constant && expr.value >= low && expr.value <= high) || bad(self, what, "");
}

static bool option(struct assembler *self, struct ts_insn *insn)
{
    int64_t number_of = 0;
    char name[32];
    if (!word(self, name, sizeof name))
        return bad(self, "cannot read ", peek(self)->at);
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
    return bad(self, "unknown option ", name);
}

// TPOP from a control pipe has a variable where others have a tile.
static bool pops_control(struct assembler *self)
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

static bool operands(struct assembler *self, struct ts_insn *insn)
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

static bool read_line(struct assembler *self, struct ts_insn *insn)
{
    char name[32];
    if (!word(self, name, sizeof name))
        return bad(self, "cannot read ", peek(self)->at);
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
    return bad(self, "no such instruction ", text);
}

// --- blocks ---

struct block {
    uint32_t open, other; // FOR or IF; ELSE + 1, or 0
};

static bool open_or_close(struct assembler *self, struct ts_insn *code, uint32_t at,
                          struct block *blocks, uint32_t *depth, uint32_t *loops)
{
    struct ts_insn *insn = &code[at];
    if (insn->op == TS_OP_FOR || insn->op == TS_OP_IF) {
        if (*depth == 16 || (insn->op == TS_OP_FOR && ++*loops > TS_LOOPS))
            return bad(self, "nested too deep", "");
        blocks[(*depth)++] = (struct block){at, 0};
        return true;
    }
    if (insn->op != TS_OP_END && insn->op != TS_OP_ELSE)
        return true;
    if (*depth == 0)
        return bad(self, ts_ops[insn->op].name, " without a beginning");
    struct block *block = &blocks[*depth - 1];
    if (insn->op == TS_OP_ELSE) {
        if (code[block->open].op != TS_OP_IF || block->other)
            return bad(self, "else without an if", "");
        block->other = at + 1;
        code[block->open].jump = at + 1;
        return true;
    }
    --*depth;
    if (code[block->open].op == TS_OP_FOR) {
        --*loops;
        code[block->open].jump = at + 1;
        insn->jump = block->open + 1;
        insn->var = code[block->open].var;
    } else if (block->other) {
        code[block->other - 1].jump = at;
    } else {
        code[block->open].jump = at;
    }
    return true;
}

// --- the program of one side ---

struct program_text {
    struct block blocks[16];
    uint32_t depth, loops, room;
};

// One instruction, or a line that has none.
static bool add_line(struct assembler *line, struct program_text *text, struct ts_code_text *code,
                     const char *at, size_t length)
{
    char buffer[400];
    if (length >= sizeof buffer)
        return bad(line, "line too long", "");
    memcpy(buffer, at, length);
    buffer[length] = 0;
    buffer[strcspn(buffer, "#")] = 0;
    ts_reader_cut(&line->words, buffer);
    if (ts_peek(&line->words, 0)->kind == TS_TOKEN_END)
        return true;
    TS_MORE(code->insn, code->count + 1, text->room, "the pipe program");
    struct ts_insn *insn = &code->insn[code->count];
    memset(insn, 0, sizeof *insn);
    if (!read_line(line, insn) ||
        !open_or_close(line, code->insn, code->count, text->blocks, &text->depth, &text->loops))
        return false;
    code->count++;
    return true;
}

static bool add_text(struct assembler *line, struct program_text *text, struct ts_code_text *code,
                     const char *at)
{
    for (; *at; line->number++) {
        size_t length = strcspn(at, "\n");
        if (!add_line(line, text, code, at, length))
            return false;
        at += length + (at[length] == '\n');
    }
    return true;
}

static bool add_list(struct assembler *line, struct program_text *text, struct ts_code_text *code,
                     struct ts_yaml_node list)
{
    for (size_t i = 0; i < ts_yaml_count(list); i++) {
        struct ts_yaml_node item = ts_yaml_at(list, i);
        const char *at = ts_yaml_text(item, "");
        line->number = ts_yaml_line(item);
        line->column = (int)item.node->start_mark.column + 1;
        if (!add_line(line, text, code, at, strlen(at)))
            return false;
    }
    return true;
}

enum ts_code ts_pipe_assemble(struct ts_pipe_program *self, unsigned side, struct ts_yaml_node node,
                              struct ts_error *error)
{
    static const char *const builtin[] = {"sb", "cluster", "clusters", "dispatch"};
    struct assembler line = {
        .program = self, .error = error, .side = side, .words = {.dialect = TS_TEXT_ASM}};
    for (int i = 0; i < TS_VAR_FIRST; i++)
        line.scope.vars[i] = builtin[i];
    line.scope.program = self;
    struct ts_code_text *code = &self->machine.code[side];
    struct program_text text = {.depth = 0};
    // The text of a block scalar begins on the line after its key.
    line.number = node.node ? ts_yaml_line(node) + 1 : 0;
    bool good = node.node == NULL ||
                (ts_yaml_is_list(node) ? add_list(&line, &text, code, node)
                                       : add_text(&line, &text, code, ts_yaml_text(node, "")));
    if (good && text.depth) {
        const struct ts_insn *open = &code->insn[text.blocks[text.depth - 1].open];
        line.number = open->line;
        line.column = open->column;
        good = bad(&line, ts_ops[open->op].name, " without end");
    }
    free(line.words.tokens);
    if (!good || error->code != TS_OK)
        return error->code;
    for (int i = 0; i < TS_VARS; i++)
        snprintf(self->names[side][i], sizeof self->names[side][i], "%s",
                 line.scope.vars[i] ? line.scope.vars[i] : "");
    code->insn = ts_pipe_or_die(realloc(code->insn, (code->count + 1) * sizeof *code->insn));
    memset(&code->insn[code->count], 0, sizeof *code->insn);
    code->insn[code->count++].op = TS_OP_STOP;
    return TS_OK;
}
