// What could run instead of a program whose sizes are refused (`sizes:` of a program file).
//
// Sizes are first rounded to multiples of their steps. If that is refused too, one of them is lowered as little as possible; if
// no single one helps, all are halved until the program is accepted. "Accepted" is: the file is read and everything has its place.
#include "platform/run/plan/plan.h"

enum { SIZES = 8 };

struct search {
    const char *path;
    const struct ts_plan_options *options;
    uint32_t count;
    char name[SIZES][TS_PLAN_NAME];
    int64_t step[SIZES], value[SIZES];
};

// Names, steps and the values that were asked for. False: there is nothing to search.
static bool begin(struct search *self, struct ts_yaml_node root)
{
    struct ts_yaml_node sizes = ts_yaml_find(root, "sizes"), params = ts_yaml_find(root, "params");
    self->count = sizes.node && ts_yaml_is_map(sizes) ? (uint32_t)ts_yaml_count(sizes) : 0;
    if (self->count == 0 || self->count > SIZES || !params.node || !ts_yaml_is_map(params))
        return false;
    for (uint32_t i = 0; i < self->count; i++) {
        const char *name = ts_yaml_text(ts_yaml_key(sizes, i), ""),
                   *set = ts_plan_setting(self->options, name);
        struct ts_yaml_node given = ts_yaml_find(params, name);
        if (!given.node ||
            !ts_parse_int(ts_yaml_text(ts_yaml_value(sizes, i), ""), &self->step[i]) ||
            !ts_parse_int(set ? set : ts_yaml_text(given, ""), &self->value[i]) ||
            self->step[i] < 1)
            return false;
        snprintf(self->name[i], sizeof self->name[i], "%s", name);
    }
    return true;
}

static bool accepted(const struct search *self, const int64_t value[SIZES])
{
    char texts[SIZES][64];
    const char *settings[256];
    size_t count = self->options->param_count;
    if (count + self->count > sizeof settings / sizeof *settings)
        return false;
    if (count) // else there is no list
        memcpy(settings, self->options->params, count * sizeof *settings);
    for (uint32_t i = 0; i < self->count; i++) {
        snprintf(texts[i], sizeof texts[i], "%s=%lld", self->name[i], (long long)value[i]);
        settings[count++] = texts[i];
    }
    struct ts_plan_options options = *self->options;
    options.params = settings;
    options.param_count = count;
    return ts_plan_accepts(self->path, &options);
}

// The largest multiple of its step, up to what it is, with which size i is accepted; 0: none.
static int64_t lowered(const struct search *self, const int64_t value[SIZES], uint32_t i)
{
    int64_t tried[SIZES], low = 0, high = value[i] / self->step[i];
    memcpy(tried, value, sizeof tried);
    while (low < high) {
        int64_t middle = (low + high + 1) / 2;
        tried[i] = middle * self->step[i];
        if (accepted(self, tried))
            low = middle;
        else
            high = middle - 1;
    }
    return low * self->step[i];
}

static bool search(const struct search *self, int64_t value[SIZES])
{
    uint32_t best = self->count;
    int64_t to = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        int64_t steps = (value[i] + self->step[i] / 2) / self->step[i];
        value[i] = (steps < 1 ? 1 : steps) * self->step[i];
    }
    if (accepted(self, value))
        return true;
    for (uint32_t i = 0; i < self->count; i++) {
        int64_t found = lowered(self, value, i);
        if (found > 0 && (best == self->count ||
                          (double)found * (double)value[best] > (double)to * (double)value[i]))
            best = i, to = found;
    }
    if (best < self->count) {
        value[best] = to;
        return true;
    }
    for (unsigned turn = 0; turn < 20; turn++) {
        for (uint32_t i = 0; i < self->count; i++)
            value[i] = (value[i] / self->step[i] + 1) / 2 * self->step[i];
        if (accepted(self, value))
            return true;
    }
    return false;
}

void ts_plan_nearest(const char *path, struct ts_yaml_node root,
                     const struct ts_plan_options *options, struct ts_error *error)
{
    struct search self = {.path = path, .options = options};
    int64_t value[SIZES];
    if (!begin(&self, root))
        return;
    memcpy(value, self.value, sizeof value);
    if (!search(&self, value))
        return;
    ts_append(error->text, sizeof error->text, "; the nearest that can:");
    for (uint32_t i = 0; i < self.count; i++)
        ts_append(error->text, sizeof error->text, " %s=%lld", self.name[i], (long long)value[i]);
}
