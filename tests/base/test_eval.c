// Expressions: numbers, matrices, functions, and what is refused.
#include "platform/base/eval.h"
#include "platform/base/expr.h"
#include "tests/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// a is 2x3: 1 2 3 / 4 5 6; r is a row of 3; n is 7.
static bool named(void *context, const char *name, struct ts_value *value)
{
    (void)context;
    if (strcmp(name, "n") == 0 || strcmp(name, "a.tiles") == 0)
        return ts_value_number(value, 7);
    bool row = strcmp(name, "r") == 0;
    if (!row && strcmp(name, "a") != 0)
        return false;
    ts_value_init(value, row ? 1 : 2, 3);
    for (unsigned i = 0; i < value->rows * 3; i++)
        value->at[i] = i + 1;
    return true;
}

static bool call(void *context, const char *name, const struct ts_value *arguments, unsigned count,
                 struct ts_value *value, char *why, size_t room)
{
    (void)context, (void)why, (void)room;
    return strcmp(name, "twice") == 0 && count == 1 &&
           ts_value_number(value, 2 * arguments[0].at[0]);
}

static const struct ts_eval_names real = {named, call, NULL, false};
static const struct ts_eval_names whole = {named, call, NULL, true};

START_TEST(numbers)
{
    static const struct {
        const char *text;
        bool whole;
        double value;
    } rows[] = {
        {"1 + 2 * 3", false, 7},
        {"(1 + 2) * 3", false, 9},
        {"2 - 3 - 4", false, -5},
        {"7 / 2", false, 3.5},
        {"7.0 / 2", true, 3.5}, // an argument must then be whole: the caller sees to it
        {"n * 1.0 / 2", true, 3.5},
        {"n > 8 ? n / 2 : n / 7", true,
         1}, // who chooses, takes the other one's remainder for nothing
        {"ceil(n / 2) + trunc(n / 2)", true, 7},
        {"floor(-7 / 2)", true, -4},
        {"7 % 4", true, 3},
        {"0x10 + 1", true, 17},
        {"010 + 1", true, 11},
        {"1.5e1", false, 15},
        {"-n", false, -7},
        {"1||1&&1==1+1*(1||1&&1==1+1*(1||1&&1==1+1*(1||1&&1==1+1*(n))))", false, 1},
        {"--n + !!n", false, 8},
        {"!n", false, 0},
        {"!0", false, 1},
        {"n == 7 && 1 < 2 || 0", false, 1},
        {"n >= 8", false, 0},
        {"n != 7", false, 0},
        {"n > 3 ? 10 : 20", false, 10},
        {"n > 8 ? 10 : n > 6 ? 20 : 30", false, 20},
        {"twice(n) + 1", false, 15},
        {"a.tiles", false, 7},
        {"min(3, 4) + max(3, 4)", false, 7},
        {"ceil_div(7, 2)", true, 4},
        {"sum(a)", false, 21},
        {"mean(a)", false, 3.5},
        {"max(a)", false, 6},
        {"rows(a) * 10 + cols(a)", false, 23},
        {"relu(-3) + abs(-2) + square(3)", false, 11},
        {"floor(1.5) + ceil(1.5)", false, 3},
        {"pow(2, 10)", false, 1024},
        {"sum(a @ t(a))", false, 14 + 32 + 32 + 77},
        {"sum(matmul(t(a), a))", false, 36 + 225},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char why[100] = "";
        double got = 0;
        bool good = ts_eval_number(rows[i].text, rows[i].whole ? &whole : &real, &got, why,
                                   sizeof why);
        ck_assert_msg(good, "%s: %s", rows[i].text, why);
        ck_assert_msg(fabs(got - rows[i].value) < 1e-12, "%s: %g", rows[i].text, got);
    }
}
END_TEST

