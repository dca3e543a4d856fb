// Programs in PTO IR's textual form: the sections, their calls and blocks (read.h).
#include "platform/study/pipe/read.h"

// --- calls ---

struct statement {
    struct ts_call call;
    char result[40];
    char before[TS_CALL_ITEMS][TS_CALL_TEXT]; // ins, which follow outs
    unsigned befores;
};

// A use of a tile may repeat its type: it must be the declared one.
static bool check_use(struct ts_reader *self, const char *operand, const struct ts_type *type)
{
    char name[40];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(operand, "(["), operand);
    int tile = ts_doc_named(self, self->tiles, name);
    if (tile == 0 || type->open || strstr(type->name, "tile") == NULL || type->args < 3)
        return true;
    const char *const keys[] = {"type", "rows", "cols"};
    for (unsigned i = 0; i < 3; i++) {
        const char *have = ts_doc_text(self, tile, keys[i]);
        const char *said = type->arg[type->args - 3 + i];
        if (i == 0 && ts_read_dtype(said))
            said = ts_read_dtype(said);
        bool known = i == 0 ||
                     (have && isdigit((unsigned char)*have) && isdigit((unsigned char)*said));
        if (have && known && strcmp(have, said) != 0)
            return ts_read_error(self, type->at, "%%%s is declared with %s %s, not %s", name,
                                 keys[i], have, said);
    }
    return true;
}

// ins(%a, %b : type, type): operands, then their types.
static bool read_group(struct ts_reader *self, char items[][TS_CALL_TEXT], unsigned *count,
                       unsigned most, const char *what)
{
    unsigned first = *count;
    if (!ts_expect(self, "("))
        return false;
    do {
        if (*count == most)
            return ts_read_error(self, ts_peek(self, 0), "too many operands in %s", what);
        if (!ts_read_text(self, ",:)", false, items[(*count)++], TS_CALL_TEXT))
            return false;
    } while (ts_accept(self, ","));
    if (ts_accept(self, ":")) {
        unsigned i = first;
        do {
            struct ts_type type;
            if (!ts_read_type(self, &type))
                return false;
            if (i < *count && !check_use(self, items[i++], &type))
                return false;
        } while (ts_accept(self, ","));
    }
    return ts_expect(self, ")");
}

// A result that nothing declares is a tile of its own.
static bool declare_result(struct ts_reader *self, const struct statement *s,
                           const struct ts_type *type)
{
    if (ts_doc_named(self, self->tiles, s->result))
        return check_use(self, s->result, type);
    const char *loc = self->side                                                        ? "vec"
                      : ts_ops[s->call.op].pattern[1] == 'P'                            ? "mat"
                      : s->call.op == TS_OP_TLOAD                                       ? "mat"
                      : s->call.op >= TS_OP_TMATMUL && s->call.op <= TS_OP_TMATMUL_BIAS ? "acc"
                                                                                        : NULL;
    if (loc == NULL || type->open)
        return ts_read_error(self, s->call.at,
                             "%%%s: declare it with pto.alloc_tile: its place is not known",
                             s->result);
    int map = ts_doc_map(self, s->call.at);
    ts_doc_set(self, map, "name", s->result, s->call.at);
    ts_doc_set(self, map, "loc", loc, s->call.at);
    if (!ts_type_shape(self, map, type, type->args == 4))
        return false;
    ts_doc_append(self, self->tiles, map);
    return true;
}

// %a, %b, %pipe : (type, type, type) -> type
static bool read_ssa(struct ts_reader *self, struct statement *s)
{
    char operands[TS_CALL_ITEMS + 1][TS_CALL_TEXT];
    unsigned count = 0;
    struct ts_type type;
    do {
        if (count > TS_CALL_ITEMS)
            return ts_read_error(self, ts_peek(self, 0), "too many operands");
        if (!ts_read_text(self, ",:{", true, operands[count++], TS_CALL_TEXT))
            return false;
    } while (ts_accept(self, ","));
    for (unsigned i = 0; i < count; i++) {
        if (ts_doc_named(self, self->pipes, operands[i]))
            snprintf(s->call.pipe, sizeof s->call.pipe, "%.31s", operands[i]);
        else if (s->befores < TS_CALL_ITEMS)
            snprintf(s->before[s->befores++], TS_CALL_TEXT, "%.*s", TS_CALL_TEXT - 1, operands[i]);
        else
            return ts_read_error(self, s->call.at, "too many operands");
    }
    if (!ts_accept(self, ":"))
        return true;
    bool boxed = ts_accept(self, "(");
    for (unsigned i = 0; !ts_is(ts_peek(self, 0), ")") && (i == 0 || boxed); i++) {
        if (!ts_read_type(self, &type) || (i < count && !check_use(self, operands[i], &type)))
            return false;
        if (!ts_accept(self, ","))
            break;
    }
    if (boxed && !ts_expect(self, ")"))
        return false;
    if (!ts_accept(self, "->"))
        return true;
    if (!ts_read_type(self, &type))
        return false;
    bool event = strstr(type.name, "event") != NULL;
    if (event)
        s->result[0] = 0;
    return event || declare_result(self, s, &type);
}

