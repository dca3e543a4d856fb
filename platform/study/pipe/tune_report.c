// The result of a tuning run: front as text, all points as CSV and JSON (tune.h).
#include "platform/study/pipe/tune.h"

#include <stdlib.h>
#include <string.h>

static int by_memory(const void *a, const void *b)
{
    const struct ts_tune_point *const *x = a, *const *y = b;
    if ((*x)->memory != (*y)->memory)
        return (*x)->memory < (*y)->memory ? -1 : 1;
    return (*x)->cycles < (*y)->cycles ? -1 : 1;
}

static size_t count_of(const struct ts_tune *self, enum ts_pipe_verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < self->count; i++)
        count += self->points[i].done && self->points[i].verdict == verdict;
    return count;
}

static void print_row(const struct ts_tune *self, const struct ts_tune_point *point, FILE *file)
{
    fprintf(file, "%10llu %10llu %10llu  %-6s ", (unsigned long long)point->memory,
            (unsigned long long)point->chip, (unsigned long long)point->cycles,
            point->proved ? "proved" : "unsure");
    size_t number = (size_t)(point - self->points);
    for (unsigned i = 0; i < self->axis_count; i++)
        fprintf(file, " %-*s", (int)strlen(self->axes[i].key) + 1, ts_tune_value(self, number, i));
    fputs(number == self->own ? " <- the program as it is\n" : "\n", file);
}

void ts_tune_print(const struct ts_tune *self, FILE *file)
{
    const struct ts_tune_point **front = ts_pipe_or_die(calloc(self->count + 1, sizeof *front));
    size_t kept = 0;
    for (size_t i = 0; i < self->count; i++)
        if (self->points[i].front)
            front[kept++] = &self->points[i];
    qsort(front, kept, sizeof *front, by_memory);
    fprintf(file, "%s (profile %s, preset %s): %zu variants", self->name, self->profile,
            self->preset, self->count);
    for (int v = 0; ts_pipe_verdict_names[v]; v++)
        if (count_of(self, (enum ts_pipe_verdict)v))
            fprintf(file, ", %zu %s", count_of(self, (enum ts_pipe_verdict)v),
                    ts_pipe_verdict_names[v]);
    fprintf(file,
            "\nFront of cycles against memory (bytes: ring slots, tiles and buffers of a "
            "cluster; on chip without GM):\n%10s %10s %10s  %-6s ",
            "memory", "on chip", "cycles", "safe");
    for (unsigned i = 0; i < self->axis_count; i++)
        fprintf(file, " %s ", self->axes[i].key);
    fputc('\n', file);
    for (size_t i = 0; i < kept; i++)
        print_row(self, front[i], file);
    if (self->own < self->count && !self->points[self->own].front) {
        const struct ts_tune_point *own = &self->points[self->own];
        fputs("not on the front:\n", file);
        print_row(self, own, file);
    }
    free(front);
}

void ts_tune_csv(const void *what, FILE *file)
{
    const struct ts_tune *self = what;
    for (unsigned i = 0; i < self->axis_count; i++)
        fprintf(file, "%s,", self->axes[i].key);
    fputs("verdict,cycles,memory,chip,front,proved\n", file);
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_tune_point *point = &self->points[i];
        if (!point->done)
            continue;
        for (unsigned k = 0; k < self->axis_count; k++)
            fprintf(file, "%s,", ts_tune_value(self, i, k));
        fprintf(file, "%s,%llu,%llu,%llu,%d,%d\n", ts_pipe_verdict_name(point->verdict),
                (unsigned long long)point->cycles, (unsigned long long)point->memory,
                (unsigned long long)point->chip, point->front, point->proved);
    }
}

json_t *ts_tune_json(const struct ts_tune *self)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_tune_point *point = &self->points[i];
        json_t *set = json_object();
        if (!point->done)
            continue;
        for (unsigned k = 0; k < self->axis_count; k++)
            json_object_set_new(set, self->axes[k].key, json_string(ts_tune_value(self, i, k)));
        json_t *row = json_pack("{s:o, s:s, s:I, s:I, s:I, s:b, s:b, s:s}", "set", set, "verdict",
                                ts_pipe_verdict_name(point->verdict), "cycles",
                                (json_int_t)point->cycles, "memory", (json_int_t)point->memory,
                                "chip", (json_int_t)point->chip, "front", point->front, "proved",
                                point->proved, "why", point->why);
        if (i == self->own)
            json_object_set_new(row, "own", json_true());
        json_array_append_new(rows, row);
    }
    return json_pack("{s:s, s:i, s:s, s:s, s:s, s:o}", "schema", "tensim.pipe.tune", "version", 1,
                     "program", self->name, "profile", self->profile, "preset", self->preset,
                     "rows", rows);
}
