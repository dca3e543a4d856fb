// The host side of a run, on its own thread with a libuv loop: signals.
//
//   SIGINT, SIGTERM --> ts_kernel_stop: the run ends with its window, everything is written
//
// The simulation threads never wait for it; uv_async_send is the only way in.
#pragma once

#include "platform/kernel/kernel.h"

struct ts_host;

// Starts the thread; NULL after an error.
struct ts_host *ts_host_start(struct ts_kernel *kernel, struct ts_error *error);
// Ends the thread.
void ts_host_stop(struct ts_host *self);
