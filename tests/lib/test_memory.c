// Memory runs out at every allocation in turn: the library returns the failure and frees its
// memory. Every allocation of the process goes through this file.
#include "platform/tensim.h"
#include "tests/folder.h"
#include "tests/suite.h"

#include <check.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

#if !SANITIZED

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *memory);

static atomic_long left = -1; // allocations until one fails; -1: none does
static atomic_long blocks;    // allocated

static bool fails(void)
{
    long now = atomic_load(&left);
    if (now < 0)
        return false;
    if (now > 0)
        atomic_store(&left, now - 1);
    return now == 0; // and so do all that follow
}

static void *counted(void *memory)
{
    if (memory)
        atomic_fetch_add(&blocks, 1);
    return memory;
}

void *malloc(size_t size)
{
    return fails() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *memory, size_t size)
{
    if (fails())
        return NULL;
    return memory ? __libc_realloc(memory, size) : counted(__libc_realloc(memory, size));
}

void *aligned_alloc(size_t align, size_t size)
{
    return fails() ? NULL : counted(__libc_memalign(align, size));
}

void free(void *memory)
{
    if (memory)
        atomic_fetch_sub(&blocks, 1);
    __libc_free(memory);
}

static enum tensim_code use_kernel(struct tensim_error *error)
{
    static const char *const settings[] = {"m=32", "n=32", "k=32"};
    struct tensim *sim = tensim_new_kernel("matmul", settings, 3, NULL, error);
    enum tensim_code code = sim ? tensim_run(sim, TENSIM_FOREVER, error) : error->code;
    struct tensim_document *result = code == TENSIM_OK ? tensim_document(sim, "result", error)
                                                       : NULL,
                           *stats = result ? tensim_document(sim, "stats", error) : NULL;
    if (code == TENSIM_OK && stats == NULL)
        code = error->code;
    tensim_document_free(result);
    tensim_document_free(stats);
    tensim_free(sim);
    return code;
}

// A chip with two tiles, a trace and a hang.
static enum tensim_code use_chip(struct tensim_error *error)
{
    static const uint32_t hangs[] = {0x10002503, 0xfe050ee3}; // lw a0, 0x100(zero); beqz a0, -4
    static const struct tensim_xy tiles[2] = {{1, 2}, {2, 2}};
    struct tensim_config config;
    tensim_config_init(&config);
    config.chip = "p150";
    config.tiles = tiles;
    config.tile_count = 2;
    struct tensim *sim = tensim_new(&config, error);
    enum tensim_code code = sim ? tensim_trace(sim, "/dev/null", 0, 100, error) : error->code;
    if (code == TENSIM_OK)
        code = tensim_write(sim, tiles[1], 0, hangs, sizeof hangs, error);
    if (code == TENSIM_OK)
        code = tensim_start(sim, tiles[1], TENSIM_BRISC, error);
    if (code == TENSIM_OK)
        code = tensim_run(sim, 20000, error);
    struct tensim_document *hang = code == TENSIM_HANG ? tensim_document(sim, "hang", error) : NULL;
    char *json = hang ? tensim_json(sim, "hang", error) : NULL;
    char *text = json ? tensim_hang_text(sim, error) : NULL;
    if (code == TENSIM_HANG)
        code = text ? TENSIM_OK : error->code;
    tensim_document_free(hang);
    tensim_text_free(json);
    tensim_text_free(text);
    tensim_free(sim);
    return code;
}

static char scenario[100];

// A scenario that dumps a file.
static enum tensim_code use_scenario(struct tensim_error *error)
{
    struct tensim *sim = tensim_new_scenario(scenario, NULL, error);
    enum tensim_code code = sim ? tensim_run(sim, TENSIM_FOREVER, error) : error->code;
    tensim_free(sim);
    return code;
}

// Fails the allocations from the i-th on, for every i until none is left that could fail; large
// steps where there are many.
static void starve(enum tensim_code (*use)(struct tensim_error *error))
{
    struct tensim_error error;
    ck_assert_int_eq(use(&error), TENSIM_OK); // cached memory is there now
    for (long i = 0, refused = 0;; i += 1 + i / 50) {
        long before = atomic_load(&blocks);
        memset(&error, 0, sizeof error);
        atomic_store(&left, i);
        enum tensim_code code = use(&error);
        bool ran_out = atomic_exchange(&left, -1) == 0;
        // libyaml loses the items of a collection that it cannot put into its document.
        bool in_libyaml = strstr(error.text, "no memory to read it") != NULL;
        ck_assert_msg(atomic_load(&blocks) == before || in_libyaml,
                      "allocation %ld: %ld blocks are lost: %s", i, atomic_load(&blocks) - before,
                      error.text);
        if (code == TENSIM_OK && !ran_out) {
            ck_assert_int_gt(refused, 10);
            return;
        }
        // Libraries below may call it a set-up error; texts may be shorter.
        ck_assert_msg(code == TENSIM_NO_MEMORY || code == TENSIM_SETUP || code == TENSIM_OK,
                      "allocation %ld: code %d, %s", i, code, error.text);
        refused += code != TENSIM_OK;
    }
}

START_TEST(kernels_hand_it_back)
{
    starve(use_kernel);
}
END_TEST

START_TEST(scenarios_hand_it_back)
{
    folder_make();
    snprintf(scenario, sizeof scenario, "%s/scenario.yaml", folder);
    FILE *file = fopen(scenario, "w");
    ck_assert_ptr_nonnull(file);
    fputs("tiles:\n  1-2: {}\nscript:\n  - write: {address: 0x100, words: [1, 2]}\n"
          "  - dump: {address: 0x100, length: 8, file: dumped.bin}\n",
          file);
    fclose(file);
    starve(use_scenario);
    folder_remove();
}
END_TEST

START_TEST(chips_hand_it_back)
{
    starve(use_chip);
}
END_TEST

#else

START_TEST(kernels_hand_it_back) {}
END_TEST
START_TEST(chips_hand_it_back) {}
END_TEST
START_TEST(scenarios_hand_it_back) {}
END_TEST

#endif

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, kernels_hand_it_back);
    tcase_add_test(tests, chips_hand_it_back);
    tcase_add_test(tests, scenarios_hand_it_back);
}

SUITE("memory", add_tests)
