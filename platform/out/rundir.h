// The run directory (-o DIR): the files of one run, all of them or none.
//
//   ts_rundir_open --> ts_rundir_file, ts_rundir_path ... --> ts_rundir_commit --> ts_rundir_free
//
// During a run its files are written to DIR/.tensim-new; DIR keeps what it had. The commit
// moves .tensim-new next to DIR, with links to the user's files of DIR, and exchanges it with DIR
// in one step (renameat2, RENAME_EXCHANGE). What was DIR is then removed.
//
// So a process that is killed at any moment leaves in DIR the complete earlier run or the complete
// new one. Files of the earlier run that the new one does not write are gone with it; only names of
// ts_rundir_names are a run's, all others are the user's and stay. What a killed process left in
// .tensim-new or next to DIR is removed by the next run into DIR.
//
// Where the directory cannot be exchanged (it holds other directories, it is a mount point or the
// directory the command was started in, or the file system cannot do it), .tensim-new becomes
// .tensim-moving and its files move one by one: first the old ones go, then the new ones come. A
// process killed in between leaves files of one run only, some of them missing; the next run into
// DIR finishes the move first.
//
// One run at a time: DIR/.tensim-lock is locked (flock) from open to free and names the process. The
// lock of a killed process is free at once. A file system without locks is used without one.
#pragma once

#include "platform/out/file.h"

struct ts_rundir;

// The names of the files that runs write; ends with NULL.
extern const char *const ts_rundir_names[];

// Makes the directory (and its parents) and locks it; writes command.txt. NULL: error says why; if
// another run has it, which. A path of NULL: files go nowhere.
struct ts_rundir *ts_rundir_open(const char *path, int argc, char **argv, struct ts_error *error);
// A file of the run. The name must be one of ts_rundir_names.
struct ts_file *ts_rundir_file(struct ts_rundir *self, const char *name, struct ts_error *error);
bool ts_rundir_json(struct ts_rundir *self, const char *name, const json_t *document,
                    struct ts_error *error);
// For writers that need a path of their own (a trace, a database): where to write `name`. Freed by
// the caller.
char *ts_rundir_path(const struct ts_rundir *self, const char *name);
// Puts the files in place. Call it only when all are complete.
bool ts_rundir_commit(struct ts_rundir *self, struct ts_error *error);
// In a forked child, at once: the lock is the parent's alone.
void ts_rundir_forked(struct ts_rundir *self);
// Releases the directory; what was not committed is removed.
void ts_rundir_free(struct ts_rundir *self);
