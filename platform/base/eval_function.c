// The functions of expressions (eval.h): element by element, along rows or columns, and of shape.
#include "platform/base/eval.h"

// --- element by element ---

#define TS_FUNCTION(name, of)          \
    static double one_##name(double x) \
    {                                  \
        return of;                     \
    }
#define TS_FUNCTION_2(name, of)                  \
    static double two_##name(double x, double y) \
    {                                            \
        return of;                               \
    }
#include "config/functions.def"

static const struct {
    const char *name;
    double (*of)(double);
} unary[] = {
#define TS_FUNCTION(name, of) {#name, one_##name},
#include "config/functions.def"
};

static const struct {
    const char *name;
    double (*of)(double, double);
} pairs[] = {
#define TS_FUNCTION_2(name, of) {#name, two_##name},
#include "config/functions.def"
};

static bool fits(bool fit, const char *name, char *why, size_t room)
{
    if (!fit)
        snprintf(why, room, "the arguments of %.40s do not fit", name);
    return fit;
}

static bool elements(const char *name, const struct ts_value *a, unsigned count,
                     struct ts_value *value, char *why, size_t room)
{
    double (*one)(double) = NULL, (*two)(double, double) = NULL;
    for (size_t i = 0; count == 1 && i < sizeof unary / sizeof *unary; i++)
        if (strcmp(name, unary[i].name) == 0)
            one = unary[i].of;
    for (size_t i = 0; count == 2 && i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(name, pairs[i].name) == 0)
            two = pairs[i].of;
    bool where = count == 3 && strcmp(name, "where") == 0;
    uint32_t rows, columns;
    if (one == NULL && two == NULL && !where)
        return false;
    if (!fits(ts_value_shape(a, count, &rows, &columns), name, why, room) ||
        !ts_value_init(value, rows, columns))
        return false;
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++) {
            double x = ts_value_at(&a[0], i, j);
            value->at[(size_t)i * columns + j] = one   ? one(x)
                                                 : two ? two(x, ts_value_at(&a[1], i, j))
                                                       : ts_value_at(&a[x != 0 ? 1 : 2], i, j);
        }
    return true;
}

// --- along rows and columns ---

enum reduction { SUM, MEAN, MAX, MIN, ARGMAX, ARGMIN };

// rowsum is of every row, colsum of every column, sum of all; argmax is the place in it, the first of equals.
static bool reduce(const char *name, const struct ts_value *a, struct ts_value *value)
{
    static const char *const kinds[] = {"sum", "mean", "max", "min", "argmax", "argmin"};
    bool rows = strncmp(name, "row", 3) == 0, columns = strncmp(name, "col", 3) == 0;
    int kind = -1;
    for (int i = 0; i <= ARGMIN; i++)
        if (strcmp(name + (rows || columns ? 3 : 0), kinds[i]) == 0)
            kind = i;
    if (kind < 0 || !ts_value_init(value, rows ? a->rows : 1, columns ? a->columns : 1))
        return false;
    size_t all = (size_t)a->rows * a->columns, each = all / ((size_t)value->rows * value->columns);
    for (size_t p = 0; p < all; p++) {
        size_t row = p / a->columns, column = p % a->columns;
        double *to = &value->at[rows ? row : columns ? column : 0];
        bool first = rows ? column == 0 : columns ? row == 0 : p == 0;
        double x = a->at[p];
        if (kind >= ARGMAX) {
            size_t place = rows ? column : columns ? row : p, best = first ? place : (size_t)*to;
            double held = a->at[rows      ? row * a->columns + best
                                : columns ? best * a->columns + column
                                          : best];
            *to = (double)((kind == ARGMAX ? x > held : x < held) ? place : best);
            continue;
        }
        *to = first ? x : kind == MAX ? two_max(*to, x) : kind == MIN ? two_min(*to, x) : *to + x;
    }
    for (size_t p = 0; kind == MEAN && p < (size_t)value->rows * value->columns; p++)
        value->at[p] /= (double)each;
    return true;
}

