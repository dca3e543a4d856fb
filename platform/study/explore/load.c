// Reads a program of explore.h from YAML; every error names file, line and column.
#include "platform/study/explore/explore.h"
#include "platform/study/explore/words.h"

#include <stdlib.h>
#include <string.h>

// --- objects ---

int ts_explore_add_object(struct ts_explore_loader *self, struct ts_yaml_node at,
                          enum ts_explore_kind kind, const char *name)
{
    struct ts_explore_program *p = self->program;
    if (p->objects == TS_EXPLORE_OBJECTS) {
        ts_yaml_error(at, "more than %d objects", TS_EXPLORE_OBJECTS);
        return 0;
    }
    for (unsigned i = 0; i < p->objects; i++)
        if (strcmp(p->object[i].name, name) == 0)
            ts_yaml_error(at, "'%s' is there already", name);
    struct ts_explore_object *o = &p->object[p->objects];
    *o = (struct ts_explore_object){.kind = kind};
    snprintf(o->name, sizeof o->name, "%s", name);
    return (int)p->objects++;
}

int ts_explore_find(struct ts_explore_loader *self, enum ts_explore_kind kind, const char *name)
{
    for (unsigned i = 0; i < self->program->objects; i++)
        if (self->program->object[i].kind == kind &&
            strcmp(self->program->object[i].name, name) == 0)
            return (int)i;
    return -1;
}
static void read_objects(struct ts_explore_loader *self, struct ts_yaml_node root)
{
    static const char *const sections[] = {"semaphores", "mutexes", NULL, "cbs", "rings"};
    for (unsigned kind = 0; kind <= TS_EXPLORE_RING; kind++) {
        if (sections[kind] == NULL)
            continue;
        struct ts_yaml_node map = ts_yaml_find(root, sections[kind]);
        if (map.node && !ts_yaml_is_map(map))
            ts_yaml_error(map, "a mapping of names is expected here");
        for (size_t i = 0; ts_yaml_is_map(map) && i < ts_yaml_count(map); i++) {
            struct ts_yaml_node key = ts_yaml_key(map, i), value = ts_yaml_value(map, i);
            int index = ts_explore_add_object(self, key, (enum ts_explore_kind)kind,
                                              ts_yaml_text(key, "?"));
            struct ts_explore_object *o = &self->program->object[index];
            if (kind == TS_EXPLORE_SEMAPHORE) {
                ts_yaml_only(value, (const char *const[]){"value", "max", NULL});
                o->a = (int16_t)ts_yaml_int(ts_yaml_find(value, "value"), 0, 15, 0);
                o->b = (uint8_t)ts_yaml_int(ts_yaml_find(value, "max"), 0, 15, 1);
            } else if (kind == TS_EXPLORE_MUTEX) {
                if (ts_yaml_int(value, 0, 4, 0) == 1)
                    ts_yaml_error(value, "mutex 1 does not exist: ATGETM of it waits for ever");
            } else if (kind == TS_EXPLORE_CB) {
                ts_yaml_only(value, (const char *const[]){"pages", "filled", NULL});
                o->size = (int16_t)ts_yaml_int(ts_yaml_require(value, "pages"), 1, 1000, 1);
                o->a = (int16_t)ts_yaml_int(ts_yaml_find(value, "filled"), 0, o->size, 0);
                char name[TS_EXPLORE_NAME];
                snprintf(name, sizeof name, "room of %.23s", o->name);
                int room = ts_explore_add_object(self, key, TS_EXPLORE_ROOM, name);
                self->program->object[room].a = o->size - o->a;
            } else {
                ts_yaml_only(value, (const char *const[]){"slots", "free", NULL});
                o->size = (int16_t)ts_yaml_int(ts_yaml_require(value, "slots"), 1, 100, 1);
                const char *how = ts_yaml_text(ts_yaml_find(value, "free"), "tpop");
                o->tfree = strcmp(how, "tfree") == 0;
                if (!o->tfree && strcmp(how, "tpop") != 0)
                    ts_yaml_error(ts_yaml_find(value, "free"), "free is tpop or tfree");
            }
        }
    }
}

