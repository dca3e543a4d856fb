// Instructions of a program as text (write.h): expressions, operands, calls, blocks.
#include "platform/study/pipe/read.h"
#include "platform/study/pipe/write.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 400, ITEMS = 8 };

struct writer {
    const struct ts_pipe_program *program;
    enum ts_pipe_form form;
    unsigned side, depth;
    FILE *file;
    // C++: what the switches of each pipe were last set to.
    char (*state)[TS_SWITCHES][TEXT];
    bool known[TS_VARS]; // C++: declared
};

// --- expressions ---

static const char *variable(const struct writer *self, int64_t id, char text[40])
{
    static const char *const builtin[][TS_FORMS] = {
        {"sb", "pto.get_subblock_idx", "get_subblockid()"},
        {"cluster", "pto.get_block_idx", "get_block_idx()"},
        {"clusters", "pto.get_block_num", "get_block_num()"},
        {"dispatch", "dispatch", "dispatch"}};
    if (id < TS_VAR_FIRST)
        return builtin[id][self->form];
    snprintf(text, 40, "%s%s", self->form == TS_FORM_PTO ? "%" : "",
             self->program->names[self->side][id]);
    return text;
}

struct part {
    char text[TEXT];
    int level;
};

static void boxed(const struct part *part, int level, char *to)
{
    snprintf(to, TEXT, part->level < level ? "(%.390s)" : "%s", part->text);
}

static void expression(const struct writer *self, const struct ts_expr *expr, char *to)
{
    struct part stack[TS_EXPR_STACK] = {0};
    unsigned top = 0;
    if (expr->constant) {
        snprintf(to, TEXT, "%lld", (long long)expr->value);
        return;
    }
    for (uint32_t i = expr->first; i < expr->first + expr->count; i++) {
        const struct ts_expr_word *word = &self->program->machine.words[i];
        char left[TEXT], right[TEXT], name[40];
        struct part *part = &stack[top];
        const struct ts_expr_operator *op = &ts_expr_operators[word->op];
        switch (word->op) {
        case TS_EXPR_NUMBER:
            snprintf(part->text, TEXT, "%lld", (long long)word->value);
            part->level = TS_EXPR_LEVELS;
            top++;
            break;
        case TS_EXPR_NAME:
            snprintf(part->text, TEXT, "%s", variable(self, word->value, name));
            part->level = TS_EXPR_LEVELS;
            top++;
            break;
        case TS_EXPR_NEG:
        case TS_EXPR_NOT:
            boxed(&stack[top - 1], TS_EXPR_LEVELS, left);
            snprintf(stack[top - 1].text, TEXT, "%c%.390s", word->op == TS_EXPR_NEG ? '-' : '!',
                     left);
            stack[top - 1].level = TS_EXPR_LEVELS;
            break;
        default:
            // Operators of one level group to the left.
            boxed(&stack[top - 2], op->level, left);
            boxed(&stack[top - 1], op->level + 1, right);
            snprintf(stack[top - 2].text, TEXT, "%.190s %s %.190s", left, op->text, right);
            stack[top - 2].level = op->level;
            top--;
        }
    }
    snprintf(to, TEXT, "%s", stack[0].text);
}

// --- operands ---

static void reference(const struct writer *self, const struct ts_ref *ref, char *to)
{
    const struct ts_machine *machine = &self->program->machine;
    char part[4][TEXT], index[TEXT + 4] = "";
    const char *name = ref->tensor ? machine->tensors[ref->id].name : machine->tiles[ref->id].name;
    if (!ref->tensor && (!ref->index.constant || ref->index.value)) {
        expression(self, &ref->index, part[0]);
        snprintf(index, sizeof index, "[%s]", part[0]);
    }
    int used = snprintf(to, TEXT, "%s%s%s", self->form == TS_FORM_PTO ? "%" : "", name, index);
    if (!ref->has_offset)
        return;
    expression(self, &ref->row, part[0]);
    expression(self, &ref->col, part[1]);
    used += snprintf(to + used, TEXT - (size_t)used, "(%.90s, %.90s", part[0], part[1]);
    if (ref->has_shape) {
        expression(self, &ref->rows, part[2]);
        expression(self, &ref->cols, part[3]);
        used += snprintf(to + used, TEXT - (size_t)used, ", %.60s, %.60s", part[2], part[3]);
    }
    snprintf(to + used, TEXT - (size_t)used, ")");
}

struct items {
    char text[ITEMS][TEXT];
    unsigned count;
    bool dest; // the first is a result
    char pipe[40], split[24];
};

