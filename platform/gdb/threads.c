// Names of threads in packets.
#include "platform/gdb/commands.h"

void ts_gdb_say_thread(const struct ts_gdb *self, struct ts_gdb_answer *answer, uint32_t thread)
{
    ts_gdb_say(answer, "p%x.%x", self->shared->one ? 1 : thread / TS_RV_CORES + 1, thread + 1);
}

bool ts_gdb_parse_thread(const struct ts_gdb *self, const char *text, uint32_t otherwise,
                         uint32_t *thread)
{
    long process = 0, number = 0;
    if (*text == 'p') {
        char *end;
        process = strtol(text + 1, &end, 16);
        number = *end == '.' ? strtol(end + 1, NULL, 16) : -1;
    } else {
        number = strtol(text, NULL, 16);
    }
    if (number > 0)
        *thread = (uint32_t)number - 1;
    else if (process > 0 && !self->shared->one && otherwise / TS_RV_CORES != (uint32_t)process - 1)
        *thread = ((uint32_t)process - 1) * TS_RV_CORES;
    else
        *thread = otherwise;
    return *thread < ts_gdb_threads(&self->machine);
}

bool ts_gdb_parse_threads(const struct ts_gdb *self, const char *text, uint32_t *from, uint32_t *to)
{
    const uint32_t all = ts_gdb_threads(&self->machine);
    char *end = NULL;
    long process = *text == 'p' ? strtol(text + 1, &end, 16) : -1;
    long number = end == NULL   ? strtol(text, NULL, 16)
                  : *end == '.' ? strtol(end + 1, NULL, 16)
                                : -1;
    *from = 0;
    *to = all;
    if (number > 0) {
        *from = (uint32_t)number - 1;
        *to = *from + 1;
    } else if (process > 0 && !self->shared->one) {
        *from = ((uint32_t)process - 1) * TS_RV_CORES;
        *to = *from + TS_RV_CORES;
    }
    return *from < *to && *to <= all;
}
