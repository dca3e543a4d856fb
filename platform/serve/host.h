// The host side of a run, on a thread of its own with a libuv loop: signals and progress.
//
//   SIGINT, SIGTERM --> ts_kernel_stop: the run ends with its window, everything is written
//   timer           --> progress on stderr: 4 times a second on a terminal, else a line a minute
//
// The simulation threads never wait for it; uv_async_send is the only way in.
#ifndef TENSIM_SERVE_HOST_H
#define TENSIM_SERVE_HOST_H

#include "platform/kernel/kernel.h"

struct ts_host;

// Starts the thread; NULL after an error. `progress` false: only signals.
struct ts_host *ts_host_start(struct ts_kernel *kernel, bool progress, struct ts_error *error);
// Ends the thread and clears the progress line.
void ts_host_stop(struct ts_host *self);

#endif
