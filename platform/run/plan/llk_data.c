// Operands and results of low-level kernels: made by the file's expressions for each core, in its L1 or in DRAM (llk.h).
//
// A tensor of the file is a core's own. `part:` says where it lies in a matrix that the cores share: in DRAM, tile by tile,
// row by row, with the channels in turn; or some of its tiles in each core's L1.
#include "platform/run/plan/data.h"
#include "platform/run/plan/llk.h"

// --- places ---

// Where a core's tensor is.
struct place {
    struct ts_work *work;
    struct ts_plan_tensor *tensor;
    uint32_t core;
    bool dram, here;          // here: this core stores it
    uint32_t of, row, column; // tiles of a row of the whole matrix, and where this part begins
    uint32_t at;              // in every channel
    uint32_t first;           // of its tiles, that L1 has
};

static uint32_t field(const struct place *self, struct ts_yaml_node map, const char *name,
                      uint32_t otherwise)
{
    const struct ts_plan_scope scope = {
        .plan = self->work->plan, .cores = &self->work->plan->sets[0], .index = self->core};
    struct ts_yaml_node node = map.node ? ts_yaml_find(map, name) : map;
    return node.node ? ts_plan_word(&scope, node) : otherwise;
}

static struct place place_of(struct ts_work *work, uint32_t core, struct ts_plan_tensor *tensor)
{
    struct place self = {.work = work, .tensor = tensor, .core = core};
    struct ts_yaml_node part = ts_yaml_find(tensor->node, "part");
    self.dram = field(&self, part, "dram", 0);
    self.here = !self.dram || field(&self, part, "here", 1);
    self.of = field(&self, part, "of", 1);
    self.row = field(&self, part, "row", 0);
    self.column = field(&self, part, "column", 0);
    self.at = field(&self, part, "at", 0);
    self.first = field(&self, part, "first", 0);
    return self;
}

// Tile i, in the order of the buffer.
static void tile_at(const struct place *self, uint32_t i, uint32_t *row, uint32_t *column)
{
    const struct ts_plan_tensor *t = self->tensor;
    struct ts_yaml_node order = ts_yaml_find(t->node, "order");
    if (order.node && !ts_yaml_is_list(order)) {
        const struct ts_plan_scope scope = {.plan = self->work->plan, .turn = i + 1};
        *row = ts_plan_word(&scope, ts_yaml_require(order, "row")) % t->pages_down;
        *column = ts_plan_word(&scope, ts_yaml_require(order, "column")) % t->pages_across;
        return;
    }
    const uint32_t each = t->block_rows * t->block_columns, block = i / each, rest = i % each,
                   across = t->pages_across / t->block_columns;
    *row = (block / across * t->block_rows + rest / t->block_columns) % t->pages_down;
    *column = block % across * t->block_columns + rest % t->block_columns;
}

static bool dram_access(const struct place *self, uint32_t row, uint32_t column, bool write,
                        uint8_t *bytes, struct ts_error *error)
{
    struct ts_chip *chip = &self->work->chip;
    const uint32_t tile = (self->row + row) * self->of + self->column + column;
    const struct ts_noc_xy at = chip->soc.dram[tile % TS_DRAM_CHANNELS][0];
    const uint64_t address = self->at + (uint64_t)(tile / TS_DRAM_CHANNELS) * self->tensor->page;
    return (write ? ts_chip_write(chip, at, address, bytes, self->tensor->page, error)
                  : ts_chip_read(chip, at, address, bytes, self->tensor->page, error)) == TS_OK;
}

static struct ts_matrix matrix_of(const struct ts_plan_tensor *t, const struct ts_value *value)
{
    return (struct ts_matrix){t->rows, t->columns, value->at, t->tile_rows, t->tile_columns};
}

// Rounds the values to the tensor's format, and stores them if `store`.
static bool put(const struct place *self, struct ts_value *value, bool store,
                struct ts_error *error)
{
    const struct ts_plan_tensor *t = self->tensor;
    struct ts_matrix matrix = matrix_of(t, value);
    struct ts_l1 *l1 = &self->work->jobs[self->core].tile->l1;
    uint8_t buffer[4096];
    if (!t->tiled) {
        uint8_t *rows = malloc((size_t)t->pages * t->page + 64);
        if (rows == NULL)
            return ts_refuse(error, TS_NO_MEMORY, "out of memory");
        ts_rows_encode(&matrix, t->format, rows);
        if (store)
            ts_l1_write(l1, t->address, rows, t->pages * t->page, 0);
        free(rows);
        return true;
    }
    const bool whole = !store || self->dram;
    for (uint32_t i = 0; i < (whole ? t->pages_down * t->pages_across : t->pages); i++) {
        uint32_t row = i / t->pages_across, column = i % t->pages_across;
        if (!whole)
            tile_at(self, self->first + i, &row, &column);
        ts_tile_encode(&matrix, row, column, t->format, buffer);
        if (store && self->dram && !dram_access(self, row, column, true, buffer, error))
            return false;
        if (store && !self->dram)
            ts_l1_write(l1, t->address + i * t->page, buffer, t->page, 0);
    }
    return true;
}

