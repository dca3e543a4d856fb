// Golden data: tensors before the run, and matrix expressions for what they should be after it.
//
//   expression  + - element by element (rows and columns of size 1 are repeated), * / likewise, @
//   matrix product functions   t(x) relu(x) exp(x) softmax(x) rowmax(x) rowsum(x) rep(x, n)
//   (columns repeated n times)
//               rows(x, from, to) fp16(x) bf16(x) int8(x) (rounded to the type)
// Evaluated in double, apart from all code of the machine but the number formats.
#include "cores/pto/number.h"
#include "platform/base/random.h"
#include "platform/base/yaml.h"
#include "platform/study/pipe/run.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct matrix {
    uint32_t rows, cols;
    double *at;
};

struct golden {
    const struct ts_pipe_program *program;
    const uint8_t *gm;
    const char *at;
    struct ts_error *error;
    bool failed;
};

static struct matrix make(uint32_t rows, uint32_t cols)
{
    return (struct matrix){rows, cols,
                           ts_pipe_or_die(calloc((size_t)rows * cols + 1, sizeof(double)))};
}

static struct matrix fail(struct golden *self, const char *what, const char *which)
{
    if (!self->failed)
        ts_fail(self->error, TS_SETUP, "expect: %s%.40s", what, which);
    self->failed = true;
    return make(1, 1);
}

static struct matrix expression(struct golden *self);

static void skip(struct golden *self)
{
    while (isspace((unsigned char)*self->at))
        self->at++;
}

static bool take(struct golden *self, char sign)
{
    skip(self);
    if (*self->at != sign)
        return false;
    self->at++;
    return true;
}

static double one(const struct matrix *m, uint32_t row, uint32_t col)
{
    return m->at[(size_t)(m->rows == 1 ? 0 : row) * m->cols + (m->cols == 1 ? 0 : col)];
}

static struct matrix combine(struct golden *self, char sign, struct matrix a, struct matrix b)
{
    struct matrix c;
    if (sign == '@') {
        if (a.cols != b.rows) {
            c = fail(self, "shapes do not fit @", "");
        } else {
            c = make(a.rows, b.cols);
            for (uint32_t i = 0; i < a.rows; i++)
                for (uint32_t k = 0; k < a.cols; k++)
                    for (uint32_t j = 0; j < b.cols; j++)
                        c.at[(size_t)i * b.cols + j] += a.at[(size_t)i * a.cols + k] *
                                                        b.at[(size_t)k * b.cols + j];
        }
    } else if ((a.rows != b.rows && a.rows != 1 && b.rows != 1) ||
               (a.cols != b.cols && a.cols != 1 && b.cols != 1)) {
        char which[2] = {sign, 0};
        c = fail(self, "shapes do not fit ", which);
    } else {
        c = make(a.rows > b.rows ? a.rows : b.rows, a.cols > b.cols ? a.cols : b.cols);
        for (uint32_t i = 0; i < c.rows; i++)
            for (uint32_t j = 0; j < c.cols; j++) {
                double x = one(&a, i, j), y = one(&b, i, j);
                c.at[(size_t)i * c.cols + j] = sign == '+'   ? x + y
                                               : sign == '-' ? x - y
                                               : sign == '*' ? x * y
                                                             : x / y;
            }
    }
    free(a.at);
    free(b.at);
    return c;
}

static struct matrix tensor(struct golden *self, const char *name)
{
    const struct ts_machine *machine = &self->program->machine;
    int id = ts_pipe_find_tensor(machine, name);
    if (id < 0 || machine->tensors[id].window) {
        for (uint32_t i = 0; i < self->program->param_count; i++)
            if (strcmp(self->program->params[i].name, name) == 0) {
                struct matrix m = make(1, 1);
                m.at[0] = (double)self->program->params[i].value;
                return m;
            }
        return fail(self, "no tensor is called ", name);
    }
    const struct ts_tensor_decl *decl = &machine->tensors[id];
    struct matrix m = make(decl->rows, decl->cols);
    size_t size = ts_dtype_bytes(decl->type);
    for (size_t i = 0; i < (size_t)decl->rows * decl->cols; i++)
        m.at[i] = ts_load_double(self->gm + decl->gm + i * size, decl->type);
    return m;
}

