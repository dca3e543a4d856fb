// The options of a command, by name: each stands once in options.def, with its letter, argument and help. A command says where a value
// goes; what has more to it than that is a function.
//
//   static const struct ts_take takes[] = {TS_FLAG("svg", struct arguments, svg), TS_CALL("elf", parse_elf), {0}};
//   static error_t parse(...) { switch (key) { case ARGP_KEY_ARG: ...; default: return ts_take(takes, key, arg, state); } }
//   const struct argp argp = {ts_take_rows(takes, NULL), parse, "FILE", doc};
#pragma once

#include "platform/base/std.h"

#include <argp.h>

struct ts_take {
    const char *name;
    enum {
        TS_TAKE_CALL,
        TS_TAKE_FLAG,
        TS_TAKE_TEXT,
        TS_TAKE_FILE, // it must be writable
        TS_TAKE_MANY,
        TS_TAKE_WHOLE
    } kind;
    size_t at; // in the input of the parser
    void (*call)(void *input, char *arg, struct argp_state *state);
    size_t size; // of a whole number, 4 or 8
    int64_t low, high;
    const char *form; // of --write
};
// clang-format off
#define TS_CALL(option, function) {.name = (option), .kind = TS_TAKE_CALL, .call = (function)}
#define TS_FLAG(option, type, field) {.name = (option), .kind = TS_TAKE_FLAG, .at = offsetof(type, field)}
#define TS_TEXT(option, type, field) {.name = (option), .kind = TS_TAKE_TEXT, .at = offsetof(type, field)}
#define TS_FILE(option, type, field) {.name = (option), .kind = TS_TAKE_FILE, .at = offsetof(type, field)}
#define TS_MANY(option, type, field) {.name = (option), .kind = TS_TAKE_MANY, .at = offsetof(type, field)}
#define TS_WHOLE(option, type, field, least, most) \
    {.name = (option), .kind = TS_TAKE_WHOLE, .at = offsetof(type, field), .size = sizeof(((type *)0)->field), .low = (least), .high = (most)}
// --write FORM:FILE: the FILE of a form, "-" without one (FILE), as it is (TEXT), or whether the form is asked for (FLAG).
#define TS_FORM(word, what, type, to) {.name = "write", .kind = TS_TAKE_##what, .at = offsetof(type, to), .form = (word)}
// clang-format on

// Values of an option that may be given more than once.
struct ts_texts {
    const char *text[256];
    size_t count;
};

// NAME(): a child parser of `takes`.
#define TS_TAKE_ARGP(name)                                             \
    static error_t parse(int key, char *arg, struct argp_state *state) \
    {                                                                  \
        return ts_take(takes, key, arg, state);                        \
    }                                                                  \
    const struct argp *name(void)                                      \
    {                                                                  \
        static struct argp argp = {.parser = parse};                   \
        argp.options = ts_take_rows(takes, NULL);                      \
        return &argp;                                                  \
    }

// Takes an option of the command line, or demands its files when all is read. ARGP_ERR_UNKNOWN: it is none of these.
error_t ts_take(const struct ts_take *takes, int key, char *arg, struct argp_state *state);
// The rows of argp's table, which stay for ever; `names`: those in the help, separated by blanks; NULL: all.
const struct argp_option *ts_take_rows(const struct ts_take *takes, const char *names);
// What argp calls a parser with.
int ts_option_key(const char *name);
// Does the value of an option follow this word of a command line: --json, -o?
bool ts_option_follows(const char *word);
// "--NAME: 'TEXT' is not a number from LOW to HIGH" ends the program.
int64_t ts_take_number(struct argp_state *state, const char *name, const char *text, int64_t low,
                       int64_t high);
