// What explore.h found, as JSON: schema tensim.explore, version 1.
#include "platform/base/json.h"
#include "platform/study/explore/explore.h"

static json_t *nodes_json(const struct ts_explore_program *self,
                          const struct ts_explore_state *state)
{
    json_t *nodes = json_array();
    for (unsigned i = 0; i < ts_explore_processes(self); i++) {
        bool thread = i < self->threads, ended = ts_explore_ended(self, state, i);
        struct ts_explore_wait wait;
        if (!thread && ended)
            continue;
        ts_explore_enabled(self, state, i, &wait);
        json_t *node = json_pack("{s:s, s:s, s:s}", "name", ts_explore_process_name(self, i),
                                 "kind", thread ? "thread" : "unit", "state",
                                 ended ? "finished" : "blocked");
        if (thread)
            json_object_set_new(node, "op", json_integer(state->pc[i]));
        if (!ended && wait.op) {
            json_object_set_new(node, "line", json_integer(wait.op->line));
            json_object_set_new(node, "text", json_string(wait.op->text));
        }
        json_array_append_new(nodes, node);
    }
    return nodes;
}

static json_t *hang_json(const struct ts_explore_program *self,
                         const struct ts_explore_result *result)
{
    struct ts_explore_hang hang;
    ts_explore_hang(self, &result->last, &hang);
    json_t *edges = json_array();
    for (size_t i = 0; i < hang.count; i++) {
        const struct ts_explore_edge *e = &hang.edge[i];
        const char *to = e->to < 0 ? NULL : ts_explore_process_name(self, (unsigned)e->to);
        const char *object = e->wait.object < 0 ? NULL : self->object[e->wait.object].name;
        ts_json_add(edges, "{s:s, s:s?, s:s, s:s?}", "from", ts_explore_process_name(self, e->from),
                    "to", to, "reason", ts_stall_name(e->wait.reason), "object", object);
    }
    return json_pack("{s:I, s:s, s:o, s:o}", "cycle", (json_int_t)result->steps, "kind",
                     hang.is_cycle ? "cycle" : "chain", "nodes", nodes_json(self, &result->last),
                     "edges", edges);
}

json_t *ts_explore_json(const struct ts_explore_program *self,
                        const struct ts_explore_result *result)
{
    static const char *const verdict[] = {
        [TS_OK] = "proved", [TS_HANG] = "deadlock", [TS_LIMIT] = "limit"};
    json_t *lost = json_array(), *schedule = json_array();
    for (unsigned t = 0; t < self->threads; t++)
        for (unsigned i = 0; i < self->thread[t].count; i++)
            for (unsigned kind = 0; kind < TS_LOST_KINDS; kind++)
                if (result->lost[t][i][kind])
                    ts_json_add(lost, "{s:s, s:s, s:i, s:s, s:i}", "kind",
                                ts_explore_lost_words[kind], "thread", self->thread[t].name, "line",
                                self->thread[t].op[i].line, "text", self->thread[t].op[i].text,
                                "step", (int)result->lost[t][i][kind]);
    for (size_t i = 0; i < result->steps; i++)
        json_array_append_new(schedule,
                              json_string(ts_explore_process_name(self, result->schedule[i])));
    json_t *document = json_pack(
        "{s:s, s:i, s:s, s:s, s:I, s:I, s:I, s:f, s:o}", "schema", "tensim.explore", "version", 1,
        "name", self->name, "verdict", verdict[result->code], "states", (json_int_t)result->states,
        "transitions", (json_int_t)result->transitions, "deadlocks", (json_int_t)result->deadlocks,
        "seconds", result->seconds, "lost", lost);
    if (result->code == TS_HANG) {
        json_object_set(document, "schedule", schedule);
        json_object_set_new(document, "hang", hang_json(self, result));
    }
    json_decref(schedule);
    return document;
}
