// --record FILE: the operations of the run's first tile as a program for `tensim explore`.
#ifndef TENSIM_CLI_RECORDING_H
#define TENSIM_CLI_RECORDING_H

#include "platform/cli/session.h"
#include "platform/study/hang/record.h"

// Before the run; NULL: session->record is NULL.
struct ts_recorder *ts_record_begin(const struct ts_session *session, struct ts_tile *tile);
// After it, with or without a recorder: writes the file. Returns `code`, or what went wrong.
int ts_record_end(const struct ts_session *session, struct ts_recorder *recorder, const char *name,
                  int code);
// "matmul -M 64": the words of a command line after the program's name, without --record; free it.
char *ts_record_command(int argc, char **argv);

#endif
