// Templates filled with the values of a document (text.h).
#include "platform/out/text.h"

#include "platform/base/json.h"

enum when { BOTH, SHORT, LONG };

static const struct row {
    const char *view, *each, *text;
    enum when when;
} rows[] = {
#define TS_TEXT(view, when, each, text) {#view, each, text, when},
#include "config/text.def"
};

// Where paths begin.
struct scope {
    const json_t *document, *element;
    const char *key; // of the element; NULL: none
};

// --- values ---

static const json_t *value_at(const struct scope *self, const char *path, size_t length)
{
    if (*path == '^')
        return ts_json_at(self->document, path + 1, length - 1);
    return ts_json_at(self->element, path, *path == '.' ? 0 : length);
}

static bool is_there(const json_t *value)
{
    return json_is_true(value) || json_array_size(value) || json_object_size(value) ||
           (json_is_number(value) && json_number_value(value) != 0) ||
           (json_is_string(value) && json_string_value(value)[0]);
}

static bool holds(const struct scope *self, const char *text, size_t length)
{
    const char *other_one = memchr(text, '|', length);
    if (other_one && holds(self, other_one + 1, length - (size_t)(other_one + 1 - text)))
        return true;
    length = other_one ? (size_t)(other_one - text) : length;
    const size_t most = strcspn(text, "=<> ?;}]"), path = most < length ? most : length;
    const json_t *value = value_at(self, text, path);
    const char *other = text + path + 1;
    if (path >= length)
        return is_there(value);
    if (text[path] == '=' && json_is_number(value))
        return json_number_value(value) == strtod(other, NULL);
    if (text[path] == '=') {
        const char *is = json_string_value(value);
        return is && strlen(is) == length - path - 1 && strncmp(is, other, length - path - 1) == 0;
    }
    const double number = strtod(other, NULL), is = json_number_value(value);
    return text[path] == '>' ? is > number : is < number;
}

// --- templates ---

static bool put(const struct scope *self, const char *text, size_t length, FILE *file);

static bool put_value(const struct scope *self, const char *text, size_t length, FILE *file)
{
    const char *bar = memchr(text, '|', length), *spec = bar ? bar + 1 : "";
    const size_t path = bar ? (size_t)(bar - text) : length, size = bar ? length - path - 1 : 0,
                 flags = strspn(spec, "-+ 0123456789.");
    char format[32];
    if (*text == '@' && self->key) {
        snprintf(format, sizeof format, "%%%.*ss", (int)(flags < size ? flags : size), spec);
        fprintf(file, format, self->key);
        return true;
    }
    const json_t *value = value_at(self, text, path);
    const char kind = flags < size ? spec[flags] : json_is_real(value) ? 'g' : 'd';
    const char *times = memchr(spec, '*', size);
    const double of = kind == '/'
                          ? json_number_value(value_at(self, spec + flags + 1, size - flags - 1)) /
                                100
                          : 1;
    const double number = json_number_value(value) / (of > 0 ? of : 1) *
                          (times         ? strtod(times + 1, NULL)
                           : kind == '%' ? 100
                                         : 1);
    int width = (int)(flags < size ? flags : size);
    if (flags >= size && !json_is_real(value)) // the digits are for numbers with a point
        width = (int)strcspn(spec, ".") < width ? (int)strcspn(spec, ".") : width;
    if (json_is_string(value)) {
        snprintf(format, sizeof format, "%%%.*ss", width, spec);
        fprintf(file, format, json_string_value(value));
    } else if (!json_is_number(value) && kind != 'z' && kind != '/') {
        return false;
    } else if (kind == 'd' || kind == 'x' || kind == 'z') {
        snprintf(format, sizeof format, "%%%.*sll%c", width, spec, kind == 'x' ? 'x' : 'd');
        fprintf(file, format, (long long)number);
    } else {
        snprintf(format, sizeof format, "%%%.*s%c", width, spec,
                 kind == '%' || kind == '/' ? 'f' : kind);
        fprintf(file, format, number);
    }
    return true;
}

