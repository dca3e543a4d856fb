// Why a TPUSH/TPOP program does not continue: every blocked scalar unit and pipe with its operation,
// flag, counter and setter, then the cycle of waits or the orphan they end in.
#include "platform/study/pipe/run.h"

#include <string.h>

enum { TEXT = 300 };

// What a component is: a scalar unit or a pipe of a core.
struct who {
    const struct ts_core *core;
    const struct ts_su *su; // one of both
    const struct ts_lane *lane;
};

static bool identify(const struct ts_pipe_run *self, const struct ts_component *component,
                     struct who *who)
{
    for (uint32_t i = 0; i < self->program->machine.clusters; i++)
        for (unsigned id = 0; id < TS_CORES; id++) {
            const struct ts_core *core = &self->cluster[i].core[id];
            *who = (struct who){.core = core};
            if (component == &core->su.base) {
                who->su = &core->su;
                return true;
            }
            for (unsigned lane = 0; lane < TS_LANE_COUNT; lane++)
                if (core->lane[lane].core && component == &core->lane[lane].base) {
                    who->lane = &core->lane[lane];
                    return true;
                }
        }
    return false;
}

static const struct ts_entry *entry_of(const struct who *who)
{
    if (who->su)
        return who->su->next < who->su->micros ? &who->su->micro[who->su->next] : NULL;
    const struct ts_fifo *queue = &who->lane->queue;
    return ts_fifo_level(queue)
               ? (const void *)(ts_fifo_slot(queue, queue->popped) + sizeof(ts_cycle))
               : NULL;
}

static void operation(const struct ts_pipe_run *self, const struct ts_entry *entry, char *text)
{
    const struct ts_insn *insn = entry->insn;
    const char *pipe = entry->ring ? entry->ring->config->name : "";
    if (insn->op == TS_OP_STOP)
        snprintf(text, TEXT, "the destructor of pipe %s", pipe);
    else if (entry->ring)
        snprintf(text, TEXT, "%s of tile %u, pipe %s, line %u", ts_op_name(insn->op), entry->index,
                 pipe, insn->line);
    else if (insn->op >= TS_OP_TPUSH && insn->op <= TS_OP_TFREE)
        snprintf(text, TEXT, "%s, pipe %s, line %u", ts_op_name(insn->op),
                 self->program->machine.pipes[insn->pipe].name, insn->line);
    else
        snprintf(text, TEXT, "%s, line %u", ts_op_name(insn->op), insn->line);
}

static void object(const struct who *who, const struct ts_entry *entry, enum ts_stall reason,
                   char *text)
{
    switch (reason) {
    case TS_STALL_FLAG_ZERO: {
        const struct ts_flag *flag = &who->core->cluster->flags.flag[who->core->id][entry->id];
        bool reduce = who->core->id == TS_CORE_AIC &&
                      who->core->cluster->machine->profile == TS_PROFILE_A2A3;
        int used = snprintf(text, TEXT, "flag %u, counter %u", entry->id, flag->count);
        if (reduce)
            snprintf(text + used, TEXT - (size_t)used, " (half-set: aiv0 %u, aiv1 %u)",
                     flag->half[0], flag->half[1]);
        return;
    }
    case TS_STALL_LOCAL_EVENT:
        snprintf(text, TEXT, "event %u from %s", entry->id, ts_lane_names[entry->other]);
        return;
    case TS_STALL_RING_FULL:
    case TS_STALL_RING_EMPTY:
        snprintf(text, TEXT, "pipe %s, %u of %u slots taken", entry->ring->config->name,
                 entry->ring->occupancy, entry->ring->config->slots);
        return;
    case TS_STALL_FIFO_FULL:
        snprintf(text, TEXT, "room in the queue of %s", ts_lane_names[entry->lane]);
        return;
    case TS_STALL_TILE_BUSY:
        snprintf(text, TEXT, "a tile that another pipe of its core still uses");
        return;
    case TS_STALL_PIPE_DRAIN:
        snprintf(text, TEXT, "the pipes of its core to be empty");
        return;
    default:
        snprintf(text, TEXT, "%s", ts_stall_name(reason));
    }
}

