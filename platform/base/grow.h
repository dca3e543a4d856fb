// Room for one element more in an array that doubles.
#ifndef TENSIM_BASE_GROW_H
#define TENSIM_BASE_GROW_H

#include <stdbool.h>
#include <stdlib.h>

// `count` elements of `size` bytes are in *array, which has room for *room. False: no memory, and
// everything is as it was.
static inline bool ts_grow(void **array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return true;
    size_t more = *room ? 2 * *room : 256;
    void *larger = realloc(*array, more * size);
    if (larger == NULL)
        return false;
    *array = larger;
    *room = more;
    return true;
}

#endif
