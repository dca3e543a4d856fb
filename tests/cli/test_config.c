// `tensim config fixed`: rows that name parameters name those that there are, with their values and ranges; every fixed row has a
// reason.
#include "tests/out/folder.h"
#include "tests/suite.h"

#include <jansson.h>

static json_t *document_of(const char *arguments)
{
    char line[80];
    snprintf(line, sizeof line, "$T config %s --json it.json", arguments);
    ck_assert_int_eq(shell(line), 0);
    json_t *document = json_load_file(in_folder("it.json"), 0, NULL);
    ck_assert_ptr_nonnull(document);
    return document;
}

static const json_t *parameter(const json_t *all, const char *key)
{
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(all, "parameters"), i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "key")), key) == 0)
            return row;
    }
    return NULL;
}

START_TEST(structure_names_parameters)
{
    json_t *all = document_of(""), *structure = document_of("--fixed"), *row;
    size_t i, varies = 0, fixed = 0;
    json_array_foreach(json_object_get(structure, "varies"), i, row)
    {
        const char *name = json_string_value(json_object_get(row, "parameter"));
        const json_t *own = parameter(all, name);
        ck_assert_msg(own || strcmp(name, "chip") == 0, "no parameter %s", name);
        if (own)
            ck_assert(json_equal(json_object_get(own, "value"), json_object_get(row, "value")));
        varies++;
    }
    json_array_foreach(json_object_get(structure, "fixed"), i, row)
    {
        char nearest[200];
        snprintf(nearest, sizeof nearest, "%s", json_string_value(json_object_get(row, "nearest")));
        ck_assert_uint_gt(json_string_length(json_object_get(row, "why")), 5);
        for (char *name = strtok(nearest, " "); name; name = strtok(NULL, " "))
            ck_assert_msg(parameter(all, name) != NULL, "no parameter %s", name);
        fixed++;
    }
    ck_assert(varies >= 8 && fixed >= 20);
    json_decref(all);
    json_decref(structure);
}
END_TEST

// Another card, another machine: its numbers.
START_TEST(parameters_of_a_card)
{
    static const struct {
        const char *card;
        int clock;
    } cards[] = {{"p100", 1350}, {"n150", 1000}};
    char arguments[40];
    snprintf(arguments, sizeof arguments, "--chip %s", cards[_i].card);
    json_t *all = document_of(arguments);
    ck_assert_int_eq(json_integer_value(json_object_get(parameter(all, "chip.clock_mhz"), "value")),
                     cards[_i].clock);
    json_decref(all);
}
END_TEST

START_TEST(structure_as_text)
{
    ck_assert_int_eq(shell("$T config fixed -D noc.link_width=2"), 0);
    ck_assert_ptr_nonnull(
        strstr(text_of("stdout"), "noc.link_width = 2 units of 16 bytes, 1 to 8"));
    ck_assert_ptr_nonnull(strstr(text_of("stdout"), "dst.rows = 1024 rows of 16 values"));
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, folder_make, folder_remove);
    tcase_add_test(tests, structure_names_parameters);
    tcase_add_loop_test(tests, parameters_of_a_card, 0, 2);
    tcase_add_test(tests, structure_as_text);
}

SUITE("config", add_tests)
