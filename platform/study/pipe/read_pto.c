// Programs in PTO IR's textual form: SSA calls (level 1) and destination-passing calls (level 2).
//
//   module @add attributes {profile = "a2a3", sync = "auto"} {
//     %n = pto.param 4
//     %a = pto.tensor : !pto.tensor<f32, 64, 32> {init = random}
//     %x = pto.alloc_tile : !pto.tile_buf<vec, f32, 8, 32> {count = 2}
//     %p = pto.tpipe : !pto.tpipe<0, c2v, 2048, 4, 2>
//     pto.section.vector {
//       scf.for %i = 0 to %n {
//         pto.tpop outs(%x[%i % 2] : !pto.tile_buf<f32, 8, 32>) pipe(%p) {split = up_down}
//         %y = pto.tadd %x, %x : (!pto.tile<f32, 8, 32>, !pto.tile<f32, 8, 32>) -> !pto.tile<...>
//       }
//     }
//   }
//
// Source: the syntax section of the pto.tpush page; the level model of PTO IR.
// Leaves out: everything of MLIR that is not above. A type of a use is checked against the
// declaration. A result that is not declared becomes a tile.
#include "platform/study/pipe/read.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 400, ARGS = 10 };

// --- types and attributes ---

struct type {
    const struct ts_token *at;
    char name[32]; // pto.tile_buf
    char arg[ARGS][TS_CALL_TEXT];
    unsigned args;
    bool open; // has "..." or "?"
};

static bool read_type(struct ts_reader *self, struct type *type)
{
    const struct ts_token *token = ts_next(self);
    *type = (struct type){.at = token};
    if (token->kind != TS_TOKEN_NAME || *token->at != '!')
        return ts_read_error(self, token, "expected a type, such as !pto.tile_buf<f32, 64, 64>");
    ts_word(token, type->name, sizeof type->name);
    if (!ts_accept(self, "<"))
        return true;
    do {
        if (ts_accept(self, "...") || ts_accept(self, "?")) {
            type->open = true;
            continue;
        }
        if (type->args == ARGS)
            return ts_read_error(self, ts_peek(self, 0), "too many parameters of %s", type->name);
        char *to = type->arg[type->args++];
        if (*ts_peek(self, 0)->at == '!') { // a tile type inside a TMPipe
            struct type inner;
            if (!read_type(self, &inner))
                return false;
            size_t used = 0;
            for (unsigned i = 0; i < inner.args; i++)
                used += (size_t)snprintf(to + used, TS_CALL_TEXT - used, "%s%s", i ? " " : "",
                                         inner.arg[i]);
        } else if (!ts_read_text(self, ",>", false, to, TS_CALL_TEXT)) {
            return false;
        }
    } while (ts_accept(self, ","));
    return ts_expect(self, ">");
}

// { key = value, word, ... }: calls back for each.
typedef bool with_attribute(struct ts_reader *self, void *context, const char *key,
                            const char *value, const struct ts_token *at);

static bool read_attributes(struct ts_reader *self, with_attribute *with, void *context)
{
    if (!ts_accept(self, "{"))
        return true;
    while (!ts_accept(self, "}")) {
        const struct ts_token *at = ts_next(self);
        char key[40], value[TEXT];
        if (at->kind != TS_TOKEN_NAME)
            return ts_read_error(self, at, "expected the name of an attribute");
        ts_word(at, key, sizeof key);
        bool has_value = ts_accept(self, "=");
        if (has_value && ts_peek(self, 0)->kind == TS_TOKEN_STRING)
            ts_word(ts_next(self), value, sizeof value);
        else if (has_value && !ts_read_text(self, ",}", false, value, sizeof value))
            return false;
        if (!with(self, context, key, has_value ? value : NULL, at))
            return false;
        if (!ts_is(ts_peek(self, 0), "}") && !ts_expect(self, ","))
            return false;
    }
    return true;
}

static bool set_key(struct ts_reader *self, void *context, const char *key, const char *value,
                    const struct ts_token *at)
{
    int map = *(const int *)context;
    ts_doc_put(self, map, key, ts_doc_yaml(self, value ? value : "true", at), at);
    return true;
}

// --- declarations ---

static bool set_dtype(struct ts_reader *self, int map, const struct type *type, unsigned arg)
{
    const char *name = ts_read_dtype(type->arg[arg]);
    if (name == NULL)
        return ts_read_error(self, type->at, "no such element type: %s", type->arg[arg]);
    ts_doc_set(self, map, "type", name, type->at);
    return true;
}

