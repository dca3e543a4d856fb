// Builds and runs a chip without tiles (rig.h).
#include "platform/study/silicon/rig.h"

#include <stdlib.h>

struct rig *rig_new(const char *name, const struct ts_silicon_context *context,
                    struct ts_error *error)
{
    struct rig *self = calloc(1, sizeof *self);
    struct ts_soc soc;
    if (self == NULL)
        abort();
    self->error = error;
    self->kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    if (ts_soc_find(&soc, name, error) == TS_OK)
        ts_chip_init(&self->chip, self->kernel, &soc, context->params, NULL, 0, error);
    return self;
}

void rig_drive(struct rig *self, struct ts_noc_xy tile, struct ts_traffic_op *ops, size_t count)
{
    if (self->error->code == TS_OK)
        ts_traffic_init(&self->drivers[self->driver_count++], &self->chip, tile, ops, count);
}

bool rig_run(struct rig *self, ts_cycle limit)
{
    if (self->error->code != TS_OK || ts_kernel_elaborate(self->kernel, self->error) != TS_OK)
        return false;
    self->run = ts_kernel_run(self->kernel, limit);
    if (self->run.stop != TS_STOP_DONE)
        ts_fail(self->error, TS_BUG, "%s: %s", ts_stop_name(self->run.stop), self->run.error.text);
    else
        ts_chip_check(&self->chip, &self->run, self->error);
    return self->error->code == TS_OK;
}

void rig_free(struct rig *self)
{
    ts_chip_free(&self->chip);
    ts_kernel_free(self->kernel);
    free(self);
}