// --- threads ---

static void read_ops(struct ts_explore_loader *self, struct ts_yaml_node list, unsigned thread,
                     int depth)
{
    if (!ts_yaml_is_list(list)) {
        ts_yaml_error(list, "a list of operations is expected here");
        return;
    }
    for (size_t i = 0; i < ts_yaml_count(list); i++) {
        struct ts_yaml_node node = ts_yaml_at(list, i);
        if (!ts_yaml_is_map(node)) {
            ts_explore_read_op(self, node, thread);
            continue;
        }
        ts_yaml_only(node, (const char *const[]){"repeat", "do", NULL});
        if (depth == 4)
            ts_yaml_error(node, "more than 4 repetitions inside each other");
        int64_t times = ts_yaml_int(ts_yaml_require(node, "repeat"), 0, TS_EXPLORE_OPS, 0);
        struct ts_yaml_node body = ts_yaml_require(node, "do");
        struct ts_explore_thread *t = &self->program->thread[thread];
        unsigned first = t->count;
        if (times > 0 && list.file->error->code == TS_OK && body.node && depth < 4)
            read_ops(self, body, thread, depth + 1);
        unsigned count = t->count - first;
        for (uint64_t k = count; k < (uint64_t)times * count; k++) {
            struct ts_explore_op *op = ts_explore_new_op(t);
            if (op == NULL) {
                ts_yaml_error(node, "more than %d operations in %s", TS_EXPLORE_OPS, t->name);
                return;
            }
            *op = t->op[first + k % count];
        }
    }
}

static void finish(struct ts_explore_program *p)
{
    for (unsigned t = 0; t < p->threads; t++) {
        struct ts_explore_thread *thread = &p->thread[t];
        bool found[2] = {false, false};
        thread->rest = calloc(thread->count + 1, sizeof *thread->rest);
        if (thread->rest == NULL)
            abort();
        thread->queue = -1;
        for (unsigned i = 0; i < p->objects; i++)
            if (p->object[i].kind == TS_EXPLORE_QUEUE && p->object[i].size == (int16_t)t)
                thread->queue = (int)i;
        for (unsigned i = 0; i < thread->count; i++)
            found[ts_explore_of_tensix[thread->op[i].code]] = true;
        thread->mixed = found[0] && found[1];
    }
    ts_explore_touches(p);
    ts_explore_find_safe(p);
}

static void read_threads(struct ts_explore_loader *self, struct ts_yaml_node map)
{
    struct ts_explore_program *p = self->program;
    if (!ts_yaml_is_map(map)) {
        if (map.node)
            ts_yaml_error(map, "a mapping of threads is expected here");
        return;
    }
    for (size_t i = 0; i < ts_yaml_count(map); i++) {
        struct ts_yaml_node key = ts_yaml_key(map, i);
        const char *name = ts_yaml_text(key, "?");
        if (p->threads == TS_EXPLORE_THREADS) {
            ts_yaml_error(key, "more than %d threads", TS_EXPLORE_THREADS);
            return;
        }
        if (strlen(name) >= 14 || strncmp(name, "UNPACK", 6) == 0)
            ts_yaml_error(key, "a thread's name has up to 13 characters and is not an unpacker's");
        for (unsigned t = 0; t < p->threads; t++)
            if (strcmp(p->thread[t].name, name) == 0)
                ts_yaml_error(key, "thread '%s' is there already", name);
        snprintf(p->thread[p->threads].name, TS_EXPLORE_NAME, "%s", name);
        snprintf(self->core[p->threads], TS_EXPLORE_NAME, "%.*s", (int)strcspn(name, "."), name);
        p->threads++;
    }
    for (unsigned t = 0; t < p->threads; t++)
        read_ops(self, ts_yaml_value(map, t), t, 0);
}

