// A sweep's tables: CSV, JSON and SQLite (sweep.h).
#include "platform/study/sweep/sweep.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static const char *const of_kernels[] = {"kernel",
                                         "op",
                                         "m",
                                         "n",
                                         "k",
                                         "tile",
                                         "format",
                                         "fidelity",
                                         "throttle",
                                         "flip",
                                         "dst",
                                         "run_type",
                                         "cycles",
                                         "cycles_per_product",
                                         "cycles_per_tile",
                                         "tflops",
                                         "elements_per_cycle",
                                         "utilisation",
                                         "intensity",
                                         "bound_by",
                                         "reached",
                                         "loss_cause",
                                         "loss_object",
                                         "loss_percent",
                                         "rel_l2",
                                         "pcc",
                                         "end_to_end_rel_l2",
                                         "end_to_end_pcc",
                                         "max_ulp",
                                         "code",
                                         "error"};

static bool has(const char *const *columns, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(columns[i], name) == 0)
            return true;
    return false;
}

// A program's figures are those that its rows have; code and error stand last.
static size_t program_columns(const struct ts_sweep *self, const char **columns, size_t room)
{
    static const char *const last[] = {"key", "code", "error"};
    size_t count = 0;
    for (unsigned i = 0; i < self->axis_count; i++)
        columns[count++] = self->axes[i].name;
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

#define PROGRAM_COLUMNS 64

const char **ts_sweep_columns(const struct ts_sweep *self)
{
    size_t kernel = sizeof of_kernels / sizeof *of_kernels;
    size_t room = kernel > PROGRAM_COLUMNS ? kernel : PROGRAM_COLUMNS;
    const char **columns = calloc(room + 1, sizeof *columns);
    if (columns == NULL)
        abort();
    if (self->programs)
        program_columns(self, columns, room);
    else
        memcpy(columns, of_kernels, sizeof of_kernels);
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
    const char **columns = ts_sweep_columns(self);
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
        abort();
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
    const char **columns = ts_sweep_columns(self);
    char *create, *fill;
    make_sql(columns, &create, &fill);
    sqlite3_stmt *insert = NULL;
    bool good = sqlite3_exec(db, "begin", NULL, NULL, NULL) == SQLITE_OK &&
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

bool ts_sweep_write(const struct ts_sweep *self, struct ts_error *error)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < self->points; i++)
        if (self->results[i])
            json_array_append(rows, self->results[i]);
    json_t *document = json_pack("{s:s, s:i, s:o}", "schema", "tensim.sweep", "version", 1, "rows",
                                 rows);
    char *database = ts_rundir_path(self->out, "table.sqlite");
    bool good = write_text(self, "table.csv", write_csv, error) &&
                ts_rundir_json(self->out, "table.json", document, error) &&
                write_sqlite(self, database, error) &&
                write_text(self, "sweep.html", ts_sweep_page, error) &&
                ts_rundir_commit(self->out, error);
    json_decref(document);
    free(database);
    return good;
}
