// Contents of tensors: from files and expressions to the bytes of their pages and back, and what
// they should be after the run. store.c moves the pages.
#include "platform/run/plan/data.h"
#include "platform/base/private.h"
#include "platform/run/plan/npy.h"

// --- pages ---

// Integers are stored as they are; tensor.c writes them as sign and magnitude, as the coprocessor
// has them.
static bool plain(unsigned format)
{
    return ts_plan_format_integer(format) && ts_plan_format_bytes(format) != 0;
}

static void put_integer(unsigned format, double value, uint8_t *to)
{
    int64_t whole = fabs(value) < 0x1p62 ? (int64_t)value : 0;
    memcpy(to, &whole, ts_plan_format_bytes(format));
}

static double take_integer(unsigned format, const uint8_t *from)
{
    uint32_t bits = 0;
    memcpy(&bits, from, ts_plan_format_bytes(format));
    if (strncmp(ts_plan_format_name(format), "int", 3) == 0) {
        unsigned shift = 32 - 8 * ts_plan_format_bytes(format);
        return (int32_t)(bits << shift) >> shift;
    }
    return bits;
}

// Element i of a tile, in memory order, as an index of the matrix.
static size_t place_of(const struct ts_value *value, uint32_t row, uint32_t column, unsigned i)
{
    unsigned face = i / 256, y = i / 16 % 16 + face / 2 * 16, x = i % 16 + face % 2 * 16;
    return (size_t)(row * TS_TILE + y) * value->columns + column * TS_TILE + x;
}

static void tile_page(const struct ts_plan_tensor *t, struct ts_value *value, uint32_t page,
                      uint8_t *bytes, bool write)
{
    uint32_t row = page / t->pages_across, column = page % t->pages_across;
    struct ts_matrix matrix = {.rows = value->rows, .columns = value->columns, .at = value->at};
    for (unsigned i = 0; plain(t->format) && i < TS_TILE * TS_TILE; i++) {
        double *at = &value->at[place_of(value, row, column, i)];
        uint8_t *where = bytes + i * ts_plan_format_bytes(t->format);
        if (write)
            put_integer(t->format, *at, where);
        else
            *at = take_integer(t->format, where);
    }
    if (plain(t->format))
        return;
    if (write)
        ts_tile_encode(&matrix, row, column, t->format, bytes);
    else
        ts_tile_decode(&matrix, row, column, t->format, bytes);
}

// A page of rows: some elements one after the other. In shards a page is a part of a row.
static void row_page(const struct ts_plan_tensor *t, struct ts_value *value, uint32_t page,
                     uint8_t *bytes, bool write)
{
    uint32_t size = ts_plan_format_bytes(t->format), count = t->page / size;
    for (uint32_t i = 0; i < count; i++) {
        double *at = &value->at[(size_t)page * count + i];
        struct ts_matrix one = {.rows = 1, .columns = 1, .at = at};
        if (plain(t->format) && write)
            put_integer(t->format, *at, bytes + i * size);
        else if (plain(t->format))
            *at = take_integer(t->format, bytes + i * size);
        else if (write)
            ts_rows_encode(&one, t->format, bytes + i * size);
        else
            ts_rows_decode(&one, t->format, bytes + i * size);
    }
}

void ts_plan_page(const struct ts_plan_tensor *tensor, struct ts_value *value, uint32_t page,
                  uint8_t *bytes, bool write)
{
    (tensor->tiled ? tile_page : row_page)(tensor, value, page, bytes, write);
}

// What is stored is rounded to the format: results are compared with what the chip was given.
static void round_data(struct ts_plan_tensor *t)
{
    uint8_t *bytes = t->rounded ? NULL : calloc(1, t->page + 64);
    for (uint32_t p = 0; bytes && p < t->pages; p++) {
        ts_plan_page(t, &t->data, p, bytes, true); // rounds the values, except integers
        if (plain(t->format))
            ts_plan_page(t, &t->data, p, bytes, false);
    }
    t->rounded = true;
    free(bytes);
}

// --- expressions ---

struct scope {
    struct ts_plan *plan;
    const struct ts_plan_tensor *tensor; // whose contents or expectation it is
    uint64_t random;
    bool exact; // float64 on the original values: nothing is rounded
    bool dry;   // random numbers are one number; `drawn` says that there are any
    bool drawn;
    bool rounded; // some number was: without rounding it would be another
};

