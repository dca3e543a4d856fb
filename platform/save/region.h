// Memory at fixed addresses: the stack of the command and everything it allocates, so that a file can hold both.
//
//   BASE [ stack of the command | heap 0: header, blocks ... | heap 1 ... ] BASE + size
//
// The heaps above 0 are there if they are asked for: one for each place of a model that is divided over processes
// (platform/cluster). A thread that allocates in one of them gives no block of another one back: that is lost, so that every
// heap changes in one process only.
//
// Only a process that asked for it (ts_region_open) has the region. In it, threads that are `inside` allocate there: the
// command and the workers. The others (host loop, progress) have the C library's heap. Blocks are freed where they came from.
#pragma once

#include "platform/base/std.h"

#define TS_REGION_PAGE 4096u

struct ts_region_extent {
    char *begin, *end;
};

// Maps the region. False: the addresses are taken, or there are no allocation functions of ours (interpose.c).
bool ts_region_open(uint32_t heaps);
bool ts_region_is_open(void);
// Runs `main` on the region's stack, inside; returns its result.
int ts_region_call(int (*main)(int, char **), int argc, char **argv);
// The part of the stack that frames below `main` use now, and the blocks.
struct ts_region_extent ts_region_stack(const void *frame);
struct ts_region_extent ts_region_whole_stack(void);
struct ts_region_extent ts_region_blocks(uint32_t heap);
bool ts_region_has(const void *at);

// Where this thread allocates, if it does inside; 0 at first.
void ts_region_enter(uint32_t heap);
// Does this thread allocate inside? Sets it, returns what was.
bool ts_region_inside(bool inside);

// --- for interpose.c ---
extern bool ts_region_interposed; // allocation functions of ours are linked
extern bool ts_region_opened;
extern _Thread_local bool ts_region_here;
void *ts_region_alloc(size_t bytes, size_t alignment); // zeroed; NULL: no memory
void ts_region_free(void *block);
size_t ts_region_size(const void *block);
