// Expressions over matrices of doubles (eval.h): values, and the operations that expr.c reads.
#include "platform/base/eval.h"

#include "platform/base/expr.h"

// --- values ---

bool ts_value_init(struct ts_value *self, uint32_t rows, uint32_t columns)
{
    *self = (struct ts_value){
        .rows = rows, .columns = columns, .at = calloc((size_t)rows * columns + 1, sizeof(double))};
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

// Four rows at a time: a sum stays in its register, and is added up in the same order.
void ts_value_add_rows(double *restrict to, const double *factors, uint32_t count,
                       const double *restrict from, size_t stride, uint32_t columns)
{
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4, from += 4 * stride) {
        const double *f = factors + i;
        const double *second = from + stride, *third = second + stride, *fourth = third + stride;
        for (uint32_t j = 0; j < columns; j++)
            to[j] = to[j] + f[0] * from[j] + f[1] * second[j] + f[2] * third[j] + f[3] * fourth[j];
    }
    for (; i < count; i++, from += stride)
        for (uint32_t j = 0; j < columns; j++)
            to[j] += factors[i] * from[j];
}

bool ts_value_product(const struct ts_value *a, const struct ts_value *b, struct ts_value *value)
{
    if (!ts_value_init(value, a->rows, b->columns))
        return false;
    for (uint32_t i = 0; i < a->rows; i++)
        ts_value_add_rows(value->at + (size_t)i * b->columns, a->at + (size_t)i * a->columns,
                          a->columns, b->at, b->columns, b->columns);
    return true;
}

// --- operators ---

static double apply(enum ts_expr_op op, double x, double y)
{
    switch (op) {
#define TS_EXPR_BINARY(id, text, level, real, whole) \
    case TS_EXPR_##id:                               \
        return real;
#include "config/expressions.def"
    default:
        return 0;
    }
}

struct machine {
    const struct ts_eval_names *names;
    struct ts_value stack[TS_EXPR_STACK + 1];
    unsigned top;
    char *why;
    size_t room;
};

static bool fail(struct machine *self, const char *what, const char *which)
{
    snprintf(self->why, self->room, "%s%.60s", what, which);
    return false;
}

static bool combine(struct machine *self, enum ts_expr_op op, const struct ts_value pair[2],
                    struct ts_value *value)
{
    uint32_t rows, columns;
    bool product = op == TS_EXPR_MATMUL;
    if (product ? pair[0].columns != pair[1].rows : !ts_value_shape(pair, 2, &rows, &columns))
        return fail(self, "shapes do not fit ", ts_expr_operators[op].text);
    if (product)
        return ts_value_product(&pair[0], &pair[1], value);
    if (!ts_value_init(value, rows, columns))
        return false;
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++) {
            double x = ts_value_at(&pair[0], i, j), y = ts_value_at(&pair[1], i, j);
            if (self->names->whole && (op == TS_EXPR_DIV || op == TS_EXPR_MOD) && y == 0)
                return fail(self, "division by zero", "");
            value->at[(size_t)i * columns + j] = apply(op, x, y);
        }
    return true;
}

static bool call(struct machine *self, const struct ts_expr_step *step,
                 const struct ts_value *arguments, struct ts_value *value)
{
    const struct ts_eval_names *names = self->names;
    if ((names->call && names->call(names->context, step->name, arguments, step->count, value,
                                    self->why, self->room)) ||
        (self->why[0] == '\0' &&
         ts_eval_function(step->name, arguments, step->count, value, self->why, self->room)))
        return true;
    if (self->why[0] == '\0')
        snprintf(self->why, self->room, "there is no function %.40s of %u argument%s", step->name,
                 step->count, step->count == 1 ? "" : "s");
    return false;
}

