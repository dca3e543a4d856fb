// The one hash: 64 bits over bytes (FNV-1a), or over words. Hashes stand in files: they never change.
#ifndef TENSIM_BASE_HASH_H
#define TENSIM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

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

// More bytes into a hash: those of a file. A file that cannot be read has none.
uint64_t ts_hash_file(uint64_t hash, const char *path);
// The same with the files that a program file or scenario (YAML) names: kernels and what they include, ELF files, tensors.
uint64_t ts_hash_program(uint64_t hash, const char *path);

#endif