// tilesum(x, rows), tilemax(x, rows): of the columns of every so many rows, in the first of them; the others are 0.
static bool of_tiles(bool max, const struct ts_value *x, uint32_t rows, struct ts_value *value)
{
    if (rows == 0 || x->rows % rows || !ts_value_init(value, x->rows, x->columns))
        return false;
    for (uint32_t y = 0; y < x->rows; y++)
        for (uint32_t column = 0; column < x->columns; column++) {
            const double one = x->at[(size_t)y * x->columns + column];
            double *to = &value->at[(size_t)(y / rows * rows) * x->columns + column];
            *to = y % rows == 0 ? one : !max ? *to + one : one > *to ? one : *to;
        }
    return true;
}

// Normalises every row: softmax, rmsnorm(x, epsilon), layernorm(x, epsilon).
static bool normalise(const char *name, const struct ts_value *a, double epsilon,
                      struct ts_value *value)
{
    static const char *const kinds[] = {"softmax", "rmsnorm", "layernorm"};
    int kind = -1;
    for (int i = 0; i < 3; i++)
        if (strcmp(name, kinds[i]) == 0)
            kind = i;
    if (kind < 0 || !ts_value_init(value, a->rows, a->columns))
        return false;
    for (uint32_t i = 0; i < a->rows; i++) {
        const double *from = a->at + (size_t)i * a->columns;
        double *to = value->at + (size_t)i * a->columns, largest = from[0], mean = 0, sum = 0;
        for (uint32_t j = 0; j < a->columns; j++) {
            largest = two_max(largest, from[j]);
            mean += from[j] / a->columns;
        }
        for (uint32_t j = 0; j < a->columns; j++) {
            to[j] = kind == 0 ? exp(from[j] - largest) : kind == 1 ? from[j] : from[j] - mean;
            sum += kind == 0 ? to[j] : to[j] * to[j] / a->columns;
        }
        for (uint32_t j = 0; j < a->columns; j++)
            to[j] /= kind == 0 ? sum : sqrt(sum + epsilon);
    }
    return true;
}

// The columns of k, of a head's rows, one after the other.
static void turn_keys(const double *k, uint32_t rows, uint32_t columns, double *to)
{
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++)
            to[(size_t)j * rows + i] = k[(size_t)i * columns + j];
}

// A row of attention: the weights of the keys that it sees, then the values with these weights.
static void attend(const double *q, const double *turned, const double *v, uint32_t length,
                   uint32_t seen, uint32_t columns, double *weight, double *to)
{
    double largest = -INFINITY, sum = 0;
    memset(weight, 0, seen * sizeof *weight);
    ts_value_add_rows(weight, q, columns, turned, length, seen);
    for (uint32_t i = 0; i < seen; i++) {
        weight[i] /= sqrt(columns);
        largest = two_max(largest, weight[i]);
    }
    for (uint32_t i = 0; i < seen; i++) {
        weight[i] = exp(weight[i] - largest);
        sum += weight[i];
    }
    ts_value_add_rows(to, weight, seen, v, columns, columns);
    for (uint32_t j = 0; j < columns; j++)
        to[j] /= sum;
}

// attention(q, k, v, heads, causal, shared): softmax(q @ t(k) / sqrt(columns)) @ v for each of `heads` equal
// parts of the rows; causal: a row sees the keys up to its own. k and v have `shared` parts, each for as many heads.
static bool attention(const struct ts_value *a, int64_t heads, bool causal, int64_t shared,
                      struct ts_value *value)
{
    const uint32_t length = a[0].rows / (uint32_t)heads, columns = a[0].columns;
    const uint32_t keys = a[1].rows / (uint32_t)shared, each = (uint32_t)(heads / shared);
    double *weight = malloc(keys * sizeof *weight);
    double *turned = malloc((size_t)keys * columns * sizeof *turned);
    const bool good = weight && turned && ts_value_init(value, a[0].rows, columns);
    for (uint32_t row = 0; good && row < a[0].rows; row++) {
        const uint32_t at = row % length;
        const size_t head = (size_t)(row / length / each) * keys * columns;
        if (at == 0)
            turn_keys(a[1].at + head, keys, columns, turned);
        attend(a[0].at + (size_t)row * columns, turned, a[2].at + head, keys,
               causal ? at + 1 : keys, columns, weight, value->at + (size_t)row * columns);
    }
    free(weight);
    free(turned);
    return good;
}

