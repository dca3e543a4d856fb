// Reads a program of explore.h from YAML; every error names file, line and column, of the word.
#include "platform/study/explore.h"
#include "platform/study/explore_words.h"

#include <string.h>

const char *const ts_explore_op_names[] = {
#define TS_EXPLORE_OP(name, operands, core, text) #name,
#include "config/explore.def"
#undef TS_EXPLORE_OP
    NULL};

enum { RISCV, TENSIX };
static const bool of_tensix[] = {
#define TS_EXPLORE_OP(name, operands, core, text) core,
#include "config/explore.def"
#undef TS_EXPLORE_OP
};

void ts_explore_list(FILE *file)
{
#define TS_EXPLORE_OP(name, operands, core, text) \
    fprintf(file, "%-9s %-46s %-7s %s\n", #name, operands, #core, text);
#include "config/explore.def"
#undef TS_EXPLORE_OP
}

// --- words ---

// Block classes, B0 to B8, and the bits that hold an instruction of each.
static const char *const class_names[] = {"tdma",   "sync", "pack", "unpack", "mover",
                                          "scalar", "math", "cfg",  "sfpu",   NULL};
static const uint16_t class_held[] = {0x001, 0x002, 0x005, 0x009, 0x011,
                                      0x021, 0x040, 0x080, 0x100};
enum { B_SYNC = 0x002, B_UNPACK = 0x009, B_MATH = 0x040, B_ALL = 0x1ff };

static const struct {
    const char *name;
    uint8_t bits; // none: a unit that always finishes
} conditions[] = {
    {"unpack", 3 * TS_COND_UNPACK},
    {"unpack0", TS_COND_UNPACK},
    {"unpack1", TS_COND_UNPACK << 1},
    {"srca_vld", TS_COND_VALID},
    {"srcb_vld", TS_COND_VALID << 1},
    {"srca_clr", TS_COND_CLEAR},
    {"srcb_clr", TS_COND_CLEAR << 1},
    {"math", 0},
    {"sfpu", 0},
    {"pack", 0},
    {"scalar", 0},
    {"thcon", 0},
    {"mover", 0},
    {"cfg", 0},
    {"trisc_cfg", 0},
};

static const char *const comparisons[] = {"==", "!=", "<", "<=", ">", ">=", NULL};

enum { WORDS = 12 };

// An operation's text, cut into words.
struct words {
    struct ts_yaml_node node;
    char text[72];
    char *word[WORDS];
    size_t count;
};

struct loader {
    struct ts_explore_program *program;
    char core[TS_EXPLORE_THREADS][TS_EXPLORE_NAME]; // of each thread
    int pages[TS_EXPLORE_OBJECTS];                  // of all operations of a circular buffer
};

// An error at a word of a scalar; quoted ones begin one column later.
static void word_error(const struct words *w, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void word_error(const struct words *w, const char *at, const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const yaml_node_t *node = w->node.node;
    bool plain = node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    ts_fail(w->node.file->error, TS_SETUP, "%s:%zu:%zu: %s", w->node.file->path,
            node->start_mark.line + 1,
            node->start_mark.column + 1 + (size_t)(at - w->text) + (plain ? 0 : 1), text);
}

static void cut(struct words *w, struct ts_yaml_node node, const char *text)
{
    *w = (struct words){.node = node};
    snprintf(w->text, sizeof w->text, "%s", text);
    if (strlen(text) >= sizeof w->text)
        ts_yaml_error(node, "an operation of more than %zu characters", sizeof w->text - 1);
    for (char *at = w->text; *at && w->count < WORDS;) {
        at += strspn(at, " ");
        if (*at == 0)
            break;
        w->word[w->count++] = at;
        at += strcspn(at, " ");
        if (*at)
            *at++ = 0;
    }
}

// The i-th word if it is KEY=..., its value; else NULL.
static char *value_of(const struct words *w, const char *key)
{
    size_t length = strlen(key);
    for (size_t i = 1; i < w->count; i++)
        if (strncmp(w->word[i], key, length) == 0 && w->word[i][length] == '=')
            return w->word[i] + length + 1;
    return NULL;
}

static int16_t number_of(const struct words *w, const char *text, int low, int high)
{
    int64_t value = 0;
    if (!ts_parse_int(text, &value) || value < low || value > high) {
        word_error(w, text, "'%s' is not a number from %d to %d", text, low, high);
        return (int16_t)low;
    }
    return (int16_t)value;
}

static int16_t keyed(const struct words *w, const char *key, int low, int high)
{
    const char *text = value_of(w, key);
    if (text == NULL) {
        word_error(w, w->word[0], "%s needs %s=", w->word[0], key);
        return (int16_t)low;
    }
    return number_of(w, text, low, high);
}

// --- objects ---

static int add_object(struct loader *self, struct ts_yaml_node at, enum ts_explore_kind kind,
                      const char *name)
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

static int find(struct loader *self, enum ts_explore_kind kind, const char *name)
{
    for (unsigned i = 0; i < self->program->objects; i++)
        if (self->program->object[i].kind == kind &&
            strcmp(self->program->object[i].name, name) == 0)
            return (int)i;
    return -1;
}

static const char *const kind_names[] = {"semaphore",       "mutex", "mailbox",
                                         "circular buffer", "ring",  "register file"};

static unsigned object_word(struct loader *self, const struct words *w, size_t i,
                            enum ts_explore_kind kind)
{
    if (i >= w->count || strchr(w->word[i], '=')) {
        word_error(w, w->word[0], "%s needs a %s", w->word[0], kind_names[kind]);
        return 0;
    }
    int found = find(self, kind, w->word[i]);
    if (found < 0) {
        const char *names[TS_EXPLORE_OBJECTS + 1];
        size_t count = 0;
        for (unsigned j = 0; j < self->program->objects; j++)
            if (self->program->object[j].kind == kind)
                names[count++] = self->program->object[j].name;
        names[count] = NULL;
        const char *near = ts_nearest(w->word[i], names);
        word_error(w, w->word[i], "no %s '%s'%s%s%s", kind_names[kind], w->word[i],
                   near ? "; '" : "", near ? near : "", near ? "' is near" : "");
        return 0;
    }
    return (unsigned)found;
}

static void read_objects(struct loader *self, struct ts_yaml_node root)
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
            int index = add_object(self, key, (enum ts_explore_kind)kind, ts_yaml_text(key, "?"));
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

static int mailbox(struct loader *self, struct ts_yaml_node at, unsigned writer, unsigned reader)
{
    char name[2 * TS_EXPLORE_NAME + 4];
    snprintf(name, sizeof name, "%.13s->%.13s", self->core[writer], self->core[reader]);
    int found = find(self, TS_EXPLORE_MAILBOX, name);
    if (found < 0)
        found = add_object(self, at, TS_EXPLORE_MAILBOX, name);
    // The first thread of the writing core names the writer.
    unsigned first = 0;
    while (strcmp(self->core[first], self->core[writer]) != 0)
        first++;
    self->program->object[found].size = (int16_t)first;
    return found;
}

// --- operations ---

static uint16_t classes(const struct words *w)
{
    char *list = value_of(w, "block");
    uint16_t mask = 0;
    if (list == NULL)
        return B_ALL;
    for (char *save = NULL, *word = strtok_r(list, ",", &save); word;
         word = strtok_r(NULL, ",", &save)) {
        size_t i = 0;
        while (class_names[i] && strcmp(class_names[i], word) != 0)
            i++;
        if (class_names[i])
            mask = (uint16_t)(mask | 1u << i);
        else if (strcmp(word, "all") == 0)
            mask = B_ALL;
        else
            word_error(w, word,
                       "'%s' is no class: tdma sync pack unpack mover scalar math cfg sfpu", word);
    }
    return mask;
}

static void read_on(const struct words *w, struct ts_explore_op *op, bool semaphores)
{
    char *list = value_of(w, "on");
    if (list == NULL) {
        word_error(w, w->word[0], "%s needs on=", w->word[0]);
        return;
    }
    for (char *save = NULL, *word = strtok_r(list, ",", &save); word;
         word = strtok_r(NULL, ",", &save)) {
        size_t i = 0;
        if (semaphores) {
            if (strcmp(word, "zero") == 0)
                op->on |= TS_ON_ZERO;
            else if (strcmp(word, "max") == 0)
                op->on |= TS_ON_MAX;
            else
                word_error(w, word, "'%s' is neither zero nor max", word);
            continue;
        }
        while (i < sizeof conditions / sizeof *conditions && strcmp(conditions[i].name, word) != 0)
            i++;
        if (i == sizeof conditions / sizeof *conditions)
            word_error(w, word, "STALLWAIT knows no condition '%s'", word);
        else
            op->on |= conditions[i].bits;
    }
}

// All words without '=' from the second on are objects of one kind.
static void read_many(struct loader *self, const struct words *w, struct ts_explore_op *op,
                      enum ts_explore_kind kind)
{
    op->object = (uint8_t)object_word(self, w, 1, kind);
    for (size_t i = 1; i < w->count; i++)
        if (strchr(w->word[i], '=') == NULL)
            op->objects |= (ts_explore_mask)1 << object_word(self, w, i, kind);
}

static void read_one(struct loader *self, const struct words *w, struct ts_explore_op *op,
                     enum ts_explore_kind kind, size_t words)
{
    op->object = (uint8_t)object_word(self, w, 1, kind);
    op->objects = (ts_explore_mask)1 << op->object;
    if (w->count < words)
        word_error(w, w->word[0], "%s needs %zu operands", w->word[0], words - 1);
    else if (w->count > words)
        word_error(w, w->word[words], "'%s' is too much", w->word[words]);
}

static void read_mailbox(struct loader *self, const struct words *w, struct ts_explore_op *op,
                         unsigned thread)
{
    unsigned other = 0;
    if (w->count != 2) {
        word_error(w, w->word[0], "%s needs the other core", w->word[0]);
        return;
    }
    while (other < self->program->threads && strcmp(self->core[other], w->word[1]) != 0)
        other++;
    if (other == self->program->threads) {
        word_error(w, w->word[1], "no thread is of core '%s'", w->word[1]);
        return;
    }
    bool sends = op->code == TS_EXPLORE_SEND;
    op->object = (uint8_t)mailbox(self, w->node, sends ? thread : other, sends ? other : thread);
    op->objects = (ts_explore_mask)1 << op->object;
}

static void read_operands(struct loader *self, struct words *w, struct ts_explore_op *op,
                          unsigned thread)
{
    op->held = of_tensix[op->code] == TENSIX ? B_SYNC : 0;
    switch (op->code) {
    case TS_EXPLORE_SEMINIT:
        read_many(self, w, op, TS_EXPLORE_SEMAPHORE);
        op->n = keyed(w, "value", 0, 15);
        op->max = keyed(w, "max", 0, 15);
        break;
    case TS_EXPLORE_SEMPOST:
    case TS_EXPLORE_SEMGET:
        read_many(self, w, op, TS_EXPLORE_SEMAPHORE);
        break;
    case TS_EXPLORE_SEMWAIT:
    case TS_EXPLORE_STALLWAIT:
        op->held = B_ALL;
        if (op->code == TS_EXPLORE_SEMWAIT)
            read_many(self, w, op, TS_EXPLORE_SEMAPHORE);
        read_on(w, op, op->code == TS_EXPLORE_SEMWAIT);
        op->block = classes(w);
        break;
    case TS_EXPLORE_ATGETM:
    case TS_EXPLORE_ATRELM:
        read_one(self, w, op, TS_EXPLORE_MUTEX, 2);
        break;
    case TS_EXPLORE_UNPACK:
        read_one(self, w, op, TS_EXPLORE_SRC, 2);
        op->held = B_UNPACK;
        break;
    case TS_EXPLORE_FPU:
    case TS_EXPLORE_CLEAR:
        read_many(self, w, op, TS_EXPLORE_SRC);
        op->held = B_MATH;
        break;
    case TS_EXPLORE_WORK: {
        size_t i = 0;
        while (w->count == 2 && class_names[i] && strcmp(class_names[i], w->word[1]) != 0)
            i++;
        if (w->count != 2 || class_names[i] == NULL)
            word_error(w, w->word[w->count > 1],
                       "WORK needs a class: tdma sync pack unpack mover scalar math cfg sfpu");
        else
            op->held = class_held[i];
        break;
    }
    case TS_EXPLORE_POST:
    case TS_EXPLORE_GET:
        read_one(self, w, op, TS_EXPLORE_SEMAPHORE, 2);
        break;
    case TS_EXPLORE_POLL:
        read_one(self, w, op, TS_EXPLORE_SEMAPHORE, 4);
        if (w->count == 4) {
            while (comparisons[op->on] && strcmp(comparisons[op->on], w->word[2]) != 0)
                op->on++;
            if (comparisons[op->on] == NULL)
                word_error(w, w->word[2], "'%s' is no comparison", w->word[2]);
            op->n = number_of(w, w->word[3], 0, 15);
        }
        break;
    case TS_EXPLORE_SEND:
    case TS_EXPLORE_RECEIVE:
        read_mailbox(self, w, op, thread);
        break;
    case TS_EXPLORE_RESERVE:
    case TS_EXPLORE_PUSH:
    case TS_EXPLORE_WAIT:
    case TS_EXPLORE_POP:
        read_one(self, w, op, TS_EXPLORE_CB, 3);
        if (w->count == 3)
            op->n = number_of(w, w->word[2], 1, 1000);
        // Whatever the order, the pages fit into the state's 16 bits.
        self->pages[op->object] += op->n;
        if (self->pages[op->object] > 30000)
            word_error(w, w->word[0], "more than 30000 pages in all operations of '%s'",
                       self->program->object[op->object].name);
        break;
    default:
        read_one(self, w, op, TS_EXPLORE_RING, 2);
        break;
    }
}

static void check_keys(const struct words *w, const struct ts_explore_op *op)
{
    bool init = op->code == TS_EXPLORE_SEMINIT;
    bool wait = op->code == TS_EXPLORE_SEMWAIT || op->code == TS_EXPLORE_STALLWAIT;
    if (op->code == TS_EXPLORE_POLL) // its comparison may be one
        return;
    for (size_t i = 1; i < w->count; i++) {
        const char *equals = strchr(w->word[i], '=');
        size_t length = equals ? (size_t)(equals - w->word[i]) : 0;
        const char *known[] = {init ? "value" : "on", init ? "max" : "block"};
        bool found = equals == NULL && op->code != TS_EXPLORE_STALLWAIT;
        for (size_t k = 0; k < 2 && (init || wait) && equals; k++)
            found |= strlen(known[k]) == length && strncmp(known[k], w->word[i], length) == 0;
        if (!found)
            word_error(w, w->word[i], "%s knows no '%s'", w->word[0], w->word[i]);
    }
}

static void read_op(struct loader *self, struct ts_yaml_node node, unsigned thread)
{
    struct ts_explore_thread *t = &self->program->thread[thread];
    struct words w;
    const char *text = ts_yaml_text(node, "");
    cut(&w, node, text);
    if (w.count == 0) {
        ts_yaml_error(node, "an operation is expected here");
        return;
    }
    if (t->count == TS_EXPLORE_OPS) {
        ts_yaml_error(node, "more than %d operations in %s", TS_EXPLORE_OPS, t->name);
        return;
    }
    struct ts_explore_op op = {.line = ts_yaml_line(node),
                               .column = (int)node.node->start_mark.column + 1};
    snprintf(op.text, sizeof op.text, "%s", text);
    while (op.code < TS_EXPLORE_CODES && strcmp(ts_explore_op_names[op.code], w.word[0]) != 0)
        op.code++;
    if (op.code == TS_EXPLORE_CODES) {
        const char *near = ts_nearest(w.word[0], ts_explore_op_names);
        word_error(&w, w.word[0], "no operation '%s'%s%s%s", w.word[0], near ? "; '" : "",
                   near ? near : "", near ? "' is near" : "");
        return;
    }
    check_keys(&w, &op);
    read_operands(self, &w, &op, thread);
    t->op[t->count++] = op;
}

static void read_ops(struct loader *self, struct ts_yaml_node list, unsigned thread, int depth)
{
    if (!ts_yaml_is_list(list)) {
        ts_yaml_error(list, "a list of operations is expected here");
        return;
    }
    for (size_t i = 0; i < ts_yaml_count(list); i++) {
        struct ts_yaml_node node = ts_yaml_at(list, i);
        if (!ts_yaml_is_map(node)) {
            read_op(self, node, thread);
            continue;
        }
        ts_yaml_only(node, (const char *const[]){"repeat", "do", NULL});
        if (depth == 4)
            ts_yaml_error(node, "more than 4 repetitions inside each other");
        int64_t times = ts_yaml_int(ts_yaml_require(node, "repeat"), 0, TS_EXPLORE_OPS, 0);
        struct ts_yaml_node body = ts_yaml_require(node, "do");
        for (int64_t k = 0; k < times && list.file->error->code == TS_OK && body.node && depth < 4;
             k++)
            read_ops(self, body, thread, depth + 1);
    }
}

// --- what operations touch ---

static ts_explore_mask bit(unsigned object)
{
    return (ts_explore_mask)1 << object;
}

static void touch(struct ts_explore_program *p, struct ts_explore_op *op)
{
    switch (op->code) {
    case TS_EXPLORE_STALLWAIT:
        for (unsigned i = 0; i < TS_EXPLORE_UNITS; i++) {
            if (op->on & TS_COND_UNPACK << i)
                op->objects |= bit(p->unit[i]);
            if (op->on & (TS_COND_VALID | TS_COND_CLEAR) << i)
                op->objects |= bit(p->src[i]);
        }
        op->reads = op->objects;
        break;
    case TS_EXPLORE_SEND: // any mailbox of the writer keeps it out
        for (unsigned i = 0; i < p->objects; i++)
            if (p->object[i].kind == TS_EXPLORE_MAILBOX &&
                p->object[i].size == p->object[op->object].size)
                op->objects |= bit(i);
        op->reads = op->objects;
        op->writes = bit(op->object);
        break;
    case TS_EXPLORE_UNPACK:
        op->writes = bit(p->unit[op->object == p->src[1]]);
        break;
    case TS_EXPLORE_SEMWAIT:
    case TS_EXPLORE_FPU:
    case TS_EXPLORE_POLL:
    case TS_EXPLORE_RESERVE:
    case TS_EXPLORE_WAIT:
        op->reads = op->objects;
        break;
    default:
        op->writes = op->objects;
        break;
    }
}

static void finish(struct ts_explore_program *p)
{
    for (unsigned t = 0; t < p->threads; t++)
        for (unsigned i = 0; i < p->thread[t].count; i++)
            touch(p, &p->thread[t].op[i]);
    for (unsigned t = 0; t < p->threads; t++) {
        struct ts_explore_thread *thread = &p->thread[t];
        bool has[2] = {false, false};
        for (unsigned i = thread->count; i-- > 0;) {
            thread->reads[i] = thread->reads[i + 1] | thread->op[i].reads;
            thread->writes[i] = thread->writes[i + 1] | thread->op[i].writes;
            has[of_tensix[thread->op[i].code]] = true;
        }
        thread->mixed = has[0] && has[1];
    }
}

static void read_threads(struct loader *self, struct ts_yaml_node map)
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

static bool read_program(struct ts_explore_program *self, struct ts_yaml *file,
                         struct ts_error *error)
{
    static const char *const keys[] = {"name",  "semaphores", "mutexes", "cbs",
                                       "rings", "threads",    "expect",  NULL};
    struct loader loader = {.program = self};
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
            self->src[i] = (uint8_t)add_object(&loader, root, TS_EXPLORE_SRC, i ? "srcb" : "srca");
            self->unit[i] = (uint8_t)add_object(&loader, root, TS_EXPLORE_UNIT,
                                                i ? "UNPACK1" : "UNPACK0");
        }
        read_objects(&loader, root);
        read_threads(&loader, ts_yaml_require(root, "threads"));
        finish(self);
    }
    ts_yaml_free(file);
    return error->code == TS_OK;
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
