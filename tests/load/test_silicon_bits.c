// Bits as silicon has them: our own vectors for every rule, and the reference's vectors that differ.
#include "platform/load/conform.h"
#include "tests/suite.h"
#include "units/isa/bits.h"

#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER  TENSIM_SOURCE_DIR "/tests/conform"
#define SILICON FOLDER "/silicon"
#define PARTS   8

static bool passes(const char *folder, const char *name, const struct ts_bits *bits, char note[256])
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    static struct ts_conform_file conform; // large
    struct ts_error error = {0};
    ck_assert_msg(ts_conform_read(&conform, path, &error), "%s", error.text);
    struct ts_conform_options options = {.tile = ts_tile_config_default()};
    if (bits) {
        options.given_bits = true;
        options.tile.bits = *bits;
    }
    struct ts_conform_result result;
    ts_conform_run(&conform, &options, &result);
    if (note)
        memcpy(note, conform.note, sizeof conform.note);
    ts_conform_free(&conform);
    return result.pass;
}

static int is_vector(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".ttv") == 0 &&
           strncmp(entry->d_name, "noc", 3) != 0;
}

// The rule that the note begins with; -1: none.
static int rule_of(const char *note)
{
    size_t length = strcspn(note, ":");
    for (int i = 0; i < TS_BIT_RULES; i++)
        if (strncmp(ts_bit_rule_info[i].name, note, length) == 0 &&
            ts_bit_rule_info[i].name[length] == '\0')
            return i;
    return -1;
}

// ---- our own vectors

// All vectors pass under their own rules. One for silicon fails when only its rule is the reference's:
// the rule is what it tests. Every rule has three.
START_TEST(every_rule_has_its_vectors)
{
    unsigned vectors[TS_BIT_RULES] = {0};
    struct dirent **entries;
    int count = scandir(SILICON, &entries, is_vector, alphasort);
    ck_assert_int_gt(count, 100);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char note[256];
        ck_assert_msg(passes(SILICON, name, NULL, note), "%s", name);
        int rule = strstr(name, ".ref.") ? -1 : rule_of(note);
        if (rule >= 0) {
            struct ts_bits without = ts_bits_all(TS_BITS_SILICON);
            without.silicon[rule] = TS_BITS_REFERENCE;
            ck_assert_msg(!passes(SILICON, name, &without, NULL), "%s: passes without the rule",
                          name);
            vectors[rule]++;
        }
        free(entries[i]);
    }
    free(entries);
    for (int i = 0; i < TS_BIT_RULES; i++)
        ck_assert_msg(vectors[i] >= 3, "%s: %u vectors", ts_bit_rule_info[i].name, vectors[i]);
}
END_TEST

// ---- the reference's vectors under silicon

struct listed {
    char name[128];
    bool rules[TS_BIT_RULES];
};

static struct listed list[1000];

static unsigned read_list(void)
{
    FILE *file = fopen(FOLDER "/differs.txt", "r");
    ck_assert_ptr_nonnull(file);
    unsigned count = 0;
    char line[400];
    while (fgets(line, sizeof line, file)) {
        if (*line == '#')
            continue;
        struct listed *row = &list[count++];
        memset(row, 0, sizeof *row);
        char *rest = NULL, *word = strtok_r(line, " \n", &rest);
        snprintf(row->name, sizeof row->name, "%s.ttv", word);
        while ((word = strtok_r(NULL, " \n", &rest))) {
            int rule = rule_of(word);
            ck_assert_msg(rule >= 0, "differs.txt: no rule %s", word);
            row->rules[rule] = true;
        }
    }
    fclose(file);
    return count;
}

static int by_name(const void *key, const void *row)
{
    return strcmp(key, ((const struct listed *)row)->name);
}

// A vector differs exactly if it is listed, and does not without the rules that the list names.
START_TEST(those_that_differ_are_listed)
{
    unsigned rows = read_list();
    struct dirent **entries;
    int count = scandir(FOLDER, &entries, is_vector, alphasort);
    ck_assert_int_gt(count, 800);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (i % PARTS == _i) {
            const struct listed *row = bsearch(name, list, rows, sizeof *list, by_name);
            struct ts_bits bits = ts_bits_all(TS_BITS_SILICON);
            ck_assert_msg(passes(FOLDER, name, &bits, NULL) == (row == NULL), "%s: %s", name,
                          row ? "listed, but does not differ" : "differs, and is not listed");
            for (int k = 0; row && k < TS_BIT_RULES; k++)
                bits.silicon[k] = !row->rules[k];
            ck_assert_msg(row == NULL || passes(FOLDER, name, &bits, NULL),
                          "%s: differs by other rules than those listed", name);
        }
        free(entries[i]);
    }
    free(entries);
}
END_TEST

// ---- the switch

START_TEST(one_switch_and_one_for_each)
{
    struct ts_params params = {0};
    struct ts_error error = {0};
    char path[512];
    ts_bits_add(&params);
    ts_config_path(path, sizeof path, "blackhole.yaml");
    ck_assert_msg(ts_params_load(&params, path, &error) == TS_OK, "%s", error.text);
    struct ts_bits bits = ts_bits_get(&params);
    for (int i = 0; i < TS_BIT_RULES; i++)
        ck_assert_uint_eq(bits.silicon[i], TS_BITS_SILICON);
    ck_assert_int_eq(ts_params_set(&params, "bits=ttsim-1.10.0", &error), TS_OK);
    ck_assert_int_eq(ts_params_set(&params, "bits.src_uncut=silicon", &error), TS_OK);
    bits = ts_bits_get(&params);
    for (int i = 0; i < TS_BIT_RULES; i++)
        ck_assert_uint_eq(bits.silicon[i], i == TS_BITS_src_uncut);
    // What is written can be read again.
    char text[] = "/tmp/tensim-bits-XXXXXX";
    FILE *file = fdopen(mkstemp(text), "w");
    ts_params_write(&params, file);
    fclose(file);
    ck_assert_msg(ts_params_load(&params, text, &error) == TS_OK, "%s", error.text);
    remove(text);
    bits = ts_bits_get(&params);
    ck_assert(bits.silicon[TS_BITS_src_uncut] && !bits.silicon[TS_BITS_move_fp32]);
    ck_assert_int_eq(ts_params_set(&params, "bits=wormhole", &error), TS_USAGE);
    ts_params_free(&params);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, every_rule_has_its_vectors);
    tcase_add_loop_test(tests, those_that_differ_are_listed, 0, PARTS);
    tcase_add_test(tests, one_switch_and_one_for_each);
}

SUITE("silicon bits", add_tests)
