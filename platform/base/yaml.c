#include "platform/base/yaml.h"
#include "platform/base/input.h"

#include "platform/base/number.h"
#include "platform/base/plain.h"

// --- checks of whole documents

#define DEEPEST 100         // nested lists and mappings
#define MOST    1000000     // nodes, each alias with all that it stands for
#define LARGEST (64u << 20) // bytes of a document
#define ANCHORS 1000        // names for aliases
#define PART    4096        // bytes that libyaml gets at a time

static struct ts_yaml_node get(struct ts_yaml_node parent, int id)
{
    return (struct ts_yaml_node){parent.file, yaml_document_get_node(&parent.file->document, id)};
}

static const char *key_text(struct ts_yaml_node key)
{
    return ts_yaml_is_scalar(key) ? (const char *)key.node->data.scalar.value : "";
}

// Names go to terminals: no escape sequences.
static void check_text(struct ts_yaml_node node)
{
    for (const char *at = key_text(node); *at; at++)
        if (ts_is_control(*at) && *at != '\n' && *at != '\t' && *at != '\r') {
            ts_yaml_error(node, "it has a control character");
            return;
        }
}

static int by_text(const void *left, const void *right)
{
    const struct ts_yaml_node *a = left, *b = right;
    return strcmp(key_text(*a), key_text(*b)) ?: TS_COMPARE(a->node, b->node); // in file order
}

// An error at the second of two equal keys, the first such pair of the file.
static void check_keys(struct ts_yaml_node map)
{
    size_t count = ts_yaml_count(map);
    struct ts_yaml_node *keys = calloc(count + 1, sizeof *keys), twice = {map.file, NULL};
    for (size_t i = 0; keys && i < count; i++) {
        keys[i] = ts_yaml_key(map, i);
        if (!ts_yaml_is_scalar(keys[i]))
            ts_yaml_error(keys[i], "a key is a single value");
        check_text(keys[i]);
    }
    if (keys)
        qsort(keys, count, sizeof *keys, by_text);
    for (size_t i = 1; keys && i < count; i++)
        if (strcmp(key_text(keys[i - 1]), key_text(keys[i])) == 0 &&
            (twice.node == NULL || keys[i].node < twice.node))
            twice = keys[i];
    if (twice.node)
        ts_yaml_error(twice, "the key '%s' is there twice", key_text(twice));
    free(keys);
}

// The nodes that a reader meets below this one; 0: error, or too many. sizes[id] keeps the answer,
// UINT32_MAX while the node is being looked at.
static uint32_t check_node(struct ts_yaml *self, int id, uint32_t *sizes, unsigned depth)
{
    struct ts_yaml_node root = ts_yaml_root(self), node = get(root, id);
    uint32_t *size = &sizes[id];
    if (*size == UINT32_MAX)
        ts_yaml_error(node, "it contains itself");
    else if (depth > DEEPEST)
        ts_yaml_error(node, "nested deeper than %d", DEEPEST);
    if (self->error->code != TS_OK || *size != 0)
        return self->error->code != TS_OK ? 0 : *size;
    *size = UINT32_MAX;
    uint64_t sum = 1;
    check_text(node);
    size_t count = ts_yaml_is_scalar(node) ? 0 : ts_yaml_count(node);
    if (ts_yaml_is_map(node))
        check_keys(node);
    for (size_t i = 0; i < count && self->error->code == TS_OK; i++)
        sum += check_node(self,
                          ts_yaml_is_map(node) ? node.node->data.mapping.pairs.start[i].value
                                               : node.node->data.sequence.items.start[i],
                          sizes, depth + 1);
    if (sum > MOST)
        ts_yaml_error(node, "more than %d nodes", MOST);
    return *size = (uint32_t)sum;
}

// What no reader shall meet: a key that is there twice, or aliases without end.
static bool check(struct ts_yaml *self)
{
    size_t nodes = (size_t)(self->document.nodes.top - self->document.nodes.start);
    uint32_t *sizes = calloc(nodes + 1, sizeof *sizes);
    if (sizes == NULL)
        ts_fail(self->error, TS_NO_MEMORY, "%s: out of memory", self->path);
    else
        check_node(self, 1, sizes, 0);
    free(sizes);
    return self->error->code == TS_OK;
}

