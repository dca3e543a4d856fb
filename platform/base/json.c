#include "platform/base/json.h"

// `packed`: the value of the format and what is behind it.
#define PACK()                                             \
    va_list args;                                          \
    va_start(args, format);                                \
    json_t *packed = json_vpack_ex(NULL, 0, format, args); \
    va_end(args)

void ts_json_add(json_t *array, const char *format, ...)
{
    PACK();
    json_array_append_new(array, packed);
}

void ts_json_put(json_t *object, const char *key, const char *format, ...)
{
    PACK();
    json_object_set_new(object, key, packed);
}

void ts_json_more(json_t *object, const char *format, ...)
{
    PACK();
    json_object_update_new(object, packed);
}

// A number, a sum of members ("cycles+gate_cycles"), or true as 1.
static double number_of(const json_t *row, const char *key)
{
    double sum = 0;
    for (size_t length; *key; key += length + (key[length] == '+')) {
        char name[64];
        length = strcspn(key, "+");
        snprintf(name, sizeof name, "%.*s", (int)length, key);
        const json_t *value = json_object_get(row, name);
        sum += json_is_true(value) ? 1 : json_number_value(value);
    }
    return sum;
}

static int compare(const void *a, const void *b, void *keys)
{
    const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
    int order = 0;
    for (const char *at = keys; *at && order == 0;) {
        const bool turned = *at == '-', size = at[turned] == '~';
        char key[80];
        const size_t begin = turned + size, end = strcspn(at, " ");
        snprintf(key, sizeof key, "%.*s", (int)(end - begin), at + begin);
        double p = number_of(x, key), q = number_of(y, key);
        if (json_is_string(json_object_get(x, key)))
            order = strcmp(ts_json_text(x, key), ts_json_text(y, key));
        else if (size)
            order = TS_COMPARE(fabs(p), fabs(q));
        else
            order = TS_COMPARE(p, q);
        order = turned ? -order : order;
        at += end + (at[end] == ' ');
    }
    return order;
}

json_t *ts_json_sorted(json_t *list, const char *keys)
{
    const size_t count = json_array_size(list);
    json_t **rows = calloc(count + 1, sizeof *rows);
    if (rows == NULL)
        return list;
    json_t *sorted = json_array();
    for (size_t i = 0; i < count; i++)
        rows[i] = json_array_get(list, i);
    qsort_r(rows, count, sizeof *rows, compare, (void *)keys);
    for (size_t i = 0; i < count; i++)
        json_array_append(sorted, rows[i]);
    free(rows);
    json_decref(list);
    return sorted;
}

static const json_t *element(const json_t *list, const char *name)
{
    size_t index;
    json_t *row;
    if (name[strspn(name, "0123456789")] == '\0')
        return json_array_get(list, strtoul(name, NULL, 10));
    json_array_foreach((json_t *)list, index, row)
    {
        if (strcmp(ts_json_text(row, "name"), name) == 0)
            return row;
    }
    return NULL;
}

const json_t *ts_json_at(const json_t *value, const char *path, size_t length)
{
    for (size_t i = 0, end; value && i < length; i = end + 1) {
        char name[128];
        for (end = i; end < length && path[end] != '/'; end++)
            ;
        snprintf(name, sizeof name, "%.*s", (int)(end - i), path + i);
        value = json_is_array(value) ? element(value, name) : json_object_get(value, name);
    }
    return value;
}
