// Words of all texts, and the documents of the text forms (lex.h).
#include "platform/study/pipe/lex.h"

bool ts_read_error(struct ts_reader *self, const struct ts_token *at, const char *format, ...)
{
    char text[300];
    TS_VSNPRINTF(text, sizeof text, format);
    if (self->yaml->error->code == TS_OK) // the first stays
        ts_fail(self->yaml->error, TS_SETUP, "%s:%d:%d: %s", self->yaml->path, at->line, at->column,
                text);
    return false;
}

// --- cutting ---

struct cutter {
    const char *at, *line_start;
    int line;
    bool first;
    enum ts_dialect dialect;
};

static void new_line(struct cutter *self)
{
    self->line++;
    self->line_start = self->at;
    self->first = true;
}

// Blanks and comments. False: a comment without end.
static bool skip(struct cutter *self)
{
    for (;;) {
        if (*self->at == '\n') {
            self->at++;
            new_line(self);
        } else if (isspace((unsigned char)*self->at)) {
            self->at++;
        } else if (self->dialect == TS_TEXT_ASM) {
            return true;
        } else if (strncmp(self->at, "//", 2) == 0) {
            self->at += strcspn(self->at, "\n");
        } else if (strncmp(self->at, "/*", 2) == 0) {
            for (self->at += 2; *self->at && strncmp(self->at, "*/", 2) != 0; self->at++)
                if (*self->at == '\n') {
                    self->line++;
                    self->line_start = self->at + 1;
                }
            if (*self->at == 0)
                return false;
            self->at += 2;
        } else {
            return true;
        }
    }
}

static bool starts_name(const struct cutter *self, const char *at)
{
    if (self->dialect == TS_TEXT_PTO && (*at == '%' || *at == '@' || strncmp(at, "!pto.", 5) == 0))
        at++;
    return isalpha((unsigned char)*at) || *at == '_';
}

static size_t name_length(const struct cutter *self)
{
    size_t length = 1;
    while (isalnum((unsigned char)self->at[length]) || self->at[length] == '_' ||
           (self->dialect != TS_TEXT_CPP && self->at[length] == '.' &&
            isalpha((unsigned char)self->at[length + 1])))
        length++;
    return length;
}

static size_t number_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '.' ||
           ((at[length] == '-' || at[length] == '+') && (at[length - 1] | 32) == 'e' &&
            strncmp(at, "0x", 2) != 0))
        length++;
    return length;
}

static size_t sign_length(const char *at)
{
    static const char *const signs[] = {"...", "==", "!=", "<=", ">=", "&&",
                                        "||",  "->", "::", "++", "+="};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(at, signs[i], strlen(signs[i])) == 0)
            return strlen(signs[i]);
    return 1;
}

static struct ts_token cut(struct cutter *self)
{
    struct ts_token token = {.at = self->at,
                             .line = self->line,
                             .column = (int)(self->at - self->line_start) + 1,
                             .first = self->first};
    self->first = false;
    if (*self->at == 0) {
        token.first = true;
        return token;
    }
    if (*self->at == '"') {
        token.kind = TS_TOKEN_STRING;
        token.length = 1 + strcspn(self->at + 1, "\"\n");
        if (self->at[token.length] == '"')
            token.length++;
    } else if (isdigit((unsigned char)*self->at)) {
        token.kind = TS_TOKEN_NUMBER;
        token.length = number_length(self->at);
    } else if (starts_name(self, self->at)) {
        token.kind = TS_TOKEN_NAME;
        token.length = name_length(self);
    } else {
        token.kind = TS_TOKEN_SIGN;
        token.length = sign_length(self->at);
    }
    self->at += token.length;
    return token;
}

bool ts_reader_cut(struct ts_reader *self, const char *text)
{
    struct cutter cutter = {
        .at = text, .line_start = text, .line = 1, .first = true, .dialect = self->dialect};
    bool good = true;
    self->count = self->at = 0;
    do {
        good = skip(&cutter);
        TS_MORE(self->tokens, self->count, self->room, "the pipe program");
        self->tokens[self->count] = cut(&cutter);
    } while (self->tokens[self->count++].kind != TS_TOKEN_END);
    return good;
}

bool ts_reader_begin(struct ts_reader *self, struct ts_yaml *yaml, const char *path,
                     const char *text, enum ts_dialect dialect, struct ts_error *error)
{
    *self = (struct ts_reader){.yaml = yaml, .dialect = dialect};
    *yaml = (struct ts_yaml){.path = path, .error = error};
    if (!ts_reader_cut(self, text)) {
        struct ts_token here = {.line = self->tokens[self->count - 1].line, .column = 1};
        return ts_read_error(self, &here, "a comment without */");
    }
    if (!yaml_document_initialize(&yaml->document, NULL, NULL, NULL, 1, 1))
        ts_out_of_memory("the pipe program");
    yaml->loaded = true;
    const struct ts_token *top = &self->tokens[0];
    self->root = ts_doc_map(self, top);
    static const char *const keys[] = {"params", "tensors", "windows", "tiles",
                                       "pipes",  "cube",    "vector"};
    int *const lists[] = {&self->params, &self->tensors, &self->windows, &self->tiles,
                          &self->pipes,  &self->code[0], &self->code[1]};
    for (int i = 0; i < 7; i++) {
        *lists[i] = i == 0 ? ts_doc_map(self, top) : ts_doc_list(self, top);
        ts_doc_put(self, self->root, keys[i], *lists[i], top);
    }
    self->lines = ts_doc_list(self, top);
    return true;
}

