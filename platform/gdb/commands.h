// What the files of packets share.
#pragma once

#include "platform/gdb/answer.h"
#include "platform/gdb/state.h"

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
