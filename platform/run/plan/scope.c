// Numbers by expression: what a program file calls its tensors, semaphores, cores and parameters.
#include "platform/run/plan/plan.h"

const struct ts_plan_cores *ts_plan_set_find(const struct ts_plan *self, const char *name)
{
    for (uint32_t i = 0; i < self->set_count; i++)
        if (strcmp(self->sets[i].name, name) == 0)
            return &self->sets[i];
    return NULL;
}

int ts_plan_tensor_find(const struct ts_plan *self, const char *name)
{
    for (uint32_t i = 0; i < self->tensor_count; i++)
        if (strcmp(self->tensors[i].name, name) == 0)
            return (int)i;
    return -1;
}

void ts_plan_source(const struct ts_plan *self, char *to, size_t size, const char *name)
{
    snprintf(to, size, "%s%s", name[0] == '/' ? "" : self->sources, name);
}

bool ts_plan_name(const struct ts_plan *self, struct ts_yaml_node node, char to[TS_PLAN_NAME])
{
    static const char own[] = "core cores core_x core_y core_noc_x core_noc_y row column chip";
    const char *text = ts_yaml_text(node, "");
    bool good = isalpha((unsigned char)text[0]) || text[0] == '_';
    for (const char *at = text; *at; at++)
        good &= isalnum((unsigned char)*at) || *at == '_';
    if (!good || strlen(text) >= TS_PLAN_NAME)
        return ts_yaml_refuse(node, "'%.60s' is not a name: letters, digits and _, at most %d",
                              text, TS_PLAN_NAME - 1);
    bool taken = ts_plan_tensor_find(self, text) >= 0 || ts_plan_set_find(self, text) != NULL;
    for (uint32_t i = 0; i < self->param_count; i++)
        taken |= strcmp(self->params[i].name, text) == 0;
    for (uint32_t i = 0; i < self->semaphore_count; i++)
        taken |= strcmp(self->semaphores[i].name, text) == 0;
    if (taken || ts_word_index(own, text) >= 0)
        return ts_yaml_refuse(
            node, "'%s' is %s", text,
            taken ? "the name of something else already"
                  : "what expressions call the chip, the core or the element they are for");
    snprintf(to, TS_PLAN_NAME, "%s", text);
    return true;
}

static double noc_x(const struct ts_plan *self, uint32_t x)
{
    return ts_soc_logical(&self->soc, (struct ts_noc_xy){self->raw_x[x], self->raw_y[0]}).x;
}

static double noc_y(const struct ts_plan *self, uint32_t y)
{
    return ts_soc_logical(&self->soc, (struct ts_noc_xy){self->raw_x[0], self->raw_y[y]}).y;
}

struct field {
    const char *name;
    double value;
};

static bool field_of(const struct field *fields, size_t count, const char *name, double *value)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, fields[i].name) == 0) {
            *value = fields[i].value;
            return true;
        }
    return false;
}

// tensor.tiles and the like.
static bool tensor_field(const struct ts_plan_tensor *t, const char *field, double *value)
{
    const struct field fields[] = {{"tiles", t->rows / 32.0 * (t->columns / 32.0)},
                                   {"tiles_down", t->rows / 32.0},
                                   {"tiles_across", t->columns / 32.0},
                                   {"rows", t->rows},
                                   {"columns", t->columns},
                                   {"pages", t->pages},
                                   {"page", t->page},
                                   {"stride", t->stride},
                                   {"address", t->address}};
    return field_of(fields, sizeof fields / sizeof *fields, field, value);
}

// cores.noc_x and the like: of the first core, of the last, and their number.
static bool set_field(const struct ts_plan *self, const struct ts_plan_cores *set,
                      const char *field, double *value)
{
    struct ts_plan_xy first = set->at[0], last = set->at[set->count ? set->count - 1 : 0];
    const struct field fields[] = {{"count", set->count},
                                   {"x", first.x},
                                   {"y", first.y},
                                   {"noc_x", noc_x(self, first.x)},
                                   {"noc_y", noc_y(self, first.y)},
                                   {"columns", set->count ? last.x - first.x + 1 : 0},
                                   {"rows", set->count ? last.y - first.y + 1 : 0},
                                   {"last_x", last.x},
                                   {"last_y", last.y},
                                   {"last_noc_x", noc_x(self, last.x)},
                                   {"last_noc_y", noc_y(self, last.y)}};
    return field_of(fields, sizeof fields / sizeof *fields, field, value);
}

// chip.columns and the like: the grid of compute cores, and the L1 that a program has on each.
static bool chip_field(const struct ts_plan *self, const char *field, double *value)
{
    const struct ts_system *system = self->system;
    const uint32_t count = system ? system->chips : 1;
    const uint32_t place = system ? ts_system_place(system, self->chip_id) : 0;
    const struct field fields[] = {
        {"columns", self->columns},
        {"rows", self->rows},
        {"l1", self->soc.machine->l1_bytes - TS_PROGRAM_FREE},
        {"id", self->chip_id},
        {"count", count},
        {"across", system ? system->columns : 1},
        {"eth_cores", self->soc.machine->eth_start[1] ? 2 : 1},
        {"place", place},
        {"next", system ? ts_system_at_place(system, place + 1) : 0},
        {"before", system ? ts_system_at_place(system, place + count - 1) : 0}};
    return field_of(fields, sizeof fields / sizeof *fields, field, value);
}

