// Which core holds which bank of L1.
//
// tt-metal (l1_banking_allocator.cpp) numbers the banks with std::shuffle and std::default_random_engine(0):
// with libstdc++ that is minstd_rand0 from 1, two places for each number drawn.
#include "platform/run/plan/plan.h"

#define ENGINE_MODULUS UINT64_C(2147483647)
#define ENGINE_RANGE   (ENGINE_MODULUS - 2) // numbers from 1 to modulus - 1

static uint64_t draw(uint64_t *state)
{
    *state = *state * 16807 % ENGINE_MODULUS;
    return *state - 1;
}

// From 0 to count - 1, all equally likely.
static uint64_t uniform(uint64_t *state, uint64_t count)
{
    uint64_t scaling = ENGINE_RANGE / count, number;
    do
        number = draw(state);
    while (number >= count * scaling);
    return number / scaling;
}

static void swap(uint32_t *banks, uint64_t a, uint64_t b)
{
    uint32_t was = banks[a];
    banks[a] = banks[b];
    banks[b] = was;
}

void ts_plan_shuffle(uint32_t *banks, uint32_t count)
{
    uint64_t state = 1;
    uint32_t i = 1;
    for (uint32_t b = 0; b < count; b++)
        banks[b] = b;
    if (count % 2 == 0)
        swap(banks, i++, uniform(&state, 2));
    for (; i < count; i += 2) {
        uint64_t places = i + 1, both = uniform(&state, places * (places + 1));
        swap(banks, i, both / (places + 1));
        swap(banks, i + 1, both % (places + 1));
    }
}
