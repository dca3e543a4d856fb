// What every case of this folder has: its core's number, whether it is the repaired twin, how many
// words it stores after each wait, two semaphores, and the words of other cores as the network
// addresses them.
#pragma once
#include "dataflow_api.h"

#define ARG(i)        get_arg_val<uint32_t>(i)
#define WORD(address) ((volatile tt_l1_ptr uint32_t *)(address))

#define CASE                                                       \
    [[maybe_unused]] const uint32_t core = ARG(0);                 \
    [[maybe_unused]] const bool repaired = ARG(1) != 0;            \
    [[maybe_unused]] const uint32_t ready = get_semaphore(ARG(3)); \
    [[maybe_unused]] const uint32_t done = get_semaphore(ARG(4));

// A word of core i, and the same word of cores i to k.
#define AT(i, word)     get_noc_addr(ARG(5 + (i)), ARG(9), word)
#define ALL(i, k, word) get_noc_multicast_addr(ARG(5 + (i)), ARG(9), ARG(5 + (k)), ARG(9), word)

// What a core does between a wait and what it sends then.
#define WORK                                \
    for (uint32_t i = 0; i < ARG(2); i++) { \
        WORD(0x150000)[i % 1024] = i;       \
    }
#define WAIT(word, value)                      \
    do {                                       \
        noc_semaphore_wait(WORD(word), value); \
        WORK                                   \
    } while (false)
#define WAIT_MIN(word, value)                      \
    do {                                           \
        noc_semaphore_wait_min(WORD(word), value); \
        WORK                                       \
    } while (false)
#define SET(word, value) noc_semaphore_set(WORD(word), value)

// Long enough for anything that is on its way to arrive.
#define LATER                                     \
    for (volatile uint32_t i = 0; i < 300; i++) { \
    }
