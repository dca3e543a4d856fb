// Results on disk: results.jsonl in the run directory, append only.
//
//   {"of": ID, "tensim": ..., "command": ..., "configuration": ..., "list": ..., "runs": N,
//    "shard": "2/5", "arguments": [...]}        what the rows are of, once for each command
//   {"of": ID, "key": ..., "code": 0, ...}      a row
//
// Every line begins with {"sum": HASH: the FNV-1a of what follows in the line. A line without its sum is not used.
// ID stands for the program (version and sources), the command and the configuration: rows of another
// ID are left alone and not used. Rows are appended by one write(); a line that was cut off is
// removed when the file is opened again. A killed process loses nothing after ts_store_write, a host
// nothing after ts_store_sync.
#pragma once

#include "platform/crew/crew.h"

// What rows belong together.
struct ts_identity {
    char tensim[100];       // version and hash of the sources
    char of[20];            // hash of tensim, command and configuration
    char configuration[20]; // hash
    char list[20];          // hash of all keys
};
void ts_identity_make(struct ts_identity *self, const struct ts_crew_list *list);

struct ts_store;

// Opens the journal and puts the rows that it has into the crew. NULL: error.
struct ts_store *ts_store_open(struct ts_crew *crew, const struct ts_crew_list *list,
                               const struct ts_identity *identity, struct ts_error *error);
// A row as one line of JSON, for the next write.
void ts_store_add(struct ts_store *self, const char *row);
// Writes what was added; and makes sure that it is on the disk. False: error names the file.
bool ts_store_write(struct ts_store *self, struct ts_error *error);
bool ts_store_sync(struct ts_store *self, struct ts_error *error);
void ts_store_close(struct ts_store *self);

// The rows of all shards. False: error names the directory and what is wrong with it: another
// program, command, configuration or list; a shard that is missing or is there twice; runs that are
// missing.
bool ts_store_merge(struct ts_crew *crew, const struct ts_crew_list *list,
                    const struct ts_identity *identity, struct ts_error *error);
// The last description in a directory's journal; NULL: error.
json_t *ts_store_about(const char *directory, struct ts_error *error);
