// What the compiler may call: there is no C library.
#include <stddef.h>
#include <stdint.h>

extern "C" {

void *memcpy(void *to, const void *from, size_t count)
{
    if (((uintptr_t)to | (uintptr_t)from | count) % 4 == 0) {
        for (size_t i = 0; i < count / 4; i++)
            ((uint32_t *)to)[i] = ((const uint32_t *)from)[i];
        return to;
    }
    for (size_t i = 0; i < count; i++)
        ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
    return to;
}

void *memmove(void *to, const void *from, size_t count)
{
    if (to <= from)
        return memcpy(to, from, count);
    while (count-- > 0)
        ((uint8_t *)to)[count] = ((const uint8_t *)from)[count];
    return to;
}

void *memset(void *to, int value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((uint8_t *)to)[i] = (uint8_t)value;
    return to;
}

int memcmp(const void *a, const void *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (((const uint8_t *)a)[i] != ((const uint8_t *)b)[i])
            return ((const uint8_t *)a)[i] - ((const uint8_t *)b)[i];
    return 0;
}

} // extern "C"