// Where a core is that should end a wait.
static void standing(const struct ts_pipe_run *self, const struct ts_component *component,
                     char *text)
{
    struct who who;
    if (component == NULL || !identify(self, component, &who)) {
        snprintf(text, TEXT, "nobody");
        return;
    }
    const char *path = ts_path(component);
    if (component->asleep == TS_BLOCKED) {
        char what[TEXT];
        const struct ts_entry *entry = entry_of(&who);
        if (entry) {
            operation(self, entry, what);
            snprintf(text, TEXT, "%s, which waits itself in %.180s", path, what);
            return;
        }
    }
    if (who.su && who.su->ended)
        snprintf(text, TEXT, "%s, which has ended", path);
    else
        snprintf(text, TEXT, "%s", path);
}

struct chain {
    const struct ts_component *at[3 * TS_LANE_COUNT];
    struct ts_wait wait[3 * TS_LANE_COUNT];
    size_t count;
    size_t first; // of the cycle; count if there is none
};

// Follows the holders from one blocked component.
static struct chain follow_holders(const struct ts_component *start)
{
    struct chain chain = {0};
    const struct ts_component *at = start;
    while (at && chain.count < sizeof chain.at / sizeof *chain.at) {
        for (chain.first = 0; chain.first < chain.count; chain.first++)
            if (chain.at[chain.first] == at)
                return chain;
        chain.at[chain.count] = at;
        if (at->asleep != TS_BLOCKED) {
            chain.wait[chain.count++] = (struct ts_wait){0};
            break;
        }
        chain.wait[chain.count] = ts_waiting(at);
        at = chain.wait[chain.count++].holder;
    }
    chain.first = chain.count;
    return chain;
}

static const char *wait_name(const struct ts_pipe_run *self, const struct chain *chain, size_t i,
                             char *text)
{
    struct who who;
    const struct ts_entry *entry = identify(self, chain->at[i], &who) ? entry_of(&who) : NULL;
    if (entry && chain->wait[i].reason == TS_STALL_FLAG_ZERO)
        snprintf(text, TEXT, "flag %u", entry->id);
    else
        snprintf(text, TEXT, "%s", ts_stall_name(chain->wait[i].reason));
    return text;
}

// The waits that explain the deadlock: a cycle, or a chain that ends in an orphan.
static struct chain explanation(const struct ts_pipe_run *self)
{
    struct chain best = {0};
    bool cycle = false;
    for (uint32_t i = 0; i < self->program->machine.clusters && !cycle; i++)
        for (unsigned id = 0; id < TS_CORES && !cycle; id++) {
            const struct ts_core *core = &self->cluster[i].core[id];
            for (unsigned lane = 0; lane <= TS_LANE_COUNT && !cycle; lane++) {
                const struct ts_component *c = lane == TS_LANE_COUNT ? &core->su.base
                                                                     : &core->lane[lane].base;
                if ((lane < TS_LANE_COUNT && core->lane[lane].core == NULL) ||
                    c->asleep != TS_BLOCKED)
                    continue;
                struct chain chain = follow_holders(c);
                cycle = chain.first < chain.count;
                if (cycle || best.count == 0)
                    best = chain;
            }
        }
    return best;
}

struct ts_spot ts_pipe_stuck(const struct ts_pipe_run *self, char object_name[40])
{
    struct ts_spot spot = {.cycle = self->run.cycle, .object = object_name};
    struct chain chain = explanation(self);
    object_name[0] = 0;
    // The first of the cycle, or the last that still waits.
    size_t at = chain.first < chain.count ? chain.first : chain.count;
    while (at == chain.count || (at && chain.at[at]->asleep != TS_BLOCKED))
        at--;
    struct who who;
    const struct ts_entry *entry = chain.count && identify(self, chain.at[at], &who)
                                       ? entry_of(&who)
                                       : NULL;
    if (entry == NULL)
        return spot;
    bool destructor = entry->insn->op == TS_OP_STOP && entry->ring;
    spot.line = destructor ? entry->ring->push_line : entry->insn->line;
    bool ring = entry->ring || (entry->insn->op >= TS_OP_TPUSH && entry->insn->op <= TS_OP_TFREE);
    snprintf(object_name, 40, "%s",
             entry->ring ? entry->ring->config->name
             : ring      ? self->program->machine.pipes[entry->insn->pipe].name
                         : ts_op_name(entry->insn->op));
    return spot;
}