static void round_to(struct matrix *m, enum ts_dtype type)
{
    for (size_t i = 0; i < (size_t)m->rows * m->cols; i++) {
        uint8_t bytes[4];
        ts_store_double(bytes, type, m->at[i]);
        m->at[i] = ts_load_double(bytes, type);
    }
}

static struct matrix reduce(struct matrix a, bool sum)
{
    struct matrix m = make(a.rows, 1);
    for (uint32_t i = 0; i < a.rows; i++)
        for (uint32_t j = 0; j < a.cols; j++) {
            double x = a.at[(size_t)i * a.cols + j];
            m.at[i] = j == 0 ? x : sum ? m.at[i] + x : x > m.at[i] ? x : m.at[i];
        }
    free(a.at);
    return m;
}

static struct matrix softmax(struct matrix a)
{
    for (uint32_t i = 0; i < a.rows; i++) {
        double *row = a.at + (size_t)i * a.cols, most = row[0], sum = 0;
        for (uint32_t j = 1; j < a.cols; j++)
            most = row[j] > most ? row[j] : most;
        for (uint32_t j = 0; j < a.cols; j++)
            sum += row[j] = exp(row[j] - most);
        for (uint32_t j = 0; j < a.cols; j++)
            row[j] /= sum;
    }
    return a;
}

static struct matrix reshape(struct matrix a, const char *name, uint32_t from, uint32_t to)
{
    bool t = strcmp(name, "t") == 0, rep = strcmp(name, "rep") == 0;
    struct matrix m = t     ? make(a.cols, a.rows)
                      : rep ? make(a.rows, a.cols * from)
                            : make(to - from, a.cols);
    for (uint32_t i = 0; i < m.rows; i++)
        for (uint32_t j = 0; j < m.cols; j++)
            m.at[(size_t)i * m.cols + j] = t     ? a.at[(size_t)j * a.cols + i]
                                           : rep ? a.at[(size_t)i * a.cols + j % a.cols]
                                                 : a.at[(size_t)(i + from) * a.cols + j];
    free(a.at);
    return m;
}

static uint32_t argument(struct golden *self)
{
    if (!take(self, ','))
        return 0;
    struct matrix m = expression(self);
    double value = m.at[0];
    free(m.at);
    return value > 0 && value < 1e9 ? (uint32_t)value : 0;
}

static struct matrix function(struct golden *self, const char *name)
{
    struct matrix a = expression(self);
    uint32_t from = argument(self), to = argument(self);
    if (!take(self, ')'))
        fail(self, "missing ) after ", name);
    if (self->failed)
        return a;
    for (size_t i = 0; i < (size_t)a.rows * a.cols; i++) {
        if (strcmp(name, "relu") == 0)
            a.at[i] = a.at[i] > 0 ? a.at[i] : 0;
        else if (strcmp(name, "exp") == 0)
            a.at[i] = exp(a.at[i]);
    }
    if (strcmp(name, "relu") == 0 || strcmp(name, "exp") == 0)
        return a;
    for (int type = 0; type < TS_DTYPE_COUNT; type++)
        if (strcmp(name, ts_dtype_name((enum ts_dtype)type)) == 0) {
            round_to(&a, (enum ts_dtype)type);
            return a;
        }
    if (strcmp(name, "softmax") == 0)
        return softmax(a);
    if (strcmp(name, "rowmax") == 0 || strcmp(name, "rowsum") == 0)
        return reduce(a, name[3] == 's');
    if (strcmp(name, "t") == 0 || (strcmp(name, "rep") == 0 && from) ||
        (strcmp(name, "rows") == 0 && from < to && to <= a.rows))
        return reshape(a, name, from, to);
    free(a.at);
    return fail(self, "no such function, or wrong arguments: ", name);
}

