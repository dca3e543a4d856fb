// What lies where in L1 and DRAM, for checks (platform/check/memory.h).
#include "platform/run/plan/launch.h"

static bool filled(const struct ts_plan *plan, const struct ts_plan_tensor *tensor)
{
    return plan->bare || ts_yaml_find(tensor->node, "fill").node ||
           ts_yaml_find(tensor->node, "file").node;
}

static struct ts_check_area tensor_area(const struct ts_plan *plan,
                                        const struct ts_plan_tensor *tensor)
{
    return (struct ts_check_area){.address = tensor->address,
                                  .length = tensor->bank_bytes,
                                  .page = tensor->page,
                                  .stride = tensor->stride,
                                  .kind = TS_AREA_TENSOR,
                                  .format = (uint8_t)tensor->format,
                                  .dram = tensor->dram,
                                  .filled = filled(plan, tensor)};
}

// Those of L1 if `all`, and those of DRAM in each of its parts.
static void add_tensors(const struct ts_plan *plan, struct ts_check *check, bool all)
{
    for (uint32_t i = 0; i < plan->tensor_count; i++) {
        struct ts_check_area area = tensor_area(plan, &plan->tensors[i]);
        const uint32_t parts = plan->tensors[i].host ? 0 : area.dram ? plan->soc.parts : all;
        for (uint32_t part = 0; part < parts; part++) {
            ts_memory_add(check, &area, NULL);
            area.address += plan->dram_end;
        }
    }
}

static bool here(const struct ts_launch_core *self, const struct ts_plan_cb *cb)
{
    return self->core->block.cb_mask[cb->id / 32] >> cb->id % 32 & 1;
}

static void add_buffer(struct ts_launch_core *self, const struct ts_plan_cb *cb)
{
    const struct ts_plan *plan = self->run->plan;
    const struct ts_tile *tile = self->job->tile;
    bool shared = cb->with >= 0;
    for (uint32_t i = 0; i < plan->cb_count; i++)
        shared |= plan->cbs[i].with >= 0 && &plan->cbs[plan->cbs[i].with] == cb;
    ts_memory_add(
        tile->check,
        &(struct ts_check_area){.address = cb->address,
                                .length = (uint64_t)cb->pages * cb->page,
                                .page = cb->page,
                                .stride = cb->page,
                                .kind = TS_AREA_BUFFER,
                                .format = (uint8_t)cb->format,
                                .filled = cb->on >= 0},
        &(struct ts_check_ring){.received = tile->counters.received + tile->counters.step * cb->id,
                                .acked = tile->counters.acked + tile->counters.step * cb->id,
                                .pages = cb->pages,
                                .shared = shared || cb->on >= 0});
}

void ts_launch_areas(struct ts_launch_core *self)
{
    const struct ts_plan *plan = self->run->plan;
    struct ts_check *check = self->job->tile->check;
    if (check == NULL)
        return;
    check->memory.whole = true;
    ts_memory_add(check,
                  &(struct ts_check_area){.address = TS_PROGRAM_CODE,
                                          .length = TS_PROGRAM - TS_PROGRAM_CODE,
                                          .kind = TS_AREA_CODE},
                  NULL);
    ts_memory_add(
        check,
        &(struct ts_check_area){.address = TS_PROGRAM,
                                .length = plan->config + 4 * self->core->word_count - TS_PROGRAM,
                                .kind = TS_AREA_LAUNCH},
        NULL);
    for (uint32_t i = 0; i < plan->semaphore_count; i++)
        ts_memory_add(
            check,
            &(struct ts_check_area){.address = self->core->block.semaphores + TS_SEMAPHORE_STEP * i,
                                    .length = TS_SEMAPHORE_STEP,
                                    .kind = TS_AREA_SEMAPHORE},
            NULL);
    add_tensors(plan, check, true);
    for (uint32_t i = 0; i < plan->cb_count; i++)
        if (here(self, &plan->cbs[i]))
            add_buffer(self, &plan->cbs[i]);
}

void ts_launch_dram_areas(const struct ts_plan *plan, struct ts_chip *chip)
{
    for (unsigned channel = 0; channel < TS_SOC_CHANNELS; channel++)
        if (chip->dram[channel].check)
            add_tensors(plan, chip->dram[channel].check, false);
}
