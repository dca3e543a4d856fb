// Two chips with a link between them: times, bytes, hangs and mistakes of `tensim run` on systems.
#include "platform/chip/system.h"
#include "tests/chip/programs.h"
#include "tests/chip/rig.h"
#include "tests/chip/system_run.h"
#include "tests/suite.h"

// Two kernels at the ends of a link, each with two arguments; `script` replaces the end.
static int run_pair(const char *name, uint32_t a0, uint32_t a1, uint32_t b0, uint32_t b1,
                    const char *script, const char *options)
{
    static char text[4096];
    snprintf(text, sizeof text,
             "system: p150x2\n"
             "tiles:\n"
             "  0/eth0: {erisc0: %s/%s_sender.erisc0.elf,\n"
             "           load: [{address: 0x18008, words: [%u, %u]}, {address: 0x1b400, words: [7, "
             "8]}]}\n"
             "  1/eth0: {erisc0: %s/%s_receiver.erisc0.elf,\n"
             "           load: [{address: 0x18008, words: [%u, %u]}]}\n"
             "script:\n"
             "  - release: {tile: 0/eth0, cores: [erisc0]}\n"
             "  - release: {tile: 1/eth0, cores: [erisc0]}\n"
             "%s"
             "  - until: {tile: 0/eth0, l1: " DONE_AT ", limit: 1000000}\n"
             "  - compare: {tile: 1/eth0, address: 0x1b400, words: [7, 8]}\n"
             "  - dump: {tile: 0/eth0, address: 0x18200, length: 4, file: cycles}\n",
             TENSIM_GUEST, name, a0, a1, TENSIM_GUEST, name, b0, b1, script);
    return run(text, options);
}

// tt-metal issue 36074: a message of so many bytes with 16 bytes of state there and back, in ns.
static const struct {
    uint32_t bytes;
    double ns;
} echoes[] = {{16, 660.58}, {1024, 689.24}, {4096, 858.36}, {8192, 1025.80}};

START_TEST(echo_takes_as_long_as_on_cards)
{
    uint32_t bytes = echoes[_i].bytes + 16;
    ck_assert_int_eq(run_pair("echo", bytes, 10, bytes, 10, "", ""), 0);
    double ns = dumped("cycles") / 10.0 / 1.35, error = ns / echoes[_i].ns - 1;
    printf("echo of %u bytes: %.1f ns, on cards %.1f, %+.1f %%\n", echoes[_i].bytes, ns,
           echoes[_i].ns, 100 * error);
    ck_assert_msg(error > -0.05 && error < 0.05, "%.1f ns", ns);
}
END_TEST

// The same issue: 4096 bytes more take 83.7 ns more, one way.
START_TEST(stream_of_4_kib_is_as_fast_as_on_cards)
{
    uint32_t took[2];
    for (int i = 0; i < 2; i++) {
        uint32_t messages = i ? 96 : 32;
        ck_assert_int_eq(run_pair("stream", 4096, messages, 4096, messages, "", ""), 0);
        took[i] = dumped("cycles");
    }
    double gbs = 64 * 4096 / ((took[1] - took[0]) / 1.35), error = gbs / 48.9 - 1;
    printf("stream of 4 KiB: %.1f GB/s, on cards 48.9, %+.1f %%\n", gbs, 100 * error);
    ck_assert(error > -0.1 && error < 0.1);
}
END_TEST

START_TEST(same_bytes_for_threads_and_step_by_step)
{
    static const char *const ways[] = {"-q -j 1 --stats-hash", "-q -j 2 --stats-hash",
                                       "-q --stats-hash --step-by-step"};
    char first[64] = "";
    uint32_t took = 0;
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(run_pair("echo", 2064, 5, 2064, 5, "", ways[i]), 0);
        if (i == 0) {
            snprintf(first, sizeof first, "%.40s", out);
            took = dumped("cycles");
        }
        ck_assert_uint_gt(strlen(out), 8);
        ck_assert_uint_eq(dumped("cycles"), took);
        ck_assert_str_eq(out, first);
    }
}
END_TEST

