#include "platform/run/chips.h"

#include "platform/run/plan/launch.h"
#include "platform/run/waits.h"
#include "platform/tile/names.h"

#include <stdlib.h>
#include <string.h>

#define BOUND   0.85 // a link or router that works so much sets the pace
#define PRINTED 8u   // links

static ts_cycle begin_of(const struct ts_work *work)
{
    return work->verdict.first;
}

static ts_cycle end_of(const struct ts_work *work)
{
    return work->verdict.first + work->verdict.window;
}

// The core of an Ethernet tile that works most of the window: it neither polls nor has ended.
static void look_at_router(struct ts_chips_link *to, const struct ts_tile *tile,
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
    const struct ts_chips_link *x = a, *y = b;
    if (x->busy != y->busy)
        return x->busy > y->busy ? -1 : 1;
    if (x->from->chip != y->from->chip)
        return x->from->chip < y->from->chip ? -1 : 1;
    return x->from->channel < y->from->channel ? -1 : 1;
}

static void look_at_links(struct ts_chips *self, struct ts_work *const *works, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < TS_CHIP_ETH; c++) {
            const struct ts_tile *tile = works[i]->chip.eth[c];
            if (tile == NULL || tile->eth->other == NULL || self->link_count == TS_CHIPS_LINKS)
                continue;
            struct ts_chips_link *to = &self->links[self->link_count++];
            *to = (struct ts_chips_link){
                .from = tile->eth,
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

static void find_bound(struct ts_chips *self, struct ts_work *const *works)
{
    const struct ts_chips_link *link = self->link_count ? &self->links[0] : NULL, *router = link;
    const struct ts_work *slowest = works[self->slowest];
    for (uint32_t i = 0; i < self->link_count; i++)
        if (self->links[i].router > router->router)
            router = &self->links[i];
    if (link && link->busy >= BOUND && link->busy >= router->router - 0.1) {
        self->bound_by = "link";
        snprintf(self->bound_object, sizeof self->bound_object, "%u/eth%u", link->from->chip,
                 link->from->channel);
        snprintf(self->bound, sizeof self->bound,
                 "bound by links: %u/eth%u to %u/eth%u is busy in %.1f %% of the cycles",
                 link->from->chip, link->from->channel, link->to->chip, link->to->channel,
                 100 * link->busy);
    } else if (router && router->router >= BOUND) {
        self->bound_by = "router";
        snprintf(self->bound_object, sizeof self->bound_object, "%s", router->core);
        snprintf(self->bound, sizeof self->bound,
                 "bound by routers: %s works in %.1f %% of the cycles, its link in %.1f %%",
                 router->core, 100 * router->router, 100 * router->busy);
    } else {
        self->bound_by = "chip";
        snprintf(self->bound_object, sizeof self->bound_object, "%u", self->slowest);
        snprintf(
            self->bound, sizeof self->bound,
            "bound by chip %u: %s; the busiest link works in %.1f %% of the cycles, the busiest "
            "router in %.1f %%",
            self->slowest, slowest->verdict.bound_object, link ? 100 * link->busy : 0.0,
            router ? 100 * router->router : 0.0);
    }
}

// Bandwidths as benchmarks of collectives have them: bytes of the tensor by time; and what each chip has to send at least, which
// is to be compared with its links.
static void measure(struct ts_chips *self, const struct ts_work *work)
{
    const struct ts_plan *plan = work->program->plan;
    self->seconds = (double)(self->last - self->first) / (1e6 * work->verdict.clock_mhz);
    if (self->seconds > 0) {
        self->algorithm = plan->bytes / self->seconds / 1e9;
        self->bus = plan->sent / self->seconds / 1e9;
    }
}

static bool is_checked(const struct ts_work *work)
{
    const struct ts_plan *plan = work->program->plan;
    bool checked = false;
    for (uint32_t i = 0; i < plan->tensor_count; i++)
        checked |= plan->tensors[i].checked;
    return checked;
}

static json_t *right(const struct ts_work *work)
{
    return is_checked(work) ? json_boolean(!ts_program_wrong(work->program)) : json_null();
}

struct ts_chips *ts_chips_new(struct ts_work *const *works, uint32_t count)
{
    struct ts_chips *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    self->first = TS_NEVER;
    for (uint32_t i = 0; i < count; i++) {
        if (begin_of(works[i]) < self->first)
            self->first = begin_of(works[i]);
        if (end_of(works[i]) > self->last) {
            self->last = end_of(works[i]);
            self->slowest = i;
        }
        self->checked += is_checked(works[i]);
        if (!ts_program_wrong(works[i]->program))
            continue;
        if (self->wrong++ == 0)
            self->first_wrong = i;
    }
    measure(self, works[0]);
    look_at_links(self, works, count);
    find_bound(self, works);
    return self;
}

// Is it right?
static void result_text(const struct ts_chips *self, struct ts_work *const *works, uint32_t count,
                        char *text, size_t size)
{
    if (self->wrong) {
        char wrong[300];
        ts_program_wrong_text(works[self->first_wrong]->program, wrong, sizeof wrong);
        snprintf(text, size, "WRONG on %u of them; chip %u: %s", self->wrong, self->first_wrong,
                 wrong);
    } else if (self->checked == count) {
        snprintf(text, size, "right on all of them");
    } else if (self->checked) {
        snprintf(text, size, "right on the %u of them that are checked", self->checked);
    } else {
        snprintf(text, size, "results are not checked");
    }
}

static void print_answer(const struct ts_chips *self, struct ts_work *const *works, uint32_t count,
                         FILE *file)
{
    const struct ts_plan *plan = works[0]->program->plan;
    char result[400];
    result_text(self, works, count, result, sizeof result);
    fprintf(file, "%s on the %u chips of %s: %s\n", plan->name, count, plan->system->name, result);
    fprintf(file, "  %llu cycles, %.2f us at %u MHz",
            (unsigned long long)(self->last - self->first), 1e6 * self->seconds,
            works[0]->verdict.clock_mhz);
    if (self->bus > 0)
        fprintf(file, "; %.2f GB/s, bus bandwidth %.2f GB/s (%.0f bytes on each chip)",
                self->algorithm, self->bus, plan->bytes);
    fprintf(file, "\n  %s\n", self->bound);
}

void ts_chips_print(const struct ts_chips *self, struct ts_work *const *works, uint32_t count,
                    FILE *file)
{
    print_answer(self, works, count, file);
    for (uint32_t i = 0; i < count; i++)
        fprintf(file, "  chip %-3u %12llu cycles, bound by %s%s\n", i,
                (unsigned long long)works[i]->verdict.window, works[i]->verdict.bound_object,
                ts_program_wrong(works[i]->program) ? "; its result is wrong" : "");
    for (uint32_t i = 0; i < self->link_count && i < PRINTED; i++) {
        const struct ts_chips_link *link = &self->links[i];
        fprintf(file,
                "  %u/eth%-2u to %u/eth%-2u %8.1f KiB, %5.2f GB/s: busy %5.1f %%, nothing to send "
                "%5.1f %%, down %.1f %%; router %s works %.1f %%\n",
                link->from->chip, link->from->channel, link->to->chip, link->to->channel,
                (double)link->bytes / 1024, (double)link->bytes / self->seconds / 1e9,
                100 * link->busy, 100 * link->idle, 100 * link->blocked, link->core,
                100 * link->router);
    }
    if (self->link_count > PRINTED)
        fprintf(file, "  ... %u directions of links in all, in --json\n", self->link_count);
    ts_waits_print(works, count, PRINTED, file);
}

void ts_chips_json(const struct ts_chips *self, struct ts_work *const *works, uint32_t count,
                   json_t *document)
{
    json_t *chips = json_array(), *links = json_array();
    char result[400];
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(chips,
                              json_pack("{s:i, s:I, s:I, s:s, s:o}", "chip", (int)i, "first",
                                        (json_int_t)begin_of(works[i]), "cycles",
                                        (json_int_t)works[i]->verdict.window, "bound_object",
                                        works[i]->verdict.bound_object, "right", right(works[i])));
    for (uint32_t i = 0; i < self->link_count; i++) {
        const struct ts_chips_link *link = &self->links[i];
        char from[24], to[24];
        snprintf(from, sizeof from, "%u/eth%u", link->from->chip, link->from->channel);
        snprintf(to, sizeof to, "%u/eth%u", link->to->chip, link->to->channel);
        json_array_append_new(links,
                              json_pack("{s:s, s:s, s:I, s:I, s:f, s:f, s:f, s:s, s:f}", "from",
                                        from, "to", to, "bytes", (json_int_t)link->bytes, "frames",
                                        (json_int_t)link->from->sent, "busy", link->busy, "idle",
                                        link->idle, "down", link->blocked, "router", link->core,
                                        "router_busy", link->router));
    }
    if (self->bus > 0)
        json_object_set_new(document, "collective",
                            json_pack("{s:f, s:f, s:f, s:f}", "bytes",
                                      works[0]->program->plan->bytes, "sent",
                                      works[0]->program->plan->sent, "algorithm_gb_per_s",
                                      self->algorithm, "bus_gb_per_s", self->bus));
    json_object_set_new(document, "waits", ts_waits_json(works, count));
    json_object_set_new(document, "chips", chips);
    json_object_set_new(document, "links", links);
    result_text(self, works, count, result, sizeof result);
    json_object_set_new(document, "system",
                        json_pack("{s:s, s:I, s:s}", "name", works[0]->program->plan->system->name,
                                  "cycles", (json_int_t)(self->last - self->first), "result",
                                  result));
    json_object_set_new(document, "system_bound",
                        json_pack("{s:s, s:s, s:s}", "by", self->bound_by, "object",
                                  self->bound_object, "text", self->bound));
}
