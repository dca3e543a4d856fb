// A sweep's tables: CSV, JSON and SQLite (sweep.h).
#include "platform/study/sweep/sweep.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static const char *const columns[] = {"kernel",
                                      "op",
                                      "m",
                                      "n",
                                      "k",
                                      "format",
                                      "fidelity",
                                      "throttle",
                                      "dst",
                                      "run_type",
                                      "cycles",
                                      "cycles_per_product",
                                      "cycles_per_tile",
                                      "tflops",
                                      "utilisation",
                                      "intensity",
                                      "bound_by",
                                      "rel_l2",
                                      "pcc",
                                      "max_ulp",
                                      "code",
                                      "error"};
#define COLUMNS (sizeof columns / sizeof *columns)

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
    for (size_t c = 0; c < COLUMNS; c++)
        fprintf(file, "%s%s", c ? "," : "", columns[c]);
    fputc('\n', file);
    for (size_t i = 0; i < self->points; i++) {
        for (size_t c = 0; c < COLUMNS; c++) {
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
    char sql[1024] = "create table runs (point integer primary key",
         place[256] = "insert into runs values (?";
    for (size_t c = 0; c < COLUMNS; c++) {
        strncat(sql, ", ", sizeof sql - strlen(sql) - 1);
        strncat(sql, columns[c], sizeof sql - strlen(sql) - 1);
        strncat(place, ", ?", sizeof place - strlen(place) - 1);
    }
    strncat(sql, ")", sizeof sql - strlen(sql) - 1);
    strncat(place, ")", sizeof place - strlen(place) - 1);
    sqlite3_stmt *insert = NULL;
    bool good = sqlite3_exec(db, "begin", NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_prepare_v2(db, place, -1, &insert, NULL) == SQLITE_OK;
    for (size_t i = 0; good && i < self->points; i++) {
        sqlite3_reset(insert);
        sqlite3_clear_bindings(insert);
        sqlite3_bind_int64(insert, 1, (sqlite3_int64)i);
        for (size_t c = 0; c < COLUMNS; c++) {
            const json_t *value = self->results[i] ? json_object_get(self->results[i], columns[c])
                                                   : NULL;
            if (json_is_string(value))
                sqlite3_bind_text(insert, (int)c + 2, json_string_value(value), -1, SQLITE_STATIC);
            else if (json_is_integer(value))
                sqlite3_bind_int64(insert, (int)c + 2, json_integer_value(value));
            else if (json_is_real(value))
                sqlite3_bind_double(insert, (int)c + 2, json_real_value(value));
        }
        good = sqlite3_step(insert) == SQLITE_DONE;
    }
    sqlite3_finalize(insert);
    good = good && sqlite3_exec(db, "commit", NULL, NULL, NULL) == SQLITE_OK;
    if (!good)
        ts_fail(error, TS_SETUP, "%s/table.sqlite: cannot be written: %s", self->directory,
                sqlite3_errmsg(db));
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
