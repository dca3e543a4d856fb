// The pipe programs of the tree, for tests that go through all of them.
#ifndef TENSIM_TESTS_PIPE_FILES_H
#define TENSIM_TESTS_PIPE_FILES_H

#include <glob.h>

static glob_t files;

// Those of the tests first, then the examples: `*.yaml`, and `*.cpp`.
static inline void find_files(void)
{
    glob(TENSIM_SOURCE_DIR "/tests/study/pipe/gallery/*.yaml", 0, NULL, &files);
    glob(TENSIM_SOURCE_DIR "/tests/study/pipe/public/*.yaml", GLOB_APPEND, NULL, &files);
    glob(TENSIM_SOURCE_DIR "/config/pipes/[!t]*.yaml", GLOB_APPEND, NULL, &files);
    glob(TENSIM_SOURCE_DIR "/config/pipes/*.cpp", GLOB_APPEND, NULL, &files);
}

static inline void forget_files(void)
{
    globfree(&files);
}

#endif
