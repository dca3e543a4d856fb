// Findings of checks; see checks.h.
//
// The same finding from several tiles is shown once, with their number. Suppressions: a line each,
//
//   KIND OBJECT PLACE   # reason
//
// KIND is the id of a finding, OBJECT a name of the program, PLACE "file.cpp:31" or "file.cpp"; * matches any text.
#include "platform/explain/checks.h"

#include "noc/dram.h"
#include "platform/base/input.h"
#include "platform/check/races.h"
#include "platform/explain/checks_parts.h"
#include "platform/explain/chip.h"
#include "platform/out/text.h"

#include <fnmatch.h>

#define RULES_MOST 256

struct look {
    struct ts_checks_places places;
    struct {
        char kind[40], object[64], place[96];
    } rules[RULES_MOST];
    unsigned rule_count;
    bool strict, ended;
    ts_cycle at;
};

// ---- suppressions

static bool read_rules(struct look *self, const char *path, struct ts_error *error)
{
    char line[400];
    FILE *file = ts_open_input(path, error);
    if (file == NULL)
        return ts_refuse(error, TS_SETUP, "%.300s: %s", path, strerror(errno));
    for (unsigned number = 1; error->code == TS_OK && fgets(line, sizeof line, file); number++) {
        char *reason = strchr(line, '#');
        if (line[strspn(line, " \t\n")] == '\0' || line[strspn(line, " \t")] == '#')
            continue;
        if (reason)
            *reason++ = '\0';
        if (self->rule_count == RULES_MOST)
            ts_fail(error, TS_SETUP, "%.300s:%u: more than %d suppressions", path, number,
                    RULES_MOST);
        else if (sscanf(line, "%39s %63s %95s", self->rules[self->rule_count].kind,
                        self->rules[self->rule_count].object,
                        self->rules[self->rule_count].place) != 3)
            ts_fail(error, TS_SETUP, "%.300s:%u: not KIND OBJECT PLACE # reason", path, number);
        else if (reason == NULL || reason[strspn(reason, " \t\n")] == '\0')
            ts_fail(error, TS_SETUP, "%.300s:%u: a suppression needs a reason: # ...", path,
                    number);
        else
            self->rule_count++;
    }
    fclose(file);
    return error->code == TS_OK;
}

static bool suppressed(const struct look *self, const json_t *row)
{
    for (unsigned i = 0; i < self->rule_count; i++) {
        bool place = strcmp(self->rules[i].place, "*") == 0;
        for (unsigned k = 0; k < 2 && !place; k++) {
            const char *line = ts_json_text(json_object_get(row, k ? "other" : "access"), "line");
            char file[110];
            snprintf(file, sizeof file, "%.*s", (int)strcspn(line, ":"), line);
            place = fnmatch(self->rules[i].place, line, 0) == 0 ||
                    fnmatch(self->rules[i].place, file, 0) == 0;
        }
        char object[120];
        snprintf(object, sizeof object, "*%s*", self->rules[i].object);
        if (place && fnmatch(self->rules[i].kind, ts_json_text(row, "kind"), 0) == 0 &&
            fnmatch(object, ts_json_text(row, "object"), 0) == 0)
            return true;
    }
    return false;
}

// ---- all of them

static json_t *finding_json(struct look *self, const struct ts_tile *tile, const char *channel,
                            const struct ts_check_finding *finding)
{
    const struct ts_finding_info *info = &ts_finding_info[finding->kind];
    char object[140], behind[64], text[400], at[24], harm[160];
    ts_checks_object(&self->places, tile, channel, finding, object, sizeof object);
    json_t *a = ts_checks_place(&self->places, &finding->place[0], finding->writes[0]);
    json_t *b = finding->alone
                    ? NULL
                    : ts_checks_place(&self->places, &finding->place[1], finding->writes[1]);
    ts_checks_behind(&self->places, tile, finding, behind, sizeof behind);
    ts_checks_fill(text, sizeof text, info->sentence, object, behind, a, finding->number);
    if (tile)
        ts_tile_place_name(tile, at, sizeof at);
    else
        snprintf(at, sizeof at, "%s", channel);
    json_t *row = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:s, s:o}", "check",
                            ts_check_info[info->check].id, "kind", info->id, "text", text, "tile",
                            at, "object", object, "address", (json_int_t)finding->address, "bytes",
                            (json_int_t)finding->length, "count", (json_int_t)finding->count,
                            "remedy", info->remedy, "access", a);
    if (b) {
        ts_checks_harm(harm, sizeof harm, a, b);
        json_object_set_new(row, "other", b);
        json_object_set_new(row, "harm", json_string(harm));
    }
    if (finding->weak)
        json_object_set_new(row, "weak", json_true());
    return row;
}

