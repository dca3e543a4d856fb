// Words of all texts of a program (PTO IR, C++ tile API, the lines of a side's program), and the
// document that the first two become.
//
// A reader turns its text into the document that a YAML file would have given, with the line and
// column of the text at every value, so that one loader checks all forms and its errors name the
// text. The readers are written by hand: both forms hand their expressions on as text and
// are a dozen productions each, and in C++ `<` is a bracket or an operator by what stands before it.
#pragma once

#include "platform/base/yaml.h"

enum ts_token_kind { TS_TOKEN_END, TS_TOKEN_NAME, TS_TOKEN_NUMBER, TS_TOKEN_STRING, TS_TOKEN_SIGN };

struct ts_token {
    enum ts_token_kind kind;
    const char *at; // in the text
    size_t length;
    int line, column;
    bool first; // of its line
};

enum ts_dialect {
    TS_TEXT_ASM, // dotted names; no comments
    TS_TEXT_PTO, // dotted names, %names, @names, !types
    TS_TEXT_CPP,
};

struct ts_reader {
    enum ts_dialect dialect;
    struct ts_token *tokens;
    size_t count, room, at;
    struct ts_yaml *yaml; // path, error, document
    unsigned depth;       // of blocks that are open
    // The document.
    int root, params, tensors, windows, tiles, pipes, code[2];
    int side;           // of what is being read: 0 Cube, 1 Vector; -1: not known yet
    int lines;          // the instructions of it
    struct ts_cpp *cpp; // what the C++ reader has to know besides (read.h); NULL: another
};

// Cuts a text into words, in place of those before. False: a comment without end, at the last word.
bool ts_reader_cut(struct ts_reader *self, const char *text);
// Cuts the text into words and begins the document. False: an error.
bool ts_reader_begin(struct ts_reader *self, struct ts_yaml *yaml, const char *path,
                     const char *text, enum ts_dialect dialect, struct ts_error *error);
// The document is complete; returns true if nothing went wrong.
bool ts_reader_end(struct ts_reader *self);

// --- words ---

const struct ts_token *ts_peek(const struct ts_reader *self, size_t ahead);
const struct ts_token *ts_next(struct ts_reader *self);
bool ts_is(const struct ts_token *token, const char *text);
// Takes the word if it is that one.
bool ts_accept(struct ts_reader *self, const char *text);
bool ts_expect(struct ts_reader *self, const char *text);
// One block deeper; false and an error if that is too deep. The caller counts `depth` down again.
bool ts_deeper(struct ts_reader *self);
// An error at a word; returns false.
bool ts_read_error(struct ts_reader *self, const struct ts_token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The text of a word, without %, @, ! and quotes.
const char *ts_word(const struct ts_token *token, char *to, size_t room);
// Words joined until one of the signs in `stops` outside brackets (which is not taken), or the end
// of the line if `line`. The text is one the expression reader understands.
bool ts_read_text(struct ts_reader *self, const char *stops, bool line, char *to, size_t room);

// --- the document ---

int ts_doc_map(struct ts_reader *self, const struct ts_token *at);
int ts_doc_list(struct ts_reader *self, const struct ts_token *at);
void ts_doc_put(struct ts_reader *self, int map, const char *key, int value,
                const struct ts_token *at);
void ts_doc_set(struct ts_reader *self, int map, const char *key, const char *value,
                const struct ts_token *at);
void ts_doc_append(struct ts_reader *self, int list, int item);
// A value in YAML's flow style.
int ts_doc_yaml(struct ts_reader *self, const char *text, const struct ts_token *at);
// The value of a key as text, or NULL; an element of a list by its name, or 0.
const char *ts_doc_text(struct ts_reader *self, int map, const char *key);
int ts_doc_named(struct ts_reader *self, int list, const char *name);
// One instruction as a line of the program text.
void ts_read_line(struct ts_reader *self, const struct ts_token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The lines so far belong to the side; false: there are some, and the side is not known.
bool ts_doc_flush(struct ts_reader *self);

// The forms.
bool ts_pipe_read_pto(struct ts_yaml *yaml, const char *path, const char *text,
                      struct ts_error *error);
bool ts_pipe_read_cpp(struct ts_yaml *yaml, const char *path, const char *text,
                      struct ts_error *error);
