// The explanation of a hang: finding the tiles, grouping them, printing; see hang.h.
#include "platform/base/json.h"
#include "platform/explain/chip.h"
#include "platform/out/text.h"

unsigned ts_hang_longest(const struct ts_hang_wait *waits, size_t count, unsigned limit, int *best,
                         bool *is_cycle)
{
    unsigned most = 0;
    *is_cycle = false;
    for (size_t from = 0; from < count; from++) {
        int path[TS_HANG_NODES];
        unsigned length = 0, start = 0;
        bool cycle = false;
        for (int at = waits[from].begins ? (int)from : -1; at >= 0 && !cycle && length < limit;
             at = waits[at].to) {
            for (start = 0; start < length && waits[path[start]].who != waits[at].who;)
                start++;
            cycle = start < length;
            if (!cycle)
                path[length++] = at;
        }
        start = cycle ? start : 0;
        length -= start;
        if ((cycle && !*is_cycle) || (cycle == *is_cycle && length > most)) {
            memcpy(best, path + start, length * sizeof *path);
            most = length;
            *is_cycle = cycle;
        }
    }
    return most;
}

static void explain(struct ts_hang_tile *self)
{
    struct ts_hang_wait waits[TS_HANG_NODES];
    for (uint32_t i = 0; i < self->count; i++) {
        const struct ts_hang_node *node = &self->node[i];
        bool ends = node->state < TS_HANG_IDLE || node->to_tile >= 0; // the rest is in another tile
        waits[i] = (struct ts_hang_wait){node, ends ? -1 : node->to, node->state >= TS_HANG_WAITS};
    }
    self->length = ts_hang_longest(waits, self->count, TS_HANG_NODES + 1, self->path,
                                   &self->is_cycle);
}

static bool same_story(const struct ts_hang_tile *a, const struct ts_hang_tile *b)
{
    if (a->count != b->count || a->length != b->length || a->is_cycle != b->is_cycle)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->node[i].state != b->node[i].state || a->node[i].to != b->node[i].to ||
            strcmp(a->node[i].object, b->node[i].object) != 0 || a->node[i].pc != b->node[i].pc)
            return false;
    return true;
}

static bool waits(const struct ts_hang_tile *self)
{
    for (uint32_t i = 0; i < self->count; i++)
        if (self->node[i].state >= TS_HANG_WAITS)
            return true;
    return false;
}

// Keeps one tile of each story, with the coordinates of the others.
static void merge(struct ts_hang *self, const struct ts_hang_chip *chip)
{
    for (size_t i = 0; i < chip->count; i++) {
        const struct ts_hang_tile *story = &chip->tiles[i];
        if (!waits(story))
            continue;
        size_t k = 0;
        while (k < self->count && !same_story(&self->tiles[k], story))
            k++;
        if (k == self->count) {
            self->tiles[self->count++] = *story;
            continue;
        }
        struct ts_hang_tile *first = &self->tiles[k];
        size_t used = strlen(first->same);
        if (used + sizeof story->at + 2 < sizeof first->same)
            snprintf(first->same + used, sizeof first->same - used, " %.15s", story->at);
        first->same_count++;
    }
}

// The cores that poll. Whether they are asleep says no more than how the simulator treats polls.
static void note_polls(struct ts_hang *self, const struct ts_hang_tile *story)
{
    for (unsigned c = 0; c < TS_RV_CORES; c++)
        if (story->node[TS_NODE_CORE + c].state == TS_HANG_POLLS)
            self->polls[self->poll_count++] = story->node[TS_NODE_CORE + c].component;
}

bool ts_hang_polls(const struct ts_component *component, const void *hang)
{
    const struct ts_hang *self = hang;
    for (size_t i = 0; i < self->poll_count; i++)
        if (self->polls[i] == component)
            return true;
    return false;
}

