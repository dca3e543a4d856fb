// What the tests of explore share: the program that is judged, and random choices.
#ifndef TENSIM_TESTS_EXPLORE_PROGRAMS_H
#define TENSIM_TESTS_EXPLORE_PROGRAMS_H

#include "platform/study/explore/explore.h"

#include <check.h>

static struct ts_explore_program program; // large

static inline void parse(const char *text)
{
    struct ts_error error = {0};
    ts_explore_free(&program);
    ck_assert_msg(ts_explore_load(&program, "test", text, &error), "%s\n%s", error.text, text);
}

static inline struct ts_explore_result search(bool exhaustive, bool all)
{
    return ts_explore_search(&program,
                             &(struct ts_explore_options){.exhaustive = exhaustive, .all = all});
}

struct random {
    uint64_t state;
};

static inline unsigned draw(struct random *self, unsigned below)
{
    self->state = self->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(self->state >> 33) % below;
}

#endif
