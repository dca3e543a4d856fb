// A typed reader over libyaml's documents: every error names file, line and column.
//
// Reading continues after an error and returns defaults; the first error stays in the ts_error
// given at loading, so a loader is written straight through and checks once at its end.
#pragma once

#include "platform/base/error.h"

#include <yaml.h>

struct ts_yaml {
    const char *path;
    struct ts_error *error; // the first error stays
    yaml_document_t document;
    bool loaded;
};

// A node of a document, or nothing (node NULL).
struct ts_yaml_node {
    struct ts_yaml *file;
    yaml_node_t *node;
};

// Loads a file (the path is kept by reference), or a text with a name for messages. A key that is
// twice in a mapping is an error, and so is a document that contains itself.
bool ts_yaml_load(struct ts_yaml *self, const char *path, struct ts_error *error);
bool ts_yaml_parse(struct ts_yaml *self, const char *name, const char *text,
                   struct ts_error *error);
void ts_yaml_free(struct ts_yaml *self);
// Does the text of a file have this word? If not, no key of it has it either: to read it is not worth while.
bool ts_yaml_mentions(const char *path, const char *word);
struct ts_yaml_node ts_yaml_root(struct ts_yaml *self);

// Records an error at this node.
void ts_yaml_error(struct ts_yaml_node node, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// The same for a function that returns whether it has done its work: false.
#define ts_yaml_refuse(...) (ts_yaml_error(__VA_ARGS__), false)
int ts_yaml_line(struct ts_yaml_node node);

bool ts_yaml_is_map(struct ts_yaml_node node);
// A value in quotes: text, whatever it looks like.
bool ts_yaml_is_quoted(struct ts_yaml_node node);
bool ts_yaml_is_list(struct ts_yaml_node node);
bool ts_yaml_is_scalar(struct ts_yaml_node node);

// Mappings: the number of pairs, the i-th key and value, the value of a key (nothing if it is not
// there).
size_t ts_yaml_count(struct ts_yaml_node node); // of pairs or elements; an error if it is a scalar
struct ts_yaml_node ts_yaml_key(struct ts_yaml_node map, size_t index);
struct ts_yaml_node ts_yaml_value(struct ts_yaml_node map, size_t index);
struct ts_yaml_node ts_yaml_find(struct ts_yaml_node map, const char *key);
// The same, and an error if it is not there.
struct ts_yaml_node ts_yaml_require(struct ts_yaml_node map, const char *key);
// An error for every key that is neither one of the words, which blanks separate, nor one of the names (ending with NULL;
// NULL: none). It names the nearest known one.
void ts_yaml_only(struct ts_yaml_node map, const char *words, const char *const *names);
// Lists: the i-th element. As with keys and values, another kind of node is an error.
struct ts_yaml_node ts_yaml_at(struct ts_yaml_node list, size_t index);

// Scalars. A missing node gives the default without an error; another kind of node is an error.
const char *ts_yaml_text(struct ts_yaml_node node, const char *otherwise);
int64_t ts_yaml_int(struct ts_yaml_node node, int64_t low, int64_t high, int64_t otherwise);
double ts_yaml_real(struct ts_yaml_node node, double otherwise);
bool ts_yaml_bool(struct ts_yaml_node node, bool otherwise);

// The word of the list (which ends with NULL) that is nearest to a misspelt one; NULL if none is
// near.
const char *ts_nearest(const char *word, const char *const *words);
// Number of a word in a list that is separated by blanks; -1: it is not there.
int ts_word_index(const char *words, const char *word);
// Reads a complete C integer literal, sign and base allowed; false if it is not exactly that.
bool ts_parse_int(const char *text, int64_t *value);
