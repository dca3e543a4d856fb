// One output file, written completely or not at all.
//
//   ts_file_open --> write to its stream --> ts_file_close: the file has its name
//                                        --> ts_file_drop: nothing has happened
//
// The bytes go to a file without a name in the same directory, which gets its name when it is
// complete: a killed process leaves the old file or the new one, never a part. What is not a plain
// file (a device, a pipe) is written as it is; "-" is stdout. The first failed write is kept with
// its reason, and closing reports it with the file's name.
#pragma once

#include "platform/base/error.h"

#include <jansson.h>

struct ts_file;

// NULL: error names the file and the reason.
struct ts_file *ts_file_open(const char *path, struct ts_error *error);
// A file of a set that is moved as one (rundir.h): written in place; messages call
// it `name`.
struct ts_file *ts_file_open_part(const char *path, const char *name, struct ts_error *error);
FILE *ts_file_stream(const struct ts_file *self);
// Frees it. False: error names the file and the reason, and what was there before is still there.
bool ts_file_close(struct ts_file *self, struct ts_error *error);
void ts_file_drop(struct ts_file *self);

// A complete file.
bool ts_file_bytes(const char *path, const void *bytes, size_t length, struct ts_error *error);
// Writes the document and a newline, and closes the file.
bool ts_file_json(struct ts_file *self, const json_t *document, struct ts_error *error);

// Can a file be written? To be asked before the run whose result goes there. Leaves everything as it was. False: error (TS_SETUP) names
// the path and the reason.
bool ts_writable(const char *path, struct ts_error *error);