// A request that was not waited for: its place is the one to mend.
static bool is_request(const json_t *row)
{
    return strncmp(ts_json_text(json_object_get(row, "other"), "by"), "NoC", 3) == 0 &&
           strcmp(ts_json_text(row, "kind"), ts_finding_info[TS_FINDING_RACE_UNSYNCED].id) != 0;
}

// Do two rows say the same, of different tiles or of one request that was not waited for?
static bool alike(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"by", "line", "place"};
    bool same = strcmp(ts_json_text(a, "kind"), ts_json_text(b, "kind")) == 0 &&
                json_object_get(a, "weak") == json_object_get(b, "weak");
    for (unsigned k = is_request(a); same && k < 2; k++) {
        const json_t *x = json_object_get(a, k ? "other" : "access"),
                     *y = json_object_get(b, k ? "other" : "access");
        for (size_t i = 0; same && i < sizeof keys / sizeof *keys; i++)
            same = strcmp(ts_json_text(x, keys[i]), ts_json_text(y, keys[i])) == 0;
        const json_t *pc = json_object_get(x, "pc"), *other = json_object_get(y, "pc");
        same = same && (pc == other || json_equal(pc, other));
    }
    return same;
}

static void add(const struct look *self, struct ts_checks_result *result, json_t *row)
{
    size_t i;
    json_t *other;
    if (suppressed(self, row)) {
        result->suppressed++;
        json_decref(row);
        return;
    }
    json_array_foreach(result->list, i, other)
    {
        if (!alike(row, other))
            continue;
        const char *key = strcmp(ts_json_text(row, "tile"), ts_json_text(other, "tile")) == 0
                              ? "others"
                              : "tiles";
        json_int_t more = ts_json_integer(other, key);
        json_object_set_new(other, key, json_integer(more + 1));
        json_decref(row);
        return;
    }
    bool weak = json_is_true(json_object_get(row, "weak")) && !self->strict;
    *(weak ? &result->weak : &result->count) += 1;
    json_array_append_new(result->list, row);
}

// A race that names no missing call is often the echo of a mistake that another finding names.
static bool echoes(const struct ts_check_finding *finding)
{
    return finding->kind == TS_FINDING_RACE_UNSYNCED || finding->kind == TS_FINDING_RACE_DST;
}

// Named mistakes first, then by cycle: which comes first does not depend on who was faster.
static int in_order(const void *a, const void *b)
{
    const struct ts_check_finding *x = a, *y = b;
    return TS_COMPARE(echoes(x), echoes(y)) ?: TS_COMPARE(x->place[0].at, y->place[0].at)
                                              ?: TS_COMPARE(x->kind, y->kind)
                                              ?: TS_COMPARE(x->address, y->address);
}

// What the program has not finished when it ends.
static void end_of(const struct ts_tile *tile, ts_cycle at)
{
    uint8_t semaphores[TS_SEMAPHORES];
    int mutexes[8];
    for (unsigned i = 0; i < TS_SEMAPHORES; i++)
        semaphores[i] = tile->sync.semaphore[i].value;
    for (unsigned i = 0; i < 8; i++)
        mutexes[i] = i < TS_MUTEXES ? tile->sync.mutex[i].holder : -1;
    ts_pairs_end(
        tile->check,
        &(struct ts_pairs_end){.semaphores = semaphores, .mutexes = mutexes, .at = (uint32_t)at});
}

