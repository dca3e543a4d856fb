// What the runs of --why say: texts and JSON (why.h).
#include "platform/base/json.h"
#include "platform/cli/why_list.h"
#include "platform/out/text.h"

#define LITTLE 0.5 // percent: not worth a line
#define FULL \
    0.9 // of the cycles: more requests under way bring nothing to a channel or link that works so much
#define ADVICES 5 // lines of advice

static const struct {
    const char *resource, *text;
} reliefs[] = {
#define TS_ADVICE_RELIEF(resource, text) {#resource, text},
#include "config/advice.def"
};

struct ts_why_point *ts_why_point_of(const struct ts_why_list *self, const char *resource,
                                     const char *suffix)
{
    char name[40];
    snprintf(name, sizeof name, "%s%s", resource, suffix);
    for (size_t i = 0; i < self->count; i++)
        if (self->points[i].resource && strcmp(self->points[i].resource, name) == 0 &&
            self->points[i].good)
            return (struct ts_why_point *)&self->points[i];
    return NULL;
}

// How the run is repeated.
static void option_text(const struct ts_why_point *point, char *text, size_t size)
{
    if (point->option && point->value == NULL)
        snprintf(text, size, "-p %s", point->setting);
    else if (point->option)
        snprintf(text, size, "--%s %s", point->option, point->value);
    else // data that nobody has waited for are wrong
        snprintf(text, size, "-D %s%s", point->setting,
                 strcmp(point->resource, "latency_hidden") == 0 ? " --timing-only" : "");
}

// Runs that gain or lose something, and the others. The largest loss now is named where it is another one.
static void add_runs(const struct ts_why_list *self, const char *largest, json_t *view)
{
    json_t *rows = json_array(), *same = json_array();
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_why_point *p = &self->points[i];
        char option[80];
        if (!p->resource)
            continue;
        option_text(p, option, sizeof option);
        if (!p->good || fabs(p->gain) < LITTLE)
            ts_json_add(same, "{s:s, s:b}", "resource", p->resource, "failed", (int)!p->good);
        else
            ts_json_add(rows, "{s:f, s:s, s:s, s:s, s:s?}", "change", -p->gain, "option", option,
                        "text", p->text, "limit", p->limit, "next",
                        p->gain > 0 && p->next && strcmp(p->next, largest) != 0 ? p->next : NULL);
    }
    ts_json_more(view, "{s:o, s:o}", "free", rows, "same", same);
}

// What a network costs by its latency, and by what it can move.
static void add_latency(const struct ts_why_list *self, json_t *view)
{
    static const char *const networks[][2] = {
        {"dram", "DRAM"}, {"noc", "NoC"}, {"eth", "Ethernet"}};
    json_t *rows = json_array();
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        const struct ts_why_point *all = ts_why_point_of(self, networks[i][0], ""),
                                  *latency = ts_why_point_of(self, networks[i][0], "_latency");
        if (all && latency && all->gain >= LITTLE)
            ts_json_add(rows, "{s:f, s:s, s:f, s:f}", "all", all->gain, "name", networks[i][1],
                        "latency", latency->gain, "bandwidth", all->gain - latency->gain);
    }
    json_object_set_new(view, "latency", rows);
}

// Is this what the verdict names? Transfers take their time in DRAM and on the NoC.
static bool is_bound(const struct ts_job_verdict *verdict, const char *resource)
{
    const char *object = verdict->bound_object;
    if (strcmp(resource, "noc") == 0 || strcmp(resource, "dram") == 0)
        return strstr(object, "NoC") || strstr(object, "DRAM");
    if (strcmp(resource, "eth") == 0)
        return strstr(object, "Ethernet") != NULL;
    if (strcmp(resource, "riscv") == 0)
        return strstr(object, "risc") || strstr(object, "RISC-V");
    return strstr(object, resource) != NULL;
}

