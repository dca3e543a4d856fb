#include "platform/report/pipe_tables.h"

#include "platform/report/page.h"

#include <stdlib.h>

void ts_pipe_table_path(const struct ts_pipe_picture *self, json_t *page)
{
    const struct ts_pipe_path *path = self->path;
    struct row {
        const struct ts_insn *insn;
        unsigned core, lane;
        uint64_t cycles, times;
    } *rows = calloc(path->count + 1, sizeof *rows);
    size_t count = 0;
    for (uint32_t i = 0; rows && i < path->count; i++) {
        const struct ts_path_step *step = &path->step[i];
        const struct ts_tape_event *e = &self->tape->event[step->event];
        size_t k = 0;
        if (step->kind != TS_STEP_WORK)
            continue;
        while (k < count &&
               (rows[k].insn != e->insn || rows[k].core != e->core || rows[k].lane != e->lane))
            k++;
        if (k == count)
            rows[count++] = (struct row){.insn = e->insn, .core = e->core, .lane = e->lane};
        rows[k].cycles += step->to - step->from;
        rows[k].times++;
    }
    json_t *table = json_array();
    double all = (double)(self->run->run.cycle ? self->run->run.cycle : 1);
    for (size_t shown = 0; shown < count && shown < 14; shown++) {
        size_t best = shown;
        for (size_t k = shown; k < count; k++)
            if (rows[k].cycles > rows[best].cycles)
                best = k;
        struct row row = rows[best];
        rows[best] = rows[shown];
        rows[shown] = row;
        char pipe[24];
        snprintf(pipe, sizeof pipe, "%s.%s", ts_core_name(row.core), ts_lane_name(row.lane));
        json_array_append_new(table,
                              json_pack("[s, s, i, I, f, I]", pipe, ts_op_name(row.insn->op),
                                        (int)row.insn->line, (json_int_t)row.cycles,
                                        100 * (double)row.cycles / all, (json_int_t)row.times));
    }
    for (int kind = TS_STEP_FLAG; kind < TS_STEP_KINDS; kind++)
        json_array_append_new(table, json_pack("[s, s, n, I, f, n]", "", ts_path_kind_names[kind],
                                               (json_int_t)path->total[kind],
                                               100 * (double)path->total[kind] / all));
    ts_page_add(page, "table", "Critical path",
                json_pack("{s:[s, s, s, s, s, s], s:o, s:[i, i]}", "heads", "pipe", "operation",
                          "line", "cycles", "% of the run", "times", "rows", table, "text", 0, 1));
    free(rows);
}

// Who waits for whom, as the command says it.
void ts_pipe_table_deadlock(const struct ts_pipe_run *run, json_t *page)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = run->verdict == TS_PIPE_DEADLOCK ? open_memstream(&text, &length) : NULL;
    if (memory == NULL)
        return;
    ts_pipe_explain(run, memory);
    fclose(memory);
    ts_page_add(page, "text", "Who waits for whom",
                json_pack("{s:s, s:b}", "text", text, "pre", 1));
    free(text);
}

void ts_pipe_table_findings(const struct ts_pipe_run *run, json_t *page)
{
    json_t *rows = json_array();
    for (uint32_t i = 0; i < run->findings.count; i++) {
        const struct ts_finding *item = &run->findings.item[i];
        char where[160], times[48] = "";
        snprintf(where, sizeof where, "line %u, %s", item->line, item->object);
        if (item->times > 1)
            snprintf(times, sizeof times, " (%llu times)", (unsigned long long)item->times);
        json_array_append_new(rows, json_pack("[s, s, o]", ts_finding_code(item->id), where,
                                              json_sprintf("%s%s", item->text, times)));
    }
    if (json_array_size(rows) > 0)
        ts_page_add(page, "table", "Findings",
                    json_pack("{s:[s, s, s], s:O, s:b, s:s}", "heads", "code", "where", "what",
                              "rows", rows, "text", 1, "class", "words"));
    json_decref(rows);
}

void ts_pipe_table_busy(const struct ts_pipe_picture *self, json_t *page)
{
    const struct ts_cluster *cluster = &self->run->cluster[0];
    json_t *rows = json_array();
    double all = (double)(self->run->run.cycle ? self->run->run.cycle : 1);
    for (unsigned core = 0; core < TS_CORES; core++)
        for (unsigned lane = 0; lane < TS_LANE_COUNT; lane++) {
            const struct ts_lane *pipe = &cluster->core[core].lane[lane];
            const struct ts_component *base = lane == TS_LANE_S ? &cluster->core[core].su.base
                                                                : &pipe->base;
            if (lane != TS_LANE_S && (pipe->core == NULL || pipe->ops == 0))
                continue;
            struct ts_account account = ts_component_account(base, self->run->run.cycle);
            json_t *parts = json_pack("[[s, f]]", "busy", 100 * (double)account.busy / all);
            for (int reason = TS_STALL_IDLE + 1; reason < TS_STALL_COUNT; reason++)
                if (account.lost[reason])
                    json_array_append_new(parts,
                                          json_pack("[s, f]", ts_stall_name((enum ts_stall)reason),
                                                    100 * (double)account.lost[reason] / all));
            char name[24];
            snprintf(name, sizeof name, "%s.%s", ts_core_name(core), ts_lane_name(lane));
            json_array_append_new(rows, json_pack("{s:s, s:o}", "name", name, "parts", parts));
        }
    ts_page_add(page, "bars", "Where the cycles of each pipe went (the rest is idle)",
                json_pack("{s:o, s:s, s:i}", "rows", rows, "unit", "% of the run", "high", 100));
}
