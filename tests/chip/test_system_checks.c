// Checks and traces of systems of chips: accesses that nothing which came over a link orders are found, named with chip, tile,
// core and line; what is in order has no findings. Who waited over which link.
#include "tests/chip/system_run.h"
#include "tests/suite.h"

#include <jansson.h>

// Roles of tests/chip/kernels/link.cpp, in its order.
enum role {
    SEND,
    SEND_AGAIN,
    REUSE,
    RECEIVE,
    RECEIVE_LATE,
    WAIT,
    TWO_QUEUES,
    FLAG,
    RECEIVE_FLAG,
    LAST_WORD,
    RAW,
    RECEIVE_RAW,
    FETCH,
    RECEIVE_FOR,
    NOBODY
};

// Chip 0 has the sender; chip 1 the receiver, on the second core of its tile someone else, and a worker at 1-2.
enum who { SENDER, RECEIVER, SECOND, WORKER, EVERYBODY };

static const struct row {
    const char *name;
    enum role role[EVERYBODY];
    enum who wrong;      // who makes the mistake
    const char *says[3]; // of it
} rows[] = {
    {"reads a message before its credit",
     {SEND, RECEIVE, NOBODY, NOBODY},
     RECEIVER,
     {"[race-eth]", "L1 0x1c400..0x1c403 of 1/eth0", "reads: erisc0 on tile 1/eth0, cycle"}},
    {"reads a message that happens to be there",
     {SEND, RECEIVE_LATE, NOBODY, NOBODY},
     RECEIVER,
     {"erisc0 reads L1 0x1c400..0x1c403, and nothing that came over the link orders that",
      "writes: Ethernet queue 0 for erisc0 on tile 0/eth0, cycle",
      "if it goes wrong: erisc0 reads before Ethernet queue 0 for erisc0 writes: it gets the old"}},
    {"the credit goes over another queue",
     {TWO_QUEUES, RECEIVE, NOBODY, NOBODY},
     SENDER,
     {"[race-eth]", "erisc0 on tile 1/eth0", "Ethernet queue 0 for erisc0 on tile 0/eth0"}},
    {"the sender overwrites its source",
     {REUSE, RECEIVE, NOBODY, NOBODY},
     SENDER,
     {"erisc0 writes L1 0x1b400..0x1b403 while an Ethernet queue may still be reading it",
      "[race-eth-source]", "access: erisc0 on tile 0/eth0, cycle"}},
    {"the next message comes while the first is read",
     {SEND_AGAIN, RECEIVE, NOBODY, NOBODY},
     SENDER,
     {"[race-eth]", "tile 0/eth0", "tile 1/eth0"}},
    {"the second core reads what the first has waited for",
     {SEND, WAIT, RECEIVE_LATE, NOBODY},
     SECOND,
     {"erisc1 reads L1 0x1c400..0x1c403", "[race-eth]", "access: erisc1 on tile 1/eth0"}},
    {"reads a message before its flag",
     {FLAG, RECEIVE_FLAG, NOBODY, NOBODY},
     RECEIVER,
     {"[race-eth]", "erisc0 on tile 1/eth0", "Ethernet queue 0 for erisc0 on tile 0/eth0"}},
    {"takes the first word of a message for its flag",
     {SEND, LAST_WORD, NOBODY, NOBODY},
     RECEIVER,
     {"[race-eth]", "erisc0 reads L1 0x1c410..0x1c413", "tile 1/eth0"}},
    {"overwrites the source of a raw frame",
     {RAW, RECEIVE_RAW, NOBODY, NOBODY},
     SENDER,
     {"[race-eth-source]", "Ethernet queue 2 for erisc0 on tile 0/eth0", "tile 0/eth0"}},
    {"reads a raw frame that nobody says is there",
     {RAW, RECEIVE_RAW, NOBODY, NOBODY},
     RECEIVER,
     {"[race-eth]", "Ethernet queue 2 for erisc0 on tile 0/eth0", "erisc0 on tile 1/eth0"}},
    {"a worker fetches a message before it is there",
     {SEND, RECEIVE_FOR, NOBODY, FETCH},
     WORKER,
     {"[race-eth]", "NoC 0 for brisc on tile 1/1-2", "L1 0x1c400..0x1c4ff of 1/eth0"}},
};

static void write_scenario(char *text, size_t size, const struct row *row, bool right)
{
    static const char *const tiles[EVERYBODY] = {"0/eth0", "1/eth0", "1/eth0", "1/1-2"},
                             *const cores[EVERYBODY] = {"erisc0", "erisc0", "erisc1", "brisc"};
    size_t used = (size_t)snprintf(text, size, "system: p150x2\ntiles:\n");
    for (enum who who = 0; who < EVERYBODY; who++) {
        const bool joins = who == SECOND; // the receiver's tile
        if (row->role[who] == NOBODY)
            continue;
        if (!joins)
            used += (size_t)snprintf(text + used, size - used, "  %s:\n", tiles[who]);
        used += (size_t)snprintf(text + used, size - used, "    %s: %s/test_link.%s.elf\n",
                                 cores[who], TENSIM_GUEST, cores[who]);
        const bool pair = who == RECEIVER && row->role[SECOND] != NOBODY;
        if (pair)
            continue;
        used += (size_t)snprintf(text + used, size - used, "    load: [");
        for (enum who part = joins ? RECEIVER : who; part <= who; part++)
            used += (size_t)snprintf(
                text + used, size - used, "%s{address: %s, words: [%u, %u, 1, 1]}",
                part < who || !joins ? "" : ", ", part == SECOND ? "0x18088" : "0x18008",
                row->role[part], right || part != row->wrong);
        used += (size_t)snprintf(
            text + used, size - used,
            ", {address: 0x1b400, words: [1, 2, 3]}, {address: 0x1b4fc, words: [4]}]\n");
    }
}

