// Hangs in systems of two and four chips: each report names chip, tile and core, and what it waits for.
#include "tests/chip/system_run.h"
#include "tests/suite.h"

// In texts `@` is the folder of compiled kernels.
#define ROUTER(place) ROUTER_OF(place, "fabric_sender_line")
#define ROUTER_OF(place, sender)                                     \
    "  " place ":\n"                                                 \
    "    erisc0: @" sender ".erisc0.elf\n"                           \
    "    erisc1: @fabric_receiver_line.erisc1.elf\n"                 \
    "    load: [{address: 0x18008, words: [1, 2, 0x18300, 0, 0]},\n" \
    "           {address: 0x18300, words: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}]\n"
#define WORKER(place, kernel)                                          \
    "  " place ":\n"                                                   \
    "    brisc: @" kernel ".brisc.elf\n"                               \
    "    load: [{address: 0x18008, words: [1, 1, 1, 1, 2, 64, 40]},\n" \
    "           {address: 0x18300, words: [0]}]\n"
#define PAIR                                                                                   \
    "system: p150x2\ntiles:\n" ROUTER("0/eth0") ROUTER("1/eth0") WORKER("0/1-2", "fabric_ask") \
        WORKER("1/1-2", "fabric_answer")
#define RELEASE(place, cores) "  - release: {tile: " place ", cores: [" cores "]}\n"
#define ROUTERS               RELEASE("0/eth0", "erisc0, erisc1") RELEASE("1/eth0", "erisc0, erisc1")
#define WORKERS               RELEASE("1/1-2", "brisc") RELEASE("0/1-2", "brisc")
#define ECHO(place, kernel)   ECHO_OF(place, "echo_" kernel)
#define ECHO_OF(place, kernel) \
    "  " place ": {erisc0: @" kernel ".erisc0.elf, load: [{address: 0x18008, words: [32, 2]}]}\n"
#define UNTIL(place) "  - until: {tile: " place ", l1: " DONE_AT "}\n"