// Where the bytes of a document come from.
struct source {
    struct ts_yaml *to;
    yaml_parser_t parser;
    FILE *file; // or the text
    const char *text;
    size_t given;
};

// Gives libyaml the next bytes. Its time grows with the square of the depth and of the anchors, and a device has no end:
// refused here, before libyaml has built more of it.
static int give(void *context, unsigned char *bytes, size_t size, size_t *length)
{
    struct source *self = context;
    const yaml_parser_t *at = &self->parser;
    size_t part = size < PART ? size : PART;
    const yaml_document_t *document = at->document;
    const struct {
        bool wrong;
        const char *what;
        unsigned most;
    } limits[] = {
        {at->flow_level > DEEPEST || at->indents.top - at->indents.start > 2 * DEEPEST,
         "nested deeper than", DEEPEST},
        {at->aliases.top - at->aliases.start > ANCHORS, "more anchors than", ANCHORS},
        {document && document->nodes.top - document->nodes.start > MOST, "more nodes than", MOST},
        {self->given > LARGEST, "more bytes than", LARGEST}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].wrong)
            ts_fail(self->to->error, TS_SETUP, "%s:%zu:%zu: %s %u", self->to->path,
                    at->mark.line + 1, at->mark.column + 1, limits[i].what, limits[i].most);
    if (self->to->error->code != TS_OK)
        return 0;
    *length = self->file ? fread(bytes, 1, part, self->file) : strnlen(self->text, part);
    if (self->text) {
        memcpy(bytes, self->text, *length);
        self->text += *length;
    }
    self->given += *length;
    return self->file == NULL || !ferror(self->file);
}

static bool load(struct ts_yaml *self, struct source *source)
{
    yaml_parser_t *parser = &source->parser;
    if (!yaml_parser_initialize(parser))
        return ts_refuse(self->error, TS_NO_MEMORY, "%s: no memory to read it", self->path);
    yaml_parser_set_input(parser, give, source);
    bool good = yaml_parser_load(parser, &self->document);
    if (!good && parser->error == YAML_MEMORY_ERROR) {
        ts_fail(self->error, TS_NO_MEMORY, "%s: no memory to read it", self->path);
    } else if (!good) {
        ts_fail(self->error, TS_SETUP, "%s:%zu:%zu: %s", self->path, parser->problem_mark.line + 1,
                parser->problem_mark.column + 1, parser->problem ? parser->problem : "not YAML");
    } else if (yaml_document_get_root_node(&self->document) == NULL) {
        ts_fail(self->error, TS_SETUP, "%s:1:1: the file is empty", self->path);
        yaml_document_delete(&self->document);
        good = false;
    }
    yaml_parser_delete(parser);
    self->loaded = good;
    if (good && !check(self)) {
        ts_yaml_free(self);
        return false;
    }
    return good;
}

bool ts_yaml_load(struct ts_yaml *self, const char *path, struct ts_error *error)
{
    *self = (struct ts_yaml){.path = path, .error = error};
    FILE *file = ts_open_input(path, error);
    if (file == NULL)
        return ts_refuse(error, TS_SETUP, "%s: %s", path, strerror(errno));
    // A directory opens, but nothing can be read from it: named before libyaml says "input error".
    int first = fgetc(file);
    if (first == EOF && ferror(file)) {
        ts_fail(error, TS_SETUP, "%s: %s", path, strerror(errno));
        fclose(file);
        return false;
    }
    ungetc(first, file);
    bool good = load(self, &(struct source){.to = self, .file = file});
    fclose(file);
    return good;
}

bool ts_yaml_parse(struct ts_yaml *self, const char *name, const char *text, struct ts_error *error)
{
    *self = (struct ts_yaml){.path = name, .error = error};
    return load(self, &(struct source){.to = self, .text = text});
}

void ts_yaml_free(struct ts_yaml *self)
{
    if (self->loaded)
        yaml_document_delete(&self->document);
    self->loaded = false;
}

struct ts_yaml_node ts_yaml_root(struct ts_yaml *self)
{
    return (struct ts_yaml_node){self, self->loaded ? yaml_document_get_root_node(&self->document)
                                                    : NULL};
}

