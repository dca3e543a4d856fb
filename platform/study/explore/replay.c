// Schedules of explore.h: written as YAML, read again and executed step by step.
#include "platform/study/explore/explore.h"

void ts_explore_write_schedule(const struct ts_explore_program *self, const char *path,
                               const struct ts_explore_result *result, FILE *file)
{
    struct ts_explore_state state;
    ts_explore_begin(self, &state);
    fprintf(file, "# tensim run %s --explore=replay:FILE\nprogram: \"", path);
    for (; *path; path++)
        fprintf(file, *path == '"' || *path == '\\' ? "\\%c" : "%c", *path);
    fputs(result->steps ? "\"\nschedule:\n" : "\"\nschedule: []\n", file);
    for (size_t i = 0; i < result->steps; i++) {
        unsigned by = result->schedule[i];
        const char *text = by < self->threads ? self->thread[by].op[state.pc[by]].text
                                              : "hands over a bank";
        fprintf(file, "  - %-13s # %s\n", ts_explore_process_name(self, by), text);
        ts_explore_step(self, &state, by);
    }
}

static bool replay_step(const struct ts_explore_program *self, struct ts_yaml_node node,
                        size_t number, struct ts_explore_state *state, FILE *file)
{
    const char *name = ts_yaml_text(node, "");
    unsigned by = 0;
    while (by < ts_explore_processes(self) && strcmp(ts_explore_process_name(self, by), name) != 0)
        by++;
    if (by == ts_explore_processes(self))
        return ts_yaml_refuse(node, "the program has no thread '%s'", name);
    struct ts_explore_wait why;
    if (!ts_explore_enabled(self, state, by, &why)) {
        if (ts_explore_ended(self, state, by))
            ts_yaml_error(node, "step %zu: %s has nothing to do", number, name);
        else
            ts_yaml_error(node, "step %zu: %s cannot move: %s, %s", number, name,
                          ts_stall_name(why.reason),
                          why.object < 0 ? "nothing" : self->object[why.object].name);
        return false;
    }
    fprintf(file, "%3zu %s: %s", number, name, why.op ? why.op->text : "hands over a bank");
    for (unsigned lost = ts_explore_step(self, state, by); lost; lost &= lost - 1)
        fprintf(file, "   <- %s", ts_explore_lost_texts[__builtin_ctz(lost)]);
    fputs("\n      ", file);
    ts_explore_print_state(self, state, file);
    return true;
}

enum ts_code ts_explore_replay(const struct ts_explore_program *self, const char *path, FILE *file,
                               struct ts_explore_state *last, struct ts_error *error)
{
    struct ts_yaml yaml;
    ts_explore_begin(self, last);
    if (!ts_yaml_load(&yaml, path, error))
        return error->code;
    struct ts_yaml_node root = ts_yaml_root(&yaml), list = {&yaml, NULL};
    if (!ts_yaml_is_map(root)) {
        ts_yaml_error(root, "a mapping is expected here");
    } else {
        ts_yaml_only(root, "program schedule", NULL);
        list = ts_yaml_require(root, "schedule");
        if (list.node && !ts_yaml_is_list(list))
            ts_yaml_error(list, "a list of threads is expected here");
    }
    fputs("  0 ", file);
    ts_explore_print_state(self, last, file);
    for (size_t i = 0; error->code == TS_OK && i < ts_yaml_count(list); i++)
        replay_step(self, ts_yaml_at(list, i), i + 1, last, file);
    ts_yaml_free(&yaml);
    if (error->code != TS_OK)
        return error->code;
    bool left = false;
    for (unsigned i = 0; i < ts_explore_processes(self); i++) {
        struct ts_explore_wait why;
        left |= !ts_explore_ended(self, last, i);
        if (ts_explore_enabled(self, last, i, &why))
            return TS_LIMIT;
    }
    return left ? TS_HANG : TS_OK;
}
