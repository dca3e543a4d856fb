// The parser of expressions (expr.h): recursive descent over the levels of operators.
#include "platform/base/expr.h"

#include "platform/base/number.h"

enum { DEPTH = 64 }; // of parentheses and signs

const struct ts_expr_operator ts_expr_operators[] = {
#define TS_EXPR_BINARY(id, text, level, ...) [TS_EXPR_##id] = {text, level},
#include "config/expressions.def"
    [TS_EXPR_MATMUL] = {"@", 4},
    [TS_EXPR_CALL] = {NULL, 0},
};

struct parser {
    const struct ts_expr_sink *sink;
    const char *at;
    char *why;
    size_t room;
    unsigned depth, height; // of the text, of the stack
};

// --- what follows from the text ---

static bool fail(struct parser *self, const char *what, const char *which)
{
    snprintf(self->why, self->room, "%s%.60s", what, which);
    return false;
}

static bool emit(struct parser *self, struct ts_expr_step step)
{
    self->height += 1 - step.count;
    if (self->height > TS_EXPR_STACK)
        return fail(self, "expression nested too deep", "");
    return self->sink->step(self->sink->context, &step, self->why, self->room);
}

static void skip(struct parser *self)
{
    while (isspace((unsigned char)*self->at))
        self->at++;
}

static bool take_sign(struct parser *self, char sign)
{
    skip(self);
    if (*self->at != sign)
        return false;
    self->at++;
    return true;
}

// --- operands ---

static bool expression(struct parser *self);

static bool arguments(struct parser *self, const char *name)
{
    unsigned count = 0;
    bool more = !take_sign(self, ')');
    while (more && count < TS_EXPR_ARGUMENTS) {
        if (!expression(self))
            return false;
        count++;
        more = take_sign(self, ',');
    }
    if (more)
        return fail(self, "too many arguments of ", name);
    if (count > 0 && !take_sign(self, ')'))
        return fail(self, "missing ) after the arguments of ", name);
    return emit(self, (struct ts_expr_step){TS_EXPR_CALL, .name = name, .count = count});
}

static bool named(struct parser *self)
{
    char word[64];
    size_t length = 0;
    while ((isalnum((unsigned char)*self->at) || *self->at == '_' ||
            (*self->at == '.' && self->sink->matrices)) &&
           length < sizeof word - 1)
        word[length++] = *self->at++;
    word[length] = '\0';
    if (self->sink->matrices && take_sign(self, '('))
        return arguments(self, word);
    return emit(self, (struct ts_expr_step){TS_EXPR_NAME, .name = word});
}

static bool number(struct parser *self)
{
    const char *text = self->at;
    int base = ts_number_base(text);
    bool hex = base == 16;
    char *end;
    errno = 0;
    uint64_t whole = strtoull(text, &end, base);
    if (errno == ERANGE && (hex || !self->sink->matrices))
        return fail(self, "a number of more than 64 bits: ", text);
    double real = hex || !self->sink->matrices ? (double)whole : strtod(text, &end);
    self->at = end;
    const bool point = !hex && memchr(text, '.', (size_t)(end - text)) != NULL;
    return emit(self, (struct ts_expr_step){TS_EXPR_NUMBER, .number = real, .whole = whole,
                                            .point = point});
}

static bool operand(struct parser *self)
{
    skip(self);
    if (take_sign(self, '(')) {
        if (!expression(self))
            return false;
        return take_sign(self, ')') || fail(self, "missing )", "");
    }
    if (*self->at == '-' || (*self->at == '!' && self->at[1] != '=')) {
        enum ts_expr_op op = *self->at++ == '-' ? TS_EXPR_NEG : TS_EXPR_NOT;
        if (++self->depth > DEPTH)
            return fail(self, "expression nested too deep", "");
        bool good = operand(self) && emit(self, (struct ts_expr_step){op, .count = 1});
        self->depth--;
        return good;
    }
    if (isdigit((unsigned char)*self->at) || (*self->at == '.' && self->sink->matrices))
        return number(self);
    if (isalpha((unsigned char)*self->at) || *self->at == '_')
        return named(self);
    return fail(self, "expected an expression at ", *self->at ? self->at : "the end");
}

// --- operators ---

// The operator at the text: the longest one. 0: none.
static enum ts_expr_op operator_at(const struct parser *self, size_t *length)
{
    enum ts_expr_op found = 0;
    *length = 0;
    for (int op = 0; op < TS_EXPR_CALL; op++) {
        const char *text = ts_expr_operators[op].text;
        if (text == NULL || (op == TS_EXPR_MATMUL && !self->sink->matrices) ||
            strncmp(self->at, text, strlen(text)) != 0 || strlen(text) <= *length)
            continue;
        found = (enum ts_expr_op)op;
        *length = strlen(text);
    }
    return found;
}

static bool binary(struct parser *self, int level)
{
    if (level == TS_EXPR_LEVELS)
        return operand(self);
    if (!binary(self, level + 1))
        return false;
    for (;;) {
        size_t length;
        skip(self);
        enum ts_expr_op op = operator_at(self, &length);
        if (op == 0 || ts_expr_operators[op].level != level)
            return true;
        self->at += length;
        if (!binary(self, level + 1) || !emit(self, (struct ts_expr_step){op, .count = 2}))
            return false;
    }
}

static bool expression(struct parser *self)
{
    if (++self->depth > DEPTH)
        return fail(self, "expression nested too deep", "");
    bool good = binary(self, 0);
    if (good && self->sink->matrices && take_sign(self, '?'))
        good = expression(self) && (take_sign(self, ':') || fail(self, "missing : after ?", "")) &&
               expression(self) && emit(self, (struct ts_expr_step){TS_EXPR_CHOOSE, .count = 3});
    self->depth--;
    return good;
}

bool ts_expr_parse(const char **at, const struct ts_expr_sink *sink, char *why, size_t room)
{
    struct parser self = {.sink = sink, .at = *at, .why = why, .room = room};
    bool good = expression(&self);
    *at = self.at;
    return good;
}
