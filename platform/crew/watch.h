// The end of a process of this host that is not our child, noticed at once: a rank that is killed.
#pragma once

#include "platform/base/std.h"

#include <sys/types.h>

struct uv_loop_s;
struct ts_watch;

// This host, and the process numbers that are in use here: the same words, the same processes.
void ts_watch_host(char *text, size_t size);
// `ended` is called from the loop when the process ends. NULL: errno; ESRCH: it has ended.
struct ts_watch *ts_watch_new(struct uv_loop_s *loop, pid_t pid, void (*ended)(void *context),
                              void *context);
void ts_watch_free(struct ts_watch *self); // the loop has to turn once more
