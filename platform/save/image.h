// The command and its machine in a file, and back.
//
// A file holds the region (region.h): all blocks that are not zero, the frames of the command and its registers, and what the
// run has written to its files. Another process of the same build that has run the same command up to the first window reads
// it over its own region and goes on where the other was: in the call that wrote the file.
//
//   magic, version | user, keyed checksum of the rest | one zstd frame with a checksum: hash of the program, arguments, cycle, words that point outside, hash of
//   the region before the first window, runs of pages, contents of files
#pragma once

#include "platform/base/error.h"
#include "platform/save/outside.h"

#include <ucontext.h>

// In the region.
struct ts_image {
    ucontext_t registers;
    bool resumed; // the file has been read
};

// What a file says of itself.
struct ts_image_head {
    uint64_t program; // hash of the executable
    uint64_t cycle;
    int argc;
    char **argv;
};

// The reason why this build cannot do it; NULL: it can.
const char *ts_image_refused(void);

// Before the first window: remembers what points outside. False: error says why.
bool ts_image_start(struct ts_error *error);

enum ts_image_end { TS_IMAGE_FAILED, TS_IMAGE_WRITTEN, TS_IMAGE_RESUMED };
// Writes the file; returns once more, with TS_IMAGE_RESUMED, in every process that reads it. The threads of the kernel do not
// work.
enum ts_image_end ts_image_write(struct ts_image *self, const char *path,
                                 const struct ts_image_head *head, struct ts_error *error);

// Reads the complete file and checks it. `trust`: it may be of another user. False: error says why.
bool ts_image_check(const char *path, bool trust, struct ts_image_head *head,
                    struct ts_error *error);
void ts_image_head_free(struct ts_image_head *self);
// After ts_image_start, with the threads of the kernel gone: goes on in the file's ts_image_write. Returns only when it
// cannot; error says why.
void ts_image_read(struct ts_image *self, const char *path, bool trust, struct ts_error *error);
