// The wait-for graph: who waits for whom, on what, when nothing moves any more.
//
// Its nodes are components. An edge means: one waits, for a reason, on an object, and another could
// end the wait. The explanation is the first cycle of edges or, if there is none, a chain that ends
// at a component that has finished, is idle, or is not known.
#pragma once

#include "platform/kernel/kernel.h"

#include <jansson.h>

struct ts_edge {
    const struct ts_component *from;
    const struct ts_component *to; // NULL: none could be named
    enum ts_stall reason;
    const struct ts_object *object;
};

struct ts_waitfor {
    ts_cycle cycle;
    bool is_cycle;         // else the explanation is a chain
    struct ts_edge *edges; // all of them; the explanation first, in order
    size_t count;
    size_t explanation; // edges that explain
    // Components that run, asleep or not; NULL: those that are awake.
    bool (*runs)(const struct ts_component *component, const void *context);
    const void *context;
};

// If there is no memory for it, the explanation or the edges are missing.
struct ts_waitfor ts_waitfor_new(const struct ts_kernel *kernel, ts_cycle cycle,
                                 bool (*runs)(const struct ts_component *component,
                                              const void *context),
                                 const void *context);
void ts_waitfor_free(struct ts_waitfor *self);
// For people: the explanation, then how many others wait.
void ts_waitfor_print(const struct ts_waitfor *self, FILE *file);
// {cycle, kind, nodes[], edges[]}; an edge is {from, to, reason, object}.
json_t *ts_waitfor_json(const struct ts_waitfor *self);
