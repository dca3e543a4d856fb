// A hang as a page: who waits for whom in each tile, or in the whole kernel, and the facts about it (hang.h).
#include "platform/explain/hang.h"
#include "platform/report/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static json_t *node_named(const json_t *nodes, const char *name)
{
    for (size_t i = 0; i < json_array_size(nodes); i++)
        if (strcmp(text_of(json_array_get(nodes, i), "name"), name) == 0)
            return json_array_get(nodes, i);
    return NULL;
}

// What a member of the chain does.
static void print_node(const json_t *node, FILE *file)
{
    const char *text = text_of(node, "text");
    if (text[0])
        fprintf(file, "%s %s.", text_of(node, "name"), text);
    else
        fprintf(file, "%s waits on %s for %s.", text_of(node, "name"), text_of(node, "object"),
                text_of(node, "to"));
}

// The chain in a sentence or two: what its first member does, and how it ends. Freed by the caller.
static char *answer_of(const json_t *graph)
{
    const json_t *path = json_object_get(graph, "path"), *nodes = json_object_get(graph, "nodes");
    size_t length = json_array_size(path), size = 0;
    char *text = NULL;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    if (length == 0) {
        fputs("Nothing can go on, and nobody is left who could change it.", file);
    } else {
        print_node(node_named(nodes, json_string_value(json_array_get(path, 0))), file);
        if (strcmp(text_of(graph, "kind"), "cycle") == 0 && length > 1) {
            fprintf(file, " All %zu wait for each other, in a cycle.", length);
        } else if (length > 1) {
            fputs(" At the end of the chain ", file);
            print_node(node_named(nodes, json_string_value(json_array_get(path, length - 1))),
                       file);
        }
    }
    fclose(file);
    return text;
}

static void add_tile(json_t *page, const json_t *tile)
{
    char title[256];
    snprintf(title, sizeof title, "Tile %s%s%s: who waits for whom", text_of(tile, "tile"),
             text_of(tile, "same")[0] ? ", and alike:" : "", text_of(tile, "same"));
    const json_t *nodes = json_object_get(tile, "nodes");
    ts_page_add(page, "graph", title,
                json_pack("{s:O, s:O, s:s}", "nodes", nodes, "path", json_object_get(tile, "path"),
                          "kind", text_of(tile, "kind")));
    json_t *rows = json_array();
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        const json_t *node = json_array_get(nodes, i);
        json_array_append_new(rows, json_pack("[s, s, s, s]", text_of(node, "name"),
                                              text_of(node, "text"), text_of(node, "place"),
                                              text_of(node, "last")));
    }
    ts_page_add(page, "table", NULL,
                json_pack("{s:[s, s, s, s], s:o, s:b, s:s}", "heads", "who", "what", "where",
                          "its object", "rows", rows, "text", 1, "class", "words"));
    char *facts = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&facts, &size);
    for (size_t i = 0; file && i < json_array_size(json_object_get(tile, "facts")); i++)
        fprintf(file, "%s\n", json_string_value(json_array_get(json_object_get(tile, "facts"), i)));
    if (file)
        fclose(file);
    if (facts && facts[0])
        ts_page_add(page, "text", NULL, json_pack("{s:s, s:b}", "text", facts, "pre", 1));
    free(facts);
}

// The kernel's graph, for models that are not tiles: the edges that explain it, in their order, are the chain.
static json_t *kernel_graph(const json_t *hang)
{
    const json_t *edges = json_object_get(hang, "edges");
    json_t *nodes = json_array(), *path = json_array();
    for (size_t i = 0; i < json_array_size(edges); i++) {
        const json_t *edge = json_array_get(edges, i);
        const char *from = text_of(edge, "from"), *to = text_of(edge, "to");
        if (node_named(nodes, from) == NULL)
            json_array_append_new(nodes,
                                  json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "name", from, "state",
                                            "waits", "object", text_of(edge, "object"), "reason",
                                            text_of(edge, "reason"), "to", to, "text", ""));
        if (json_is_true(json_object_get(edge, "explains")))
            json_array_append_new(path, json_string(from));
    }
    for (size_t i = 0; i < json_array_size(json_object_get(hang, "nodes")); i++) {
        const json_t *node = json_array_get(json_object_get(hang, "nodes"), i);
        if (node_named(nodes, text_of(node, "name")) == NULL)
            json_array_append_new(nodes, json_pack("{s:s, s:s, s:s}", "name", text_of(node, "name"),
                                                   "state", text_of(node, "state"), "text", ""));
    }
    return json_pack("{s:o, s:o, s:s}", "nodes", nodes, "path", path, "kind",
                     text_of(hang, "kind"));
}

