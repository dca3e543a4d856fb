// Reading two sets of runs and comparing them (compare.h).
#include "platform/study/compare/compare.h"

#include "platform/base/json.h"

#include <dirent.h>
#include <sys/stat.h>

#define MOVED 24 // waits that are listed, those that moved most

// ---- reading

// Is there a file, or a directory (S_IFREG, S_IFDIR)?
static bool is_a(mode_t kind, const char *path)
{
    struct stat at;
    return stat(path, &at) == 0 && (at.st_mode & S_IFMT) == kind;
}

static json_t *read_json(const char *path, struct ts_error *error)
{
    json_error_t wrong;
    json_t *document = json_load_file(path, 0, &wrong);
    if (document == NULL)
        ts_fail(error, TS_SETUP, "%s:%d:%d: %s", path, wrong.line, wrong.column, wrong.text);
    return document;
}

// Rows of a sweep's table by their key.
static void add_rows(json_t *set, const json_t *table)
{
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(table, "rows"), index, row)
    {
        const char *key = json_string_value(json_object_get(row, "key"));
        if (key)
            ts_json_put(set, key, "{s:O}", "result", row);
    }
}

// The operations of a sequence, by name; the first of several with one name counts. Then the whole.
static void add_operations(json_t *set, const json_t *layer)
{
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(layer, "operations"), index, row)
    {
        const char *name = json_string_value(json_object_get(row, "name"));
        if (name == NULL || json_object_get(set, name))
            continue;
        json_t *own = json_copy(row); // without what other operations change
        json_object_del(own, "begin");
        json_object_del(own, "percent");
        json_object_del(own, "line");
        ts_json_put(set, name, "{s:o}", "result", own);
    }
    ts_json_put(set, "the whole sequence", "{s:{s:O, s:O}}", "result", "cycles",
                json_object_get(layer, "layer_cycles"), "gap_cycles",
                json_object_get(layer, "gap_cycles"));
}

static bool add_document(json_t *set, const char *name, const char *path, const char *stats,
                         struct ts_error *error)
{
    json_t *result = read_json(path, error);
    if (result == NULL)
        return false;
    if (json_object_get(result, "rows"))
        add_rows(set, result);
    else if (json_object_get(result, "operations"))
        add_operations(set, result);
    else
        ts_json_put(set, name, "{s:O}", "result", result);
    json_decref(result);
    if (stats && is_a(S_IFREG, stats)) {
        json_t *units = read_json(stats, error), *run = json_object_get(set, name);
        if (units == NULL)
            return false;
        if (run)
            json_object_set(run, "stats", units);
        json_decref(units);
    }
    return true;
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

// A run's folder under its name; else the folders in it.
static bool add_folder(json_t *set, const char *name, const char *path, unsigned depth,
                       struct ts_error *error)
{
    static const char *const files[] = {"table.json", "result.json", "pipe.json"};
    char file[4096], stats[4096];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(file, sizeof file, "%s/%s", path, files[i]);
        snprintf(stats, sizeof stats, "%s/stats.json", path);
        if (is_a(S_IFREG, file))
            return add_document(set, name, file, stats, error);
    }
    struct dirent **entries;
    int count = depth ? scandir(path, &entries, visible, alphasort) : 0;
    bool good = true;
    for (int i = 0; i < count; i++) {
        char inner[4096], full[8192];
        snprintf(inner, sizeof inner, "%s%s%s", name, name[0] ? "/" : "", entries[i]->d_name);
        snprintf(full, sizeof full, "%s/%s", path, entries[i]->d_name);
        if (good && is_a(S_IFDIR, full))
            good = add_folder(set, inner, full, depth - 1, error);
        free(entries[i]);
    }
    if (count > 0)
        free(entries);
    return good;
}

// Runs by name. NULL: error says why.
static json_t *read_set(const char *path, struct ts_error *error)
{
    json_t *set = json_object();
    bool good;
    if (is_a(S_IFDIR, path)) {
        good = add_folder(set, "", path, 3, error);
    } else if (is_a(S_IFREG, path)) {
        good = add_document(set, "", path, NULL, error);
    } else {
        ts_fail(error, TS_SETUP, "%s: there is no such file or directory", path);
        good = false;
    }
    if (good && json_object_size(set) == 0) {
        ts_fail(error, TS_SETUP,
                "%s: no run in it: a run directory (-o) has result.json, a sweep's table.json",
                path);
        good = false;
    }
    if (good)
        return set;
    json_decref(set);
    return NULL;
}

// ---- comparing

static json_t *change_of(double a, double b)
{
    return a == 0 || !isfinite(a) || !isfinite(b) ? json_null() : json_real(100 * (b - a) / a);
}

// A word of the verdict, not a sentence.
static bool is_word(const json_t *value)
{
    return json_is_string(value) && strchr(json_string_value(value), ' ') == NULL;
}

