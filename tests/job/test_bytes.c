// What a low-level kernel is before its first cycle: images, launch block, operands in L1 and DRAM. tests/job/bytes.csv has a
// hash of each golden row of the families kernel and grid, and of each format with each row of test_combinations; the hashes
// were made by the host code that these program files replaced (config/programs/llk).
//   test_bytes --write FILE: writes the table
#include "platform/base/hash.h"
#include "platform/lib/inside.h"
#include "platform/run/guest.h"
#include "tests/suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#define TABLE TENSIM_SOURCE_DIR "/tests/job/bytes.csv"
#define CODE  TS_L1_SEMAPHORES // L1 below it holds the images
#define DRAM  0x20000          // bytes of a channel that are looked at

static const char *const formats[] = {"fp32",  "tf32",  "fp16",  "bf16", "bfp8", "bfp4",  "bfp2",
                                      "bfp8a", "bfp4a", "bfp2a", "fp8",  "int8", "int16", "int32"};
#define FORMATS (sizeof formats / sizeof *formats)

// --- one case ---

static uint64_t hash_images(uint64_t hash, const struct ts_tile *tile)
{
    for (unsigned core = 0; core < TS_RV_CORES; core++)
        for (const struct ts_guest_program *program = ts_guest_programs; program->name; program++)
            if (program->bytes == tile->programs[core].bytes)
                hash = ts_hash_bytes(hash, program->name, strlen(program->name));
    return hash;
}

static uint64_t hash_dram(uint64_t hash, struct tensim *sim)
{
    static uint64_t words[DRAM / 8];
    struct tensim_error error;
    for (uint32_t channel = 0; channel < TS_DRAM_CHANNELS; channel++) {
        if (tensim_dram_read(sim, channel, 0, words, DRAM, &error) != TENSIM_OK)
            abort();
        hash = ts_hash_words(hash, words, DRAM / 8);
    }
    return hash;
}

// "matmul m=64 n=64": its bytes, or the exit code of its refusal.
static uint64_t hash_case(const char *text)
{
    char copy[256], *rest = copy, *settings[32];
    size_t count = 0;
    struct tensim_error error;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word; (word = strsep(&rest, " ")) != NULL;)
        if (*word)
            settings[count++] = word;
    struct tensim *sim = tensim_new_kernel(settings[0], (const char *const *)settings + 1,
                                           count - 1, NULL, &error);
    uint64_t hash = TS_HASH_START;
    if (sim == NULL)
        return ts_hash_word(hash, (uint64_t)error.code);
    for (uint32_t i = 0; i < sim->work->made; i++) {
        const struct ts_tile *tile = sim->work->jobs[i].tile;
        uint64_t words[(TS_L1_SIZE - CODE) / 8];
        memcpy(words, tile->l1.bytes + CODE, sizeof words);
        hash = ts_hash_words(hash_images(hash, tile), words, sizeof words / 8);
        hash = ts_hash_word(ts_hash_word(hash, tile->x), tile->y);
    }
    if (strstr(text, "grid="))
        hash = hash_dram(hash, sim);
    tensim_free(sim);
    return hash;
}

// A row of the table: alone, or with FORMAT for every width of Dst and every format of the result.
static uint64_t hash_row(const char *text)
{
    const char *formatted = strstr(text, "format=");
    bool each = formatted && text[strlen(text) - 1] == '*';
    uint64_t hash = TS_HASH_START;
    if (!each)
        return hash_case(text);
    const bool wide = strncmp(text, "norm", 4) != 0 && strstr(text, "tilize") == NULL; // has --dst
    for (unsigned dst = 16; dst <= (wide ? 32 : 16); dst += 16)
        for (unsigned out = 0; out <= FORMATS; out++) {
            char one[256];
            const int length = (int)strlen(text) - 2;
            size_t used = (size_t)snprintf(one, sizeof one, "%.*s", length, text);
            if (wide)
                used += (size_t)snprintf(one + used, sizeof one - used, " dst=%u", dst);
            if (out < FORMATS)
                snprintf(one + used, sizeof one - used, " out-format=%s", formats[out]);
            hash = ts_hash_word(hash, hash_case(one));
        }
    return hash;
}

// --- the table ---

static struct {
    char text[256];
    unsigned long long hash;
} rows[1024];
static int row_count;

static void read_table(const char *path)
{
    char line[300];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        char *comma = strrchr(line, ',');
        if (line[0] == '#' || comma == NULL)
            continue;
        *comma = '\0';
        snprintf(rows[row_count].text, sizeof rows->text, "%.255s", line);
        sscanf(comma + 1, "%llx", &rows[row_count++].hash);
    }
    if (file == NULL || fclose(file) != 0)
        abort();
}

#define STEP 12 // of a sample of rows with every format of the result

START_TEST(same_bytes)
{
    const char *text = rows[_i].text;
    if (text[strlen(text) - 1] == '*' && !suite_every_case() && _i % STEP)
        return;
    unsigned long long hash = hash_row(text);
    ck_assert_msg(hash == rows[_i].hash, "%s: %016llx, not %016llx", text, hash, rows[_i].hash);
}
END_TEST

static void add_tests(TCase *tests)
{
    read_table(TABLE);
    suite_sample(1, STEP, "rows with every format of the result");
    tcase_add_loop_test(tests, same_bytes, 0, row_count);
}

static int begin(int argc, char **argv)
{
    if (argc < 3 || strcmp(argv[1], "--write") != 0)
        return 0;
    read_table(TABLE);
    FILE *file = fopen(argv[2], "w");
    for (int i = 0; file && i < row_count; i++)
        fprintf(file, "%s,%016llx\n", rows[i].text, (unsigned long long)hash_row(rows[i].text));
    if (file == NULL || fclose(file) != 0)
        return 1;
    exit(0);
}

SUITE("bytes", add_tests, .one_process = true, .begin = begin)