static void add_kernel(json_t *page, const json_t *hang)
{
    const json_t *edges = json_object_get(hang, "edges");
    json_t *rows = json_array();
    for (size_t i = 0; i < json_array_size(edges); i++) {
        const json_t *edge = json_array_get(edges, i);
        json_array_append_new(rows, json_pack("[s, s, s, s]", text_of(edge, "from"),
                                              text_of(edge, "reason"), text_of(edge, "object"),
                                              text_of(edge, "to")));
    }
    ts_page_add(page, "graph", "Who waits for whom", kernel_graph(hang));
    ts_page_add(page, "table", "Every wait",
                json_pack("{s:[s, s, s, s], s:o, s:b, s:i}", "heads", "who", "why", "on what",
                          "whom it needs", "rows", rows, "text", 1, "swatch", 1));
}

// The chain of the root cause, where it goes over several tiles.
static void add_cause(json_t *page, const json_t *cause)
{
    const json_t *path = json_object_get(cause, "path");
    bool tiles = false;
    json_t *nodes = json_array();
    for (size_t i = 0; i < json_array_size(path); i++) {
        const char *name = json_string_value(json_array_get(path, i));
        bool last = i + 1 == json_array_size(path);
        tiles |= i > 0 && strrchr(name, ' ') &&
                 strcmp(strrchr(name, ' '),
                        strrchr(json_string_value(json_array_get(path, 0)), ' ')) != 0;
        json_array_append_new(nodes,
                              json_pack("{s:s, s:s, s:s, s:s, s:s?}", "name", name, "state",
                                        "waits", "object", "", "text", "", "to",
                                        json_string_value(json_array_get(path, last ? 0 : i + 1))));
    }
    if (tiles)
        ts_page_add(page, "graph", "Over the tiles: who waits for whom",
                    json_pack("{s:O, s:O, s:s}", "nodes", nodes, "path", path, "kind",
                              strcmp(text_of(cause, "verdict"), "cycle") == 0 ? "cycle" : "chain"));
    json_decref(nodes);
}

void ts_hang_section(const json_t *hang, json_t *page)
{
    add_cause(page, json_object_get(hang, "cause"));
    const json_t *tiles = json_object_get(hang, "tiles");
    for (size_t i = 0; i < json_array_size(tiles); i++)
        add_tile(page, json_array_get(tiles, i));
    if (json_array_size(tiles) == 0)
        add_kernel(page, hang);
}

void ts_hang_page(const json_t *hang, const char *command, FILE *file)
{
    char title[64];
    bool livelock = strcmp(text_of(hang, "kind"), "livelock") == 0;
    snprintf(title, sizeof title, "tensim: %s at cycle %lld", livelock ? "livelock" : "hang",
             (long long)json_integer_value(json_object_get(hang, "cycle")));
    const json_t *tiles = json_object_get(hang, "tiles");
    json_t *graph = json_array_size(tiles) ? json_incref(json_array_get(tiles, 0))
                                           : kernel_graph(hang);
    const char *cause = text_of(json_object_get(hang, "cause"), "text");
    char *answer = cause[0] ? strdup(cause) : answer_of(graph);
    json_decref(graph);
    json_t *page = ts_page_new(title, answer, command);
    free(answer);
    ts_hang_section(hang, page);
    ts_page_write(page, file);
}