// Rounds the contents. What they were before is kept if it was something else.
static void keep_original(struct ts_plan *self, struct ts_plan_tensor *t)
{
    const size_t bytes = (size_t)t->rows * t->columns * sizeof *t->data.at;
    if (self->unchecked) // nothing is expected: only what another tensor reads is rounded
        return;
    if (!ts_value_init(&t->original, t->rows, t->columns)) {
        ts_fail(self->yaml.error, TS_NO_MEMORY, "out of memory");
        return;
    }
    memcpy(t->original.at, t->data.at, bytes);
    round_data(t);
    if (memcmp(t->original.at, t->data.at, bytes) == 0) {
        free(t->original.at);
        t->original.at = NULL;
    }
}

// What a tensor was filled with, also if nobody needed it before or it was dropped.
static void provide(struct ts_plan *self, struct ts_plan_tensor *t)
{
    struct ts_yaml_node fill = ts_yaml_find(t->node, "fill");
    const bool again = t->dropped;
    if (!t->unseen && !again)
        return;
    t->unseen = t->dropped = false;
    if (fill.node)
        ts_plan_evaluate(self, t, fill, false, &t->data);
    else if (!ts_value_init(&t->data, t->rows, t->columns))
        ts_fail(self->yaml.error, TS_NO_MEMORY, "out of memory");
    if (again && t->data.at)
        keep_original(self, t);
}

static bool indices(const struct ts_plan_tensor *t, bool rows, struct ts_value *value)
{
    if (!ts_value_init(value, t->rows, t->columns))
        return false;
    for (size_t i = 0; i < (size_t)t->rows * t->columns; i++)
        value->at[i] = (double)(rows ? i / t->columns : i % t->columns);
    return true;
}

// The core of a low-level kernel, each of which has tensors of its own.
static bool of_core(const struct ts_plan *self, const char *name, double *number)
{
    const int which = self->llk.on ? ts_word_index("core core_x core_y", name) : -1;
    if (which >= 0) {
        const struct ts_plan_xy at = self->cores[self->llk.core].at;
        *number = which == 0 ? self->llk.core : which == 1 ? at.x : at.y;
    }
    return which >= 0;
}

// NAME.sum, in a sequence over chips: of the tensors of all chips.
static bool sum_of(const struct scope *self, const char *name, struct ts_value *value)
{
    const struct ts_system *system = self->plan->system;
    char own[TS_PLAN_NAME];
    const char *dot = strchr(name, '.');
    if (self->plan->peers == NULL || dot == NULL || strcmp(dot, ".sum") != 0 ||
        (size_t)(dot - name) >= sizeof own)
        return false;
    snprintf(own, sizeof own, "%.*s", (int)(dot - name), name);
    const int index = ts_plan_tensor_find(self->plan, own);
    for (uint32_t c = 0; index >= 0 && c < (system ? system->chips : 1); c++) {
        const struct ts_plan_tensor *t = &self->plan->peers[c]->tensors[index];
        const struct ts_value *data = self->exact && t->original.at ? &t->original : &t->data;
        if (data->at == NULL || (c == 0 && !ts_value_init(value, t->rows, t->columns)))
            return false;
        for (size_t i = 0; i < (size_t)t->rows * t->columns; i++)
            value->at[i] += data->at[i];
    }
    return index >= 0;
}

static bool matrix_of(void *context, const char *name, struct ts_value *value)
{
    struct scope *self = context;
    int index = ts_plan_tensor_find(self->plan, name);
    if (index >= 0 && self->plan->tensors[index].bound)
        return false; // the sequence has its contents
    if (index >= 0) {
        struct ts_plan_tensor *t = &self->plan->tensors[index];
        provide(self->plan, t);
        if (!self->exact)
            round_data(t);
        self->rounded |= t->original.at != NULL;
        const struct ts_value *data = self->exact && t->original.at ? &t->original : &t->data;
        if (data->at == NULL || !ts_value_init(value, data->rows, data->columns))
            return false;
        memcpy(value->at, data->at, (size_t)data->rows * data->columns * sizeof(double));
        return true;
    }
    double number;
    if (ts_plan_known(self->plan, name, &number))
        return ts_value_number(value, number);
    if (strcmp(name, "row") == 0 || strcmp(name, "column") == 0)
        return indices(self->tensor, name[0] == 'r', value);
    return of_core(self->plan, name, &number) || ts_plan_word_value(self->plan, name, &number)
               ? ts_value_number(value, number)
               : sum_of(self, name, value);
}