struct ts_hang ts_hang_new(const struct ts_kernel *kernel, ts_cycle cycle)
{
    struct ts_hang self = {.cycle = cycle, .noc = ts_hang_noc_look(kernel)};
    struct ts_far far = ts_far_of(kernel);
    size_t domains = ts_kernel_domain_count(kernel) + 1;
    struct ts_hang_chip chip = {.tiles = calloc(domains, sizeof *chip.tiles),
                                .of = calloc(domains, sizeof(void *)),
                                .would = calloc(domains * TS_HANG_NODES, sizeof *chip.would),
                                .noc = &self.noc,
                                .far = &far};
    self.tiles = calloc(domains, sizeof *self.tiles);
    self.polls = calloc(domains * TS_RV_CORES, sizeof(void *));
    bool memory = self.tiles && self.polls && chip.tiles && chip.of && chip.would;
    for (size_t i = 0; memory && i + 1 < domains; i++) {
        struct ts_tile *tile = ts_hang_tile_of(ts_kernel_domain(kernel, i));
        if (tile == NULL)
            continue;
        struct ts_hang_tile *story = &chip.tiles[chip.count];
        ts_tile_place_name(tile, story->at, sizeof story->at);
        ts_hang_tile_look(story, tile, &far);
        note_polls(&self, story);
        chip.of[chip.count++] = tile;
    }
    self.since = ts_hang_since(kernel, &far, &self);
    if (memory) {
        ts_hang_join(&chip);
        ts_hang_find_cause(&chip, &self.cause);
        ts_hang_nobody(&chip, self.nobody, sizeof self.nobody);
        for (size_t i = 0; i < chip.count; i++) {
            self.livelock |= chip.tiles[i].drifts;
            explain(&chip.tiles[i]);
        }
        merge(&self, &chip);
    }
    ts_far_free(&far);
    free(chip.tiles);
    free(chip.of);
    free(chip.would);
    return self;
}

void ts_hang_free(struct ts_hang *self)
{
    free(self->tiles);
    free(self->polls);
    free(self->cause.waiter);
    *self = (struct ts_hang){0};
}

static const char *const states[] = {
    [TS_HANG_ABSENT] = "absent", [TS_HANG_ENDED] = "ended", [TS_HANG_IDLE] = "idle",
    [TS_HANG_WAITS] = "waits",   [TS_HANG_POLLS] = "polls",
};

static json_t *says_json(const struct ts_hang_tile *self)
{
    json_t *says = json_array();
    for (uint32_t i = 0; i < self->say_count; i++)
        json_array_append_new(says, json_string(self->says[i]));
    return says;
}

// A node as the screen has it; on the path also who could end its wait, if that is the end of a tile's chain.
static json_t *node_view(const struct ts_hang *self, const struct ts_hang_node *node, bool on_path)
{
    json_t *row = json_pack("{s:s, s:s, s:s, s:s}", "name", node->name, "text", node->text, "place",
                            node->place, "last", node->last);
    const bool ends = node->to < 0 || node->to_tile >= 0;
    if (!on_path || node->state < TS_HANG_WAITS || !ends)
        return row;
    if (node->to < 0)
        ts_json_more(row, "{s:s}", "nobody", self->nobody);
    else
        ts_json_more(row, "{s:s, s:s, s:b, s:s}", "to", node->to_name, "would", node->would, "sure",
                     (int)node->sure, "kept", node->kept);
    return row;
}

static json_t *tile_view(const struct ts_hang *self, const struct ts_hang_tile *tile)
{
    json_t *path = json_array(), *also = json_array(), *idle = json_array(), *ended = json_array();
    bool shown[TS_HANG_NODES] = {false};
    for (uint32_t i = 0; i < tile->length; i++) {
        json_array_append_new(path, node_view(self, &tile->node[tile->path[i]], true));
        shown[tile->path[i]] = true;
    }
    for (uint32_t i = 0; i < tile->count; i++) {
        const struct ts_hang_node *node = &tile->node[i];
        json_t *quiet = node->state == TS_HANG_IDLE    ? idle
                        : node->state == TS_HANG_ENDED ? ended
                                                       : NULL;
        if (!shown[i] && node->state >= TS_HANG_WAITS)
            json_array_append_new(also, node_view(self, node, false));
        else if (!shown[i] && quiet)
            json_array_append_new(quiet, json_string(node->name));
    }
    return json_pack("{s:s, s:s, s:i, s:s, s:i, s:s?, s:o, s:o, s:o, s:o, s:o}", "at", tile->at,
                     "same", tile->same, "same_count", (int)tile->same_count, "kind",
                     tile->is_cycle ? "cycle" : "chain", "length", (int)tile->length, "again",
                     tile->is_cycle && tile->length ? tile->node[tile->path[0]].name : NULL, "path",
                     path, "also", also, "idle", idle, "ended", ended, "says", says_json(tile));
}

