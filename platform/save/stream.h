// Numbers and bytes to a compressed file with a checksum, and back.
#pragma once

#include "platform/base/error.h"

struct ts_stream;

// A new file under a name that is not the final one. NULL: error says why.
struct ts_stream *ts_stream_create(const char *path, struct ts_error *error);
void ts_stream_put(struct ts_stream *self, const void *bytes, size_t length);
void ts_stream_put_number(struct ts_stream *self, uint64_t value);
// The file gets its name. False: error says why, and there is no file.
bool ts_stream_finish(struct ts_stream *self, struct ts_error *error);

// A file of this kind and version, written by this user; `trust`: by anybody. NULL: error says why.
struct ts_stream *ts_stream_open(const char *path, bool trust, struct ts_error *error);
// False: the file ends too early or is damaged; the bytes are zero then.
bool ts_stream_get(struct ts_stream *self, void *bytes, size_t length);
uint64_t ts_stream_get_number(struct ts_stream *self);
// Nothing was wrong so far, and if `end`, nothing is left and the checksum is right. Frees it.
bool ts_stream_close(struct ts_stream *self, bool end, struct ts_error *error);
