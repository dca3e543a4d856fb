// Objects and operations of explore.h, from the words of a small program.
#include "platform/study/explore/words.h"

const char *const ts_explore_op_names[] = {
#define TS_EXPLORE_OP(name, ...) #name,
#include "config/explore.def"
    NULL};

// --- objects ---

static int add_object(struct ts_explore_loader *self, enum ts_explore_kind kind, const char *name)
{
    struct ts_explore_program *p = self->program;
    if (p->objects == TS_EXPLORE_OBJECTS) {
        ts_yaml_error(self->tile->node, "more than %d objects", TS_EXPLORE_OBJECTS);
        return 0;
    }
    struct ts_explore_object *o = &p->object[p->objects];
    *o = (struct ts_explore_object){.kind = kind};
    snprintf(o->name, sizeof o->name, "%s", name);
    return (int)p->objects++;
}

static int find(const struct ts_explore_loader *self, enum ts_explore_kind kind, const char *name)
{
    for (unsigned i = 0; i < self->program->objects; i++)
        if (self->program->object[i].kind == kind &&
            strcmp(self->program->object[i].name, name) == 0)
            return (int)i;
    return -1;
}

int ts_explore_semaphore(struct ts_explore_loader *self, unsigned index)
{
    const struct ts_script_object *from = &self->script->semaphores[index];
    if (self->semaphore[index] < 0) {
        int made = self->semaphore[index] = add_object(self, TS_EXPLORE_SEMAPHORE, from->name);
        self->program->object[made].a = (int32_t)from->value;
        self->program->object[made].b = (uint8_t)from->max;
    }
    return self->semaphore[index];
}

static int mutex(struct ts_explore_loader *self, unsigned index)
{
    const bool is = index != 1 && index < TS_MUTEXES;
    const unsigned slot = is ? index : 1; // the same for all that the chip does not have
    char name[20];
    snprintf(name, sizeof name, "mutex_%u", index);
    if (self->mutex[slot] < 0) {
        self->mutex[slot] = add_object(self, TS_EXPLORE_MUTEX, name);
        self->program->object[self->mutex[slot]].size = is ? 0 : -1;
    }
    return self->mutex[slot];
}

int ts_explore_mailbox(struct ts_explore_loader *self, unsigned writer, unsigned reader)
{
    char name[TS_EXPLORE_NAME];
    snprintf(name, sizeof name, "%s->%s", ts_script_lists[writer], ts_script_lists[reader]);
    int found = find(self, TS_EXPLORE_MAILBOX, name);
    if (found < 0)
        found = add_object(self, TS_EXPLORE_MAILBOX, name);
    self->program->object[found].size = (int16_t)writer;
    return found;
}

int ts_explore_queue(struct ts_explore_loader *self, unsigned thread)
{
    char name[TS_EXPLORE_NAME];
    snprintf(name, sizeof name, "queue of T%u", thread);
    int found = find(self, TS_EXPLORE_QUEUE, name);
    return found >= 0 ? found : add_object(self, TS_EXPLORE_QUEUE, name);
}

void ts_explore_add_objects(struct ts_explore_loader *self)
{
    struct ts_explore_program *p = self->program;
    const struct ts_script *script = self->script;
    for (unsigned i = 0; i < TS_EXPLORE_UNITS; i++) {
        p->src[i] = (uint8_t)add_object(self, TS_EXPLORE_SRC, i ? "srcb" : "srca");
        p->unit[i] = (uint8_t)add_object(self, TS_EXPLORE_UNIT, i ? "UNPACK1" : "UNPACK0");
    }
    for (unsigned i = 0; i < TS_SEMAPHORES; i++)
        self->semaphore[i] = self->mutex[i] = -1;
    for (unsigned i = 0; i < TS_SEMAPHORES; i++)
        if (script->semaphores[i].declared)
            ts_explore_semaphore(self, i);
    for (unsigned i = 0; i < script->mutex_count; i++)
        self->mutex[script->mutexes[i].index] = add_object(self, TS_EXPLORE_MUTEX,
                                                           script->mutexes[i].name);
    for (unsigned i = 0; i < script->buffer_count; i++) {
        const struct ts_script_object *from = &script->buffers[i];
        int made = add_object(self, TS_EXPLORE_CB, from->name);
        char name[TS_EXPLORE_NAME];
        self->buffer[i] = (uint8_t)made;
        p->object[made].size = (int16_t)from->pages;
        p->object[made].a = (int32_t)from->filled;
        snprintf(name, sizeof name, "room of %.23s", from->name);
        p->object[add_object(self, TS_EXPLORE_ROOM, name)].a = (int32_t)(from->pages -
                                                                         from->filled);
    }
    for (unsigned i = 0; i < script->ring_count; i++) {
        int made = add_object(self, TS_EXPLORE_RING, script->rings[i].name);
        self->ring[i] = (uint8_t)made;
        p->object[made].size = (int16_t)script->rings[i].slots;
        p->object[made].tfree = script->rings[i].tfree;
    }
}

// --- operations ---

static const char *text_of(struct ts_explore_loader *self, const struct ts_script_step *step)
{
    char **kept = &self->program->texts[step->number];
    if (*kept == NULL) {
        char text[200];
        ts_script_text(step, text, sizeof text);
        *kept = strdup(text);
        if (*kept == NULL)
            ts_out_of_memory("the exploration");
    }
    return *kept;
}