// A group is left out if a value in it is not there.
static void put_group(const struct scope *self, const char *text, size_t length, FILE *file)
{
    char *made = NULL;
    size_t size = 0;
    if (*text == '?' || *text == '!') {
        const size_t end = strcspn(text, " ");
        if (holds(self, text + 1, end - 1) != (*text == '?'))
            return;
        text += end + 1;
        length -= end + 1;
    }
    FILE *memory = open_memstream(&made, &size);
    const bool good = memory && put(self, text, length, memory);
    if (memory)
        fclose(memory);
    if (good)
        fwrite(made, 1, size, file);
    free(made);
}

// Calls for every element of "path", "path:8", "path:8?condition"; returns how many there were.
static size_t each(const struct scope *self, const char *path, size_t length, const char *between,
                   size_t gap, const char *text, size_t size, FILE *file)
{
    const char *ask = memchr(path, '?', length), *colon = memchr(path, ':', length);
    const size_t most = colon ? strtoul(colon + 1, NULL, 10) : SIZE_MAX,
                 end = colon ? (size_t)(colon - path)
                       : ask ? (size_t)(ask - path)
                             : length;
    const json_t *list = value_at(self, path, end);
    const size_t count = json_is_array(list) ? json_array_size(list) : json_object_size(list);
    void *next = json_is_object(list) ? json_object_iter((json_t *)list) : NULL;
    size_t done = 0;
    for (size_t i = 0; i < count && done < most; i++) {
        const struct scope one = {self->document,
                                  next ? json_object_iter_value(next) : json_array_get(list, i),
                                  next ? json_object_iter_key(next) : NULL};
        next = next ? json_object_iter_next((json_t *)list, next) : NULL;
        if (ask && !holds(&one, ask + 1, length - (size_t)(ask + 1 - path)))
            continue;
        put(self, between, done ? gap : 0, file);
        put_group(&one, text, size, file);
        done++;
    }
    return done;
}

static void put_list(const struct scope *self, const char *text, size_t length, FILE *file)
{
    const size_t path = strcspn(text, ";"), gap = strcspn(text + path + 1, ";"),
                 body = path + gap + 2;
    each(self, text, path, text + path + 1, gap, text + body, length - body, file);
}

// Where the bracket that opens at `text` closes.
static size_t closes(const char *text, size_t length)
{
    int depth = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\') {
            i++;
            continue;
        }
        depth += strchr("[{<", text[i]) != NULL;
        if (strchr("]}>", text[i]) && --depth == 0)
            return i;
        if (text[i] == '?' || text[i] == '!') // a condition may compare
            for (; i + 1 < length && !strchr(" ;", text[i + 1]);)
                i++;
    }
    return length;
}

static bool put(const struct scope *self, const char *text, size_t length, FILE *file)
{
    for (size_t i = 0; i < length; i++) {
        i += text[i] == '\\';
        const size_t end = strchr("[{<", text[i]) && (i == 0 || text[i - 1] != '\\')
                               ? closes(text + i, length - i)
                               : 0;
        if (end == 0) {
            fputc(text[i], file);
            continue;
        }
        if (text[i] == '{' && !put_value(self, text + i + 1, end - 1, file))
            return false;
        if (text[i] == '[')
            put_group(self, text + i + 1, end - 1, file);
        if (text[i] == '<')
            put_list(self, text + i + 1, end - 1, file);
        i += end;
    }
    return true;
}

void ts_text_print(const char *view, const json_t *document, bool all, FILE *file)
{
    const struct scope root = {document, document, NULL};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].view, view) == 0 && rows[i].when != (all ? SHORT : LONG)) {
            if (rows[i].each[0])
                each(&root, rows[i].each, strlen(rows[i].each), "", 0, rows[i].text,
                     strlen(rows[i].text), file);
            else
                put_group(&root, rows[i].text, strlen(rows[i].text), file);
        }
}