START_TEST(matrices)
{
    static const struct {
        const char *text;
        uint32_t rows, columns;
        double first, last;
    } rows[] = {
        {"a + r", 2, 3, 2, 9},
        {"a * 2", 2, 3, 2, 12},
        {"t(a)", 3, 2, 1, 6},
        {"transpose(a)", 3, 2, 1, 6},
        {"rowsum(a)", 2, 1, 6, 15},
        {"colmax(a)", 1, 3, 4, 6},
        {"rowmin(a)", 2, 1, 1, 4},
        {"colmean(a)", 1, 3, 2.5, 4.5},
        {"rows(a, 1, 2)", 1, 3, 4, 6},
        {"cols(a, 1, 3)", 2, 2, 2, 6},
        {"pad(a, 3, 4, 9)", 3, 4, 1, 9},
        {"rep(r, 2)", 1, 6, 1, 3},
        {"tile(r, 2, 2)", 2, 6, 1, 3},
        {"where(a > 3, a, 0)", 2, 3, 0, 6},
        {"rowargmax(a)", 2, 1, 2, 2},
        {"rowargmin(concat(a, 0 * t(r) @ r, a, 0))", 7, 1, 0, 0}, // the first of equals
        {"colargmax(concat(r, a, 0))", 1, 3, 2, 2},
        {"argmax(a)", 1, 1, 5, 5},
        {"argmin(0 - a)", 1, 1, 5, 5},
        {"concat(a, r, 0)", 3, 3, 1, 3},
        {"concat(a, 10 * a, a, 1)", 2, 9, 1, 6},
        {"cols(concat(a, 10 * a, 1), 3, 6)", 2, 3, 10, 60},
        {"softmax(0 * a)", 2, 3, 1.0 / 3, 1.0 / 3},
        {"rmsnorm(0 * a + 2)", 2, 3, 1, 1},
        {"layernorm(a)", 2, 3, -1.2247448713915890491, 1.2247448713915890491},
        {"attention(0 * a, a, a, 1)", 2, 3, 2.5, 4.5},  // the same weight for all rows
        {"attention(0 * a, a, a, 1, 1)", 2, 3, 1, 4.5}, // the first row sees itself only
        {"attention(0 * a, a, a, 2)", 2, 3, 1, 6},      // each row is a head of its own
        {"attention(1000 * a, a, a, 1)", 2, 3, 4, 6},   // the largest score takes all
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char why[100] = "";
        struct ts_value v;
        ck_assert_msg(ts_eval_matrix(rows[i].text, &real, &v, why, sizeof why), "%s: %s",
                      rows[i].text, why);
        ck_assert_uint_eq(v.rows, rows[i].rows);
        ck_assert_uint_eq(v.columns, rows[i].columns);
        ck_assert_msg(fabs(v.at[0] - rows[i].first) < 1e-12 &&
                          fabs(v.at[v.rows * v.columns - 1] - rows[i].last) < 1e-12,
                      "%s: %g ... %g", rows[i].text, v.at[0], v.at[v.rows * v.columns - 1]);
        free(v.at);
    }
}
END_TEST

START_TEST(refused)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"", "expected an expression at the end"},
        {"1 +", "expected an expression"},
        {"(1", "missing )"},
        {"1 2", "cannot read 2"},
        {"z", "nothing is called z"},
        {"z(1)", "no function z of 1 argument"},
        {"exp(1, 2)", "no function exp of 2 arguments"},
        {"attention(a, a, a, 3)", "the arguments of attention do not fit"},
        {"exp(1", "missing ) after the arguments of exp"},
        {"a @ a", "shapes do not fit @"},
        {"a + t(a)", "shapes do not fit +"},
        {"rows(a, 1, 9)", "arguments of rows do not fit"},
        {"concat(a, t(a), 0)", "arguments of concat do not fit"},
        {"concat(a, a, 2)", "arguments of concat do not fit"},
        {"1 ? 2", "missing : after ?"},
        {"1 / 0", "division by zero"},
        {"n / 2 * 2", "7 / 2 leaves a remainder: floor(a / b) rounds down"},
        {"max(1, n / 2)", "7 / 2 leaves a remainder"},
        {"n > 6 ? n / 2 : 1", "7 / 2 leaves a remainder"},
        {"min(1,2,3,4,5,6,7,8,9)", "too many arguments of min"},
        {"0x10000000000000000", "a number of more than 64 bits"},
        {"((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1", "nested too deep"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char why[100] = "";
        struct ts_value v;
        ck_assert_msg(!ts_eval_matrix(rows[i].text, &whole, &v, why, sizeof why), "%s",
                      rows[i].text);
        ck_assert_msg(strstr(why, rows[i].why) != NULL, "%s: %s", rows[i].text, why);
        ck_assert_ptr_null(v.at);
    }
    double number;
    char why[100];
    ck_assert(!ts_eval_number("a", &real, &number, why, sizeof why));
    ck_assert_ptr_nonnull(strstr(why, "2x3"));
}
END_TEST

static bool keep_number(void *context, const struct ts_expr_step *step, char *why, size_t room)
{
    (void)why, (void)room;
    *(uint64_t *)context = step->whole;
    return true;
}

// As `tensim run` reads them: hexadecimal behind 0x, otherwise decimal.
START_TEST(whole_numbers)
{
    static const struct {
        const char *text;
        uint64_t value;
    } rows[] = {{"10", 10}, {"010", 10}, {"08", 8}, {"0x10", 16}, {"0X1f", 31}, {"0", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t value = 0;
        const struct ts_expr_sink sink = {keep_number, &value, .matrices = false};
        const char *at = rows[i].text;
        char why[100];
        ck_assert(ts_expr_parse(&at, &sink, why, sizeof why) && *at == '\0');
        ck_assert_msg(value == rows[i].value, "%s is %llu", rows[i].text,
                      (unsigned long long)value);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, numbers);
    tcase_add_test(tests, matrices);
    tcase_add_test(tests, refused);
    tcase_add_test(tests, whole_numbers);
}
SUITE("eval", add_tests)
