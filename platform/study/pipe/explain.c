// Why a TPUSH/TPOP program does not continue: every blocked scalar unit and pipe with its operation,
// flag, counter and setter, then the cycle of waits or the orphan they end in.
#include "platform/base/json.h"
#include "platform/kernel/waitfor.h"
#include "platform/study/pipe/run.h"

enum { TEXT = 300 };

static void operation(const struct ts_pipe_run *self, const struct ts_entry *entry, char *text)
{
    const struct ts_insn *insn = entry->insn;
    const char *pipe = entry->ring ? entry->ring->config->name : "";
    if (insn->op == TS_OP_STOP)
        snprintf(text, TEXT, "the destructor of pipe %s", pipe);
    else if (entry->ring)
        snprintf(text, TEXT, "%s of tile %u, pipe %s, line %u", ts_ops[insn->op].name, entry->index,
                 pipe, insn->line);
    else if (insn->op >= TS_OP_TPUSH && insn->op <= TS_OP_TFREE)
        snprintf(text, TEXT, "%s, pipe %s, line %u", ts_ops[insn->op].name,
                 self->program->machine.pipes[insn->pipe].name, insn->line);
    else
        snprintf(text, TEXT, "%s, line %u", ts_ops[insn->op].name, insn->line);
}

static void object(const struct ts_core *core, const struct ts_entry *entry, enum ts_stall reason,
                   char *text)
{
    const struct ts_flag *flag = &core->cluster->flags.flag[core->id][entry->id];
    const bool reduces = core->id == TS_CORE_AIC &&
                         core->cluster->machine->profile == TS_PROFILE_A2A3;
    switch (reason) {
#define SAY(...) snprintf(text, TEXT, __VA_ARGS__)
#define TS_PIPE_WAITS(reason, words) \
    case TS_STALL_##reason:          \
        (void)(words);               \
        return;
#include "config/tpipe.def"
    default:
        SAY("%s", ts_stall_name(reason));
    }
}

// Has the program of this scalar unit ended?
static bool ended(const struct ts_component *component)
{
    const struct ts_su *su = component ? &ts_part_core(component)->su : NULL;
    return su && component == &su->base && su->ended;
}

// Where a core is that should end a wait.
static void standing(const struct ts_pipe_run *self, const struct ts_component *component,
                     char *text)
{
    const struct ts_entry *entry = component && component->asleep == TS_BLOCKED
                                       ? ts_part_entry(component)
                                       : NULL;
    char what[TEXT];
    if (entry) {
        operation(self, entry, what);
        snprintf(text, TEXT, "%s, which waits itself in %.180s", ts_path(component), what);
        return;
    }
    snprintf(text, TEXT, "%s%s", component ? ts_path(component) : "nobody",
             ended(component) ? ", which has ended" : "");
}

static const char *wait_name(const struct ts_edge *edge, char *text)
{
    const struct ts_entry *entry = ts_part_entry(edge->from);
    if (entry && edge->reason == TS_STALL_FLAG_ZERO)
        snprintf(text, TEXT, "flag %u", entry->id);
    else
        snprintf(text, TEXT, "%s", ts_stall_name(edge->reason));
    return text;
}

// The waits that explain the deadlock come first: a cycle, or a chain that ends in an orphan.
static struct ts_waitfor explanation(const struct ts_pipe_run *self)
{
    return ts_waitfor_new(self->kernel, self->run.cycle, NULL, NULL);
}

