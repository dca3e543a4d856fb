// Types, attributes and calls of the text forms (read.h).
#include "platform/study/pipe/read.h"

// --- types ---

bool ts_is_type(const struct ts_reader *self, const struct ts_token *token)
{
    if (self->dialect == TS_TEXT_PTO)
        return token->kind == TS_TOKEN_NAME && *token->at == '!';
    return ts_is(token, "Tile") || ts_is(token, "TPipe") || ts_is(token, "TMPipe") ||
           ts_is(token, "GlobalTensor") || ts_is(token, "GlobalWindow");
}

bool ts_read_type(struct ts_reader *self, struct ts_type *type)
{
    bool pto = self->dialect == TS_TEXT_PTO;
    *type = (struct ts_type){.at = ts_next(self)};
    if (!ts_is_type(self, type->at))
        return ts_read_error(self, type->at, "expected a type, such as !pto.tile_buf<f32, 64, 64>");
    ts_word(type->at, type->name, sizeof type->name);
    if (pto ? !ts_accept(self, "<") : !ts_expect(self, "<"))
        return pto;
    if (!ts_deeper(self))
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
        if (!ts_is_type(self, ts_peek(self, 0))) {
            if (!ts_read_text(self, ",>", false, to, TS_CALL_TEXT))
                return false;
            continue;
        }
        if (!ts_read_type(self, &inner)) // of a TMPipe's tile
            return false;
        for (unsigned i = 0; i < inner.args; i++)
            ts_append(to, TS_CALL_TEXT, "%s%s", i ? "," : "", inner.arg[i]);
    } while (ts_accept(self, ","));
    self->depth--;
    return ts_expect(self, ">");
}

bool ts_type_takes(struct ts_reader *self, const struct ts_type *type, unsigned least,
                   unsigned most)
{
    if (type->args >= least && type->args <= most)
        return true;
    return ts_read_error(self, type->at, "%s has %u arguments; it takes %u to %u", type->name,
                         type->args, least, most);
}

bool ts_type_dtype(struct ts_reader *self, int map, const struct ts_type *type, unsigned arg)
{
    const char *name = ts_read_dtype(type->arg[arg]);
    if (name == NULL)
        return ts_read_error(self, type->at, "no such element type: %s", type->arg[arg]);
    ts_doc_set(self, map, "type", name, type->at);
    return true;
}

bool ts_type_shape(struct ts_reader *self, int map, const struct ts_type *type, unsigned first)
{
    if (type->args != first + 3)
        return ts_read_error(self, type->at, "%s has %u arguments: element type, rows, columns",
                             type->name, type->args);
    ts_doc_set(self, map, "rows", type->arg[first + 1], type->at);
    ts_doc_set(self, map, "cols", type->arg[first + 2], type->at);
    return ts_type_dtype(self, map, type, first);
}

struct ts_type ts_type_end(const struct ts_reader *self, const struct ts_type *type, unsigned arg)
{
    struct ts_type tile = {.at = type->at};
    const char *text = type->arg[arg];
    for (unsigned i = 0; self->cpp && i < self->cpp->type_count; i++)
        if (strcmp(self->cpp->types[i].alias, text) == 0)
            return self->cpp->types[i];
    for (const char *from = text; *from && tile.args < TS_TYPE_ARGS;) {
        size_t length = strcspn(from, ",");
        snprintf(tile.arg[tile.args++], TS_CALL_TEXT, "%.*s", (int)length, from);
        from += length + (from[length] == ',');
    }
    return tile;
}

static bool set_end(struct ts_reader *self, int map, const char *key, const struct ts_type *type,
                    unsigned arg)
{
    struct ts_type tile = ts_type_end(self, type, arg);
    char loc[20];
    ts_read_lower(tile.arg[0], loc, sizeof loc);
    if (strcmp(loc, "ctrl") == 0)
        return true; // a variable
    if (self->dialect == TS_TEXT_PTO && tile.args == 1) {
        ts_doc_set(self, map, key, type->arg[arg], type->at); // a declared tile
        return true;
    }
    if (tile.args < 4)
        return ts_read_error(self, type->at, "TMPipe: '%s' is no tile type", type->arg[arg]);
    int end = ts_doc_map(self, type->at);
    tile.args = 4; // valid rows and columns say nothing here
    ts_doc_set(self, end, "loc", loc, type->at);
    ts_doc_put(self, map, key, end, type->at);
    return ts_type_shape(self, end, &tile, 1);
}

