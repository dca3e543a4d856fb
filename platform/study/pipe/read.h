// What the two readers share: types, attributes and calls as they are collected, and the
// declarations and instructions that they become.
#pragma once

#include "cores/pto/isa.h"
#include "platform/study/pipe/lex.h"

enum { TS_CALL_ITEMS = 6, TS_CALL_TEXT = 160, TS_TYPE_ARGS = 12, TS_CPP_TYPES = 64 };

// A type with its arguments: !pto.tile_buf<f32, 64, 64>, Tile<TileType::Acc, float, 64, 64>.
struct ts_type {
    const struct ts_token *at;
    char alias[40]; // C++: the name it is given; "": none
    char name[40];  // pto.tile_buf; Tile TPipe TMPipe GlobalTensor GlobalWindow
    char arg[TS_TYPE_ARGS][TS_CALL_TEXT];
    unsigned args;
    bool open; // PTO: has "..." or "?"
};

// Does a type begin at the word?
bool ts_is_type(const struct ts_reader *self, const struct ts_token *token);
bool ts_read_type(struct ts_reader *self, struct ts_type *type);
// Has the type so many arguments?
bool ts_type_takes(struct ts_reader *self, const struct ts_type *type, unsigned least,
                   unsigned most);
// What a type says, as keys: its element type; element type, rows and columns from an argument on;
// all of a TPipe or TMPipe.
bool ts_type_dtype(struct ts_reader *self, int map, const struct ts_type *type, unsigned arg);
bool ts_type_shape(struct ts_reader *self, int map, const struct ts_type *type, unsigned first);
bool ts_type_pipe(struct ts_reader *self, int map, const struct ts_type *type, bool tm);
// A TMPipe's producer or consumer tile from its argument: of an alias, or given in place.
struct ts_type ts_type_end(const struct ts_reader *self, const struct ts_type *type, unsigned arg);

// { key = value, word, ... } of PTO, [[key(value), word, ...]] of C++: calls back for each.
typedef bool ts_attribute(struct ts_reader *self, void *context, const char *key, const char *value,
                          const struct ts_token *at);
bool ts_read_attributes(struct ts_reader *self, ts_attribute *with, void *context);

struct ts_call {
    const struct ts_token *at;
    enum ts_op op;
    char item[TS_CALL_ITEMS][TS_CALL_TEXT]; // operands in the order of the pattern, pipe left out
    unsigned items;
    char pipe[32];
    char split[24]; // "": none is named
    char options[300];
};

// The operation of a name, or TS_OP_COUNT.
enum ts_op ts_read_op(enum ts_dialect dialect, const char *name);
// Is there such an operation, near the word?
const char *ts_read_nearest(const char *mnemonic);
// Adds an operand; false: there are too many.
bool ts_call_add(struct ts_reader *self, struct ts_call *call, const char *text);
// Adds an option (of a struct ts_call): a word alone, or with a value.
ts_attribute ts_call_option;
// The call as one line of the program text (asm.c).
bool ts_call_line(struct ts_reader *self, struct ts_call *call);

// The name of an element type in any form's spelling; NULL: there is no such type.
const char *ts_read_dtype(const char *name);
// The name of a location, FIFO type, direction or ratio as YAML has it: "TileType::Acc", "Acc" and
// "acc" are acc; "DIR_C2V" is c2v; "GM_FIFO" is gm.
void ts_read_lower(const char *name, char *to, size_t room);

// C++: what setAllocateStatus and the like last said about one end of a pipe.
enum { TS_CPP_SWITCHES = 64 };
struct ts_cpp_switch {
    char pipe[32];
    unsigned which; // TS_SWITCH_...
    char text[TS_CALL_TEXT];
    unsigned set_in;  // loop in which it was set
    unsigned kept_in; // loop in which a call used what was set outside; 0: none
};

struct ts_cpp {
    struct ts_type types[TS_CPP_TYPES]; // with an alias
    unsigned type_count;
    struct ts_cpp_switch switches[TS_CPP_SWITCHES];
    unsigned switch_count;
    unsigned loop, loops; // the current one, and how many there were
};

// read_cpp.c: an alias or a template; NULL and nothing taken if there is none here.
const struct ts_type *ts_cpp_type(struct ts_reader *self, struct ts_type *room);
// Declares what follows a type: `name`, `name[2]`, `name(args)`, `& name` of a parameter.
bool ts_cpp_declare(struct ts_reader *self, const struct ts_type *type, int attributes,
                    bool parameter);
// read_cpp_code.c: a function's body, or one statement outside of all functions.
bool ts_cpp_body(struct ts_reader *self, const struct ts_token *at);
bool ts_cpp_statement(struct ts_reader *self);
// The side of what was read so far follows from a tile, or is known by an attribute.
bool ts_cpp_side(struct ts_reader *self, int side, const struct ts_token *at);
bool ts_cpp_flush(struct ts_reader *self, const struct ts_token *at);

// read_pto.c, read_pto_code.c: { statements } of one side.
bool ts_pto_section(struct ts_reader *self, unsigned side);
