// Fast dispatch: kernels that fetch commands from the host's memory, hand them on and count finished workers (dispatch/kernels.c).
// The same launches by the host alone give the same bytes.
#include "tests/folder.h"
#include "tests/suite.h"
#include "tests/ttsim/card.h"
#include "tests/ttsim/dispatch/protocol.h"

#include <sys/wait.h>
#include <unistd.h>

#define HOST_BASE 0x4000000000ull // where window 4 leads
#define WORDS     96u
#define LAUNCHES  3u

static struct card card;
static unsigned char memory[0x10000];
static uint32_t at, piece,
    entries; // where the host writes its next command, and where the piece began

static unsigned char *host_at(uint64_t address, uint32_t length)
{
    card_must(address >= HOST_BASE && address + length <= HOST_BASE + sizeof memory,
              "an address that the iATU has not made");
    return memory + (address - HOST_BASE);
}

static void host_rd(uint64_t address, void *bytes, uint32_t length)
{
    memcpy(bytes, host_at(address, length), length);
}

static void host_wr(uint64_t address, const void *bytes, uint32_t length)
{
    memcpy(host_at(address, length), bytes, length);
}

static void start(const char *options)
{
    // Region 0 of the outbound iATU, as tt-umd writes it: control 2, 1, base, limit, target, then enabled.
    const uint32_t region[] = {0, 0, 0, sizeof memory - 1, (uint32_t)HOST_BASE, HOST_BASE >> 32};
    const uint64_t iatu = BAR2 + 0x1000;
    memset(memory, 0, sizeof memory);
    at = piece = entries = 0;
    setenv("TENSIM_OPTIONS", options, 1);
    card_open(&card);
    card.callbacks(host_rd, host_wr);
    card.init();
    for (uint32_t i = 1; i < 6; i++)
        card_word(&card, iatu + 4 * (i + 1), region[i]);
    card_word(&card, iatu, 0);
    card_word(&card, iatu + 4, 1u << 31);
}

// --- kernels ---

enum { FETCH, ISSUE, STARTER, WORK, COPY };
#define NCRISC_AT 0x4000u

// Loads the program of a role; BRISC's is at 0.
static void load(uint32_t x, uint32_t y, int role)
{
    static unsigned char bytes[0x2000];
    char path[100];
    snprintf(path, sizeof path, "%s/%d.bin", folder, role);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    ck_assert(length > 0 && length < sizeof bytes);
    card_write(&card, x, y, role == STARTER ? NCRISC_AT : 0, bytes, (uint32_t)length);
}

static void compile(void)
{
    char text[1200];
    folder_make();
    for (int role = FETCH; role <= COPY; role++) {
        snprintf(text, sizeof text,
                 "riscv64-unknown-elf-gcc -march=rv32im -mabi=ilp32 -mno-relax -O2 -ffreestanding "
                 "-nostdlib -Wall -Wextra -Werror "
                 "-DROLE=%d -I" TENSIM_SOURCE_DIR
                 " -Wl,-Ttext=%u,--no-warn-rwx-segments -Wl,-T" TENSIM_SOURCE_DIR
                 "/tests/ttsim/dispatch/kernels.ld -o %s/%d.elf " TENSIM_SOURCE_DIR
                 "/tests/ttsim/dispatch/kernels.c && riscv64-unknown-elf-objcopy -O binary "
                 "%s/%d.elf %s/%d.bin",
                 role, role == STARTER ? NCRISC_AT : 0, folder, role, folder, role, folder, role);
        ck_assert_int_eq(system(text), 0);
    }
}

static void release(uint32_t x, uint32_t y, uint32_t cores)
{
    card_write32(&card, x, y, SOFT_RESET, HELD & ~cores);
}

static void each_worker(void (*act)(uint32_t x, uint32_t y))
{
    for (uint32_t y = 2; y < 2 + ROWS; y++)
        for (uint32_t x = 1; x < 1 + COLUMNS; x++)
            act(x, y);
}

static void start_worker(uint32_t x, uint32_t y)
{
    load(x, y, WORK);
    release(x, y, BRISC);
}

static void start_dispatch(void)
{
    load(15, 2, FETCH);
    load(16, 2, ISSUE);
    load(16, 2, STARTER);
    card_write32(&card, 16, 2, 0xffb12238, NCRISC_AT);
    card_write32(&card, 16, 2, 0xffb1223c, 1);
    release(16, 2, BRISC | 1u << 18);
    release(15, 2, BRISC);
}

// --- launches ---

