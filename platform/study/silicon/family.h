// A family of the truth table from config/silicon/FAMILY.def: include it once for each, with FAMILY defined.
//
//   TITLE(title, median, p90, groups)   bars of the absolute errors; groups of parameters that rows can depend on
//   ROW(id, measured, program, set, figure, workload, metric)
//     measured   what the card showed; F(a, b ...): several figures
//     program    a macro of config/probes/FAMILY.S, and the symbols that are set before it
//     figure     of the results r[0], r[1] ... in the unit of the measured one (figures.h)
//     workload   our words for it; and the unit
//   OFF(... , cause)                    a row with the cause of an error above 10 %; within 10 % it must be a ROW
//   LEFT(from, to, reason)              rows that are not re-created
// A figure is a C expression, here; program and set are assembler, there. With FILES defined they are a program file in config and its settings
// (SOURCES: over the vendor's kernels, or a trace of NoC requests, in that folder of the user's tree); r[0] is all its cycles, r[1] those of its math
// kernels (of a TPUSH/TPOP program: the work of the vector pipe). MACHINE: of the cards.
// clang-format off
#define FAMILY_JOIN(a, b) a##b
#define FAMILY_NAME(a, b) FAMILY_JOIN(a, b)
#define FAMILY_AT(a)      FAMILY_NAME(FAMILY_NAME(a, FAMILY), __LINE__)
#define FAMILY_TEXT_(a)   #a
#define FAMILY_TEXT(a)    FAMILY_TEXT_(a)
#define FAMILY_FILE(name) <config/silicon/name.def>
#define FIRST_(first, ...) first
#define FIRST(...)         FIRST_(__VA_ARGS__, 0)
#define F(...)             __VA_ARGS__
#define NUMBERS(...)       ((const double[]){__VA_ARGS__})

// The figure of a row is a function, named after the family and the line of the row.
#define TITLE(title, median, p90, groups)
#define LEFT(from, to, reason)
#define FAMILY_FIGURE(how)                                               \
    static double FAMILY_AT(figure_)(const double *r, double *figures)   \
    {                                                                    \
        (void)r;                                                         \
        (void)figures;                                                   \
        return how;                                                      \
    }
#define ROW(id, measured, program, set, how, workload, metric)        FAMILY_FIGURE(how)
#define OFF(id, measured, program, set, how, workload, metric, cause) FAMILY_FIGURE(how)
#include FAMILY_FILE(FAMILY)
#undef ROW
#undef OFF

#ifdef SOURCES
#define FAMILY_SOURCES SOURCES
#else
#define FAMILY_SOURCES NULL
#endif
#ifdef FILES
#define FAMILY_FILES(program, set) .file = #program, .settings = #set,
#define FAMILY_IS_FILES            true
#else
#define FAMILY_FILES(program, set)
#define FAMILY_IS_FILES false
#endif
#define FAMILY_ROW(name, words, unit, why, from, ...)                    \
    {.id = name,                                                         \
     .measured = FIRST(__VA_ARGS__),                                     \
     .others = NUMBERS(__VA_ARGS__) + 1,                                 \
     .other_count = sizeof NUMBERS(__VA_ARGS__) / sizeof(double) - 1,    \
     .cause = why,                                                       \
     .figure = FAMILY_AT(figure_),                                       \
     .workload = words,                                                  \
     .metric = unit,                                                     \
     from},
#define ROW(id, measured, program, set, how, workload, metric)           \
    FAMILY_ROW(id, workload, metric, NULL, FAMILY_FILES(program, set), measured)
#define OFF(id, measured, program, set, how, workload, metric, cause)    \
    FAMILY_ROW(id, workload, metric, cause, FAMILY_FILES(program, set), measured)
static const struct ts_silicon_row FAMILY_NAME(rows_, FAMILY)[] = {
#include FAMILY_FILE(FAMILY)
};
#undef ROW
#undef OFF
#undef LEFT

#define ROW(id, measured, program, set, how, workload, metric)
#define OFF(id, measured, program, set, how, workload, metric, cause)
#define LEFT(from, to, reason) {from, to, reason},
static const struct ts_silicon_left FAMILY_NAME(left_, FAMILY)[] = {
#include FAMILY_FILE(FAMILY)
    {0},
};
#undef TITLE
#undef LEFT

#define LEFT(from, to, reason)
#define TITLE(words, middle, nine, which)                                \
    .title = words, .median = middle, .p90 = nine, .groups = which,
static const struct ts_silicon_family FAMILY = {
    .name = FAMILY_TEXT(FAMILY),
    .rows = FAMILY_NAME(rows_, FAMILY),
    .count = sizeof FAMILY_NAME(rows_, FAMILY) / sizeof *FAMILY_NAME(rows_, FAMILY),
    .left = FAMILY_NAME(left_, FAMILY),
    .files = FAMILY_IS_FILES,
    .sources = FAMILY_SOURCES,
    .machine = MACHINE,
#include FAMILY_FILE(FAMILY)
};
#undef ROW
#undef OFF
#undef LEFT
#undef TITLE
#undef FAMILY
#undef FAMILY_ROW
#undef FAMILY_FILES
#undef FAMILY_IS_FILES
#undef FAMILY_SOURCES
#undef SOURCES
// clang-format on
