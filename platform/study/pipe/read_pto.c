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
#include "platform/study/pipe/read_pto.h"

#include <stdio.h>
#include <string.h>

// --- types and attributes ---

bool ts_pto_type(struct ts_reader *self, struct ts_pto_type *type)
{
    const struct ts_token *token = ts_next(self);
    *type = (struct ts_pto_type){.at = token};
    if (token->kind != TS_TOKEN_NAME || *token->at != '!')
        return ts_read_error(self, token, "expected a type, such as !pto.tile_buf<f32, 64, 64>");
    ts_word(token, type->name, sizeof type->name);
    if (!ts_accept(self, "<"))
        return true;
    if (!ts_deeper(self))
        return false;
    do {
        if (ts_accept(self, "...") || ts_accept(self, "?")) {
            type->open = true;
            continue;
        }
        if (type->args == TS_PTO_ARGS)
            return ts_read_error(self, ts_peek(self, 0), "too many parameters of %s", type->name);
        char *to = type->arg[type->args++];
        if (*ts_peek(self, 0)->at == '!') { // a tile type inside a TMPipe
            struct ts_pto_type inner;
            if (!ts_pto_type(self, &inner))
                return false;
            size_t used = 0;
            for (unsigned i = 0; i < inner.args; i++)
                used += (size_t)snprintf(to + used, TS_CALL_TEXT - used, "%s%s", i ? " " : "",
                                         inner.arg[i]);
        } else if (!ts_read_text(self, ",>", false, to, TS_CALL_TEXT)) {
            return false;
        }
    } while (ts_accept(self, ","));
    self->depth--;
    return ts_expect(self, ">");
}

bool ts_pto_attributes(struct ts_reader *self, ts_pto_attribute *with, void *context)
{
    if (!ts_accept(self, "{"))
        return true;
    while (!ts_accept(self, "}")) {
        const struct ts_token *at = ts_next(self);
        char key[40], value[TS_PTO_TEXT];
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

static bool set_dtype(struct ts_reader *self, int map, const struct ts_pto_type *type, unsigned arg)
{
    const char *name = ts_read_dtype(type->arg[arg]);
    if (name == NULL)
        return ts_read_error(self, type->at, "no such element type: %s", type->arg[arg]);
    ts_doc_set(self, map, "type", name, type->at);
    return true;
}

bool ts_pto_shape(struct ts_reader *self, int map, const struct ts_pto_type *type, unsigned first)
{
    if (type->args != first + 3)
        return ts_read_error(self, type->at, "%s has %u parameters: element type, rows, columns",
                             type->name, type->args);
    ts_doc_set(self, map, "rows", type->arg[first + 1], type->at);
    ts_doc_set(self, map, "cols", type->arg[first + 2], type->at);
    return set_dtype(self, map, type, first);
}

static bool set_tile(struct ts_reader *self, int map, const struct ts_pto_type *type)
{
    if (type->args == 4)
        ts_doc_set(self, map, "loc", type->arg[0], type->at);
    return ts_pto_shape(self, map, type, type->args == 4);
}

// Positional parameters of a pipe's type, by the keys of YAML.
static bool set_pipe(struct ts_reader *self, int map, const struct ts_pto_type *type, bool tm)
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
    char name[40], kind[40], text[TS_PTO_TEXT];
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
    struct ts_pto_type type;
    int map = ts_doc_map(self, at);
    ts_doc_set(self, map, "name", name, at);
    if (!ts_expect(self, ":") || !ts_pto_type(self, &type) ||
        !(which < 2    ? ts_pto_shape(self, map, &type, 0)
          : which == 2 ? set_tile(self, map, &type)
                       : set_pipe(self, map, &type, which == 4)) ||
        !ts_pto_attributes(self, set_key, &map))
        return false;
    ts_doc_append(self, lists[which], map);
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
    if (module && ts_accept(self, "attributes") && !ts_pto_attributes(self, set_key, &self->root))
        return false;
    if (module && !ts_expect(self, "{"))
        return false;
    while (ts_peek(self, 0)->kind != TS_TOKEN_END && !(module && ts_is(ts_peek(self, 0), "}"))) {
        bool good = ts_accept(self, "pto.section.cube")     ? ts_pto_section(self, 0)
                    : ts_accept(self, "pto.section.vector") ? ts_pto_section(self, 1)
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
    if (ts_reader_begin(&reader, yaml, path, text, TS_TEXT_PTO, error))
        read_module(&reader);
    return ts_reader_end(&reader);
}