// Of a recording: the numbers of each thread's operations at its place of --perturb.
static void read_places(struct ts_explore_program *p, struct ts_yaml_node map)
{
    for (size_t i = 0; ts_yaml_is_map(map) && i < ts_yaml_count(map); i++) {
        const char *name = ts_yaml_text(ts_yaml_key(map, i), "?");
        const char *text = ts_yaml_text(ts_yaml_value(map, i), "");
        for (unsigned t = 0; t < p->threads; t++)
            for (unsigned k = 0; strcmp(p->thread[t].name, name) == 0 && k < p->thread[t].count;
                 k++) {
                struct ts_explore_op *op = &p->thread[t].op[k];
                char *end;
                op->place = (uint32_t)strtoul(text, &end, 10);
                if (*end == ':')
                    op->cycle = (uint32_t)strtoul(end + 1, &end, 10);
                text = end;
            }
    }
}

static bool read_program(struct ts_explore_program *self, struct ts_yaml *file,
                         struct ts_error *error)
{
    static const char *const keys[] = {"name",  "semaphores", "mutexes", "cbs",
                                       "rings", "threads",    "expect",  "command",
                                       "tile",  "places",     NULL};
    struct ts_explore_loader loader = {.program = self};
    memset(self, 0, sizeof *self);
    struct ts_yaml_node root = ts_yaml_root(file);
    if (!ts_yaml_is_map(root)) {
        ts_yaml_error(root, "a mapping is expected here");
    } else {
        ts_yaml_only(root, keys);
        snprintf(self->name, sizeof self->name, "%s",
                 ts_yaml_text(ts_yaml_find(root, "name"), file->path));
        struct ts_yaml_node expect = ts_yaml_find(root, "expect");
        snprintf(self->expect, sizeof self->expect, "%s", ts_yaml_text(expect, ""));
        if (expect.node && strcmp(self->expect, "proved") != 0 &&
            strcmp(self->expect, "deadlock") != 0)
            ts_yaml_error(expect, "expect is proved or deadlock");
        for (unsigned i = 0; i < TS_EXPLORE_UNITS; i++) {
            self->src[i] = (uint8_t)ts_explore_add_object(&loader, root, TS_EXPLORE_SRC,
                                                          i ? "srcb" : "srca");
            self->unit[i] = (uint8_t)ts_explore_add_object(&loader, root, TS_EXPLORE_UNIT,
                                                           i ? "UNPACK1" : "UNPACK0");
        }
        read_objects(&loader, root);
        read_threads(&loader, ts_yaml_require(root, "threads"));
        read_places(self, ts_yaml_find(root, "places"));
        snprintf(self->tile, sizeof self->tile, "%s", ts_yaml_text(ts_yaml_find(root, "tile"), ""));
        self->command = strdup(ts_yaml_text(ts_yaml_find(root, "command"), ""));
        finish(self);
    }
    ts_yaml_free(file);
    return error->code == TS_OK;
}

void ts_explore_free(struct ts_explore_program *self)
{
    for (unsigned t = 0; t < TS_EXPLORE_THREADS; t++) {
        free(self->thread[t].op);
        free(self->thread[t].rest);
    }
    for (size_t i = 0; i < self->text_count; i++)
        free(self->texts[i]);
    free(self->texts);
    free(self->command);
    memset(self, 0, sizeof *self);
}

bool ts_explore_load(struct ts_explore_program *self, const char *path, struct ts_error *error)
{
    struct ts_yaml file;
    return ts_yaml_load(&file, path, error) && read_program(self, &file, error);
}

bool ts_explore_parse(struct ts_explore_program *self, const char *name, const char *text,
                      struct ts_error *error)
{
    struct ts_yaml file;
    return ts_yaml_parse(&file, name, text, error) && read_program(self, &file, error);
}