// The operands by the operation's pattern; pipe and split apart.
static void gather(const struct writer *self, const struct ts_insn *insn, struct items *items)
{
    const struct ts_machine *machine = &self->program->machine;
    int refs = 0, exprs = 0, lanes = 0;
    if (insn->op == TS_OP_TFREE && insn->ref[0].used)
        reference(self, &insn->ref[0], items->text[items->count++]);
    for (const char *p = ts_op_pattern(insn->op); *p; p++) {
        char *to = items->text[items->count];
        if (*p == 'P')
            snprintf(items->pipe, sizeof items->pipe, "%s%s", self->form == TS_FORM_PTO ? "%" : "",
                     machine->pipes[insn->pipe].name);
        else if (*p == 'x')
            snprintf(items->split, sizeof items->split, "%s", ts_split_names[insn->split]);
        else if (*p == 's')
            snprintf(to, TEXT, "%.9g", (double)insn->scalar);
        else if (*p == 'e')
            expression(self, &insn->expr[exprs++], to);
        else if (*p == 'p')
            snprintf(to, TEXT, "%s", ts_lane_names[insn->lane[lanes++]]);
        else if (*p == 'v' || !insn->ref[refs].used) // a control word's variable
            snprintf(to, TEXT, "%s%s", self->form == TS_FORM_PTO ? "%" : "",
                     self->program->names[self->side][insn->var]);
        else
            reference(self, &insn->ref[refs++], to);
        items->count += *p != 'P' && *p != 'x';
    }
    items->dest = strchr("DT", ts_op_pattern(insn->op)[0]) && insn->op != TS_OP_TPUSH;
}

// --- options ---

struct options {
    const char *key[12];
    char value[12][TEXT]; // "": a word alone
    unsigned count;
};

static void option(struct options *self, const char *key, const char *value)
{
    snprintf(self->value[self->count], TEXT, "%s", value);
    self->key[self->count++] = key;
}

static void gather_options(const struct writer *self, const struct ts_insn *insn,
                           struct options *options)
{
    char text[TEXT];
    for (int i = 0; i < TS_SWITCHES; i++)
        if (insn->has_switch[i] && self->form != TS_FORM_CPP) {
            expression(self, &insn->on[i], text);
            option(options, ts_switch_names[i], text);
        }
    if (insn->transpose)
        option(options, "t", "");
    bool of_pipe = insn->op == TS_OP_TPUSH && self->side == 0 &&
                   self->program->machine.pipes[insn->pipe].unit_flag;
    if (insn->unit_flag && !of_pipe)
        option(options, "uf", "");
    if (insn->relu)
        option(options, "relu", "");
    if (insn->has_cast)
        option(options, "cast", ts_dtype_names[insn->cast]);
    if (insn->has_scale) {
        snprintf(text, sizeof text, "%.9g", (double)insn->scale);
        option(options, "scale", text);
    }
    if (insn->scales.used) {
        reference(self, &insn->scales, text);
        option(options, "scales", text);
    }
    bool fixpipe = insn->relu || insn->has_cast || insn->has_scale || insn->scales.used;
    if (insn->target || (insn->fixpipe && !fixpipe)) {
        snprintf(text, sizeof text, "%u", insn->target);
        option(options, "sub", text);
    }
}

// --- one instruction in each form ---

static void indent(const struct writer *self)
{
    for (unsigned i = 0; i <= self->depth; i++)
        fputs(self->form == TS_FORM_CPP ? "    " : "  ", self->file);
    if (self->form == TS_FORM_PTO)
        fputs("  ", self->file);
}

static void write_yaml(const struct writer *self, const struct ts_insn *insn,
                       const struct items *items, const struct options *options)
{
    const char *pattern = ts_op_pattern(insn->op);
    unsigned next = 0;
    fputs(ts_op_name(insn->op), self->file);
    const char *before = " ";
    if (insn->op == TS_OP_TFREE && insn->ref[0].used) {
        fprintf(self->file, " %s", items->text[next++]);
        before = ", ";
    }
    for (const char *p = pattern; *p; p++) {
        const char *text = *p == 'P' ? items->pipe : *p == 'x' ? items->split : items->text[next++];
        bool box = *p == 'e' && strspn(text, "0123456789") < strlen(text);
        fprintf(self->file, box ? "%s(%s)" : "%s%s", before, text);
        before = ", ";
    }
    for (unsigned i = 0; i < options->count; i++)
        fprintf(self->file,
                options->value[i][0] == 0                               ? " %s"
                : strchr("arwf", options->key[i][0]) && i < TS_SWITCHES ? " %s=(%s)"
                                                                        : " %s=%s",
                options->key[i], options->value[i]);
    fputc('\n', self->file);
}

