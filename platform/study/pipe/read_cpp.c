// Programs in the C++ tile API, as the listings of the pto.tpush page write them: declarations.
//
//   #pragma tensim profile a2a3
//   using AccTile = Tile<TileType::Acc, float, 64, 64>;
//   using Acc2Vec = TPipe<0, Direction::DIR_C2V, 16384, 4, 2>;
//   [[init(random)]] GlobalTensor<float, 64, 64> a;
//   Acc2Vec pipe(reinterpret_cast<__gm__ void *>(0x100000), 0x8000, 0x9000);
//   void cube_kernel(AccTile &acc) { TPUSH_IMPL(pipe, acc); }
//
// Source: pto.tpush page, C++ Intrinsic, TMPipe Usage and Common Patterns; pto-isa headers.
// Leaves out: every other part of C++. What C++ has no word for are attributes ([[init(random)]]) and
// `#pragma tensim KEY VALUE`; keys and values are those of the YAML form.
#include "platform/study/pipe/read_cpp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- types ---

static const struct ts_type *alias_of(const struct ts_cpp *self, const struct ts_token *token)
{
    for (unsigned i = 0; i < self->type_count; i++)
        if (ts_is(token, self->types[i].alias))
            return &self->types[i];
    return NULL;
}

const struct ts_type *ts_cpp_type(struct ts_cpp *self, struct ts_type *room)
{
    const struct ts_token *token = ts_peek(&self->reader, 0);
    const struct ts_type *known = alias_of(self, token);
    *room = (struct ts_type){0};
    if (known) {
        ts_next(&self->reader);
        return known;
    }
    return ts_is_template(token) && ts_read_type(&self->reader, room) ? room : NULL;
}

// using Name = Template<...>;
static bool read_using(struct ts_cpp *self)
{
    struct ts_reader *reader = &self->reader;
    if (ts_accept(reader, "namespace")) {
        ts_next(reader);
        return ts_expect(reader, ";");
    }
    if (self->type_count == TS_CPP_TYPES)
        return ts_read_error(reader, ts_peek(reader, 0), "too many types");
    struct ts_type *type = &self->types[self->type_count];
    const struct ts_token *at = ts_next(reader);
    if (!ts_expect(reader, "="))
        return false;
    if (!ts_is_template(ts_peek(reader, 0)))
        return ts_read_error(reader, ts_peek(reader, 0),
                             "no such type here (there are Tile TPipe TMPipe GlobalTensor)");
    if (!ts_read_type(reader, type) || !ts_expect(reader, ";"))
        return false;
    ts_word(at, type->alias, sizeof type->alias);
    self->type_count++;
    return true;
}

// --- what a type says, as keys ---

// Tile<TileType::Acc, float, 16, 32[, BLayout::...][, valid rows, valid columns][, SLayout::...]>.
static bool set_tile(struct ts_cpp *self, int map, const struct ts_type *type)
{
    static const char *const keys[] = {"rows", "cols", "valid_rows", "valid_cols"};
    char loc[20];
    if (!ts_doc_enough(&self->reader, type, 4, 8))
        return false;
    ts_read_lower(type->arg[0], loc, sizeof loc);
    ts_doc_set(&self->reader, map, "loc", loc, type->at);
    unsigned key = 0;
    bool columns = false, fractals = false;
    for (unsigned i = 2; i < type->args && key < 4; i++) {
        const char *layout = strstr(type->arg[i], "Layout");
        if (layout) {
            bool column = strstr(layout, "ColMajor") != NULL;
            bool blocks = type->arg[i][0] == 'B';
            columns |= blocks && column;
            fractals |= !blocks && !strstr(layout, "NoneBox");
            if (!blocks && column)
                return ts_read_error(&self->reader, type->at, "Tile: %s is not modelled",
                                     type->arg[i]);
            continue;
        }
        if (strstr(type->arg[i], "::"))
            return ts_read_error(&self->reader, type->at, "Tile: %s is not known here",
                                 type->arg[i]);
        ts_doc_set(&self->reader, map, keys[key++], type->arg[i], type->at);
    }
    if (columns) // BLayout::ColMajor with SLayout::RowMajor is NZ, without a box DN
        ts_doc_set(&self->reader, map, "layout", fractals ? "nz" : "dn", type->at);
    return ts_doc_dtype(&self->reader, map, type, 1);
}