// The explanation as one line.
static bool conclusion(const struct ts_pipe_run *self, char *text, size_t room)
{
    struct chain best = explanation(self);
    bool cycle = best.first < best.count;
    char name[TEXT];
    size_t used = (size_t)snprintf(text, room, "%s", cycle ? "cycle: " : "no cycle: ");
    for (size_t i = cycle ? best.first : 0; i < best.count && used < room; i++) {
        used += (size_t)snprintf(text + used, room - used, "%s", ts_path(best.at[i]));
        if (best.wait[i].reason != TS_STALL_IDLE && used < room)
            used += (size_t)snprintf(text + used, room - used, " ->(%s)-> ",
                                     wait_name(self, &best, i, name));
    }
    if (cycle && used < room)
        snprintf(text + used, room - used, "%s", ts_path(best.at[best.first]));
    else if (best.count && used < room) {
        struct who who;
        bool ended = identify(self, best.at[best.count - 1], &who) && who.su && who.su->ended;
        snprintf(text + used, room - used,
                 ended ? ": orphan wait, the setter has ended" : ": orphan wait");
    }
    return cycle;
}

struct story {
    char operation[TEXT], object[TEXT], setter[TEXT];
    struct ts_wait wait;
    const struct ts_entry *entry;
    struct who who;
};

static bool tell_story(const struct ts_pipe_run *self, const struct ts_component *component,
                       struct story *story)
{
    if (!identify(self, component, &story->who))
        return false;
    story->entry = entry_of(&story->who);
    if (story->entry == NULL)
        return false;
    story->wait = ts_waiting(component);
    operation(self, story->entry, story->operation);
    object(&story->who, story->entry, story->wait.reason, story->object);
    standing(self, story->wait.holder, story->setter);
    return true;
}

static void add_one(const struct ts_pipe_run *self, const struct ts_component *component,
                    json_t *list)
{
    struct story story;
    if (!tell_story(self, component, &story))
        return;
    json_t *one = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i}", "who", ts_path(component),
                            "core", ts_core_name(story.who.core->id), "operation", story.operation,
                            "waits_for", story.object, "reason", ts_stall_name(story.wait.reason),
                            "setter", story.setter, "line", (int)story.entry->insn->line);
    if (story.entry->ring) {
        json_object_set_new(one, "pipe", json_string(story.entry->ring->config->name));
        json_object_set_new(one, "index", json_integer(story.entry->index));
    }
    if (story.wait.reason == TS_STALL_FLAG_ZERO) {
        const struct ts_flag *flag =
            &story.who.core->cluster->flags.flag[story.who.core->id][story.entry->id];
        json_object_set_new(one, "flag", json_integer(flag->id));
        json_object_set_new(one, "counter", json_integer(flag->count));
        json_object_set_new(one, "half",
                            json_pack("[i, i]", (int)flag->half[0], (int)flag->half[1]));
    }
    if (story.wait.holder)
        json_object_set_new(one, "holder", json_string(ts_path(story.wait.holder)));
    json_array_append_new(list, one);
}

// Every blocked scalar unit and pipe.
static void add_blocked(const struct ts_pipe_run *self, json_t *list)
{
    for (uint32_t i = 0; i < self->program->machine.clusters; i++)
        for (unsigned id = 0; id < TS_CORES; id++) {
            const struct ts_core *core = &self->cluster[i].core[id];
            if (core->su.base.asleep == TS_BLOCKED)
                add_one(self, &core->su.base, list);
            for (unsigned lane = 0; lane < TS_LANE_COUNT; lane++)
                if (core->lane[lane].core && core->lane[lane].base.asleep == TS_BLOCKED)
                    add_one(self, &core->lane[lane].base, list);
        }
}

json_t *ts_pipe_explain_json(const struct ts_pipe_run *self)
{
    json_t *blocked = json_array();
    char line[600];
    add_blocked(self, blocked);
    bool cycle = conclusion(self, line, sizeof line);
    return json_pack("{s:s, s:s, s:o}", "kind", cycle ? "cycle" : "orphan", "text", line, "blocked",
                     blocked);
}

json_t *ts_pipe_cause(const struct ts_pipe_run *self)
{
    struct chain chain = explanation(self);
    bool cycle = chain.first < chain.count;
    char line[600];
    struct story story;
    conclusion(self, line, sizeof line);
    const struct ts_component *first = chain.count ? chain.at[cycle ? chain.first : 0] : NULL;
    json_t *text = first && tell_story(self, first, &story)
                       ? json_sprintf(
                             "%s blocks in %s: it waits for %s. It could be ended by %s (%s).",
                             ts_path(first), story.operation, story.object, story.setter, line)
                       : json_string(line);
    return json_pack("{s:s, s:o}", "verdict", cycle ? "cycle" : "orphan", "text", text);
}
