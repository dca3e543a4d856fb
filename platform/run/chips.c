// A program on several chips: what each chip and each link did, and what bounds all of it (work.h).

#include "platform/base/json.h"
#include "platform/run/plan/launch.h"
#include "platform/tile/names.h"

#define BOUND 0.85 // a link or router that works so much sets the pace

#define LINKS (TS_SYSTEM_CHIPS * TS_CHIP_ETH)

// One direction of a link.
struct link {
    const struct ts_eth *from, *to;
    uint64_t bytes;
    double busy;          // share of the window in which frames leave
    double idle, blocked; // the rest: nothing to send; the link is down
    double router; // share in which the cores of the sending tile do not poll, the busier one
    char core[24]; // the busier core: "erisc0 of 0/eth2"
};

struct system {
    struct ts_work *const *works;
    uint32_t count;
    struct link links[LINKS]; // the busiest first
    uint32_t link_count;
};

static ts_cycle end_of(const struct ts_work *work)
{
    return work->verdict.first + work->verdict.window;
}

// The core of an Ethernet tile that works most of the window: it neither polls nor has ended.
static void look_at_router(struct link *to, const struct ts_tile *tile,
                           const struct ts_marks *marks)
{
    static const unsigned cores[] = {TS_RV_BRISC, TS_RV_NCRISC};
    const double window = ts_marks_cycles(marks) ? (double)ts_marks_cycles(marks) : 1;
    for (unsigned i = 0; i < 2; i++) {
        const struct ts_rv_core *core = &tile->cores[cores[i]];
        if (ts_rv_core_view(core).instructions == 0)
            continue;
        const struct ts_account account = ts_marks_account(marks, &core->component);
        const double rests = (double)(account.lost[TS_STALL_RV_POLL] + account.lost[TS_STALL_IDLE]);
        const double works = rests < window ? 1 - rests / window : 0;
        char place[32];
        if (to->core[0] && works <= to->router)
            continue;
        to->router = works;
        snprintf(to->core, sizeof to->core, "%s of %.12s", ts_tile_core_name(tile, cores[i]),
                 ts_tile_place_name(tile, place, sizeof place));
    }
}

static int by_busy(const void *a, const void *b)
{
    const struct link *x = a, *y = b;
    return TS_COMPARE(y->busy, x->busy) ?: TS_COMPARE(x->from->chip, y->from->chip)
                                          ?: TS_COMPARE(x->from->channel, y->from->channel);
}

static void look_at_links(struct system *self)
{
    struct ts_work *const *works = self->works;
    for (uint32_t i = 0; i < self->count; i++)
        for (uint32_t c = 0; c < TS_CHIP_ETH; c++) {
            const struct ts_tile *tile = works[i]->chip.eth[c];
            if (tile == NULL || tile->eth->other == NULL || self->link_count == LINKS)
                continue;
            struct link *to = &self->links[self->link_count++];
            *to = (struct link){.from = tile->eth,
                                .to = tile->eth->other,
                                .bytes = tile->eth->bytes_out,
                                .busy = ts_marks_busy(&works[i]->marks, &tile->eth->frames.object)};
            to->busy = to->busy < 1 ? to->busy : 1;
            to->blocked = tile->eth->up ? 0 : 1 - to->busy;
            to->idle = 1 - to->busy - to->blocked;
            look_at_router(to, tile, &works[i]->marks);
        }
    qsort(self->links, self->link_count, sizeof *self->links, by_busy);
}

static json_t *bound_of(const struct system *self, uint32_t slowest)
{
    const struct link *link = self->link_count ? &self->links[0] : NULL, *router = link;
    for (uint32_t i = 0; i < self->link_count; i++)
        if (self->links[i].router > router->router)
            router = &self->links[i];
    if (link && link->busy >= BOUND && link->busy >= router->router - 0.1)
        return json_pack(
            "{s:s, s:o, s:o}", "by", "link", "object",
            json_sprintf("%u/eth%u", link->from->chip, link->from->channel), "text",
            json_sprintf("bound by links: %u/eth%u to %u/eth%u is busy in %.1f %% of the cycles",
                         link->from->chip, link->from->channel, link->to->chip, link->to->channel,
                         100 * link->busy));
    if (router && router->router >= BOUND)
        return json_pack(
            "{s:s, s:s, s:o}", "by", "router", "object", router->core, "text",
            json_sprintf("bound by routers: %s works in %.1f %% of the cycles, its link in %.1f %%",
                         router->core, 100 * router->router, 100 * router->busy));
    return json_pack(
        "{s:s, s:o, s:o}", "by", "chip", "object", json_sprintf("%u", slowest), "text",
        json_sprintf("bound by chip %u: %s; the busiest link works in %.1f %% of the cycles, the "
                     "busiest router in %.1f %%",
                     slowest, self->works[slowest]->verdict.bound_object,
                     link ? 100 * link->busy : 0.0, router ? 100 * router->router : 0.0));
}

