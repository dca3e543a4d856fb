// The pages of tensors, to the chip before a run and from it after it.
#include "platform/kernel/cluster.h"
#include "platform/run/plan/data.h"
#include "platform/run/plan/npy.h"

static struct ts_noc_xy bank_xy(const struct ts_plan *self, const struct ts_plan_tensor *t,
                                uint32_t bank)
{
    if (t->dram)
        return self->soc.dram[bank / self->soc.parts][0];
    return ts_plan_raw(self, t->sharded ? t->shard_cores.at[bank] : self->banks[bank]);
}

static bool move_pages(struct ts_plan *self, struct ts_plan_tensor *t, struct ts_value *value,
                       struct ts_chip *chip, bool write, struct ts_error *error)
{
    uint8_t *bytes = calloc(1, t->page + 64);
    if (bytes == NULL)
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    for (uint32_t p = 0; p < t->pages && error->code == TS_OK; p++) {
        uint32_t bank;
        uint64_t address = t->address + ts_plan_page_at(self, t, p, &bank);
        struct ts_noc_xy at = bank_xy(self, t, bank);
        if (t->dram)
            address += bank % self->soc.parts * chip->dram[0].part_bytes;
        if (write) {
            ts_plan_page(t, value, p, bytes, true);
            ts_chip_write(chip, at, address, bytes, t->page, error);
        } else if (ts_chip_read(chip, at, address, bytes, t->page, error) == TS_OK) {
            ts_plan_page(t, value, p, bytes, false);
        }
    }
    free(bytes);
    return error->code == TS_OK;
}

bool ts_plan_store(struct ts_plan *self, struct ts_chip *chip, struct ts_error *error)
{
    for (uint32_t i = 0; i < self->tensor_count && !self->bare; i++) {
        struct ts_plan_tensor *t = &self->tensors[i];
        if (t->host || t->bound)
            continue;
        ts_plan_tensor_provide(self, t, error);
        if (error->code != TS_OK ||
            (t->data.at && !move_pages(self, t, &t->data, chip, true, error)))
            return false;
    }
    ts_plan_tensors_drop(self);
    return true;
}

static const char *npy_type(unsigned format)
{
    return !ts_plan_format_integer(format)                       ? "<f4"
           : strncmp(ts_plan_format_name(format), "int", 3) == 0 ? "<i4"
                                                                 : "<u4";
}

bool ts_plan_put(struct ts_plan *self, struct ts_plan_tensor *tensor, struct ts_chip *chip,
                 struct ts_error *error)
{
    return move_pages(self, tensor, &tensor->data, chip, true, error);
}

bool ts_plan_take(struct ts_plan *self, struct ts_plan_tensor *tensor, struct ts_chip *chip,
                  struct ts_value *value, struct ts_error *error)
{
    if (!ts_value_init(value, tensor->rows, tensor->columns))
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    return move_pages(self, tensor, value, chip, false, error);
}

bool ts_plan_fetch(struct ts_plan *self, struct ts_chip *chip, struct ts_error *error)
{
    for (uint32_t i = 0; i < self->tensor_count; i++) {
        struct ts_plan_tensor *t = &self->tensors[i];
        if (t->host || (self->unchecked && t->save == NULL))
            continue;
        ts_plan_tensor_expect(self, t, error);
        if (error->code != TS_OK)
            return false;
        if (t->want.at == NULL && t->save == NULL)
            continue;
        if (!ts_plan_take(self, t, chip, &t->got, error))
            return false;
        char path[PATH_MAX];
        if (t->save)
            ts_plan_path(self, path, sizeof path, t->save);
        if (t->save && ts_kernel_is_first(chip->kernel) &&
            !ts_npy_write(path, &t->got, npy_type(t->format), error))
            return false;
        if (t->want.at == NULL)
            continue;
        struct ts_matrix got = {.rows = t->rows, .columns = t->columns, .at = t->got.at},
                         want = {.rows = t->rows, .columns = t->columns, .at = t->want.at},
                         exact = {.rows = t->rows, .columns = t->columns, .at = t->exact.at};
        // 16-bit rounding serves for integers: only their error counts.
        bool datum = ts_datum_usable(t->format);
        t->agreement = ts_matrix_compare(&got, &want, datum ? t->format : 8);
        t->end_to_end = exact.at ? ts_matrix_compare(&got, &exact, datum ? t->format : 8)
                                 : t->agreement;
        t->checked = true;
        t->wrong = !(t->agreement.pcc >= t->pcc) || !(t->agreement.rel_l2 <= t->tolerance);
    }
    ts_plan_tensors_drop(self);
    return true;
}
