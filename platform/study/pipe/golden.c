// Golden data: tensors before the run, and matrix expressions (platform/base/eval.h) for what they
// should be after it. Evaluated in double, apart from all code of the machine but the number formats.
#include "cores/pto/number.h"
#include "platform/base/eval.h"
#include "platform/base/input.h"
#include "platform/base/random.h"
#include "platform/study/pipe/run.h"

struct golden {
    const struct ts_pipe_program *program;
    const uint8_t *gm;
};

// A tensor as it was before the run, or a parameter.
static bool named(void *context, const char *name, struct ts_value *value)
{
    const struct golden *self = context;
    const struct ts_machine *machine = &self->program->machine;
    int id = ts_pipe_find_tensor(machine, name);
    if (id < 0 || machine->tensors[id].window) {
        for (uint32_t i = 0; i < self->program->param_count; i++)
            if (strcmp(self->program->params[i].name, name) == 0)
                return ts_value_number(value, (double)self->program->params[i].value);
        return false;
    }
    const struct ts_tensor_decl *decl = &machine->tensors[id];
    if (!ts_value_init(value, decl->rows, decl->cols))
        return false;
    size_t size = ts_dtype_bytes(decl->type);
    for (size_t i = 0; i < (size_t)decl->rows * decl->cols; i++)
        value->at[i] = ts_load_double(self->gm + decl->gm + i * size, decl->type);
    return true;
}

// fp16(x) and the other types: rounded.
static bool round_to(void *context, const char *name, const struct ts_value *arguments,
                     unsigned count, struct ts_value *value, char *why, size_t room)
{
    (void)context, (void)why, (void)room;
    for (int type = 0; type < TS_DTYPE_COUNT && count == 1; type++) {
        if (strcmp(name, ts_dtype_names[type]) != 0)
            continue;
        if (!ts_value_init(value, arguments->rows, arguments->columns))
            return false;
        for (size_t i = 0; i < (size_t)value->rows * value->columns; i++) {
            uint8_t bytes[4];
            ts_store_double(bytes, (enum ts_dtype)type, arguments->at[i]);
            value->at[i] = ts_load_double(bytes, (enum ts_dtype)type);
        }
        return true;
    }
    return false;
}

double *ts_pipe_golden(const struct ts_pipe_program *program, const uint8_t *gm, const char *text,
                       uint32_t rows, uint32_t cols, struct ts_error *error)
{
    struct golden self = {program, gm};
    struct ts_value value;
    char why[200];
    if (!ts_eval_matrix(text, &(struct ts_eval_names){named, round_to, &self, false}, &value, why,
                        sizeof why))
        ts_fail(error, TS_SETUP, "expect: %s", why);
    else if (value.rows != rows || value.columns != cols)
        ts_fail(error, TS_SETUP, "expect '%.100s': gives %u x %u, the tensor is %u x %u", text,
                value.rows, value.columns, rows, cols);
    if (error->code == TS_OK)
        return value.at;
    free(value.at);
    return NULL;
}

// --- before the run ---

static enum ts_code fill_from_file(const struct ts_pipe_data *data, uint8_t *bytes, size_t size,
                                   struct ts_error *error)
{
    FILE *file = data->file ? ts_open_input(data->file, error) : NULL;
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
