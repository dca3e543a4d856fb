#include "platform/base/hash.h"

#include <stdio.h>

uint64_t ts_hash_file(uint64_t hash, const char *path)
{
    FILE *file = fopen(path, "re");
    char bytes[4096];
    for (size_t n; file && (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
        hash = ts_hash_bytes(hash, bytes, n);
    if (file)
        fclose(file);
    return hash;
}
