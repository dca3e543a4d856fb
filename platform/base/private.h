// Folders and files of this user alone: what others can write there would be executed or believed.
#pragma once

#include "platform/base/error.h"

// Where temporary files go: $TMPDIR, or /tmp if there is none or its path has more than `most` characters.
const char *ts_temporary(size_t most);
// The folder of this program; empty where /proc does not say.
void ts_private_program(char *folder, size_t size);
// A new file there, or a folder, of this user: tensim-NAME-XXXXXX. False: errno says why, `path` which.
bool ts_temporary_new(char *path, size_t size, const char *name, bool folder);
// As tmpfile(), there.
FILE *ts_temporary_file(void);

// The folder tensim in $VARIABLE, or in REST of the home folder; without both tensim-UID among the temporary files. Makes it. False: it belongs to
// somebody else or others can write to it, and error says so.
bool ts_private_folder(const char *variable, const char *rest, char *to, size_t size,
                       struct ts_error *error);

#define TS_PRIVATE_KEY 16 // bytes
// The key of this user, made at its first use: tensim/key in the user's state folder, mode 0600.
bool ts_private_key(unsigned char key[TS_PRIVATE_KEY], struct ts_error *error);

// Is `path`, which need not be there, below the folder once all links are followed?
bool ts_private_below(const char *folder, const char *path);