static const struct row {
    const char *name;
    const char *text;    // of a scenario, or the file of one of the compiled ones
    const char *without; // lines with this are left out
    const char *script;  // behind it
    const char *says[3];
} rows[] = {
    {"a worker of another chip never starts",
     PAIR "script:\n" ROUTERS RELEASE("1/1-2", "brisc"),
     NULL,
     "",
     {"brisc of 1/1-2 waits at answer.cpp:", "L1 word 0x2203c (has 0, needs 1); nobody has written",
      "brisc of 0/1-2 has a program and never started"}},
    {"a receiver of another chip never starts",
     PAIR "script:\n" RELEASE("0/eth0", "erisc0, erisc1") RELEASE("1/eth0", "erisc0") WORKERS,
     NULL,
     "",
     {"from erisc1 of 1/eth0, which has no program or is held in reset",
      "(chip 0 eth 0 waits for a packet from chip 1 eth 0: the link is up",
      "brisc of 0/1-2 -> erisc0 of 0/eth0 -> erisc1 of 1/eth0"}},
    {"the router of a worker never starts",
     PAIR "script:\n" RELEASE("0/eth0", "erisc1") RELEASE("1/eth0", "erisc0, erisc1") WORKERS,
     NULL,
     "",
     {"brisc of 0/1-2 waits at ask.cpp:", "from erisc0 of 0/eth0, which has no program or is held",
      "brisc of 0/1-2 -> erisc0 of 0/eth0"}},
    {"a link is cut under routers",
     PAIR "script:\n" ROUTERS WORKERS,
     NULL,
     "  - run: 9000\n  - link: {end: 0/eth0, state: down}\n" UNTIL("0/1-2"),
     {"chip 0 eth 0 waits for its link to chip 1 eth 0, which is down", "of 0/eth0 waits at",
      "brisc of 0/1-2 -> erisc1 of 0/eth0"}},
    {"a credit of a worker for its router is lost",
     "system: p150x2\ntiles:\n" ROUTER("0/eth0") ROUTER("1/eth0") WORKER("0/1-2", "test_lossy_ask")
         WORKER("1/1-2", "fabric_answer") "script:\n" ROUTERS WORKERS,
     NULL,
     "",
     {"likely lost operation: erisc0 of 0/eth0 waits at sender.cpp:",
      "for credits of stream 2 (has 7): 64 bytes came from tile 1-2 to L1 0x22580 at cycle",
      ", and no credit for them: the last one came at cycle"}},
    {"a credit of a router for the other end is lost",
     "system: p150x2\ntiles:\n" ROUTER_OF("0/eth0", "test_lossy_sender") ROUTER("1/eth0")
         WORKER("0/1-2", "fabric_ask") WORKER("1/1-2", "fabric_answer") "script:\n" ROUTERS WORKERS,
     NULL,
     "",
     {"likely lost operation: erisc1 of 1/eth0 waits at receiver.cpp:",
      "for credits of stream 0 (has 7): 112 bytes came over the link from chip 0 eth 0 to L1 0x",
      ", and no credit for them: the last one came at cycle"}},
    {"the other end of a link never starts",
     "system: p150x2\ntiles:\n" ECHO("0/eth3", "sender") ECHO("1/eth3", "receiver"),
     NULL,
     "script:\n" RELEASE("0/eth3", "erisc0"),
     {"erisc0 of 0/eth3 waits at sender.cpp:",
      "from erisc0 of 1/eth3, which has no program or is held in reset",
      "chip 0 eth 3 waits for a packet from chip 1 eth 3: the link is up"}},
    {"the other end of a link has ended",
     "system: p150x2\ntiles:\n" ECHO("0/eth1",
                                     "sender") "  1/eth1: {erisc0: @echo_receiver.erisc0.elf, "
                                               "load: [{address: 0x18008, words: [32, 3]}]}\n",
     NULL,
     "script:\n" RELEASE("0/eth1", "erisc0") RELEASE("1/eth1", "erisc0") UNTIL("1/eth1"),
     {"erisc0 of 1/eth1 waits at receiver.cpp:",
      "from erisc0 of 0/eth1, which has not sent it over the link",
      "chip 1 eth 1 waits for a packet from chip 0 eth 1"}},
    {"a link is down from the beginning",
     "system: p150x2\ntiles:\n" ECHO("0/eth2", "sender") ECHO("1/eth2", "receiver"),
     NULL,
     "script:\n  - link: {end: 1/eth2, state: down}\n" RELEASE("0/eth2", "erisc0")
         RELEASE("1/eth2", "erisc0") UNTIL("0/eth2"),
     {"of 0/eth2 waits at", "chip 0 eth 2 waits for its link to chip 1 eth 2, which is down",
      NULL}},
    {"the other end of a link of an n300 never starts",
     "system: n300\ntiles:\n" ECHO_OF("0/eth8", "wormhole.echo_sender")
         ECHO_OF("1/eth0", "wormhole.echo_receiver"),
     NULL,
     "script:\n" RELEASE("0/eth8", "erisc0"),
     {"erisc0 of 0/eth8 waits at sender.cpp:",
      "from erisc0 of 1/eth0, which has no program or is held in reset",
      "chip 0 eth 8 waits for a packet from chip 1 eth 0: the link is up"}},
    {"a link of an n300 is down from the beginning",
     "system: n300\ntiles:\n" ECHO_OF("0/eth9", "wormhole.echo_sender")
         ECHO_OF("1/eth1", "wormhole.echo_receiver"),
     NULL,
     "script:\n  - link: {end: 1/eth1, state: down}\n" RELEASE("0/eth9", "erisc0")
         RELEASE("1/eth1", "erisc0") UNTIL("0/eth9"),
     {"of 0/eth9 waits at", "chip 0 eth 9 waits for its link to chip 1 eth 1, which is down",
      NULL}},
    {"the other end of a link of an n300 has ended",
     "system: n300\ntiles:\n" ECHO_OF(
         "0/eth8", "wormhole.echo_sender") "  1/eth0: {erisc0: "
                                           "@wormhole.echo_receiver.erisc0.elf, load: [{address: "
                                           "0x18008, words: [32, 3]}]}\n",
     NULL,
     "script:\n" RELEASE("0/eth8", "erisc0") RELEASE("1/eth0", "erisc0") UNTIL("1/eth0"),
     {"erisc0 of 1/eth0 waits at receiver.cpp:",
      "from erisc0 of 0/eth8, which has not sent it over the link",
      "chip 1 eth 0 waits for a packet from chip 0 eth 8"}},
    {"there is no cable",
     "system: p150x2\ntiles:\n" ECHO("1/eth13", "sender"),
     NULL,
     "",
     {"erisc0 of 1/eth13", "chip 1 eth 13 has no cable", NULL}},
    {"a chip of a ring never starts",
     "all-reduce",
     "release: {tile: 2/",
     "",
     {"erisc0 of 3/eth0 waits at west.cpp:",
      "from erisc0 of 2/eth2, which has no program or is held in reset (chip 3 eth 0 waits for a "
      "packet from chip 2 eth 2",
      "erisc0 of 1/eth0 -> erisc0 of 0/eth2 -> erisc0 of 0/eth0 -> erisc0 of 3/eth2 -> "
      "erisc0 of 3/eth0 -> erisc0 of 2/eth2"}},
    {"a chip behind a relay never starts",
     "relay",
     NULL,
     "script:\n" RELEASE("0/eth2", "erisc0") RELEASE("1/eth0", "erisc0, erisc1")
         RELEASE("1/eth2", "erisc0, erisc1"),
     {"erisc0 of 1/eth2 waits at from_link.cpp:",
      "(chip 1 eth 2 waits for a packet from chip 2 eth 0: the link is up",
      "erisc0 of 0/eth2 -> erisc1 of 1/eth0 -> erisc0 of 1/eth2 -> erisc0 of 2/eth0"}},
    {"the second core of a relay never starts",
     "relay",
     NULL,
     "script:\n" RELEASE("0/eth2", "erisc0") RELEASE("1/eth0", "erisc0, erisc1")
         RELEASE("1/eth2", "erisc0") RELEASE("2/eth0", "erisc0"),
     {"erisc0 of 2/eth0 waits at answer.cpp:",
      "from erisc1 of 1/eth2, which has no program or is held in reset",
      "(chip 2 eth 0 waits for a packet from chip 1 eth 2: the link is up"}},
    {"a chip of a fabric never starts",
     "fabric",
     "tile: 2/",
     "",
     {"brisc of 0/1-2 waits at all.cpp:",
      "from erisc1 of 0/eth0, which serves its channels (chip 0 eth 0 waits for a packet from chip "
      "3 eth 2",
      "erisc1 of 2/eth0 has a program and never started"}},
    {"a worker of the last chip waits for the one before it",
     "system: p150x4-ring\ntiles:\n" ROUTER("2/eth2") ROUTER("3/eth0")
         WORKER("3/4-5", "fabric_answer") WORKER("2/7-3", "fabric_ask"),
     NULL,
     "script:\n" RELEASE("2/eth2", "erisc0, erisc1") RELEASE("3/eth0", "erisc0, erisc1")
         RELEASE("3/4-5", "brisc"),
     {"brisc of 3/4-5 waits at answer.cpp:", "chip 3 eth 0 waits for a packet from chip 2 eth 2",
      "brisc of 2/7-3 has a program and never started"}},
};