static double uniform(uint64_t *state)
{
    return (double)(ts_random(state) >> 11) * 0x1p-53;
}

// random(seed, number): random numbers of the tensor's shape, mean 0 and deviation 1.
static bool random_of(const struct ts_plan_tensor *tensor, double seed, double number,
                      struct ts_value *value)
{
    if (!ts_value_init(value, tensor->rows, tensor->columns))
        return false;
    struct ts_matrix matrix = {.rows = value->rows, .columns = value->columns, .at = value->at};
    ts_matrix_random(&matrix, (uint64_t)seed * 1000003 + (uint64_t)number);
    return true;
}

// normal(mean, deviation), uniform(low, high), integers(low, high): random numbers of the tensor's
// shape; bf16(x) and the like: rounded to the format.
static bool call(void *context, const char *name, const struct ts_value *a, unsigned count,
                 struct ts_value *value, char *why, size_t room)
{
    struct scope *self = context;
    const char *chosen = ts_plan_chosen(self->plan, name);
    name = chosen ? chosen : name; // a parameter can be the function
    if (count == 2 && strcmp(name, "random") == 0 && !self->dry)
        return random_of(self->tensor, a[0].at[0], a[1].at[0], value);
    int kind = ts_word_index("normal uniform integers", name),
        format = ts_plan_format_by_name(name);
    if (kind >= 0 && count == 2 && self->dry) {
        self->drawn = true;
        return ts_value_number(value, a[0].at[0] + a[1].at[0]);
    }
    if (kind >= 0 && count == 2) {
        if (!ts_value_init(value, self->tensor->rows, self->tensor->columns))
            return false;
        double first = a[0].at[0], second = a[1].at[0];
        struct ts_matrix matrix = {.rows = value->rows, .columns = value->columns, .at = value->at};
        if (kind == 0)
            ts_matrix_random(&matrix, self->random);
        for (size_t i = 0; i < (size_t)value->rows * value->columns; i++)
            value->at[i] = kind == 0 ? first + second * value->at[i]
                           : kind == 1
                               ? first + (second - first) * uniform(&self->random)
                               : floor(first + (second - first + 1) * uniform(&self->random));
        return true;
    }
    if (format < 0 && chosen)
        return ts_eval_function(chosen, a, count, value, why, room);
    if (format < 0 || count != 1 || ts_plan_format_integer((unsigned)format) ||
        !ts_value_init(value, a->rows, a->columns))
        return false;
    self->rounded = true;
    for (size_t i = 0; i < (size_t)a->rows * a->columns; i++)
        value->at[i] = self->exact ? a->at[i] : ts_datum_round((unsigned)format, a->at[i]);
    return true;
}

// A matrix in the tensor's shape: one row or column is repeated. Takes `from`.
static void spread(const struct ts_plan_tensor *tensor, struct ts_yaml_node node,
                   struct ts_value *from, struct ts_value *value)
{
    struct ts_value both[2] = {*from, {.rows = tensor->rows, .columns = tensor->columns}};
    uint32_t rows, columns;
    if (from->rows == tensor->rows && from->columns == tensor->columns) {
        *value = *from;
        return;
    }
    if (!ts_value_shape(both, 2, &rows, &columns) || rows != tensor->rows ||
        columns != tensor->columns)
        ts_yaml_error(node, "this has %ux%u elements, the tensor %ux%u", from->rows, from->columns,
                      tensor->rows, tensor->columns);
    else if (!ts_value_init(value, rows, columns))
        ts_fail(node.file->error, TS_NO_MEMORY, "out of memory");
    for (uint32_t i = 0; value->at && i < rows; i++)
        for (uint32_t j = 0; j < columns; j++)
            value->at[(size_t)i * columns + j] = ts_value_at(from, i, j);
    free(from->at);
}

bool ts_plan_evaluate(struct ts_plan *self, struct ts_plan_tensor *tensor, struct ts_yaml_node node,
                      bool exact, struct ts_value *value)
{
    const char *text = ts_yaml_text(node, "");
    size_t index = (size_t)(tensor - self->tensors);
    struct scope scope = {.plan = self,
                          .tensor = tensor,
                          .random = (tensor->seed * 1000003 + index) * 2654435761u + 1,
                          .exact = exact};
    char why[200], path[PATH_MAX];
    struct ts_value from;
    if (ts_npy_is(text)) {
        ts_plan_path(self, path, sizeof path, text);
        if (!ts_npy_tensor(path, tensor, node, &from))
            return false;
    } else if (!ts_eval_matrix(text, &(struct ts_eval_names){matrix_of, call, &scope, false}, &from,
                               why, sizeof why)) {
        return ts_yaml_refuse(node, "%s", why);
    }
    spread(tensor, node, &from, value);
    return scope.rounded;
}

