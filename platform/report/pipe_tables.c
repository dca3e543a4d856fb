#include "platform/report/pipe_tables.h"

#include "platform/report/page.h"
#include "platform/report/plot.h"

#include <stdlib.h>

void ts_pipe_table_path(const struct ts_pipe_picture *self, FILE *file)
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
    fputs("<h2>Critical path</h2>\n", file);
    ts_table_begin(
        file, "waits",
        (const char *const[]){"pipe", "operation", "line", "cycles", "of the run", "times", NULL});
    double all = (double)(self->run->run.cycle ? self->run->run.cycle : 1);
    for (size_t shown = 0; shown < count && shown < 14; shown++) {
        size_t best = shown;
        for (size_t k = shown; k < count; k++)
            if (rows[k].cycles > rows[best].cycles)
                best = k;
        struct row row = rows[best];
        rows[best] = rows[shown];
        rows[shown] = row;
        fprintf(file,
                "<tr><td>%s.%s</td><td>%s</td><td>%u</td><td>%llu</td><td>%.1f "
                "%%</td><td>%llu</td></tr>\n",
                ts_core_name(row.core), ts_lane_name(row.lane), ts_op_name(row.insn->op),
                row.insn->line, (unsigned long long)row.cycles, 100 * (double)row.cycles / all,
                (unsigned long long)row.times);
    }
    for (int kind = TS_STEP_FLAG; kind < TS_STEP_KINDS; kind++)
        fprintf(file,
                "<tr><td></td><td>%s</td><td></td><td>%llu</td><td>%.1f %%</td><td></td></tr>\n",
                ts_path_kind_names[kind], (unsigned long long)path->total[kind],
                100 * (double)path->total[kind] / all);
    ts_table_end(file);
    free(rows);
}

// Who waits for whom, as the command says it.
void ts_pipe_table_deadlock(const struct ts_pipe_run *run, FILE *file)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = run->verdict == TS_PIPE_DEADLOCK ? open_memstream(&text, &length) : NULL;
    if (memory == NULL)
        return;
    ts_pipe_explain(run, memory);
    fclose(memory);
    fputs("<h2>Who waits for whom</h2>\n<pre>", file);
    ts_html_text(file, text);
    fputs("</pre>\n", file);
    free(text);
}

void ts_pipe_table_findings(const struct ts_pipe_run *run, FILE *file)
{
    if (run->findings.count == 0)
        return;
    fputs("<h2>Findings</h2>\n", file);
    ts_table_begin(file, "text", (const char *const[]){"code", "where", "what", NULL});
    for (uint32_t i = 0; i < run->findings.count; i++) {
        const struct ts_finding *item = &run->findings.item[i];
        fprintf(file, "<tr><td>%s</td><td>line %u, %s</td><td>", ts_finding_code(item->id),
                item->line, item->object);
        ts_html_text(file, item->text);
        if (item->times > 1)
            fprintf(file, " (%llu times)", (unsigned long long)item->times);
        fputs("</td></tr>\n", file);
    }
    ts_table_end(file);
}

void ts_pipe_table_busy(const struct ts_pipe_picture *self, FILE *file)
{
    const struct ts_cluster *cluster = &self->run->cluster[0];
    struct ts_bar bars[TS_CORES * TS_LANE_COUNT] = {0};
    static char names[TS_CORES * TS_LANE_COUNT][24];
    size_t count = 0;
    double all = (double)(self->run->run.cycle ? self->run->run.cycle : 1);
    for (unsigned core = 0; core < TS_CORES; core++)
        for (unsigned lane = 0; lane < TS_LANE_COUNT; lane++) {
            const struct ts_lane *pipe = &cluster->core[core].lane[lane];
            const struct ts_component *base = lane == TS_LANE_S ? &cluster->core[core].su.base
                                                                : &pipe->base;
            if (lane != TS_LANE_S && (pipe->core == NULL || pipe->ops == 0))
                continue;
            struct ts_account account = ts_component_account(base, self->run->run.cycle);
            struct ts_bar *one = &bars[count];
            snprintf(names[count], sizeof names[0], "%s.%s", ts_core_name(core),
                     ts_lane_name(lane));
            one->name = names[count++];
            one->parts[0] = (struct ts_bar_part){"busy", (double)account.busy / all, TS_COLOR_BUSY};
            unsigned part = 1;
            for (int reason = TS_STALL_IDLE + 1; reason < TS_STALL_COUNT && part < 6; reason++)
                if (account.lost[reason]) {
                    const char *name = ts_stall_name((enum ts_stall)reason);
                    one->parts[part++] = (struct ts_bar_part){
                        name, (double)account.lost[reason] / all, ts_color_stall(name)};
                }
        }
    ts_bars_write(file, "Where the cycles of each pipe went (the rest is idle)", bars, count);
}
