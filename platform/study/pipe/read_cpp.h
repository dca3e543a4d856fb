// The reader of the C++ tile API in its two parts: declarations (read_cpp.c) and functions
// (read_cpp_code.c).
#ifndef TENSIM_STUDY_PIPE_READ_CPP_H
#define TENSIM_STUDY_PIPE_READ_CPP_H

#include "platform/study/pipe/read.h"

enum { TS_CPP_TYPES = 64, TS_CPP_SWITCHES = 64 };

// What setAllocateStatus and the like last said about one end of a pipe.
struct ts_cpp_switch {
    char pipe[32];
    unsigned which; // TS_SWITCH_...
    char text[TS_CALL_TEXT];
    unsigned set_in;  // loop in which it was set
    unsigned kept_in; // loop in which a call used what was set outside; 0: none
};

struct ts_cpp {
    struct ts_reader reader;
    struct ts_type types[TS_CPP_TYPES];
    unsigned type_count;
    struct ts_cpp_switch switches[TS_CPP_SWITCHES];
    unsigned switch_count;
    unsigned loop, loops; // the current one, and how many there were
    // The function being read: its lines wait until its side is known.
    int side; // -1: not yet
    struct ts_cpp_line {
        const struct ts_token *at;
        char text[400];
    } * lines;
    unsigned line_count, line_room;
};

// An alias or a template; NULL and nothing taken if there is none here.
const struct ts_type *ts_cpp_type(struct ts_cpp *self, struct ts_type *room);
// Declares what follows a type: `name`, `name[2]`, `name(args)`, `& name` of a parameter.
bool ts_cpp_declare(struct ts_cpp *self, const struct ts_type *type, int attributes,
                    bool parameter);
// A function's body, or one statement outside of all functions.
bool ts_cpp_body(struct ts_cpp *self, const struct ts_token *at);
bool ts_cpp_statement(struct ts_cpp *self);
// The side of what was read so far follows from a tile, or is known by an attribute.
bool ts_cpp_side(struct ts_cpp *self, int side, const struct ts_token *at);
bool ts_cpp_flush(struct ts_cpp *self, const struct ts_token *at);

#endif
