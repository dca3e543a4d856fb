// A crew works off a list of runs that do not know of each other: points of a sweep, rows of the
// silicon table, seeds of a search, published matmuls.
//
//   list --> dealer.c (what is next) --> hands.c (processes of this host) --> dealer.c --> rows
//                    |                                                           |
//                    +------> ranks.h (MPI: the hands of other hosts) -----------+
//                                                          store.c (results.jsonl: resume, merge)
//
// Rank 0 has the list, the dealer and the store. Runs are processes of their own: one that crashes
// costs a try, not the crew. A shard (--shard i/n) is the same with a part of the list; a merge
// reads the stores of all shards and runs nothing.
//
// The rows depend only on the list, never on the number of processes, ranks or shards, nor on the
// order in which runs end.
#pragma once

#include "platform/out/rundir.h"

#define TS_CREW_WORKERS 256     // at most, in one rank
#define TS_CREW_TRIES   2       // of a run that kills its process
#define TS_CREW_RUNS    1000000 // in a list
#define TS_CREW_KEY     512     // bytes of a run's name; a longer one ends with its hash

struct ts_crew_seat;

// What is to be done. All functions but `known`, `done` and `show` are called in worker processes, too.
struct ts_crew_list {
    const char *command; // what the runs are of, for people: "sweep matmul"
    const char *unit;    // of the progress line: "runs"
    size_t count;
    uint64_t configuration; // hash of everything else that a result depends on
    void *context;
    // A name that no other run of the list has.
    void (*key)(const void *context, size_t index, char *key, size_t size);
    // Expected length, in any unit: long runs begin first. NULL: runs begin in the order of the list.
    double (*cost)(const void *context, size_t index);
    // One run: fills the row, which has its "key", with "code" and the results.
    void (*run)(void *context, size_t index, struct ts_crew_seat *seat, json_t *row);
    // Before the first run: the row of a run that need not be made, or NULL. On rank 0, as `done`. NULL: all are made.
    json_t *(*known)(void *context, size_t index);
    // A run has its row. NULL: nobody asks.
    void (*done)(void *context, size_t index, const json_t *row);
    // A row after which the runs behind it in the list are not needed. NULL: all are. Rows that do
    // not stop the list are then not kept in memory.
    bool (*stops)(const json_t *row);
    // Called in the order of the list, as soon as all rows before are there. NULL: nothing is shown.
    void (*show)(void *context, size_t index, const json_t *row);
};

struct ts_crew {
    unsigned workers;         // processes in this rank; 0: one
    unsigned shard, shards;   // this is shard number `shard` from 1; shards 0: not a shard
    double timeout;           // seconds of a run; 0: none
    const char *const *merge; // directories of shards: their rows are taken, nothing runs
    size_t merges;
    const char *directory; // of results.jsonl; NULL: results are not kept
    struct ts_rundir *out; // the directory, locked; NULL: it is not
    bool quiet;
    int argc; // of the command, for those who continue it
    char **argv;
    // Results.
    json_t **rows; // by index; NULL: not there
    size_t count, done, resumed, failed;
    size_t stop; // the first row that stops the list; `count`: none
    unsigned ranks;
};

// Works off the list. TS_OK: all rows are there that a shard, or the list, has. TS_SIGNAL + n: a
// signal ended it; what was done is kept. Another code: error says why.
// Does not return on other ranks than 0: they serve, and exit.
int ts_crew_run(struct ts_crew *self, const struct ts_crew_list *list, struct ts_error *error);
void ts_crew_free(struct ts_crew *self);

// The name of a run, as results have it.
void ts_crew_key(const struct ts_crew_list *list, size_t index, char key[TS_CREW_KEY]);

// From a run that takes long: its completed share, 0 to 1, for the progress line.
void ts_crew_share(struct ts_crew_seat *seat, double share);

// Is run `index` one of this shard's?
bool ts_crew_mine(const struct ts_crew *self, size_t index);

// Where this process stands among those that a launcher (mpirun, srun) started, from the
// environment. False: MPI is not there, so it cannot be one of several; error says so.
struct ts_crew_place {
    unsigned rank, ranks;
};
bool ts_crew_place(struct ts_crew_place *place, struct ts_error *error);
// The environment of a run that a rank starts, without the variables that would make the run a rank. NULL: no memory. Freed by the caller.
char **ts_crew_environment(void);
// First of all in a command: on other ranks than 0, messages wait until the work begins, and are
// dropped then. All ranks read the same command line; one of them says what is wrong with it.
void ts_crew_hush(void);
void ts_crew_speak(void);
