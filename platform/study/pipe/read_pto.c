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

static bool set_key(struct ts_reader *self, void *context, const char *key, const char *value,
                    const struct ts_token *at)
{
    int map = *(const int *)context;
    ts_doc_put(self, map, key, ts_doc_yaml(self, value ? value : "true", at), at);
    return true;
}

// --- declarations ---

static bool set_tile(struct ts_reader *self, int map, const struct ts_type *type)
{
    if (type->args == 4)
        ts_doc_set(self, map, "loc", type->arg[0], type->at);
    return ts_type_shape(self, map, type, type->args == 4);
}

// %name = pto.KIND ... at the top of the module.
static bool read_declaration(struct ts_reader *self)
{
    const struct ts_token *at = ts_next(self);
    char name[40], kind[40], text[400];
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
    struct ts_type type;
    int map = ts_doc_map(self, at);
    ts_doc_set(self, map, "name", name, at);
    if (!ts_expect(self, ":") || !ts_read_type(self, &type) ||
        !(which < 2    ? ts_type_shape(self, map, &type, 0)
          : which == 2 ? set_tile(self, map, &type)
                       : ts_type_pipe(self, map, &type, which == 4)) ||
        !ts_read_attributes(self, set_key, &map))
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
    if (module && ts_accept(self, "attributes") && !ts_read_attributes(self, set_key, &self->root))
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
