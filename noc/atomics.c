#include "noc/atomics.h"

#include "noc/refusal.h"

enum {
    AT_INCREMENT = 1,
    AT_SWAP_MASK = 3,
    AT_CAS = 4,
    AT_SWAP_INDEX6 = 6,
    AT_SWAP_INDEX7 = 7,
    AT_ADD_PARALLEL = 9,
    AT_ZAAMO = 10,
};

static uint32_t increment(uint32_t old, uint32_t data, uint32_t width)
{
    uint32_t mask = (uint32_t)((2ull << width) - 1);
    return ((old + data) & mask) | (old & ~mask);
}

static void swap_mask(uint32_t words[4], uint32_t data, uint32_t mask)
{
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t shift = 16 * (i & 1), half = 0xffffu << shift;
        if (mask >> i & 1)
            words[i / 2] = (words[i / 2] & ~half) | (data & half);
    }
}

static uint32_t zaamo(uint32_t op, uint32_t old, uint32_t data)
{
    const bool less = old < data, below = (int32_t)old < (int32_t)data;
    const uint32_t results[] = {old + data,        old ^ data,         old | data,
                                old & data,        below ? old : data, below ? data : old,
                                less ? old : data, less ? data : old};
    return results[op & 7];
}

// Formats of parallel addition that are integers: 4, 12 and 13 wrap 32 bits, 15 wraps 8 bits, 7
// saturates 8 bits.
static const char *add_parallel(uint32_t words[4], uint32_t data, uint32_t format)
{
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t sum = 0;
        switch (format) {
        case 4:
        case 12:
        case 13:
            sum = words[i] + data;
            break;
        case 7:
        case 15:
            for (uint32_t shift = 0; shift < 32; shift += 8) {
                uint32_t byte = (words[i] >> shift & 0xff) + (data >> shift & 0xff);
                if (byte > 0xff && format == 7)
                    byte = 0xff;
                sum |= (byte & 0xff) << shift;
            }
            break;
        default:
            return TS_NOC_ABSENT "parallel addition of floats";
        }
        words[i] = sum;
    }
    return 0;
}

const char *ts_noc_atomic(uint32_t operation, uint32_t data, uint32_t address, uint32_t words[4],
                          uint32_t *result)
{
    uint32_t offset = operation & 3;
    *result = words[address / 4 % 4];
    switch (operation >> 12 & 15) {
    case AT_INCREMENT:
        words[offset] = increment(words[offset], data, operation >> 2 & 31);
        return 0;
    case AT_SWAP_MASK:
        swap_mask(words, data, operation >> 2 & 0xff);
        return 0;
    case AT_CAS:
        if (words[offset] == (operation >> 2 & 15))
            words[offset] = operation >> 6 & 15;
        return 0;
    case AT_SWAP_INDEX6:
        if ((operation >> 2 & 1) == 0)
            return "atomic opcode 6 needs bit 2";
        words[offset] = data;
        return 0;
    case AT_SWAP_INDEX7:
        words[operation >> 2 & 3] = data;
        return 0;
    case AT_ADD_PARALLEL:
        return add_parallel(words, data, operation & 15);
    case AT_ZAAMO:
        if (operation >> 11 & 1)
            words[offset] = zaamo(operation >> 8 & 7, words[offset], data);
        else if ((operation >> 8 & 15) == 3)
            words[offset] = data;
        else
            return "atomic opcode 10 is neither a swap nor a Zaamo operation";
        return 0;
    default:
        return TS_NOC_ABSENT "this atomic opcode";
    }
}
