// The text of an answer to gdb.
#pragma once

#include "platform/gdb/wire.h"

struct ts_gdb_answer {
    char text[TS_GDB_PACKET];
    size_t length;
};

// What does not fit is cut off.
__attribute__((format(printf, 2, 3))) void ts_gdb_say(struct ts_gdb_answer *self,
                                                      const char *format, ...);
// In hexadecimal.
void ts_gdb_say_bytes(struct ts_gdb_answer *self, const void *bytes, size_t count);
void ts_gdb_say_word(struct ts_gdb_answer *self, uint32_t word);

// Bytes in hexadecimal; returns how many.
size_t ts_gdb_hex(const char *text, uint8_t *bytes, size_t room);