// A text with `@` replaced, line by line without some.
static void write_text(char *to, size_t size, const char *text, const char *without)
{
    size_t used = strlen(to);
    while (*text) {
        const char *end = strchr(text, '\n');
        size_t length = end ? (size_t)(end - text) + 1 : strlen(text);
        char line[512];
        ck_assert_uint_lt(length, sizeof line);
        memcpy(line, text, length);
        line[length] = '\0';
        text += length;
        if (without && strstr(line, without))
            continue;
        for (const char *c = line; *c && used + 200 < size; c++)
            if (*c == '@')
                used += (size_t)snprintf(to + used, size - used, "%s/", TENSIM_GUEST);
            else
                to[used++] = *c;
        to[used] = '\0';
    }
}

// One of the compiled scenarios; its kernels are next to it.
static void read_scenario(const char *name, char *text, size_t size)
{
    static char file[16384];
    char path[256];
    snprintf(path, sizeof path, "%s/%s.yaml", TENSIM_GUEST, name);
    slurp(path, file, sizeof file);
    for (const char *c = file; *c && size > 2; c++) {
        if ((strncmp(c, "erisc", 5) == 0 && c[6] == ':') || strncmp(c, "brisc:", 6) == 0) {
            const char *colon = strchr(c, ':');
            for (; c <= colon; c++, size--)
                *text++ = *c;
            *text++ = ' ';
            *text++ = '@';
            size -= 2;
        } else {
            *text++ = *c;
            size--;
        }
    }
    *text = '\0';
}

START_TEST(names_who_waits_for_whom)
{
    static char text[16384], scenario[16384];
    const struct row *row = &rows[_i];
    const bool file = strchr(row->text, '\n') == NULL;
    if (file)
        read_scenario(row->text, text, sizeof text);
    scenario[0] = '\0';
    write_text(scenario, sizeof scenario, file ? text : row->text, row->without);
    write_text(scenario, sizeof scenario, row->script, NULL);
    ck_assert_msg(run(scenario, "") == 2, "%s: %s", row->name, out);
    for (unsigned i = 0; i < 3 && row->says[i]; i++)
        ck_assert_msg(strstr(out, row->says[i]) != NULL, "%s: no '%s' in:\n%s", row->name,
                      row->says[i], out);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, folder_make, folder_remove);
    tcase_add_loop_test(tests, names_who_waits_for_whom, 0, sizeof rows / sizeof *rows);
}

SUITE("system_hangs", add_tests)
