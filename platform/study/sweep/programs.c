// A sweep's runs of program files: each is `tensim run PROGRAM -D key=value ...` in a process, so
// that whatever `tensim run` takes can be swept (sweep.h). A row has the numbers and words of its
// --json document.
#include "platform/base/hash.h"
#include "platform/crew/spawn.h"
#include "platform/study/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

void ts_sweep_program_run(const struct ts_sweep *self, size_t index, json_t *row)
{
    char sets[TS_SWEEP_AXES][sizeof self->axes[0].name + TS_SWEEP_VALUE + 2], said[300];
    const char *words[TS_SPAWN_WORDS] = {"run"};
    size_t count = 1;
    for (unsigned i = 0; i < self->axis_count; i++) {
        const char *value = ts_sweep_value(self, index, i);
        json_object_set_new(row, self->axes[i].name, json_string(value));
        snprintf(sets[i], sizeof sets[i], "%s=%s", self->axes[i].name, value);
        if (i > 0)
            words[count++] = "-D";
        words[count++] = i > 0 ? sets[i] : value;
    }
    if (self->base.strict)
        words[count++] = "--strict";
    json_t *document = NULL, *value;
    int code = ts_spawn(words, count, &document, said, sizeof said);
    const char *name;
    json_object_foreach(document, name, value)
    {
        if ((json_is_string(value) || json_is_number(value)) && json_object_get(row, name) == NULL)
            json_object_set(row, name, value);
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
        hash = ts_hash_program(hash, self->axes[0].values[i]);
    return hash;
}