// Over two links and the NoC of the chip between them, there and back: chips 0, 1 and 2 of a ring of four.
START_TEST(relay_over_two_hops)
{
    static char text[4096], first[64];
    snprintf(
        text, sizeof text,
        "system: p150x4-ring\n"
        "tiles:\n"
        "  0/eth2: {erisc0: %s/relay_ask.erisc0.elf,\n"
        "           load: [{address: 0x18008, words: [1024, 5]}, {address: 0x1b400, words: [7, "
        "8]}]}\n"
        "  1/eth0: {erisc0: %s/relay_from_link.erisc0.elf, erisc1: "
        "%s/relay_to_link.erisc1.elf,\n"
        "           load: [{address: 0x18008, words: [2, 1, 1, 1024, 5]},\n"
        "                  {address: 0x18088, words: [2, 1024, 5]}]}\n"
        "  1/eth2: {erisc0: %s/relay_from_link.erisc0.elf, erisc1: "
        "%s/relay_to_link.erisc1.elf,\n"
        "           load: [{address: 0x18008, words: [1, 1, 2, 1024, 5]},\n"
        "                  {address: 0x18088, words: [1, 1024, 5]}]}\n"
        "  2/eth0: {erisc0: %s/relay_answer.erisc0.elf,\n"
        "           load: [{address: 0x18008, words: [1024, 5]}]}\n"
        "script:\n"
        "  - release: {tile: 1/eth0, cores: [erisc0, erisc1]}\n"
        "  - release: {tile: 1/eth2, cores: [erisc0, erisc1]}\n"
        "  - release: {tile: 2/eth0, cores: [erisc0]}\n"
        "  - release: {tile: 0/eth2, cores: [erisc0]}\n"
        "  - until: {tile: 0/eth2, l1: " DONE_AT ", limit: 1000000}\n"
        "  - compare: {tile: 2/eth0, address: 0x1b400, words: [7, 8]}\n"
        "  - dump: {tile: 0/eth2, address: 0x18200, length: 4, file: cycles}\n",
        TENSIM_GUEST, TENSIM_GUEST, TENSIM_GUEST, TENSIM_GUEST, TENSIM_GUEST, TENSIM_GUEST);
    for (int threads = 1; threads <= 2; threads++) {
        char options[64];
        snprintf(options, sizeof options, "-q -j %d --stats-hash", threads);
        ck_assert_msg(run(text, options) == 0, "%s", out);
        if (threads == 1)
            snprintf(first, sizeof first, "%.40s", out);
        ck_assert_uint_gt(strlen(out), 8);
        ck_assert_str_eq(out, first);
    }
    // Twice over a link is less than it takes; more than 400 ns a hop beyond that would be a mistake.
    double ns = dumped("cycles") / 5.0 / 1.35;
    ck_assert_msg(ns > 2 * 689 && ns < 2 * 689 + 4 * 400, "%.1f ns", ns);
}
END_TEST

// The examples: right numbers in any timing, the same bytes on any number of threads.
static const char *const examples[] = {
    "echo",      "stream",      "relay",       "all-reduce",       "fabric",
    "echo-n300", "stream-n300", "relay-t3000", "all-reduce-t3000", "fabric-t3000"};

START_TEST(examples_run)
{
    static const char *const ways[] = {"-j 1 --stats-hash", "-j 2 --stats-hash", "--perturb 5:60",
                                       "--perturb 6:200", "--check"};
    char first[64] = "", command[512];
    for (int i = 0; i < 5; i++) {
        snprintf(command, sizeof command, "%s run %s/%s.yaml -q %s 2>&1", TENSIM_BINARY,
                 TENSIM_GUEST, examples[_i], ways[i]);
        FILE *pipe = popen(command, "r");
        ck_assert_ptr_nonnull(pipe);
        out[fread(out, 1, sizeof out - 1, pipe)] = '\0';
        ck_assert_msg(pclose(pipe) == 0, "%s: %s", command, out);
        if (i == 0)
            snprintf(first, sizeof first, "%.40s", out);
        if (i == 1)
            ck_assert_str_eq(out, first);
    }
}
END_TEST

#define DOWN "  - run: 6000\n  - link: {end: 1/eth0, state: down}\n"

// What was lost is sent again.
START_TEST(link_comes_up_again)
{
    ck_assert_int_eq(run_pair("echo", 1040, 50, 1040, 50,
                              DOWN "  - run: 5000\n  - link: {end: 0/eth0, state: up}\n",
                              "--json r.json"),
                     0);
    char path[128];
    snprintf(path, sizeof path, "%s/r.json", folder);
    json_t *document = json_load_file(path, 0, NULL), *chips = json_object_get(document, "chips");
    ck_assert_uint_eq(json_array_size(chips), 2);
    json_int_t lost = 0, resent = 0;
    for (size_t i = 0; i < 2; i++) {
        json_t *row = json_array_get(json_object_get(json_array_get(chips, i), "eth"), 0);
        lost += json_integer_value(json_object_get(row, "frames_lost"));
        resent += json_integer_value(json_object_get(row, "resent"));
    }
    json_decref(document);
    ck_assert_int_gt(lost, 0);
    ck_assert_int_ge(resent, lost);
}
END_TEST

