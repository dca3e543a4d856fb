// Calls of the text forms as instructions (read.h).
#include "platform/study/pipe/read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum ts_op ts_read_op(const char *mnemonic)
{
    int op = 0;
    while (op < TS_OP_STOP && strcmp(ts_op_name((enum ts_op)op), mnemonic) != 0)
        op++;
    return op < TS_OP_STOP ? (enum ts_op)op : TS_OP_COUNT;
}

const char *ts_read_nearest(const char *mnemonic)
{
    const char *names[TS_OP_COUNT + 1] = {0};
    for (int op = 0; op < TS_OP_STOP; op++)
        names[op] = ts_op_name((enum ts_op)op);
    return ts_nearest(mnemonic, names);
}

bool ts_call_add(struct ts_reader *self, struct ts_call *call, const char *text)
{
    if (call->items == TS_CALL_ITEMS)
        return ts_read_error(self, call->at, "too many operands for %s", ts_op_name(call->op));
    snprintf(call->item[call->items++], TS_CALL_TEXT, "%s", text);
    return true;
}

bool ts_call_option(struct ts_reader *self, struct ts_call *call, const char *key,
                    const char *value, const struct ts_token *at)
{
    static const char *const switches[] = {"alloc", "record", "wait", "free"};
    size_t used = strlen(call->options), room = sizeof call->options - used;
    if (strcmp(key, "split") == 0) {
        if (value == NULL)
            return ts_read_error(self, at, "split has no value");
        ts_read_lower(value, call->split, sizeof call->split);
        return true;
    }
    if (strcmp(key, "cast") == 0 && value) {
        const char *type = ts_read_dtype(value);
        if (type == NULL)
            return ts_read_error(self, at, "no such type: %s", value);
        value = type;
    }
    bool boxed = false; // an expression
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        boxed |= strcmp(switches[i], key) == 0;
    int length = snprintf(call->options + used, room,
                          value == NULL ? " %s"
                          : boxed       ? " %s=(%s)"
                                        : " %s=%s",
                          key, value);
    if ((size_t)length >= room)
        return ts_read_error(self, at, "too many options");
    return true;
}

// The name in front of an operand's index or offset.
static bool is_name(const char *text)
{
    return isalpha((unsigned char)*text) || *text == '_';
}

bool ts_call_text(struct ts_reader *self, const struct ts_call *call, char *to, size_t room)
{
    const char *pattern = ts_op_pattern(call->op);
    size_t used = (size_t)snprintf(to, room, "%s", ts_op_name(call->op));
    unsigned next = 0;
    bool tensor_free = call->op == TS_OP_TFREE && call->items;
    if (tensor_free)
        used += (size_t)snprintf(to + used, room - used, " %s", call->item[next++]);
    for (const char *p = pattern; *p && used < room; p++) {
        const char *text = NULL;
        bool expression = *p == 'e';
        if (*p == 'P')
            text = call->pipe;
        else if (*p == 'x')
            text = call->split[0] ? call->split : NULL;
        else if (next < call->items)
            text = call->item[next++];
        else
            return ts_read_error(self, call->at, "%s has too few operands", ts_op_name(call->op));
        if (*p == 'P' && !text[0])
            return ts_read_error(self, call->at, "%s names no pipe", ts_op_name(call->op));
        if (strchr("DABCT", *p) && !is_name(text))
            return ts_read_error(self, call->at, "%s: '%s' is no tile or tensor",
                                 ts_op_name(call->op), text);
        if (text)
            used += (size_t)snprintf(to + used, room - used, expression ? "%s(%s)" : "%s%s",
                                     p == pattern && !tensor_free ? " " : ", ", text);
    }
    if (next < call->items)
        return ts_read_error(self, call->at, "%s has too many operands", ts_op_name(call->op));
    used += (size_t)snprintf(to + used, room - used, "%s", call->options);
    return used < room || ts_read_error(self, call->at, "this is too long");
}