static void arguments_of(uint32_t n, uint32_t function, uint32_t *arguments, uint32_t *data)
{
    memset(arguments, 0, 64);
    arguments[0] = function;
    arguments[1] = 7 + n;
    arguments[2] = WORDS;
    for (uint32_t i = 0; i < WORDS; i++)
        data[i] = 1000 * n + i * i;
}

static uint32_t *command(uint32_t kind, uint32_t payload, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *to = (uint32_t *)(memory + HOST_COMMANDS + at);
    const uint32_t words[] = {kind, 64 + payload, a, b, c};
    memset(to, 0, 64);
    memcpy(to, words, sizeof words);
    at += 64 + payload;
    return to;
}

// The piece is complete: its bytes into FETCH's queue.
static void hand_over(uint32_t *last)
{
    last[15] = 1;
    const uint32_t entry = QUEUE + 4 * (entries++ % ENTRIES);
    while (card_read32(&card, 15, 2, entry) != 0)
        card.clock(1);
    card_write32(&card, 15, 2, entry, at - piece);
    piece = at = at % HOST_RING;
}

static void fast_launch(uint32_t n, uint32_t function)
{
    uint32_t *configure = command(CONFIGURE, 64 + 4 * WORDS, 4 * WORDS, 0, 0);
    arguments_of(n, function, configure + 16, configure + 32);
    command(START, 0, n * ROWS * COLUMNS, 0, 0);
    hand_over(command(WAIT, 0, (n + 1) * ROWS * COLUMNS, 0, 0));
}

static void fast_collect(void)
{
    for (uint32_t y = 2, to = HOST_RESULTS; y < 2 + ROWS; y++)
        for (uint32_t x = 1; x < 1 + COLUMNS; x++, to += 4 * WORDS)
            command(COLLECT, 0, XY(x, y), 4 * WORDS, to);
    hand_over(command(COMPLETE, 0, 0, 0, 0));
}

static bool host_waits_for(uint32_t count, unsigned steps)
{
    for (unsigned i = 0; i < steps; i++) {
        uint32_t word;
        memcpy(&word, memory + HOST_EVENTS, 4);
        if (word == count)
            return true;
        card.clock(1);
    }
    return false;
}

static uint32_t clock_of(uint32_t x, uint32_t y)
{
    return card_read32(&card, x, y, 0xffb121f0);
}

#define RESULT_BYTES (ROWS * COLUMNS * 4 * WORDS)

// Returns the cycle of the end; results[launch] are the workers', in the order of tiles.
static uint32_t fast(const char *options, unsigned char results[LAUNCHES][RESULT_BYTES])
{
    start(options);
    each_worker(start_worker);
    start_dispatch();
    for (uint32_t n = 0; n < LAUNCHES; n++) {
        fast_launch(n, n % 2);
        fast_collect();
        ck_assert(host_waits_for(n + 1, 1000));
        memcpy(results[n], memory + HOST_RESULTS, RESULT_BYTES);
    }
    hand_over(command(END, 0, 0, 0, 0));
    const uint32_t cycle = clock_of(1, 11);
    card.exit();
    return cycle;
}

static unsigned char *into;

static void wait_and_read(uint32_t x, uint32_t y)
{
    ck_assert(card_wait(&card, x, y, DONE, card_read32(&card, x, y, SIGNAL), 1000));
    card_read(&card, x, y, RESULTS, into, 4 * WORDS);
    into += 4 * WORDS;
}

static void slow(unsigned char results[LAUNCHES][RESULT_BYTES])
{
    start("");
    each_worker(start_worker);
    for (uint32_t n = 0; n < LAUNCHES; n++) {
        uint32_t arguments[16], data[WORDS];
        arguments_of(n, n % 2, arguments, data);
        card_window(&card, 1, 0, COLUMNS << 11 | (1 + ROWS) << 17 | 1u << 23 | 2u << 29, 1u << 5);
        card.wr(BAR0 + WINDOW + ARGUMENTS, arguments, sizeof arguments);
        card.wr(BAR0 + WINDOW + DATA_IN, data, sizeof data);
        card_word(&card, BAR0 + WINDOW + SIGNAL, n + 1);
        into = results[n];
        each_worker(wait_and_read);
    }
    card.exit();
}

