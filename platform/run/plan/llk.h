// Low-level kernels: a program file with `runtime: llk' on tiles without a host's runtime.
//
//   plan --> ts_llk_build (tiles, a chip if the file names one) --> elaborate --> ts_llk_start (images, launch block,
//   operands in L1 and DRAM) --> run --> ts_llk_finish (zones, results)
//
// Firmware, launch block and places in L1 are those of cores/guest/include/launch.h.
#pragma once

#include "platform/run/plan/plan.h"
#include "platform/run/work.h"

bool ts_llk_build(struct ts_work *work, const struct ts_tile_config *config,
                  struct ts_kernel *kernel, struct ts_error *error);
bool ts_llk_start(struct ts_work *work, struct ts_error *error);
// Of each core: zones, figures, and the comparison of its result.
void ts_llk_finish(struct ts_work *work, const struct ts_run *run);
// The completed share of the work of a core.
double ts_llk_share(struct ts_job *job);
// What runs: "matmul 64x64x64 bf16".
void ts_llk_title(const struct ts_plan *plan, char *text, size_t size);
// The options of a plan as a document has them.
void ts_llk_json(const struct ts_plan *plan, json_t *document);
// What the file warns of; false: nothing.
bool ts_llk_warning(const struct ts_plan *plan, char *text, size_t size);

// --- read_llk.c ---
// The arguments of a core's kernel.
void ts_llk_args(struct ts_plan *self, uint32_t core, uint32_t args[TS_ARGS]);
// The embedded image of a processor: "matmul_general.math".
void ts_llk_image(const struct ts_plan *self, unsigned processor, char *name, size_t size);

// --- llk_data.c ---
// Operands of a core to L1 and DRAM.
bool ts_llk_store(struct ts_work *work, uint32_t core, struct ts_error *error);
// Its result, compared with what the file expects.
void ts_llk_compare(struct ts_work *work, uint32_t core, struct ts_job_result *result,
                    struct ts_error *error);
// A tensor of a core as it is in memory now; value->at is the caller's.
bool ts_llk_take(struct ts_work *work, uint32_t core, struct ts_plan_tensor *tensor,
                 struct ts_value *value, struct ts_error *error);