struct ts_spot ts_pipe_stuck(const struct ts_pipe_run *self, char object_name[40])
{
    struct ts_spot spot = {.cycle = self->run.cycle, .object = object_name};
    struct ts_waitfor waits = explanation(self);
    // The first of the cycle, or the last that still waits.
    const size_t at = waits.is_cycle || waits.explanation == 0 ? 0 : waits.explanation - 1;
    const struct ts_entry *entry = waits.explanation ? ts_part_entry(waits.edges[at].from) : NULL;
    object_name[0] = 0;
    ts_waitfor_free(&waits);
    if (entry == NULL)
        return spot;
    bool destructor = entry->insn->op == TS_OP_STOP && entry->ring;
    spot.line = destructor ? entry->ring->push_line : entry->insn->line;
    bool ring = entry->ring || (entry->insn->op >= TS_OP_TPUSH && entry->insn->op <= TS_OP_TFREE);
    snprintf(object_name, 40, "%s",
             entry->ring ? entry->ring->config->name
             : ring      ? self->program->machine.pipes[entry->insn->pipe].name
                         : ts_ops[entry->insn->op].name);
    return spot;
}

// The explanation as one line.
static void conclusion(const struct ts_waitfor *waits, char *text, size_t room)
{
    char name[TEXT];
    snprintf(text, room, "%s", waits->is_cycle ? "cycle: " : "no cycle: ");
    for (size_t i = 0; i < waits->explanation; i++)
        ts_append(text, room, "%s ->(%s)-> ", ts_path(waits->edges[i].from),
                  wait_name(&waits->edges[i], name));
    const struct ts_component *last = waits->explanation ? waits->edges[waits->explanation - 1].to
                                                         : NULL;
    if (waits->explanation)
        ts_append(text, room, "%s%s%s", last ? ts_path(last) : "",
                  waits->is_cycle ? "" : ": orphan wait",
                  !waits->is_cycle && ended(last) ? ", the setter has ended" : "");
}

struct story {
    char operation[TEXT], object[TEXT], setter[TEXT];
    struct ts_wait wait;
    const struct ts_entry *entry;
    const struct ts_core *core;
};

static bool tell_story(const struct ts_pipe_run *self, const struct ts_component *component,
                       struct story *story)
{
    story->core = ts_part_core(component);
    story->entry = ts_part_entry(component);
    if (story->entry == NULL)
        return false;
    story->wait = ts_waiting(component);
    operation(self, story->entry, story->operation);
    object(story->core, story->entry, story->wait.reason, story->object);
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
                            "core", ts_core_names[story.core->id], "operation", story.operation,
                            "waits_for", story.object, "reason", ts_stall_name(story.wait.reason),
                            "setter", story.setter, "line", (int)story.entry->insn->line);
    if (story.entry->ring) {
        json_object_set_new(one, "pipe", json_string(story.entry->ring->config->name));
        json_object_set_new(one, "index", json_integer(story.entry->index));
    }
    if (story.wait.reason == TS_STALL_FLAG_ZERO) {
        const struct ts_flag *flag =
            &story.core->cluster->flags.flag[story.core->id][story.entry->id];
        json_object_set_new(one, "flag", json_integer(flag->id));
        json_object_set_new(one, "counter", json_integer(flag->count));
        ts_json_put(one, "half", "[i, i]", (int)flag->half[0], (int)flag->half[1]);
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
    struct ts_waitfor waits = explanation(self);
    const bool cycle = waits.is_cycle;
    add_blocked(self, blocked);
    conclusion(&waits, line, sizeof line);
    ts_waitfor_free(&waits);
    return json_pack("{s:s, s:s, s:o}", "kind", cycle ? "cycle" : "orphan", "text", line, "blocked",
                     blocked);
}

json_t *ts_pipe_cause(const struct ts_pipe_run *self)
{
    struct ts_waitfor waits = explanation(self);
    const bool cycle = waits.is_cycle;
    char line[600];
    struct story story;
    conclusion(&waits, line, sizeof line);
    const struct ts_component *first = waits.explanation ? waits.edges[0].from : NULL;
    ts_waitfor_free(&waits);
    json_t *text = first && tell_story(self, first, &story)
                       ? json_sprintf(
                             "%s blocks in %s: it waits for %s. It could be ended by %s (%s).",
                             ts_path(first), story.operation, story.object, story.setter, line)
                       : json_string(line);
    return json_pack("{s:s, s:o}", "verdict", cycle ? "cycle" : "orphan", "text", text);
}