START_TEST(both_ways_give_the_same_bytes)
{
    static unsigned char one[LAUNCHES][RESULT_BYTES], other[LAUNCHES][RESULT_BYTES];
    slow(one);
    for (uint32_t n = 0; n < LAUNCHES; n++) {
        uint32_t word; // the second word of the last worker
        memcpy(&word, one[n] + RESULT_BYTES - 4 * WORDS + 4, 4);
        ck_assert_uint_eq(word, (1000 * n + 1) * (7 + n) + XY(COLUMNS, 1 + ROWS) + n % 2);
    }
    const uint32_t cycle = fast("", other);
    ck_assert_mem_eq(one, other, sizeof one);
    memset(other, 0, sizeof other);
    ck_assert_uint_eq(fast("--step-by-step", other), cycle);
    ck_assert_mem_eq(one, other, sizeof one);
    memset(other, 0, sizeof other);
    ck_assert_uint_eq(fast("-j 2", other), cycle);
    ck_assert_mem_eq(one, other, sizeof one);
}
END_TEST

// --- the link takes time ---

// Bytes in a cycle of many long requests, without what a short one takes.
static double rate(const uint32_t cycles[4], bool writes)
{
    return (writes ? 16 : 64) * 16384.0 / (cycles[2 + writes] - cycles[writes]);
}

// Cycles of a read and a write of 64 bytes, of 1 MiB of reads and 256 KiB of writes.
static void copy(const char *options, uint32_t cycles[4])
{
    start(options);
    load(1, 2, COPY);
    release(1, 2, BRISC);
    ck_assert(card_wait(&card, 1, 2, DONE, 1, 100000)); // a write to the host ends a step
    card_read(&card, 1, 2, RESULTS, cycles, 16);
    card.exit();
}

START_TEST(the_link_takes_time)
{
    uint32_t is[4], other[4];
    copy("", is);
    ck_assert(is[0] > 1000 && is[0] < 1400);
    ck_assert(is[1] > 100 && is[1] < 500);
    // 42.5 bytes in a cycle (tt-metal's test of reads of the host's memory).
    ck_assert_double_eq_tol(rate(is, false), 42.5, 0.6);
    ck_assert_double_eq_tol(rate(is, true), 42.5, 0.6);
    copy("-D pcie.read_latency=5000", other);
    ck_assert_double_eq_tol(other[0] - is[0], 4000, 8); // rounds of a poll
    ck_assert_uint_eq(other[1], is[1]);
    ck_assert_double_eq_tol(rate(other, false), 42.5, 3);
    copy("-D pcie.acknowledge=600", other);
    ck_assert_uint_eq(other[0], is[0]);
    ck_assert_double_eq_tol(other[1] - is[1], 500, 8);
    copy("-D pcie.read_rate=21250", other);
    ck_assert_double_eq_tol(rate(other, false), 21.25, 0.3);
    ck_assert_uint_eq(other[3], is[3]);
    copy("-D pcie.write_rate=10625", other);
    ck_assert_uint_eq(other[2], is[2]);
    ck_assert_double_eq_tol(rate(other, true), 10.625, 0.2);
}
END_TEST

// --- hangs ---

static void stuck_worker(void)
{
    each_worker(start_worker);
    start_dispatch();
    fast_launch(0, STUCK);
    fast_collect();
    host_waits_for(1, 10000);
}

static void nothing_to_do(void)
{
    each_worker(start_worker);
    start_dispatch();
    host_waits_for(1, 10000);
}

static const struct {
    void (*act)(void);
    const char *text[3];
} hangs[] = {
    {stuck_worker,
     {"the host waits, and nothing on the card can change",
      "for credits of stream 48 (has 0, needs 12", "0x8310"}},
    {nothing_to_do, {"the host waits, and nothing on the card can change", "15-2", "0x8000"}},
};

START_TEST(a_hang_is_found_behind_tiles_that_poll)
{
    static char text[65536];
    int out[2], status;
    ck_assert_int_eq(pipe(out), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(out[1], STDERR_FILENO);
        start("--hang=200");
        hangs[_i].act();
        _exit(99);
    }
    close(out[1]);
    size_t used = 0;
    for (ssize_t got; (got = read(out[0], text + used, sizeof text - 1 - used)) > 0;)
        used += (size_t)got;
    text[used] = '\0';
    close(out[0]);
    waitpid(child, &status, 0);
    ck_assert_int_eq(WEXITSTATUS(status), 2);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(strstr(text, hangs[_i].text[i]), "no '%s' in: %s", hangs[_i].text[i], text);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, compile, folder_remove);
    tcase_add_test(tests, both_ways_give_the_same_bytes);
    tcase_add_test(tests, the_link_takes_time);
    tcase_add_loop_test(tests, a_hang_is_found_behind_tiles_that_poll, 0,
                        (int)(sizeof hangs / sizeof *hangs));
}

SUITE("ttsim_dispatch", add_tests)
