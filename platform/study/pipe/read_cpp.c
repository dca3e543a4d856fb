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
#include "platform/study/pipe/read.h"

// --- types ---

static const struct ts_type *alias_of(const struct ts_reader *self, const struct ts_token *token)
{
    for (unsigned i = 0; i < self->cpp->type_count; i++)
        if (ts_is(token, self->cpp->types[i].alias))
            return &self->cpp->types[i];
    return NULL;
}

const struct ts_type *ts_cpp_type(struct ts_reader *self, struct ts_type *room)
{
    const struct ts_token *token = ts_peek(self, 0);
    const struct ts_type *known = alias_of(self, token);
    *room = (struct ts_type){0};
    if (known) {
        ts_next(self);
        return known;
    }
    return ts_is_type(self, token) && ts_read_type(self, room) ? room : NULL;
}

// using Name = Template<...>;
static bool read_using(struct ts_reader *self)
{
    if (ts_accept(self, "namespace")) {
        ts_next(self);
        return ts_expect(self, ";");
    }
    if (self->cpp->type_count == TS_CPP_TYPES)
        return ts_read_error(self, ts_peek(self, 0), "too many types");
    struct ts_type *type = &self->cpp->types[self->cpp->type_count];
    const struct ts_token *at = ts_next(self);
    if (!ts_expect(self, "="))
        return false;
    if (!ts_is_type(self, ts_peek(self, 0)))
        return ts_read_error(self, ts_peek(self, 0),
                             "no such type here (there are Tile TPipe TMPipe GlobalTensor)");
    if (!ts_read_type(self, type) || !ts_expect(self, ";"))
        return false;
    ts_word(at, type->alias, sizeof type->alias);
    self->cpp->type_count++;
    return true;
}

// --- what a type says, as keys ---

// Tile<TileType::Acc, float, 16, 32[, BLayout::...][, valid rows, valid columns][, SLayout::...]>.
static bool set_tile(struct ts_reader *self, int map, const struct ts_type *type)
{
    static const char *const keys[] = {"rows", "cols", "valid_rows", "valid_cols"};
    char loc[20];
    if (!ts_type_takes(self, type, 4, 8))
        return false;
    ts_read_lower(type->arg[0], loc, sizeof loc);
    ts_doc_set(self, map, "loc", loc, type->at);
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
                return ts_read_error(self, type->at, "Tile: %s is not modelled", type->arg[i]);
            continue;
        }
        if (strstr(type->arg[i], "::"))
            return ts_read_error(self, type->at, "Tile: %s is not known here", type->arg[i]);
        ts_doc_set(self, map, keys[key++], type->arg[i], type->at);
    }
    if (columns) // BLayout::ColMajor with SLayout::RowMajor is NZ, without a box DN
        ts_doc_set(self, map, "layout", fractals ? "nz" : "dn", type->at);
    return ts_type_dtype(self, map, type, 1);
}

// --- declarations ---

// The arguments of a pipe's constructor: addresses of the slot buffer and the consumers' buffers.
static bool read_addresses(struct ts_reader *self, int map, const struct ts_type *type)
{
    const char *keys[3] = {"gm", "ub", "l1"};
    if (strcmp(type->name, "TMPipe") == 0) {
        char fifo[20], loc[20];
        struct ts_type cons = ts_type_end(self, type, 5);
        ts_read_lower(type->arg[1], fifo, sizeof fifo);
        ts_read_lower(cons.arg[0], loc, sizeof loc);
        bool gm = strcmp(fifo, "gm") == 0;
        keys[gm] = strcmp(loc, "mat") == 0 ? "l1" : "ub";
        keys[2] = NULL;
        if (!gm)
            keys[1] = NULL;
    }
    for (unsigned i = 0; !ts_is(ts_peek(self, 0), ")"); i++) {
        char text[TS_CALL_TEXT];
        const struct ts_token *at = ts_peek(self, 0);
        if (ts_accept(self, "reinterpret_cast") || ts_accept(self, "static_cast")) {
            while (!ts_accept(self, ">"))
                if (ts_next(self)->kind == TS_TOKEN_END)
                    return ts_expect(self, ">");
        }
        if (!ts_read_text(self, ",)", false, text, sizeof text))
            return false;
        if (i == 3 || keys[i] == NULL)
            return ts_read_error(self, at, "too many addresses for a %s", type->name);
        ts_doc_set(self, map, keys[i], text, at);
        if (!ts_is(ts_peek(self, 0), ")") && !ts_expect(self, ","))
            return false;
    }
    return ts_expect(self, ")");
}