const char *ts_read_dtype(const char *name)
{
    static const char *const names[][4] = {
        {"fp32", "f32", "float", "float32_t"},  {"fp16", "f16", "half", "float16_t"},
        {"bf16", "bf16", "bfloat16_t", "bf16"}, {"int8", "i8", "int8_t", "s8"},
        {"int16", "i16", "int16_t", "s16"},     {"int32", "i32", "int32_t", "int"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < 4; k++)
            if (strcmp(names[i][k], name) == 0)
                return names[i][0];
    return NULL;
}

void ts_read_lower(const char *name, char *to, size_t room)
{
    const char *last = strrchr(name, ':');
    name = last ? last + 1 : name;
    while (*name == ' ')
        name++;
    if (strncmp(name, "DIR_", 4) == 0)
        name += 4;
    else if (strncmp(name, "TILE_", 5) == 0)
        name += 5;
    size_t length = strlen(name);
    if (length > 5 && strcmp(name + length - 5, "_FIFO") == 0)
        length -= 5;
    snprintf(to, room, "%.*s", (int)length, name);
    for (char *at = to; *at; at++)
        *at = (char)tolower((unsigned char)*at);
}

// --- types and attributes ---

bool ts_is_template(const struct ts_token *token)
{
    static const char *const names[] = {"Tile", "TPipe", "TMPipe", "GlobalTensor", "GlobalWindow"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ts_is(token, names[i]))
            return true;
    return false;
}

bool ts_read_type(struct ts_reader *self, struct ts_type *type)
{
    const bool pto = self->dialect == TS_TEXT_PTO;
    const struct ts_token *token = ts_next(self);
    *type = (struct ts_type){.at = token};
    if (pto && (token->kind != TS_TOKEN_NAME || *token->at != '!'))
        return ts_read_error(self, token, "expected a type, such as !pto.tile_buf<f32, 64, 64>");
    ts_word(token, type->name, sizeof type->name);
    if (pto && !ts_is(ts_peek(self, 0), "<"))
        return true;
    if (!ts_expect(self, "<") || !ts_deeper(self))
        return false;
    do {
        if (pto && (ts_accept(self, "...") || ts_accept(self, "?"))) {
            type->open = true;
            continue;
        }
        if (type->args == TS_TYPE_ARGS)
            return ts_read_error(self, ts_peek(self, 0), "too many arguments of %s", type->name);
        char *to = type->arg[type->args++];
        struct ts_type inner;
        if (pto ? *ts_peek(self, 0)->at == '!' : ts_is_template(ts_peek(self, 0))) {
            if (!ts_read_type(self, &inner))
                return false;
            size_t used = 0;
            for (unsigned i = 0; i < inner.args; i++)
                used += (size_t)snprintf(to + used, TS_CALL_TEXT - used, "%s%s", i ? "," : "",
                                         inner.arg[i]);
        } else if (!ts_read_text(self, ",>", false, to, TS_CALL_TEXT)) {
            return false;
        }
    } while (ts_accept(self, ","));
    self->depth--;
    return ts_expect(self, ">");
}

// One list, up to its closing sign.
static bool read_list(struct ts_reader *self, ts_read_attribute *with, void *context)
{
    const bool pto = self->dialect == TS_TEXT_PTO;
    const char *close = pto ? "}" : "]";
    while (!ts_accept(self, close)) {
        const struct ts_token *at = ts_next(self);
        char key[40], value[400];
        if (at->kind != TS_TOKEN_NAME)
            return ts_read_error(self, at, "expected the name of an attribute");
        ts_word(at, key, sizeof key);
        const bool has_value = ts_accept(self, pto ? "=" : "(");
        if (has_value && ts_peek(self, 0)->kind == TS_TOKEN_STRING)
            ts_word(ts_next(self), value, sizeof value);
        else if (has_value && !ts_read_text(self, pto ? ",}" : ")", false, value, sizeof value))
            return false;
        if ((has_value && !pto && !ts_expect(self, ")")) ||
            !with(self, context, key, has_value ? value : NULL, at))
            return false;
        if (!ts_is(ts_peek(self, 0), close) && !ts_expect(self, ","))
            return false;
    }
    return true;
}

bool ts_read_attributes(struct ts_reader *self, ts_read_attribute *with, void *context)
{
    if (self->dialect == TS_TEXT_PTO)
        return !ts_accept(self, "{") || read_list(self, with, context);
    while (ts_is(ts_peek(self, 0), "[") && ts_is(ts_peek(self, 1), "[")) {
        self->at += 2;
        if (!read_list(self, with, context) || !ts_expect(self, "]"))
            return false;
    }
    return true;
}

// --- what a type says, as keys ---

bool ts_doc_enough(struct ts_reader *self, const struct ts_type *type, unsigned least,
                   unsigned most)
{
    if (type->args >= least && type->args <= most)
        return true;
    return ts_read_error(self, type->at, "%s has %u arguments; it takes %u to %u", type->name,
                         type->args, least, most);
}

bool ts_doc_dtype(struct ts_reader *self, int map, const struct ts_type *type, unsigned arg)
{
    const char *name = ts_read_dtype(type->arg[arg]);
    if (name == NULL)
        return ts_read_error(self, type->at, "no such element type: %s", type->arg[arg]);
    ts_doc_set(self, map, "type", name, type->at);
    return true;
}

bool ts_doc_shape(struct ts_reader *self, int map, const struct ts_type *type, unsigned first)
{
    if (!ts_doc_enough(self, type, first + 3, first + 3))
        return false;
    ts_doc_set(self, map, "rows", type->arg[first + 1], type->at);
    ts_doc_set(self, map, "cols", type->arg[first + 2], type->at);
    return ts_doc_dtype(self, map, type, first);
}

// A TMPipe's producer or consumer tile: the arguments of its type. That of a control pipe is a variable.
static bool set_end(struct ts_reader *self, int map, const char *key, const char *text,
                    const struct ts_token *at)
{
    struct ts_type tile = {.at = at};
    char loc[20];
    for (const char *from = text; *from && tile.args < TS_TYPE_ARGS;) {
        const size_t length = strcspn(from, ",");
        snprintf(tile.arg[tile.args++], TS_CALL_TEXT, "%.*s", (int)length, from);
        from += length + (from[length] == ',');
    }
    ts_read_lower(tile.arg[0], loc, sizeof loc);
    if (strcmp(loc, "ctrl") == 0)
        return true;
    int end = ts_doc_map(self, at);
    ts_doc_set(self, end, "loc", loc, at);
    if (tile.args < 4)
        return ts_read_error(self, at, "TMPipe: '%s' is no tile type", text);
    tile.args = 4;
    if (!ts_doc_shape(self, end, &tile, 1))
        return false;
    ts_doc_put(self, map, key, end, at);
    return true;
}

bool ts_doc_pipe(struct ts_reader *self, int map, const struct ts_type *type, bool tm)
{
    static const char *const plain[] = {"flag",        "dir",      "slot_size", "slots",
                                        "local_slots", "no_split", "unit_flag"};
    static const char *const multi[] = {"flag", "fifo",      "depth",       "period", "prod",
                                        "cons", "unit_flag", "local_slots", "ratio"};
    if (!ts_doc_enough(self, type, tm ? 5 : 4, tm ? 9 : 7))
        return false;
    if (tm)
        ts_doc_set(self, map, "kind", "tmpipe", type->at);
    for (unsigned i = 0; i < type->args; i++) {
        char lower[40];
        const char *text = type->arg[i];
        if (tm && (i == 4 || i == 5) && (strchr(text, ',') || self->dialect == TS_TEXT_CPP)) {
            if (!set_end(self, map, multi[i], text, type->at))
                return false;
            continue;
        }
        if (i == 1 || i == 8) { // enumerated
            ts_read_lower(text, lower, sizeof lower);
            text = lower;
        }
        ts_doc_set(self, map, (tm ? multi : plain)[i], text, type->at);
    }
    return true;
}
