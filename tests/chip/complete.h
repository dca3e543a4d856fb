// A p150 with all its tiles, for the chip's tests.
#ifndef TENSIM_TESTS_CHIP_COMPLETE_H
#define TENSIM_TESTS_CHIP_COMPLETE_H

#include "platform/chip/chip.h"
#include "tests/chip/window.h"

#include <check.h>

struct complete_rig {
    struct ts_params params;
    struct ts_soc soc;
    struct ts_kernel *kernel;
    struct ts_chip chip;
};

static inline void complete_rig_init(struct complete_rig *self, uint32_t threads)
{
    struct ts_error error = {TS_OK, ""};
    char path[512];
    *self = (struct complete_rig){0};
    ts_config_path(path, sizeof path, "blackhole.yaml");
    ts_chip_params_add(&self->params);
    ck_assert_msg(ts_params_load(&self->params, path, &error) == TS_OK, "%s", error.text);
    ck_assert_msg(ts_soc_find(&self->soc, "p150", &error) == TS_OK, "%s", error.text);
    self->kernel = ts_kernel_new(
        &(struct ts_kernel_config){.threads = threads, .window = rig_window});
    struct ts_tile_config config = ts_tile_config_from(&self->params);
    ck_assert_msg(ts_chip_init_complete(&self->chip, self->kernel, &self->soc, &self->params,
                                        &config, &error) == TS_OK,
                  "%s", error.text);
    ck_assert_msg(ts_kernel_elaborate(self->kernel, &error) == TS_OK, "%s", error.text);
}

static inline void complete_rig_free(struct complete_rig *self)
{
    ts_chip_free(&self->chip);
    ts_kernel_free(self->kernel);
    ts_params_free(&self->params);
}

#endif
