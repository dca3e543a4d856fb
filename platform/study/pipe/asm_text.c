// The program of one side from its lines: blocks of for, if and else.
#include "platform/study/pipe/asm.h"

// --- blocks ---

struct block {
    uint32_t open, other; // FOR or IF; ELSE + 1, or 0
};

static bool open_or_close(struct ts_asm *self, struct ts_insn *code, uint32_t at,
                          struct block *blocks, uint32_t *depth, uint32_t *loops)
{
    struct ts_insn *insn = &code[at];
    if (insn->op == TS_OP_FOR || insn->op == TS_OP_IF) {
        if (*depth == 16 || (insn->op == TS_OP_FOR && ++*loops > TS_LOOPS))
            return ts_asm_bad(self, "nested too deep", "");
        blocks[(*depth)++] = (struct block){at, 0};
        return true;
    }
    if (insn->op != TS_OP_END && insn->op != TS_OP_ELSE)
        return true;
    if (*depth == 0)
        return ts_asm_bad(self, ts_ops[insn->op].name, " without a beginning");
    struct block *block = &blocks[*depth - 1];
    if (insn->op == TS_OP_ELSE) {
        if (code[block->open].op != TS_OP_IF || block->other)
            return ts_asm_bad(self, "else without an if", "");
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
static bool add_line(struct ts_asm *line, struct program_text *text, struct ts_code_text *code,
                     const char *at, size_t length)
{
    char buffer[400];
    if (length >= sizeof buffer)
        return ts_asm_bad(line, "line too long", "");
    memcpy(buffer, at, length);
    buffer[length] = 0;
    buffer[strcspn(buffer, "#")] = 0;
    ts_reader_cut(&line->words, buffer);
    if (ts_peek(&line->words, 0)->kind == TS_TOKEN_END)
        return true;
    TS_MORE(code->insn, code->count + 1, text->room, "the pipe program");
    struct ts_insn *insn = &code->insn[code->count];
    memset(insn, 0, sizeof *insn);
    if (!ts_asm_line(line, insn) ||
        !open_or_close(line, code->insn, code->count, text->blocks, &text->depth, &text->loops))
        return false;
    code->count++;
    return true;
}

static bool add_text(struct ts_asm *line, struct program_text *text, struct ts_code_text *code,
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

static bool add_list(struct ts_asm *line, struct program_text *text, struct ts_code_text *code,
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
    struct ts_asm line = {
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
        good = ts_asm_bad(&line, ts_ops[open->op].name, " without end");
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