// --- raw frames, by the registers ---

// A queue in raw mode, its registers here and there; the header's 14 bytes are stripped.
static const struct {
    const char *system, *from, *to, *tx, *rx;
} raws[] = {{"p150x2", "0/eth1", "1/eth1", "92", "96"}, {"n300", "0/eth9", "1/eth1", "91", "93"}};

START_TEST(raw_frames_fill_a_buffer)
{
    static char text[2048];
    const char *from = raws[_i].from, *to = raws[_i].to, *tx = raws[_i].tx, *rx = raws[_i].rx;
    // Two frames of 32 bytes into a buffer of 48, which wraps.
    snprintf(text, sizeof text,
             "system: %s\n"
             "tiles:\n"
             "  %s: {load: [{address: 0x20000, words: [1, 2, 3, 4, 5, 6, 7, 8]}]}\n"
             "  %s: {load: [{address: 0x30000, words: [9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9]}]}\n"
             "script:\n"
             "  - write: {tile: %s, address: 0xffb%s00c, words: [0x3000, 3]}\n"
             "  - write: {tile: %s, address: 0xffb%s000, words: [4]}\n"
             "  - write: {tile: %s, address: 0xffb%s014, words: [0x20000, 32]}\n"
             "  - write: {tile: %s, address: 0xffb%s004, words: [1]}\n"
             "  - run: 1000\n"
             "  - write: {tile: %s, address: 0xffb%s004, words: [1]}\n"
             "  - run: 1000\n"
             "  - compare: {tile: %s, address: 0x30000,\n"
             "              words: [5, 6, 7, 8, 5, 6, 7, 8, 1, 2, 3, 4, 9]}\n",
             raws[_i].system, from, to, to, rx, to, rx, from, tx, from, tx, from, tx, to);
    ck_assert_msg(run(text, "") == 0, "%s", out);
}
END_TEST

// --- the NoC reaches an Ethernet tile ---

START_TEST(noc_writes_to_an_ethernet_tile)
{
    static struct rig rig;
    static struct ts_rvasm code;
    static char text[16384];
    rig_init(&rig, "p150", 1, NULL); // for coordinates
    struct ts_noc_xy one = at(1, 2), eth = at(1, 1);
    code.count = 0;
    struct ts_traffic_op op = ts_traffic_write(&rig.chip, 0, one, eth, SOURCE, 0x40000, 64, 1,
                                               false);
    issue(&code, 0, &op);
    await_counter(&code, 0, TS_NOC_MST_WR_ACK_RECEIVED, 1);
    store(&code, DONE, DONE_WORD);
    ts_rvasm(&code, TS_RV_JAL, 0, 0, 0, 0);
    rig_free(&rig);
    int used = snprintf(text, sizeof text,
                        "system: p150x2\n"
                        "tiles:\n"
                        "  1/eth0: {load: [{address: 0, words: [0]}]}\n"
                        "  1/1-2:\n    brisc: {pc: 0}\n    load:\n"
                        "      - {address: 0x%x, words: [11, 12, 13]}\n"
                        "      - {address: 0, words: [",
                        SOURCE);
    for (uint32_t i = 0; i < code.count; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s0x%x", i ? ", " : "",
                         code.words[i]);
    snprintf(text + used, sizeof text - (size_t)used,
             "]}\n"
             "script:\n"
             "  - release: {tile: 1/1-2, cores: [brisc]}\n"
             "  - until: {tile: 1/1-2, l1: 0x%x, is: 0x%x, limit: 100000}\n"
             "  - compare: {tile: 1/eth0, address: 0x40000, words: [11, 12, 13]}\n",
             DONE, DONE_WORD);
    ck_assert_msg(run(text, "") == 0, "%s", out);
}
END_TEST