static void add_all(struct look *self, struct ts_checks_result *result,
                    const struct ts_check *check, const struct ts_tile *tile, const char *channel)
{
    if (check == NULL)
        return;
    if (tile && self->ended)
        end_of(tile, self->at);
    if (check->findings.count)
        qsort(check->findings.list, check->findings.count, sizeof *check->findings.list, in_order);
    for (size_t i = 0; i < check->findings.count; i++)
        if (ts_finding_info[check->findings.list[i].kind].check == TS_CHECK_RACE
                ? ts_races_stands(check, &check->findings.list[i])
                : ts_memory_stands(check, &check->findings.list[i]))
            add(self, result, finding_json(self, tile, channel, &check->findings.list[i]));
}

struct ts_checks_result ts_checks(const struct ts_kernel *kernel, const struct ts_checks_how *how,
                                  struct ts_error *error)
{
    struct ts_checks_result result = {0};
    struct look *self = calloc(1, sizeof *self);
    if (self == NULL || (how->suppress && !read_rules(self, how->suppress, error))) {
        ts_fail(error, TS_NO_MEMORY, "out of memory");
        free(self);
        return result;
    }
    self->places.kernel = kernel;
    self->strict = result.strict = how->strict;
    self->ended = how->ended;
    self->at = how->at;
    result.list = json_array();
    for (size_t i = 0; i < ts_kernel_domain_count(kernel); i++) {
        const struct ts_domain *domain = ts_kernel_domain(kernel, i);
        const struct ts_tile *tile = ts_hang_tile_of(domain);
        const struct ts_noc_niu *niu = tile || !domain->count
                                           ? NULL
                                           : ts_noc_niu_of(domain->components[0]);
        if (tile)
            add_all(self, &result, tile->check, tile, NULL);
        else if (niu && ts_dram_of(niu))
            add_all(self, &result, ts_dram_of(niu)->check, NULL, domain->object.path);
    }
    ts_checks_places_free(&self->places);
    free(self);
    return result;
}

void ts_checks_writer(const struct ts_kernel *kernel, const struct ts_check *check, bool dram,
                      uint64_t address, uint32_t length, char *text, size_t size)
{
    const struct ts_shadow *shadow = check ? &check->shadow[dram ? TS_OBJECT_DRAM : TS_OBJECT_L1]
                                           : NULL;
    const struct ts_touch *last = NULL;
    for (uint64_t at = address; shadow && shadow->pages && at < address + length && !last; at += 4)
        last = ts_shadow_writer(shadow, at, 4);
    if (last == NULL) {
        snprintf(text, size, "nobody has written this page");
        return;
    }
    struct ts_checks_places places = {.kernel = kernel};
    json_t *row = ts_checks_place(&places,
                                  &(struct ts_check_place){last->home, last->site, last->at}, true);
    const char *place = ts_json_text(row, "place");
    snprintf(text, size, "its page was last written by %s on tile %s, cycle %u%s%s",
             ts_json_text(row, "by"), ts_json_text(row, "tile"), last->at, place[0] ? " " : "",
             place);
    json_decref(row);
    ts_checks_places_free(&places);
}

void ts_checks_print(const struct ts_checks_result *self, FILE *file)
{
    json_t *rows = json_array(), *row;
    size_t i;
    json_array_foreach(self->list, i, row)
    {
        if (!self->strict && json_is_true(json_object_get(row, "weak")))
            continue;
        json_t *copy = json_copy(row);
        json_object_set(copy, "mend", json_object_get(row, is_request(row) ? "other" : "access"));
        json_array_append_new(rows, copy);
    }
    json_t *view = json_pack("{s:o, s:i, s:i, s:i}", "rows", rows, "count", (int)self->count,
                             "weak", (int)self->weak, "suppressed", (int)self->suppressed);
    ts_text_print("checks", view, true, file);
    json_decref(view);
}

void ts_checks_free(struct ts_checks_result *self)
{
    json_decref(self->list);
    self->list = NULL;
}
