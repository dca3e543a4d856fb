// Byte blocks, and the double precision conversions that a kernel without a C library may call.
#include <string.h>

extern "C" {

void *memcpy(void *to, const void *from, size_t bytes)
{
    char *d = static_cast<char *>(to);
    const char *s = static_cast<const char *>(from);
    if (((uintptr_t)d | (uintptr_t)s) % 4 == 0)
        for (; bytes >= 4; bytes -= 4, d += 4, s += 4)
            *reinterpret_cast<unsigned *>(d) = *reinterpret_cast<const unsigned *>(s);
    while (bytes--)
        *d++ = *s++;
    return to;
}
void *memmove(void *to, const void *from, size_t bytes)
{
    char *d = static_cast<char *>(to);
    const char *s = static_cast<const char *>(from);
    if (d <= s)
        return memcpy(to, from, bytes);
    while (bytes--)
        d[bytes] = s[bytes];
    return to;
}
void *memset(void *to, int value, size_t bytes)
{
    char *d = static_cast<char *>(to);
    while (bytes--)
        *d++ = char(value);
    return to;
}
int memcmp(const void *a, const void *b, size_t bytes)
{
    const unsigned char *x = static_cast<const unsigned char *>(a);
    const unsigned char *y = static_cast<const unsigned char *>(b);
    for (; bytes; bytes--, x++, y++)
        if (*x != *y)
            return *x - *y;
    return 0;
}
size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}
}