static int fresh(struct ts_reader *self, int attributes, const char *name,
                 const struct ts_token *at)
{
    int map = ts_doc_map(self, at);
    ts_doc_set(self, map, "name", name, at);
    if (attributes == 0)
        return map;
    yaml_document_t *document = &self->yaml->document;
    for (size_t i = 0;; i++) {
        const yaml_node_t *node = yaml_document_get_node(document, attributes);
        if (node->data.mapping.pairs.start + i == node->data.mapping.pairs.top)
            break;
        yaml_node_pair_t pair = node->data.mapping.pairs.start[i];
        if (!yaml_document_append_mapping_pair(document, map, pair.key, pair.value))
            ts_out_of_memory("the pipe program");
    }
    return map;
}

bool ts_cpp_declare(struct ts_reader *self, const struct ts_type *type, int attributes,
                    bool parameter)
{
    do {
        while (ts_accept(self, "&") || ts_accept(self, "const"))
            continue;
        const struct ts_token *at = ts_next(self);
        char name[40], text[TS_CALL_TEXT];
        if (at->kind != TS_TOKEN_NAME)
            return ts_read_error(self, at, "expected a name");
        ts_word(at, name, sizeof name);
        bool tile = strcmp(type->name, "Tile") == 0;
        bool pipe = strchr(type->name, 'P') != NULL;
        int list = tile                                      ? self->tiles
                   : pipe                                    ? self->pipes
                   : strcmp(type->name, "GlobalWindow") == 0 ? self->windows
                                                             : self->tensors;
        if (parameter && ts_doc_named(self, list, name))
            continue; // a reference to what is declared already
        if (ts_doc_named(self, list, name))
            return ts_read_error(self, at, "%s is declared twice", name);
        int map = fresh(self, attributes, name, at);
        if (!(tile   ? set_tile(self, map, type)
              : pipe ? ts_type_pipe(self, map, type, type->name[1] == 'M')
                     : ts_type_shape(self, map, type, 0)))
            return false;
        if (ts_accept(self, "[")) {
            if (!ts_read_text(self, "]", false, text, sizeof text) || !ts_expect(self, "]"))
                return false;
            ts_doc_set(self, map, "count", text, at);
        }
        if (pipe && ts_accept(self, "(") && !read_addresses(self, map, type))
            return false;
        ts_doc_append(self, list, map);
    } while (!parameter && ts_accept(self, ","));
    return true;
}

static bool put_attribute(struct ts_reader *self, void *context, const char *key, const char *value,
                          const struct ts_token *at)
{
    int *map = context;
    if (strcmp(key, "cube") == 0 || strcmp(key, "vector") == 0)
        return ts_cpp_side(self, *key == 'v', at);
    if (*map == 0)
        *map = ts_doc_map(self, at);
    ts_doc_put(self, *map, key, ts_doc_yaml(self, value ? value : "true", at), at);
    return true;
}

// --- the file ---

// #include is read over; #pragma tensim KEY VALUE sets a key of the program.
static bool read_directive(struct ts_reader *self)
{
    const struct ts_token *at = ts_next(self);
    bool pragma = ts_accept(self, "pragma") && ts_accept(self, "tensim");
    if (pragma) {
        const struct ts_token *key_at = ts_next(self);
        char key[40], value[400];
        ts_word(key_at, key, sizeof key);
        const struct ts_token *from = ts_peek(self, 0);
        if (from->first)
            return ts_read_error(self, key_at, "#pragma tensim %s has no value", key);
        size_t length = strcspn(from->at, "\n");
        while (length && (from->at[length - 1] == ' ' || from->at[length - 1] == '\r'))
            length--;
        snprintf(value, sizeof value, "%.*s", (int)length, from->at);
        ts_doc_put(self, self->root, key, ts_doc_yaml(self, value, key_at), key_at);
    }
    while (!ts_peek(self, 0)->first || ts_peek(self, 0) == at)
        ts_next(self);
    return true;
}

