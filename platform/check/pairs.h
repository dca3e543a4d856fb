// Operations that come in pairs: what a program that ends has begun and not finished.
#pragma once

#include "platform/check/findings.h"

#define TS_PAIRS_MATH_PACK 1u // the semaphore of tile_regs_*

// The last request of a kind that no barrier has waited for since.
struct ts_check_open {
    struct ts_check_place place;
    uint32_t count;
    uint8_t id, core;
};

struct ts_check_pairs {
    struct ts_check_open open[2][TS_PHASES + 1]; // by NoC and phase; TS_PHASES: posted writes
    // Semaphores that each thread has waited for since it last posted (not full) or took (not empty): a bit each.
    uint8_t room[TS_ACTOR_THREADS], full[TS_ACTOR_THREADS];
    // Parts of Dst (1, 2; 0: not known), and how many math has given to the packer and the packer has given back.
    uint8_t parts;
    uint32_t given, back;
};

struct ts_check;
struct ts_check_trip;

void ts_pairs_issued(struct ts_check *self, const struct ts_check_trip *trip,
                     enum ts_actor_phase phase);
// As ts_check_counted.
void ts_pairs_counted(struct ts_check *self, unsigned noc, unsigned phases, unsigned id);
// A thread waits for semaphores (a bit for each) until they are not full, not empty; posts or takes one.
void ts_pairs_waits(struct ts_check *self, unsigned thread, unsigned semaphores, bool room,
                    bool full);
void ts_pairs_posts(struct ts_check *self, unsigned thread, unsigned unit, unsigned semaphores,
                    bool takes);

// The program has ended.
struct ts_pairs_end {
    const uint8_t *semaphores; // 8 values of the coprocessor's
    const int *mutexes;        // 8: the thread that holds it, or -1
    uint32_t at;
};
void ts_pairs_end(struct ts_check *self, const struct ts_pairs_end *end);