static struct matrix factor(struct golden *self)
{
    skip(self);
    if (take(self, '(')) {
        struct matrix m = expression(self);
        if (!take(self, ')'))
            fail(self, "missing )", "");
        return m;
    }
    if (take(self, '-')) {
        struct matrix zero = make(1, 1);
        return combine(self, '-', zero, factor(self));
    }
    if (isdigit((unsigned char)*self->at) || *self->at == '.') {
        char *end;
        struct matrix m = make(1, 1);
        m.at[0] = strtod(self->at, &end);
        self->at = end;
        return m;
    }
    char name[32];
    size_t length = 0;
    while ((isalnum((unsigned char)*self->at) || *self->at == '_') && length < sizeof name - 1)
        name[length++] = *self->at++;
    name[length] = 0;
    if (length == 0)
        return fail(self, "cannot read ", self->at);
    return take(self, '(') ? function(self, name) : tensor(self, name);
}

static struct matrix term(struct golden *self)
{
    struct matrix m = factor(self);
    for (;;) {
        skip(self);
        char sign = *self->at;
        if (self->failed || (sign != '*' && sign != '/' && sign != '@'))
            return m;
        self->at++;
        m = combine(self, sign, m, factor(self));
    }
}

static struct matrix expression(struct golden *self)
{
    struct matrix m = term(self);
    for (;;) {
        skip(self);
        char sign = *self->at;
        if (self->failed || (sign != '+' && sign != '-'))
            return m;
        self->at++;
        m = combine(self, sign, m, term(self));
    }
}

double *ts_pipe_golden(const struct ts_pipe_program *program, const uint8_t *gm, const char *text,
                       uint32_t rows, uint32_t cols, struct ts_error *error)
{
    struct golden self = {.program = program, .gm = gm, .at = text, .error = error};
    struct matrix m = expression(&self);
    skip(&self);
    if (*self.at && !self.failed)
        fail(&self, "cannot read ", self.at);
    if (!self.failed && (m.rows != rows || m.cols != cols))
        ts_fail(error, TS_SETUP, "expect '%.100s': gives %u x %u, the tensor is %u x %u", text,
                m.rows, m.cols, rows, cols);
    if (error->code == TS_OK)
        return m.at;
    free(m.at);
    return NULL;
}

// --- before the run ---

static enum ts_code fill_from_file(const struct ts_pipe_data *data, uint8_t *bytes, size_t size,
                                   struct ts_error *error)
{
    FILE *file = data->file ? fopen(data->file, "rb") : NULL;
    if (file == NULL)
        return ts_fail(error, TS_SETUP, "%s: %s", data->file ? data->file : "file",
                       data->file ? strerror(errno) : "missing");
    size_t got = fread(bytes, 1, size, file);
    fclose(file);
    if (got != size)
        return ts_fail(error, TS_SETUP, "%s: %zu bytes; the tensor has %zu", data->file, got, size);
    return TS_OK;
}

enum ts_code ts_pipe_fill(const struct ts_pipe_program *program, uint32_t index, uint8_t *bytes,
                          struct ts_error *error)
{
    const struct ts_tensor_decl *decl = &program->machine.tensors[index];
    const struct ts_pipe_data *data = &program->data[index];
    size_t count = (size_t)decl->rows * decl->cols, size = ts_dtype_bytes(decl->type);
    uint64_t state = data->seed * UINT64_C(0x2545f4914f6cdd1d) + index;
    if (data->init == TS_INIT_FILE)
        return fill_from_file(data, bytes, count * size, error);
    for (size_t i = 0; i < count && data->init != TS_INIT_ZERO; i++) {
        double value = data->value;
        uint64_t random = ts_random(&state);
        if (data->init == TS_INIT_RANDOM)
            value = data->low + (data->high - data->low) * (double)(random >> 11) * 0x1p-53;
        else if (data->init == TS_INIT_INTS)
            value = data->low + (double)(random % (uint64_t)(data->high - data->low + 1));
        else if (data->init == TS_INIT_IOTA)
            value = data->low + (double)(i % 1024);
        ts_store_double(bytes + i * size, decl->type, value);
    }
    return TS_OK;
}
