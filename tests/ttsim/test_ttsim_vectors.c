// The conformance vectors through libttsim.so: loaded through windows, started by soft reset, polled for their done words.
// A card that runs is copied for each (fork).
#include "platform/load/conform.h"
#include "tests/suite.h"
#include "tests/ttsim/card.h"

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#define VECTORS 871
#define STEPS   20000

static struct card card;
static struct ts_conform_file vector; // large

// --- a vector ---

static void load(void)
{
    for (uint32_t i = 0; i < vector.load_count; i++) {
        const struct ts_conform_range *row = &vector.loads[i];
        card_write(&card, vector.tiles[row->tile].x, vector.tiles[row->tile].y, row->address,
                   vector.data + row->offset, row->length);
    }
    for (uint32_t i = 0; i < vector.done_count; i++)
        card_write32(&card, vector.tiles[vector.dones[i].tile].x,
                     vector.tiles[vector.dones[i].tile].y, vector.dones[i].address, 0);
}

// Programs share data in L1 and never flush the L0 caches. As the vendor's firmware does, a few instructions before each
// of them switch its L0 off; BRISC, which starts at 0, has no room for them.
static uint32_t boot(uint32_t x, uint32_t y, uint32_t core, uint32_t pc)
{
    struct program program = {.count = 0};
    uint32_t address = 0x17f000 + 0x40 * core;
    emit(&program, 0x7c046073); // csrsi cfg0, 8
    emit_li(&program, 5, pc);
    emit(&program, 0x00028067); // jr t0
    card_write(&card, x, y, address, program.word, 4 * program.count);
    return address;
}

static void release(void)
{
    static const uint32_t bits[] = {0x800, 0x1000, 0x2000, 0x4000, 0x40000};
    for (uint32_t i = 0; i < vector.core_count; i++) {
        uint32_t x = vector.tiles[vector.cores[i].tile].x, y = vector.tiles[vector.cores[i].tile].y;
        uint32_t core = vector.cores[i].core, pc = boot(x, y, core, vector.cores[i].pc);
        if (core == TS_RV_NCRISC) {
            card_write32(&card, x, y, 0xffb12238, pc);
            card_write32(&card, x, y, 0xffb1223c, 1);
        } else if (core != TS_RV_BRISC) {
            card_write32(&card, x, y, 0xffb12228 + 4 * (core - TS_RV_TRISC0), pc);
            card_write32(&card, x, y, 0xffb12234,
                         card_read32(&card, x, y, 0xffb12234) | 1u << (core - TS_RV_TRISC0));
        }
        card_write32(&card, x, y, SOFT_RESET, card_read32(&card, x, y, SOFT_RESET) & ~bits[core]);
    }
}

static bool done(void)
{
    for (uint32_t i = 0; i < vector.done_count; i++)
        if (!card_wait(&card, vector.tiles[vector.dones[i].tile].x,
                       vector.tiles[vector.dones[i].tile].y, vector.dones[i].address,
                       vector.dones[i].value, STEPS))
            return false;
    return true;
}

static bool compare(void)
{
    static unsigned char got[1 << 21];
    for (uint32_t i = 0; i < vector.expect_count; i++) {
        const struct ts_conform_range *row = &vector.expects[i];
        card_read(&card, vector.tiles[row->tile].x, vector.tiles[row->tile].y, row->address, got,
                  row->length);
        if (memcmp(got, vector.data + row->offset, row->length) != 0)
            return false;
    }
    return true;
}

// In a copy of this process. "", or what is wrong.
static const char *replay(const char *path)
{
    struct ts_error error = {0};
    int status;
    if (!ts_conform_read(&vector, path, &error))
        return "cannot be read";
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        load();
        release();
        int code = !done() ? 90 : compare() ? 0 : 91;
        _exit(code);
    }
    waitpid(child, &status, 0);
    ts_conform_free(&vector);
    if (!WIFEXITED(status))
        return "killed";
    static const char *const wrong[] = {"not done", "bytes differ"};
    int code = WEXITSTATUS(status);
    return code == 0 ? "" : code >= 90 ? wrong[code - 90] : "ended by the library";
}

// --- all of them ---

static int is_vector(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".ttv") == 0;
}

START_TEST(vectors_pass_through_the_interface)
{
    struct dirent **entries = NULL;
    int failed = 0,
        count = scandir(TENSIM_SOURCE_DIR "/tests/conform", &entries, is_vector, alphasort);
    ck_assert_int_eq(count, VECTORS);
    int step = VECTORS / suite_sample(40, VECTORS, "vectors");
    setenv("TENSIM_OPTIONS", "-D bits=ttsim-1.10.0 -q", 1);
    card_open(&card);
    card.init();
    for (int i = 0; i < count; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/tests/conform/%s", TENSIM_SOURCE_DIR, entries[i]->d_name);
        const char *wrong = i % step == 0 ? replay(path) : "";
        if (*wrong) {
            printf("%s: %s\n", entries[i]->d_name, wrong);
            failed++;
        }
        free(entries[i]);
    }
    free(entries);
    card.exit();
    dlclose(card.library);
    ck_assert_int_eq(failed, 0);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, vectors_pass_through_the_interface);
}

SUITE("ttsim vectors", add_tests, .one_process = true)
