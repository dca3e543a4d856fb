// What the files of packets share.
#pragma once

#include "platform/gdb/state.h"

// The text of an answer.
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

// documents.c: a part of a document, OFFSET,LENGTH.
void ts_gdb_say_document(const struct ts_gdb *self, struct ts_gdb_answer *answer, const char *name,
                         const char *range);
// threads.c: pPROCESS.THREAD, both from 1 on.
void ts_gdb_say_thread(const struct ts_gdb *self, struct ts_gdb_answer *answer, uint32_t thread);
// A thread, or the first one of a process; `otherwise` where any is meant. False: there is none.
bool ts_gdb_parse_thread(const struct ts_gdb *self, const char *text, uint32_t otherwise,
                         uint32_t *thread);
// All that the text means: one, those of a process, or all. False: there are none.
bool ts_gdb_parse_threads(const struct ts_gdb *self, const char *text, uint32_t *from,
                          uint32_t *to);
// monitor.c: a command of `monitor', in hexadecimal. True: the machine goes on, and the answer comes when it stops.
bool ts_gdb_monitor(struct ts_gdb *self, struct ts_gdb_answer *answer, const char *packet);

// registers.c: those that gdb sees: x0 to x31 and pc of a core, and those of the coprocessor, which can only be read.
// The feature documents of gdb.
void ts_gdb_features(FILE *file);
// One; "E01": there is no such register.
void ts_gdb_say_register(const struct ts_gdb *self, struct ts_gdb_answer *answer,
                         unsigned long number);
// Those of the core alone.
void ts_gdb_say_registers(const struct ts_gdb *self, struct ts_gdb_answer *answer);
// False: it cannot be written.
bool ts_gdb_set_register(struct ts_gdb *self, unsigned long number, const char *value);
