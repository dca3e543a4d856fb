// --record FILE: the operations of the run's first tile as a program for `tensim run --explore`; --search=near
// FILE: its near misses, for `tensim run --search`. Both follow the run.
#pragma once

#include "platform/cli/session.h"
#include "platform/study/hang/near.h"
#include "platform/study/hang/record.h"

struct ts_following {
    struct ts_recorder *recorder;
    struct ts_near *near;
};

// Before the run is built: places are counted, as --perturb names them.
void ts_following_config(struct tensim_config *config, const char *record, const char *near);
// Before the run; tile number i of it.
void ts_following_begin(struct ts_following *self, const struct ts_session *session,
                        struct ts_tile *tile, size_t i);
// After it, before the tiles are freed: writes the files. Returns `code`, or what went wrong.
int ts_following_end(struct ts_following *self, const struct ts_session *session, const char *name,
                     int code);
// "matmul -M 64": the words of a command line after the program's name, without --record; free it.
char *ts_record_command(int argc, char **argv);