START_TEST(dram_of_each_chip)
{
    ck_assert_msg(run("system: p150x2\n"
                      "dram: [{channel: 2, address: 0x4000, words: [5]},\n"
                      "       {chip: 1, channel: 2, address: 0x4000, words: [6]}]\n"
                      "tiles: {0/1-2: {brisc: {pc: 0}, load: [{address: 0, words: [0x6f]}]}}\n"
                      "script:\n"
                      "  - write: {dram: 3, chip: 1, address: 0x100, words: [7]}\n"
                      "  - compare: {dram: 2, address: 0x4000, words: [5]}\n"
                      "  - compare: {dram: 2, chip: 1, address: 0x4000, words: [6]}\n"
                      "  - compare: {dram: 3, chip: 1, address: 0x100, words: [7]}\n"
                      "  - compare: {dram: 3, chip: 0, address: 0x100, words: [0]}\n",
                      "") == 0,
                  "%s", out);
}
END_TEST

// --- mistakes ---

static const struct {
    const char *text, *says;
    int code;
} mistakes[] = {
    {"system: p150x2\ntiles: {2/eth0: {load: [{address: 0, words: [1]}]}}\n",
     "there is no chip 2: the system has 2", 3},
    {"system: p150x2\ntiles: {0/eth14: {load: [{address: 0, words: [1]}]}}\n",
     "chip 0 (p150) has no Ethernet tile 14", 3},
    {"system: p150x2\ntiles: {0/8-8: {load: [{address: 0, words: [1]}]}}\n",
     "8-8 of chip 0 (p150) is not a Tensix tile", 3},
    {"system: p150x2\ntiles: {0/eth0: {brisc: {pc: 0}}}\n",
     "an Ethernet tile has erisc0 and erisc1", 3},
    {"system: p150x2\ntiles: {0/eth0: {load: [{address: 0x7fffc, words: [1, 2]}]}}\n",
     "do not fit into L1 (0 to 0x7ffff)", 3},
    {"system: p150x2\ndram: [{chip: 2, channel: 0, address: 0, words: [1]}]\n"
     "tiles: {0/1-2: {load: [{address: 0, words: [1]}]}}\n",
     "of channel 0: the system has no such chip", 3},
    {"chip: p150\ndram: [{chip: 0, channel: 0, address: 0, words: [1]}]\n"
     "tiles: {1-2: {load: [{address: 0, words: [1]}]}}\n",
     "chip is where DRAM of a system is", 3},
    {"system: p150x3\ntiles: {0/eth0: {load: [{address: 0, words: [1]}]}}\n", "p150x3", 3},
    {"system: p150x2\nchip: p150\ntiles: {0/1-2: {load: [{address: 0, words: [1]}]}}\n",
     "either chip or system", 3},
    {"chip: p150\ntiles: {0/eth0: {load: [{address: 0, words: [1]}]}}\n",
     "is not the place of a tile", 3},
    {"system: p150x2\ntiles: {0/eth0: {load: [{address: 0, words: [1]}]}}\nscript:\n"
     "  - link: {end: 0/eth9, state: down}\n",
     "0/eth9: no link of the system ends there", 3},
    {"system: p150x2\ntiles: {0/eth0: {load: [{address: 0, words: [1]}]}}\nscript:\n"
     "  - write: {tile: 0/eth0, address: 0xffb90014, words: [0x8000, 24]}\n"
     "  - write: {tile: 0/eth0, address: 0xffb90004, words: [2]}\n",
     "all must be multiples of 16", 4},
    {"system: p150x2\ntiles: {0/eth0: {load: [{address: 0, words: [1]}]}}\nscript:\n"
     "  - write: {tile: 0/eth0, address: 0xffb9c000, words: [2]}\n",
     "this register of the Ethernet tile is not modelled", 5},
    // Wormhole: one core, 256 KiB, two queues, and what is not modelled.
    {"system: n300\ntiles: {0/eth8: {erisc1: x.elf}}\n",
     "an Ethernet tile of Wormhole has no erisc1", 3},
    {"system: n300\ntiles: {0/eth8: {load: [{address: 0, words: [1]}]}}\nscript:\n"
     "  - release: {tile: 0/eth8, cores: [erisc1]}\n",
     "no core 'erisc1'; there are erisc0", 3},
    {"system: n300\ntiles: {0/eth16: {load: [{address: 0, words: [1]}]}}\n",
     "chip 0 (n300) has no Ethernet tile 16", 3},
    {"system: n300\ntiles: {0/eth8: {load: [{address: 0x3fffc, words: [1, 2]}]}}\n",
     "do not fit into L1 (0 to 0x3ffff)", 3},
    {"system: n300\ntiles: {0/eth8: {load: [{address: 0, words: [1]}]}}\nscript:\n"
     "  - write: {tile: 0/eth8, address: 0xffb90014, words: [0x3fff0, 32]}\n"
     "  - write: {tile: 0/eth8, address: 0xffb90004, words: [2]}\n",
     "L1 ends at 0x40000", 4},
    {"system: n300\ntiles: {0/eth8: {load: [{address: 0, words: [1]}]}}\nscript:\n"
     "  - write: {tile: 0/eth8, address: 0xffb9101c, words: [0xffb12000]}\n"
     "  - write: {tile: 0/eth8, address: 0xffb91004, words: [4]}\n",
     "TX queue 1 cannot write registers of the other end", 4},
    {"system: n300\ntiles: {0/eth8: {load: [{address: 0, words: [1]}]}}\nscript:\n"
     "  - write: {tile: 0/eth8, address: 0xffb90080, words: [0]}\n",
     "this register of the Ethernet tile is not modelled", 5},
    {"system: n300\ntiles: {0/eth8: {load: [{address: 0, words: [1]}]}}\nscript:\n"
     "  - write: {tile: 0/eth8, address: 0xffba0000, words: [0]}\n",
     "this register of the Ethernet tile is not modelled", 5},
    {"system: n300\ntiles: {0/eth8: {load: [{address: 0, words: [1]}]}}\nscript:\n"
     "  - write: {tile: 0/eth8, address: 0xffb94084, words: [0]}\n",
     "not implemented: store to 0xffb94084, control of Ethernet cores", 5},
    {"system: n300\ntiles: {0/eth8: {load: [{address: 0, words: [1]}]}}\nscript:\n"
     "  - write: {tile: 0/eth8, address: 0xffb94098, words: [0]}\n",
     "takes 16384 bytes of L1, while RX and TX are off", 4},
};

