// The results of a TPUSH/TPOP run, as text and as JSON.
#include "platform/base/json.h"
#include "platform/out/text.h"
#include "platform/study/pipe/run.h"

// --- rings ---

static const char *half_name(const struct ts_ring *ring)
{
    return ts_direction_both(ring->config->direction) ? (ring->c2v ? ".c2v" : ".v2c") : "";
}

static void ring_name(const struct ts_ring *ring, char name[64])
{
    snprintf(name, 64, "%s%s", ring->config->name, half_name(ring));
}

static double mean_occupancy(const struct ts_pipe_run *self, const struct ts_ring *ring)
{
    return self->run.cycle ? (double)ring->area / (double)self->run.cycle : 0;
}

static json_t *ring_json(const struct ts_pipe_run *self, uint32_t cluster,
                         const struct ts_ring *ring)
{
    char name[64];
    ring_name(ring, name);
    return json_pack("{s:s, s:i, s:s, s:s, s:i, s:i, s:i, s:I, s:I, s:I, s:i, s:i, s:f}", "name",
                     name, "cluster", (int)cluster, "direction", ring->c2v ? "c2v" : "v2c",
                     "variant", ts_variant_names[ring->config->variant], "slots",
                     (int)ring->config->slots, "slot_size", (int)ring->config->slot_size, "period",
                     (int)ts_ring_period(ring->config), "pushes", (json_int_t)ring->pushes, "pops",
                     (json_int_t)ring->pops, "credits", (json_int_t)ring->credits, "peak",
                     (int)ring->peak, "left", (int)ring->occupancy, "mean_occupancy",
                     mean_occupancy(self, ring));
}

// --- stats.json ---

static json_t *cluster_json(const struct ts_cluster *cluster)
{
    char own[32];
    snprintf(own, sizeof own, "cluster[%u]", cluster->id);
    json_t *flags = json_array();
    uint64_t ops = 0;
    for (unsigned core = 0; core < TS_CORES; core++) {
        ops += cluster->core[core].su.tile_ops;
        for (unsigned id = 0; id < TS_FLAG_IDS; id++) {
            const struct ts_flag *flag = &cluster->flags.flag[core][id];
            char name[24];
            if (flag->sets || flag->waits)
                ts_json_add(flags, "{s:s, s:I, s:I, s:i, s:i}", "name", ts_flag_name(flag, name),
                            "sets", (json_int_t)flag->sets, "waits", (json_int_t)flag->waits,
                            "peak", (int)flag->peak, "left", (int)flag->count);
        }
    }
    return json_pack("{s:s, s:I, s:i, s:I, s:o}", "name", own, "ended", (json_int_t)cluster->ended,
                     "dispatches", (int)cluster->dispatch, "tile_ops", (json_int_t)ops, "flags",
                     flags);
}

void ts_pipe_report_stats(const struct ts_pipe_run *self, json_t *stats)
{
    json_t *rings = json_array(), *clusters = json_array();
    for (uint32_t i = 0; i < self->program->machine.clusters; i++) {
        json_array_append_new(clusters, cluster_json(&self->cluster[i]));
        for (uint32_t p = 0; p < self->program->machine.pipe_count; p++)
            for (int half = 0; half < 2; half++) {
                const struct ts_ring *ring = &self->cluster[i].ring[half][p];
                char name[64], path[160];
                if (!ring->exists)
                    continue;
                ring_name(ring, name);
                snprintf(path, sizeof path, "cluster[%u].%s", i, name);
                json_t *row = ring_json(self, i, ring);
                json_object_set_new(row, "name", json_string(path));
                json_array_append_new(rings, row);
            }
    }
    json_object_set_new(stats, "rings", rings);
    json_object_set_new(stats, "clusters", clusters);
}

// --- pipes ---

static json_t *component_json(const struct ts_pipe_run *self, const struct ts_component *c,
                              uint64_t ops, uint64_t bytes, uint64_t work)
{
    struct ts_account account = ts_component_account(c, self->run.cycle);
    json_t *waits = json_object();
    for (int reason = TS_STALL_IDLE + 1; reason < TS_STALL_COUNT; reason++)
        if (account.lost[reason])
            json_object_set_new(waits, ts_stall_name((enum ts_stall)reason),
                                json_integer((json_int_t)account.lost[reason]));
    double span = self->run.cycle ? (double)self->run.cycle : 1;
    return json_pack("{s:s, s:I, s:I, s:f, s:I, s:I, s:I, s:o}", "name", ts_path(c), "busy",
                     (json_int_t)account.busy, "idle", (json_int_t)account.lost[TS_STALL_IDLE],
                     "utilisation", (double)account.busy / span, "ops", (json_int_t)ops, "bytes",
                     (json_int_t)bytes, "work_cycles", (json_int_t)work, "waits", waits);
}

