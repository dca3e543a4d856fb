// What the two readers share: calls as they are collected, and the instruction they become.
#ifndef TENSIM_STUDY_PIPE_READ_H
#define TENSIM_STUDY_PIPE_READ_H

#include "cores/pto/isa.h"
#include "platform/study/pipe/lex.h"

enum { TS_CALL_ITEMS = 6, TS_CALL_TEXT = 160 };

struct ts_call {
    const struct ts_token *at;
    enum ts_op op;
    char item[TS_CALL_ITEMS][TS_CALL_TEXT]; // operands in the order of the pattern, pipe left out
    unsigned items;
    char pipe[32];
    char split[24]; // "": none is named
    char options[300];
};

// The operation with that mnemonic, or TS_OP_COUNT.
enum ts_op ts_read_op(const char *mnemonic);
// Is there such an operation, near the word?
const char *ts_read_nearest(const char *mnemonic);
// Adds an operand; false: there are too many.
bool ts_call_add(struct ts_reader *self, struct ts_call *call, const char *text);
// Adds an option: a word alone, or with a value.
bool ts_call_option(struct ts_reader *self, struct ts_call *call, const char *key,
                    const char *value, const struct ts_token *at);
// The call as one line of the program text (asm.c).
bool ts_call_text(struct ts_reader *self, const struct ts_call *call, char *to, size_t room);

// Type names of both forms and of YAML; NULL: there is no such type.
const char *ts_read_dtype(const char *name);
// The name of a location, FIFO type, direction or ratio as YAML has it: "TileType::Acc", "Acc" and
// "acc" are acc; "DIR_C2V" is c2v; "GM_FIFO" is gm.
void ts_read_lower(const char *name, char *to, size_t room);

// A type: !pto.tile_buf<vec, f32, 8, 32>, Tile<TileType::Vec, float, 8, 32>, perhaps under a name of its own. A type among the
// arguments is its arguments with commas between them.
enum { TS_TYPE_ARGS = 12 };
struct ts_type {
    const struct ts_token *at;
    char alias[40]; // "": none
    char name[40];
    char arg[TS_TYPE_ARGS][TS_CALL_TEXT];
    unsigned args;
    bool open; // has "..." or "?"
};

// Is this the name of a template of the C++ tile API?
bool ts_is_template(const struct ts_token *token);
bool ts_read_type(struct ts_reader *self, struct ts_type *type);
// {key = value, word} of PTO, [[key(value), word]] of C++: calls back for each.
typedef bool ts_read_attribute(struct ts_reader *self, void *context, const char *key,
                               const char *value, const struct ts_token *at);
bool ts_read_attributes(struct ts_reader *self, ts_read_attribute *with, void *context);

// What a type says, as keys of a declaration: element type, rows and columns from argument `first` on; a pipe's parameters.
bool ts_doc_dtype(struct ts_reader *self, int map, const struct ts_type *type, unsigned arg);
bool ts_doc_shape(struct ts_reader *self, int map, const struct ts_type *type, unsigned first);
bool ts_doc_pipe(struct ts_reader *self, int map, const struct ts_type *type, bool tm);
bool ts_doc_enough(struct ts_reader *self, const struct ts_type *type, unsigned least,
                   unsigned most);

#endif
