// A sweep's runs as commands of their own (sweep.h): `tensim run PROGRAM -p seq=512 -D chip.clock_mhz=1000`,
// `tensim matmul --m=512 --cores=4x4`. So whatever they take can be swept. A row has the numbers and
// words of their --json document.
#include "platform/base/hash.h"
#include "platform/crew/spawn.h"
#include "platform/study/sweep/sweep.h"

#define SETTING (sizeof(struct ts_sweep_axis){0}.name + TS_SWEEP_VALUE + 8)

// Adds the words that set an axis; `text` has room for one of them.
static size_t set_axis(const struct ts_sweep *self, unsigned axis, const char *value, char *text,
                       const char **words)
{
    const struct ts_sweep_axis *a = &self->axes[axis];
    bool machine = a->kind == TS_AXIS_MACHINE;
    if (self->programs && axis == 0) {
        words[0] = value;
        return 1;
    }
    snprintf(text, SETTING, "%s%s=%s", machine || self->programs ? "" : "--", a->name, value);
    words[0] = machine ? "-D" : self->programs ? "-p" : text;
    words[1] = text;
    return words[0] == text ? 1 : 2;
}

// A command of its own: scenarios, runs under checks, with --activity and on a system of chips.
bool ts_sweep_is_command(const struct ts_sweep *self, size_t index)
{
    const struct ts_plan_options none = {0};
    char system[64] = "";
    for (unsigned i = 0; i < self->axis_count; i++)
        if (strcmp(self->axes[i].name, "system") == 0)
            return true;
    if (self->check || self->activity || !self->programs)
        return self->check || self->activity;
    const char *path = self->paths[index / (self->points / self->axes[0].count)];
    ts_plan_system(path, &none, system, sizeof system);
    return system[0] || !ts_plan_is(path);
}

void ts_sweep_spawn(const struct ts_sweep *self, size_t index, json_t *row)
{
    char sets[TS_SWEEP_AXES][SETTING], said[300], check[100];
    const char *words[TS_SPAWN_WORDS] = {self->programs ? "run" : self->kernel};
    size_t count = 1;
    ts_sweep_keep(self, index, row);
    for (unsigned i = 0; i < self->axis_count; i++)
        count += set_axis(self, i, ts_sweep_value(self, index, i), sets[i], words + count);
    if (self->strict)
        words[count++] = "--lint=strict";
    if (self->check) {
        snprintf(check, sizeof check, "--check=%s", self->check);
        words[count++] = check;
    }
    if (self->activity)
        words[count++] = "--activity";
    if (self->timing_only)
        words[count++] = "--timing-only";
    if (self->allow && self->programs) {
        words[count++] = "--allow";
        words[count++] = self->allow;
    }
    json_t *document = NULL;
    int code = ts_spawn(words, count, &document, said, sizeof said);
    ts_sweep_keep_figures(document, row);
    if (code == TS_FINDINGS) { // of a run that is right: the row says how many, and the first one
        const json_t *first = json_array_get(json_object_get(document, "checks"), 0);
        json_object_set(row, "finding", json_object_get(first, "text"));
        code = TS_OK;
    }
    json_decref(document);
    json_object_set_new(row, "code", json_integer(code));
    if (code != TS_OK)
        json_object_set_new(row, "error", json_string(said[0] ? said : "no message"));
}

uint64_t ts_sweep_program_hash(const struct ts_sweep *self)
{
    uint64_t hash = TS_HASH_START;
    for (unsigned i = 0; i < self->axes[0].count; i++)
        hash = ts_hash_program(hash, self->paths[i]);
    return hash;
}