static bool same_shape(const struct ts_value *a, const struct ts_value *b)
{
    return a->rows == b->rows && a->columns == b->columns;
}

// --- shapes ---

// Rows [from, to) and columns [from, to) of a value; what lies outside is `other`.
static bool part(const struct ts_value *a, int64_t row, int64_t rows, int64_t column,
                 int64_t columns, double other, struct ts_value *value)
{
    if (!ts_value_init(value, (uint32_t)rows, (uint32_t)columns))
        return false;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            bool inside = row + i < a->rows && column + j < a->columns;
            value->at[i * columns + j] = inside ? a->at[(row + i) * a->columns + column + j]
                                                : other;
        }
    return true;
}

static bool turn(const struct ts_value *a, struct ts_value *value)
{
    if (!ts_value_init(value, a->columns, a->rows))
        return false;
    for (uint32_t i = 0; i < a->rows; i++)
        for (uint32_t j = 0; j < a->columns; j++)
            value->at[(size_t)j * a->rows + i] = a->at[(size_t)i * a->columns + j];
    return true;
}

// The same elements in other rows and columns; or rows i * n + j at j * (rows / n) + i.
static bool reshape(const struct ts_value *a, uint32_t rows, uint32_t columns, uint32_t n,
                    struct ts_value *value)
{
    if (!ts_value_init(value, rows, columns))
        return false;
    for (uint32_t i = 0; i < rows; i++)
        memcpy(value->at + (size_t)(i % n * (rows / n) + i / n) * columns,
               a->at + (size_t)i * columns, columns * sizeof *value->at);
    return true;
}

static bool repeat(const struct ts_value *a, uint32_t down, uint32_t across, struct ts_value *value)
{
    if (!ts_value_init(value, a->rows * down, a->columns * across))
        return false;
    for (uint32_t i = 0; i < value->rows; i++)
        for (uint32_t j = 0; j < value->columns; j++)
            value->at[(size_t)i * value->columns + j] =
                a->at[(size_t)(i % a->rows) * a->columns + j % a->columns];
    return true;
}

// concat(a, b, ..., axis): below each other (0) or side by side (1).
static bool concat(const struct ts_value *a, unsigned count, bool across, struct ts_value *value)
{
    uint32_t rows = across ? a->rows : 0, columns = across ? 0 : a->columns, row = 0, column = 0;
    for (unsigned i = 0; i < count; i++) {
        if (across ? a[i].rows != rows : a[i].columns != columns)
            return false;
        rows += across ? 0 : a[i].rows;
        columns += across ? a[i].columns : 0;
    }
    if (!ts_value_init(value, rows, columns))
        return false;
    for (unsigned i = 0; i < count; i++) {
        for (uint32_t r = 0; r < a[i].rows; r++)
            memcpy(value->at + (size_t)(row + r) * columns + column,
                   a[i].at + (size_t)r * a[i].columns, a[i].columns * sizeof *value->at);
        row += across ? 0 : a[i].rows;
        column += across ? a[i].columns : 0;
    }
    return true;
}

// A number among the arguments, or `otherwise`; limited to what a shape can be.
static int64_t size(const struct ts_value *arguments, unsigned count, unsigned index,
                    int64_t otherwise)
{
    if (index >= count)
        return otherwise;
    double x = arguments[index].at[0];
    return x >= 0 && x < 1e7 ? (int64_t)x : -1;
}

