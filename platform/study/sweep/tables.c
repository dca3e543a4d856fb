// A sweep's tables: CSV, JSON and SQLite (sweep.h).
#include "platform/base/json.h"
#include "platform/run/work.h"
#include "platform/study/sweep/sweep.h"

#include <sqlite3.h>

// The columns of low-level kernels, in the order of config/figures.def; code and error stand last.
static const struct {
    const char *name;
    int use;
} figures[] = {
#define NEITHER                                   0
#define HASHED                                    0
#define COLUMN                                    1
#define BOTH                                      1
#define TS_FIGURE(name, type, unit, of, use, ...) {#name, use},
#include "config/figures.def"
};
#define FIGURES (sizeof figures / sizeof *figures)

// The column of an axis in the tables: its name, with "_" for "-".
static void column_of(const struct ts_sweep *self, unsigned axis, char *name, size_t size)
{
    snprintf(name, size, "%s", self->axes[axis].name);
    for (char *at = name; (at = strchr(at, '-')) != NULL;)
        *at = '_';
}

void ts_sweep_keep(const struct ts_sweep *self, size_t index, json_t *row)
{
    for (unsigned i = 0; i < self->axis_count; i++) {
        char name[sizeof self->axes[i].name];
        const char *value = ts_sweep_value(self, index, i);
        int64_t number;
        column_of(self, i, name, sizeof name);
        if (json_object_get(row, name) == NULL)
            json_object_set_new(row, name,
                                ts_parse_int(value, &number) ? json_integer(number)
                                                             : json_string(value));
    }
}

static bool has(const char *const *columns, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(columns[i], name) == 0)
            return true;
    return false;
}

// The parameters of the sweep that are not there yet. Rows have their names.
static size_t add_axes(const struct ts_sweep *self, const char **columns, size_t count)
{
    for (unsigned i = 0; i < self->axis_count; i++) {
        char name[sizeof self->axes[i].name];
        const char *own = NULL, *key;
        json_t *value;
        column_of(self, i, name, sizeof name);
        for (size_t k = 0; k < self->points && own == NULL; k++)
            json_object_foreach(self->results[k], key, value) own = strcmp(key, name) == 0 ? key
                                                                                           : own;
        if (own && !has(columns, count, own))
            columns[count++] = own;
    }
    return count;
}

// A program's figures are those that its rows have; code and error stand last.
static size_t program_columns(const struct ts_sweep *self, const char **columns, size_t room)
{
    static const char *const last[] = {"key", "code", "error"};
    size_t count = add_axes(self, columns, 0);
    for (size_t i = 0; i < self->points; i++) {
        const char *name;
        json_t *value;
        json_object_foreach(self->results[i], name, value)
        {
            bool plain = json_is_string(value) || json_is_number(value);
            if (plain && count + 2 < room && !has(columns, count, name) && !has(last, 3, name))
                columns[count++] = name;
        }
    }
    columns[count++] = "code";
    columns[count++] = "error";
    return count;
}

#define COLUMNS (FIGURES + 64)

// The columns of the tables, separate names; NULL at the end. To be freed.
static const char **columns_of(const struct ts_sweep *self)
{
    const char **columns = ts_need(calloc(COLUMNS + 1, sizeof *columns), "the sweep");
    if (ts_sweep_spawns(self)) {
        program_columns(self, columns, COLUMNS);
        return columns;
    }
    size_t count = 0;
    for (size_t i = 0; i < FIGURES; i++)
        if (figures[i].use && i + 2 < FIGURES)
            columns[count++] = figures[i].name;
    count = add_axes(self, columns, count);
    columns[count++] = "code";
    columns[count] = "error";
    return columns;
}

