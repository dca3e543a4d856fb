// Parameters of a program file: numbers, formats, fidelities, choices; from the file or from the command line.
#include "platform/run/plan/remedies.h"

const char *ts_plan_sets(const char *setting, const char *name)
{
    for (; *name; setting++, name++)
        if (*setting != *name && !(*setting == '-' && *name == '_'))
            return NULL;
    return *setting == '=' ? setting + 1 : *setting == '\0' ? setting : NULL;
}

const char *ts_plan_setting(const struct ts_plan_options *options, const char *name)
{
    const char *found = NULL;
    for (size_t p = 0; p < options->param_count; p++) {
        const char *value = ts_plan_sets(options->params[p], name);
        found = value ? value : found;
    }
    return found;
}

// Formats and fidelities can be parameters too.
static bool is_word(const char *text)
{
    return ts_plan_format_by_name(text) >= 0 || ts_word_index(TS_PLAN_FIDELITIES, text) >= 0;
}

const char *ts_plan_chosen(const struct ts_plan *self, const char *name)
{
    const struct ts_plan_param *param = ts_plan_param(self, name);
    return param && param->word[0] ? param->word : NULL;
}

const char *ts_plan_choice(const struct ts_plan *self, struct ts_yaml_node node,
                           const char *otherwise)
{
    const char *text = ts_yaml_text(node, otherwise), *chosen = ts_plan_chosen(self, text);
    return chosen ? chosen : text;
}

bool ts_plan_flag(struct ts_plan *self, struct ts_yaml_node node)
{
    double value;
    if (node.node == NULL || ts_word_index("true false", ts_yaml_text(node, "")) >= 0)
        return ts_yaml_bool(node, false);
    return ts_plan_number(&(struct ts_plan_scope){.plan = self}, node, 0, 1, &value) && value != 0;
}

bool ts_plan_when(struct ts_plan *self, struct ts_yaml_node node)
{
    struct ts_yaml_node when = ts_yaml_find(node, "when");
    return when.node == NULL || ts_plan_flag(self, when);
}

// Formats have two names.
static bool is_same(const char *set, const char *word)
{
    int format = ts_plan_format_by_name(word);
    return strcmp(set, word) == 0 || (format >= 0 && format == ts_plan_format_by_name(set));
}

// A list: one of its words, by default the first. An entry {word: reason} says why there is no such choice.
static void read_choice(struct ts_yaml_node list, const char *set, struct ts_plan_param *to)
{
    char all[200] = "";
    const char *why = "";
    unsigned count = 0;
    to->choice = true;
    for (size_t i = 0; i < ts_yaml_count(list); i++) {
        struct ts_yaml_node entry = ts_yaml_at(list, i);
        bool refused = ts_yaml_is_map(entry) && ts_yaml_count(entry) == 1;
        const char *word = ts_yaml_text(refused ? ts_yaml_key(entry, 0) : entry, "");
        if (strlen(word) >= sizeof to->word || !isalpha((unsigned char)*word))
            ts_yaml_error(entry, "a choice is a word of at most %zu letters", sizeof to->word - 1);
        if (refused) {
            why = set && is_same(set, word) ? ts_yaml_text(ts_yaml_value(entry, 0), "") : why;
            continue;
        }
        ts_append(all, sizeof all, "%s%s", count ? " " : "", word);
        if (set ? is_same(set, word) : count == 0) {
            snprintf(to->word, sizeof to->word, "%.23s", word);
            to->value = count;
        }
        count++;
    }
    if (to->word[0] == '\0')
        ts_yaml_error(list, "--param %s=%.80s: %s%sthere are %s", to->name, set ? set : "", why,
                      why[0] ? "; " : "", all);
}

// A map of words to conditions: by default the first whose condition holds; one that is asked for is checked.
static void read_conditional(struct ts_plan_scope *scope, struct ts_yaml_node map, const char *set,
                             struct ts_plan_param *to)
{
    char good[200] = "";
    to->choice = true;
    for (size_t i = 0; i < ts_yaml_count(map); i++) {
        const char *word = ts_yaml_text(ts_yaml_key(map, i), "");
        double holds = 0;
        ts_plan_number(scope, ts_yaml_value(map, i), 0, 1, &holds);
        if (holds == 0)
            continue;
        ts_append(good, sizeof good, "%s%s", good[0] ? " " : "", word);
        if (to->word[0] == '\0' && (set == NULL || is_same(set, word))) {
            snprintf(to->word, sizeof to->word, "%.23s", word);
            to->value = (double)i;
        }
    }
    if (to->word[0] == '\0')
        ts_yaml_error(map, "--param %s=%.80s: with the other parameters there are %s", to->name,
                      set ? set : "", good[0] ? good : "none");
}

// 0.5 or 1e-5, not 3 and not an expression: the file says by it that the parameter is not a whole number.
static bool is_fraction(const char *text)
{
    char *end;
    strtod(text, &end);
    return end != text && *end == '\0' && strpbrk(text, ".eE") != NULL &&
           strpbrk(text, "xX") == NULL;
}

static void read_fraction(struct ts_yaml_node node, const char *text, struct ts_plan_param *to)
{
    char *end;
    to->fraction = true;
    to->value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(to->value))
        ts_yaml_error(node, "--param %s=%.80s: not a number", to->name, text);
}