// Every figure and word of the results that differs, in the order of the second one.
static json_t *figures_of(const json_t *a, const json_t *b)
{
    json_t *figures = json_array(), *value;
    const char *name;
    json_object_foreach((json_t *)b, name, value)
    {
        json_t *before = json_object_get(a, name);
        bool numbers = json_is_number(value) && json_is_number(before);
        if (!numbers && !(is_word(value) && is_word(before)))
            continue;
        if (json_equal(value, before))
            continue;
        ts_json_add(
            figures, "{s:s, s:O, s:O, s:o}", "name", name, "a", before, "b", value, "change",
            numbers ? change_of(json_number_value(before), json_number_value(value)) : json_null());
    }
    return figures;
}

static json_t *unit_named(const json_t *stats, const char *name)
{
    size_t index;
    json_t *unit;
    json_array_foreach(json_object_get(stats, "units"), index, unit)
    {
        const char *own = json_string_value(json_object_get(unit, "name"));
        if (own && strcmp(own, name) == 0)
            return unit;
    }
    return NULL;
}

static void add_moved(json_t *moved, const char *who, const char *why, json_int_t a, json_int_t b)
{
    if (a != b)
        ts_json_add(moved, "{s:s, s:s, s:I, s:I, s:I}", "who", who, "why", why, "a", a, "b", b,
                    "change", b - a);
}

// The rows that changed most, the first of them first. Takes `moved`.
static json_t *largest(json_t *moved)
{
    json_t *sorted = ts_json_sorted(moved, "-~change");
    while (json_array_size(sorted) > MOVED)
        json_array_remove(sorted, MOVED);
    return sorted;
}

// What the parts of the chip did with their cycles: work and waits by reason, what moved most first.
static json_t *moved_of(const json_t *a, const json_t *b)
{
    json_t *moved = json_array(), *unit, *value;
    const char *why;
    size_t index;
    json_array_foreach(json_object_get(b, "units"), index, unit)
    {
        const char *who = json_string_value(json_object_get(unit, "name"));
        const json_t *before = who ? unit_named(a, who) : NULL;
        if (before == NULL)
            continue;
        add_moved(moved, who, "busy", ts_json_integer(before, "busy"),
                  ts_json_integer(unit, "busy"));
        json_t *was = json_object_get(before, "stall"), *is = json_object_get(unit, "stall");
        json_object_foreach(is, why, value)
            add_moved(moved, who, why, ts_json_integer(was, why), json_integer_value(value));
        json_object_foreach(was, why, value) if (json_object_get(is, why) == NULL)
            add_moved(moved, who, why, json_integer_value(value), 0);
    }
    return largest(moved);
}

// Cycles of one side by cause: [a, b] of each "who\twhy".
static void add_cause(json_t *sums, unsigned side, const char *who, const char *why, double cycles)
{
    char name[600];
    snprintf(name, sizeof name, "%.99s\t%.480s", who, why ? why : "");
    if (json_object_get(sums, name) == NULL)
        ts_json_put(sums, name, "[i, i]", 0, 0);
    json_t *both = json_object_get(sums, name);
    json_int_t now = json_integer_value(json_array_get(both, side));
    json_array_set_new(both, side, json_integer(now + (json_int_t)(cycles + 0.5)));
}

// Causes are source lines with cycles of their own (--lines), and the ends of the loss account's chains.
static void add_causes(json_t *sums, const json_t *result, unsigned side, bool lines)
{
    const char *kernel = json_string_value(json_object_get(result, "kernel"));
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(json_object_get(result, "lines"), "lines"), index, row)
    {
        char place[100];
        const char *file = json_string_value(json_object_get(row, "file")),
                   *slash = file ? strrchr(file, '/') : NULL;
        snprintf(place, sizeof place, "%s:%d",
                 slash  ? slash + 1
                 : file ? file
                        : "?",
                 (int)ts_json_integer(row, "line"));
        if (lines)
            add_cause(sums, side, place, json_string_value(json_object_get(row, "text")),
                      ts_json_number(row, "own"));
    }
    json_array_foreach(json_object_get(result, "loss"), index, row)
        add_cause(sums, side, kernel ? kernel : "run",
                  json_string_value(json_object_get(row, "text")), ts_json_number(row, "cycles"));
}

static json_t *causes_of(const json_t *a, const json_t *b)
{
    json_t *sums = json_object(), *causes = json_array(), *both;
    const bool lines = json_object_get(a, "lines") && json_object_get(b, "lines");
    const char *name;
    add_causes(sums, a, 0, lines);
    add_causes(sums, b, 1, lines);
    json_object_foreach(sums, name, both)
    {
        char who[100];
        const char *tab = strchr(name, '\t');
        snprintf(who, sizeof who, "%.*s", (int)(tab - name), name);
        add_moved(causes, who, tab + 1, json_integer_value(json_array_get(both, 0)),
                  json_integer_value(json_array_get(both, 1)));
    }
    json_decref(sums);
    return largest(causes);
}

