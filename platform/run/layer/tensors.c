// Tensors of a sequence (layer.h): their places, and which of them are those of a program.
#include "platform/run/layer/layer.h"

#include "platform/run/plan/data.h"

bool ts_layer_good(const struct ts_layer *self)
{
    return self->error->code == TS_OK;
}

// A failure of the current operation, at a line of the sequence.
void ts_layer_refuse(struct ts_layer *self, struct ts_yaml_node node, const char *text)
{
    const struct ts_error why = *self->error;
    char inner[300];
    snprintf(inner, sizeof inner, "%.299s", text);
    self->error->code = TS_OK;
    ts_yaml_error(node, "operation %s: %s", self->name, inner);
    if (why.code != TS_OK)
        self->error->code = why.code;
}

int ts_layer_tensor(struct ts_layer *self, struct ts_yaml_node node)
{
    const int index = ts_plan_tensor_find(self->here->plan, ts_yaml_text(node, ""));
    if (index < 0)
        ts_yaml_error(node, "the sequence has no tensor '%.40s'", ts_yaml_text(node, ""));
    return index;
}

static bool place(struct ts_layer *self, uint32_t index, struct ts_yaml_node node)
{
    struct ts_plan_tensor *t = &self->here->plan->tensors[index];
    struct ts_layer_tensor *state = &self->here->tensors[index];
    if (!ts_plan_tensor_place(self->here->plan, t, &self->here->space)) {
        ts_layer_refuse(self, node,
                        strstr(self->error->text, ": ") ? self->error->text : "no room");
        return false;
    }
    state->state = TS_LAYER_THERE;
    state->written = t->filled;
    if (self->dry || !t->filled || self->here->plan->bare)
        return true;
    ts_plan_tensor_provide(self->here->plan, t, self->error); // it may have been dropped
    return ts_layer_good(self) &&
           (t->data.at == NULL ||
            ts_plan_put(self->here->plan, t, &self->here->machine->chip, self->error));
}

static void spell(const struct ts_plan_tensor *t, char *text, size_t size)
{
    char shard[64] = "interleaved";
    if (t->sharded)
        snprintf(shard, sizeof shard, "shards of %ux%u pages on %u", t->shard_down, t->shard_across,
                 t->shard_cores.count);
    snprintf(text, size, "%ux%u %s %s in %s, %s", t->rows, t->columns,
             ts_plan_format_name(t->format), t->tiled ? "tiles" : "rows", t->dram ? "DRAM" : "L1",
             shard);
}

static bool same_shards(const struct ts_plan_tensor *a, const struct ts_plan_tensor *b)
{
    return a->sharded == b->sharded &&
           (!a->sharded || (a->shard_down == b->shard_down && a->shard_across == b->shard_across &&
                            a->shard_cores.count == b->shard_cores.count &&
                            memcmp(a->shard_cores.at, b->shard_cores.at,
                                   a->shard_cores.count * sizeof *a->shard_cores.at) == 0));
}

// A tensor of the program is one of the sequence.
static void bind_tensor(struct ts_layer *self, struct ts_plan_tensor *own, struct ts_yaml_node node)
{
    char text[300], here[100], there[100];
    const int index = ts_layer_tensor(self, node);
    if (index < 0)
        return;
    struct ts_plan_tensor *t = &self->here->plan->tensors[index];
    struct ts_layer_tensor *state = &self->here->tensors[index];
    const bool output = own->expected;
    if (state->state == TS_LAYER_FREED) {
        snprintf(text, sizeof text, "%s was freed in line %d (alloc: [%s] gives it a new place)",
                 t->name, state->line, t->name);
        ts_layer_refuse(self, node, text);
        return;
    }
    if (state->state == TS_LAYER_NOWHERE && !place(self, (uint32_t)index, node))
        return;
    spell(own, here, sizeof here);
    spell(t, there, sizeof there);
    if (own->rows != t->rows || own->columns != t->columns || own->format != t->format ||
        own->tiled != t->tiled || own->dram != t->dram || own->page != t->page || own->host ||
        t->host || !same_shards(own, t)) {
        snprintf(text, sizeof text, "%s of the program is %s; %s is %s", own->name, here, t->name,
                 there);
        ts_layer_refuse(self, node, text);
    } else if (!output && !state->written) {
        snprintf(text, sizeof text, "reads %s, which nothing has written", t->name);
        ts_layer_refuse(self, node, text);
    }
    own->bound = true;
    own->address = t->address;
    own->bank_bytes = t->bank_bytes;
    self->here->bound[index] = true;
    self->here->output[index] |= output;
}

// While a program is read: its tensors are known, and not placed yet.
void ts_layer_bind(void *context, struct ts_plan *plan)
{
    struct ts_layer *self = context;
    struct ts_yaml_node map = ts_yaml_find(self->step, "tensors");
    if (map.node && !ts_yaml_is_map(map))
        ts_yaml_error(map, "tensors: {tensor of the program: tensor of the sequence}");
    for (size_t i = 0; ts_layer_good(self) && map.node && i < ts_yaml_count(map); i++) {
        const char *name = ts_yaml_text(ts_yaml_key(map, i), "");
        const int own = ts_plan_tensor_find(plan, name);
        char text[200];
        snprintf(text, sizeof text, "the program %.60s has no tensor '%.40s'", plan->name, name);
        if (own < 0)
            ts_layer_refuse(self, ts_yaml_key(map, i), text);
        else
            bind_tensor(self, &plan->tensors[own], ts_yaml_value(map, i));
    }
    if (!ts_layer_good(self))
        ts_fail(plan->yaml.error, TS_SETUP, "refused");
}

void ts_layer_step_free(struct ts_layer *self, struct ts_yaml_node list, bool again)
{
    for (size_t i = 0; list.node && ts_layer_good(self) && i < ts_yaml_count(list); i++) {
        struct ts_yaml_node node = ts_yaml_at(list, i);
        const int index = ts_layer_tensor(self, node);
        if (index < 0)
            return;
        struct ts_plan_tensor *t = &self->here->plan->tensors[index];
        struct ts_layer_tensor *state = &self->here->tensors[index];
        if (again && state->state == TS_LAYER_THERE)
            ts_yaml_error(node, "%s has a place already", t->name);
        else if (again)
            place(self, (uint32_t)index, node);
        else if (state->state != TS_LAYER_THERE)
            ts_yaml_error(node,
                          state->state == TS_LAYER_FREED ? "%s was freed in line %d"
                                                         : "%s has no place yet (line %d)",
                          t->name,
                          state->state == TS_LAYER_FREED ? state->line : ts_yaml_line(t->node));
        else {
            ts_space_give(&self->here->space, !t->dram, t->address);
            state->state = TS_LAYER_FREED;
            state->line = ts_yaml_line(node);
        }
    }
}
