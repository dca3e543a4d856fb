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
