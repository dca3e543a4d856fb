#include "platform/run/measure.h"

#include <string.h>

// FLOP of an instruction in each lane; the others move, compare or count.
static const struct {
    uint16_t op;
    uint8_t flops;
} weights[] = {
    {TS_OP_SFPMAD, 2},  {TS_OP_SFPMUL, 1}, {TS_OP_SFPADD, 1},     {TS_OP_SFPMULI, 1},
    {TS_OP_SFPADDI, 1}, {TS_OP_SFPLUT, 2}, {TS_OP_SFPLUTFP32, 2},
};

void ts_measures_make(struct ts_measures *self, const struct ts_job *job,
                      const struct ts_job_result *result)
{
    *self = (struct ts_measures){0};
    bool computes = job->spec.run_type == TS_RUN_L1_TO_L1 ||
                    job->spec.run_type == TS_RUN_MATH_ISOLATE;
    if (job->program || !computes || strcmp(job->kind->unit, "tile") != 0 || result->loop == 0)
        return;
    double elements = (double)result->work * job->spec.tile_h * job->spec.tile_w,
           loop = (double)result->loop;
    self->elements = elements / loop;
    const uint64_t *passed = job->tile->front[1].passed;
    uint64_t operations = job->tile->vector.executed - passed[TS_OP_SFPNOP];
    if (TS_VECTOR_LANES * (double)operations < elements)
        return; // only the set-up of its constants
    self->operations = TS_VECTOR_LANES * (double)operations / loop;
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        self->flops += TS_VECTOR_LANES * weights[i].flops * passed[weights[i].op];
}

void ts_measures_print(const struct ts_measures *self, double tflops, double roof, FILE *file)
{
    if (self->elements == 0)
        return;
    fprintf(file, "  %.2f elements a cycle", self->elements);
    if (self->operations > 0)
        fprintf(file, "; vector unit: %.1f operations a cycle of %d", self->operations,
                TS_VECTOR_LANES);
    fputc('\n', file);
    if (self->flops)
        fprintf(file,
                "  %.4f TFLOP/s, %.1f %% of the vector unit's %.4f (an SFPMAD in every cycle, 1/%d "
                "of MVMUL)\n",
                tflops, 100 * tflops / roof, roof, TS_MVMUL_FLOPS / TS_VECTOR_FLOPS);
}

void ts_measures_json(const struct ts_measures *self, double roof, json_t *document)
{
    if (self->elements == 0)
        return;
    json_object_set_new(document, "elements_per_cycle", json_real(self->elements));
    if (self->operations > 0)
        json_object_set_new(document, "vector",
                            json_pack("{s:f, s:i, s:I, s:f}", "operations_per_cycle",
                                      self->operations, "lanes", TS_VECTOR_LANES, "flops",
                                      (json_int_t)self->flops, "roof_tflops", roof));
}

void ts_measures_grid(const struct ts_job_spec *s, FILE *file)
{
    fprintf(file, " over %ux%u tiles (%ux%ux%u each, %s/dram/%s, %u blocks)", s->grid_columns,
            s->grid_rows, s->m, s->n, s->k, s->in0_dram ? "dram" : "l1",
            s->out_dram ? "dram" : "l1", s->blocks);
}
