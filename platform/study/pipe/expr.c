// Integer expressions of TPUSH/TPOP programs: || && == != < <= > >= + - * / % unary - ! and
// parentheses.
#include "platform/study/pipe/program.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    struct ts_pipe_scope *scope;
    const char *at;
    char *why;
    size_t room;
    bool failed;
    bool variable; // a variable was used
    int depth;
};

static void emit(struct parser *self, enum ts_expr_op op, int64_t value)
{
    struct ts_machine *machine = &self->scope->program->machine;
    if ((machine->word_count & 255) == 0)
        machine->words = ts_pipe_or_die(
            realloc(machine->words, (machine->word_count + 256) * sizeof *machine->words));
    machine->words[machine->word_count++] = (struct ts_expr_word){op, value};
}

static void fail(struct parser *self, const char *what, const char *which)
{
    if (!self->failed)
        snprintf(self->why, self->room, "%s%.40s", what, which);
    self->failed = true;
}

static void skip(struct parser *self)
{
    while (*self->at == ' ' || *self->at == '\t')
        self->at++;
}

static void name(struct parser *self)
{
    char word[32];
    size_t length = 0;
    while ((isalnum((unsigned char)*self->at) || *self->at == '_') && length < sizeof word - 1)
        word[length++] = *self->at++;
    word[length] = 0;
    struct ts_pipe_program *program = self->scope->program;
    for (int i = 0; i < TS_VARS; i++)
        if (self->scope->vars[i] && strcmp(self->scope->vars[i], word) == 0) {
            self->variable = true;
            emit(self, TS_EXPR_VAR, i);
            return;
        }
    for (uint32_t i = 0; i < program->param_count; i++)
        if (strcmp(program->params[i].name, word) == 0) {
            emit(self, TS_EXPR_NUMBER, program->params[i].value);
            return;
        }
    fail(self, "nothing is called ", word);
}

static void binary(struct parser *self, int level);

static void primary(struct parser *self)
{
    skip(self);
    if (++self->depth > 12)
        fail(self, "expression nested too deep", "");
    if (self->failed)
        return;
    if (*self->at == '(') {
        self->at++;
        binary(self, 0);
        skip(self);
        if (*self->at != ')')
            fail(self, "missing )", "");
        else
            self->at++;
    } else if (*self->at == '-') {
        self->at++;
        primary(self);
        emit(self, TS_EXPR_NEG, 0);
    } else if (*self->at == '!') {
        self->at++;
        primary(self);
        emit(self, TS_EXPR_NOT, 0);
    } else if (isdigit((unsigned char)*self->at)) {
        char *end;
        emit(self, TS_EXPR_NUMBER, (int64_t)strtoull(self->at, &end, 0));
        self->at = end;
    } else if (isalpha((unsigned char)*self->at) || *self->at == '_') {
        name(self);
    } else {
        fail(self, "expected an expression at ", *self->at ? self->at : "the end of the line");
    }
    self->depth--;
}

// Operators by level; the longer spelling comes first.
static const struct {
    const char *text;
    int level;
    enum ts_expr_op op;
} operators[] = {
    {"||", 0, TS_EXPR_OR}, {"&&", 1, TS_EXPR_AND}, {"==", 2, TS_EXPR_EQ}, {"!=", 2, TS_EXPR_NE},
    {"<=", 2, TS_EXPR_LE}, {">=", 2, TS_EXPR_GE},  {"<", 2, TS_EXPR_LT},  {">", 2, TS_EXPR_GT},
    {"+", 3, TS_EXPR_ADD}, {"-", 3, TS_EXPR_SUB},  {"*", 4, TS_EXPR_MUL}, {"/", 4, TS_EXPR_DIV},
    {"%", 4, TS_EXPR_MOD},
};
enum { LEVELS = 5 };

static bool operator_at(struct parser *self, int level, enum ts_expr_op *op)
{
    skip(self);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t length = strlen(operators[i].text);
        if (strncmp(self->at, operators[i].text, length) != 0)
            continue;
        if (operators[i].level != level)
            return false;
        *op = operators[i].op;
        self->at += length;
        return true;
    }
    return false;
}

static void binary(struct parser *self, int level)
{
    if (level == LEVELS) {
        primary(self);
        return;
    }
    binary(self, level + 1);
    enum ts_expr_op op;
    while (!self->failed && operator_at(self, level, &op)) {
        binary(self, level + 1);
        emit(self, op, 0);
    }
}

bool ts_pipe_expr(struct ts_pipe_scope *scope, const char **at, struct ts_expr *expr, char *why,
                  size_t room)
{
    struct ts_machine *machine = &scope->program->machine;
    struct parser self = {.scope = scope, .at = *at, .why = why, .room = room};
    uint32_t first = machine->word_count;
    binary(&self, 0);
    *at = self.at;
    *expr = (struct ts_expr){.first = first, .count = machine->word_count - first};
    if (self.failed)
        return false;
    if (!self.variable) {
        expr->value = ts_expr_run(machine->words, expr, NULL);
        expr->constant = true;
        machine->word_count = first;
    }
    return true;
}
