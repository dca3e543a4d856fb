#include "platform/base/hash.h"

#include <sys/stat.h>

uint64_t ts_hash_file(uint64_t hash, const char *path)
{
    struct stat about; // a device has no end, and what a pipe gives is gone
    FILE *file = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "re") : NULL;
    char bytes[4096];
    for (size_t n; file && (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
        hash = ts_hash_bytes(hash, bytes, n);
    if (file)
        fclose(file);
    return hash;
}
