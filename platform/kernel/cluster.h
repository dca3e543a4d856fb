// Places: parts of a model that only meet in FIFOs of long latency, chips of a system. The domains of a place run many short
// windows while the kernel runs one, which is as long as the shortest way from place to place. So threads take places and
// meet once in a window of the kernel, and places may be in other processes: a cluster.
//
// In a cluster every process builds the complete model and runs its own places. What words and room went to other places is
// exchanged after every window; the state of the others' places comes when somebody looks (ts_kernel_gather). All processes
// go through the same calls of the kernel, with the same arguments.
//
// The results are the same bytes for any number of processes and threads.
#pragma once

#include "platform/kernel/kernel.h"

#define TS_PLACES 257 // 0: what belongs to no other

// What processes agree on: the smallest of each.
enum ts_agreed { TS_AGREED_NEXT, TS_AGREED_STOP, TS_AGREED_SIGNAL, TS_AGREED_COUNT };

enum ts_all { TS_ALL_MOST, TS_ALL_SUM };

struct ts_cluster {
    uint32_t rank, ranks;
    void *context;
    // What this thread allocates from now on belongs to this place, and is zero.
    void (*enter)(void *context, uint32_t place);
    // Gives what this process has for the others (ts_cut_pack) and takes theirs (ts_cut_unpack); `least` becomes that of all.
    void (*meet)(void *context, struct ts_kernel *kernel, uint64_t least[TS_AGREED_COUNT]);
    uint64_t (*all)(void *context, uint64_t value, enum ts_all what);
    // The bytes that another process has there.
    void (*tell)(void *context, uint32_t rank, void *bytes, size_t length);
    // Brings the state of all places to all processes.
    void (*gather)(void *context, struct ts_kernel *kernel);
};

// Of this process (platform/cluster); NULL: it runs alone.
struct ts_cluster *ts_kernel_cluster(void);

// How many places there will be. What is made for those of other processes takes only the memory that it fills.
void ts_kernel_expect(struct ts_kernel *self, uint32_t places);
// What is made from now on belongs to this place: domains, memory. 0 at first.
void ts_kernel_place(struct ts_kernel *self, uint32_t place);
// After elaboration: are there domains of this place, and the process that has them.
bool ts_kernel_has_place(const struct ts_kernel *self, uint32_t place);
uint32_t ts_kernel_rank_of(const struct ts_kernel *self, uint32_t place);
// Between runs, in all processes: the state of all places is here. Nothing to do in one process.
void ts_kernel_gather(struct ts_kernel *self);
bool ts_kernel_is_cluster(const struct ts_kernel *self);
// Is this the process that writes files?
bool ts_kernel_is_first(const struct ts_kernel *self);
// Is its state that of another process, and not here?
bool ts_domain_elsewhere(const struct ts_domain *self);
// In all processes: is it true in all? The largest, or the sum.
bool ts_kernel_all(const struct ts_kernel *self, bool here);
uint64_t ts_kernel_of_all(const struct ts_kernel *self, uint64_t value, enum ts_all what);
// In all processes: what the model of a place has written here, outside of the place.
void ts_kernel_tell(const struct ts_kernel *self, uint32_t place, void *bytes, size_t length);

// --- for clusters ---

struct ts_bytes {
    unsigned char *bytes;
    size_t length, room;
};
void *ts_bytes_more(struct ts_bytes *self, size_t length);

// The processes that have something for this one; of a traced kernel also the first.
void ts_cut_peers(const struct ts_kernel *self, bool *wanted);
// The signal that is to stop the run; 0: none.
int ts_kernel_signal(const struct ts_kernel *self);
// The smallest of what this process has next.
void ts_groups_least(const struct ts_kernel *self, uint64_t least[TS_AGREED_COUNT]);
// What this process has for another one, since the last time; nothing: nothing is added. And what came from it.
void ts_cut_pack(struct ts_kernel *self, uint32_t rank, struct ts_bytes *to);
void ts_cut_unpack(struct ts_kernel *self, const unsigned char *bytes, size_t length);
// Objects without their trace, which is of this process, and with it again.
void ts_cut_traces(struct ts_kernel *self, bool on);
// Before a gathering: what readers of cut FIFOs have of them; after it, the same.
void ts_cut_keep(const struct ts_kernel *self, struct ts_bytes *to);
void ts_cut_restore(struct ts_kernel *self, const unsigned char *bytes, size_t length);
