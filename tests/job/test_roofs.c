// Next to a result: the roofs, of which the nearest is the bound; how far to trust it; problems for editors.
#include "tests/out/folder.h"
#include "tests/suite.h"

#include <jansson.h>
#include <math.h>

static const struct {
    const char *command, *nearest, *bound; // bound: ""; not that roof
    const char *roofs;                     // that must be there
    const char *families;
} runs[] = {
    {"matmul -F hifi4 -K 512", "matrix unit, hifi4", "matrix", "unpackers packer L1", "kernels"},
    {"sfpu --op gelu", "vector unit", "vector", "unpackers packer L1", "kernels functions"},
    {"run flash-attention -p seq=256 -p heads=1 -p cores=1x1 --timing-only", "vector unit",
     "matrix and vector", "matrix DRAM", "programs functions"},
    {"run binary -p rows=64 -p columns=64 --chip p100", NULL, "", "DRAM L1 packer",
     "programs zones dram"},
};

static json_t *find(const json_t *list, const char *name, size_t length)
{
    size_t i;
    json_t *row;
    json_array_foreach((json_t *)list, i, row)
    {
        const char *own = json_string_value(json_object_get(row, "name"));
        if (strncmp(own, name, length) == 0)
            return row;
    }
    return NULL;
}

static void demand(const json_t *list, const char *names, const char *command)
{
    for (const char *at = names; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        ck_assert_msg(find(list, at, length) != NULL, "%s: no %.*s", command, (int)length, at);
        at += length;
    }
}

static double number(const json_t *row, const char *name)
{
    return json_number_value(json_object_get(row, name));
}

// Shares fall, none is above 1, and rate / peak is the share; of DRAM that of the busiest channel.
static void check_roofs(const json_t *roofs)
{
    double before = 1;
    size_t i;
    json_t *row;
    json_array_foreach((json_t *)roofs, i, row)
    {
        double share = number(row, "share");
        ck_assert(share > 0 && share <= before);
        double used = number(row, "rate") / number(row, "peak");
        bool mean = strcmp(json_string_value(json_object_get(row, "name")), "DRAM") == 0;
        if (json_object_get(row, "peak"))
            ck_assert(used < share + 0.02 && (mean || used > share - 0.02));
        before = share;
    }
}

START_TEST(nearest)
{
    char line[300];
    folder_make();
    snprintf(line, sizeof line, "$T %s -q --json a.json", runs[_i].command);
    ck_assert_int_eq(shell(line), 0);
    json_t *run = json_load_file(in_folder("a.json"), 0, NULL);
    const json_t *roofs = json_object_get(run, "roofs"), *trust = json_object_get(run, "trust");
    check_roofs(roofs);
    demand(roofs, runs[_i].roofs, runs[_i].command);
    demand(json_object_get(trust, "families"), runs[_i].families, runs[_i].command);
    ck_assert_str_eq(json_string_value(json_array_get(json_object_get(trust, "not_vendor"), 0)),
                     "kernel API");
    if (runs[_i].nearest) {
        ck_assert_str_eq(json_string_value(json_object_get(json_array_get(roofs, 0), "name")),
                         runs[_i].nearest);
        ck_assert_str_eq(json_string_value(json_object_get(run, "bound_object")), runs[_i].bound);
    }
    json_decref(run);
    folder_remove();
}
END_TEST

// The errors are those of the table that `tensim silicon --write=readme' writes.
START_TEST(errors_of_the_table)
{
    folder_make();
    ck_assert_int_eq(shell("$T matmul -M 32 -N 32 -K 32 -q --json a.json"), 0);
    json_t *run = json_load_file(in_folder("a.json"), 0, NULL);
    const json_t *family = json_array_get(
        json_object_get(json_object_get(run, "trust"), "families"), 0);
    char want[200], line[1000];
    snprintf(want, sizeof want, "| `%s`: %s | %d | %.1f %% | %.1f %% |",
             json_string_value(json_object_get(family, "name")),
             json_string_value(json_object_get(family, "title")), (int)number(family, "rows"),
             number(family, "median"), number(family, "p90"));
    FILE *file = fopen(TENSIM_SOURCE_DIR "/platform/study/silicon/README.md", "r");
    ck_assert_ptr_nonnull(file);
    bool found = false;
    while (!found && fgets(line, sizeof line, file))
        found = strncmp(line, want, strlen(want)) == 0;
    fclose(file);
    ck_assert_msg(found, "no row '%s'", want);
    json_decref(run);
    folder_remove();
}
END_TEST

static const struct {
    const char *program, *kernel, *said;
    int code;
} problems[] = {
    {"name: x\ncores: 0,0\nbuffers:\n  - {id: 0, format: bf16, pages: 2}\nkernels:\n"
     "  - {source: k.cpp, on: reader}\n",
     "#include \"dataflow_api.h\"\nvoid kernel_main()\n{\n    cb_wait_front(0, 1);\n}\n",
     "/k.cpp:4:18: error: ncrisc polls for pages in circular buffer c_0", 2},
    {"name: x\ncores: 0,0\nkernels:\n  - {source: k.cpp, on: reader}\n",
     "void kernel_main()\n{\n    *(volatile int *)0x30000000 = 1;\n}\n", "/k.cpp:3:", 4},
    {"name: x\ncores: 0,0\nkernels:\n  - {source: other.cpp, on: reader}\n", "",
     "x.yaml:4:14: error: other.cpp: cannot be read", 3},
    {"name: x\ncores: 0,0\nkernels:\n  - {source: k.cpp, on: reader}\n",
     "void kernel_main() { x; }\n", "/k.cpp:1:22: error: ", 3},
};

START_TEST(problems_for_editors)
{
    folder_make();
    put("x.yaml", problems[_i].program);
    put("k.cpp", problems[_i].kernel);
    int code = shell("$T run x.yaml --problems -q");
    ck_assert_msg(code == problems[_i].code, "exit code %d: %s", code, text_of("stderr"));
    ck_assert_msg(strstr(text_of("stderr"), problems[_i].said) != NULL, "no '%s' in '%s'",
                  problems[_i].said, text_of("stderr"));
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, nearest, 0, sizeof runs / sizeof *runs);
    tcase_add_test(tests, errors_of_the_table);
    tcase_add_loop_test(tests, problems_for_editors, 0, sizeof problems / sizeof *problems);
}

SUITE("roofs", add_tests)
