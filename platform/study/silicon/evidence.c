// Twins, rows behind parameters, constants of harnesses (evidence.h).
#include "platform/study/silicon/evidence.h"

#define NUMBERS 16 // of a workload

const struct ts_silicon_harness ts_silicon_harness[] = {
#define TS_SILICON_HARNESS(family, name, value, unit, reason) {family, name, value, unit, reason},
#include "config/silicon_harness.def"
    {0},
};

// ---- twins

// A workload: its words with # for each number, and the numbers.
struct kind {
    char words[400];
    double numbers[NUMBERS];
    unsigned count;
};

// The length of a core's name at the start of a text; 0: there is none.
static size_t core_name(const char *text)
{
    static const char *const names[] = {"NCRISC", "BRISC", "TRISC0", "TRISC1", "TRISC2",
                                        "T0",     "T1",    "T2",     NULL};
    for (unsigned i = 0; names[i]; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(text, names[i], length) == 0 && !isalnum((unsigned char)text[length]))
            return length;
    }
    return 0;
}

static void split(struct kind *self, const struct ts_silicon_row *row)
{
    size_t used = (size_t)snprintf(self->words, sizeof self->words, "%s|", row->metric);
    bool inside = false; // a word
    self->count = 0;
    for (const char *at = row->workload; *at && used + 1 < sizeof self->words;) {
        size_t core = inside ? 0 : core_name(at);
        if (core) {
            self->words[used++] = '@';
            at += core;
        } else if (isdigit((unsigned char)*at) && self->count < NUMBERS) {
            char *end;
            self->numbers[self->count++] = strtod(at, &end);
            self->words[used++] = '#';
            at = end;
            inside = true;
        } else {
            inside = isalnum((unsigned char)*at) || *at == '_';
            self->words[used++] = *at++;
        }
    }
    self->words[used] = '\0';
}

static bool near(double a, double b)
{
    return fabs(a - b) <= TS_SILICON_TWIN * fabs(a);
}

// All figures agree.
static bool same(const struct ts_silicon_row *a, const struct ts_silicon_row *b)
{
    if (a->other_count != b->other_count || !near(a->measured, b->measured))
        return false;
    for (unsigned i = 0; i < a->other_count; i++)
        if (!near(a->others[i], b->others[i]))
            return false;
    return true;
}

// The one number in which three workloads differ; -1: there is no such number.
static int differing(const struct kind *a, const struct kind *b, const struct kind *c)
{
    int where = -1;
    for (unsigned i = 0; i < a->count; i++) {
        double x = a->numbers[i], y = b->numbers[i], z = c->numbers[i];
        bool equal = !(x < y || x > y || x < z || x > z);
        if (equal)
            continue;
        if (where >= 0)
            return -1;
        where = (int)i;
    }
    return where;
}

// Does the row lie on the line through two others?
static bool follows(const struct kind *const kinds[3], const struct ts_silicon_row *const rows[3])
{
    int at = differing(kinds[0], kinds[1], kinds[2]);
    if (at < 0 || rows[0]->other_count)
        return false;
    double x0 = kinds[0]->numbers[at], x1 = kinds[1]->numbers[at], x2 = kinds[2]->numbers[at];
    double slope = (rows[2]->measured - rows[1]->measured) / (x2 - x1);
    return isfinite(slope) && near(rows[0]->measured, rows[1]->measured + slope * (x0 - x1));
}

// The earlier row that predicts row `i`; NULL: none.
static const struct ts_silicon_row *predicts(const struct ts_silicon_result *results,
                                             const struct kind *kinds, size_t i)
{
    const struct ts_silicon_result *it = &results[i];
    for (size_t a = 0; a < i; a++) {
        if (results[a].family != it->family || results[a].twin ||
            strcmp(kinds[a].words, kinds[i].words) != 0)
            continue;
        if (same(it->row, results[a].row))
            return results[a].row;
        for (size_t b = 0; b < a; b++) {
            if (results[b].family != it->family || results[b].twin ||
                strcmp(kinds[b].words, kinds[i].words) != 0)
                continue;
            const struct kind *const three[3] = {&kinds[i], &kinds[a], &kinds[b]};
            const struct ts_silicon_row *const rows[3] = {it->row, results[a].row, results[b].row};
            if (follows(three, rows))
                return results[a].row;
        }
    }
    return NULL;
}