static void write_pto(const struct writer *self, const struct ts_insn *insn,
                      const struct items *items, const struct options *options)
{
    bool sync = insn->op >= TS_OP_SET && insn->op <= TS_OP_XWAIT;
    fprintf(self->file, "pto.%s", ts_op_spelling(TS_TEXT_PTO, insn->op));
    if (sync) {
        for (unsigned i = 0; i < items->count; i++)
            fprintf(self->file, "%s%s", i ? ", " : "[", items->text[i]);
        fputs("]\n", self->file);
        return;
    }
    unsigned first = items->dest && items->count;
    if (items->count > first) {
        fputs(" ins(", self->file);
        for (unsigned i = first; i < items->count; i++)
            fprintf(self->file, "%s%s", i > first ? ", " : "", items->text[i]);
        fputc(')', self->file);
    }
    if (first)
        fprintf(self->file, " outs(%s)", items->text[0]);
    if (items->pipe[0])
        fprintf(self->file, " pipe(%s)", items->pipe);
    bool split = items->split[0] != 0;
    if (split || options->count) {
        fputs(" {", self->file);
        if (split)
            fprintf(self->file, "split = %s", items->split);
        for (unsigned i = 0; i < options->count; i++)
            fprintf(self->file, options->value[i][0] ? "%s%s = %s" : "%s%s", i || split ? ", " : "",
                    options->key[i], options->value[i]);
        fputc('}', self->file);
    }
    fputc('\n', self->file);
}

static bool ever_switched(const struct writer *self, uint16_t pipe, unsigned which)
{
    const struct ts_code_text *code = &self->program->machine.code[self->side];
    for (uint32_t i = 0; i < code->count; i++)
        if (code->insn[i].pipe == pipe && code->insn[i].has_switch[which])
            return true;
    return false;
}

// setAllocateStatus and the like. In a loop the last setting may be of another turn: each call has
// its own.
static void write_switches(struct writer *self, const struct ts_insn *insn, const char *pipe)
{
    static const char *const names[] = {"prod.setAllocateStatus", "prod.setRecordStatus",
                                        "cons.setWaitStatus", "cons.setFreeStatus"};
    bool produces = insn->op == TS_OP_TPUSH || insn->op == TS_OP_TALLOC;
    bool consumes = insn->op == TS_OP_TPOP || insn->op == TS_OP_TFREE;
    bool on = ts_ring_switch_default(&self->program->machine.pipes[insn->pipe]);
    for (unsigned i = 0; i < TS_SWITCHES; i++) {
        char text[TEXT];
        char *state = self->state[insn->pipe][i];
        if (!(i < TS_SWITCH_WAIT ? produces : consumes) || !ever_switched(self, insn->pipe, i))
            continue;
        snprintf(text, sizeof text, "%s", on ? "true" : "false");
        if (insn->has_switch[i])
            expression(self, &insn->on[i], text);
        if (self->depth == 0 && strcmp(state, text) == 0)
            continue;
        snprintf(state, TEXT, "%s", text);
        fprintf(self->file, "%s.%s(%s);\n", pipe, names[i], text);
        indent(self);
    }
}

static void write_cpp(struct writer *self, const struct ts_insn *insn, const struct items *items,
                      const struct options *options)
{
    bool sync = insn->op >= TS_OP_SET && insn->op <= TS_OP_XWAIT;
    FILE *file = self->file;
    if (insn->op == TS_OP_SETTILE || insn->op == TS_OP_SETOFFSET) {
        fprintf(file, "%s.%s(%s);\n", items->pipe,
                insn->op == TS_OP_SETTILE ? "setTileId" : "setEntryOffset", items->text[0]);
        return;
    }
    if (items->pipe[0])
        write_switches(self, insn, items->pipe);
    if (options->count) {
        fputs("[[", file);
        for (unsigned i = 0; i < options->count; i++)
            fprintf(file, options->value[i][0] ? "%s%s(%s)" : "%s%s", i ? ", " : "",
                    options->key[i], options->value[i]);
        fputs("]] ", file);
    }
    for (const char *c = ts_op_spelling(TS_TEXT_CPP, insn->op); *c; c++)
        fputc(sync ? *c : toupper((unsigned char)*c), file);
    if (items->split[0]) {
        fputs("<TileSplitAxis::TILE_", file);
        for (const char *c = items->split; *c; c++)
            fputc(toupper((unsigned char)*c), file);
        fputc('>', file);
    }
    fputc('(', file);
    if (items->pipe[0])
        fprintf(file, "%s%s", items->pipe, items->count ? ", " : "");
    for (unsigned i = 0; i < items->count; i++) {
        bool lane = sync && ts_op_pattern(insn->op)[i] == 'p';
        fputs(i ? ", " : "", file);
        fputs(lane ? "PIPE_" : "", file);
        for (const char *c = items->text[i]; *c; c++)
            fputc(lane ? toupper((unsigned char)*c) : *c, file);
    }
    fputs(");\n", file);
}