#define STORIES 4 // on the screen; all are in hang.json

void ts_hang_head(const struct ts_hang *self, char *text, size_t size)
{
    snprintf(text, size, "%s since cycle %llu, detected at cycle %llu",
             self->livelock ? "livelock" : "hang", (unsigned long long)self->since,
             (unsigned long long)self->cycle);
}

void ts_hang_print(const struct ts_hang *self, FILE *file)
{
    const struct ts_hang_cause *cause = &self->cause;
    char head[80];
    json_t *stories = json_array(), *chain = json_array(), *noc = ts_hang_noc_json(&self->noc);
    bool tiles = false; // a chain of one tile is its story
    ts_hang_head(self, head, sizeof head);
    for (size_t i = 1; i < cause->length; i++)
        tiles |= cause->path[i].tile != cause->path[0].tile;
    for (size_t i = 0; tiles && i < cause->length + cause->is_cycle; i++)
        json_array_append_new(chain, json_string(cause->path[i % cause->length].name));
    for (size_t i = 0; i < self->count && i < STORIES; i++)
        json_array_append_new(stories, tile_view(self, &self->tiles[i]));
    json_t *view = json_pack("{s:s, s:s?, s:o, s:o, s:o*, s:i, s:s?, s:i}", "head", head, "cause",
                             cause->known ? cause->text : NULL, "chain", chain, "tiles", stories,
                             "noc", noc, "packets", (int)self->noc.count, "again",
                             self->noc.is_cycle ? self->noc.packets[0].name : NULL, "more",
                             self->count > STORIES ? (int)(self->count - STORIES) : 0);
    ts_text_print("hang", view, true, file);
    json_decref(view);
}

void ts_hang_line(const struct ts_hang *self, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; self->count && i < self->tiles[0].length && used < size; i++) {
        const struct ts_hang_node *node = &self->tiles[0].node[self->tiles[0].path[i]];
        int n = snprintf(text + used, size - used, "%s%s", i ? " -> " : "", node->name);
        used += n > 0 ? (size_t)n : 0;
        if (node->object[0] && used < size) {
            n = snprintf(text + used, size - used, " [%s]", node->object);
            used += n > 0 ? (size_t)n : 0;
        }
    }
    if (self->count && self->tiles[0].is_cycle && used < size)
        snprintf(text + used, size - used, " -> %s",
                 self->tiles[0].node[self->tiles[0].path[0]].name);
    used = strlen(text);
    for (unsigned i = 0; i < self->noc.count && used < size; i++) {
        int n = snprintf(text + used, size - used, " -> %s", self->noc.packets[i].name);
        used += n > 0 ? (size_t)n : 0;
    }
}

static json_t *frames_json(const struct ts_frames *frames)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < frames->count; i++) {
        const struct ts_frame *frame = &frames->frame[i];
        json_t *row = json_pack("{s:s, s:b}", "function", frame->function, "sdk", frame->sdk);
        if (frame->line) {
            json_object_set_new(row, "file", json_string(frame->file));
            json_object_set_new(row, "line", json_integer(frame->line));
        }
        json_array_append_new(list, row);
    }
    return list;
}

static void add_text(json_t *row, const char *key, const char *text)
{
    if (text[0])
        json_object_set_new(row, key, json_string(text));
}

// What a node has and needs, its frames, and who could end its wait.
static void add_wait(json_t *row, const struct ts_hang_node *node)
{
    const struct {
        const char *key, *text;
    } texts[] = {
        {"condition", node->need.text}, {"line", node->line},           {"holder", node->to_name},
        {"would", node->would},         {"sent", node->sent},           {"few", node->few},
        {"never", node->never},         {"lost", node->lost},           {"taken", node->taken},
        {"astray", node->astray},       {"elsewhere", node->elsewhere}, {"kept", node->kept}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add_text(row, texts[i].key, texts[i].text);
    if (node->need.known) {
        json_object_set_new(row, "has", json_integer(node->need.has));
        json_object_set_new(row, "needs", json_integer(node->need.needs));
    }
    if (node->frames.count)
        json_object_set_new(row, "frames", frames_json(&node->frames));
    if (node->would[0])
        json_object_set_new(row, "sure", json_boolean(node->sure));
}

static json_t *cause_json(const struct ts_hang_cause *cause)
{
    json_t *path = json_array();
    for (size_t i = 0; i < cause->length; i++)
        json_array_append_new(path, json_string(cause->path[i].name));
    json_t *row = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "verdict",
                            ts_hang_verdict_name(cause->verdict), "certainty",
                            ts_hang_certainty_name(cause->certainty), "text", cause->text, "tile",
                            cause->tile, "who", cause->who, "object", cause->object, "path", path);
    if (cause->waiter) {
        add_wait(row, cause->waiter);
        add_text(row, "last", cause->waiter->last);
    }
    return row;
}

