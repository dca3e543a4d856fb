// The text forms of a program: each file of texts/, in PTO IR or C++, is the same program as the YAML
// program of its name and takes the same cycles. And what each reader says about a wrong text.
#include "platform/base/random.h"
#include "platform/study/pipe/run.h"
#include "tests/study/pipe/files.h"
#include "tests/study/pipe/same.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIPE_FOLDER TENSIM_SOURCE_DIR "/tests/study/pipe/"

// The YAML program that a file of texts/ is in another form.
static void find_twin(const char *path, char *twin, size_t room)
{
    static const char *const folders[] = {TENSIM_SOURCE_DIR "/config/pipes/",
                                          PIPE_FOLDER "gallery/", PIPE_FOLDER "public/"};
    const char *name = strrchr(path, '/') + 1;
    for (size_t i = 0; i < 3; i++) {
        snprintf(twin, room, "%s%.*s.yaml", folders[i], (int)(strrchr(name, '.') - name), name);
        if (access(twin, R_OK) == 0)
            return;
    }
    ck_abort_msg("%s: no YAML program has its name", path);
}

static ts_cycle cycles_of(struct ts_pipe_program *program, enum ts_pipe_verdict *verdict)
{
    static struct ts_pipe_run run;
    struct ts_error error = {0};
    ts_pipe_run_alone(&run, program, 1, &error);
    ts_cycle cycles = run.run.cycle;
    *verdict = run.verdict;
    ts_pipe_run_free_alone(&run);
    return cycles;
}

START_TEST(test_same_program)
{
    static struct ts_pipe_program first, second;
    struct ts_error error = {0};
    const char *path = files.gl_pathv[_i];
    enum ts_pipe_verdict verdict, again;
    char twin[400], what[200];
    find_twin(path, twin, sizeof twin);
    ck_assert_msg(ts_pipe_load(&first, twin, NULL, NULL, &error) == TS_OK, "%s", error.text);
    ck_assert_msg(ts_pipe_load(&second, path, NULL, NULL, &error) == TS_OK, "%s", error.text);
    difference(&first, &second, what, sizeof what);
    ck_assert_msg(what[0] == 0, "%s: %s differs from %s", path, what, twin);
    ck_assert_uint_eq(cycles_of(&second, &again), cycles_of(&first, &verdict));
    ck_assert_int_eq(again, verdict);
    ts_pipe_program_free(&first);
    ts_pipe_program_free(&second);
}
END_TEST

#define DEEP(x) x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x

