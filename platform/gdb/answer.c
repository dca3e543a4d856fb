#include "platform/gdb/commands.h"

void ts_gdb_say(struct ts_gdb_answer *self, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int more = vsnprintf(self->text + self->length, sizeof self->text - self->length, format, args);
    va_end(args);
    self->length += more > 0 ? (size_t)more : 0;
    if (self->length >= sizeof self->text)
        self->length = sizeof self->text - 1;
}

void ts_gdb_say_bytes(struct ts_gdb_answer *self, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ts_gdb_say(self, "%02x", ((const uint8_t *)bytes)[i]);
}

void ts_gdb_say_word(struct ts_gdb_answer *self, uint32_t word)
{
    uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                        (uint8_t)(word >> 24)};
    ts_gdb_say_bytes(self, bytes, 4);
}

size_t ts_gdb_hex(const char *text, uint8_t *bytes, size_t room)
{
    size_t count = 0;
    unsigned value;
    while (count < room && sscanf(text + 2 * count, "%2x", &value) == 1 && text[2 * count] &&
           text[2 * count + 1])
        bytes[count++] = (uint8_t)value;
    return count;
}