// Random numbers, parameters and + - * ? alone: finite numbers of the tensor's shape for every seed.
static bool only_random(const struct ts_plan *self, const char *text)
{
    char name[TS_PLAN_NAME];
    double number;
    if (text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_. "
                          "(),?:=<>!&|+-*")])
        return false;
    if (strstr(text, "**"))
        return false;
    for (const char *at = text; *at;) {
        size_t length = strspn(at,
                               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
        bool number_here = length && (*at == '.' || (*at >= '0' && *at <= '9'));
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        at += length ? length : 1;
        if (length == 0 || number_here)
            continue;
        bool called = at[strspn(at, " ")] == '(';
        if (called ? ts_word_index("normal uniform", name) < 0
                   : ts_plan_tensor_find(self, name) >= 0 || !ts_plan_known(self, name, &number))
            return false;
    }
    return true;
}

// Without arithmetic nobody looks at random floats: their bytes change no cycle, so they are not
// prepared, except for other tensors that are made from them and for `seen: true`.
static bool is_unseen(struct ts_plan *self, const struct ts_plan_tensor *t,
                      struct ts_yaml_node from)
{
    const char *text = ts_yaml_text(from, "");
    char why[200];
    struct scope scope = {.plan = self, .tensor = t, .dry = true};
    struct ts_value value = {0};
    if (!self->no_floats || ts_plan_format_integer(t->format) || t->seen ||
        !only_random(self, text))
        return false;
    bool good = ts_eval_matrix(text, &(struct ts_eval_names){matrix_of, call, &scope, false},
                               &value, why, sizeof why) &&
                scope.drawn && value.rows == 1 && value.columns == 1 && isfinite(value.at[0]);
    free(value.at);
    return good;
}

// --- the file's tensors ---

// The chip's formats round NaN and infinity to other numbers: they are refused, not changed.
static void refuse_odd(const struct ts_plan_tensor *t, struct ts_yaml_node node)
{
    uint64_t nan = 0, infinite = 0;
    size_t first = 0, count = (size_t)t->rows * t->columns;
    for (size_t i = 0; i < count; i++) {
        double value = t->data.at[i];
        if (!isfinite(value) && nan + infinite == 0)
            first = i;
        nan += isnan(value) != 0;
        infinite += isinf(value) != 0;
    }
    if (nan + infinite)
        ts_yaml_error(node,
                      "%llu of the %zu values are NaN, %llu infinite, the first in row %zu, column "
                      "%zu: %s does not hold them as they are",
                      (unsigned long long)nan, count, (unsigned long long)infinite,
                      first / t->columns, first % t->columns, ts_plan_format_name(t->format));
}

// Contents that a setting names: FILE.npy, relative to the current folder.
static void take_given(struct ts_plan_tensor *t, struct ts_yaml_node node, const char *given)
{
    struct ts_value from;
    if (!ts_npy_is(given))
        ts_yaml_error(node, "--param %s=%.80s: the contents of a tensor are an .npy file", t->name,
                      given);
    else if (ts_npy_tensor(given, t, node, &from))
        spread(t, node, &from, &t->data);
}

// given: a setting that replaces what the file says; NULL: none.
static void fill(struct ts_plan *self, struct ts_plan_tensor *t, struct ts_yaml_node node,
                 const char *given)
{
    struct ts_yaml_node from = ts_yaml_find(node, "fill"), file = ts_yaml_find(node, "file");
    if (from.node && file.node)
        ts_yaml_error(file, "a tensor has a fill or a file");
    if (file.node)
        from = file;
    if (given)
        from = node;
    t->filled = from.node != NULL;
    t->made = !given && !file.node;
    // What the file leaves out is 0, as memory is.
    t->unseen = from.node == NULL ? self->no_floats && !t->seen
                                  : !given && !file.node && is_unseen(self, t, from);
    if (t->unseen)
        return;
    if (given)
        take_given(t, node, given);
    else if (from.node)
        ts_plan_evaluate(self, t, from, false, &t->data);
    else if (!ts_value_init(&t->data, t->rows, t->columns))
        ts_fail(self->yaml.error, TS_NO_MEMORY, "out of memory");
    if (t->data.at == NULL)
        return;
    if (from.node)
        refuse_odd(t, from);
    keep_original(self, t);
}

