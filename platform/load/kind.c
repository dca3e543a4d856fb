// The kind of a file (kind.h).
#include "platform/load/kind.h"

#include "platform/base/yaml.h"

#include <unistd.h>

const char *const ts_kind_names[] = {"program", "small", "scenario", "ttv",
                                     "noc",     "pipe",  "sequence", NULL};

static bool ends_in(const char *path, const char *suffix)
{
    const size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

static bool has(struct ts_yaml_node map, const char *names)
{
    for (size_t i = 0; i < ts_yaml_count(map); i++)
        if (ts_word_index(names, ts_yaml_text(ts_yaml_key(map, i), "")) >= 0)
            return true;
    return false;
}

// A list of steps under the name of a core or a thread, in `cores` or in a tile.
static bool has_steps(struct ts_yaml_node map)
{
    for (size_t i = 0; map.node && ts_yaml_is_map(map) && i < ts_yaml_count(map); i++)
        if (ts_yaml_is_list(ts_yaml_value(map, i)) &&
            strcmp(ts_yaml_text(ts_yaml_key(map, i), ""), "load") != 0)
            return true;
    return false;
}

static enum ts_kind kind_of_map(struct ts_yaml_node root)
{
    const struct ts_yaml_node tiles = ts_yaml_find(root, "tiles");
    if (has(root, "kind")) // no other file has it
        return TS_KIND_SEQUENCE;
    if (has(root, "phases"))
        return TS_KIND_NOC;
    if (has(root, "kernels captured"))
        return TS_KIND_PROGRAM;
    if (has(root, "cube vector profile pipes tensors windows"))
        return TS_KIND_PIPE;
    bool steps = has(root, "setup cores") && !has(root, "script");
    for (size_t i = 0; tiles.node && ts_yaml_is_map(tiles) && i < ts_yaml_count(tiles); i++)
        steps |= has_steps(ts_yaml_value(tiles, i));
    return steps ? TS_KIND_SMALL : TS_KIND_SCENARIO;
}

enum ts_kind ts_kind_of(const char *path)
{
    static const struct {
        const char *suffix;
        enum ts_kind kind;
    } names[] = {{".ttv", TS_KIND_TTV},   {".json", TS_KIND_NOC}, {".pto", TS_KIND_PIPE},
                 {".mlir", TS_KIND_PIPE}, {".cpp", TS_KIND_PIPE}, {".hpp", TS_KIND_PIPE}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ends_in(path, names[i].suffix))
            return names[i].kind;
    if (strcmp(path, "-") == 0)
        return TS_KIND_SMALL;
    if (ts_yaml_mentions(path, "\nruntime: llk\n") && access(path, R_OK) == 0)
        return TS_KIND_PROGRAM;
    struct ts_error error = {0};
    struct ts_yaml yaml;
    enum ts_kind kind = TS_KIND_SCENARIO;
    if (ts_yaml_load(&yaml, path, &error)) {
        const struct ts_yaml_node root = ts_yaml_root(&yaml);
        kind = ts_yaml_is_map(root)    ? kind_of_map(root)
               : ts_yaml_is_list(root) ? TS_KIND_SMALL
                                       : TS_KIND_SCENARIO;
    }
    ts_yaml_free(&yaml);
    return kind;
}