bool ts_reader_end(struct ts_reader *self)
{
    free(self->tokens);
    return self->yaml->error->code == TS_OK;
}

// --- words ---

const struct ts_token *ts_peek(const struct ts_reader *self, size_t ahead)
{
    size_t at = self->at + ahead;
    return &self->tokens[at < self->count ? at : self->count - 1];
}

const struct ts_token *ts_next(struct ts_reader *self)
{
    const struct ts_token *token = ts_peek(self, 0);
    if (token->kind != TS_TOKEN_END)
        self->at++;
    return token;
}

bool ts_is(const struct ts_token *token, const char *text)
{
    return token->kind != TS_TOKEN_END && token->length == strlen(text) &&
           strncmp(token->at, text, token->length) == 0;
}

bool ts_accept(struct ts_reader *self, const char *text)
{
    if (!ts_is(ts_peek(self, 0), text))
        return false;
    self->at++;
    return true;
}

bool ts_expect(struct ts_reader *self, const char *text)
{
    if (ts_accept(self, text))
        return true;
    const struct ts_token *token = ts_peek(self, 0);
    if (token->kind == TS_TOKEN_END)
        return ts_read_error(self, token, "expected '%s', but the text ends", text);
    return ts_read_error(self, token, "expected '%s', not '%.*s'", text, (int)token->length,
                         token->at);
}

bool ts_deeper(struct ts_reader *self)
{
    enum { DEEP = 24 }; // the program text allows 16 blocks
    if (++self->depth > DEEP)
        return ts_read_error(self, ts_peek(self, 0), "nested too deep");
    return true;
}

const char *ts_word(const struct ts_token *token, char *to, size_t room)
{
    const char *at = token->at;
    size_t length = token->length;
    if (token->kind == TS_TOKEN_STRING) {
        at++;
        length -= length > 1 ? 2 : 1;
    } else if (token->kind == TS_TOKEN_NAME && (*at == '%' || *at == '@' || *at == '!')) {
        at++;
        length--;
    } else if (token->kind == TS_TOKEN_NUMBER && strncmp(at, "0x", 2) != 0) {
        while (length > 1 && strchr("uUlLfF", at[length - 1]))
            length--; // C++ suffixes
    }
    snprintf(to, room, "%.*s", (int)length, at);
    return to;
}

// A word as the expression reader knows it; NULL: as it is.
static const char *translate(struct ts_reader *self, const char *word)
{
    static const struct {
        const char *word, *is;
        bool call; // with () behind it
    } rows[] = {{"true", "1", false},
                {"false", "0", false},
                {"pto.get_subblock_idx", "sb", false},
                {"pto.get_block_idx", "cluster", false},
                {"pto.get_block_num", "clusters", false},
                {"get_subblockid", "sb", true},
                {"get_block_idx", "cluster", true},
                {"get_block_num", "clusters", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].word, word) == 0 &&
            (!rows[i].call || (ts_is(ts_peek(self, 0), "(") && ts_is(ts_peek(self, 1), ")")))) {
            self->at += rows[i].call ? 2 : 0;
            return rows[i].is;
        }
    if (strncmp(word, "EVENT_ID", 8) == 0 && isdigit((unsigned char)word[8]))
        return word + 8;
    return word;
}

bool ts_read_text(struct ts_reader *self, const char *stops, bool line, char *to, size_t room)
{
    size_t used = 0;
    int depth = 0;
    const struct ts_token *begin = ts_peek(self, 0);
    to[0] = 0;
    for (;;) {
        const struct ts_token *token = ts_peek(self, 0);
        char word[200];
        bool stop = token->kind == TS_TOKEN_SIGN && token->length == 1 && strchr(stops, *token->at);
        if (token->kind == TS_TOKEN_END || (depth == 0 && stop) ||
            (depth == 0 && line && token->first && token != begin))
            break;
        if (token->kind == TS_TOKEN_SIGN && token->length == 1)
            depth += strchr("([{", *token->at) ? 1 : strchr(")]}", *token->at) ? -1 : 0;
        if (depth == 0 && self->dialect == TS_TEXT_PTO &&
            (ts_is(token, "to") || ts_is(token, "step")))
            break; // of a for
        ts_next(self);
        const char *text = translate(self, ts_word(token, word, sizeof word));
        bool sign = used == 1 && strchr("-!", to[0]); // of a number
        bool tight = used == 0 || sign || strchr("([", to[used - 1]) || strchr("([,)]", *text);
        used += (size_t)snprintf(to + used, room - used, "%s%s", tight ? "" : " ", text);
        if (used >= room)
            return ts_read_error(self, token, "this is too long");
    }
    if (used == 0)
        return ts_read_error(self, begin, "a value is missing here");
    return true;
}

