// The events of a run's first cluster for its page: what worked when, who set and took which flag (path.h).
#include "platform/base/json.h"
#include "platform/study/pipe/path.h"

// The number of a ring among those that exist, as the report lists them; -1: none.
static int ring_number(const struct ts_pipe_run *run, const struct ts_ring *ring)
{
    int number = 0;
    for (uint32_t p = 0; ring && p < run->program->machine.pipe_count; p++)
        for (int half = 0; half < 2; half++) {
            const struct ts_ring *other = &run->cluster[0].ring[half][p];
            if (other == ring)
                return number;
            number += other->exists;
        }
    return -1;
}

// What an event does to its ring's slot: begins (w) or ends (W) a write, opens (r) or closes (R) a read.
static const char *does(const struct ts_tape_event *e, char text[5])
{
    size_t used = 0;
    const struct {
        char sign;
        bool set;
    } rows[] = {{'w', ts_tape_begins_write(e)},
                {'W', ts_tape_ends_write(e)},
                {'r', ts_tape_opens_read(e)},
                {'R', ts_tape_closes_read(e)}};
    for (size_t i = 0; i < 4; i++)
        if (rows[i].set && !e->credit)
            text[used++] = rows[i].sign;
    text[used] = '\0';
    return text;
}

static json_t *event_json(const struct ts_pipe_run *run, const struct ts_tape_event *e,
                          bool critical)
{
    char text[5];
    const char *kind = e->kind == TS_ENTRY_WORK        ? "work"
                       : e->kind == TS_ENTRY_SET_FLAG  ? "set"
                       : e->kind == TS_ENTRY_WAIT_FLAG ? "wait"
                                                       : "slot";
    return json_pack("[s, s, s, s, i, I, I, i, i, s, i, b]", kind, ts_core_names[e->core],
                     ts_lane_names[e->lane], ts_ops[e->insn->op].name, (int)e->insn->line,
                     (json_int_t)e->start, (json_int_t)e->end, ring_number(run, e->ring),
                     (int)e->index, does(e, text), (int)e->id, critical);
}

static json_t *explanation(const struct ts_pipe_run *run)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = run->verdict == TS_PIPE_DEADLOCK ? open_memstream(&text, &length) : NULL;
    if (memory == NULL)
        return NULL;
    ts_pipe_explain(run, memory);
    fclose(memory);
    json_t *value = json_string(text);
    free(text);
    return value;
}

json_t *ts_pipe_drawing(const struct ts_pipe_run *run, const struct ts_tape *tape,
                        const struct ts_pipe_path *path, uint32_t clock_mhz)
{
    bool *critical = ts_pipe_or_die(calloc(tape->count + 1, sizeof *critical));
    json_t *events = json_array(), *flags = json_array();
    for (uint32_t i = 0; i < path->count; i++)
        critical[path->step[i].event] |= path->step[i].kind == TS_STEP_WORK;
    for (uint32_t i = 0; i < tape->count; i++)
        json_array_append_new(events, event_json(run, &tape->event[i], critical[i]));
    free(critical);
    for (unsigned core = 0; core < TS_CORES; core++)
        for (unsigned id = 0; id < TS_FLAG_IDS; id++)
            if (run->cluster[0].flags.flag[core][id].sets)
                ts_json_add(flags, "[s, i]", ts_core_names[core], (int)id);
    return json_pack("{s:[s, s, s, s, s, s, s, s, s, s, s, s], s:o, s:o, s:I, s:i, s:i, s:o*}",
                     "fields", "kind", "core", "pipe", "operation", "line", "start", "end", "ring",
                     "tile", "does", "flag", "critical", "events", events, "flags", flags,
                     "latency", (json_int_t)run->program->machine.timing.flag, "aiv1", TS_FLAG_AIV1,
                     "clock_mhz", (int)clock_mhz, "explanation", explanation(run));
}