// The value of a parameter, from the file or from the command line.
static void read_param(struct ts_plan_scope *scope, struct ts_yaml_node node, const char *set,
                       struct ts_plan_param *to)
{
    const char *text = ts_yaml_is_scalar(node) ? ts_yaml_text(node, "") : "";
    const char *same = ts_plan_chosen(scope->plan, text); // of another parameter
    text = same ? same : text;
    int64_t given;
    bool word = is_word(text);
    if (ts_yaml_is_list(node)) {
        read_choice(node, set, to);
        return;
    }
    if (ts_yaml_is_map(node)) {
        read_conditional(scope, node, set, to);
        return;
    }
    if (is_fraction(text)) {
        read_fraction(node, set ? set : text, to);
        return;
    }
    if (word)
        snprintf(to->word, sizeof to->word, "%.23s", set ? set : text);
    else if (set == NULL)
        ts_plan_number(scope, node, -1e15, 1e15, &to->value);
    else if (ts_parse_int(set, &given))
        to->value = (double)given;
    if (set && (word ? !is_word(set) : !ts_parse_int(set, &given)))
        ts_yaml_error(node, "--param %s=%.80s: not a %s", to->name, set,
                      word ? "format or fidelity" : "whole number");
}

// A size is a multiple of its step (`sizes:`).
static void check_size(const struct ts_plan *self, struct ts_yaml_node node,
                       const struct ts_plan_param *param)
{
    struct ts_yaml_node sizes = ts_yaml_find(ts_yaml_root((struct ts_yaml *)&self->yaml), "sizes");
    struct ts_yaml_node step = ts_yaml_is_map(sizes) ? ts_yaml_find(sizes, param->name) : sizes;
    if (sizes.node == NULL || step.node == NULL)
        return;
    int64_t of = ts_yaml_int(step, 1, 1 << 20, 1);
    if (param->value < 1 && of > 1)
        ts_yaml_error(node, "%s=%.15g: at least %lld", param->name, param->value, (long long)of);
    else if (fmod(param->value, (double)of) != 0)
        ts_yaml_error(node, "%s=%.15g is not a multiple of %lld", param->name, param->value,
                      (long long)of);
}

// Reads it, with the parameters that it needs.
static void resolve(struct ts_plan *self, struct ts_plan_param *param)
{
    struct ts_plan_scope scope = {.plan = self};
    const char *set = ts_plan_setting(self->options, param->name);
    if (param->state == TS_PARAM_READING)
        ts_yaml_error(param->node, "%s is made from itself", param->name);
    if (param->state != TS_PARAM_UNREAD)
        return;
    param->state = TS_PARAM_READING;
    if (ts_plan_is_option(param->node))
        ts_plan_option_read(&scope, param);
    else if (self->llk.on) // it follows from options
        read_param(&scope, param->node, NULL, param);
    else
        read_param(&scope, param->node, set, param);
    param->state = TS_PARAM_READ;
    check_size(self, param->node, param);
}

const struct ts_plan_param *ts_plan_param(const struct ts_plan *self, const char *name)
{
    for (uint32_t i = 0; i < self->param_count; i++)
        if (strcmp(self->params[i].name, name) == 0) {
            if (self->params[i].state != TS_PARAM_READ)
                resolve((struct ts_plan *)self, (struct ts_plan_param *)&self->params[i]);
            return &self->params[i];
        }
    return NULL;
}

void ts_plan_params_read(struct ts_plan *self, struct ts_yaml_node map)
{
    for (size_t i = 0; map.node && i < ts_yaml_count(map); i++) {
        struct ts_plan_param param = {.node = ts_yaml_value(map, i)};
        if (self->param_count == TS_PLAN_PARAMS ||
            !ts_plan_name(self, ts_yaml_key(map, i), param.name))
            return;
        self->params[self->param_count++] = param;
    }
    for (uint32_t i = 0; i < self->param_count; i++)
        resolve(self, &self->params[i]);
}

// llk/matmul: a low-level kernel by its folder's name.
static const char *llk_name(const struct ts_plan *self, char *name, size_t size)
{
    const char *folder = strstr(self->folder, "/llk/");
    snprintf(name, size, "%s", folder ? folder + 1 : self->name);
    if (folder)
        name[strlen(name) - 1] = '\0';
    return name;
}

void ts_plan_settings_check(struct ts_plan *self, const struct ts_plan_options *options)
{
    for (size_t p = 0; p < options->param_count; p++) {
        const char *set = options->params[p];
        bool known = (self->llk.lone && ts_plan_sets(set, "chip")) ||
                     (!self->llk.on && (ts_plan_sets(set, "cores") || ts_plan_sets(set, "chip") ||
                                        ts_plan_sets(set, "system") || ts_remedy_is(set)));
        char names[600] = "", name[80];
        for (uint32_t i = 0; i < self->param_count; i++) {
            const struct ts_plan_param *param = &self->params[i];
            if (param->text == NULL && self->llk.on)
                continue; // computed, not given
            known |= ts_plan_sets(set, param->name) != NULL;
            ts_append(names, sizeof names, "%s%s", names[0] ? " " : "", param->name);
        }
        for (uint32_t i = 0; i < self->tensor_count && !self->llk.on; i++)
            known |= ts_plan_sets(set, self->tensors[i].name) != NULL;
        if (!known && self->llk.on)
            ts_fail(self->yaml.error, TS_USAGE, "%s has no parameter '%.*s'; choose from %.400s",
                    llk_name(self, name, sizeof name), (int)strcspn(set, "="), set, names);
        else if (!known)
            ts_fail(self->yaml.error, TS_USAGE,
                    "--param %.80s: the file has no such parameter; choose from %.400s cores chip",
                    set, names);
    }
}
