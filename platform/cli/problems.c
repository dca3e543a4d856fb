// Problems for editors (session.h). The rows of a document have their line as `source`: "/path/reader.cpp:30:5".
#include "platform/cli/session.h"

#include "platform/base/json.h"

static void problem(const json_t *row, const char *severity, const char *kind, const char *text,
                    FILE *file)
{
    const char *source = ts_json_text(row, "source");
    if (source[0])
        fprintf(file, "%s: %s: %s [%s]\n", source, severity, text, kind);
}

static void lints(const json_t *list, FILE *file)
{
    size_t i;
    json_t *row;
    json_array_foreach((json_t *)list, i, row)
        problem(row, "warning", ts_json_text(row, "name"), ts_json_text(row, "lint"), file);
}

static void findings(const json_t *list, FILE *file)
{
    size_t i;
    json_t *row;
    json_array_foreach((json_t *)list, i, row)
    {
        const json_t *access = json_object_get(row, "access"),
                     *other = json_object_get(row, "other");
        problem(access, "warning", ts_json_text(row, "kind"), ts_json_text(row, "text"), file);
        if (other)
            problem(other, "note", ts_json_text(row, "kind"), ts_json_text(other, "does"), file);
    }
}

// The waits of a hang, wherever they stand in its document.
static void waits(const json_t *value, FILE *file)
{
    size_t i;
    const char *key;
    json_t *part;
    if (json_is_array(value))
        json_array_foreach((json_t *)value, i, part) waits(part, file);
    if (!json_is_object(value))
        return;
    if (json_object_get(value, "source")) {
        char text[600];
        snprintf(text, sizeof text, "%s %s", ts_json_text(value, "name"),
                 ts_json_text(value, "text"));
        problem(value, "error", "hang", text, file);
    }
    json_object_foreach((json_t *)value, key, part) waits(part, file);
}

void ts_problems_print(const json_t *document, FILE *file)
{
    problem(document, "error", "fault", ts_json_text(document, "error"), file);
    waits(json_object_get(document, "hang"), file);
    lints(json_object_get(document, "lints"), file);
    findings(json_object_get(document, "checks"), file);
}

void ts_problems_message(const char *message, FILE *file)
{
    const char *colon = strchr(message, ':');
    if (colon == NULL || !isdigit((unsigned char)colon[1]))
        return;
    const char *after = strstr(colon, ": ");
    if (after)
        fprintf(file, "%.*s: error: %s\n", (int)(after - message), message, after + 2);
}
