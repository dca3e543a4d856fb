#include "platform/kernel/waitfor.h"

#include "platform/kernel/internal.h"

// The ends of a channel that could end a wait on it: those that push, or those that pop.
static bool ends_wait(const struct ts_port *port, enum ts_stall reason)
{
    switch (reason) {
    case TS_STALL_FIFO_EMPTY:
    case TS_STALL_SEMAPHORE_ZERO:
        return port->direction == TS_OUT;
    case TS_STALL_FIFO_FULL:
    case TS_STALL_SEMAPHORE_MAX:
        return port->direction == TS_IN;
    default:
        return false;
    }
}

// Writes the edges of a blocked component, at least one; returns their number. With edges NULL it
// only counts.
static size_t edges_of(const struct ts_component *c, struct ts_edge *edges)
{
    struct ts_wait wait = ts_waiting(c);
    size_t count = 0;
    struct ts_edge edge = {
        .from = c, .to = wait.holder, .reason = wait.reason, .object = wait.object};
    if (wait.holder == NULL && wait.object) {
        for (const struct ts_port *port = wait.object->ports; port; port = port->next_of_channel) {
            if (port->owner == c || !ends_wait(port, wait.reason))
                continue;
            edge.to = port->owner;
            if (edges)
                edges[count] = edge;
            count++;
        }
    }
    if (count == 0) {
        if (edges)
            edges[0] = edge;
        count = 1;
    }
    return count;
}

static bool runs(const struct ts_waitfor *self, const struct ts_component *c)
{
    return c->asleep == TS_AWAKE || c->asleep == TS_STALLED ||
           (self->runs && self->runs(c, self->context));
}

static size_t collect(const struct ts_waitfor *self, const struct ts_kernel *kernel,
                      struct ts_edge *edges)
{
    size_t count = 0;
    for (uint32_t i = 0; i < kernel->domain_count; i++)
        for (uint32_t j = 0; j < kernel->domains[i]->count; j++) {
            const struct ts_component *c = kernel->domains[i]->components[j];
            if (ts_is_blocked(c) && !runs(self, c))
                count += edges_of(c, edges ? edges + count : NULL);
        }
    return count;
}

// First edge of each component, by object id; count if it has none.
static size_t *first_edges(const struct ts_waitfor *self, const struct ts_kernel *kernel)
{
    size_t *first = malloc((kernel->object_count + 1) * sizeof *first);
    if (first == NULL)
        return NULL;
    for (uint32_t i = 0; i <= kernel->object_count; i++)
        first[i] = self->count;
    for (size_t i = self->count; i-- > 0;)
        first[self->edges[i].from->object.id] = i;
    return first;
}

enum { UNSEEN, ON_PATH, DONE };

// Depth-first from one component, without recursion; fills `path` with the edges of a cycle and
// returns its length, or 0.
static size_t find_cycle(const struct ts_waitfor *self, const size_t *first, unsigned char *state,
                         size_t *path, size_t *next, size_t from)
{
    size_t depth = 0;
    size_t edge = first[from];
    state[from] = ON_PATH;
    next[0] = edge;
    path[0] = edge;
    for (;;) {
        size_t at = next[depth];
        uint32_t owner = self->edges[path[depth]].from->object.id;
        if (at >= self->count || self->edges[at].from->object.id != owner) {
            state[owner] = DONE;
            if (depth-- == 0)
                return 0;
            next[depth]++;
            continue;
        }
        path[depth] = at;
        const struct ts_component *to = self->edges[at].to;
        uint32_t id = to ? to->object.id : 0;
        if (to == NULL || first[id] == self->count || state[id] == DONE) {
            next[depth]++;
            continue;
        }
        if (state[id] == ON_PATH) {
            size_t start = 0;
            while (self->edges[path[start]].from != to)
                start++;
            for (size_t i = start; i <= depth; i++)
                path[i - start] = path[i];
            return depth - start + 1;
        }
        state[id] = ON_PATH;
        depth++;
        path[depth] = next[depth] = first[id];
    }
}

// Follows first edges from the first waiter to a component that does not wait.
static size_t follow_chain(const struct ts_waitfor *self, const size_t *first, size_t *path)
{
    size_t length = 0;
    for (size_t edge = 0; edge < self->count && length <= self->count;) {
        path[length++] = edge;
        const struct ts_component *to = self->edges[edge].to;
        if (to == NULL)
            break;
        edge = first[to->object.id];
    }
    return length;
}

// Brings the edges of the explanation to the front, in order.
static void bring_forward(struct ts_waitfor *self, const size_t *path, size_t length)
{
    struct ts_edge *sorted = malloc((self->count + 1) * sizeof *sorted);
    bool *taken = calloc(self->count + 1, sizeof *taken);
    if (sorted == NULL || taken == NULL) { // in any order, and without explanation
        free(sorted);
        free(taken);
        return;
    }
    size_t next = 0;
    for (size_t i = 0; i < length; i++) {
        sorted[next++] = self->edges[path[i]];
        taken[path[i]] = true;
    }
    for (size_t i = 0; i < self->count; i++)
        if (!taken[i])
            sorted[next++] = self->edges[i];
    free(taken);
    free(self->edges);
    self->edges = sorted;
    self->explanation = length;
}

