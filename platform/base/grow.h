// Room for one element more in an array that doubles.
#pragma once

#include "platform/base/error.h"

#include <stdint.h>
#include <stdlib.h>

// `count` elements of `size` bytes are in *array, which has room for *room. False: no memory, and
// everything is as it was.
static inline bool ts_grow(void **array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return true;
    size_t more = *room ? 2 * *room : 64;
    void *larger = realloc(*array, more * size);
    if (larger == NULL)
        return false;
    *array = larger;
    *room = more;
    return true;
}

static inline bool ts_grow_32(void **array, size_t count, uint32_t *room, size_t size)
{
    size_t wide = *room;
    const bool good = ts_grow(array, count, &wide, size);
    *room = (uint32_t)wide;
    return good;
}

// The same for an array of any type; `room` is a size_t or a uint32_t.
#define TS_GROW(array, count, room) \
    _Generic(&(room), size_t *      \
             : ts_grow, uint32_t *  \
             : ts_grow_32)((void **)&(array), count, &(room), sizeof *(array))
// For programs: ends the process if there is no memory for `what`.
#define TS_MORE(array, count, room, what) \
    (TS_GROW(array, count, room) ? (void)0 : ts_out_of_memory(what))