static const struct {
    const char *name, *text, *says;
} wrong[] = {
#define PTO(text, says)     \
    {                       \
        "t.pto", text, says \
    }
#define CPP(text, says)     \
    {                       \
        "t.cpp", text, says \
    }
    PTO("%x = pto.alloc_tile : !pto.tile_buf<vec, f32, 8, 8>\n%x\n", "t.pto:3:1: expected '='"),
    PTO("%x = pto.alloc_til : !pto.tile_buf<vec, f32, 8, 8>\n", "t.pto:1:6: no such declaration"),
    PTO("%x = pto.alloc_tile : tile_buf<vec, f32, 8, 8>\n", "t.pto:1:23: expected a type"),
    PTO("%x = pto.alloc_tile : !pto.tile_buf<vec, f33, 8, 8>\n", "t.pto:1:23: no such element"),
    PTO("%x = pto.alloc_tile : !pto.tile_buf<vec, f32, 8>\n", "t.pto:1:23: "),
    PTO("%x = pto.alloc_tile : !pto.tile_buf<box, f32, 8, 8>\n", "t.pto:1:23: loc: no such value"),
    PTO("%p = pto.tpipe : !pto.tpipe<0, c2v>\n", "t.pto:1:18: pto.tpipe has 2 arguments"),
    PTO("%p = pto.tpipe : !pto.tpipe<0, c3v, 512, 2>\n", "t.pto:1:18: dir: no such value 'c3v'"),
    PTO("%p = pto.tpipe : !pto.tpipe<many, c2v, 512, 2>\n", "t.pto:1:18: flag: nothing is called"),
    PTO("pto.section.cube {\n  pto.tpush ins(%a) pipe(%p)\n}\n", "t.pto:2:3: no tile or tensor"),
    PTO("pto.section.cube {\n  pto.tpsh ins(%a) pipe(%p)\n}\n",
        "t.pto:2:3: no such operation: "
        "pto.tpsh, did you mean pto.tpush?"),
    PTO("pto.section.cube {\n  pto.tpush ins(%a)\n}\n", "t.pto:2:3: tpush names no pipe"),
    PTO("pto.section.cube {\n  pto.set_flag[m, fix]\n}\n", "t.pto:2:3: set has too few operands"),
    PTO("pto.section.cube {\n  pto.set_flag[v, fix, 0]\n}\n", "t.pto:2:3: the Cube core has no"),
    PTO("pto.section.cube {\n  scf.for %i = 0 to {\n  }\n}\n", "t.pto:2:21: a value is missing"),
    PTO("pto.section.cube {\n  scf.for %i = 0 to 4 step 2 {\n  }\n}\n", "t.pto:2:3: a step of 2"),
    PTO("pto.section.cube {\n  scf.for %i = 0 to 4 {\n", "t.pto:3:1: expected '}'"),
    PTO("pto.section.cube {\n  scf.if %q == 0 {\n  }\n}\n", "t.pto:2:3: nothing is called q"),
    PTO("module @a {\n", "t.pto:2:1: expected '}', but the text ends"),
    PTO("module @a {\n}\nmodule @b {\n}\n", "t.pto:3:1: nothing may follow"),
    PTO("module @a attributes {profil = \"a5\"} {\n}\n", "t.pto:1:23: no key 'profil'"),
    PTO("/* no end\n", "t.pto:2:1: a comment without */"),
    PTO("%a = pto.alloc_tile : !pto.tile_buf<acc, f32, 8, 8>\n"
        "%p = pto.tpipe : !pto.tpipe<0, c2v, 512, 2>\npto.section.cube {\n"
        "  %e = pto.tpush %a, %p : (!pto.tile<f32, 16, 8>, !pto.tpipe<...>) -> "
        "!pto.record_event\n}\n",
        "t.pto:4:28: %a is declared with rows 8, not 16"),
    PTO("pto.section.cube {\n  pto.tfree pipe(%a, %b)\n}\n",
        "t.pto:2:22: too many operands in pipe"),
    PTO("pto.section.cube {\n  pto.tpush ins(%a) pipe(%p) {split}\n}\n",
        "t.pto:2:31: split has no value"),
    PTO("pto.section.cube {\n" DEEP("scf.if 1 {\n"), "t.pto:27:1: nested too deep"),
    CPP("void f() {\n" DEEP("if (1) {\n"), "t.cpp:25:8: nested too deep"),
    CPP("using A = Tyle<1>;\n", "t.cpp:1:11: no such type here"),
    CPP("using A = Tile<TileType::Acc, float, 8>;\nA a;\n", "t.cpp:1:11: Tile has 3 arguments"),
    CPP("using A = Tile<TileType::Acc, flote, 8, 8>;\nA a;\n", "t.cpp:1:11: no such element type"),
    CPP("using A = Tile<TileType::Box, float, 8, 8>;\nA a;\n", "t.cpp:1:11: loc: no such value"),
    CPP("using A = Tile<TileType::Acc, float, 8, 8>;\nA a;\nA a;\n",
        "t.cpp:3:3: a is declared twice"),
    CPP("TPipe<0, Direction::DIR_C9V, 512, 2> p;\n", "t.cpp:1:1: dir: no such value 'c9v'"),
    CPP("TPipe<0, Direction::DIR_C2V> p;\n", "t.cpp:1:1: TPipe has 2 arguments"),
    CPP("TPipe<0, Direction::DIR_C2V, 512, 2> p(1, 2, 3, 4);\n", "t.cpp:1:49: too many addresses"),
    CPP("TMPipe<0, FIFOType::GM_FIFO, 4, 1, X, Y> p;\n", "t.cpp:1:1: TMPipe: 'X' is no tile type"),
    CPP("void f() {\n  TPSH(a, b);\n}\n", "t.cpp:2:3: no such call: TPSH"),
    CPP("Tile<TileType::Acc, float, 8, 8> a;\nvoid f() {\n  TPUSH(p, a);\n}\n",
        "t.cpp:3:3: tpush names no pipe"),
    CPP("Tile<TileType::Acc, float, 8, 8> a;\nTile<TileType::Vec, float, 8, 8> v;\n"
        "TPipe<0, Direction::DIR_C2V, 512, 2> p;\nvoid f() {\n  TPUSH(p, a);\n  TPOP(p, v);\n}\n",
        "t.cpp:6:11: this is of the Vector cores"),
    CPP("void f() {\n  pipe_barrier(PIPE_ALL);\n}\n", "t.cpp:1:6: neither a tile nor a pipe says"),
    CPP("void f() {\n  for (int i = 0; i <= 4; i++) {\n  }\n}\n", "t.cpp:2:19: a loop is for"),
    CPP("void f() {\n  for (int i = 0; i < 4; i += 2) {\n  }\n}\n",
        "t.cpp:2:19: a loop counts by 1"),
    CPP("void f() {\n  q.prod.setAllocateStatus(true);\n}\n", "t.cpp:2:3: no pipe is called q"),
    CPP("TPipe<0, Direction::DIR_C2V, 512, 2> p;\nvoid f() {\n  p.prod.setSpeed(3);\n}\n",
        "t.cpp:3:10: a pipe has no setSpeed"),
    CPP("#pragma tensim profile\n", "t.cpp:1:16: #pragma tensim profile has no value"),
    CPP("#pragma tensim profile a7\n", "t.cpp:1:16: profile: no such value 'a7'"),
    CPP("[[rose(3)]] Tile<TileType::Acc, float, 8, 8> a;\n", "t.cpp:1:3: no key 'rose'"),
    CPP("Tile<TileType::Acc, float, 8, 8> a;\nTPipe<0, Direction::DIR_C2V, 512, 2> p;\nvoid f() {\n"
        "  for (int i = 0; i < 4; i++) {\n    TPUSH(p, a);\n    p.prod.setAllocateStatus(false);\n"
        "  }\n}\n",
        "t.cpp:6:5: set the switch before the call"),
    CPP("void f( {\n", "t.cpp:1:9: a parameter is a tile"),
};