static bool read_groups(struct ts_reader *self, struct statement *s)
{
    for (;;) {
        if (ts_accept(self, "ins")) {
            if (!read_group(self, s->before, &s->befores, TS_CALL_ITEMS, "ins"))
                return false;
        } else if (ts_accept(self, "outs")) {
            if (!read_group(self, s->call.item, &s->call.items, TS_CALL_ITEMS, "outs"))
                return false;
        } else if (ts_accept(self, "pipe")) {
            char pipe[1][TS_CALL_TEXT];
            unsigned count = 0;
            if (!read_group(self, pipe, &count, 1, "pipe"))
                return false;
            snprintf(s->call.pipe, sizeof s->call.pipe, "%.31s", pipe[0]);
        } else {
            return true;
        }
    }
}

// pto.set_flag[mte2, v, 0]
static bool read_bracket(struct ts_reader *self, struct statement *s)
{
    do {
        char text[TS_CALL_TEXT];
        if (!ts_read_text(self, ",]", false, text, sizeof text) ||
            !ts_call_add(self, &s->call, text))
            return false;
    } while (ts_accept(self, ","));
    return ts_expect(self, "]");
}

static bool read_call(struct ts_reader *self)
{
    struct statement s = {.befores = 0};
    char name[40];
    const struct ts_token *at = ts_next(self);
    s.call.at = at;
    if (*at->at == '%') {
        ts_word(at, s.result, sizeof s.result);
        if (!ts_expect(self, "="))
            return false;
        at = ts_next(self);
    }
    s.call.op = ts_read_op(TS_TEXT_PTO, ts_word(at, name, sizeof name));
    if (s.call.op == TS_OP_COUNT || s.call.op <= TS_OP_LET) {
        const char *near = ts_read_nearest(strncmp(name, "pto.", 4) == 0 ? name + 4 : name);
        return ts_read_error(self, at,
                             near ? "no such operation: %s, did you mean pto.%s?"
                                  : "no such operation: %s",
                             name, near);
    }
    bool good;
    if (ts_accept(self, "["))
        good = read_bracket(self, &s);
    else if (ts_is(ts_peek(self, 1), "(") && *ts_peek(self, 0)->at != '%')
        good = read_groups(self, &s);
    else
        good = read_ssa(self, &s);
    if (!good || !ts_read_attributes(self, ts_call_option, &s.call))
        return false;
    // Results come before sources in the program text; a store names its tensor first.
    if (s.result[0] && !ts_call_add(self, &s.call, s.result))
        return false;
    bool swap = s.call.op == TS_OP_TSTORE && s.call.items == 0 && s.befores == 2;
    for (unsigned i = 0; i < s.befores; i++)
        if (!ts_call_add(self, &s.call, s.before[swap ? 1 - i : i]))
            return false;
    return ts_call_line(self, &s.call);
}

// --- blocks ---

static bool read_block(struct ts_reader *self);

static bool read_for(struct ts_reader *self, const struct ts_token *at)
{
    char var[40], from[TS_CALL_TEXT], to[TS_CALL_TEXT], step[TS_CALL_TEXT] = "1";
    ts_word(ts_next(self), var, sizeof var);
    if (!ts_expect(self, "=") || !ts_read_text(self, "{", false, from, sizeof from) ||
        !ts_expect(self, "to") || !ts_read_text(self, "{", false, to, sizeof to))
        return false;
    if (ts_accept(self, "step") && !ts_read_text(self, "{", false, step, sizeof step))
        return false;
    if (strcmp(step, "1") != 0)
        return ts_read_error(self, at, "a step of %s; only 1 is known", step);
    ts_read_line(self, at, "for %s (%s) (%s)", var, from, to);
    return read_block(self);
}

static bool read_if(struct ts_reader *self, const struct ts_token *at)
{
    char condition[TS_CALL_TEXT];
    if (!ts_read_text(self, "{", false, condition, sizeof condition))
        return false;
    ts_read_line(self, at, "if (%s)", condition);
    return read_block(self);
}

static bool read_statement(struct ts_reader *self)
{
    const struct ts_token *at = ts_peek(self, 0);
    char text[TS_CALL_TEXT], var[40];
    if (ts_accept(self, "scf.for"))
        return read_for(self, at);
    if (ts_accept(self, "scf.if"))
        return read_if(self, at);
    if (ts_accept(self, "pto.let")) {
        ts_word(ts_next(self), var, sizeof var);
        if (!ts_expect(self, "=") || !ts_read_text(self, "", true, text, sizeof text))
            return false;
        ts_read_line(self, at, "let %s (%s)", var, text);
        return true;
    }
    return read_call(self);
}

// { ... }, and an `else` behind it.
static bool read_block(struct ts_reader *self)
{
    if (!ts_expect(self, "{") || !ts_deeper(self))
        return false;
    while (!ts_is(ts_peek(self, 0), "}"))
        if (ts_peek(self, 0)->kind == TS_TOKEN_END || !read_statement(self))
            return ts_expect(self, "}") && false;
    self->depth--;
    const struct ts_token *end = ts_next(self);
    const struct ts_token *next = ts_peek(self, 0);
    if (ts_accept(self, "else")) {
        ts_read_line(self, next, "else");
        return read_block(self);
    }
    ts_read_line(self, end, "end");
    return true;
}

bool ts_pto_section(struct ts_reader *self, unsigned side)
{
    self->side = (int)side;
    if (!ts_expect(self, "{"))
        return false;
    while (!ts_accept(self, "}"))
        if (ts_peek(self, 0)->kind == TS_TOKEN_END)
            return ts_expect(self, "}");
        else if (!read_statement(self))
            return false;
    return ts_doc_flush(self);
}
