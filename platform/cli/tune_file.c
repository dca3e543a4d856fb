#include "platform/cli/tune_file.h"

#include "platform/base/yaml.h"
#include "platform/load/loader.h"

// A replacement of characters of one line.
struct edit {
    size_t line, from, to; // in characters; from == to: an insertion
    char text[200];
    bool there;
};

static struct edit at(struct ts_yaml_node node, bool inside)
{
    const yaml_mark_t *from = &node.node->start_mark, *to = &node.node->end_mark;
    struct edit edit = {.line = from->line, .from = from->column, .to = to->column};
    edit.there = from->line == to->line && !inside;
    if (inside && node.node->type == YAML_MAPPING_NODE &&
        node.node->data.mapping.style == YAML_FLOW_MAPPING_STYLE) { // behind its brace
        edit.from = edit.to = from->column + 1;
        edit.there = true;
    }
    return edit;
}

static struct edit replaces(struct ts_yaml_node value, const char *text)
{
    struct edit edit = {0};
    if (value.node && ts_yaml_is_scalar(value)) {
        edit = at(value, false);
        snprintf(edit.text, sizeof edit.text, "%s", text);
    }
    return edit;
}

static struct ts_yaml_node step_at(struct ts_yaml_node list, int line)
{
    for (size_t i = 0; ts_yaml_is_list(list) && i < ts_yaml_count(list); i++) {
        struct ts_yaml_node step = ts_yaml_at(list, i);
        if (!ts_yaml_is_map(step))
            continue;
        struct ts_yaml_node found = step_at(ts_yaml_find(step, "of"), line);
        if (ts_yaml_line(step) == line && ts_yaml_find(step, "run").node)
            return step;
        if (found.node)
            return found;
    }
    return (struct ts_yaml_node){0};
}

static struct edit edit_of(struct ts_yaml *yaml, const struct ts_change *change)
{
    struct ts_yaml_node root = ts_yaml_root(yaml), step, set;
    struct edit edit;
    if (change->line == 0) {
        const struct ts_yaml_node params = ts_yaml_find(root, "params"),
                                  cores = ts_yaml_find(root, "cores");
        if (strcmp(change->name, "cores") == 0)
            return replaces(ts_yaml_is_map(cores) ? ts_yaml_find(cores, "grid") : cores,
                            change->value);
        return replaces(params.node ? ts_yaml_find(params, change->name) : params, change->value);
    }
    step = step_at(ts_yaml_find(root, "steps"), change->line);
    set = step.node ? ts_yaml_find(step, "set") : step;
    if (set.node && ts_yaml_find(set, change->name).node)
        return replaces(ts_yaml_find(set, change->name), change->value);
    if (step.node == NULL)
        return (struct edit){0};
    edit = at(set.node ? set : step, true);
    snprintf(edit.text, sizeof edit.text, set.node ? "%s: %s, " : "set: {%s: %s}, ", change->name,
             change->value);
    return edit;
}

// The bytes of so many characters of UTF-8.
static size_t bytes_of(const char *text, size_t characters)
{
    size_t at = 0;
    for (; characters && text[at] && text[at] != '\n'; characters--)
        for (at++; (text[at] & 0xc0) == 0x80;)
            at++;
    return at;
}

static int last_first(const void *a, const void *b)
{
    const struct edit *x = a, *y = b;
    return TS_COMPARE(y->line, x->line) ?: TS_COMPARE(y->from, x->from);
}

// Replaces in the text, which is freed. NULL: no memory.
static char *apply(char *text, const struct edit *edit)
{
    const char *line = text;
    char *to = NULL;
    for (size_t i = 0; i < edit->line && line; i++) {
        line = strchr(line, '\n');
        line += line != NULL;
    }
    if (line == NULL)
        return text;
    const size_t from = (size_t)(line - text) + bytes_of(line, edit->from),
                 rest = (size_t)(line - text) + bytes_of(line, edit->to);
    const int length = asprintf(&to, "%.*s%s%s", (int)from, text, edit->text, text + rest);
    free(text);
    return length < 0 ? NULL : to;
}

char *ts_change_file(const char *path, const struct ts_change *changes, size_t count, bool *done,
                     struct ts_error *error)
{
    struct ts_yaml yaml;
    struct edit *edits = calloc(count + 1, sizeof *edits);
    size_t length = 0;
    char *bytes = ts_read_file(path, &length, error), *text = bytes ? strndup(bytes, length) : NULL;
    free(bytes);
    if (text && edits && ts_yaml_load(&yaml, path, error)) {
        for (size_t i = 0; i < count; i++) {
            edits[i] = edit_of(&yaml, &changes[i]);
            done[i] = edits[i].there;
        }
        qsort(edits, count, sizeof *edits, last_first); // those behind are not moved
        for (size_t i = 0; i < count && text; i++)
            if (edits[i].there)
                text = apply(text, &edits[i]);
        ts_yaml_free(&yaml);
    }
    free(edits);
    if (text == NULL && error->code == TS_OK)
        ts_fail(error, TS_NO_MEMORY, "out of memory");
    return text;
}

void ts_change_diff(const char *path, const char *before, const char *after, FILE *file)
{
    fprintf(file, "--- %s\n+++ %s\n", path, path);
    for (size_t number = 1; *before && *after; number++) {
        const size_t a = strcspn(before, "\n"), b = strcspn(after, "\n");
        if (a != b || memcmp(before, after, a) != 0)
            fprintf(file, "@@ -%zu +%zu @@\n-%.*s\n+%.*s\n", number, number, (int)a, before, (int)b,
                    after);
        before += a + (before[a] == '\n');
        after += b + (after[b] == '\n');
    }
}
