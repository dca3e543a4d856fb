// What every case of this folder has: its core's number, whether it is the repaired twin, two
// semaphores, and the words of other cores as the network addresses them.
#pragma once
#include "dataflow_api.h"

#define ARG(i)        get_arg_val<uint32_t>(i)
#define WORD(address) ((volatile tt_l1_ptr uint32_t *)(address))

#define CASE                                                       \
    [[maybe_unused]] const uint32_t core = ARG(0);                 \
    [[maybe_unused]] const bool repaired = ARG(1) != 0;            \
    [[maybe_unused]] const uint32_t ready = get_semaphore(ARG(2)); \
    [[maybe_unused]] const uint32_t done = get_semaphore(ARG(3));

// A word of core i, and the same word of cores i to k.
#define AT(i, word)     get_noc_addr(ARG(4 + (i)), ARG(8), word)
#define ALL(i, k, word) get_noc_multicast_addr(ARG(4 + (i)), ARG(8), ARG(4 + (k)), ARG(8), word)

#define WAIT(word, value) noc_semaphore_wait(WORD(word), value)
#define SET(word, value)  noc_semaphore_set(WORD(word), value)

// Long enough for anything that is on its way to arrive.
#define LATER                                     \
    for (volatile uint32_t i = 0; i < 300; i++) { \
    }