START_TEST(test_wrong)
{
    static struct ts_pipe_program program;
    struct ts_error error = {0};
    ts_pipe_load(&program, wrong[_i].name, wrong[_i].text, NULL, &error);
    ck_assert_msg(error.code == TS_SETUP &&
                      strncmp(error.text, wrong[_i].says, strlen(wrong[_i].says)) == 0,
                  "%s\nsaid '%s'\nnot  '%s'", wrong[_i].text, error.text, wrong[_i].says);
    ts_pipe_program_free(&program);
}
END_TEST

// Texts with something deleted, doubled or changed: no crash, and an error says where.
START_TEST(test_mangled)
{
    static struct ts_pipe_program program;
    uint64_t state = 7 + (uint64_t)_i;
    const char *path = files.gl_pathv[_i];
    char text[20000], name[20];
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    const size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    snprintf(name, sizeof name, "t%s", strrchr(path, '.'));
    for (int n = 0; n < 80; n++) {
        char *copy = malloc(2 * length + 1);
        size_t at = ts_random(&state) % length, part = 1 + ts_random(&state) % 12;
        part = part > length - at ? length - at : part;
        static const char signs[] = "(){}[]<>,;:=%!#\"'x0. \n";
        memcpy(copy, text, length + 1);
        switch (ts_random(&state) % 3) {
        case 0:
            memmove(copy + at, copy + at + part, length - at - part + 1);
            break;
        case 1:
            memcpy(copy + at + part, text + at, length - at + 1);
            break;
        default:
            copy[at] = signs[ts_random(&state) % (sizeof signs - 1)];
        }
        struct ts_error wrong_text = {0};
        if (ts_pipe_load(&program, name, copy, NULL, &wrong_text) != TS_OK) {
            int line = 0, column = 0;
            ck_assert_msg(strncmp(wrong_text.text, name, strlen(name)) == 0 &&
                              sscanf(wrong_text.text + strlen(name), ":%d:%d: ", &line, &column) ==
                                  2 &&
                              line > 0 && column > 0,
                          "no place: %s", wrong_text.text);
        }
        ts_pipe_program_free(&program);
        free(copy);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    glob(PIPE_FOLDER "texts/*", 0, NULL, &files);
    if (files.gl_pathc < 60)
        abort(); // texts/ is not there
    tcase_add_loop_test(tests, test_same_program, 0, (int)files.gl_pathc);
    tcase_add_loop_test(tests, test_mangled, 0, (int)files.gl_pathc);
    tcase_add_loop_test(tests, test_wrong, 0, sizeof wrong / sizeof *wrong);
}

SUITE("pipe texts", add_tests, .one_process = true, .end = forget_files)