void ts_yaml_error(struct ts_yaml_node node, const char *format, ...)
{
    char text[400];
    TS_VSNPRINTF(text, sizeof text, format);
    if (node.node)
        ts_fail(node.file->error, TS_SETUP, "%s:%zu:%zu: %s", node.file->path,
                node.node->start_mark.line + 1, node.node->start_mark.column + 1, text);
    else
        ts_fail(node.file->error, TS_SETUP, "%s: %s", node.file->path, text);
}

int ts_yaml_line(struct ts_yaml_node node)
{
    return node.node ? (int)node.node->start_mark.line + 1 : 0;
}

bool ts_yaml_is_map(struct ts_yaml_node node)
{
    return node.node && node.node->type == YAML_MAPPING_NODE;
}

bool ts_yaml_is_quoted(struct ts_yaml_node node)
{
    return node.node && node.node->type == YAML_SCALAR_NODE &&
           (node.node->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
            node.node->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE);
}

bool ts_yaml_is_list(struct ts_yaml_node node)
{
    return node.node && node.node->type == YAML_SEQUENCE_NODE;
}

bool ts_yaml_is_scalar(struct ts_yaml_node node)
{
    return node.node && node.node->type == YAML_SCALAR_NODE;
}

// Nothing, with an error, if the node is not of that type.
static bool is_of(struct ts_yaml_node node, yaml_node_type_t type)
{
    if (node.node && node.node->type == type)
        return true;
    if (node.node)
        ts_yaml_error(node, "a %s is expected here",
                      type == YAML_MAPPING_NODE ? "mapping" : "list");
    return false;
}

size_t ts_yaml_count(struct ts_yaml_node node)
{
    if (ts_yaml_is_map(node))
        return (size_t)(node.node->data.mapping.pairs.top - node.node->data.mapping.pairs.start);
    if (ts_yaml_is_list(node))
        return (size_t)(node.node->data.sequence.items.top - node.node->data.sequence.items.start);
    if (node.node)
        ts_yaml_error(node, "a mapping or a list is expected here");
    return 0;
}

#define NODE_OF(name, type, ...)                                       \
    struct ts_yaml_node name(struct ts_yaml_node of, size_t index)     \
    {                                                                  \
        return is_of(of, type) ? get(of, of.node->data.__VA_ARGS__)    \
                               : (struct ts_yaml_node){of.file, NULL}; \
    }
NODE_OF(ts_yaml_key, YAML_MAPPING_NODE, mapping.pairs.start[index].key)
NODE_OF(ts_yaml_value, YAML_MAPPING_NODE, mapping.pairs.start[index].value)
NODE_OF(ts_yaml_at, YAML_SEQUENCE_NODE, sequence.items.start[index])

struct ts_yaml_node ts_yaml_find(struct ts_yaml_node map, const char *key)
{
    struct ts_yaml_node nothing = {map.file, NULL};
    if (map.node && !ts_yaml_is_map(map)) {
        ts_yaml_error(map, "a mapping with the key '%s' is expected here", key);
        return nothing;
    }
    for (size_t i = 0; map.node && i < ts_yaml_count(map); i++)
        if (strcmp(ts_yaml_text(ts_yaml_key(map, i), ""), key) == 0)
            return ts_yaml_value(map, i);
    return nothing;
}

struct ts_yaml_node ts_yaml_require(struct ts_yaml_node map, const char *key)
{
    struct ts_yaml_node value = ts_yaml_find(map, key);
    if (value.node == NULL)
        ts_yaml_error(map, "the key '%s' is missing", key);
    return value;
}

void ts_yaml_only(struct ts_yaml_node map, const char *words, const char *const *names)
{
    size_t count = is_of(map, YAML_MAPPING_NODE) ? ts_yaml_count(map) : 0, known = 0, more = 0;
    while (names && names[more])
        more++;
    char *const text = strdup(words), *rest = *words ? text : NULL;
    const char **list = calloc(strlen(words) + more + 1, sizeof *list);
    while (list && rest)
        list[known++] = strsep(&rest, " ");
    for (size_t i = 0; list && i < more; i++)
        list[known++] = names[i];
    for (size_t i = 0; list && i < count; i++) {
        struct ts_yaml_node key = ts_yaml_key(map, i);
        const char *name = ts_yaml_text(key, "");
        size_t j = 0;
        while (j < known && strcmp(list[j], name) != 0)
            j++;
        const char *near = j < known ? NULL : ts_nearest(name, list);
        if (near)
            ts_yaml_error(key, "no key '%s' is known here; did you mean '%s'?", name, near);
        else if (j == known)
            ts_yaml_error(key, "no key '%s' is known here", name);
    }
    free(list);
    free(text);
}