// How close a result has to be unless the file says it.
static double usual_pcc(unsigned format)
{
    const char *name = ts_plan_format_name(format);
    return strncmp(name, "bfp2", 4) == 0 ? 0.9 : strncmp(name, "bfp4", 4) == 0 ? 0.99 : 0.999;
}

static void expect(struct ts_plan *self, struct ts_plan_tensor *t)
{
    struct ts_yaml_node want = ts_yaml_find(t->node, "expect");
    if (want.node && !self->unchecked && ts_plan_evaluate(self, t, want, false, &t->want) &&
        t->want.at)
        ts_plan_evaluate(self, t, want, true, &t->exact);
}

static void read_expected(struct ts_plan *self, struct ts_plan_tensor *t, struct ts_yaml_node node)
{
    struct ts_yaml_node pcc = ts_yaml_find(node, "pcc"), want = ts_yaml_find(node, "expect"),
                        tolerance = ts_yaml_find(node, "tolerance");
    char path[PATH_MAX];
    if (!want.node && (pcc.node || tolerance.node))
        ts_yaml_error(pcc.node ? pcc : tolerance, "nothing is expected of this tensor (expect:)");
    t->pcc = ts_yaml_real(
        pcc, ts_plan_format_integer(t->format) || tolerance.node ? -1 : usual_pcc(t->format));
    t->tolerance = ts_yaml_real(
        tolerance, ts_plan_format_integer(t->format) && !pcc.node ? 0 : (double)INFINITY);
    if (!(t->pcc >= -1 && t->pcc <= 1))
        ts_yaml_error(pcc, "a correlation lies from -1 to 1");
    if (!(t->tolerance >= 0))
        ts_yaml_error(tolerance, "a tolerance is 0 or more");
    t->save = ts_yaml_text(ts_yaml_find(node, "save"), NULL);
    if (t->save)
        ts_plan_path(self, path, sizeof path, t->save);
    if (t->save && !(self->allow & TS_PLAN_ALLOW_SAVE) && !ts_private_below(self->folder, path))
        ts_yaml_error(ts_yaml_find(node, "save"),
                      "%.200s lies outside the folder of this file, or in a folder that is not "
                      "there: if you trust the file, give --allow=save",
                      t->save);
    expect(self, t);
}

void ts_plan_drop(struct ts_value *value)
{
    free(value->at);
    value->at = NULL;
}

void ts_plan_tensors_drop(struct ts_plan *self)
{
    for (uint32_t i = 0; i < self->tensor_count && self->system; i++) {
        struct ts_plan_tensor *t = &self->tensors[i];
        ts_plan_drop(&t->exact);
        if (!t->wrong) {
            ts_plan_drop(&t->want);
            ts_plan_drop(&t->got);
        }
        if (!t->made || t->data.at == NULL)
            continue;
        ts_plan_drop(&t->data);
        ts_plan_drop(&t->original);
        t->dropped = true;
        t->rounded = false;
    }
}

void ts_plan_tensor_provide(struct ts_plan *self, struct ts_plan_tensor *tensor,
                            struct ts_error *error)
{
    self->yaml.error = error;
    if (tensor->dropped)
        provide(self, tensor);
}

void ts_plan_tensor_expect(struct ts_plan *self, struct ts_plan_tensor *tensor,
                           struct ts_error *error)
{
    self->yaml.error = error;
    if (tensor->want.at == NULL)
        expect(self, tensor);
}

void ts_plan_tensors_fill(struct ts_plan *self, struct ts_yaml_node map,
                          const struct ts_plan_options *options)
{
    for (uint32_t i = 0; i < self->tensor_count && self->yaml.error->code == TS_OK && !self->bare;
         i++)
        if (!self->tensors[i].bound && !(self->space && self->tensors[i].host))
            fill(self, &self->tensors[i], ts_yaml_value(map, i),
                 ts_plan_setting(options, self->tensors[i].name));
    for (uint32_t i = 0; i < self->tensor_count && self->yaml.error->code == TS_OK; i++)
        read_expected(self, &self->tensors[i], ts_yaml_value(map, i));
    ts_plan_tensors_drop(self);
}
