// Options of a kernel together: which of them exclude each other (spec.h).
#include "platform/run/spec.h"

#include "platform/run/formats.h"

#include <stdio.h>
#include <string.h>

// A level that the firmware cannot ask for.
static bool bad_flip(const struct ts_job_spec *s)
{
    for (const struct ts_flip *flip = s->flips; flip->at != 0; flip++)
        if (flip->level >= 0 && flip->level != TS_THROTTLE_MAX &&
            (uint32_t)flip->level != s->throttle)
            return true;
    return false;
}

// Does the kernel multiply with this operation? Sums and maxima need no phases.
static bool multiplies(const struct ts_job_spec *s)
{
    return s->op == NULL ||
           (strcmp(s->op, "add") != 0 && strcmp(s->op, "sub") != 0 && strcmp(s->op, "max") != 0);
}

// An option that --kernel, given after it, does not have.
static bool other_kernel(const struct ts_job_spec *s, char *text, size_t size)
{
    const struct ts_job_kind *kind = ts_job_kind_find(s->program);
    for (unsigned id = 0; ts_spec_given(s, TS_OPTION_KERNEL) && id < TS_JOB_OPTIONS; id++)
        if (id != TS_OPTION_KERNEL && ts_spec_given(s, id) && !ts_option_applies(id, kind)) {
            snprintf(text, size, "%s has no --%s; these kernels have it: %s", kind->name,
                     ts_job_options[id].name, ts_job_options[id].programs);
            return true;
        }
    return false;
}

bool ts_spec_check(const struct ts_job_spec *s, char *text, size_t size)
{
    if (other_kernel(s, text, size))
        return false;
    bool small = s->tile_h * s->tile_w < TS_TILE * TS_TILE;
    char no_products[96];
    snprintf(no_products, sizeof no_products,
             "--fidelity is of products: --op %s does not multiply", s->op ? s->op : "");
    const struct {
        bool broken;
        const char *why;
    } rules[] = {
        {ts_spec_given(s, TS_OPTION_STORAGE) && s->grid_rows == 0,
         "--storage says where the matrices of a grid are: give --grid too"},
        {ts_spec_given(s, TS_OPTION_TILES) && s->grid_rows != 0,
         "--tiles runs tiles that share nothing, --grid tiles that share one matmul: give one of "
         "them"},
        {s->grid_rows != 0 && s->transposed, "--transpose is for one tile, not for --grid"},
        {s->grid_rows != 0 && s->run_type != TS_RUN_L1_TO_L1,
         "--grid runs l1_to_l1 only: in the other run types no data move between tiles"},
        {s->flips[0].at != 0 && s->run_type != TS_RUN_L1_TO_L1,
         "--flip: only --run-type l1_to_l1 calls matmul_block, which reads the firmware's word"},
        {s->flips[0].at != 0 && s->throttle == TS_THROTTLE_MAX,
         "--flip changes between level 5 and that of --throttle: with --throttle 5 nothing "
         "changes"},
        {bad_flip(s), "--flip: the firmware asks for level 5 or for nothing: LEVEL is 5 or that of "
                      "--throttle"},
        {ts_spec_given(s, TS_OPTION_FIDELITY) && !multiplies(s), no_products},
        {s->format == TS_DF_INT8 && !s->dst32, "--dst 16: sums of int8 are 32 bits wide, --dst 32"},
        {small && (s->grid_rows || s->blocks > 1 || s->throttle || s->flips[0].at || s->transposed),
         "--tile with less than 32x32 is for one tile without --blocks, --throttle, --flip and "
         "--transpose"},
        {small && s->to_dst, "--unpack-to-dst takes tiles of 32x32"},
        {s->to_dst && s->run_type != TS_RUN_L1_TO_L1,
         "--unpack-to-dst needs the unpack and the math thread: --run-type l1_to_l1"},
        {s->strict && s->unchecked,
         "--strict makes faults of the lints that --no-hang-check turns off: give one of them"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].broken) {
            snprintf(text, size, "%s", rules[i].why);
            return false;
        }
    return true;
}

const char *ts_spec_warning(const struct ts_job_spec *s)
{
    if (s->format == TS_DF_INT8 && s->phases < 4)
        return "int8 below hifi4 multiplies only some bits of the operands: the result is wrong; "
               "--fidelity hifi4 is exact";
    return NULL;
}
