// The grammar of expressions, for all who read them: a text becomes operations in postfix order.
//
//   || && == != < <= > >= + - * / %, unary - and !, parentheses, numbers, names
//   with `matrices` also: @ (matrix product), c ? a : b, f(x, ...), names with dots, fractions
//
// The parser hands each operation to a sink. eval.c evaluates it at once, over matrices of doubles;
// platform/study/pipe keeps it, to be evaluated often over integers (cores/pto/isa.c).
#pragma once

#include "platform/base/std.h"

enum ts_expr_op {
    TS_EXPR_NUMBER,
    TS_EXPR_NAME, // what it stands for is the sink's matter
#define TS_EXPR_BINARY(id, ...) TS_EXPR_##id,
#include "config/expressions.def"
    TS_EXPR_MATMUL,
    TS_EXPR_NEG,
    TS_EXPR_NOT,
    TS_EXPR_CHOOSE, // c a b: a where c, else b
    TS_EXPR_CALL,   // of a name, with `count` arguments
};

enum {
    TS_EXPR_STACK = 64,    // values that wait for their operator, at most
    TS_EXPR_LEVELS = 5,    // of operators: the highest binds most
    TS_EXPR_ARGUMENTS = 8, // of a call, at most
};

struct ts_expr_operator {
    const char *text; // NULL: it is no binary operator
    int level;
};
extern const struct ts_expr_operator ts_expr_operators[TS_EXPR_CALL + 1]; // by operation

struct ts_expr_step {
    enum ts_expr_op op;
    double number;    // of TS_EXPR_NUMBER
    uint64_t whole;   // the same without its fraction
    bool point;       // it is written with a decimal point
    const char *name; // of TS_EXPR_NAME and TS_EXPR_CALL
    unsigned count;   // values that it takes from the stack; each leaves one
};

struct ts_expr_sink {
    // One operation. False: `why` says what is wrong.
    bool (*step)(void *context, const struct ts_expr_step *step, char *why, size_t room);
    void *context;
    bool matrices;
};

// Reads an expression at *at, and moves *at behind it and the blanks that follow. False: `why` says
// what is wrong.
bool ts_expr_parse(const char **at, const struct ts_expr_sink *sink, char *why, size_t room);