// The tiles of a TMPipe: an alias stands for its arguments.
static struct ts_type without_aliases(const struct ts_cpp *self, const struct ts_type *type)
{
    struct ts_type plain = *type;
    for (unsigned end = 4; end < 6 && end < type->args; end++)
        for (unsigned i = 0; i < self->type_count; i++) {
            const struct ts_type *known = &self->types[i];
            size_t used = 0;
            if (strcmp(known->alias, type->arg[end]) != 0)
                continue;
            for (unsigned k = 0; k < known->args && used < TS_CALL_TEXT; k++)
                used += (size_t)snprintf(plain.arg[end] + used, TS_CALL_TEXT - used, "%s%s",
                                         k ? "," : "", known->arg[k]);
        }
    return plain;
}

static bool set_pipe(struct ts_cpp *self, int map, const struct ts_type *type)
{
    const bool tm = strcmp(type->name, "TMPipe") == 0;
    const struct ts_type plain = without_aliases(self, type);
    return ts_doc_pipe(&self->reader, map, tm ? &plain : type, tm);
}

// --- declarations ---

// The arguments of a pipe's constructor: addresses of the slot buffer and the consumers' buffers.
static bool read_addresses(struct ts_cpp *self, int map, const struct ts_type *type)
{
    struct ts_reader *reader = &self->reader;
    const char *keys[3] = {"gm", "ub", "l1"};
    if (strcmp(type->name, "TMPipe") == 0) {
        char fifo[20], loc[20];
        struct ts_type plain = without_aliases(self, type);
        plain.arg[5][strcspn(plain.arg[5], ",")] = '\0';
        ts_read_lower(type->arg[1], fifo, sizeof fifo);
        ts_read_lower(plain.arg[5], loc, sizeof loc);
        bool gm = strcmp(fifo, "gm") == 0;
        keys[gm] = strcmp(loc, "mat") == 0 ? "l1" : "ub";
        keys[2] = NULL;
        if (!gm)
            keys[1] = NULL;
    }
    for (unsigned i = 0; !ts_is(ts_peek(reader, 0), ")"); i++) {
        char text[TS_CALL_TEXT];
        const struct ts_token *at = ts_peek(reader, 0);
        if (ts_accept(reader, "reinterpret_cast") || ts_accept(reader, "static_cast")) {
            while (!ts_accept(reader, ">"))
                if (ts_next(reader)->kind == TS_TOKEN_END)
                    return ts_expect(reader, ">");
        }
        if (!ts_read_text(reader, ",)", false, text, sizeof text))
            return false;
        if (i == 3 || keys[i] == NULL)
            return ts_read_error(reader, at, "too many addresses for a %s", type->name);
        ts_doc_set(reader, map, keys[i], text, at);
        if (!ts_is(ts_peek(reader, 0), ")") && !ts_expect(reader, ","))
            return false;
    }
    return ts_expect(reader, ")");
}

