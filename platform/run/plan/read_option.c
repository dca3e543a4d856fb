// Options of a program: parameters with a text, choices, a range, a letter; and the rules about them.
//
//   m: {value: 128, from: 16, to: 1048576, key: M, argument: N, text: rows}
//   op: {choose: [add, sub], text: operation}    tile: {choose: [32x32, 16x16]}    flag: {type: flag, text: ...}
//   require: [{that: m % 32 == 0, says: "m is {m}: not a multiple of 32"}]
#include "platform/run/plan/remedies.h"

bool ts_plan_is_option(struct ts_yaml_node node)
{
    return ts_yaml_is_map(node) &&
           (ts_yaml_find(node, "value").node || ts_yaml_find(node, "choose").node ||
            ts_yaml_find(node, "type").node);
}

// A value that was given is wrong: a mistake of the command, not of the file.
__attribute__((format(printf, 3, 4))) static void wrong(const struct ts_plan *self,
                                                        const struct ts_plan_param *param,
                                                        const char *format, ...)
{
    char text[400], name[TS_PLAN_NAME];
    TS_VSNPRINTF(text, sizeof text, format);
    snprintf(name, sizeof name, "%s", param->name);
    for (char *at = name; (at = strchr(at, '_')) != NULL;)
        *at = '-';
    ts_fail(self->yaml.error, TS_USAGE, "--%s: %s", name, text);
}

// "2x4": two numbers from 1 on.
static bool is_pair(const char *text, double *first, double *second)
{
    unsigned a, b;
    int end = 0;
    if (text[strspn(text, "0123456789x")] != '\0' || strlen(text) >= 12 ||
        sscanf(text, "%ux%u%n", &a, &b, &end) != 2 || text[end] != '\0' || a == 0 || b == 0)
        return false;
    *first = a;
    *second = b;
    return true;
}

// --- choices ---

// What a word is in expressions: a format's code, a number, two of them, or its place.
static double value_of(const struct ts_plan *self, const char *word, size_t place, double *second)
{
    const int format = ts_plan_format_code(self, word);
    double first;
    int64_t number;
    return format >= 0                     ? format
           : ts_parse_int(word, &number)   ? (double)number
           : is_pair(word, &first, second) ? first
                                           : (double)place;
}

static void choose(struct ts_plan_scope *scope, struct ts_yaml_node list, const char *set,
                   struct ts_plan_param *to)
{
    struct ts_plan *self = scope->plan;
    struct ts_yaml_node value = ts_yaml_find(to->node, "value");
    char all[300] = "";
    double wanted = NAN;
    bool formats = true;
    to->choice = true;
    if (set == NULL && value.node)
        ts_plan_number(scope, value, -1e15, 1e15, &wanted);
    for (size_t i = 0; i < ts_yaml_count(list); i++) {
        const char *word = ts_yaml_text(ts_yaml_at(list, i), "");
        double second = 0, number = value_of(self, word, i, &second);
        ts_append(all, sizeof all, "%s%s", all[0] ? " " : "", word);
        formats &= ts_plan_format_code(self, word) >= 0;
        if (set ? strcmp(set, word) != 0 : value.node ? number != wanted : i != 0)
            continue;
        snprintf(to->word, sizeof to->word, "%.23s", word);
        to->value = number;
        to->second = second;
    }
    // Other integers are known names: rules say what is not implemented.
    const int other = set && formats ? ts_plan_format_code(self, set) : formats ? (int)wanted : -1;
    if (to->word[0] == '\0' && other >= 0 && ts_datum_integer((unsigned)other)) {
        snprintf(to->word, sizeof to->word, "%.23s", ts_datum_name((unsigned)other));
        to->value = other;
    }
    if (to->word[0] == '\0' && set)
        wrong(self, to, "%s has no '%.80s'; choose from %s", self->name, set, all);
    else if (to->word[0] == '\0')
        ts_yaml_error(to->node, "%s: %g is none of %s", to->name, wanted, all);
}

// --- numbers ---

static void read_number(struct ts_plan_scope *scope, const char *set, struct ts_plan_param *to)
{
    struct ts_yaml_node value = ts_yaml_require(to->node, "value"),
                        from = ts_yaml_find(to->node, "from"), most = ts_yaml_find(to->node, "to");
    const double low = ts_yaml_real(from, -1e15), high = ts_yaml_real(most, 1e15);
    int64_t whole;
    char *end = NULL;
    to->fraction = to->type == TS_PARAM_REAL;
    if (set == NULL && to->fraction)
        to->value = ts_yaml_real(value, 0);
    else if (set == NULL)
        ts_plan_number(scope, value, -1e15, 1e15, &to->value);
    if (set == NULL)
        return;
    bool good = to->fraction ? (to->value = strtod(set, &end), end != set && *end == '\0')
                             : ts_parse_int(set, &whole);
    if (!to->fraction && good)
        to->value = (double)whole;
    if (!good || !(to->value >= low && to->value <= high))
        wrong(scope->plan, to, "'%.80s' is not a number from %.0f to %.0f", set, low, high);
}