struct ts_explore_op *ts_explore_new_op(struct ts_explore_loader *self, int thread,
                                        const struct ts_script_step *step,
                                        enum ts_explore_code code)
{
    struct ts_explore_thread *t = &self->program->thread[thread];
    TS_MORE(t->op, t->count, t->room, "the exploration");
    if (t->count == TS_EXPLORE_OPS)
        ts_yaml_error(step->node, "more than %d operations in %s", TS_EXPLORE_OPS, t->name);
    struct ts_explore_op *op = &t->op[t->count < TS_EXPLORE_OPS ? t->count++ : t->count - 1];
    *op = (struct ts_explore_op){.code = (uint8_t)code,
                                 .line = ts_yaml_line(step->node),
                                 .column = (int)step->node.node->start_mark.column + 1,
                                 .text = text_of(self, step)};
    return op;
}

void ts_explore_on_object(struct ts_explore_op *op, int object)
{
    op->object = (uint8_t)object;
    op->objects |= ts_explore_bit(object);
}

static void on_banks(struct ts_explore_loader *self, struct ts_explore_op *op, unsigned banks)
{
    for (unsigned i = TS_EXPLORE_UNITS; i-- > 0;)
        if (banks >> i & 1)
            ts_explore_on_object(op, self->program->src[i]);
}

// Conditions that can stay unmet; those of units that always finish are no bits.
static uint8_t conditions(unsigned wait)
{
    return (uint8_t)((wait >> 1 & 3) * TS_COND_UNPACK | (wait >> 5 & 3) * TS_COND_CLEAR |
                     (wait >> 7 & 3) * TS_COND_VALID);
}

static void sync_word(struct ts_explore_loader *self, struct ts_explore_op *op, uint32_t word,
                      unsigned semaphores)
{
    const struct ts_args_SEMINIT init = ts_decode_SEMINIT(word);
    const struct ts_args_SEMWAIT wait = ts_decode_SEMWAIT(word);
    const struct ts_args_STALLWAIT stall = ts_decode_STALLWAIT(word);
    switch (TS_OP_OF(word)) {
    case TS_OP_SEMINIT:
        op->code = TS_EXPLORE_SEMINIT;
        op->n = (int32_t)init.init_value;
        op->max = (uint8_t)init.max_value;
        break;
    case TS_OP_SEMPOST:
        op->code = TS_EXPLORE_SEMPOST;
        break;
    case TS_OP_SEMGET:
        op->code = TS_EXPLORE_SEMGET;
        break;
    case TS_OP_SEMWAIT:
        op->code = TS_EXPLORE_SEMWAIT;
        op->on = wait.wait_sem_cond & 3;
        op->block = (uint16_t)(wait.stall_res ? wait.stall_res : TS_B_MATRIX);
        break;
    case TS_OP_STALLWAIT:
        op->code = TS_EXPLORE_STALLWAIT;
        op->on = conditions(stall.wait_res ? stall.wait_res : 0xf);
        op->block = (uint16_t)(stall.stall_res ? stall.stall_res : TS_B_MATRIX);
        return;
    case TS_OP_ATGETM:
    case TS_OP_ATRELM:
        op->code = TS_OP_OF(word) == TS_OP_ATGETM ? TS_EXPLORE_ATGETM : TS_EXPLORE_ATRELM;
        ts_explore_on_object(op, mutex(self, word & 0xffffff));
        return;
    default:
        return;
    }
    if (semaphores == 0)
        op->code = TS_EXPLORE_WORK;
    for (unsigned i = TS_SEMAPHORES; i-- > 0;) // the first one last
        if (semaphores >> i & 1)
            ts_explore_on_object(op, ts_explore_semaphore(self, i));
}

// A word of a Tensix thread: one operation, or two (it needs banks and gives banks back).
void ts_explore_add_word(struct ts_explore_loader *self, unsigned t,
                         const struct ts_script_step *step, uint32_t word)
{
    struct ts_script_effect effect = ts_script_effect(word);
    if (effect.kind == TS_EFFECT_FRONT) {
        ts_script_refuse(step->node, "tensim run --explore",
                         "does not expand MOP and REPLAY" TS_EXPLORE_RECORD);
        return;
    }
    int thread = self->thread[TS_SCRIPT_T0 + t];
    struct ts_explore_op *op = ts_explore_new_op(self, thread, step, TS_EXPLORE_WORK);
    op->held = effect.held;
    switch (effect.kind) {
    case TS_EFFECT_SYNC:
        sync_word(self, op, word, effect.semaphores);
        break;
    case TS_EFFECT_UNPACK:
        op->code = TS_EXPLORE_UNPACK;
        on_banks(self, op, effect.needs);
        break;
    case TS_EFFECT_GIVE:
        op->code = TS_EXPLORE_GIVE;
        on_banks(self, op, effect.clears);
        break;
    case TS_EFFECT_MATRIX:
        op->code = effect.needs ? TS_EXPLORE_MATRIX : TS_EXPLORE_CLEAR;
        on_banks(self, op, effect.needs ? effect.needs : effect.clears);
        if (effect.needs && effect.clears) {
            op = ts_explore_new_op(self, thread, step, TS_EXPLORE_CLEAR);
            op->held = effect.held;
            op->joined = true;
            on_banks(self, op, effect.clears);
        }
        break;
    default:
        break;
    }
}
