// Pseudorandom numbers and a running hash for tests: the same on every machine.
#ifndef TENSIM_TESTS_RANDOM_H
#define TENSIM_TESTS_RANDOM_H

#include <stdint.h>

// Marsaglia's xorshift; a state is not 0.
static inline uint32_t random32(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

static inline uint64_t random64(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

// One more value into a hash.
static inline uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 0x9e3779b97f4a7c15ull ^ hash >> 29;
}

#endif
