#include "platform/base/json.h"

#include <stdlib.h>

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
