#include "platform/base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *ts_json_sorted(json_t *list, ts_json_order *order)
{
    const size_t count = json_array_size(list);
    json_t **rows = calloc(count + 1, sizeof *rows);
    if (rows == NULL)
        return list;
    json_t *sorted = json_array();
    for (size_t i = 0; i < count; i++)
        rows[i] = json_array_get(list, i);
    qsort(rows, count, sizeof *rows, order);
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