static void read_pair(struct ts_plan_scope *scope, const char *set, struct ts_plan_param *to)
{
    struct ts_yaml_node value = ts_yaml_require(to->node, "value");
    if (set) {
        if (!is_pair(set, &to->value, &to->second))
            wrong(scope->plan, to, "'%.80s' is not %s, two numbers from 1 on", set,
                  ts_yaml_text(ts_yaml_find(to->node, "argument"), "NxN"));
        return;
    }
    ts_plan_number(scope, ts_yaml_at(value, 0), 0, 1e15, &to->value);
    ts_plan_number(scope, ts_yaml_at(value, 1), 0, 1e15, &to->second);
}

// CYCLE[:LEVEL], one or more of them; an option that is given again goes on with the list. `second`: a level
// below the highest that is asked for; -1: none, 9: several.
static void add_events(struct ts_plan *self, const char *set, struct ts_plan_param *to)
{
    char text[160];
    if (!ts_flips_add(self->flips, set, text, sizeof text))
        wrong(self, to, "%s", text);
    to->value = 0;
    to->second = -1;
    for (const struct ts_flip *flip = self->flips; flip->at != 0; flip++, to->value++)
        if (flip->level >= 0 && flip->level < TS_THROTTLE_MAX)
            to->second = to->second < 0 || to->second == flip->level ? flip->level : 9;
}

void ts_plan_option_read(struct ts_plan_scope *scope, struct ts_plan_param *to)
{
    static const char types[] = "whole real flag pair events";
    struct ts_plan *self = scope->plan;
    struct ts_yaml_node list = ts_yaml_find(to->node, "choose"),
                        type = ts_yaml_find(to->node, "type"),
                        value = ts_yaml_find(to->node, "value");
    const bool fraction = ts_yaml_is_scalar(value) && strpbrk(ts_yaml_text(value, ""), ".") &&
                          strspn(ts_yaml_text(value, ""), "0123456789.") ==
                              strlen(ts_yaml_text(value, ""));
    const int kind = ts_word_index(types, ts_yaml_text(type, fraction ? "real" : "whole"));
    ts_yaml_only(to->node, "value from to type choose key text argument environment", NULL);
    if (kind < 0)
        ts_yaml_error(type, "type is one of %s", types);
    to->type = kind < 0 ? TS_PARAM_WHOLE : (enum ts_plan_type)kind;
    to->text = ts_yaml_text(ts_yaml_find(to->node, "text"), NULL);
    const char *set = to->text ? ts_plan_setting(self->options, to->name) : NULL;
    to->given = set != NULL;
    if (list.node) {
        choose(scope, list, set, to);
    } else if (to->type == TS_PARAM_FLAG) {
        const int word = ts_word_index("0 1 false true", set && *set ? set : set ? "1" : "0");
        to->value = word >= 0 && word % 2;
        if (word < 0)
            wrong(self, to, "'%.80s' is not 0 or 1", set);
    } else if (to->type == TS_PARAM_PAIR) {
        read_pair(scope, set, to);
    } else if (to->type == TS_PARAM_EVENTS) {
        to->second = -1;
        for (size_t i = 0; i < self->options->param_count; i++)
            if ((set = ts_plan_sets(self->options->params[i], to->name)) != NULL &&
                self->yaml.error->code == TS_OK)
                add_events(self, set, to);
    } else {
        read_number(scope, set, to);
    }
}

void ts_plan_option_text(const struct ts_plan_param *param, char *text, size_t size)
{
    if (param->word[0])
        snprintf(text, size, "%s", param->word);
    else if (param->type == TS_PARAM_PAIR)
        snprintf(text, size, "%.0fx%.0f", param->value, param->second);
    else
        snprintf(text, size, "%.15g", param->value);
}

// --- rules ---

void ts_plan_say(struct ts_plan *self, const char *text, char *to, size_t size)
{
    size_t used = 0;
    for (const char *at = text; *at && used + 1 < size; at++) {
        const char *close = *at == '{' ? strchr(at, '}') : NULL;
        char name[2 * TS_PLAN_NAME], value[40];
        double number;
        if (close == NULL || (size_t)(close - at) >= sizeof name) {
            to[used++] = *at;
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)(close - at - 1), at + 1);
        const struct ts_plan_param *param = ts_plan_param(self, name);
        if (param)
            ts_plan_option_text(param, value, sizeof value);
        else
            snprintf(value, sizeof value, "%.15g", ts_plan_known(self, name, &number) ? number : 0);
        used += (size_t)snprintf(to + used, size - used, "%s", value);
        at = close;
    }
    to[used < size ? used : size - 1] = '\0';
}

struct ts_yaml_node ts_plan_broken(struct ts_plan *self, struct ts_yaml_node list)
{
    for (size_t i = 0; list.node && i < ts_yaml_count(list); i++) {
        struct ts_yaml_node rule = ts_yaml_at(list, i);
        ts_yaml_only(rule, "that says code", NULL);
        if (self->yaml.error->code == TS_OK && !ts_plan_flag(self, ts_yaml_require(rule, "that")) &&
            self->yaml.error->code == TS_OK)
            return rule;
    }
    return (struct ts_yaml_node){list.file, NULL};
}

struct ts_yaml_node ts_plan_case(struct ts_plan *self, struct ts_yaml_node node)
{
    if (!ts_yaml_is_list(node))
        return node;
    for (size_t i = 0; i < ts_yaml_count(node); i++) {
        struct ts_yaml_node one = ts_yaml_at(node, i);
        ts_yaml_only(one, "when is", NULL);
        if (ts_plan_when(self, one))
            return ts_yaml_require(one, "is");
    }
    return (struct ts_yaml_node){node.file, NULL};
}