static bool is_checked(const struct ts_work *work)
{
    const struct ts_plan *plan = work->program->plan;
    bool checked = false;
    for (uint32_t i = 0; i < plan->tensor_count; i++)
        checked |= plan->tensors[i].checked;
    return checked;
}

// Is it right?
static json_t *result_of(const struct system *self)
{
    uint32_t checked = 0, wrong = 0, first = 0;
    char text[300];
    for (uint32_t i = self->count; i-- > 0;) {
        checked += is_checked(self->works[i]);
        if (ts_program_wrong(self->works[i]->program)) {
            wrong++;
            first = i;
        }
    }
    if (wrong) {
        ts_program_wrong_text(self->works[first]->program, text, sizeof text);
        return json_sprintf("WRONG on %u of them; chip %u: %s", wrong, first, text);
    }
    return checked == self->count ? json_string("right on all of them")
           : checked ? json_sprintf("right on the %u of them that are checked", checked)
                     : json_string("results are not checked");
}

// Returns the last end; *first: the first begin.
static ts_cycle add_chips(const struct system *self, json_t *document, ts_cycle *first,
                          uint32_t *slowest)
{
    json_t *chips = json_array();
    ts_cycle last = 0;
    *first = TS_NEVER;
    for (uint32_t i = 0; i < self->count; i++) {
        const struct ts_work *work = self->works[i];
        const struct ts_job_verdict *verdict = &work->verdict;
        *first = verdict->first < *first ? verdict->first : *first;
        if (end_of(work) > last) {
            last = end_of(work);
            *slowest = i;
        }
        ts_json_add(chips, "{s:i, s:I, s:I, s:s, s:o, s:b}", "chip", (int)i, "first",
                    (json_int_t)verdict->first, "cycles", (json_int_t)verdict->window,
                    "bound_object", verdict->bound_object, "right",
                    is_checked(work) ? json_boolean(!ts_program_wrong(work->program)) : json_null(),
                    "is_wrong", (int)ts_program_wrong(work->program));
    }
    json_object_set_new(document, "chips", chips);
    return last;
}

static json_t *links_json(const struct system *self)
{
    json_t *links = json_array();
    for (uint32_t i = 0; i < self->link_count; i++) {
        const struct link *link = &self->links[i];
        ts_json_add(links, "{s:o, s:o, s:I, s:I, s:f, s:f, s:f, s:s, s:f}", "from",
                    json_sprintf("%u/eth%u", link->from->chip, link->from->channel), "to",
                    json_sprintf("%u/eth%u", link->to->chip, link->to->channel), "bytes",
                    (json_int_t)link->bytes, "frames", (json_int_t)link->from->sent, "busy",
                    link->busy, "idle", link->idle, "down", link->blocked, "router", link->core,
                    "router_busy", link->router);
    }
    return links;
}

// Bandwidths as benchmarks of collectives have them: bytes of the tensor by time; and what each chip has to send at least, which
// is to be compared with its links.
bool ts_chips_json(struct ts_work *const *works, uint32_t count, json_t *document)
{
    struct system *self = calloc(1, sizeof *self);
    const struct ts_plan *plan = works[0]->program->plan;
    ts_cycle first;
    uint32_t slowest = 0;
    if (self == NULL)
        return false;
    self->works = works;
    self->count = count;
    look_at_links(self);
    const ts_cycle cycles = add_chips(self, document, &first, &slowest) - first;
    const double seconds = (double)cycles / (1e6 * works[0]->verdict.clock_mhz);
    if (seconds > 0 && plan->sent > 0)
        ts_json_put(document, "collective", "{s:f, s:f, s:f, s:f}", "bytes", plan->bytes, "sent",
                    plan->sent, "algorithm_gb_per_s", plan->bytes / seconds / 1e9, "bus_gb_per_s",
                    plan->sent / seconds / 1e9);
    ts_waits_json(works, count, document);
    json_object_set_new(document, "links", links_json(self));
    ts_json_put(document, "system", "{s:s, s:I, s:o}", "name", plan->system->name, "cycles",
                (json_int_t)cycles, "result", result_of(self));
    json_object_set_new(document, "system_bound", bound_of(self, slowest));
    json_t *what = json_object_get(document, "what");
    json_object_set_new(what, "chips", json_integer(count));
    json_object_set_new(what, "system_seconds", json_real(seconds));
    free(self);
    return true;
}
