// A chip without tiles for tests: parameters from config/, scripted traffic, conservation checked
// after every run.
#ifndef TENSIM_TESTS_CHIP_RIG_H
#define TENSIM_TESTS_CHIP_RIG_H

#include "platform/base/hash.h"
#include "platform/chip/traffic.h"
#include "tests/chip/window.h"
#include "tests/random.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

struct rig {
    struct ts_params params;
    struct ts_kernel *kernel;
    struct ts_chip chip;
    struct ts_traffic drivers[256];
    size_t driver_count;
    struct ts_run run;
    struct ts_error error;
    bool elaborated;
};

static inline void rig_init(struct rig *self, const char *name, uint32_t threads,
                            const char *const *sets)
{
    memset(self, 0, sizeof *self);
    struct ts_error *error = &self->error;
    char path[512];
    struct ts_soc soc;
    ck_assert_msg(ts_soc_find(&soc, name, error) == TS_OK, "%s", error->text);
    ts_config_path(path, sizeof path, soc.machine->numbers);
    ts_chip_params_add(&self->params);
    ck_assert_msg(ts_params_load(&self->params, path, error) == TS_OK, "%s", error->text);
    for (; sets && *sets; sets++)
        ck_assert_msg(ts_params_set(&self->params, *sets, error) == TS_OK, "%s", error->text);
    self->kernel = ts_kernel_new(
        &(struct ts_kernel_config){.threads = threads, .window = rig_window});
    ck_assert_msg(ts_chip_init(&self->chip, self->kernel, &soc, &self->params, NULL, 0, error) ==
                      TS_OK,
                  "%s", error->text);
}

static inline void rig_drive(struct rig *self, struct ts_noc_xy tile, struct ts_traffic_op *ops,
                             size_t count)
{
    ts_traffic_init(&self->drivers[self->driver_count++], &self->chip, tile, ops, count);
}

static inline void rig_run(struct rig *self, ts_cycle limit)
{
    struct ts_error *error = &self->error;
    if (!self->elaborated)
        ck_assert_msg(ts_kernel_elaborate(self->kernel, error) == TS_OK, "%s", error->text);
    self->run = ts_kernel_run(self->kernel, limit);
    ck_assert_msg(self->run.stop != TS_STOP_FAULT, "%s", self->run.error.text);
    ck_assert_msg(ts_chip_check(&self->chip, &self->run, error) == TS_OK, "%s", error->text);
}

static inline void rig_free(struct rig *self)
{
    ts_chip_free(&self->chip);
    ts_kernel_free(self->kernel);
    ts_params_free(&self->params);
}

static inline struct ts_noc_xy at(unsigned x, unsigned y)
{
    return (struct ts_noc_xy){(uint8_t)x, (uint8_t)y};
}

// Bytes that differ by place and seed.
static inline void rig_fill(struct rig *self, struct ts_noc_xy tile, uint64_t address,
                            uint32_t length, uint32_t seed)
{
    unsigned char *bytes = malloc(length);
    for (uint32_t i = 0; i < length; i++)
        bytes[i] = (unsigned char)((i * 2654435761u + seed * 40503u) >> 13);
    ck_assert_int_eq(ts_chip_write(&self->chip, tile, address, bytes, length, &self->error), TS_OK);
    free(bytes);
}

static inline void rig_expect(struct rig *self, struct ts_noc_xy tile, uint64_t address,
                              uint32_t length, uint32_t seed)
{
    unsigned char *bytes = malloc(length);
    ck_assert_int_eq(ts_chip_read(&self->chip, tile, address, bytes, length, &self->error), TS_OK);
    // An assertion costs a write to check's pipe: one for all bytes.
    uint32_t same = 0;
    while (same < length &&
           bytes[same] == (unsigned char)((same * 2654435761u + seed * 40503u) >> 13))
        same++;
    ck_assert_msg(same == length, "byte %u at 0x%llx of %u-%u differs", same,
                  (unsigned long long)address, tile.x, tile.y);
    free(bytes);
}

#endif