static json_t *tile_json(const struct ts_hang_tile *self, json_t *edges, size_t *explained)
{
    json_t *nodes = json_array(), *path = json_array();
    for (uint32_t i = 0; i < self->count; i++) {
        const struct ts_hang_node *node = &self->node[i];
        bool in_path = false;
        for (uint32_t k = 0; k < self->length; k++)
            in_path |= self->path[k] == (int)i;
        if (node->state == TS_HANG_ABSENT && !in_path)
            continue;
        const char *to = node->to < 0 ? NULL : self->node[node->to].name;
        json_t *row = json_pack("{s:s, s:s, s:s, s:s, s:s?}", "name", node->name, "state",
                                states[node->state], "object", node->object, "text", node->text,
                                "to", to);
        if (node->state >= TS_HANG_WAITS)
            json_object_set_new(row, "reason", json_string(ts_stall_name(node->reason)));
        if (node->pc != TS_HANG_NO_PC)
            json_object_set_new(row, "pc", json_integer(node->pc));
        char source[TS_SOURCE];
        add_text(row, "place", node->place[0] ? node->place + 1 : "");
        if (node->state >= TS_HANG_WAITS)
            add_text(row, "source", ts_frames_source(&node->frames, source, sizeof source));
        add_text(row, "last", node->last);
        add_text(row, "remote", node->remote);
        add_wait(row, node);
        json_array_append_new(nodes, row);
    }
    for (uint32_t i = 0; i < self->length; i++) {
        const struct ts_hang_node *node = &self->node[self->path[i]];
        json_array_append_new(path, json_string(node->name));
        if (node->state < TS_HANG_WAITS)
            continue;
        const struct ts_component *to = node->to < 0 ? NULL : self->node[node->to].component;
        json_t *edge = json_pack("{s:s, s:s?, s:s, s:s, s:b}", "from", ts_path(node->component),
                                 "to", to ? ts_path(to) : NULL, "reason",
                                 ts_stall_name(node->reason), "object", node->object, "explains",
                                 1);
        json_array_insert_new(edges, (*explained)++, edge);
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "tile", self->at, "same", self->same, "kind",
                     self->is_cycle ? "cycle" : "chain", "path", path, "nodes", nodes, "facts",
                     says_json(self));
}

json_t *ts_hang_json(const struct ts_hang *self, const struct ts_kernel *kernel)
{
    struct ts_waitfor waitfor = ts_waitfor_new(kernel, self->cycle, ts_hang_polls, self);
    json_t *document = ts_waitfor_json(&waitfor), *tiles = json_array();
    ts_waitfor_free(&waitfor);
    json_t *edges = json_object_get(document, "edges");
    // If the tiles have an explanation, it replaces the kernel's.
    for (size_t i = 0; self->count && i < json_array_size(edges); i++)
        json_object_del(json_array_get(edges, i), "explains");
    size_t explained = 0;
    for (size_t i = 0; i < self->count; i++)
        json_array_append_new(tiles, tile_json(&self->tiles[i], edges, &explained));
    if (self->count)
        json_object_set_new(document, "kind",
                            json_string(self->tiles[0].is_cycle ? "cycle" : "chain"));
    json_object_set_new(document, "since", json_integer((json_int_t)self->since));
    if (self->cause.known) {
        json_object_set_new(document, "kind",
                            json_string(self->livelock         ? "livelock"
                                        : self->cause.is_cycle ? "cycle"
                                                               : "chain"));
        json_object_set_new(document, "cause", cause_json(&self->cause));
    }
    json_object_set_new(document, "tiles", tiles);
    json_t *noc = ts_hang_noc_json(&self->noc);
    if (noc)
        json_object_set_new(document, "noc", noc);
    return document;
}
