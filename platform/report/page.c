// The skeleton of every page, and which files become pages (page.h).
#include "platform/report/page.h"

// Names that have one colour on all pages. text: of a stall reason, what it means.
static const struct {
    const char *name, *color, *text;
} colors[] = {
#define TS_STALL(id, name, text, color) {name, color, text},
#include "config/stall.def"
#define TS_UNIT_COLOR(name, color) {name, color, NULL},
#include "config/unit_colors.def"
};

const struct ts_page_file ts_page_files[] = {
#define TS_PAGE(schema, document, page, drawn) {schema, document, page, drawn},
#include "config/results.def"
    {0},
};

static const char *schema_of(const json_t *document)
{
    const char *schema = json_string_value(json_object_get(document, "schema"));
    return schema ? schema : "";
}

const struct ts_page_file *ts_page_file(const json_t *document)
{
    const struct ts_page_file *row = ts_page_files;
    while (row->schema && strcmp(row->schema, schema_of(document)) != 0)
        row++;
    return row->schema ? row : NULL;
}

// No text of the document can end the script it stands in.
static int dump(const char *buffer, size_t size, void *to)
{
    for (size_t i = 0; i < size; i++)
        if (buffer[i] == '<')
            fputs("\\u003c", to);
        else
            fputc(buffer[i], to);
    return 0;
}

void ts_page_write(const json_t *document, const json_t *drawing, const char *command, FILE *file)
{
    json_t *table = json_object(), *reasons = json_object();
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++) {
        json_object_set_new(table, colors[i].name, json_string(colors[i].color));
        if (colors[i].text)
            json_object_set_new(reasons, colors[i].name, json_string(colors[i].text));
    }
    json_t *page = json_pack("{s:s, s:O, s:O*, s:s*, s:o, s:o}", "view",
                             schema_of(document) + strlen("tensim."), "document", document,
                             "drawing", drawing, "command", command, "colors", table, "reasons",
                             reasons);
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
          "<meta name=\"color-scheme\" content=\"light dark\">"
          "<link rel=\"icon\" href=\"data:,\"><title>tensim</title>",
          file);
    fprintf(file, "<style>\n%s</style></head><body>\n", ts_page_css);
    fputs("<script type=\"application/json\" id=\"page\">\n", file);
    json_dump_callback(page, dump, file, JSON_COMPACT | JSON_REAL_PRECISION(8));
    fprintf(file, "\n</script>\n<script>\n%s</script>\n</body></html>\n", ts_page_js);
    json_decref(page);
}

char *ts_page_command(int argc, char *const *argv)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                            "-_=+.,:/@%";
        bool quote = i > 0 && (word[0] == '\0' || word[strspn(word, plain)] != '\0');
        fputs(i ? " " : "", file);
        if (!quote) {
            fputs(word, file);
            continue;
        }
        fputc('\'', file);
        for (; *word; word++)
            if (*word == '\'')
                fputs("'\\''", file);
            else
                fputc(*word, file);
        fputc('\'', file);
    }
    fclose(file);
    return text;
}