// The figures that a run is judged by: cycles, errors, and how it stopped.
static const char *judged(const json_t *figures, const struct ts_compare_limits *limits)
{
    static const char *const counted[] = {"cycles", "run_cycles", "span_cycles", "rel_l2"};
    size_t index;
    json_t *figure;
    json_array_foreach((json_t *)figures, index, figure)
    {
        const char *name = json_string_value(json_object_get(figure, "name"));
        if (strcmp(name, "stop") == 0 || strcmp(name, "code") == 0 || strcmp(name, "error") == 0)
            return name;
        json_t *change = json_object_get(figure, "change");
        double percent = json_is_null(change) ? (double)INFINITY : json_number_value(change);
        for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
            if (strcmp(name, counted[i]) == 0 &&
                (limits->slower ? percent : fabs(percent)) > limits->tolerance)
                return name;
    }
    return NULL;
}

static json_t *compare_run(const char *name, const json_t *a, const json_t *b,
                           const struct ts_compare_limits *limits)
{
    json_t *figures = figures_of(json_object_get(a, "result"), json_object_get(b, "result"));
    const char *why = judged(figures, limits);
    return json_pack(
        "{s:s, s:b, s:s*, s:o, s:o, s:o}", "name", name, "beyond", why != NULL, "why", why,
        "causes", causes_of(json_object_get(a, "result"), json_object_get(b, "result")), "figures",
        figures, "moved", moved_of(json_object_get(a, "stats"), json_object_get(b, "stats")));
}

// The chips of the two sides, where those of a run differ: "p100", "p150". NULL: they are the same.
static json_t *chips_of(const json_t *before, const json_t *after)
{
    const char *name;
    json_t *run;
    json_object_foreach((json_t *)after, name, run)
    {
        json_t *a = json_object_get(json_object_get(json_object_get(before, name), "result"),
                                    "chip"),
               *b = json_object_get(json_object_get(run, "result"), "chip");
        if (json_is_string(a) && json_is_string(b) && !json_equal(a, b))
            return json_pack("{s:O, s:O}", "a", a, "b", b);
    }
    return NULL;
}

// What a roofline needs of the runs of a set: [{name, chip, tflops, roofs}, ...]
static json_t *roofs_of(const json_t *set)
{
    json_t *rows = json_array(), *run;
    const char *name;
    json_object_foreach((json_t *)set, name, run)
    {
        json_t *result = json_object_get(run, "result"), *roofs = json_object_get(result, "roofs"),
               *tflops = json_object_get(result, "tflops");
        if (json_number_value(tflops) > 0 && json_array_size(roofs) > 0)
            ts_json_add(rows, "{s:s, s:O*, s:O, s:O}", "name", name, "chip",
                        json_object_get(result, "chip"), "tflops", tflops, "roofs", roofs);
    }
    return rows;
}

// One baseline: {a, chips, runs, only_a, only_b, roofs_a}.
static json_t *against(const char *a, const json_t *before, const json_t *after,
                       const struct ts_compare_limits *limits)
{
    json_t *run, *runs = json_array(), *only_a = json_array(), *only_b = json_array();
    const char *name;
    json_object_foreach((json_t *)after, name, run)
    {
        const json_t *other = json_object_get(before, name);
        if (other)
            json_array_append_new(runs, compare_run(name, other, run, limits));
        else
            json_array_append_new(only_b, json_string(name));
    }
    json_object_foreach((json_t *)before, name, run) if (json_object_get(after, name) == NULL)
        json_array_append_new(only_a, json_string(name));
    return json_pack("{s:s, s:o*, s:o, s:o, s:o, s:o}", "a", a, "chips", chips_of(before, after),
                     "runs", runs, "only_a", only_a, "only_b", only_b, "roofs_a", roofs_of(before));
}

json_t *ts_compare(const char *const *baselines, size_t count, const char *b,
                   const struct ts_compare_limits *limits, struct ts_error *error)
{
    json_t *after = read_set(b, error), *all = json_array();
    for (size_t i = 0; after && i < count; i++) {
        json_t *before = read_set(baselines[i], error);
        if (before)
            json_array_append_new(all, against(baselines[i], before, after, limits));
        json_decref(before);
    }
    if (error->code != TS_OK) {
        json_decref(after);
        json_decref(all);
        return NULL;
    }
    json_t *document = json_pack("{s:s, s:i, s:s, s:f, s:o}", "schema", "tensim.compare", "version",
                                 1, "b", b, "tolerance", limits->tolerance, "roofs_b",
                                 roofs_of(after));
    json_object_update(document, json_array_get(all, 0)); // the first baseline
    json_array_remove(all, 0);
    json_object_set_new(document, "more", all);
    json_decref(after);
    json_object_set_new(document, "beyond", json_integer((json_int_t)ts_compare_beyond(document)));
    return document;
}

static size_t beyond(const json_t *document)
{
    size_t index, count = json_array_size(json_object_get(document, "only_a")) +
                          json_array_size(json_object_get(document, "only_b"));
    json_t *run;
    json_array_foreach(json_object_get(document, "runs"), index, run)
        count += json_is_true(json_object_get(run, "beyond"));
    return count;
}

size_t ts_compare_beyond(const json_t *document)
{
    size_t index, count = beyond(document);
    json_t *other;
    json_array_foreach(json_object_get(document, "more"), index, other) count += beyond(other);
    return count;
}