bool ts_type_pipe(struct ts_reader *self, int map, const struct ts_type *type, bool tm)
{
    static const char *const keys[][9] = {
        {"flag", "dir", "slot_size", "slots", "local_slots", "no_split", "unit_flag"},
        {"flag", "fifo", "depth", "period", "prod", "cons", "unit_flag", "local_slots", "ratio"}};
    unsigned least = !tm ? 4 : self->dialect == TS_TEXT_PTO ? 5 : 6;
    if (!ts_type_takes(self, type, least, tm ? 9 : 7))
        return false;
    if (tm)
        ts_doc_set(self, map, "kind", "tmpipe", type->at);
    for (unsigned i = 0; i < type->args; i++) {
        char lower[40];
        if (tm && (i == 4 || i == 5)) {
            if (!set_end(self, map, keys[tm][i], type, i))
                return false;
            continue;
        }
        ts_read_lower(type->arg[i], lower, sizeof lower);
        ts_doc_set(self, map, keys[tm][i], i == 1 || i == 8 ? lower : type->arg[i], type->at);
    }
    return true;
}

// --- attributes ---

bool ts_read_attributes(struct ts_reader *self, ts_attribute *with, void *context)
{
    bool cpp = self->dialect == TS_TEXT_CPP;
    const char *open = cpp ? "[" : "{", *close = cpp ? "]" : "}";
    while (ts_is(ts_peek(self, 0), open) && (!cpp || ts_is(ts_peek(self, 1), open))) {
        self->at += cpp ? 2 : 1;
        while (!ts_accept(self, close)) {
            const struct ts_token *at = ts_next(self);
            char key[40], value[400];
            if (at->kind != TS_TOKEN_NAME)
                return ts_read_error(self, at, "expected the name of an attribute");
            ts_word(at, key, sizeof key);
            bool has_value = ts_accept(self, cpp ? "(" : "=");
            if (has_value && ts_peek(self, 0)->kind == TS_TOKEN_STRING)
                ts_word(ts_next(self), value, sizeof value);
            else if (has_value && !ts_read_text(self, cpp ? ")" : ",}", false, value, sizeof value))
                return false;
            if ((cpp && has_value && !ts_expect(self, ")")) ||
                !with(self, context, key, has_value ? value : NULL, at))
                return false;
            if (!ts_is(ts_peek(self, 0), close) && !ts_expect(self, ","))
                return false;
        }
        if (!cpp)
            return true;
        if (!ts_expect(self, "]"))
            return false;
    }
    return true;
}

// --- calls ---

// Operations that are not spelled as their mnemonic.
static const struct {
    enum ts_op op;
    const char *pto, *cpp, *also; // C++
} spellings[] = {{TS_OP_SET, "set_flag", "set_flag", ""},
                 {TS_OP_WAIT, "wait_flag", "wait_flag", ""},
                 {TS_OP_SYNC, "sync", "pipe_sync", ""},
                 {TS_OP_BARRIER, "pipe_barrier", "pipe_barrier", ""},
                 {TS_OP_XSET, "set_cross_core", "set_intra_block", "ffts_cross_core_sync"},
                 {TS_OP_XWAIT, "wait_cross_core", "wait_intra_block", "wait_flag_dev"},
                 {TS_OP_TMATMUL_ACC, "tmatmul.acc", "TMATMUL_ACC", ""},
                 {TS_OP_TMATMUL_BIAS, "tmatmul.bias", "TMATMUL_BIAS", ""}};