// --- blocks ---

static void open_block(struct writer *self, const struct ts_insn *insn)
{
    char a[TEXT], b[TEXT];
    const char *var = self->program->names[self->side][insn->var];
    FILE *file = self->file;
    if (insn->op == TS_OP_FOR) {
        expression(self, &insn->expr[0], a);
        expression(self, &insn->expr[1], b);
        if (self->form == TS_FORM_YAML)
            fprintf(file, "for %s (%s) (%s)\n", var, a, b);
        else if (self->form == TS_FORM_PTO)
            fprintf(file, "scf.for %%%s = %s to %s {\n", var, a, b);
        else
            fprintf(file, "for (int %s = %s; %s < %s; %s++) {\n", var, a, var, b, var);
    } else {
        expression(self, &insn->expr[0], a);
        fprintf(file,
                self->form == TS_FORM_YAML  ? "if %s\n"
                : self->form == TS_FORM_PTO ? "scf.if %s {\n"
                                            : "if (%s) {\n",
                a);
    }
    self->depth++;
}

static void write_let(struct writer *self, const struct ts_insn *insn)
{
    char text[TEXT];
    const char *var = self->program->names[self->side][insn->var];
    expression(self, &insn->expr[0], text);
    if (self->form == TS_FORM_YAML)
        fprintf(self->file, "let %s (%s)\n", var, text);
    else if (self->form == TS_FORM_PTO)
        fprintf(self->file, "pto.let %%%s = %s\n", var, text);
    else
        fprintf(self->file, "%s%s = %s;\n", self->known[insn->var] ? "" : "int ", var, text);
    self->known[insn->var] = true;
}

static void write_insn(struct writer *self, const struct ts_insn *insn)
{
    bool yaml = self->form == TS_FORM_YAML;
    if (insn->op == TS_OP_END || insn->op == TS_OP_ELSE)
        self->depth--;
    indent(self);
    if (insn->op == TS_OP_FOR || insn->op == TS_OP_IF) {
        open_block(self, insn);
    } else if (insn->op == TS_OP_ELSE) {
        fputs(yaml ? "else\n" : "} else {\n", self->file);
        self->depth++;
    } else if (insn->op == TS_OP_END) {
        fputs(yaml ? "end\n" : "}\n", self->file);
    } else if (insn->op == TS_OP_LET) {
        write_let(self, insn);
    } else {
        struct items items = {.count = 0};
        struct options options = {.count = 0};
        gather(self, insn, &items);
        gather_options(self, insn, &options);
        if (yaml)
            write_yaml(self, insn, &items, &options);
        else if (self->form == TS_FORM_PTO)
            write_pto(self, insn, &items, &options);
        else
            write_cpp(self, insn, &items, &options);
    }
}

void ts_write_code(const struct ts_pipe_program *self, enum ts_pipe_form form, unsigned side,
                   FILE *file)
{
    static const char *const heads[TS_FORMS][2] = {
        {"cube: |\n", "vector: |\n"},
        {"  pto.section.cube {\n", "  pto.section.vector {\n"},
        {"[[cube]] void cube() {\n", "[[vector]] void vector() {\n"}};
    const struct ts_code_text *code = &self->machine.code[side];
    struct writer writer = {.program = self, .form = form, .side = side, .file = file};
    if (code->count <= 1) // nothing but its end
        return;
    writer.state = ts_pipe_or_die(calloc(self->machine.pipe_count + 1, sizeof *writer.state));
    fputs(heads[form][side], file);
    for (uint32_t i = 0; i + 1 < code->count; i++)
        write_insn(&writer, &code->insn[i]);
    if (form != TS_FORM_YAML)
        fputs(form == TS_FORM_PTO ? "  }\n" : "}\n", file);
    free(writer.state);
}
