// A hang as a page: the wait-for graph of each explanation, and the facts about it (hang.h).
#include "platform/explain/hang.h"
#include "platform/report/page.h"

#include <stdlib.h>
#include <string.h>

#define ROW   64
#define BOX   48
#define WIDTH 300

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

// At most this many characters, then dots.
static void clipped(FILE *file, const char *text, size_t most)
{
    char copy[64];
    size_t length = strlen(text);
    if (most >= sizeof copy)
        most = sizeof copy - 1;
    snprintf(copy, most + 1, "%s", text);
    ts_html_text(file, copy);
    if (length > most)
        fputs("…", file);
}

static json_t *node_named(const json_t *nodes, const char *name)
{
    for (size_t i = 0; i < json_array_size(nodes); i++)
        if (strcmp(text_of(json_array_get(nodes, i), "name"), name) == 0)
            return json_array_get(nodes, i);
    return NULL;
}

static bool waits(const json_t *node)
{
    const char *state = text_of(node, "state");
    return strcmp(state, "waits") == 0 || strcmp(state, "polls") == 0;
}

static void write_box(FILE *file, const json_t *node, double x, double y)
{
    fprintf(file, "<g><title>%s ", text_of(node, "name"));
    ts_html_text(file, text_of(node, "text"));
    fprintf(file,
            "</title><rect x=\"%.0f\" y=\"%.0f\" width=\"%u\" height=\"%u\" rx=\"6\" "
            "class=\"box%s\"/><text x=\"%.0f\" y=\"%.0f\" class=\"name\">",
            x, y, WIDTH, BOX, waits(node) ? " waits" : "", x + 10, y + 19);
    ts_html_text(file, text_of(node, "name"));
    fprintf(file, "</text><text x=\"%.0f\" y=\"%.0f\">", x + 10, y + 38);
    clipped(file, waits(node) ? text_of(node, "object") : text_of(node, "state"), 40);
    fputs("</text></g>\n", file);
}

static void write_label(FILE *file, const json_t *node, double x, double y)
{
    fprintf(file, "<text x=\"%.0f\" y=\"%.0f\" font-size=\"11\">", x, y);
    clipped(file, text_of(node, "reason"), 30);
    fputs("</text>\n", file);
}

// The path in one column, other waiters next to it in a second one.
static void write_graph(FILE *file, const json_t *tile)
{
    const json_t *nodes = json_object_get(tile, "nodes"), *path = json_object_get(tile, "path");
    size_t length = json_array_size(path), others = 0, rows;
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        const json_t *node = json_array_get(nodes, i);
        bool shown = false;
        for (size_t k = 0; k < length; k++)
            shown |= strcmp(json_string_value(json_array_get(path, k)), text_of(node, "name")) == 0;
        others += !shown && waits(node);
    }
    rows = length > others ? length : others;
    bool cycle = strcmp(text_of(tile, "kind"), "cycle") == 0;
    fprintf(file,
            "<svg viewBox=\"0 0 760 %zu\" role=\"img\" class=\"waitfor\">"
            "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
            "markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/>"
            "</marker></defs>\n",
            rows * ROW + 8);
    for (size_t i = 0; i < length; i++) {
        const json_t *node = node_named(nodes, json_string_value(json_array_get(path, i)));
        double y = 4 + (double)(i * ROW);
        write_box(file, node, 50, y);
        if (i + 1 < length) {
            fprintf(file,
                    "<path d=\"M200 %.0fV%.0f\" "
                    "marker-end=\"url(#tip)\"/>\n",
                    y + BOX, y + ROW);
            write_label(file, node, 208, y + BOX + 12);
        } else if (cycle && length) {
            fprintf(file,
                    "<path d=\"M50 %.0fC10 %.0f 10 28 50 28\" class=\"cycle\" "
                    "marker-end=\"url(#tip)\"/>\n",
                    y + BOX / 2.0, y + BOX / 2.0);
        }
    }
    size_t row = 0;
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        const json_t *node = json_array_get(nodes, i);
        int to = -1;
        bool shown = false;
        for (size_t k = 0; k < length; k++) {
            const char *name = json_string_value(json_array_get(path, k));
            shown |= strcmp(name, text_of(node, "name")) == 0;
            if (strcmp(name, text_of(node, "to")) == 0)
                to = (int)k;
        }
        if (shown || !waits(node))
            continue;
        double y = 4 + (double)(row++ * ROW);
        write_box(file, node, 450, y);
        if (to >= 0)
            fprintf(file,
                    "<path d=\"M450 %.0fL352 %.0f\" "
                    "marker-end=\"url(#tip)\"/>\n",
                    y + BOX / 2.0, 4 + (double)to * ROW + BOX / 2.0);
    }
    fputs("</svg>\n", file);
}

static void write_tile(FILE *file, const json_t *tile)
{
    fprintf(file, "<h3>Tile %s", text_of(tile, "tile"));
    if (text_of(tile, "same")[0])
        fprintf(file, ", and alike:%s", text_of(tile, "same"));
    fputs("</h3>\n", file);
    write_graph(file, tile);
    ts_table_begin(file, "text", (const char *const[]){"who", "what", "where", "its object", NULL});
    const json_t *nodes = json_object_get(tile, "nodes");
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        const json_t *node = json_array_get(nodes, i);
        const char *const keys[] = {"name", "text", "place", "last"};
        fputs("<tr>", file);
        for (unsigned k = 0; k < 4; k++) {
            fputs("<td>", file);
            ts_html_text(file, text_of(node, keys[k]));
            fputs("</td>", file);
        }
        fputs("</tr>\n", file);
    }
    ts_table_end(file);
    const json_t *facts = json_object_get(tile, "facts");
    if (json_array_size(facts) == 0)
        return;
    fputs("<pre>", file);
    for (size_t i = 0; i < json_array_size(facts); i++) {
        ts_html_text(file, json_string_value(json_array_get(facts, i)));
        fputc('\n', file);
    }
    fputs("</pre>\n", file);
}

void ts_hang_section(const json_t *hang, FILE *file)
{
    fprintf(file, "<h2 id=\"hang\">Hang at cycle %lld: who waits for whom</h2>\n",
            (long long)json_integer_value(json_object_get(hang, "cycle")));
    const json_t *tiles = json_object_get(hang, "tiles");
    for (size_t i = 0; i < json_array_size(tiles); i++)
        write_tile(file, json_array_get(tiles, i));
}

void ts_hang_page(const json_t *hang, FILE *file)
{
    char title[64];
    snprintf(title, sizeof title, "tensim: hang at cycle %lld",
             (long long)json_integer_value(json_object_get(hang, "cycle")));
    ts_page_begin(file, title);
    ts_hang_section(hang, file);
    ts_page_end(file);
}