static bool shaped(struct ts_reader *self, int map, const struct type *type, unsigned first)
{
    if (type->args != first + 3)
        return ts_read_error(self, type->at, "%s has %u parameters: element type, rows, columns",
                             type->name, type->args);
    ts_doc_set(self, map, "rows", type->arg[first + 1], type->at);
    ts_doc_set(self, map, "cols", type->arg[first + 2], type->at);
    return set_dtype(self, map, type, first);
}

static bool set_tile(struct ts_reader *self, int map, const struct type *type)
{
    if (type->args == 4)
        ts_doc_set(self, map, "loc", type->arg[0], type->at);
    return shaped(self, map, type, type->args == 4);
}

// Positional parameters of a pipe's type, by the keys of YAML.
static bool set_pipe(struct ts_reader *self, int map, const struct type *type, bool tm)
{
    static const char *const plain[] = {"flag",        "dir",      "slot_size", "slots",
                                        "local_slots", "no_split", "unit_flag"};
    static const char *const multi[] = {"flag", "fifo",      "depth",       "period", "prod",
                                        "cons", "unit_flag", "local_slots", "ratio"};
    const char *const *keys = tm ? multi : plain;
    unsigned most = tm ? 9 : 7, least = tm ? 5 : 4;
    if (type->args > most || type->args < least)
        return ts_read_error(self, type->at, "%s has %u parameters; it takes %u to %u", type->name,
                             type->args, least, most);
    if (tm)
        ts_doc_set(self, map, "kind", "tmpipe", type->at);
    for (unsigned i = 0; i < type->args; i++) {
        char lower[40];
        const char *text = type->arg[i];
        bool tile = tm && (i == 4 || i == 5);
        if (tile && strchr(text, ' ')) {
            char loc[16], name[16];
            unsigned rows, cols;
            int part = ts_doc_map(self, type->at);
            if (sscanf(text, "%15s %15s %u %u", loc, name, &rows, &cols) != 4 ||
                ts_read_dtype(name) == NULL)
                return ts_read_error(self, type->at,
                                     "expected !pto.tile_buf<loc, type, rows, cols>");
            char number[16];
            ts_doc_set(self, part, "loc", loc, type->at);
            ts_doc_set(self, part, "type", ts_read_dtype(name), type->at);
            snprintf(number, sizeof number, "%u", rows);
            ts_doc_set(self, part, "rows", number, type->at);
            snprintf(number, sizeof number, "%u", cols);
            ts_doc_set(self, part, "cols", number, type->at);
            ts_doc_put(self, map, keys[i], part, type->at);
            continue;
        }
        if ((!tm && i == 1) || (tm && (i == 1 || i == 8))) {
            ts_read_lower(text, lower, sizeof lower);
            text = lower;
        }
        ts_doc_set(self, map, keys[i], text, type->at);
    }
    return true;
}

// %name = pto.KIND ... at the top of the module.
static bool read_declaration(struct ts_reader *self)
{
    const struct ts_token *at = ts_next(self);
    char name[40], kind[40], text[TEXT];
    if (at->kind != TS_TOKEN_NAME || *at->at != '%')
        return ts_read_error(self, at,
                             "expected a declaration, such as %%x = pto.alloc_tile : "
                             "!pto.tile_buf<vec, f32, 64, 64>");
    ts_word(at, name, sizeof name);
    if (!ts_expect(self, "="))
        return false;
    const struct ts_token *what = ts_next(self);
    ts_word(what, kind, sizeof kind);
    if (strcmp(kind, "pto.param") == 0) {
        if (!ts_read_text(self, "", true, text, sizeof text))
            return false;
        ts_doc_set(self, self->params, name, text, at);
        return true;
    }
    static const char *const kinds[] = {"pto.tensor", "pto.window", "pto.alloc_tile",
                                        "pto.tpipe",  "pto.tmpipe", NULL};
    const int lists[] = {self->tensors, self->windows, self->tiles, self->pipes, self->pipes};
    int which = 0;
    while (kinds[which] && strcmp(kinds[which], kind) != 0)
        which++;
    if (kinds[which] == NULL)
        return ts_read_error(self, what,
                             "no such declaration: %s (there are pto.param pto.tensor "
                             "pto.window pto.alloc_tile pto.tpipe pto.tmpipe)",
                             kind);
    struct type type;
    int map = ts_doc_map(self, at);
    ts_doc_set(self, map, "name", name, at);
    if (!ts_expect(self, ":") || !read_type(self, &type) ||
        !(which < 2    ? shaped(self, map, &type, 0)
          : which == 2 ? set_tile(self, map, &type)
                       : set_pipe(self, map, &type, which == 4)) ||
        !read_attributes(self, set_key, &map))
        return false;
    ts_doc_append(self, lists[which], map);
    return true;
}