static bool is_number_type(const struct ts_token *token)
{
    return ts_is(token, "int") || ts_is(token, "uint32_t") || ts_is(token, "int32_t") ||
           ts_is(token, "size_t") || ts_is(token, "unsigned") || ts_is(token, "auto");
}

// constexpr int N = 4;
static bool read_constant(struct ts_reader *self)
{
    while (is_number_type(ts_peek(self, 0)) || ts_is(ts_peek(self, 0), "const") ||
           ts_is(ts_peek(self, 0), "constexpr"))
        ts_next(self);
    const struct ts_token *at = ts_next(self);
    char name[40], text[TS_CALL_TEXT];
    if (!ts_expect(self, "=") || !ts_read_text(self, ";", false, text, sizeof text))
        return false;
    ts_doc_set(self, self->params, ts_word(at, name, sizeof name), text, at);
    return ts_expect(self, ";");
}

// void name(Tile &a, Tile &b) { ... }
static bool read_function(struct ts_reader *self)
{
    const struct ts_token *at = ts_next(self);
    if (at->kind != TS_TOKEN_NAME)
        return ts_read_error(self, at, "expected the name of a function");
    if (!ts_expect(self, "("))
        return false;
    while (!ts_accept(self, ")")) {
        struct ts_type room;
        const struct ts_type *type = ts_cpp_type(self, &room);
        if (type == NULL)
            return ts_read_error(self, ts_peek(self, 0),
                                 "a parameter is a tile, a pipe or a tensor by reference");
        if (!ts_cpp_declare(self, type, 0, true))
            return false;
        char loc[20];
        ts_read_lower(type->arg[0], loc, sizeof loc);
        if (strcmp(type->name, "Tile") == 0 && !ts_cpp_side(self, strcmp(loc, "vec") == 0, at))
            return false;
        if (!ts_is(ts_peek(self, 0), ")") && !ts_expect(self, ","))
            return false;
    }
    return ts_cpp_body(self, at);
}

static bool read_top(struct ts_reader *self)
{
    struct ts_type room;
    int attributes = 0;
    self->side = -1;
    if (ts_is(ts_peek(self, 0), "#"))
        return read_directive(self);
    if (ts_accept(self, "using"))
        return read_using(self);
    if (ts_accept(self, ";"))
        return true;
    size_t before = self->at;
    bool boxed = ts_is(ts_peek(self, 0), "[");
    if (boxed && !ts_read_attributes(self, put_attribute, &attributes))
        return false;
    while (ts_accept(self, "static") || ts_accept(self, "inline") ||
           ts_accept(self, "__aicore__") || ts_accept(self, "AICORE") || ts_accept(self, "extern"))
        continue;
    if (ts_accept(self, "void"))
        return read_function(self);
    if (ts_is(ts_peek(self, 0), "constexpr") || ts_is(ts_peek(self, 0), "const"))
        return read_constant(self);
    const struct ts_type *type = ts_cpp_type(self, &room);
    if (self->yaml->error->code != TS_OK)
        return false;
    if (type)
        return ts_cpp_declare(self, type, attributes, false) && ts_expect(self, ";");
    self->at = before; // a statement of its own, with its attributes
    const struct ts_token *at = ts_peek(self, 0);
    return ts_cpp_statement(self) && ts_cpp_flush(self, at);
}

bool ts_pipe_read_cpp(struct ts_yaml *yaml, const char *path, const char *text,
                      struct ts_error *error)
{
    struct ts_reader reader;
    struct ts_cpp *cpp = ts_need(calloc(1, sizeof *cpp), "the pipe program");
    if (ts_reader_begin(&reader, yaml, path, text, TS_TEXT_CPP, error)) {
        reader.cpp = cpp;
        while (ts_peek(&reader, 0)->kind != TS_TOKEN_END && read_top(&reader))
            continue;
    }
    free(cpp);
    return ts_reader_end(&reader);
}
