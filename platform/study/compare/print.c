// A comparison as text (compare.h).
#include "platform/base/json.h"
#include "platform/base/plain.h"
#include "platform/study/compare/compare.h"

#include <stdlib.h>
#include <string.h>

#define SHOWN 8 // waits of one run; the page and the JSON have more

static void value_text(const json_t *value, char *text, size_t size)
{
    if (json_is_string(value))
        snprintf(text, size, "%s", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(text, size, "%lld", (long long)json_integer_value(value));
    else
        snprintf(text, size, "%.5g", json_number_value(value));
}

static void print_figure(const json_t *figure, FILE *file)
{
    char a[256], b[256];
    value_text(json_object_get(figure, "a"), a, sizeof a);
    value_text(json_object_get(figure, "b"), b, sizeof b);
    const json_t *change = json_object_get(figure, "change");
    fprintf(file, "  %-20s %12s -> %-12s", ts_json_text(figure, "name"), a, b);
    if (json_is_number(change))
        fprintf(file, " %+.2f %%", json_number_value(change));
    fputc('\n', file);
}

static void print_run(const json_t *run, FILE *file)
{
    const json_t *figures = json_object_get(run, "figures"), *moved = json_object_get(run, "moved");
    const char *name = ts_json_text(run, "name");
    fprintf(file, "%s: ", name[0] ? name : "the run");
    if (json_array_size(figures) == 0) {
        fputs("the same\n", file);
        return;
    }
    if (json_is_true(json_object_get(run, "beyond")))
        fprintf(file, "beyond the tolerance by %s\n", ts_json_text(run, "why"));
    else
        fputs("within the tolerance\n", file);
    for (size_t i = 0; i < json_array_size(figures); i++)
        print_figure(json_array_get(figures, i), file);
    if (json_array_size(moved) > 0)
        fputs("  cycles that moved, most first:\n", file);
    for (size_t i = 0; i < json_array_size(moved) && i < SHOWN; i++) {
        const json_t *row = json_array_get(moved, i);
        fprintf(file, "    %-28s %-16s %9lld -> %-9lld %+lld\n", ts_json_text(row, "who"),
                ts_json_text(row, "why"), (long long)json_integer_value(json_object_get(row, "a")),
                (long long)json_integer_value(json_object_get(row, "b")),
                (long long)json_integer_value(json_object_get(row, "change")));
    }
}

static void print_only(const json_t *document, const char *list, const char *where, FILE *file)
{
    size_t index;
    json_t *name;
    json_array_foreach(json_object_get(document, list), index, name)
        fprintf(file, "%s: only in %s\n", json_string_value(name), ts_json_text(document, where));
}

// One baseline. Returns how many runs are the same.
static size_t print_against(const json_t *document, FILE *file)
{
    size_t index, same = 0;
    json_t *run;
    const json_t *chips = json_object_get(document, "chips");
    if (chips)
        fprintf(file, "comparing chips: a is a %s, b is a %s\n", ts_json_text(chips, "a"),
                ts_json_text(chips, "b"));
    json_array_foreach(json_object_get(document, "runs"), index, run)
    {
        // Of many runs those that are the same are counted.
        bool changed = json_array_size(json_object_get(run, "figures")) > 0;
        if (changed || json_array_size(json_object_get(document, "runs")) == 1)
            print_run(run, file);
        same += !changed;
    }
    print_only(document, "only_a", "a", file);
    print_only(document, "only_b", "b", file);
    return same;
}

static void print_all(const json_t *document, FILE *file)
{
    const json_t *more = json_object_get(document, "more");
    size_t index, runs = json_array_size(json_object_get(document, "runs")), same;
    json_t *other;
    if (json_array_size(more) > 0)
        fprintf(file, "against %s:\n", ts_json_text(document, "a"));
    same = print_against(document, file);
    json_array_foreach((json_t *)more, index, other)
    {
        fprintf(file, "against %s:\n", ts_json_text(other, "a"));
        same += print_against(other, file);
        runs += json_array_size(json_object_get(other, "runs"));
    }
    fprintf(file, "%zu run%s compared, %zu the same, %zu beyond the tolerance of %g %%\n", runs,
            runs == 1 ? "" : "s", same, ts_compare_beyond(document),
            json_number_value(json_object_get(document, "tolerance")));
}

// Results may be of somebody else: nothing in them controls the terminal.
void ts_compare_print(const json_t *document, FILE *file)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (memory == NULL)
        return;
    print_all(document, memory);
    fclose(memory);
    for (size_t i = 0; i < length; i++)
        fputc(ts_is_control(text[i]) && text[i] != '\n' ? '?' : text[i], file);
    free(text);
}