static void cell(const json_t *value, char *text, size_t size)
{
    text[0] = '\0';
    if (json_is_string(value))
        snprintf(text, size, "%s", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(text, size, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(text, size, "%.9g", json_real_value(value));
}

static void write_csv(const struct ts_sweep *self, FILE *file)
{
    const char **columns = columns_of(self);
    for (size_t c = 0; columns[c]; c++)
        fprintf(file, "%s%s", c ? "," : "", columns[c]);
    fputc('\n', file);
    for (size_t i = 0; i < self->points; i++) {
        for (size_t c = 0; columns[c]; c++) {
            char text[512];
            cell(self->results[i] ? json_object_get(self->results[i], columns[c]) : NULL, text,
                 sizeof text);
            bool quote = strpbrk(text, ",\"\n") != NULL;
            fprintf(file, "%s%s", c ? "," : "", quote ? "\"" : "");
            for (const char *p = text; *p; p++)
                fprintf(file, "%s%c", *p == '"' ? "\"" : "", *p);
            fputs(quote ? "\"" : "", file);
        }
        fputc('\n', file);
    }
    free(columns);
}

static void bind(sqlite3_stmt *insert, int place, const json_t *value)
{
    if (json_is_string(value))
        sqlite3_bind_text(insert, place, json_string_value(value), -1, SQLITE_STATIC);
    else if (json_is_integer(value))
        sqlite3_bind_int64(insert, place, json_integer_value(value));
    else if (json_is_real(value))
        sqlite3_bind_double(insert, place, json_real_value(value));
}

// The statements that make the table and fill a row of it.
static void make_sql(const char **columns, char **create, char **insert)
{
    size_t size;
    FILE *make = open_memstream(create, &size), *fill = open_memstream(insert, &size);
    if (make == NULL || fill == NULL)
        ts_out_of_memory("the sweep");
    fputs("create table runs (point integer primary key", make);
    fputs("insert into runs values (?", fill);
    for (size_t c = 0; columns[c]; c++) {
        fprintf(make, ", \"%s\"", columns[c]);
        fputs(", ?", fill);
    }
    fputc(')', make);
    fputc(')', fill);
    fclose(make);
    fclose(fill);
}

static bool write_sqlite(const struct ts_sweep *self, const char *path, struct ts_error *error)
{
    sqlite3 *db;
    if (sqlite3_open(path, &db) != SQLITE_OK) {
        ts_fail(error, TS_SETUP, "%s/table.sqlite: cannot be written: %s", self->directory,
                sqlite3_errmsg(db));
        sqlite3_close(db);
        return false;
    }
    const char **columns = columns_of(self);
    char *create, *fill;
    make_sql(columns, &create, &fill);
    sqlite3_stmt *insert = NULL;
    // The directory is there as a whole or not at all: the file itself need not survive anything.
    static const char begin[] = "pragma journal_mode=off; pragma synchronous=off; begin";
    bool good = sqlite3_exec(db, begin, NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_exec(db, create, NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_prepare_v2(db, fill, -1, &insert, NULL) == SQLITE_OK;
    for (size_t i = 0; good && i < self->points; i++) {
        sqlite3_reset(insert);
        sqlite3_clear_bindings(insert);
        sqlite3_bind_int64(insert, 1, (sqlite3_int64)i);
        for (size_t c = 0; columns[c]; c++)
            bind(insert, (int)c + 2,
                 self->results[i] ? json_object_get(self->results[i], columns[c]) : NULL);
        good = sqlite3_step(insert) == SQLITE_DONE;
    }
    sqlite3_finalize(insert);
    good = good && sqlite3_exec(db, "commit", NULL, NULL, NULL) == SQLITE_OK;
    if (!good)
        ts_fail(error, TS_SETUP, "%s/table.sqlite: cannot be written: %s", self->directory,
                sqlite3_errmsg(db));
    free(columns);
    free(create);
    free(fill);
    return sqlite3_close(db) == SQLITE_OK && good;
}

static bool write_text(const struct ts_sweep *self, const char *name,
                       void (*write)(const struct ts_sweep *self, FILE *file),
                       struct ts_error *error)
{
    struct ts_file *file = ts_rundir_file(self->out, name, error);
    if (file == NULL)
        return false;
    write(self, ts_file_stream(file));
    return ts_file_close(file, error);
}

// What makes the same tables, wherever they go. Freed by the caller.
static char *command_of(const struct ts_sweep *self)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = ts_need(open_memstream(&text, &size), "the sweep");
    fputs("tensim sweep", file);
    if (!self->programs)
        fprintf(file, " %s", self->kernel);
    for (unsigned k = 0; self->programs && k < self->axes[0].count; k++)
        fprintf(file, " %s", self->axes[0].values[k]);
    fputs(self->strict ? " --strict" : "", file);
    fputs(self->activity ? " --activity" : "", file);
    fputs(self->timing_only ? " --timing-only" : "", file);
    for (unsigned i = self->programs ? 1 : 0; i < self->axis_count; i++) {
        fprintf(file, " %s", self->axes[i].name);
        for (unsigned k = 0; k < self->axes[i].count; k++)
            fprintf(file, "%c%s", k ? ',' : '=', self->axes[i].values[k]);
    }
    fclose(file);
    return text;
}

static json_t *axes_json(const struct ts_sweep *self)
{
    json_t *axes = json_array();
    for (unsigned i = 0; i < self->axis_count; i++) {
        json_t *values = json_array();
        for (unsigned k = 0; k < self->axes[i].count; k++)
            json_array_append_new(values, json_string(self->axes[i].values[k]));
        ts_json_add(axes, "{s:s, s:s, s:o}", "name", self->axes[i].name, "of",
                    self->axes[i].kind == TS_AXIS_MACHINE ? "machine" : "run", "values", values);
    }
    return axes;
}

static json_t *point_json(const struct ts_sweep *self, size_t index)
{
    char shape[2 * TS_SWEEP_VALUE];
    ts_sweep_shape(self, index, shape, sizeof shape);
    return json_pack("{s:O, s:s}", "key", json_object_get(self->results[index], "key"), "shape",
                     shape);
}

static json_t *front_json(const struct ts_sweep *self, const char *by)
{
    size_t *points = ts_need(calloc(self->points + 1, sizeof *points), "the sweep");
    json_t *front = json_array();
    size_t count = ts_sweep_front(self, by, points);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(front, point_json(self, points[i]));
    free(points);
    return front;
}

// By time, TFLOP/s and error: the best run of each shape.
static json_t *best_json(const struct ts_sweep *self)
{
    static const char *const by[] = {"time", "tflops", "error"};
    size_t *points = ts_need(calloc(self->points + 1, sizeof *points), "the sweep");
    json_t *best = json_object();
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        json_t *list = json_array();
        size_t count = ts_sweep_best(self, by[i], points);
        for (size_t k = 0; k < count; k++)
            json_array_append_new(list, point_json(self, points[k]));
        json_object_set_new(best, by[i], list);
    }
    free(points);
    return best;
}

static json_t *document_of(const struct ts_sweep *self)
{
    json_t *rows = json_array(), *columns = NULL;
    const char **names = ts_sweep_spawns(self) ? columns_of(self) : NULL;
    char *command = command_of(self);
    for (size_t i = 0; i < self->points; i++)
        if (self->results[i])
            json_array_append(rows, self->results[i]);
    for (size_t c = 0; names && names[c]; c++) {
        columns = columns ? columns : json_array();
        json_array_append_new(columns, json_string(names[c]));
    }
    const struct ts_numbers most = {// of what a 16-bit Dst could be asked
                                    .unit = strncmp(self->kernel, "matmul", 6) == 0 ? "product"
                                                                                    : "tile",
                                    .phases = 4};
    json_t *document = json_pack(
        "{s:s, s:i, s:s, s:s, s:o, s:o, s:o*, s:s*, s:o}", "schema", "tensim.sweep", "version", 1,
        "of", self->programs ? "programs" : self->kernel, "command", command, "axes",
        axes_json(self), "front", front_json(self, self->small ? self->small : "error"), "columns",
        columns, "note", ts_sweep_spawns(self) ? NULL : ts_expected_note(&most), "rows", rows);
    json_object_set_new(document, "best", best_json(self));
    for (unsigned i = 0; self->activity && i < 2; i++)
        json_object_set_new(document, i ? "front_step_ns100" : "front_step_ns10",
                            front_json(self, i ? "step_ns100" : "step_ns10"));
    free(names);
    free(command);
    return document;
}

bool ts_sweep_write(const struct ts_sweep *self, void (*page)(const json_t *document, FILE *file),
                    struct ts_error *error)
{
    json_t *document = document_of(self);
    char *database = ts_rundir_path(self->out, "table.sqlite");
    bool good = write_text(self, "table.csv", write_csv, error) &&
                ts_rundir_json(self->out, "table.json", document, error) &&
                write_sqlite(self, database, error);
    struct ts_file *file = good ? ts_rundir_file(self->out, "sweep.html", error) : NULL;
    if (file)
        page(document, ts_file_stream(file));
    good = file && ts_file_close(file, error) && ts_rundir_commit(self->out, error);
    json_decref(document);
    free(database);
    return good;
}