// --- the document ---

// A new node, at the place of a word.
static int begun(struct ts_reader *self, int id, const struct ts_token *at)
{
    if (id == 0)
        ts_out_of_memory("the pipe program");
    yaml_node_t *node = yaml_document_get_node(&self->yaml->document, id);
    node->start_mark.line = (size_t)at->line - 1;
    node->start_mark.column = (size_t)at->column - 1;
    return id;
}

static int doc_scalar(struct ts_reader *self, const char *text, const struct ts_token *at)
{
    int id = yaml_document_add_scalar(&self->yaml->document, NULL, (const yaml_char_t *)text,
                                      (int)strlen(text), YAML_PLAIN_SCALAR_STYLE);
    if (id == 0 && *text) { // libyaml takes only UTF-8
        ts_read_error(self, at, "'%s' has a byte that is no letter, digit or sign", text);
        return doc_scalar(self, "", at);
    }
    return begun(self, id, at);
}

int ts_doc_map(struct ts_reader *self, const struct ts_token *at)
{
    yaml_document_t *document = &self->yaml->document;
    return begun(self, yaml_document_add_mapping(document, NULL, YAML_FLOW_MAPPING_STYLE), at);
}

int ts_doc_list(struct ts_reader *self, const struct ts_token *at)
{
    yaml_document_t *document = &self->yaml->document;
    return begun(self, yaml_document_add_sequence(document, NULL, YAML_BLOCK_SEQUENCE_STYLE), at);
}

void ts_doc_put(struct ts_reader *self, int map, const char *key, int value,
                const struct ts_token *at)
{
    if (!yaml_document_append_mapping_pair(&self->yaml->document, map, doc_scalar(self, key, at),
                                           value))
        ts_out_of_memory("the pipe program");
}

void ts_doc_set(struct ts_reader *self, int map, const char *key, const char *value,
                const struct ts_token *at)
{
    ts_doc_put(self, map, key, doc_scalar(self, value, at), at);
}

void ts_doc_append(struct ts_reader *self, int list, int item)
{
    if (!yaml_document_append_sequence_item(&self->yaml->document, list, item))
        ts_out_of_memory("the pipe program");
}

static int copy(struct ts_reader *self, struct ts_yaml_node from, const struct ts_token *at)
{
    if (ts_yaml_is_scalar(from))
        return doc_scalar(self, ts_yaml_text(from, ""), at);
    bool list = ts_yaml_is_list(from);
    int to = list ? ts_doc_list(self, at) : ts_doc_map(self, at);
    for (size_t i = 0; i < ts_yaml_count(from); i++) {
        if (list)
            ts_doc_append(self, to, copy(self, ts_yaml_at(from, i), at));
        else
            ts_doc_put(self, to, ts_yaml_text(ts_yaml_key(from, i), ""),
                       copy(self, ts_yaml_value(from, i), at), at);
    }
    return to;
}

int ts_doc_yaml(struct ts_reader *self, const char *text, const struct ts_token *at)
{
    struct ts_yaml value;
    struct ts_error error = {0};
    int id;
    // What is no mapping and no list is a word, whatever signs it has.
    if (*text != '{' && *text != '[')
        return doc_scalar(self, text, at);
    if (ts_yaml_parse(&value, "value", text, &error)) {
        id = copy(self, ts_yaml_root(&value), at);
    } else {
        ts_read_error(self, at, "'%s' is not a value", text);
        id = doc_scalar(self, "", at);
    }
    ts_yaml_free(&value);
    return id;
}

const char *ts_doc_text(struct ts_reader *self, int map, const char *key)
{
    struct ts_yaml_node node = {self->yaml, yaml_document_get_node(&self->yaml->document, map)};
    struct ts_yaml_node value = ts_yaml_find(node, key);
    return value.node && ts_yaml_is_scalar(value) ? ts_yaml_text(value, NULL) : NULL;
}

int ts_doc_named(struct ts_reader *self, int list, const char *name)
{
    yaml_node_t *node = yaml_document_get_node(&self->yaml->document, list);
    for (yaml_node_item_t *item = node->data.sequence.items.start;
         item < node->data.sequence.items.top; item++) {
        const char *own = ts_doc_text(self, *item, "name");
        if (own && strcmp(own, name) == 0)
            return *item;
    }
    return 0;
}

void ts_read_line(struct ts_reader *self, const struct ts_token *at, const char *format, ...)
{
    char text[400];
    TS_VSNPRINTF(text, sizeof text, format);
    ts_doc_append(self, self->lines, doc_scalar(self, text, at));
}

bool ts_doc_flush(struct ts_reader *self)
{
    yaml_document_t *document = &self->yaml->document;
    const size_t count = ts_yaml_count(
        (struct ts_yaml_node){self->yaml, yaml_document_get_node(document, self->lines)});
    for (size_t i = 0; i < count && self->side >= 0; i++)
        ts_doc_append(self, self->code[self->side],
                      yaml_document_get_node(document, self->lines)->data.sequence.items.start[i]);
    self->lines = ts_doc_list(self, ts_peek(self, 0));
    return self->side >= 0 || count == 0;
}
