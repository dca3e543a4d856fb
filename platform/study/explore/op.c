// Reads one operation of a program of explore.h; an error names the column of its word.
#include "platform/study/explore/explore.h"
#include "platform/study/explore/words.h"

#include <stdlib.h>
#include <string.h>

const char *const ts_explore_op_names[] = {
#define TS_EXPLORE_OP(name, operands, core, text) #name,
#include "config/explore.def"
#undef TS_EXPLORE_OP
    NULL};

enum { RISCV, TENSIX };
const bool ts_explore_of_tensix[] = {
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
enum {
    B_TDMA = 0x001,
    B_SYNC = 0x002,
    B_UNPACK = 0x009,
    B_SCALAR = 0x021,
    B_MATH = 0x040,
    B_ALL = 0x1ff
};

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

static int32_t number_of(const struct words *w, const char *text, int low, int high)
{
    int64_t value = 0;
    if (!ts_parse_int(text, &value) || value < low || value > high) {
        word_error(w, text, "'%s' is not a number from %d to %d", text, low, high);
        return low;
    }
    return (int32_t)value;
}

static int32_t keyed(const struct words *w, const char *key, int low, int high)
{
    const char *text = value_of(w, key);
    if (text == NULL) {
        word_error(w, w->word[0], "%s needs %s=", w->word[0], key);
        return low;
    }
    return number_of(w, text, low, high);
}
static const char *const kind_names[] = {"semaphore",       "mutex", "mailbox",
                                         "circular buffer", "ring",  "register file"};

static unsigned object_word(struct ts_explore_loader *self, const struct words *w, size_t i,
                            enum ts_explore_kind kind)
{
    if (i >= w->count || strchr(w->word[i], '=')) {
        word_error(w, w->word[0], "%s needs a %s", w->word[0], kind_names[kind]);
        return 0;
    }
    int found = ts_explore_find(self, kind, w->word[i]);
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
static int mailbox(struct ts_explore_loader *self, struct ts_yaml_node at, unsigned writer,
                   unsigned reader)
{
    char name[2 * TS_EXPLORE_NAME + 4];
    snprintf(name, sizeof name, "%.13s->%.13s", self->core[writer], self->core[reader]);
    int found = ts_explore_find(self, TS_EXPLORE_MAILBOX, name);
    if (found < 0)
        found = ts_explore_add_object(self, at, TS_EXPLORE_MAILBOX, name);
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
static void read_many(struct ts_explore_loader *self, const struct words *w,
                      struct ts_explore_op *op, enum ts_explore_kind kind)
{
    op->object = (uint8_t)object_word(self, w, 1, kind);
    for (size_t i = 1; i < w->count; i++)
        if (strchr(w->word[i], '=') == NULL)
            op->objects |= ts_explore_bit((int)object_word(self, w, i, kind));
}

static void read_one(struct ts_explore_loader *self, const struct words *w,
                     struct ts_explore_op *op, enum ts_explore_kind kind, size_t words)
{
    op->object = (uint8_t)object_word(self, w, 1, kind);
    op->objects = ts_explore_bit(op->object);
    if (w->count < words)
        word_error(w, w->word[0], "%s needs %zu operands", w->word[0], words - 1);
    else if (w->count > words)
        word_error(w, w->word[words], "'%s' is too much", w->word[words]);
}

static void read_mailbox(struct ts_explore_loader *self, const struct words *w,
                         struct ts_explore_op *op, unsigned thread)
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
    op->objects = ts_explore_bit(op->object);
}

// ISSUE N, DRAIN [N]: of the queue to the core's Tensix thread, its other thread.
static void read_queue(struct ts_explore_loader *self, const struct words *w,
                       struct ts_explore_op *op, unsigned thread)
{
    unsigned other = self->program->threads, count = 0;
    for (unsigned t = 0; t < self->program->threads; t++)
        if (t != thread && strcmp(self->core[t], self->core[thread]) == 0) {
            other = t;
            count++;
        }
    if (count != 1) {
        word_error(w, w->word[0], "%s needs one other thread of core '%s', its Tensix thread",
                   w->word[0], self->core[thread]);
        return;
    }
    char name[TS_EXPLORE_NAME];
    snprintf(name, sizeof name, "queue of %.20s", self->program->thread[other].name);
    int found = ts_explore_find(self, TS_EXPLORE_QUEUE, name);
    if (found < 0)
        found = ts_explore_add_object(self, w->node, TS_EXPLORE_QUEUE, name);
    self->program->object[found].size = (int16_t)other;
    op->object = (uint8_t)found;
    op->objects = ts_explore_bit(found);
    bool issue = op->code == TS_EXPLORE_ISSUE;
    if (w->count > 2 || (issue && w->count < 2))
        word_error(w, w->word[w->count > 2 ? 2 : 0], "%s has %s number", w->word[0],
                   issue ? "one" : "at most one");
    else if (w->count == 2)
        op->n = number_of(w, w->word[1], 0, TS_EXPLORE_OPS);
    else
        op->n = -1;
}

static void read_operands(struct ts_explore_loader *self, struct words *w, struct ts_explore_op *op,
                          unsigned thread)
{
    op->held = ts_explore_of_tensix[op->code] ? B_SYNC : 0;
    switch (op->code) {
    case TS_EXPLORE_SEMINIT:
        read_many(self, w, op, TS_EXPLORE_SEMAPHORE);
        op->n = keyed(w, "value", 0, 15);
        op->max = (uint8_t)keyed(w, "max", 0, 15);
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
    case TS_EXPLORE_GIVE:
        read_many(self, w, op, TS_EXPLORE_SRC);
        op->held = B_TDMA;
        break;
    case TS_EXPLORE_MATRIX:
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
    case TS_EXPLORE_CLAIM:
    case TS_EXPLORE_PUBLISH:
    case TS_EXPLORE_TAKE:
    case TS_EXPLORE_RETURN:
        read_one(self, w, op, TS_EXPLORE_CB, 3);
        if (w->count == 3)
            op->n = number_of(w, w->word[2], 1, 1000);
        if (op->code == TS_EXPLORE_PUBLISH || op->code == TS_EXPLORE_RETURN)
            op->held = B_SCALAR;
        break;
    case TS_EXPLORE_ISSUE:
    case TS_EXPLORE_DRAIN:
        read_queue(self, w, op, thread);
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

struct ts_explore_op *ts_explore_new_op(struct ts_explore_thread *thread)
{
    if (thread->count == TS_EXPLORE_OPS)
        return NULL;
    if (thread->count == thread->room) {
        thread->room = thread->room ? 2 * thread->room : 64;
        thread->op = realloc(thread->op, thread->room * sizeof *thread->op);
        if (thread->op == NULL)
            abort();
    }
    return &thread->op[thread->count++];
}

static const char *keep_text(struct ts_explore_program *program, const char *text)
{
    size_t count = program->text_count;
    if ((count & (count - 1)) == 0)
        program->texts = realloc(program->texts, (count ? 2 * count : 1) * sizeof *program->texts);
    char *kept = program->texts ? strdup(text) : NULL;
    if (kept == NULL)
        abort();
    return program->texts[program->text_count++] = kept;
}

void ts_explore_read_op(struct ts_explore_loader *self, struct ts_yaml_node node, unsigned thread)
{
    struct ts_explore_thread *t = &self->program->thread[thread];
    struct words w;
    const char *text = ts_yaml_text(node, "");
    cut(&w, node, text);
    if (w.count == 0) {
        ts_yaml_error(node, "an operation is expected here");
        return;
    }
    struct ts_explore_op op = {.line = ts_yaml_line(node),
                               .column = (int)node.node->start_mark.column + 1};
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
    struct ts_explore_op *to = ts_explore_new_op(t);
    if (to == NULL) {
        ts_yaml_error(node, "more than %d operations in %s", TS_EXPLORE_OPS, t->name);
        return;
    }
    *to = op;
    to->text = keep_text(self->program, text);
}