struct ts_waitfor ts_waitfor_new(const struct ts_kernel *kernel, ts_cycle cycle,
                                 bool (*running)(const struct ts_component *component,
                                                 const void *context),
                                 const void *context)
{
    struct ts_waitfor self = {.cycle = cycle, .runs = running, .context = context};
    self.count = collect(&self, kernel, NULL);
    self.edges = calloc(self.count + 1, sizeof *self.edges);
    size_t *path = calloc(2 * (self.count + 2), sizeof *path);
    unsigned char *state = calloc(kernel->object_count + 1, 1);
    if (self.edges == NULL)
        self.count = 0;
    else
        collect(&self, kernel, self.edges);
    size_t *first = first_edges(&self, kernel);
    if (self.edges == NULL || path == NULL || state == NULL || first == NULL) {
        free(first);
        free(state);
        free(path);
        return self;
    }
    size_t length = 0;
    for (size_t i = 0; i < self.count && length == 0; i++) {
        uint32_t id = self.edges[i].from->object.id;
        if (state[id] == UNSEEN)
            length = find_cycle(&self, first, state, path, path + self.count + 2, id);
    }
    self.is_cycle = length > 0;
    if (!self.is_cycle)
        length = follow_chain(&self, first, path);
    bring_forward(&self, path, length);
    free(first);
    free(state);
    free(path);
    return self;
}

void ts_waitfor_free(struct ts_waitfor *self)
{
    free(self->edges);
    *self = (struct ts_waitfor){0};
}

static const char *state_text(const struct ts_component *c)
{
    switch (c->asleep) {
    case TS_FINISHED:
        return "has finished";
    case TS_IDLE:
        return "is idle";
    case TS_BLOCKED:
    case TS_ALERT:
        return "waits too";
    case TS_AWAKE:
    case TS_STALLED:
        break;
    }
    return "still runs";
}

static void print_edge(const struct ts_edge *edge, FILE *file)
{
    fprintf(file, "  %s waits on ", ts_path(edge->from));
    if (edge->object)
        fprintf(file, "%s %s", ts_object_kind_name(edge->object->kind), edge->object->path);
    else
        fputs("something unnamed", file);
    fprintf(file, " (%s) since cycle %llu", ts_stall_name(edge->reason),
            (unsigned long long)ts_asleep_since(edge->from));
    if (edge->to)
        fprintf(file, "; %s could end it, but %s\n", ts_path(edge->to), state_text(edge->to));
    else
        fputs("; nobody could end it\n", file);
}

void ts_waitfor_print(const struct ts_waitfor *self, FILE *file)
{
    fprintf(file, "deadlock at cycle %llu: %s of %zu\n", (unsigned long long)self->cycle,
            self->is_cycle ? "a cycle" : "a chain", self->explanation);
    for (size_t i = 0; i < self->explanation; i++)
        print_edge(&self->edges[i], file);
    size_t others = 0;
    for (size_t i = self->explanation; i < self->count; i++)
        others += i == 0 || self->edges[i].from != self->edges[i - 1].from;
    if (others)
        fprintf(file, "  and %zu more wait%s\n", others, others == 1 ? "s" : "");
}

static json_t *node(const struct ts_waitfor *self, const struct ts_component *c)
{
    static const char *const states[] = {
        [TS_AWAKE] = "running", [TS_STALLED] = "running", [TS_BLOCKED] = "blocked",
        [TS_ALERT] = "blocked", [TS_IDLE] = "idle",       [TS_FINISHED] = "finished",
    };
    const bool awake = runs(self, c);
    json_t *row = json_pack("{s:s, s:s, s:s}", "name", ts_path(c), "kind", c->ops->kind, "state",
                            states[awake ? TS_AWAKE : c->asleep]);
    if (!awake)
        json_object_set_new(row, "since", json_integer((json_int_t)ts_asleep_since(c)));
    return row;
}

static void add_node(const struct ts_waitfor *self, json_t *nodes, json_t *seen,
                     const struct ts_component *c)
{
    if (c == NULL || json_object_get(seen, ts_path(c)))
        return;
    json_object_set_new(seen, ts_path(c), json_true());
    json_array_append_new(nodes, node(self, c));
}

json_t *ts_waitfor_json(const struct ts_waitfor *self)
{
    json_t *nodes = json_array(), *edges = json_array(), *seen = json_object();
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_edge *edge = &self->edges[i];
        add_node(self, nodes, seen, edge->from);
        add_node(self, nodes, seen, edge->to);
        json_t *row = json_pack("{s:s, s:s?, s:s, s:s?}", "from", ts_path(edge->from), "to",
                                edge->to ? ts_path(edge->to) : NULL, "reason",
                                ts_stall_name(edge->reason), "object",
                                edge->object ? edge->object->path : NULL);
        if (i < self->explanation)
            json_object_set_new(row, "explains", json_true());
        json_array_append_new(edges, row);
    }
    json_decref(seen);
    return json_pack("{s:I, s:s, s:o, s:o}", "cycle", (json_int_t)self->cycle, "kind",
                     self->is_cycle ? "cycle" : "chain", "nodes", nodes, "edges", edges);
}