// --- calls ---

struct statement {
    struct ts_call call;
    char result[40];
    bool ssa;
    unsigned side;
    char before[TS_CALL_ITEMS][TS_CALL_TEXT]; // ins, which follow outs
    unsigned befores;
};

// A use of a tile may repeat its type: it must be the declared one.
static bool check_use(struct ts_reader *self, const char *operand, const struct type *type)
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
                       const char *what)
{
    unsigned first = *count;
    if (!ts_expect(self, "("))
        return false;
    do {
        if (*count == TS_CALL_ITEMS)
            return ts_read_error(self, ts_peek(self, 0), "too many operands in %s", what);
        if (!ts_read_text(self, ",:)", false, items[(*count)++], TS_CALL_TEXT))
            return false;
    } while (ts_accept(self, ","));
    if (ts_accept(self, ":")) {
        unsigned i = first;
        do {
            struct type type;
            if (!read_type(self, &type))
                return false;
            if (i < *count && !check_use(self, items[i++], &type))
                return false;
        } while (ts_accept(self, ","));
    }
    return ts_expect(self, ")");
}

static bool add_option(struct ts_reader *self, void *context, const char *key, const char *value,
                       const struct ts_token *at)
{
    return ts_call_option(self, context, key, value, at);
}

// A result that nothing declares is a tile of its own.
static bool declare_result(struct ts_reader *self, const struct statement *s,
                           const struct type *type)
{
    if (ts_doc_named(self, self->tiles, s->result))
        return check_use(self, s->result, type);
    const char *loc = s->side                                                           ? "vec"
                      : ts_op_pattern(s->call.op)[1] == 'P'                             ? "mat"
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
    if (!shaped(self, map, type, type->args == 4))
        return false;
    ts_doc_append(self, self->tiles, map);
    return true;
}

// %a, %b, %pipe : (type, type, type) -> type
static bool read_ssa(struct ts_reader *self, struct statement *s)
{
    char operands[TS_CALL_ITEMS + 1][TS_CALL_TEXT];
    unsigned count = 0;
    struct type type;
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
        if (!read_type(self, &type) || (i < count && !check_use(self, operands[i], &type)))
            return false;
        if (!ts_accept(self, ","))
            break;
    }
    if (boxed && !ts_expect(self, ")"))
        return false;
    if (!ts_accept(self, "->"))
        return true;
    if (!read_type(self, &type))
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
            if (!read_group(self, s->before, &s->befores, "ins"))
                return false;
        } else if (ts_accept(self, "outs")) {
            if (!read_group(self, s->call.item, &s->call.items, "outs"))
                return false;
        } else if (ts_accept(self, "pipe")) {
            char pipe[1][TS_CALL_TEXT];
            unsigned count = 0;
            if (!read_group(self, pipe, &count, "pipe"))
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

static enum ts_op op_of(const char *name)
{
    static const char *const others[][2] = {{"pto.set_flag", "set"},
                                            {"pto.wait_flag", "wait"},
                                            {"pto.pipe_barrier", "barrier"},
                                            {"pto.set_cross_core", "xset"},
                                            {"pto.wait_cross_core", "xwait"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i][0], name) == 0)
            return ts_read_op(others[i][1]);
    return strncmp(name, "pto.", 4) == 0 ? ts_read_op(name + 4) : TS_OP_COUNT;
}

static bool read_call(struct ts_reader *self, unsigned side)
{
    struct statement s = {.side = side};
    char name[40], line[TEXT];
    const struct ts_token *at = ts_next(self);
    s.call.at = at;
    if (*at->at == '%') {
        ts_word(at, s.result, sizeof s.result);
        if (!ts_expect(self, "="))
            return false;
        at = ts_next(self);
    }
    s.call.op = op_of(ts_word(at, name, sizeof name));
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
    if (!good || !read_attributes(self, add_option, &s.call))
        return false;
    // Results come before sources in the program text; a store names its tensor first.
    if (s.result[0] && !ts_call_add(self, &s.call, s.result))
        return false;
    bool swap = s.call.op == TS_OP_TSTORE && s.call.items == 0 && s.befores == 2;
    for (unsigned i = 0; i < s.befores; i++)
        if (!ts_call_add(self, &s.call, s.before[swap ? 1 - i : i]))
            return false;
    bool ring = s.call.op >= TS_OP_TPUSH && s.call.op <= TS_OP_TFREE;
    if (ring && !s.call.split[0])
        snprintf(s.call.split, sizeof s.call.split, "no_split");
    if (!ts_call_text(self, &s.call, line, sizeof line))
        return false;
    ts_doc_code(self, side, line, s.call.at);
    return true;
}

