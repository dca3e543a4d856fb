// Findings of checks; see checks.h.
//
// The same finding from several tiles is shown once, with their number. Suppressions: a line each,
//
//   KIND OBJECT PLACE   # reason
//
// KIND is the id of a finding, OBJECT a name of the program, PLACE "file.cpp:31" or "file.cpp"; * matches any text.
#include "platform/explain/checks.h"

#include "noc/dram.h"
#include "platform/check/races.h"
#include "platform/explain/chip.h"
#include "platform/kernel/domain.h"
#include "platform/load/symbols.h"
#include "units/files/format.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define RULES_MOST 256

// ---- who, where, what

struct look {
    const struct ts_kernel *kernel;
    struct {
        char kind[40], object[64], place[96];
    } rules[RULES_MOST];
    unsigned rule_count;
    bool strict, ended;
    ts_cycle at;
};

static const struct ts_tile *tile_at(const struct look *self, unsigned home)
{
    return home < ts_kernel_domain_count(self->kernel)
               ? ts_hang_tile_of(ts_kernel_domain(self->kernel, home))
               : NULL;
}

// "brisc", "unpack0 of T0", "NoC 0 for ncrisc".
static void who(const struct ts_check_site *site, char *text, size_t size)
{
    const char *core = site->core < TS_RV_CORES ? ts_rv_core_names[site->core] : "?";
    if (site->actor < TS_ACTOR_THREAD_FIRST) {
        snprintf(text, size, "%s", core);
    } else if (site->actor < TS_ACTOR_NOC_FIRST) {
        unsigned number = site->actor - TS_ACTOR_THREAD_FIRST;
        snprintf(text, size, "%s of T%u", ts_unit_name((enum ts_unit_id)(number % TS_ACTOR_UNITS)),
                 number / TS_ACTOR_UNITS);
    } else {
        snprintf(text, size, "NoC %u for %s",
                 (site->actor - TS_ACTOR_NOC_FIRST) / TS_ACTOR_NOC_EACH, core);
    }
}

// What the access does: by its site and, of a request, by whether it reads or writes here.
static const char *verb(const struct ts_check_site *site, bool writes)
{
    return site->how == TS_HOW_ATOMIC ? "changes" : writes ? "writes" : "reads";
}

static void object_text(const struct ts_tile *tile, const char *channel,
                        const struct ts_check_finding *finding, char *text, size_t size)
{
    static const char *const names[TS_OBJECTS] = {"L1",     "DRAM", "Dst block",   "Src bank",
                                                  "Config", "GPR",  "MOP register"};
    if (finding->object > TS_OBJECT_DRAM) {
        snprintf(text, size, "%s %llu", names[finding->object],
                 (unsigned long long)finding->address / 16);
        return;
    }
    int n = snprintf(text, size, "%s 0x%llx..0x%llx", names[finding->object],
                     (unsigned long long)finding->address,
                     (unsigned long long)finding->address + finding->length - 1);
    if (channel)
        snprintf(text + n, size - (size_t)n, " of %s", channel);
    for (unsigned i = 0; tile && i < tile->name_count; i++) {
        const struct ts_tile_name *name = &tile->names[i];
        if (name->dram == (finding->object == TS_OBJECT_DRAM) &&
            finding->address - name->address < name->length) {
            uint64_t in = finding->address - name->address;
            if (name->page)
                snprintf(text + n, size - (size_t)n, " (%s, page %llu)", name->text,
                         (unsigned long long)(in / name->page));
            else
                snprintf(text + n, size - (size_t)n, " (%s)", name->text);
            return;
        }
    }
}

// One access: who, tile, pc, line, cycle.
static json_t *place_json(const struct look *self, const struct ts_check_place *place, bool writes)
{
    static const struct ts_check_site nobody = {TS_SITE_NO_PC, TS_ACTOR_NOBODY, TS_ACTOR_NOBODY, 0,
                                                0};
    const struct ts_tile *tile = tile_at(self, place->home);
    const struct ts_check_site *site = tile && tile->check ? &tile->check->sites[place->site]
                                                           : &nobody;
    char by[48] = "?", at[16] = "?", where[220] = "", line[110] = "", source[TS_SOURCE] = "";
    if (site->actor != TS_ACTOR_NOBODY && place->site != TS_NO_SITE)
        who(site, by, sizeof by);
    if (tile)
        snprintf(at, sizeof at, "%u-%u", tile->x, tile->y);
    if (tile && site->pc != TS_SITE_NO_PC && site->core < TS_RV_CORES) {
        struct ts_frames frames = ts_symbols_find(tile, site->core, site->pc);
        ts_frames_text(&frames, where, sizeof where);
        ts_frames_line(&frames, line, sizeof line);
        ts_frames_source(&frames, source, sizeof source);
    }
    json_t *row = json_pack("{s:s, s:s, s:s, s:I}", "by", by, "does", verb(site, writes), "tile",
                            at, "cycle", (json_int_t)place->at);
    if (site->actor >= TS_ACTOR_THREAD_FIRST && site->actor < TS_ACTOR_NOC_FIRST &&
        ts_op_info[site->detail].name)
        json_object_set_new(row, "instruction", json_string(ts_op_info[site->detail].name));
    if (site->pc != TS_SITE_NO_PC)
        json_object_set_new(row, "pc", json_integer(site->pc));
    if (where[0])
        json_object_set_new(row, "place", json_string(where + 1));
    if (line[0])
        json_object_set_new(row, "line", json_string(line));
    if (source[0])
        json_object_set_new(row, "source", json_string(source));
    return row;
}