static bool shaped(const char *name, const struct ts_value *a, unsigned count,
                   struct ts_value *value, char *why, size_t room)
{
    bool rows = strcmp(name, "rows") == 0, columns = strcmp(name, "cols") == 0;
    int64_t from = size(a, count, 1, 0), to = size(a, count, 2, 0);
    if (count == 2 && (strcmp(name, "tilesum") == 0 || strcmp(name, "tilemax") == 0))
        return of_tiles(name[4] == 'm', a, (uint32_t)from, value);
    if ((rows || columns) && count == 1)
        return ts_value_number(value, rows ? a->rows : a->columns);
    if ((rows || columns) && count == 3)
        return fits(from >= 0 && from < to && to <= (rows ? a->rows : a->columns), name, why,
                    room) &&
               part(a, rows ? from : 0, rows ? to - from : a->rows, rows ? 0 : from,
                    rows ? a->columns : to - from, 0, value);
    if (strcmp(name, "pad") == 0 && (count == 3 || count == 4)) // rows, columns, value
        return fits(from >= a->rows && to >= a->columns, name, why, room) &&
               part(a, 0, from, 0, to, count == 4 ? a[3].at[0] : 0, value);
    if (strcmp(name, "rep") == 0 && count == 2)
        return fits(from > 0, name, why, room) && repeat(a, 1, (uint32_t)from, value);
    if (strcmp(name, "tile") == 0 && count == 3) // rows and columns repeated
        return fits(from > 0 && to > 0, name, why, room) &&
               repeat(a, (uint32_t)from, (uint32_t)to, value);
    if (strcmp(name, "concat") == 0 && count >= 3) {
        int64_t axis = size(a, count, count - 1, 0);
        return fits((axis == 0 || axis == 1) && concat(a, count - 1, axis == 1, value), name, why,
                    room);
    }
    if ((strcmp(name, "t") == 0 || strcmp(name, "transpose") == 0) && count == 1)
        return turn(a, value);
    if (strcmp(name, "matmul") == 0 && count == 2)
        return fits(a[0].columns == a[1].rows, name, why, room) &&
               ts_value_product(&a[0], &a[1], value);
    if (strcmp(name, "attention") == 0 && count >= 4 && count <= 6) {
        const int64_t heads = size(a, count, 3, 0), shared = size(a, count, 5, heads);
        const bool causal = size(a, count, 4, 0) != 0;
        return fits(heads > 0 && shared > 0 && heads % shared == 0 && a[0].rows % heads == 0 &&
                        a[1].rows % shared == 0 && a[0].columns == a[1].columns &&
                        same_shape(&a[1], &a[2]) &&
                        (!causal || a[0].rows / heads == a[1].rows / shared),
                    name, why, room) &&
               attention(a, heads, causal, shared, value);
    }
    if (strcmp(name, "reshape") == 0 && count == 3) // rows, columns
        return fits(from > 0 && to > 0 && from * to == (int64_t)a->rows * a->columns, name, why,
                    room) &&
               reshape(a, (uint32_t)from, (uint32_t)to, 1, value);
    if (strcmp(name, "swap") == 0 && count == 2) // row j of each n goes to the j-th part
        return fits(from > 0 && a->rows % from == 0, name, why, room) &&
               reshape(a, a->rows, a->columns, (uint32_t)from, value);
    return false;
}

bool ts_eval_function(const char *name, const struct ts_value *arguments, unsigned count,
                      struct ts_value *value, char *why, size_t room)
{
    why[0] = '\0';
    if (count == 0)
        return false;
    if (elements(name, arguments, count, value, why, room) ||
        (why[0] == '\0' && shaped(name, arguments, count, value, why, room)))
        return true;
    if (why[0] != '\0')
        return false;
    double epsilon = count == 2 ? arguments[1].at[0] : 0;
    return (count == 1 && reduce(name, arguments, value)) ||
           (count <= 2 && normalise(name, arguments, epsilon, value));
}