enum ts_op ts_read_op(enum ts_dialect dialect, const char *name)
{
    bool cpp = dialect == TS_TEXT_CPP;
    char lower[40];
    if (!cpp && strncmp(name, "pto.", 4) != 0)
        return TS_OP_COUNT;
    name += cpp ? 0 : 4;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (strcmp(cpp ? spellings[i].cpp : spellings[i].pto, name) == 0 ||
            (cpp && strcmp(spellings[i].also, name) == 0))
            return spellings[i].op;
    if (cpp && name[0] != 'T')
        return TS_OP_COUNT;
    snprintf(lower, sizeof lower, "%s", name);
    size_t length = strlen(lower);
    if (cpp && length > 5 && strcmp(lower + length - 5, "_IMPL") == 0) // TPUSH_IMPL is tpush
        lower[length - 5] = 0;
    for (char *c = lower; *c && cpp; c++)
        *c = (char)tolower((unsigned char)*c);
    int op = 0;
    while (op < TS_OP_STOP && strcmp(ts_ops[op].name, lower) != 0)
        op++;
    return op < TS_OP_STOP ? (enum ts_op)op : TS_OP_COUNT;
}

const char *ts_read_nearest(const char *mnemonic)
{
    const char *names[TS_OP_COUNT + 1] = {0};
    for (int op = 0; op < TS_OP_STOP; op++)
        names[op] = ts_ops[op].name;
    return ts_nearest(mnemonic, names);
}

bool ts_call_add(struct ts_reader *self, struct ts_call *call, const char *text)
{
    if (call->items == TS_CALL_ITEMS)
        return ts_read_error(self, call->at, "too many operands for %s", ts_ops[call->op].name);
    snprintf(call->item[call->items++], TS_CALL_TEXT, "%s", text);
    return true;
}

bool ts_call_option(struct ts_reader *self, void *context, const char *key, const char *value,
                    const struct ts_token *at)
{
    struct ts_call *call = context;
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
    for (size_t i = 0; i < TS_SWITCHES; i++)
        boxed |= strcmp(ts_switch_names[i], key) == 0;
    int length = snprintf(call->options + used, room,
                          value == NULL ? " %s"
                          : boxed       ? " %s=(%s)"
                                        : " %s=%s",
                          key, value);
    return (size_t)length < room || ts_read_error(self, at, "too many options");
}

bool ts_call_line(struct ts_reader *self, struct ts_call *call)
{
    char to[400];
    const size_t room = sizeof to;
    if (call->op >= TS_OP_TPUSH && call->op <= TS_OP_TFREE && !call->split[0])
        snprintf(call->split, sizeof call->split, "no_split");
    const char *pattern = ts_ops[call->op].pattern;
    size_t used = (size_t)snprintf(to, room, "%s", ts_ops[call->op].name);
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
            return ts_read_error(self, call->at, "%s has too few operands", ts_ops[call->op].name);
        if (*p == 'P' && !text[0])
            return ts_read_error(self, call->at, "%s names no pipe", ts_ops[call->op].name);
        if (strchr("DABCT", *p) && !isalpha((unsigned char)*text) && *text != '_')
            return ts_read_error(self, call->at, "%s: '%s' is no tile or tensor",
                                 ts_ops[call->op].name, text);
        if (text)
            used += (size_t)snprintf(to + used, room - used, expression ? "%s(%s)" : "%s%s",
                                     p == pattern && !tensor_free ? " " : ", ", text);
    }
    if (next < call->items)
        return ts_read_error(self, call->at, "%s has too many operands", ts_ops[call->op].name);
    used += (size_t)snprintf(to + used, room - used, "%s", call->options);
    if (used >= room)
        return ts_read_error(self, call->at, "this is too long");
    ts_read_line(self, call->at, "%s", to);
    return true;
}

const char *ts_read_dtype(const char *name)
{
    static const char *const dtypes[][4] = {
#define TS_PIPE_DTYPE(id, name, bytes, ...) {name, __VA_ARGS__},
#include "config/tpipe.def"
    };
    for (size_t i = 0; i < TS_DTYPE_COUNT; i++)
        for (size_t k = 0; k < 4; k++)
            if (strcmp(dtypes[i][k], name) == 0)
                return dtypes[i][0];
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
