// The one hash: 64 bits over bytes (FNV-1a), or over words. Hashes stand in files: they never change.
#pragma once

#include "platform/base/std.h"

#define TS_HASH_START UINT64_C(0xcbf29ce484222325)

// More bytes into a hash.
static inline uint64_t ts_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *at = (const uint8_t *)bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

// One more word into a hash: quicker than its eight bytes.
static inline uint64_t ts_hash_word(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
}

// Many of them, for tables in memory and caches of this host: in four chains, so that the host need not wait for one product
// after the other.
static inline uint64_t ts_hash_words(uint64_t hash, const uint64_t *words, size_t count)
{
    uint64_t chain[4] = {hash, 1, 2, 3};
    const size_t whole = count / 4 * 4;
    for (size_t i = 0; i < whole; i += 4)
#pragma GCC unroll 4
        for (size_t k = 0; k < 4; k++)
            chain[k] = ts_hash_word(chain[k], words[i + k]);
    for (size_t i = whole; i < count; i++)
        chain[0] = ts_hash_word(chain[0], words[i]);
    for (size_t k = 1; k < 4; k++)
        chain[0] = ts_hash_word(chain[0], chain[k]);
    return chain[0];
}

// More bytes into a hash: those of a file. A file that cannot be read has none.
uint64_t ts_hash_file(uint64_t hash, const char *path);
// The same with the files that a program file or scenario (YAML) names: kernels and what they include, ELF files, tensors.
uint64_t ts_hash_program(uint64_t hash, const char *path);

// Of the sources that this tensim was built from, 16 digits: with the same files, another tensim with this hash has the same results.
extern const char ts_hash_sources[];
