// Toggles of all tiles, see work.h.
#include "platform/run/work.h"

#include "platform/kernel/cluster.h"
#include "units/matrix/toggles.h"

bool ts_toggles_begin(const struct ts_work *work, struct ts_kernel *kernel)
{
    bool enough = true;
    for (uint32_t i = 0; i < ts_work_tiles(work); i++) {
        struct ts_tile *tile = work->jobs[i].tile;
        struct ts_srcs *srcs = ts_files_unpacked(&tile->files);
        ts_kernel_place(kernel, tile->cores[0].component.domain->place);
        srcs->toggles = ts_kernel_alloc(kernel, sizeof *srcs->toggles);
        ts_kernel_place(kernel, 0);
        enough &= srcs->toggles != NULL;
    }
    return enough;
}

static json_t *counts(const struct ts_toggles *of)
{
    const double each = of->mvmuls ? 1.0 / (double)of->mvmuls : 0;
    return json_pack("{s:I, s:I, s:I, s:I, s:{s:f, s:f, s:f}}", "mvmuls", (json_int_t)of->mvmuls,
                     "srca", (json_int_t)of->a, "srcb", (json_int_t)of->b, "dst",
                     (json_int_t)of->dst, "a_mvmul", "srca", (double)of->a * each, "srcb",
                     (double)of->b * each, "dst", (double)of->dst * each);
}

json_t *ts_toggles_json(const struct ts_work *work, ts_cycle now)
{
    struct ts_toggles sum = {0};
    json_t *tiles = json_array();
    for (uint32_t i = 0; i < ts_work_tiles(work); i++) {
        struct ts_tile *tile = work->jobs[i].tile;
        const struct ts_toggles *of = ts_files_srcs(&tile->files, now)->toggles;
        json_t *row = counts(of);
        json_object_set_new(row, "tile", json_string(work->jobs[i].domain->object.path));
        json_array_append_new(tiles, row);
        sum.mvmuls += of->mvmuls;
        sum.a += of->a;
        sum.b += of->b;
        sum.dst += of->dst;
    }
    json_t *all = counts(&sum);
    json_object_set_new(all, "tiles", tiles);
    return all;
}
