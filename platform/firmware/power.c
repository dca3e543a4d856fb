// Power as a ratio (power.h).
#include "platform/firmware/power.h"

#include "platform/base/json.h"
#include "platform/base/params.h"
#include "platform/base/yaml.h"

static const char *const units[] = {"matrix", "vector", "unpack", "pack",
                                    "cores",  "noc",    "dram",   NULL};

static void read_value(struct ts_power *self, struct ts_yaml_node map, const char *name,
                       double least, struct ts_power_value *to)
{
    struct ts_yaml_node node = ts_yaml_require(map, name);
    if (node.node == NULL)
        return;
    if (!ts_yaml_is_map(node)) {
        ts_yaml_error(node, "%s: {value, low, high, kind, source}", name);
        return;
    }
    ts_yaml_only(node, "value low high kind source", NULL);
    to->value = ts_yaml_real(ts_yaml_require(node, "value"), 0);
    to->low = ts_yaml_real(ts_yaml_require(node, "low"), 0);
    to->high = ts_yaml_real(ts_yaml_require(node, "high"), 0);
    struct ts_yaml_node kind = ts_yaml_require(node, "kind"),
                        source = ts_yaml_require(node, "source");
    snprintf(to->kind, sizeof to->kind, "%.11s", ts_yaml_text(kind, ""));
    if (ts_word_index("documented measured inferred assumed chosen", to->kind) < 0)
        ts_yaml_error(kind, "kind is documented, measured, inferred, assumed or chosen");
    if (ts_yaml_text(source, "")[0] == '\0')
        ts_yaml_error(node, "%s has no source", name);
    if (!(to->low >= least && to->low <= to->value && to->value <= to->high) || to->high > 1e6)
        ts_yaml_error(node, "%s: %g <= low <= value <= high does not hold", name, least);
    self->assumed |= strcmp(to->kind, "assumed") == 0;
}

bool ts_power_read(struct ts_power *self, const char *path, struct ts_error *error)
{
    char usual[PATH_MAX];
    struct ts_yaml yaml;
    memset(self, 0, sizeof *self);
    if (path == NULL)
        ts_config_path(usual, sizeof usual, "power.yaml");
    if (!ts_yaml_load(&yaml, path ? path : usual, error)) {
        ts_yaml_free(&yaml);
        return false;
    }
    struct ts_yaml_node root = ts_yaml_root(&yaml);
    if (!ts_yaml_is_map(root)) {
        ts_yaml_error(root, "a file of weights has the keys weights, idle, full_watts ...");
    } else {
        ts_yaml_only(root, "weights idle full_watts board_efficiency board_rest_watts", NULL);
        struct ts_yaml_node weights = ts_yaml_require(root, "weights");
        if (ts_yaml_is_map(weights))
            ts_yaml_only(weights, TS_POWER_UNITS, NULL);
        for (unsigned i = 0; ts_yaml_is_map(weights) && i < TS_POWER_UNIT_COUNT; i++)
            read_value(self, weights, units[i], 0, &self->weights[i]);
        read_value(self, root, "idle", 0, &self->idle);
        read_value(self, root, "full_watts", 1, &self->full_watts);
        read_value(self, root, "board_efficiency", 0.1, &self->board_efficiency);
        read_value(self, root, "board_rest_watts", 0, &self->board_rest_watts);
        if (error->code == TS_OK && self->weights[TS_POWER_MATRIX].low <= 0)
            ts_yaml_error(weights, "matrix: the unit of all ratios is above 0");
        if (error->code == TS_OK && self->board_efficiency.high > 1)
            ts_yaml_error(root, "board_efficiency is at most 1");
    }
    ts_yaml_free(&yaml);
    return error->code == TS_OK;
}

// Weight i of the file, or an end of its interval: bit i of `high`, or none with `ends` off.
static double ratio(const struct ts_power *self, const struct ts_card *card,
                    const struct ts_power_shares *shares, double mhz, bool ends, unsigned high)
{
    const double v = ts_firmware_voltage(card, mhz) / ts_firmware_voltage(card, TS_CLOCK_HIGH);
    double sum = 0, idle = 0, full = 0;
    for (unsigned i = 0; i <= TS_POWER_UNIT_COUNT; i++) {
        const struct ts_power_value *from = i < TS_POWER_UNIT_COUNT ? &self->weights[i]
                                                                    : &self->idle;
        const double weight = !ends ? from->value : high >> i & 1 ? from->high : from->low;
        if (i == TS_POWER_UNIT_COUNT)
            idle = weight;
        else
            sum += weight * shares->of[i];
        if (i == TS_POWER_MATRIX || i == TS_POWER_UNIT_COUNT)
            full += weight;
    }
    return v * v * (idle + mhz / TS_CLOCK_HIGH * sum) / full;
}

double ts_power_value(const struct ts_power *self, const struct ts_card *card,
                      const struct ts_power_shares *shares, double mhz)
{
    return ratio(self, card, shares, mhz, false, 0);
}

// The ratio is monotone in each weight: its extremes lie at corners of the intervals.
struct ts_power_ratio ts_power_of(const struct ts_power *self, const struct ts_card *card,
                                  const struct ts_power_shares *shares, double mhz)
{
    struct ts_power_ratio to = {.value = ratio(self, card, shares, mhz, false, 0)};
    to.low = to.high = to.value;
    for (unsigned corner = 0; corner < 1u << (TS_POWER_UNIT_COUNT + 1); corner++) {
        const double at = ratio(self, card, shares, mhz, true, corner);
        to.low = fmin(to.low, at);
        to.high = fmax(to.high, at);
    }
    return to;
}

const char *ts_power_watts(const struct ts_power *self, const struct ts_power_ratio *ratio,
                           char *text, size_t size)
{
    snprintf(text, size, "%.0f to %.0f W%s", floor(ratio->low * self->full_watts.low),
             ceil(ratio->high * self->full_watts.high), self->assumed ? " (assumed)" : "");
    return text;
}

void ts_power_json(const struct ts_power *self, const struct ts_power_ratio *ratio, double us,
                   json_t *document)
{
    char watts[80];
    json_object_set_new(document, "power", json_real(ratio->value));
    json_object_set_new(document, "energy", json_real(ratio->value * us));
    ts_json_put(document, "power_interval", "[f, f]", ratio->low, ratio->high);
    json_object_set_new(document, "power_watts",
                        json_string(ts_power_watts(self, ratio, watts, sizeof watts)));
    json_object_set_new(document, "power_kind",
                        json_string(self->assumed ? "ratio, weights assumed" : "ratio"));
}
