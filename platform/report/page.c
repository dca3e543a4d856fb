// The skeleton of every page, and its document (page.h).
#include "platform/report/page.h"

#include "platform/kernel/stall.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *color;
} colors[] = {
#define TS_STALL(id, name, text, color) {name, color},
#include "config/stall.def"
#undef TS_STALL
#define TS_UNIT_COLOR(name, color) {name, color},
#include "config/unit_colors.def"
#undef TS_UNIT_COLOR
};

static void escaped(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else
            fputc(*text, file);
    }
}

json_t *ts_page_new(const char *title, const char *answer, const char *command)
{
    json_t *table = json_object();
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
        json_object_set_new(table, colors[i].name, json_string(colors[i].color));
    return json_pack("{s:s, s:s*, s:s*, s:o, s:[]}", "title", title, "answer", answer, "command",
                     command, "colors", table, "sections");
}

json_t *ts_page_add(json_t *page, const char *component, const char *title, json_t *fields)
{
    json_object_set_new(fields, "component", json_string(component));
    if (title)
        json_object_set_new(fields, "title", json_string(title));
    json_array_append_new(json_object_get(page, "sections"), fields);
    return fields;
}

json_t *ts_page_part(json_t *page, const char *component, const char *title)
{
    return ts_page_add(page, component, title, json_pack("{s:[]}", "sections"));
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

void ts_page_write(json_t *page, FILE *file)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
          "<meta name=\"color-scheme\" content=\"light dark\">"
          "<link rel=\"icon\" href=\"data:,\"><title>",
          file);
    escaped(file, json_string_value(json_object_get(page, "title")));
    fprintf(file, "</title><style>\n%s</style></head><body>\n", ts_page_css);
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