static const char *text_of(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

// A sentence of the table with its {...} filled in.
static void fill(char *text, size_t size, const char *sentence, const char *object, const json_t *a,
                 const json_t *b, uint64_t number)
{
    size_t n = 0;
    for (const char *c = sentence; *c && n + 1 < size;) {
        char part[160] = {*c, '\0'};
        size_t skip = 1;
        if (strncmp(c, "{object}", 8) == 0) {
            snprintf(part, sizeof part, "%s", object);
            skip = 8;
        } else if (strncmp(c, "{n}", 3) == 0) {
            snprintf(part, sizeof part, "%llu", (unsigned long long)number);
            skip = 3;
        } else if (strncmp(c, "{who}", 5) == 0) {
            snprintf(part, sizeof part, "%s", text_of(a, "by"));
            skip = 5;
        } else if (strncmp(c, "{is}", 4) == 0 || strncmp(c, "{as}", 4) == 0) {
            snprintf(part, sizeof part, "%s",
                     ts_format_name((unsigned)(number >> (c[1] == 'i' ? 8 : 0) & 15)));
            skip = 4;
        } else if (strncmp(c, "{a}", 3) == 0 || strncmp(c, "{b}", 3) == 0) {
            const json_t *who_does = c[1] == 'a' ? a : b;
            snprintf(part, sizeof part, "%s %s", text_of(who_does, "by"),
                     text_of(who_does, "does"));
            skip = 3;
        }
        n += (size_t)snprintf(text + n, size - n, "%s", part);
        c += skip;
    }
}

// ---- suppressions

static bool read_rules(struct look *self, const char *path, struct ts_error *error)
{
    char line[400];
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        ts_fail(error, TS_SETUP, "%.300s: %s", path, strerror(errno));
        return false;
    }
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
            const char *line = text_of(json_object_get(row, k ? "other" : "access"), "line");
            char file[110];
            snprintf(file, sizeof file, "%.*s", (int)strcspn(line, ":"), line);
            place = fnmatch(self->rules[i].place, line, 0) == 0 ||
                    fnmatch(self->rules[i].place, file, 0) == 0;
        }
        char object[120];
        snprintf(object, sizeof object, "*%s*", self->rules[i].object);
        if (place && fnmatch(self->rules[i].kind, text_of(row, "kind"), 0) == 0 &&
            fnmatch(object, text_of(row, "object"), 0) == 0)
            return true;
    }
    return false;
}

// ---- all of them

static json_t *finding_json(const struct look *self, const struct ts_tile *tile,
                            const char *channel, const struct ts_check_finding *finding)
{
    const struct ts_finding_info *info = &ts_finding_info[finding->kind];
    char object[140], text[400], at[24];
    object_text(tile, channel, finding, object, sizeof object);
    json_t *a = place_json(self, &finding->place[0], finding->writes[0]);
    json_t *b = finding->alone ? NULL : place_json(self, &finding->place[1], finding->writes[1]);
    fill(text, sizeof text, info->sentence, object, a, b, finding->number);
    if (tile)
        snprintf(at, sizeof at, "%u-%u", tile->x, tile->y);
    else
        snprintf(at, sizeof at, "%s", channel);
    json_t *row = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:s, s:o}", "check",
                            ts_check_info[info->check].id, "kind", info->id, "text", text, "tile",
                            at, "object", object, "address", (json_int_t)finding->address, "bytes",
                            (json_int_t)finding->length, "count", (json_int_t)finding->count,
                            "remedy", info->remedy, "access", a);
    if (b)
        json_object_set_new(row, "other", b);
    if (finding->weak)
        json_object_set_new(row, "weak", json_true());
    return row;
}

// A request that was not waited for: its place is the one to mend.
static bool is_request(const json_t *row)
{
    return strncmp(text_of(json_object_get(row, "other"), "by"), "NoC", 3) == 0 &&
           strcmp(text_of(row, "kind"), ts_finding_info[TS_FINDING_RACE_UNSYNCED].id) != 0;
}

