// The hash of a program file or scenario with the files that it names: what a result depends on.
#include "platform/base/hash.h"
#include "platform/base/yaml.h"

#include <sys/stat.h>

#define INCLUDES 10000 // files that are looked at: they may include each other

// A text that names a file in the folder: the file, and what it includes from there.
static uint64_t hash_named(uint64_t hash, const char *folder, const char *name, unsigned depth,
                           unsigned *left)
{
    char path[PATH_MAX];
    struct stat about;
    snprintf(path, sizeof path, "%s%.1000s", name[0] == '/' ? "" : folder, name);
    if (name[0] == '\0' || depth == 0 || *left == 0 || stat(path, &about) != 0 ||
        !S_ISREG(about.st_mode))
        return hash;
    --*left;
    hash = ts_hash_file(hash, path);
    FILE *file = fopen(path, "r");
    char line[300], included[200], inside[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(inside, sizeof inside, "%.*s", slash ? (int)(slash + 1 - path) : 0, path);
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, " # include \"%199[^\"]\"", included) == 1)
            hash = hash_named(hash, inside, included, depth - 1, left);
    if (file)
        fclose(file);
    return hash;
}

// Every text of a program file or scenario that names a file: kernels, ELF files, tensors.
static uint64_t hash_texts(uint64_t hash, const char *folder, struct ts_yaml_node node,
                           unsigned *left)
{
    if (node.node == NULL)
        return hash;
    if (ts_yaml_is_scalar(node))
        return hash_named(hash, folder, ts_yaml_text(node, ""), 8, left);
    for (size_t i = 0; i < ts_yaml_count(node); i++)
        hash = hash_texts(hash, folder,
                          ts_yaml_is_map(node) ? ts_yaml_value(node, i) : ts_yaml_at(node, i),
                          left);
    return hash;
}

uint64_t ts_hash_program(uint64_t hash, const char *path)
{
    const char *slash = strrchr(path, '/');
    struct ts_error error = {0};
    struct ts_yaml yaml;
    char folder[PATH_MAX];
    unsigned left = INCLUDES;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - path) : 0, path);
    hash = ts_hash_file(hash, path);
    if (ts_yaml_load(&yaml, path, &error))
        hash = hash_texts(hash, folder, ts_yaml_root(&yaml), &left);
    ts_yaml_free(&yaml);
    return hash;
}
