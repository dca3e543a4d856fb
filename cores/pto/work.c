// What a finished piece of work does to the memories of its cluster.
#include "cores/pto/cluster.h"
#include "cores/pto/tile.h"

static struct ts_slab slab(const struct ts_cluster *cluster, const struct ts_view *view)
{
    return (struct ts_slab){
        .data = cluster->mem[view->mem][view->mem == TS_MEM_UB ? view->owner : 0] + view->addr,
        .type = view->type,
        .rows = view->rows,
        .cols = view->cols,
        .stride = view->stride,
        .width = ts_layout_width((enum ts_layout)view->layout,
                                 ts_dtype_bytes((enum ts_dtype)view->type)),
    };
}

static bool in_bounds(const struct ts_cluster *cluster, const struct ts_entry *entry,
                      const struct ts_view *view)
{
    if (!view->used)
        return true;
    bool nd = view->layout == TS_LAYOUT_ND;
    if (nd ? view->cols > view->stride && view->rows > 1 : view->rows > view->stride)
        return false; // rows, or columns, that overlap
    uint64_t size = ts_dtype_bytes(view->type);
    uint64_t more = (entry->blocks - 1) *
                    (view->mem == TS_MEM_GM ? entry->block_step : view->cols * size);
    return view->addr <= cluster->size[view->mem] &&
           view->addr + more + ts_view_extent(view, (uint32_t)size) <= cluster->size[view->mem];
}

static bool all_in_bounds(struct ts_core *self, const struct ts_entry *entry, ts_cycle now)
{
    struct ts_cluster *cluster = self->cluster;
    const struct ts_view *views[] = {&entry->to, &entry->a, &entry->b, &entry->c};
    for (int i = 0; i < 4; i++) {
        if (in_bounds(cluster, entry, views[i]))
            continue;
        ts_finding_add(&cluster->findings, TS_FINDING_BOUNDS,
                       (struct ts_spot){now, entry->insn->line, ts_mems[views[i]->mem].name},
                       "%s %s: %u x %u at %llu is beyond %s (%llu bytes)", ts_core_names[self->id],
                       ts_ops[entry->insn->op].name, views[i]->rows, views[i]->cols,
                       (unsigned long long)views[i]->addr, ts_mems[views[i]->mem].name,
                       (unsigned long long)cluster->size[views[i]->mem]);
        return false;
    }
    return true;
}

uint32_t ts_work_control(const struct ts_core *self, const struct ts_view *view)
{
    uint32_t word;
    memcpy(&word, slab(self->cluster, view).data, sizeof word);
    return word;
}

static void mark_written(struct ts_cluster *cluster, const struct ts_view *view)
{
    size_t size = ts_dtype_bytes(view->type);
    for (uint32_t row = 0; row < view->rows; row++)
        for (uint32_t col = 0; col < view->cols; col++)
            memset(cluster->gm_written + view->addr + ts_view_offset(view, row, col), 1, size);
}

// One block of a move; A5's dual mode gives each AIV its half.
static void move_block(struct ts_cluster *cluster, const struct ts_entry *entry, struct ts_view to,
                       struct ts_view from, const struct ts_move *how)
{
    for (unsigned half = 0; half < (entry->dual ? 2u : 1u); half++) {
        struct ts_view part = from, dst = to;
        if (entry->dual) {
            dst.owner = (uint8_t)half;
            part.rows = dst.rows = entry->dual == TS_DUAL_ROWS ? from.rows / 2 : from.rows;
            part.cols = dst.cols = entry->dual == TS_DUAL_COLS ? from.cols / 2 : from.cols;
            part.addr += entry->dual == TS_DUAL_ROWS ? ts_view_offset(&from, half * part.rows, 0)
                                                     : ts_view_offset(&from, 0, half * part.cols);
        }
        struct ts_slab to_slab = slab(cluster, &dst), from_slab = slab(cluster, &part);
        if (how->transpose) {
            from_slab.rows = dst.cols;
            from_slab.cols = dst.rows;
        }
        ts_tile_move(&to_slab, &from_slab, how);
        if (dst.mem == TS_MEM_GM && cluster->gm_written)
            mark_written(cluster, &dst);
    }
}

static void move_entry(struct ts_cluster *cluster, const struct ts_entry *entry)
{
    const struct ts_insn *insn = entry->insn;
    struct ts_move how = {.transpose = insn->op == TS_OP_TLOAD && insn->transpose,
                          .relu = insn->relu,
                          .has_scale = insn->has_scale,
                          .scale = insn->scale};
    if (entry->b.used)
        how.scales = slab(cluster, &entry->b).data;
    struct ts_view to = entry->to, from = entry->a;
    for (uint32_t block = 0; block < entry->blocks; block++) {
        move_block(cluster, entry, to, from, &how);
        // The GM side steps from block to block, the chip side from column to column.
        struct ts_view *gm = from.mem == TS_MEM_GM ? &from : &to;
        struct ts_view *chip = from.mem == TS_MEM_GM ? &to : &from;
        gm->addr += entry->block_step;
        chip->addr += (uint64_t)chip->cols * ts_dtype_bytes(chip->type);
    }
}

void ts_work(struct ts_core *self, const struct ts_entry *entry, ts_cycle now)
{
    struct ts_cluster *cluster = self->cluster;
    if (!all_in_bounds(self, entry, now))
        return;
    enum ts_op op = entry->insn->op;
    if (entry->lane == TS_LANE_M) {
        struct ts_slab to = slab(cluster, &entry->to), left = slab(cluster, &entry->a),
                       right = slab(cluster, &entry->b), bias = slab(cluster, &entry->c);
        ts_tile_matmul(&to, &left, &right, op == TS_OP_TMATMUL_BIAS ? &bias : NULL,
                       op == TS_OP_TMATMUL_ACC, cluster->scratch);
    } else if (entry->lane == TS_LANE_V) {
        struct ts_slab to = slab(cluster, &entry->to), a = slab(cluster, &entry->a),
                       b = slab(cluster, &entry->b), c = slab(cluster, &entry->c);
        ts_tile_vector(op, &to, &a, &b, &c, entry->insn->scalar);
    } else {
        move_entry(cluster, entry);
    }
}
