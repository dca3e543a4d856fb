// The routers of config/systems/fabric between two chips: how long a packet takes, and how many there are in a second.
#include "tests/chip/system_run.h"
#include "tests/suite.h"

// tt-metal, tests/tt_metal/tt_fabric/test_infra/golden, p150 x4: LatencyLinearUnicast, LatencyRingUnicast and the bandwidths
// NeighborExchangeLinear and NeighborExchangeUnicast. A hop is from worker to worker, half of the way there and back without
// what the other worker takes. The cables of such systems are at channels 4 and 10 (tt-umd, blackhole_4xP150.yaml: 4 and 8
// of those 12 that are there); which of them a row was measured on is not known, so both count.
static const struct hop {
    const char *routers;
    unsigned channel, bytes;
    double ns;
} hops[] = {
    {"line", 4, 16, 680.78},    {"line", 10, 16, 680.78},   {"line", 4, 4096, 819.04},
    {"line", 10, 4096, 819.04}, {"ring", 4, 16, 742.18},    {"ring", 10, 16, 742.18},
    {"ring", 4, 4096, 867.46},  {"ring", 10, 4096, 867.46},
};
static const struct flow {
    const char *routers;
    bool
        routers_only; // as the cards' rows are: slots go as they are; or payloads come from the worker
    unsigned bytes;
    double gbs;
} flows[] = {{"line", true, 2048, 14.79},  {"line", true, 4096, 29.06},
             {"near", true, 2048, 19.23},  {"near", true, 4096, 38.38},
             {"line", false, 2048, 14.79}, {"line", false, 4096, 29.06},
             {"near", false, 2048, 19.23}, {"near", false, 4096, 38.38}};

static const char *const eth[] = {[4] = "3, 1", [10] = "6, 1"}; // where channels are on NoC 0

// Workers of two chips with a router each.
static void between(const char *sender, const char *routers, unsigned channel, unsigned bytes,
                    unsigned times, const char *first, const char *second, bool routers_only,
                    const char *options)
{
    static char text[4096];
    const char *const workers[] = {first, second};
    char path[128];
    snprintf(path, sizeof path, "%s/pair.yaml", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "chips: [p150, p150]\nlinks: [[0/eth%u, 1/eth%u]]\n", channel, channel);
    fclose(file);
    int used = snprintf(text, sizeof text, "system: ./pair.yaml\ntiles:\n");
    for (int c = 0; c < 2; c++)
        used += snprintf(
            text + used, sizeof text - (size_t)used,
            "  %d/eth%u:\n"
            "    erisc0: %s/fabric_%s_%s.erisc0.elf\n"
            "    erisc1: %s/fabric_receiver_%s.erisc1.elf\n"
            "    load: [{address: 0x18008, words: [1, 2, 0x18300, 0, 0]},\n"
            "           {address: 0x18300, words: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}]\n"
            "  %d/1-2:\n"
            "    brisc: %s/fabric_%s.brisc.elf\n"
            "    load: [{address: 0x18008, words: [%s, 1, 1, 2, %u, %u, %d]},\n"
            "           {address: 0x18300, words: [0]}]\n",
            c, channel, TENSIM_GUEST, sender, routers, TENSIM_GUEST, routers, c, TENSIM_GUEST,
            workers[c], eth[channel], bytes, times, routers_only);
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "script:\n"
                     "  - release: {tile: 0/eth%u, cores: [erisc0, erisc1]}\n"
                     "  - release: {tile: 1/eth%u, cores: [erisc0, erisc1]}\n"
                     "  - release: {tile: 1/1-2, cores: [brisc]}\n"
                     "  - release: {tile: 0/1-2, cores: [brisc]}\n",
                     channel, channel);
    for (int c = 0; c < 2; c++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  - until: {tile: %d/1-2, l1: " DONE_AT ", limit: 1000000}\n"
                         "  - dump: {tile: %d/1-2, address: 0x18200, length: 4, file: cycles%d}\n",
                         c, c, c);
    ck_assert_msg(run(text, options) == 0, "%s", out);
}

START_TEST(hop_takes_as_long_as_on_cards)
{
    const struct hop *hop = &hops[_i];
    between("sender", hop->routers, hop->channel, hop->bytes, 20, "ask", "answer", false, "");
    double ns = (dumped("cycles0") - dumped("cycles1")) / 20.0 / 2 / 1.35, error = ns / hop->ns - 1;
    printf("%s, channel %u, %u bytes: a hop takes %.1f ns, on cards %.1f, %+.1f %%\n", hop->routers,
           hop->channel, hop->bytes, ns, hop->ns, 100 * error);
    ck_assert_msg(error > -0.1 && error < 0.1, "%.1f ns", ns);
}
END_TEST

// Both ways at the same time.
START_TEST(flow_is_as_fast_as_on_cards)
{
    const struct flow *flow = &flows[_i];
    uint32_t took[2];
    for (unsigned i = 0; i < 2; i++) {
        between("measured", flow->routers, 10, flow->bytes, 64 + 128 * i, "pour", "pour",
                flow->routers_only, "");
        took[i] = dumped("cycles0");
    }
    double gbs = 128.0 * flow->bytes * 1.35 / (took[1] - took[0]), error = gbs / flow->gbs - 1;
    printf("%s, %s: packets of %u bytes, %.2f GB/s, on cards %.2f, %+.1f %%\n", flow->routers,
           flow->routers_only ? "routers only" : "with workers", flow->bytes, gbs, flow->gbs,
           100 * error);
    ck_assert_msg(error > -0.1 && error < 0.1, "%.2f GB/s", gbs);
}
END_TEST

// More packets than there are slots, in other orders than usual.
START_TEST(packets_come_in_any_timing)
{
    static const char *const routers[] = {"line", "ring", "near"};
    between("sender", routers[_i], 4, 256, 60, "ask", "answer", false, "--perturb 5:60");
    between("sender", routers[_i], 4, 256, 60, "ask", "answer", false, "--perturb 6:200");
    between("sender", routers[_i], 4, 256, 60, "pour", "pour", false, "--perturb 7:200");
    between("sender", routers[_i], 4, 256, 60, "pour", "pour", false, "--check");
    ck_assert_msg(strstr(out, "warning:") == NULL, "%s", out);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, folder_make, folder_remove);
    tcase_add_loop_test(tests, hop_takes_as_long_as_on_cards, 0, sizeof hops / sizeof *hops);
    tcase_add_loop_test(tests, flow_is_as_fast_as_on_cards, 0, sizeof flows / sizeof *flows);
    tcase_add_loop_test(tests, packets_come_in_any_timing, 0, 3);
}

SUITE("fabric", add_tests)