// The account says where cycles go, a run what is gained: where they differ, both are said.
static void add_agreement(const struct ts_why_list *self, const struct ts_job_verdict *verdict,
                          json_t *view)
{
    const struct ts_why_point *most = NULL;
    for (size_t i = 0; i < self->count && most == NULL; i++)
        if (self->points[i].resource && self->points[i].good &&
            strstr(self->points[i].resource, "latency") == NULL)
            most = &self->points[i]; // they are sorted
    const bool several = strcmp(verdict->bound_by, "several") == 0,
               gains = most && most->gain >= LITTLE;
    ts_json_more(view, "{s:f, s:b, s:s, s:s?, s:f, s:b}", "little", LITTLE, "several", (int)several,
                 "pace", several && !gains ? "the order of the work" : verdict->bound_object,
                 "most", gains ? most->resource : NULL, "gain", gains ? most->gain : 0, "is_bound",
                 gains && is_bound(verdict, most->resource));
}

void ts_why_print(const struct ts_why_list *self, const struct ts_work *work)
{
    json_t *view = json_object();
    add_runs(self, work->loss && work->loss->count ? work->loss->lines[0].text : "", view);
    add_latency(self, view);
    add_agreement(self, &work->verdict, view);
    ts_text_print("why", view, true, stdout);
    json_decref(view);
}

// What advice on a run is worth: that of networks is about their bandwidth, so that latency does not count.
static double worth(const struct ts_why_list *self, const struct ts_why_point *point)
{
    const struct ts_why_point *latency = point->resource
                                             ? ts_why_point_of(self, point->resource, "_latency")
                                             : NULL;
    return point->gain - (latency ? latency->gain : 0);
}

// Would more requests under way find room?
static bool is_of_use(const struct ts_why_list *self, const struct ts_why_point *point)
{
    return strcmp(point->resource, "latency_hidden") != 0 || self->full == NULL ||
           self->full->share < FULL;
}

static const char *relief_of(const struct ts_why_list *self, const struct ts_why_point *point)
{
    if (point->resource && !is_of_use(self, point))
        return NULL;
    for (size_t i = 0; point->resource && i < sizeof reliefs / sizeof *reliefs; i++)
        if (strcmp(reliefs[i].resource, point->resource) == 0)
            return reliefs[i].text;
    return NULL;
}

static const char *advice_of(const struct ts_why_list *self, const struct ts_why_point *point)
{
    return point->resource ? relief_of(self, point) : point->text;
}

// Points are sorted: has a better one said the same?
static bool was_said(const struct ts_why_list *self, size_t index)
{
    const char *text = advice_of(self, &self->points[index]);
    for (size_t i = 0; i < index; i++) {
        const char *before = self->points[i].good ? advice_of(self, &self->points[i]) : NULL;
        if (before && strcmp(before, text) == 0)
            return true;
    }
    return false;
}

// Adds the advice to the document, and prints the first lines of it.
json_t *ts_why_advise(const struct ts_why_list *self, bool talk)
{
    json_t *advice = json_array(), *shown = json_array();
    int more = 0;
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_why_point *p = &self->points[i];
        const char *text = advice_of(self, p);
        char option[80];
        if (!p->good || worth(self, p) < LITTLE || text == NULL)
            continue;
        option_text(p, option, sizeof option);
        json_t *row = json_pack("{s:s, s:I, s:f, s:s, s:b, s:b}", "option", option, "cycles",
                                (json_int_t)p->cycles, "gain_percent", worth(self, p), "text", text,
                                "change", (int)(p->resource == NULL), "at_most", (int)p->at_most);
        json_array_append_new(advice, row);
        if (was_said(self, i))
            continue; // the best of its kind is enough
        if (json_array_size(shown) < ADVICES)
            json_array_append(shown, row);
        else
            more++;
    }
    json_t *view = json_pack("{s:o, s:i}", "shown", shown, "more", more);
    if (talk)
        ts_text_print("advice", view, true, stdout);
    json_decref(view);
    return advice;
}

json_t *ts_why_json(const struct ts_why_list *self)
{
    json_t *why = json_array();
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_why_point *p = &self->points[i];
        char option[80];
        option_text(p, option, sizeof option);
        if (p->resource && p->good)
            ts_json_add(why, "{s:s, s:I, s:f, s:s, s:s, s:s?}", "resource", p->resource, "cycles",
                        (json_int_t)p->cycles, "gain_percent", p->gain, "option", option, "text",
                        p->text, "next", p->next);
    }
    return why;
}
