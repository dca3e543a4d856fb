// The parser and the operators of expressions (eval.h).
#include "platform/base/eval.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 64

struct parser {
    const struct ts_eval_names *names;
    const char *at;
    char *why;
    size_t room;
    bool failed;
    int depth;
};

enum op { OR, AND, EQ, NE, LE, GE, LT, GT, ADD, SUB, MUL, DIV, MOD, DOT };

// Operators by level; the longer spelling comes first.
static const struct {
    const char *text;
    int level;
    enum op op;
} operators[] = {
    {"||", 0, OR}, {"&&", 1, AND}, {"==", 2, EQ}, {"!=", 2, NE}, {"<=", 2, LE},
    {">=", 2, GE}, {"<", 2, LT},   {">", 2, GT},  {"+", 3, ADD}, {"-", 3, SUB},
    {"*", 4, MUL}, {"/", 4, DIV},  {"%", 4, MOD}, {"@", 4, DOT},
};
enum { LEVELS = 5 };

// --- values ---

bool ts_value_init(struct ts_value *self, uint32_t rows, uint32_t columns)
{
    *self = (struct ts_value){rows, columns, calloc((size_t)rows * columns + 1, sizeof(double))};
    return self->at != NULL;
}

bool ts_value_number(struct ts_value *self, double number)
{
    if (!ts_value_init(self, 1, 1))
        return false;
    self->at[0] = number;
    return true;
}

bool ts_value_shape(const struct ts_value *values, unsigned count, uint32_t *rows,
                    uint32_t *columns)
{
    *rows = *columns = 1;
    for (unsigned i = 0; i < count; i++) {
        *rows = values[i].rows > *rows ? values[i].rows : *rows;
        *columns = values[i].columns > *columns ? values[i].columns : *columns;
    }
    for (unsigned i = 0; i < count; i++)
        if ((values[i].rows != 1 && values[i].rows != *rows) ||
            (values[i].columns != 1 && values[i].columns != *columns))
            return false;
    return true;
}

bool ts_value_product(const struct ts_value *a, const struct ts_value *b, struct ts_value *value)
{
    if (!ts_value_init(value, a->rows, b->columns))
        return false;
    for (uint32_t i = 0; i < a->rows; i++)
        for (uint32_t k = 0; k < a->columns; k++) {
            double factor = a->at[(size_t)i * a->columns + k];
            const double *from = b->at + (size_t)k * b->columns;
            double *to = value->at + (size_t)i * b->columns;
            for (uint32_t j = 0; j < b->columns; j++)
                to[j] += factor * from[j];
        }
    return true;
}

// --- failures ---

static struct ts_value fail(struct parser *self, const char *what, const char *which)
{
    if (!self->failed)
        snprintf(self->why, self->room, "%s%.60s", what, which);
    self->failed = true;
    return (struct ts_value){0};
}

static struct ts_value good(struct parser *self, bool made, struct ts_value value)
{
    return made ? value : fail(self, "out of memory", "");
}

static struct ts_value number(struct parser *self, double x)
{
    struct ts_value value;
    return good(self, ts_value_number(&value, x), value);
}

// --- operators ---

static double apply(enum op op, double x, double y)
{
    switch (op) {
    case OR:
        return x != 0 || y != 0;
    case AND:
        return x != 0 && y != 0;
    case EQ:
        return x == y;
    case NE:
        return x != y;
    case LE:
        return x <= y;
    case GE:
        return x >= y;
    case LT:
        return x < y;
    case GT:
        return x > y;
    case ADD:
        return x + y;
    case SUB:
        return x - y;
    case MUL:
        return x * y;
    case DIV:
        return x / y;
    case MOD:
        return fmod(x, y);
    case DOT:
        break;
    }
    return 0;
}

static struct ts_value combine(struct parser *self, enum op op, const char *text,
                               struct ts_value pair[2])
{
    struct ts_value c = {0};
    uint32_t rows, columns;
    if (self->failed)
        return c;
    if (op == DOT) {
        if (pair[0].columns != pair[1].rows)
            return fail(self, "shapes do not fit ", "@");
        return good(self, ts_value_product(&pair[0], &pair[1], &c), c);
    }
    if (!ts_value_shape(pair, 2, &rows, &columns))
        return fail(self, "shapes do not fit ", text);
    if (!ts_value_init(&c, rows, columns))
        return fail(self, "out of memory", "");
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++) {
            double x = ts_value_at(&pair[0], i, j), y = ts_value_at(&pair[1], i, j);
            if (self->names->whole && (op == DIV || op == MOD) && y == 0)
                fail(self, "division by zero", "");
            c.at[(size_t)i * columns + j] = apply(op, x, y);
        }
    return c;
}

// --- the text ---

static void skip(struct parser *self)
{
    while (isspace((unsigned char)*self->at))
        self->at++;
}

static bool take(struct parser *self, char sign)
{
    skip(self);
    if (*self->at != sign)
        return false;
    self->at++;
    return true;
}

static struct ts_value expression(struct parser *self);