int ts_plan_format_code(const struct ts_plan *self, const char *name)
{
    return self->llk.on ? ts_datum_by_name(name) : ts_plan_format_by_name(name);
}

// format.tile, sub_block.rows and the like.
static bool param_field(const struct ts_plan *self, const struct ts_plan_param *param,
                        const char *field, double *value)
{
    const int code = param->word[0] ? ts_plan_format_code(self, param->word) : -1;
    const unsigned format = code < 0 ? 0 : (unsigned)code;
    const struct {
        const char *name;
        double value;
        bool there;
    } fields[] = {
        {"tile", self->llk.on ? ts_datum_tile_bytes(format) : ts_plan_format_tile_bytes(format),
         code >= 0},
        {"narrow", ts_format_is_fp16_class(format), code >= 0},
        {"blocks", ts_format_is_bfp(format), code >= 0},
        {"integer", self->llk.on ? ts_datum_integer(format) : ts_plan_format_integer(format),
         code >= 0},
        {"level", param->second, param->type == TS_PARAM_EVENTS},
        {"rows", strcmp(param->name, "grid") == 0 ? param->second : param->value,
         param->second > 0},
        {"columns", strcmp(param->name, "grid") == 0 ? param->value : param->second,
         param->second > 0},
        {"elements", param->value * param->second, param->second > 0}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].there && strcmp(field, fields[i].name) == 0) {
            *value = fields[i].value;
            return true;
        }
    return false;
}

static bool dotted(const struct ts_plan *self, const char *name, double *value)
{
    char first[TS_PLAN_NAME];
    const char *dot = strchr(name, '.');
    if (dot == NULL || (size_t)(dot - name) >= sizeof first)
        return false;
    snprintf(first, sizeof first, "%.*s", (int)(dot - name), name);
    for (uint32_t i = 0; i < self->param_count;
         i++) // also of an option whose default is made from this
        if (strcmp(dot + 1, "given") == 0 && strcmp(self->params[i].name, first) == 0) {
            *value = self->params[i].state == TS_PARAM_READ
                         ? self->params[i].given
                         : ts_plan_setting(self->options, first) != NULL;
            return true;
        }
    const struct ts_plan_param *param = ts_plan_param(self, first);
    int tensor = ts_plan_tensor_find(self, first);
    if (strcmp(first, "chip") == 0)
        return chip_field(self, dot + 1, value);
    if (param && param_field(self, param, dot + 1, value))
        return true;
    if (tensor >= 0)
        return tensor_field(&self->tensors[tensor], dot + 1, value);
    const struct ts_plan_cores *set = ts_plan_set_find(self, first);
    return set && set_field(self, set, dot + 1, value);
}

static bool of_core(const struct ts_plan_scope *scope, const char *name, double *value)
{
    if (scope->cores == NULL)
        return false;
    struct ts_plan_xy at = scope->cores->at[scope->index];
    const struct {
        const char *name;
        double value;
    } names[] = {{"core", scope->index},
                 {"cores", scope->cores->count},
                 {"core_x", at.x},
                 {"core_y", at.y},
                 {"core_noc_x", noc_x(scope->plan, at.x)},
                 {"core_noc_y", noc_y(scope->plan, at.y)}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i].name) == 0) {
            *value = names[i].value;
            return true;
        }
    return false;
}

bool ts_plan_known(const struct ts_plan *self, const char *name, double *number)
{
    const struct ts_plan_param *param = ts_plan_param(self, name);
    if (param && (!param->word[0] || param->choice)) {
        *number = param->value;
        return true;
    }
    return dotted(self, name, number);
}

// A word that an option chooses from: a format's code, or its place among the choices.
bool ts_plan_word_value(const struct ts_plan *self, const char *name, double *number)
{
    int found = self->llk.on ? ts_plan_format_code(self, name) : -1;
    for (uint32_t i = 0; i < self->param_count && found < 0 && self->llk.on; i++) {
        struct ts_yaml_node list = ts_plan_is_option(self->params[i].node)
                                       ? ts_yaml_find(self->params[i].node, "choose")
                                       : (struct ts_yaml_node){NULL, NULL};
        for (size_t k = 0; list.node && found < 0 && k < ts_yaml_count(list); k++)
            found = strcmp(ts_yaml_text(ts_yaml_at(list, k), ""), name) == 0 ? (int)k : -1;
    }
    *number = found;
    return found >= 0;
}