// --- blocks ---

static bool read_block(struct ts_reader *self, unsigned side);

static bool read_for(struct ts_reader *self, unsigned side, const struct ts_token *at)
{
    char var[40], from[TS_CALL_TEXT], to[TS_CALL_TEXT], line[TEXT], step[TS_CALL_TEXT] = "1";
    ts_word(ts_next(self), var, sizeof var);
    if (!ts_expect(self, "=") || !ts_read_text(self, "{", false, from, sizeof from) ||
        !ts_expect(self, "to") || !ts_read_text(self, "{", false, to, sizeof to))
        return false;
    if (ts_accept(self, "step") && !ts_read_text(self, "{", false, step, sizeof step))
        return false;
    if (strcmp(step, "1") != 0)
        return ts_read_error(self, at, "a step of %s; only 1 is known", step);
    snprintf(line, sizeof line, "for %s (%.150s) (%.150s)", var, from, to);
    ts_doc_code(self, side, line, at);
    return read_block(self, side);
}

static bool read_if(struct ts_reader *self, unsigned side, const struct ts_token *at)
{
    char condition[TS_CALL_TEXT], line[TEXT];
    if (!ts_read_text(self, "{", false, condition, sizeof condition))
        return false;
    snprintf(line, sizeof line, "if (%s)", condition);
    ts_doc_code(self, side, line, at);
    return read_block(self, side);
}

static bool read_statement(struct ts_reader *self, unsigned side)
{
    const struct ts_token *at = ts_peek(self, 0);
    char text[TS_CALL_TEXT], var[40], line[TEXT];
    if (ts_accept(self, "scf.for"))
        return read_for(self, side, at);
    if (ts_accept(self, "scf.if"))
        return read_if(self, side, at);
    if (ts_accept(self, "pto.let")) {
        ts_word(ts_next(self), var, sizeof var);
        if (!ts_expect(self, "=") || !ts_read_text(self, "", true, text, sizeof text))
            return false;
        snprintf(line, sizeof line, "let %s (%s)", var, text);
        ts_doc_code(self, side, line, at);
        return true;
    }
    return read_call(self, side);
}

// { ... }, and an `else` behind it.
static bool read_block(struct ts_reader *self, unsigned side)
{
    if (!ts_expect(self, "{"))
        return false;
    while (!ts_is(ts_peek(self, 0), "}"))
        if (ts_peek(self, 0)->kind == TS_TOKEN_END || !read_statement(self, side))
            return ts_expect(self, "}") && false;
    const struct ts_token *end = ts_next(self);
    const struct ts_token *next = ts_peek(self, 0);
    if (ts_accept(self, "else")) {
        ts_doc_code(self, side, "else", next);
        return read_block(self, side);
    }
    ts_doc_code(self, side, "end", end);
    return true;
}

static bool read_section(struct ts_reader *self, unsigned side)
{
    if (!ts_expect(self, "{"))
        return false;
    while (!ts_accept(self, "}"))
        if (ts_peek(self, 0)->kind == TS_TOKEN_END)
            return ts_expect(self, "}");
        else if (!read_statement(self, side))
            return false;
    return true;
}

static bool read_module(struct ts_reader *self)
{
    bool module = ts_accept(self, "module");
    const struct ts_token *at = ts_peek(self, 0);
    if (module && *at->at == '@') {
        char name[64];
        ts_doc_set(self, self->root, "name", ts_word(ts_next(self), name, sizeof name), at);
    }
    if (module && ts_accept(self, "attributes") && !read_attributes(self, set_key, &self->root))
        return false;
    if (module && !ts_expect(self, "{"))
        return false;
    while (ts_peek(self, 0)->kind != TS_TOKEN_END && !(module && ts_is(ts_peek(self, 0), "}"))) {
        bool good = ts_accept(self, "pto.section.cube")     ? read_section(self, 0)
                    : ts_accept(self, "pto.section.vector") ? read_section(self, 1)
                                                            : read_declaration(self);
        if (!good)
            return false;
    }
    if (module && !ts_expect(self, "}"))
        return false;
    if (ts_peek(self, 0)->kind != TS_TOKEN_END)
        return ts_read_error(self, ts_peek(self, 0), "nothing may follow the module");
    return true;
}

bool ts_pipe_read_pto(struct ts_yaml *yaml, const char *path, const char *text,
                      struct ts_error *error)
{
    struct ts_reader reader;
    if (ts_reader_begin(&reader, yaml, path, text, true, error))
        read_module(&reader);
    return ts_reader_end(&reader);
}