const char *ts_yaml_text(struct ts_yaml_node node, const char *otherwise)
{
    if (node.node == NULL)
        return otherwise;
    if (!ts_yaml_is_scalar(node)) {
        ts_yaml_error(node, "a single value is expected here");
        return otherwise;
    }
    return (const char *)node.node->data.scalar.value;
}

bool ts_parse_int(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, ts_number_base(text));
    if (end == text || *end != '\0' || errno || isspace((unsigned char)text[0]))
        return false;
    *value = number;
    return true;
}

int64_t ts_yaml_int(struct ts_yaml_node node, int64_t low, int64_t high, int64_t otherwise)
{
    const char *text = ts_yaml_text(node, NULL);
    int64_t value;
    if (text == NULL)
        return otherwise;
    if (!ts_parse_int(text, &value)) {
        ts_yaml_error(node, "'%s' is not an integer", text);
        return otherwise;
    }
    if (value < low || value > high) {
        ts_yaml_error(node, "%s is out of range: %lld to %lld", text, (long long)low,
                      (long long)high);
        return otherwise;
    }
    return value;
}

double ts_yaml_real(struct ts_yaml_node node, double otherwise)
{
    const char *text = ts_yaml_text(node, NULL);
    if (text == NULL)
        return otherwise;
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0') {
        ts_yaml_error(node, "'%s' is not a number", text);
        return otherwise;
    }
    return value;
}

bool ts_yaml_bool(struct ts_yaml_node node, bool otherwise)
{
    const char *text = ts_yaml_text(node, NULL);
    if (text == NULL)
        return otherwise;
    if (strcmp(text, "true") == 0 || strcmp(text, "yes") == 0 || strcmp(text, "1") == 0)
        return true;
    if (strcmp(text, "false") == 0 || strcmp(text, "no") == 0 || strcmp(text, "0") == 0)
        return false;
    ts_yaml_error(node, "'%s' is neither true nor false", text);
    return otherwise;
}

// Edits from one word to the other, counted in one row of the usual table.
static size_t distance(const char *a, const char *b)
{
    enum { LONGEST = 64 };
    size_t row[LONGEST + 1];
    size_t length = strlen(b);
    if (length > LONGEST || strlen(a) > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            size_t shorter = row[j] < row[j - 1] ? row[j] : row[j - 1];
            row[j] = change < shorter + 1 ? change : shorter + 1;
        }
    }
    return row[length];
}

const char *ts_nearest(const char *word, const char *const *words)
{
    const char *best = NULL;
    size_t fewest = strlen(word) / 2 + 2;
    for (size_t i = 0; words[i]; i++) {
        size_t edits = distance(word, words[i]);
        if (edits < fewest) {
            fewest = edits;
            best = words[i];
        }
    }
    return best;
}

int ts_word_index(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (int i = 0; *words; i++) {
        size_t next = strcspn(words, " ");
        if (next == length && strncmp(words, word, length) == 0)
            return i;
        words += next + (words[next] == ' ');
    }
    return -1;
}

bool ts_yaml_mentions(const char *path, const char *word)
{
    char part[4097] = "";
    const size_t keep = strlen(word);
    size_t held = 0, got;
    FILE *file = fopen(path, "r");
    bool found = file == NULL; // who reads it says why not
    while (!found && (got = fread(part + held, 1, sizeof part - 1 - held, file)) > 0) {
        held += got;
        part[held] = '\0';
        found = memmem(part, held, word, keep) != NULL;
        const size_t rest = held < keep ? held : keep;
        memmove(part, part + held - rest, rest);
        held = rest;
    }
    if (file)
        fclose(file);
    return found;
}