void ts_silicon_find_twins(struct ts_silicon_result *results, size_t count)
{
    struct kind *kinds = ts_need(calloc(count ? count : 1, sizeof *kinds), "the truth table");
    for (size_t i = 0; i < count; i++) {
        split(&kinds[i], results[i].row);
        results[i].twin = predicts(results, kinds, i);
    }
    free(kinds);
}

// ---- parameters

// The ids in a text, separated by blanks: a letter and four digits.
static void ids_of(const char *text, char *to, size_t size)
{
    *to = '\0';
    for (const char *at = text; *at; at++) {
        bool starts = isupper((unsigned char)*at) &&
                      (at == text || !isalnum((unsigned char)at[-1])) &&
                      !isalnum((unsigned char)at[1 + strspn(at + 1, "0123456789")]);
        if (starts && strspn(at + 1, "0123456789") == 4 && strlen(to) + 7 <= size)
            ts_append(to, size, "%s%.5s", *to ? " " : "", at);
    }
}

// Is a parameter set on rows, by its source?
static bool is_set_on_rows(const struct ts_param_group *group, size_t i,
                           struct ts_silicon_setting *to)
{
    if (group->names || group->values[i].kind == TS_DOCUMENTED || !group->values[i].source)
        return false;
    *to = (struct ts_silicon_setting){.group = group, .index = i};
    ids_of(group->values[i].source, to->rows, sizeof to->rows);
    return *to->rows != '\0';
}

size_t ts_silicon_settings(const struct ts_params *params, struct ts_silicon_setting *to,
                           size_t room)
{
    size_t count = 0;
    struct ts_silicon_setting one;
    for (size_t g = 0; g < params->count; g++)
        for (size_t i = 0; i < params->groups[g].count; i++)
            if (is_set_on_rows(&params->groups[g], i, &one) && count++ < room)
                to[count - 1] = one;
    return count;
}

void ts_silicon_set_on(const struct ts_params *params, const char *id, char *name, size_t size)
{
    char wanted[8];
    struct ts_silicon_setting one;
    snprintf(wanted, sizeof wanted, "%.5s", id);
    *name = '\0';
    for (size_t g = 0; g < params->count; g++)
        for (size_t i = 0; i < params->groups[g].count && *name == '\0'; i++)
            if (is_set_on_rows(&params->groups[g], i, &one) && strstr(one.rows, wanted))
                snprintf(name, size, "%s.%s", one.group->name, one.group->rows[i].key);
}

// ---- errors

struct ts_silicon_spread ts_silicon_spread(const struct ts_silicon_result *results, size_t count,
                                           const struct ts_silicon_family *family,
                                           const struct ts_params *params,
                                           enum ts_silicon_part part)
{
    struct ts_silicon_spread spread = {0};
    double *errors = ts_need(calloc(count ? count : 1, sizeof *errors), "the truth table");
    for (size_t i = 0; i < count; i++) {
        const struct ts_silicon_result *r = &results[i];
        char name[80] = "";
        if ((family && r->family != family) || r->failure.code != TS_OK || r->twin)
            continue;
        if (part == TS_SILICON_FREE)
            ts_silicon_set_on(params, r->row->id, name, sizeof name);
        if (*name == '\0')
            errors[spread.figures++] = fabs(r->error);
    }
    if (spread.figures)
        ts_silicon_order(errors, spread.figures, &spread.median, &spread.p90);
    free(errors);
    return spread;
}
