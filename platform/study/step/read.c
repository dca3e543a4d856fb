// The words of a small program (load/script.h), thread by thread.
#include "platform/study/step/step.h"

#include "platform/tile/windows.h"

static void add(struct ts_step_program *self, unsigned thread, const struct ts_script_step *step,
                struct ts_step_item item)
{
    unsigned *count = &self->counts[thread];
    if (*count == TS_STEP_WORDS)
        ts_yaml_error(step->node, "more than %d instructions of a thread", TS_STEP_WORDS);
    else
        self->items[thread][(*count)++] = item;
}

static void read_list(struct ts_step_program *self, unsigned thread,
                      const struct ts_script_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct ts_script_step *step = &list->steps[i];
        if (step->verb == TS_DO_BOTH_tt)
            add(self, thread, step,
                (struct ts_step_item){.word = (uint32_t)ts_script_arg(step, "word")});
        else if (step->verb == TS_DO_CORE_sync && ts_script_arg(step, "what") == 0)
            add(self, thread, step, (struct ts_step_item){.wait = true});
        else if (step->verb == TS_DO_BOTH_repeat)
            for (int64_t n = ts_script_arg(step, "times");
                 n > 0 && list->node.file->error->code == TS_OK; n--)
                read_list(self, thread, &step->body);
        else
            ts_script_refuse(step->node, "tensim run --show",
                             "runs words and `sync: tensix': this step is of a core, which "
                             "`tensim run' without --show runs");
    }
}

static void read_threads(struct ts_step_program *self, const struct ts_script *script)
{
    const struct ts_script_tile *tile = &script->tiles[0];
    ts_script_without(script, "tensim run --show", "chip dram script elf tiles");
    for (unsigned i = 0; i < TS_SCRIPT_LISTS; i++) {
        bool thread = i >= TS_SCRIPT_T0 && i < TS_SCRIPT_CUBE;
        if (thread || ts_is_trisc(i))
            read_list(self, i - (thread ? TS_SCRIPT_T0 : TS_RV_TRISC0), &tile->lists[i]);
        else if (tile->lists[i].node.node)
            ts_script_refuse(tile->lists[i].node, "tensim run --show",
                             "runs the threads of trisc0 to trisc2");
    }
    ts_setups_read(&self->setups, script);
    if (self->counts[0] + self->counts[1] + self->counts[2] == 0)
        ts_yaml_error(tile->node, "there is no instruction in it");
}

bool ts_step_read(struct ts_step_program *self, const char *path, const struct ts_machine *machine,
                  struct ts_error *error)
{
    struct ts_script script;
    memset(self, 0, sizeof *self);
    snprintf(self->name, sizeof self->name, "%s", path);
    if (ts_script_read(&script, strcmp(path, "-") == 0 ? "/dev/stdin" : path, NULL, machine, error))
        read_threads(self, &script);
    ts_script_free(&script);
    return error->code == TS_OK;
}