START_TEST(finds_a_mistake)
{
    static char scenario[4096];
    const struct row *row = &rows[_i];
    write_scenario(scenario, sizeof scenario, row, false);
    ck_assert_msg(run(scenario, "--check") == 7, "%s: %s", row->name, out);
    for (unsigned i = 0; i < 3; i++)
        ck_assert_msg(strstr(out, row->says[i]) != NULL, "%s: no '%s' in:\n%s", row->name,
                      row->says[i], out);
    write_scenario(scenario, sizeof scenario, row, true);
    ck_assert_msg(run(scenario, "--check") == 0, "%s, done right: %s", row->name, out);
    ck_assert_msg(strstr(out, "warning") == NULL, "%s, done right: %s", row->name, out);
}
END_TEST

// The same findings on two threads, and the same cycles without the check.
START_TEST(does_not_depend_on_threads)
{
    static char scenario[4096], before[sizeof out];
    write_scenario(scenario, sizeof scenario, &rows[0], false);
    ck_assert_int_eq(run(scenario, "--check -q --stats-hash"), 7);
    strcpy(before, out);
    ck_assert_int_eq(run(scenario, "--check -q --stats-hash -j2"), 7);
    ck_assert_str_eq(out, before);
    ck_assert_int_eq(run(scenario, "-q --stats-hash"), 0);
    ck_assert_ptr_nonnull(strstr(before, out));
}
END_TEST

// The examples of config/systems.
static const char *const examples[] = {"echo", "stream", "relay", "all-reduce", "fabric"};

START_TEST(examples_are_in_order)
{
    char options[300];
    snprintf(options, sizeof options, "%s/%s.yaml --check", TENSIM_GUEST, examples[_i]);
    ck_assert_msg(run_file(options) == 0, "%s: %s", examples[_i], out);
}
END_TEST

// The trace has the tiles of both chips, and each direction of the link as a lane with its frames; on two threads the same.
START_TEST(trace_names_chips_and_links)
{
    static const char *const names[] = {"\"chip0/eth0 (1-1)\"",
                                        "\"chip1/eth0 (1-1)\"",
                                        "\"chip0/links\"",
                                        "\"chip1/links\"",
                                        "\"chip0/eth0 (1-1) to chip1/eth0 (1-1)\"",
                                        "\"chip1/eth0 (1-1) to chip0/eth0 (1-1)\"",
                                        "\"name\":\"frames\""};
    char command[500];
    snprintf(command, sizeof command,
             "%s/echo.yaml --trace -o one -q && %s run %s/echo.yaml --trace -j2 -o two -q && "
             "cmp one/trace.json.gz two/trace.json.gz && gzip -dc one/trace.json.gz",
             TENSIM_GUEST, TENSIM_BINARY, TENSIM_GUEST);
    ck_assert_int_eq(run_file(command), 0);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        expect(names[i]);
}
END_TEST

// Of every core on every chip: its work and its waits are all its cycles; workers wait for packets of other chips.
START_TEST(waits_add_up)
{
    static const char *const ways[] = {"", "-j2", "--step-by-step"};
    static const struct {
        const char *system;
        size_t chips;
    } systems[] = {{"p150x4-ring", 4}, {"n300", 2}};
    json_t *first = NULL;
    for (unsigned way = 0; way < 3; way++) {
        char arguments[200], path[128];
        snprintf(arguments, sizeof arguments, "chips-all-gather -p system=%s -v --json out.json %s",
                 systems[_i].system, ways[way]);
        ck_assert_msg(run_file(arguments) == 0, "%s: %s", arguments, out);
        expect("waits for a packet from chip ");
        snprintf(path, sizeof path, "%s/out.json", folder);
        json_t *document = json_load_file(path, 0, NULL), *core, *wait,
               *waits = json_object_get(document, "waits");
        size_t i, k, over = 0;
        json_array_foreach(waits, i, core)
        {
            json_int_t sum = json_integer_value(json_object_get(core, "works"));
            ck_assert_int_ge(sum, 0);
            json_array_foreach(json_object_get(core, "waits"), k, wait)
            {
                sum += json_integer_value(json_object_get(wait, "cycles"));
                over += json_string_length(json_object_get(wait, "link")) > 0;
            }
            ck_assert_int_eq(sum, json_integer_value(json_object_get(core, "cycles")));
        }
        ck_assert_uint_ge(
            json_array_size(waits),
            4 * systems[_i].chips); // two cores of a worker and of two Ethernet tiles, at least
        ck_assert_uint_ge(over, 2 * systems[_i].chips);
        ck_assert(first == NULL || json_equal(first, waits));
        first = first ? first : json_incref(waits);
        json_decref(document);
    }
    json_decref(first);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, folder_make, folder_remove);
    tcase_add_loop_test(tests, finds_a_mistake, 0, sizeof rows / sizeof *rows);
    tcase_add_test(tests, does_not_depend_on_threads);
    tcase_add_test(tests, trace_names_chips_and_links);
    tcase_add_loop_test(tests, waits_add_up, 0, 2);
    tcase_add_loop_test(tests, examples_are_in_order, 0, sizeof examples / sizeof *examples);
}

SUITE("system_checks", add_tests)