// --- before the run ---

static bool make(struct ts_plan *plan, struct ts_plan_tensor *t, struct ts_error *error)
{
    ts_plan_evaluate(plan, t, ts_plan_case(plan, ts_yaml_find(t->node, "fill")), false, &t->data);
    return error->code == TS_OK && t->data.at != NULL;
}

bool ts_llk_store(struct ts_work *work, uint32_t core, struct ts_error *error)
{
    struct ts_plan *plan = work->plan;
    plan->llk.core = core;
    for (uint32_t i = 0; i < plan->tensor_count; i++) {
        struct ts_plan_tensor *t = &plan->tensors[i];
        const struct place place = place_of(work, core, t);
        if (!t->filled || !place.here)
            continue;
        const bool good = make(plan, t, error) && put(&place, &t->data, true, error);
        ts_plan_drop(&t->data);
        if (!good)
            return false;
    }
    return true;
}

// --- after it ---

bool ts_llk_take(struct ts_work *work, uint32_t core, struct ts_plan_tensor *tensor,
                 struct ts_value *value, struct ts_error *error)
{
    work->plan->yaml.error = error;
    const struct place place = place_of(work, core, tensor);
    const uint8_t *l1 = work->jobs[core].tile->l1.bytes + tensor->address;
    if (!ts_value_init(value, tensor->rows, tensor->columns))
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    struct ts_matrix matrix = matrix_of(tensor, value);
    if (!tensor->tiled) {
        ts_rows_decode(&matrix, tensor->format, l1);
        return true;
    }
    for (uint32_t i = 0; i < tensor->pages; i++) {
        uint32_t row, column;
        uint8_t buffer[4096];
        tile_at(&place, place.first + i, &row, &column);
        if (place.dram && !dram_access(&place, row, column, false, buffer, error))
            return false;
        ts_tile_decode(&matrix, row, column, tensor->format,
                       place.dram ? buffer : l1 + i * tensor->page);
    }
    return true;
}

// The operands once more: as they were made, and rounded.
static bool make_again(struct ts_work *work, uint32_t core, struct ts_error *error)
{
    struct ts_plan *plan = work->plan;
    plan->llk.core = core;
    plan->yaml.error = error;
    for (uint32_t i = 0; i < plan->tensor_count; i++) {
        struct ts_plan_tensor *t = &plan->tensors[i];
        const struct place place = place_of(work, core, t);
        if (!t->filled)
            continue;
        if (!make(plan, t, error) || !ts_value_init(&t->original, t->rows, t->columns))
            return ts_refuse(error, TS_NO_MEMORY, "out of memory");
        memcpy(t->original.at, t->data.at, (size_t)t->rows * t->columns * sizeof *t->data.at);
        put(&place, &t->data, false, error);
        t->rounded = true;
    }
    return error->code == TS_OK;
}

// Of a large product, end to end: the first rows stand for all.
static void compare(struct ts_work *work, struct ts_plan_tensor *t, const struct ts_value *got,
                    struct ts_job_result *result)
{
    struct ts_plan *plan = work->plan;
    const struct ts_numbers *numbers = &work->jobs[0].numbers;
    struct ts_yaml_node expect = ts_plan_case(plan, ts_yaml_find(t->node, "expect"));
    struct ts_value want = {0}, exact = {0};
    const uint32_t rows = t->rows, some = ts_end_to_end_rows(numbers);
    ts_plan_evaluate(plan, t, expect, false, &want);
    if (want.at == NULL)
        return;
    if (ts_datum_integer(t->format)) // saturated
        for (size_t i = 0; i < (size_t)t->rows * t->columns; i++)
            want.at[i] = ts_datum_round(t->format, want.at[i]);
    struct ts_matrix a = matrix_of(t, got), b = matrix_of(t, &want);
    result->agreement = ts_matrix_compare(&a, &b, t->format);
    result->checked = true;
    if (some < rows)
        t->rows = plan->tensors[0].original.rows = some;
    ts_plan_evaluate(plan, t, expect, true, &exact);
    a = matrix_of(t, got), b = matrix_of(t, &exact);
    if (exact.at)
        result->end_to_end = ts_matrix_compare(&a, &b, t->format);
    t->rows = rows;
    ts_plan_drop(&want);
    ts_plan_drop(&exact);
}

void ts_llk_compare(struct ts_work *work, uint32_t core, struct ts_job_result *result,
                    struct ts_error *error)
{
    struct ts_plan *plan = work->plan;
    const bool made = make_again(work, core, error);
    for (uint32_t i = 0; made && i < plan->tensor_count; i++) {
        struct ts_plan_tensor *t = &plan->tensors[i];
        struct ts_value got = {0};
        if (t->expected && ts_llk_take(work, core, t, &got, error))
            compare(work, t, &got, result);
        ts_plan_drop(&got);
    }
    for (uint32_t i = 0; i < plan->tensor_count; i++) {
        ts_plan_drop(&plan->tensors[i].data);
        ts_plan_drop(&plan->tensors[i].original);
    }
}
