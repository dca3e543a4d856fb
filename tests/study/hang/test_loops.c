// Loops as compilers make them: a reader that fills one buffer before the next one, in blocks of 1 to 8 pages,
// optimised in several ways, with a branch inside that never changes; waits for numbers of pages that
// compilers turn into masks and shifts. The root cause is the same sentence for all of them.
#include "platform/base/json.h"
#include "tests/folder.h"
#include "tests/suite.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char plan[] =
    "name: loops\n"
    "params: {block: 3, pages: 4}\n"
    "cores: 1x1\n"
    "buffers:\n"
    "    - {id: 0, format: bf16, pages: 2 * block}\n"
    "    - {id: 1, format: bf16, pages: 2 * block}\n"
    "kernels:\n"
    "    - {source: fill.cpp, on: brisc, optimise: %s, defines: {%s}, args: [6, block, "
    "noc_x(0), noc_y(0), 1, 0]}\n"
    "    - {source: take.cpp, on: ncrisc, optimise: %s, args: [6, block]}\n";

static const char fill[] = "#include \"dataflow_api.h\"\n"
                           "#define ARG(i) get_arg_val<uint32_t>(i)\n"
                           "#ifdef PAGES\n"
                           "#define BLOCK (uint32_t)PAGES\n"
                           "#define UNROLL _Pragma(\"GCC unroll 8\")\n"
                           "#else\n"
                           "#define BLOCK ARG(1)\n"
                           "#define UNROLL _Pragma(\"GCC unroll 1\")\n"
                           "#endif\n"
                           "static void put(uint32_t buffer, uint64_t from)\n"
                           "{\n"
                           "    for (uint32_t i = 0; i < ARG(0); i++) {\n"
                           "        cb_reserve_back(buffer, BLOCK); // here\n"
                           "        uint32_t to = get_write_ptr(buffer);\n"
                           "        UNROLL for (uint32_t k = 0; k < BLOCK; k++) {\n"
                           "            uint64_t at = from;\n"
                           "            if (ARG(4))\n"
                           "                at += 64;\n"
                           "            if (ARG(5) == 0)\n"
                           "                noc_async_read(at, to, 2048);\n"
                           "            to += 2048;\n"
                           "        }\n"
                           "        noc_async_read_barrier();\n"
                           "        cb_push_back(buffer, BLOCK);\n"
                           "    }\n"
                           "}\n"
                           "void kernel_main()\n"
                           "{\n"
                           "    put(0, get_noc_addr(ARG(2), ARG(3), 0x150000));\n"
                           "    put(1, get_noc_addr(ARG(2), ARG(3), 0x150000));\n"
                           "}\n";

static const char take[] = "#include \"dataflow_api.h\"\n"
                           "void kernel_main()\n"
                           "{\n"
                           "    const uint32_t pages = get_arg_val<uint32_t>(1);\n"
                           "    for (uint32_t i = 0; i < get_arg_val<uint32_t>(0); i++) {\n"
                           "        cb_wait_front(0, pages);\n"
                           "        cb_wait_front(1, pages);\n"
                           "        cb_pop_front(0, pages);\n"
                           "        cb_pop_front(1, pages);\n"
                           "    }\n"
                           "}\n";

static void put_file(const char *name, const char *text)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void expect(const char *options, const char *cause)
{
    char command[700];
    snprintf(command, sizeof command,
             "%s run -q --json - --max-cycles 300000 %s %s/p.yaml 2>/dev/null", TENSIM_BINARY,
             options, folder);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    json_t *document = json_loadf(pipe, 0, NULL);
    int code = pclose(pipe) >> 8;
    const json_t *is = json_object_get(json_object_get(document, "hang"), "cause");
    ck_assert_msg(code == 2 && strncmp(ts_json_text(is, "text"), cause, strlen(cause)) == 0,
                  "%s: %d\n%s\n%s", options, code, cause, ts_json_text(is, "text"));
    json_decref(document);
}

static const struct {
    const char *optimise;
    bool unrolled;
} ways[] = {{"Og", false}, {"O2", false}, {"O3", false}, {"O2", true}, {"O3", true}};

START_TEST(blocks)
{
    char text[1400], options[40];
    folder_make();
    put_file("fill.cpp", fill);
    put_file("take.cpp", take);
    for (int block = 1; block <= 8; block++) {
        bool unrolled = ways[_i].unrolled;
        if (unrolled && !suite_every_case() && block != 3)
            continue; // each is compiled anew
        snprintf(text, sizeof text, plan, ways[_i].optimise, unrolled ? "PAGES: block" : "",
                 ways[_i].optimise);
        put_file("p.yaml", text);
        snprintf(options, sizeof options, "-p block=%d", block);
        snprintf(text, sizeof text,
                 "cycle: brisc waits at fill.cpp:13 for buffer c_0 (has 0 of %d pages free, needs "
                 "%d) from ncrisc, which waits at take.cpp:7 for buffer c_1 (has 0 of %d pages, "
                 "needs %d) from brisc",
                 2 * block, block, 2 * block, block);
        expect(options, text);
    }
    folder_remove();
}
END_TEST

// A constant number of pages, of which four come.
START_TEST(pages)
{
    static const int needs[] = {8, 6, 5, 7, 16, 32};
    char text[600];
    folder_make();
    for (size_t i = 0; i < (suite_every_case() ? sizeof needs / sizeof *needs : 2); i++) {
        put_file("p.yaml", "name: pages\ncores: 1x1\nbuffers:\n"
                           "    - {id: 0, format: bf16, pages: 64}\nkernels:\n"
                           "    - {source: put.cpp, on: brisc}\n"
                           "    - {source: get.cpp, on: ncrisc}\n");
        put_file("put.cpp", "#include \"dataflow_api.h\"\nvoid kernel_main()\n{\n"
                            "    for (int i = 0; i < 4; i++) {\n"
                            "        cb_reserve_back(0, 1);\n        cb_push_back(0, 1);\n"
                            "    }\n}\n");
        snprintf(text, sizeof text,
                 "#include \"dataflow_api.h\"\nvoid kernel_main()\n{\n    cb_wait_front(0, %d);\n"
                 "    cb_pop_front(0, %d);\n}\n",
                 needs[i], needs[i]);
        put_file("get.cpp", text);
        snprintf(text, sizeof text,
                 "likely waits for one that has ended: ncrisc waits at get.cpp:4 for buffer c_0 "
                 "(has 4 of "
                 "64 pages, needs %d) from brisc, which has ended; ",
                 needs[i]);
        expect("", text);
    }
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, blocks, 0, (int)(sizeof ways / sizeof *ways));
    tcase_add_test(tests, pages);
}

SUITE("loops", add_tests)