START_TEST(mistakes_have_one_line)
{
    ck_assert_msg(run(mistakes[_i].text, "") == mistakes[_i].code, "%s", out);
    ck_assert_msg(strstr(out, mistakes[_i].says) != NULL, "no '%s' in:\n%s", mistakes[_i].says,
                  out);
}
END_TEST

// Both ends of every link of the systems that come with the program are there once, and lead back.
START_TEST(systems_are_whole)
{
    static const struct {
        const char *name;
        uint32_t chips, links;
    } systems[] = {{"p150x2", 2, 4},  {"p300", 2, 2},        {"p150x4-ring", 4, 8},
                   {"p150x8", 8, 20}, {"galaxy", 32, 104},   {"n300", 2, 2},
                   {"t3000", 8, 20},  {"galaxy-wh", 32, 256}};
    static struct ts_system system;
    struct ts_error error = {0};
    ck_assert_msg(ts_system_find(&system, systems[_i].name, &error) == TS_OK, "%s", error.text);
    ck_assert_uint_eq(system.chips, systems[_i].chips);
    ck_assert_uint_eq(system.links, systems[_i].links);
    for (uint32_t i = 0; i < system.links; i++) {
        struct ts_system_end other;
        ck_assert(ts_system_other(&system, system.link[i].end[0], &other));
        ck_assert_uint_eq(other.chip, system.link[i].end[1].chip);
        ck_assert_uint_eq(other.channel, system.link[i].end[1].channel);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, folder_make, folder_remove);
    tcase_add_loop_test(tests, echo_takes_as_long_as_on_cards, 0, sizeof echoes / sizeof *echoes);
    tcase_add_test(tests, stream_of_4_kib_is_as_fast_as_on_cards);
    tcase_add_test(tests, same_bytes_for_threads_and_step_by_step);
    tcase_add_test(tests, relay_over_two_hops);
    tcase_add_loop_test(tests, examples_run, 0, 10);
    tcase_add_test(tests, link_comes_up_again);
    tcase_add_loop_test(tests, raw_frames_fill_a_buffer, 0, 2);
    tcase_add_test(tests, noc_writes_to_an_ethernet_tile);
    tcase_add_test(tests, dram_of_each_chip);
    tcase_add_loop_test(tests, mistakes_have_one_line, 0, sizeof mistakes / sizeof *mistakes);
    tcase_add_loop_test(tests, systems_are_whole, 0, 8);
}

SUITE("eth", add_tests)