static int fresh(struct ts_cpp *self, int attributes, const char *name, const struct ts_token *at)
{
    struct ts_reader *reader = &self->reader;
    int map = ts_doc_map(reader, at);
    ts_doc_set(reader, map, "name", name, at);
    if (attributes == 0)
        return map;
    yaml_document_t *document = &reader->yaml->document;
    size_t pairs = 0;
    yaml_node_t *node = yaml_document_get_node(document, attributes);
    pairs = (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
    for (size_t i = 0; i < pairs; i++) {
        yaml_node_pair_t pair =
            yaml_document_get_node(document, attributes)->data.mapping.pairs.start[i];
        if (!yaml_document_append_mapping_pair(document, map, pair.key, pair.value))
            ts_out_of_memory("the pipe program");
    }
    return map;
}

bool ts_cpp_declare(struct ts_cpp *self, const struct ts_type *type, int attributes, bool parameter)
{
    struct ts_reader *reader = &self->reader;
    do {
        while (ts_accept(reader, "&") || ts_accept(reader, "const"))
            continue;
        const struct ts_token *at = ts_next(reader);
        char name[40], text[TS_CALL_TEXT];
        if (at->kind != TS_TOKEN_NAME)
            return ts_read_error(reader, at, "expected a name");
        ts_word(at, name, sizeof name);
        bool tile = strcmp(type->name, "Tile") == 0;
        bool pipe = strchr(type->name, 'P') != NULL;
        int list = tile                                      ? reader->tiles
                   : pipe                                    ? reader->pipes
                   : strcmp(type->name, "GlobalWindow") == 0 ? reader->windows
                                                             : reader->tensors;
        if (parameter && ts_doc_named(reader, list, name))
            continue; // a reference to what is declared already
        if (ts_doc_named(reader, list, name))
            return ts_read_error(reader, at, "%s is declared twice", name);
        int map = fresh(self, attributes, name, at);
        if (!(tile   ? set_tile(self, map, type)
              : pipe ? set_pipe(self, map, type)
                     : ts_doc_shape(reader, map, type, 0)))
            return false;
        if (ts_accept(reader, "[")) {
            if (!ts_read_text(reader, "]", false, text, sizeof text) || !ts_expect(reader, "]"))
                return false;
            ts_doc_set(reader, map, "count", text, at);
        }
        if (pipe && ts_accept(reader, "(") && !read_addresses(self, map, type))
            return false;
        ts_doc_append(reader, list, map);
    } while (!parameter && ts_accept(reader, ","));
    return true;
}

static bool put_attribute(struct ts_reader *reader, void *context, const char *key,
                          const char *value, const struct ts_token *at)
{
    struct ts_cpp *self = (struct ts_cpp *)reader; // its first member
    int *map = context;
    if (strcmp(key, "cube") == 0 || strcmp(key, "vector") == 0)
        return ts_cpp_side(self, *key == 'v', at);
    if (*map == 0)
        *map = ts_doc_map(&self->reader, at);
    ts_doc_put(&self->reader, *map, key, ts_doc_yaml(&self->reader, value ? value : "true", at),
               at);
    return true;
}

// --- the file ---

// #include is read over; #pragma tensim KEY VALUE sets a key of the program.
static bool read_directive(struct ts_cpp *self)
{
    struct ts_reader *reader = &self->reader;
    const struct ts_token *at = ts_next(reader);
    bool pragma = ts_accept(reader, "pragma") && ts_accept(reader, "tensim");
    if (pragma) {
        const struct ts_token *key_at = ts_next(reader);
        char key[40], value[400];
        ts_word(key_at, key, sizeof key);
        const struct ts_token *from = ts_peek(reader, 0);
        if (from->first)
            return ts_read_error(reader, key_at, "#pragma tensim %s has no value", key);
        size_t length = strcspn(from->at, "\n");
        while (length && (from->at[length - 1] == ' ' || from->at[length - 1] == '\r'))
            length--;
        snprintf(value, sizeof value, "%.*s", (int)length, from->at);
        ts_doc_put(reader, reader->root, key, ts_doc_yaml(reader, value, key_at), key_at);
    }
    while (!ts_peek(reader, 0)->first || ts_peek(reader, 0) == at)
        ts_next(reader);
    return true;
}

static bool is_number_type(const struct ts_token *token)
{
    return ts_is(token, "int") || ts_is(token, "uint32_t") || ts_is(token, "int32_t") ||
           ts_is(token, "size_t") || ts_is(token, "unsigned") || ts_is(token, "auto");
}

// constexpr int N = 4;
static bool read_constant(struct ts_cpp *self)
{
    struct ts_reader *reader = &self->reader;
    while (is_number_type(ts_peek(reader, 0)) || ts_is(ts_peek(reader, 0), "const") ||
           ts_is(ts_peek(reader, 0), "constexpr"))
        ts_next(reader);
    const struct ts_token *at = ts_next(reader);
    char name[40], text[TS_CALL_TEXT];
    if (!ts_expect(reader, "=") || !ts_read_text(reader, ";", false, text, sizeof text))
        return false;
    ts_doc_set(reader, reader->params, ts_word(at, name, sizeof name), text, at);
    return ts_expect(reader, ";");
}

// void name(Tile &a, Tile &b) { ... }
static bool read_function(struct ts_cpp *self)
{
    struct ts_reader *reader = &self->reader;
    const struct ts_token *at = ts_next(reader);
    if (at->kind != TS_TOKEN_NAME)
        return ts_read_error(reader, at, "expected the name of a function");
    if (!ts_expect(reader, "("))
        return false;
    while (!ts_accept(reader, ")")) {
        struct ts_type room;
        const struct ts_type *type = ts_cpp_type(self, &room);
        if (type == NULL)
            return ts_read_error(reader, ts_peek(reader, 0),
                                 "a parameter is a tile, a pipe or a tensor by reference");
        if (!ts_cpp_declare(self, type, 0, true))
            return false;
        char loc[20];
        ts_read_lower(type->arg[0], loc, sizeof loc);
        if (strcmp(type->name, "Tile") == 0 && !ts_cpp_side(self, strcmp(loc, "vec") == 0, at))
            return false;
        if (!ts_is(ts_peek(reader, 0), ")") && !ts_expect(reader, ","))
            return false;
    }
    return ts_cpp_body(self, at);
}

static bool read_top(struct ts_cpp *self)
{
    struct ts_reader *reader = &self->reader;
    struct ts_type room;
    int attributes = 0;
    self->side = -1;
    if (ts_is(ts_peek(reader, 0), "#"))
        return read_directive(self);
    if (ts_accept(reader, "using"))
        return read_using(self);
    if (ts_accept(reader, ";"))
        return true;
    size_t before = reader->at;
    bool boxed = ts_is(ts_peek(reader, 0), "[");
    if (boxed && !ts_read_attributes(reader, put_attribute, &attributes))
        return false;
    while (ts_accept(reader, "static") || ts_accept(reader, "inline") ||
           ts_accept(reader, "__aicore__") || ts_accept(reader, "AICORE") ||
           ts_accept(reader, "extern"))
        continue;
    if (ts_accept(reader, "void"))
        return read_function(self);
    if (ts_is(ts_peek(reader, 0), "constexpr") || ts_is(ts_peek(reader, 0), "const"))
        return read_constant(self);
    const struct ts_type *type = ts_cpp_type(self, &room);
    if (reader->yaml->error->code != TS_OK)
        return false;
    if (type)
        return ts_cpp_declare(self, type, attributes, false) && ts_expect(reader, ";");
    reader->at = before; // a statement of its own, with its attributes
    const struct ts_token *at = ts_peek(reader, 0);
    return ts_cpp_statement(self) && ts_cpp_flush(self, at);
}

bool ts_pipe_read_cpp(struct ts_yaml *yaml, const char *path, const char *text,
                      struct ts_error *error)
{
    struct ts_cpp *self = ts_need(calloc(1, sizeof *self), "the pipe program");
    if (ts_reader_begin(&self->reader, yaml, path, text, TS_TEXT_CPP, error))
        while (ts_peek(&self->reader, 0)->kind != TS_TOKEN_END && read_top(self))
            continue;
    bool good = ts_reader_end(&self->reader);
    free(self->lines);
    free(self);
    return good;
}