static bool operate(struct machine *self, const struct ts_expr_step *step,
                    const struct ts_value *operands, struct ts_value *value)
{
    double none = 0;
    struct ts_value pair[2] = {{.rows = 1, .columns = 1, .at = &none}, operands[0]};
    switch (step->op) {
    case TS_EXPR_NUMBER:
        return ts_value_number(value, step->number);
    case TS_EXPR_NAME:
        return (self->names->name && self->names->name(self->names->context, step->name, value)) ||
               fail(self, "nothing is called ", step->name);
    case TS_EXPR_NEG:
        return combine(self, TS_EXPR_SUB, pair, value);
    case TS_EXPR_NOT: // !x is 0 == x
        return combine(self, TS_EXPR_EQ, pair, value);
    case TS_EXPR_CHOOSE:
        return ts_eval_function("where", operands, 3, value, self->why, self->room);
    case TS_EXPR_CALL:
        return call(self, step, operands, value);
    default:
        return combine(self, step->op, operands, value);
    }
}

static bool fraction_is_meant(const struct ts_expr_step *step)
{
    static const char *const functions[] = {"floor", "ceil", "round", "trunc", "float"};
    for (size_t i = 0; step->op == TS_EXPR_CALL && i < sizeof functions / sizeof *functions; i++)
        if (strcmp(step->name, functions[i]) == 0)
            return true;
    return false;
}

static bool refuse(struct machine *self, const struct ts_value *quotient)
{
    const double *of = quotient->of;
    snprintf(self->why, self->room,
             "%.15g / %.15g leaves a remainder: floor(a / b) rounds down, ceil_div(a, b) up; "
             "%.15g.0 / %.15g is a fraction",
             of[0], of[1], of[0], of[1]);
    return false;
}

// Follows quotients with a remainder and numbers with a decimal point from the operands to the result.
static bool follow(struct machine *self, const struct ts_expr_step *step,
                   const struct ts_value *operands, struct ts_value *value)
{
    const bool chooses = step->op == TS_EXPR_CHOOSE;
    value->real = step->op == TS_EXPR_NUMBER && step->point;
    for (unsigned i = 0; i < step->count; i++) {
        value->real |= operands[i].real;
        if (operands[i].of[1] != 0 && !fraction_is_meant(step) && !(chooses && i > 0))
            return refuse(self, &operands[i]);
    }
    if (chooses)
        memcpy(value->of, operands[operands[0].at[0] != 0 ? 1 : 2].of, sizeof value->of);
    if (step->op != TS_EXPR_DIV || value->real)
        return true;
    const double x = operands[0].at[0], y = operands[1].at[0];
    if (x == floor(x) && y == floor(y) && fmod(x, y) != 0)
        value->of[0] = x, value->of[1] = y;
    return true;
}

static bool evaluate(void *context, const struct ts_expr_step *step, char *why, size_t room)
{
    struct machine *self = context;
    struct ts_value value = {0}, *operands = &self->stack[self->top - step->count];
    self->why = why;
    self->room = room;
    why[0] = '\0';
    bool good = operate(self, step, operands, &value) && value.at != NULL &&
                (!self->names->whole || follow(self, step, operands, &value));
    if (!good && why[0] == '\0')
        fail(self, "out of memory", "");
    for (unsigned i = 0; i < step->count; i++)
        free(operands[i].at);
    self->top -= step->count;
    self->stack[self->top++] = value;
    return good;
}

bool ts_eval_matrix(const char *text, const struct ts_eval_names *names, struct ts_value *value,
                    char *why, size_t room)
{
    struct machine self = {.names = names, .why = why, .room = room};
    const struct ts_expr_sink sink = {evaluate, &self, .matrices = true};
    bool good = ts_expr_parse(&text, &sink, why, room) &&
                (*text == '\0' || fail(&self, "cannot read ", text)) &&
                (self.stack[0].of[1] == 0 || refuse(&self, &self.stack[0]));
    while (self.top > good)
        free(self.stack[--self.top].at);
    *value = good ? self.stack[0] : (struct ts_value){0};
    return good;
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
