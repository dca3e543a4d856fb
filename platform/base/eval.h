// Expressions over matrices of doubles: numbers are matrices of 1x1. For what a program should
// compute, and for its arguments.
//
// The grammar is the one of expr.h. Operators work element by element; rows and columns of size 1 are
// repeated. Functions: those of eval_function.c, and the caller's own. Evaluated in double: / does not
// round. With `whole`, for arguments, division by zero is an error, and so is a quotient of two whole numbers with a
// remainder that goes anywhere but into floor, ceil, round, trunc or float: who writes it means C's division. A number with
// a decimal point is no whole number here.
#pragma once

#include "platform/base/std.h"

struct ts_value {
    uint32_t rows, columns;
    double *at; // row by row, to be freed
    // Of a number, with `whole` of ts_eval_names only.
    bool real;    // made of a number with a decimal point
    double of[2]; // a quotient of these whole numbers that has a remainder; of[1] 0: it is none
};

struct ts_eval_names {
    // The value of a name, allocated for the evaluator. False: there is none.
    bool (*name)(void *context, const char *name, struct ts_value *value);
    // A function of the caller's, or NULL. False: `why` says what is wrong, or is empty if there is
    // no such function.
    bool (*call)(void *context, const char *name, const struct ts_value *arguments, unsigned count,
                 struct ts_value *value, char *why, size_t room);
    void *context;
    bool whole;
};

// False: `why` says what is wrong. The value's array belongs to the caller.
bool ts_eval_matrix(const char *text, const struct ts_eval_names *names, struct ts_value *value,
                    char *why, size_t room);
// The same for a number.
bool ts_eval_number(const char *text, const struct ts_eval_names *names, double *number, char *why,
                    size_t room);

// A matrix of zeros. False: no memory.
bool ts_value_init(struct ts_value *self, uint32_t rows, uint32_t columns);
bool ts_value_number(struct ts_value *self, double number);

// eval_function.c: as `call` above.
bool ts_eval_function(const char *name, const struct ts_value *arguments, unsigned count,
                      struct ts_value *value, char *why, size_t room);
// Element (row, column) of a value whose rows and columns of size 1 are repeated.
static inline double ts_value_at(const struct ts_value *self, uint32_t row, uint32_t column)
{
    return self->at[(size_t)(self->rows == 1 ? 0 : row) * self->columns +
                    (self->columns == 1 ? 0 : column)];
}
// The shape of an element-wise result. False: the shapes do not fit.
bool ts_value_shape(const struct ts_value *values, unsigned count, uint32_t *rows,
                    uint32_t *columns);
bool ts_value_product(const struct ts_value *a, const struct ts_value *b, struct ts_value *value);
// to[j] += factors[i] * from[i * stride + j] for every j below `columns`, in the order of i.
void ts_value_add_rows(double *restrict to, const double *factors, uint32_t count,
                       const double *restrict from, size_t stride, uint32_t columns);