static struct ts_value call(struct parser *self, const char *name)
{
    struct ts_value arguments[TS_EVAL_ARGUMENTS], value = {0};
    unsigned count = 0;
    bool more = !take(self, ')');
    while (more && !self->failed && count < TS_EVAL_ARGUMENTS) {
        arguments[count++] = expression(self);
        more = take(self, ',');
    }
    if (more && !self->failed)
        fail(self, "too many arguments of ", name);
    else if (count > 0 && !self->failed && !take(self, ')'))
        fail(self, "missing ) after the arguments of ", name);
    if (!self->failed) {
        char why[160] = "";
        bool known = self->names->call && self->names->call(self->names->context, name, arguments,
                                                            count, &value, why, sizeof why);
        if (!known && why[0] == '\0')
            known = ts_eval_function(name, arguments, count, &value, why, sizeof why);
        if (!known && why[0] != '\0')
            fail(self, why, "");
        else if (!known && !self->failed) {
            snprintf(self->why, self->room, "there is no function %.40s of %u argument%s", name,
                     count, count == 1 ? "" : "s");
            self->failed = true;
        }
    }
    while (count > 0)
        free(arguments[--count].at);
    return value;
}

static struct ts_value named(struct parser *self)
{
    char word[64];
    size_t length = 0;
    while ((isalnum((unsigned char)*self->at) || *self->at == '_' || *self->at == '.') &&
           length < sizeof word - 1)
        word[length++] = *self->at++;
    word[length] = '\0';
    if (take(self, '('))
        return call(self, word);
    struct ts_value value = {0};
    if (self->names->name == NULL || !self->names->name(self->names->context, word, &value))
        return fail(self, "nothing is called ", word);
    return value.at ? value : fail(self, "out of memory", "");
}

static struct ts_value literal(struct parser *self)
{
    char *end;
    double x = self->at[0] == '0' && (self->at[1] == 'x' || self->at[1] == 'X')
                   ? (double)strtoull(self->at, &end, 16)
                   : strtod(self->at, &end);
    self->at = end;
    return number(self, x);
}

static struct ts_value factor(struct parser *self)
{
    struct ts_value pair[2] = {{0}, {0}}, value;
    skip(self);
    if (++self->depth > DEPTH)
        return fail(self, "expression nested too deep", "");
    if (take(self, '(')) {
        value = expression(self);
        if (!self->failed && !take(self, ')'))
            fail(self, "missing )", "");
    } else if (*self->at == '-' || (*self->at == '!' && self->at[1] != '=')) {
        enum op op = *self->at++ == '-' ? SUB : EQ; // !x is 0 == x
        pair[0] = number(self, 0);
        pair[1] = factor(self);
        value = combine(self, op, "-", pair);
        free(pair[0].at);
        free(pair[1].at);
    } else if (isdigit((unsigned char)*self->at) || *self->at == '.') {
        value = literal(self);
    } else if (isalpha((unsigned char)*self->at) || *self->at == '_') {
        value = named(self);
    } else {
        value = fail(self, "expected an expression at ", *self->at ? self->at : "the end");
    }
    self->depth--;
    return value;
}

static int operator_at(struct parser *self, int level)
{
    skip(self);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t length = strlen(operators[i].text);
        if (strncmp(self->at, operators[i].text, length) != 0)
            continue;
        if (operators[i].level != level)
            return -1;
        self->at += length;
        return (int)i;
    }
    return -1;
}

static struct ts_value binary(struct parser *self, int level)
{
    if (level == LEVELS)
        return factor(self);
    struct ts_value value = binary(self, level + 1);
    int which;
    while (!self->failed && (which = operator_at(self, level)) >= 0) {
        struct ts_value pair[2] = {value, binary(self, level + 1)};
        value = combine(self, operators[which].op, operators[which].text, pair);
        free(pair[0].at);
        free(pair[1].at);
    }
    return value;
}

static struct ts_value expression(struct parser *self)
{
    struct ts_value value = binary(self, 0);
    if (self->failed || !take(self, '?'))
        return value;
    struct ts_value arguments[3] = {value, expression(self), {0}}, chosen = {0};
    if (!self->failed && !take(self, ':'))
        fail(self, "missing : after ?", "");
    if (!self->failed)
        arguments[2] = expression(self);
    if (!self->failed && !ts_eval_function("where", arguments, 3, &chosen, self->why, self->room))
        self->failed = true;
    for (unsigned i = 0; i < 3; i++)
        free(arguments[i].at);
    return chosen;
}

bool ts_eval_matrix(const char *text, const struct ts_eval_names *names, struct ts_value *value,
                    char *why, size_t room)
{
    struct parser self = {.names = names, .at = text, .why = why, .room = room};
    *value = expression(&self);
    skip(&self);
    if (*self.at && !self.failed)
        fail(&self, "cannot read ", self.at);
    if (self.failed) {
        free(value->at);
        *value = (struct ts_value){0};
    }
    return !self.failed;
}

bool ts_eval_number(const char *text, const struct ts_eval_names *names, double *number, char *why,
                    size_t room)
{
    struct ts_value value;
    if (!ts_eval_matrix(text, names, &value, why, room))
        return false;
    bool single = value.rows == 1 && value.columns == 1;
    if (single)
        *number = value.at[0];
    else
        snprintf(why, room, "a matrix of %ux%u where a number is expected", value.rows,
                 value.columns);
    free(value.at);
    return single;
}
