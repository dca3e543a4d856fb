// tt-metal's calls for kernels of Ethernet tiles: each does what it says between two chips, or is refused by name when the kernel
// is compiled.
#include "tests/chip/system_run.h"
#include "tests/suite.h"

#define TILE(place, role)                                  \
    "  " place ":\n"                                       \
    "    erisc0: " TENSIM_GUEST "/test_calls.erisc0.elf\n" \
    "    load: [{address: 0x18008, words: [" role "]}, {address: 0x1b400, words: [77]}]\n"
#define AGREES(place, steps)                                         \
    "  - until: {tile: " place ", l1: " DONE_AT ", limit: 100000}\n" \
    "  - compare: {tile: " place ", address: 0x18200, words: [" steps "]}\n"

START_TEST(both_ends_agree)
{
    ck_assert_msg(run("system: p150x2\ntiles:\n" TILE("0/eth0", "0") TILE(
                          "1/eth0", "1") "script:\n  - release: {tile: 0/eth0, cores: [erisc0]}\n"
                                         "  - release: {tile: 1/eth0, cores: [erisc0]}\n" AGREES(
                                             "0/eth0", "3") AGREES("1/eth0", "5"),
                      "--check") == 0,
                  "%s", out);
}
END_TEST

static void write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

START_TEST(others_are_refused_by_name)
{
    static const char *const says[] = {
        "eth_risc_reg_read: registers of the Ethernet core's debug block are not modelled",
        "eth_risc_reg_write: registers of the Ethernet core's debug block are not modelled",
        "check_and_context_switch: there is no firmware to switch to",
        "notify_dispatch_core_done: there is no dispatch core",
        "disable_erisc_app: there is no firmware to return to",
        "program.yaml:5:7: refused.cpp does not compile for erisc0",
    };
    write_file("program.yaml",
               "name: refused\nsystem: p150x2\n"
               "kernels: [{source: nothing.cpp, on: reader}]\nethernet:\n"
               "    - {name: out, source: refused.cpp, on: erisc0, to: (chip.id + 1) "
               "% chip.count}\n");
    write_file("nothing.cpp", "void kernel_main() {}\n");
    write_file("refused.cpp", "#include \"internal/ethernet/dataflow_api.h\"\n"
                              "void kernel_main() {\n"
                              "    eth_risc_reg_write(0, eth_risc_reg_read(0));\n"
                              "    internal_::check_and_context_switch();\n"
                              "    internal_::notify_dispatch_core_done(0);\n"
                              "    internal_::disable_erisc_app();\n}\n");
    ck_assert_msg(run_file("program.yaml") == 3, "%s", out);
    for (unsigned i = 0; i < sizeof says / sizeof *says; i++)
        expect(says[i]);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, folder_make, folder_remove);
    tcase_add_test(tests, both_ends_agree);
    tcase_add_test(tests, others_are_refused_by_name);
}

SUITE("eth_calls", add_tests)