static json_t *findings_json(const struct ts_findings *findings)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct ts_finding *item = &findings->item[i];
        char kind[2] = {ts_finding_rows[item->id].kind, 0};
        ts_json_add(list, "{s:s, s:s, s:I, s:i, s:s, s:I, s:s, s:s}", "code",
                    ts_finding_rows[item->id].code, "kind", kind, "cycle", (json_int_t)item->cycle,
                    "line", (int)item->line, "object", item->object, "times",
                    (json_int_t)item->times, "text", item->text, "means",
                    ts_finding_rows[item->id].text);
    }
    return list;
}

static json_t *output_json(const struct ts_pipe_run *self)
{
    json_t *all = json_object();
    for (uint32_t i = 0; i < self->output_count; i++) {
        const struct ts_pipe_output *output = &self->outputs[i];
        const struct ts_tensor_decl *tensor = &self->program->machine.tensors[output->tensor];
        json_t *one = json_pack("{s:s, s:i, s:i, s:o, s:b}", "type", ts_dtype_names[tensor->type],
                                "rows", (int)tensor->rows, "cols", (int)tensor->cols, "hash",
                                ts_json_hash(output->hash), "compared", output->compared);
        if (output->compared) {
            json_object_set_new(one, "wrong", json_integer((json_int_t)output->wrong));
            json_object_set_new(one, "worst", ts_json_real(output->worst));
        }
        json_object_set_new(all, tensor->name, one);
    }
    return all;
}

// Rings and pipes of so many clusters.
static void add_parts(const struct ts_pipe_run *self, uint32_t clusters, json_t *document)
{
    const struct ts_pipe_program *program = self->program;
    json_t *rings = json_array(), *pipes = json_array();
    for (uint32_t i = 0; self->cluster && i < clusters; i++) {
        for (uint32_t p = 0; p < program->machine.pipe_count; p++)
            for (int half = 0; half < 2; half++)
                if (self->cluster[i].ring[half][p].exists)
                    json_array_append_new(rings,
                                          ring_json(self, i, &self->cluster[i].ring[half][p]));
        for (unsigned id = 0; id < TS_CORES; id++) {
            const struct ts_core *core = &self->cluster[i].core[id];
            json_array_append_new(
                pipes, component_json(self, &core->su.base, core->su.instructions, 0, 0));
            for (unsigned lane = 0; lane < TS_LANE_COUNT; lane++)
                if (core->lane[lane].core)
                    json_array_append_new(pipes, component_json(self, &core->lane[lane].base,
                                                                core->lane[lane].ops,
                                                                core->lane[lane].bytes,
                                                                core->lane[lane].work_cycles));
        }
    }
    json_object_set_new(document, "rings", rings);
    json_object_set_new(document, "pipes", pipes);
}

void ts_pipe_report_json(const struct ts_pipe_run *self, json_t *document)
{
    const struct ts_pipe_program *program = self->program;
    ts_json_more(document, "{s:s, s:i, s:s, s:s, s:s, s:i, s:i, s:s, s:s, s:I, s:I}", "schema",
                 "tensim.pipe", "version", 1, "program", program->name, "profile",
                 ts_profile_names[program->machine.profile], "preset", program->preset, "clusters",
                 (int)program->machine.clusters, "dispatches", (int)program->machine.dispatches,
                 "verdict", ts_pipe_verdict_names[self->verdict], "why", self->why, "cycles",
                 (json_int_t)self->run.cycle, "tile_ops", (json_int_t)self->tile_ops);
    add_parts(self, program->machine.clusters, document);
    ts_json_more(document, "{s:o, s:o}", "output", output_json(self), "findings",
                 findings_json(&self->findings));
    if (self->verdict == TS_PIPE_DEADLOCK)
        json_object_set_new(document, "deadlock", ts_pipe_explain_json(self));
}

// --- text (config/text.def) ---

enum { SHOWN = 20 }; // findings

static void print(const struct ts_pipe_run *self, const char *const *views, FILE *file)
{
    json_t *document = json_object();
    uint64_t left = 0;
    ts_pipe_report_json(self, document);
    add_parts(self, 1, document);
    for (int id = 0; id < TS_FINDING_COUNT; id++)
        left += id == TS_FINDING_DEADLOCK ? 0 : self->findings.seen[id];
    for (uint32_t i = 0; i < self->findings.count && i < SHOWN; i++)
        if (self->findings.item[i].id != TS_FINDING_DEADLOCK)
            left -= self->findings.item[i].times;
    json_object_set_new(document, "file", json_string(self->program->file));
    json_object_set_new(document, "more", json_integer((json_int_t)left));
    for (; *views; views++)
        ts_text_print(*views, document, true, file);
    json_decref(document);
}

void ts_pipe_refusal_print(const struct ts_pipe_run *self, FILE *file)
{
    fprintf(file, "tensim: %s: refused, nothing ran\n", self->program->name);
    print(self, (const char *const[]){"pipe_findings", NULL}, file);
}

void ts_pipe_report_print(const struct ts_pipe_run *self, FILE *file)
{
    print(self, (const char *const[]){"pipe", "pipe_findings", "pipe_parts", NULL}, file);
}

void ts_pipe_explain(const struct ts_pipe_run *self, FILE *file)
{
    print(self, (const char *const[]){"pipe_deadlock", NULL}, file);
}