// Do two rows say the same, of different tiles or of one request that was not waited for?
static bool alike(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"by", "line", "place"};
    bool same = strcmp(text_of(a, "kind"), text_of(b, "kind")) == 0 &&
                json_object_get(a, "weak") == json_object_get(b, "weak");
    for (unsigned k = is_request(a); same && k < 2; k++) {
        const json_t *x = json_object_get(a, k ? "other" : "access"),
                     *y = json_object_get(b, k ? "other" : "access");
        for (size_t i = 0; same && i < sizeof keys / sizeof *keys; i++)
            same = strcmp(text_of(x, keys[i]), text_of(y, keys[i])) == 0;
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
        const char *key = strcmp(text_of(row, "tile"), text_of(other, "tile")) == 0 ? "others"
                                                                                    : "tiles";
        json_int_t more = json_integer_value(json_object_get(other, key));
        json_object_set_new(other, key, json_integer(more + 1));
        json_decref(row);
        return;
    }
    bool weak = json_is_true(json_object_get(row, "weak")) && !self->strict;
    *(weak ? &result->weak : &result->count) += 1;
    json_array_append_new(result->list, row);
}

static int by_cycle(const void *a, const void *b)
{
    const struct ts_check_finding *x = a, *y = b;
    if (x->place[0].at != y->place[0].at)
        return x->place[0].at < y->place[0].at ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
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

static void add_all(const struct look *self, struct ts_checks_result *result,
                    const struct ts_check *check, const struct ts_tile *tile, const char *channel)
{
    if (check == NULL)
        return;
    if (tile && self->ended)
        end_of(tile, self->at);
    qsort(check->findings.list, check->findings.count, sizeof *check->findings.list, by_cycle);
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
    self->kernel = kernel;
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
    struct look *self = calloc(1, sizeof *self);
    if (self == NULL)
        return;
    self->kernel = kernel;
    json_t *row = place_json(self, &(struct ts_check_place){last->home, last->site, last->at},
                             true);
    const char *place = text_of(row, "place");
    snprintf(text, size, "its page was last written by %s on tile %s, cycle %u%s%s",
             text_of(row, "by"), text_of(row, "tile"), last->at, place[0] ? " " : "", place);
    json_decref(row);
    free(self);
}

static void print_access(const json_t *row, const char *what, FILE *file)
{
    const char *place = text_of(row, "place"), *op = text_of(row, "instruction");
    fprintf(file, "  %s: %s%s%s on tile %s, cycle %lld", what, text_of(row, "by"), op[0] ? " " : "",
            op, text_of(row, "tile"), (long long)json_integer_value(json_object_get(row, "cycle")));
    if (json_object_get(row, "pc"))
        fprintf(file, ", pc 0x%llx",
                (unsigned long long)json_integer_value(json_object_get(row, "pc")));
    fprintf(file, "%s%s\n", place[0] ? " " : "", place);
}

static void print_number(const json_t *row, const char *key, json_int_t above, const char *format,
                         FILE *file)
{
    json_int_t number = json_integer_value(json_object_get(row, key));
    if (number > above)
        fprintf(file, format, (long long)number);
}

void ts_checks_print(const struct ts_checks_result *self, FILE *file)
{
    size_t i;
    json_t *row;
    json_array_foreach(self->list, i, row)
    {
        const json_t *access = json_object_get(row, "access"),
                     *other = json_object_get(row, "other");
        const bool weak = json_is_true(json_object_get(row, "weak"));
        const char *line = text_of(is_request(row) ? other : access, "line");
        if (weak && !self->strict)
            continue;
        fprintf(file, "%s: warning: %s [%s%s]\n", line[0] ? line : text_of(row, "tile"),
                text_of(row, "text"), text_of(row, "kind"), weak ? ", weak" : "");
        if (strcmp(text_of(access, "by"), "?") != 0)
            print_access(access, "access", file);
        if (other)
            print_access(other, text_of(other, "does"), file);
        fprintf(file, "  remedy: %s\n", text_of(row, "remedy"));
        print_number(row, "count", 1, "  seen %lld times\n", file);
        print_number(row, "others", 0, "  %lld more accesses of the same kind\n", file);
        print_number(row, "tiles", 0, "  %lld more on other tiles\n", file);
    }
    if (self->count + self->weak + self->suppressed)
        fprintf(file, "tensim: %u finding%s", self->count, self->count == 1 ? "" : "s");
    if (self->weak)
        fprintf(file,
                "; %u weak race%s (an order exists that no document promises: "
                "--check=race:strict shows them)",
                self->weak, self->weak == 1 ? "" : "s");
    if (self->suppressed)
        fprintf(file, "; %u suppressed", self->suppressed);
    if (self->count + self->weak + self->suppressed)
        fputc('\n', file);
}

void ts_checks_free(struct ts_checks_result *self)
{
    json_decref(self->list);
    self->list = NULL;
}