static bool number_of(void *context, const char *name, struct ts_value *value)
{
    const struct ts_plan_scope *scope = context;
    const struct ts_plan *self = scope->plan;
    double number;
    if (scope->turn && strcmp(name, "i") == 0)
        return ts_value_number(value, scope->turn - 1);
    if (of_core(scope, name, &number) || ts_plan_known(self, name, &number) ||
        ts_plan_eth_field(scope, name, &number))
        return ts_value_number(value, number);
    for (uint32_t i = 0; i < self->semaphore_count; i++)
        if (strcmp(self->semaphores[i].name, name) == 0)
            return ts_value_number(value, i);
    int tensor = ts_plan_tensor_find(self, name);
    if (tensor < 0 && ts_plan_word_value(self, name, &number))
        return ts_value_number(value, number);
    return tensor >= 0 && ts_value_number(value, self->tensors[tensor].address);
}

// The largest divisor of n that is at most `most`.
static double divisor(double n, double most)
{
    double found = n < 1 ? n : fmin(n, fmax(1, floor(most)));
    while (found > 1 && fmod(n, found) != 0)
        found--;
    return found;
}

// The largest power of 2 that divides n and is at most `most`.
static double power_of_two(double n, double most)
{
    double found = 1;
    while (n >= 1 && 2 * found <= most && fmod(n, 2 * found) == 0)
        found *= 2;
    return found;
}

// count(n), first(n): this core's share of n, the first n mod cores have one more; noc_x(x),
// noc_y(y) of a logical column or row; float(x), float(x, y): the bits of x or x / y in FP32;
// divisor(n, most), pow2(n, most).
static bool call(void *context, const char *name, const struct ts_value *arguments, unsigned count,
                 struct ts_value *value, char *why, size_t room)
{
    const struct ts_plan_scope *scope = context;
    const struct ts_plan *self = scope->plan;
    double n = count > 0 ? arguments[0].at[0] : 0;
    bool counts = strcmp(name, "count") == 0, first = strcmp(name, "first") == 0,
         powers = strcmp(name, "pow2") == 0, divides = powers || strcmp(name, "divisor") == 0;
    if (count != (divides ? 2 : 1) && !(count == 2 && strcmp(name, "float") == 0))
        return false;
    if ((counts || first || divides) && n != floor(n)) {
        snprintf(why, room, "%s(%g): not a whole number", name, n);
        return false;
    }
    if (divides)
        return ts_value_number(value, (powers ? power_of_two : divisor)(n, arguments[1].at[0]));
    if ((counts || first) && scope->cores != NULL) {
        double all = scope->cores->count, index = scope->index, each = floor(n / all),
               more = n - each * all;
        return ts_value_number(value, counts ? each + (index < more)
                                             : index * each + (index < more ? index : more));
    }
    if (strcmp(name, "float") == 0) {
        union {
            float value;
            uint32_t bits;
        } one = {(float)(count == 2 ? n / arguments[1].at[0] : n)};
        return ts_value_number(value, one.bits);
    }
    bool column = strcmp(name, "noc_x") == 0;
    if (!column && strcmp(name, "noc_y") != 0)
        return false;
    if (!(n >= 0 && n < (column ? self->columns : self->rows))) {
        snprintf(why, room, "%s(%g): the grid has %u", name, n,
                 column ? self->columns : self->rows);
        return false;
    }
    return ts_value_number(value, column ? noc_x(self, (uint32_t)n) : noc_y(self, (uint32_t)n));
}

bool ts_plan_real(const struct ts_plan_scope *scope, struct ts_yaml_node node, double *value)
{
    struct ts_plan_scope copy = *scope;
    const struct ts_eval_names names = {number_of, call, &copy, false};
    char why[200];
    const bool good = ts_eval_number(ts_yaml_text(node, ""), &names, value, why, sizeof why);
    if (!good)
        ts_yaml_error(node, "%s", why);
    return good;
}

bool ts_plan_number(const struct ts_plan_scope *scope, struct ts_yaml_node node, double low,
                    double high, double *value)
{
    struct ts_plan_scope copy = *scope;
    const struct ts_eval_names names = {number_of, call, &copy, true};
    char why[200];
    *value = low;
    if (!ts_yaml_is_scalar(node))
        return ts_yaml_refuse(node, "a number or an expression is expected here");
    if (!ts_eval_number(ts_yaml_text(node, ""), &names, value, why, sizeof why))
        return ts_yaml_refuse(node, "%s", why);
    if (*value >= low && *value <= high && *value == floor(*value))
        return true;
    ts_yaml_error(node, "%.15g is not a whole number from %.0f to %.0f", *value, low, high);
    *value = low;
    return false;
}

uint32_t ts_plan_word(const struct ts_plan_scope *scope, struct ts_yaml_node node)
{
    double value;
    ts_plan_number(scope, node, INT32_MIN, UINT32_MAX, &value);
    return value < 0 ? (uint32_t)(int32_t)value : (uint32_t)value;
}

uint32_t ts_plan_whole(struct ts_plan *self, struct ts_yaml_node node, double low, double high)
{
    double value;
    ts_plan_number(&(struct ts_plan_scope){.plan = self}, node, low, high, &value);
    return (uint32_t)value;
}
