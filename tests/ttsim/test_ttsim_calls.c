// Random calls of libttsim.so, right and wrong ones: a process goes on, or ends with a documented exit code and a reason.
// Each sequence starts from a card that runs, in a process of its own: one in fifty from a p150, the others from a card with
// two columns of Tensix tiles (small.yaml), which is as complete. Starts and ends are what costs time: few of them. On the
// small card all components are at rest before, so that a process does not copy the pages of each one.
#include "tests/random.h"
#include "tests/suite.h"
#include "tests/ttsim/debugger.h"

#include <sys/wait.h>
#include <unistd.h>

#define CALLS 40 // of a sequence

static const struct kind {
    const char *options;
    uint32_t columns; // of Tensix tiles from name 1 on
    uint32_t last;    // name of a column
    int share;        // of 50 sequences
    uint32_t clocks;  // that passed before a sequence
} kinds[] = {
    {"--chip=" TENSIM_SOURCE_DIR "/tests/ttsim/small.yaml", 2, 2, 49, 100},
    {"--chip=p150", 7, 16, 1, 0},
};
static const struct kind *kind;
static struct card card;
static unsigned char memory[1 << 16];

static void host_rd(uint64_t address, void *bytes, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        ((unsigned char *)bytes)[i] = memory[(address + i) % sizeof memory];
}

static void host_wr(uint64_t address, const void *bytes, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        memory[(address + i) % sizeof memory] = ((const unsigned char *)bytes)[i];
}

// --- one random thing at a time ---

static uint32_t seed;

static uint32_t below(uint32_t limit)
{
    return random32(&seed) % limit;
}

// A call in eighty goes wrong.
static bool rarely(void)
{
    return below(80) == 0;
}

// What a window may show: `words` are registers.
static const struct {
    uint32_t x, y;
    uint64_t address;
    bool words;
} places[] = {
    {1, 2, 0, false},           {2, 3, 0x8000, false},    {7, 11, 0x17f000, false},
    {16, 2, 0x100000, false},   {1, 2, 0xffb121b0, true}, {2, 3, 0xffb12228, true},
    {2, 3, 0xffb121f0, true},   {1, 2, 0xffb20044, true}, {17, 12, 0xfffff000, false},
    {18, 23, 0x1000000, false}, {19, 24, 0x8000, false},  {19, 24, 4ull << 58, false},
    {20, 25, 0x7cc00, false},   {31, 25, 0x7cc70, false}, {25, 25, 0x10000, false},
    {8, 0, 0x10000400, false},  {8, 0, 0x80030400, true}, {8, 0, 0x80030060, true},
    {1, 2, 0xffb12020, true},   {1, 2, 0xffb12120, true}, {2, 3, 0xffb12078, true},
};
static const uint32_t xs[] = {1, 2, 5, 7, 10, 16, 17, 18, 19, 20, 31, 8, 0, 9, 40};
static const uint32_t ys[] = {2, 3, 11, 12, 15, 23, 24, 25, 0, 1, 30};

#define PICK(list) (list[below(sizeof list / sizeof *list)])

static unsigned char bytes[0x4000];
static struct debugger started; // BRISC of a tile
static bool words;              // of the place that window 0 shows

// The column of a place: of a Tensix tile, one that the card has.
static uint32_t column(uint32_t x, uint32_t y)
{
    return y >= 2 && y < 12 && x > kind->last ? kind->last : x;
}

static uint64_t set_window(void)
{
    uint32_t i = below(sizeof places / sizeof *places);
    words = places[i].words;
    uint64_t address = places[i].address + (words ? 0 : 16 * below(8));
    uint32_t x = column(places[i].x, places[i].y), y = places[i].y;
    x = rarely() ? PICK(xs) : x;
    y = rarely() ? PICK(ys) : y;
    return card_at(&card, x, y, address) + (rarely() ? below(8) : 0);
}

static uint32_t some_length(void)
{
    return rarely() ? below(sizeof bytes) : words || below(4) ? 4 : 4 * (1 + below(64));
}

static void read_window(void)
{
    uint64_t at = set_window();
    card.rd(at, bytes, some_length());
}

static void write_window(void)
{
    uint64_t at = set_window();
    for (uint32_t i = 0; i < 256; i++)
        bytes[i] = (unsigned char)below(256);
    card.wr(at, bytes, some_length());
}

static void multicast(void)
{
    uint32_t noc = below(2), x0 = 1 + below(kind->columns), y0 = 2 + below(5),
             x1 = x0 + below(kind->last + 1 - x0), y1 = y0 + below(5), w2 = noc << 3 | 1 << 5;
    bool turned = noc ^ rarely();
    card_window(&card, 1, 0,
                (turned ? x0 : x1) << 11 | (turned ? y0 : y1) << 17 | (turned ? x1 : x0) << 23 |
                    (turned ? y1 : y0) << 29,
                w2 | (turned ? y1 : y0) >> 3);
    card.wr(BAR0 + WINDOW + 0x2000, bytes, some_length());
}

// A core starts, perhaps in the middle of nothing.
static void start_core(void)
{
    struct program program = {.count = 0};
    emit_store(&program, 0x8000 + 4 * below(64), below(UINT32_MAX));
    if (below(2))
        emit_noc(&program, 0x9000, 1 | 2 << 6, (uint64_t)below(rarely() ? 64 : 8) << 58 | 0x200,
                 rarely() ? PICK(xs) | PICK(ys) << 6 : 19 | 24 << 6, 64, 2);
    emit_wait(&program, 0x8000, below(4));
    emit_end(&program);
    started = (struct debugger){&card, 1 + below(kind->columns), 2 + below(9), 0};
    card_run(&card, started.x, started.y, &program);
}

// A debugger at the core that was started last, or at another one: it is seldom wrong about the core's state.
static void debug(void)
{
    static const struct {
        uint32_t command;
        uint32_t indices, step; // of DR(2)
    } acts_of[] = {
        {STEP, 1, 1},
        {RESUME, 1, 1},
        {READ_GPR, 33, 1},
        {WRITE_GPR, 32, 1},
        {READ_MEMORY, 0x8000, 4},
        {WRITE_MEMORY, 0x8000, 4},
        {CLEAR_GPRS, 1, 1},
        {WRITE_PC, 1, 1},
        {HALT, 1, 1},
        {STEP | WRITE_PC, 1, 1},
    };
    const struct debugger on = rarely() || started.card == NULL
                                   ? (struct debugger){&card, 1 + below(kind->columns),
                                                       2 + below(9), below(4)}
                                   : started;
    const uint32_t act = below(sizeof acts_of / sizeof *acts_of);
    uint32_t status = dr_read(&on, rarely() ? below(2048) : DR_STATUS);
    dr_write(&on, DR_INDEX, acts_of[act].step * below(acts_of[act].indices + (rarely() ? 64 : 0)));
    dr_write(&on, DR_DATA, 4 * below(0x40));
    dr_write(&on, DR_WATCHPOINT + below(8), 4 * below(0x40));
    dr_write(&on, DR_MODES, (8 + below(4)) << 4 * below(8));
    if (status & IS_HALTED || rarely())
        dr_write(&on, DR_COMMAND, (rarely() ? 0 : SLOW_MODE) | acts_of[act].command);
    else if (on.card == started.card)
        debug_command(&on, HALT);
    if (below(4) == 0)
        debug_signal(&on, rarely() ? below(8) : 7, rarely() ? below(64) : 11, 1);
    if (below(4) == 0) { // NOPs, most of them
        card_write32(&card, on.x, on.y, PUSH_WORD, rarely() ? below(UINT32_MAX) : 2u << 24);
        card_write32(&card, on.x, on.y, PUSH_CONTROL, rarely() ? below(0x80) : 0x11u << below(3));
        card_write32(&card, on.x, on.y, PUSH_CONTROL, 0);
    }
}

static void registers(void)
{
    uint32_t offset = rarely() ? 4 * below(0x1000) : 0x1000 + 0x200 * below(16) + 4 * below(9);
    uint32_t word = below(UINT32_MAX);
    if (below(2))
        card.wr(BAR2 + offset, &word, 4);
    else
        card.rd(BAR2 + offset, &word, 4);
}

static void dma(void)
{
    card_word(&card, BAR2 + 0x100, 1);
    card_word(&card, BAR2 + 0x11c, 4 * below(2000));
    card_word(&card, BAR2 + 0x120, below(UINT32_MAX));
    card_word(&card, BAR2 + 0x128, (rarely() ? below(300) : 5) * (uint32_t)WINDOW + 4 * below(64));
    card_window(&card, 5, 0, column(3, 4) << 11 | 4 << 17, 0);
    card_word(&card, BAR2 + 0x104, 1);
}

static void configuration(void)
{
    uint32_t offset = 4 * below(rarely() ? 64 : 16);
    card.config_rd(below(4) << 3, offset);
    if (below(8) == 0 && (offset < 0x10 || offset > 0x24))
        card.config_wr(0, offset, below(UINT32_MAX));
}

static void large_window(void)
{
    uint32_t index = below(8);
    card_window(&card, 202 + index, 0, rarely() ? PICK(xs) | PICK(ys) << 6 : 17 | 13 << 6, 0);
    card.rd(BAR4 + ((uint64_t)index << 32) + 4 * below(0x1000), bytes, 4);
}

static void pass(void)
{
    card.clock(1 + below(3));
}

static void again(void)
{
    if (below(50))
        return;
    card.exit();
    started.card = NULL;
    if (below(4) == 0)
        card.callbacks(host_rd, host_wr);
    card.init();
}

static void wrong(void)
{
    if (!rarely())
        return;
    switch (below(5)) {
    case 0:
        card.init();
        break;
    case 1:
        card.callbacks(NULL, NULL);
        break;
    case 2:
        card.tile_wr(1, 2, 0, bytes, 4);
        break;
    case 3:
        card.rd(random32(&seed), bytes, 4);
        break;
    default:
        card.exit();
        card.exit();
    }
}

static void (*const acts[])(void) = {
    read_window, read_window, write_window,  write_window, multicast, start_core, registers,
    dma,         pass,        configuration, large_window, again,     wrong,      debug,
};

// --- a sequence in a process of its own ---

static const int codes[] = {0, 2, 3, 4, 5, 64};

static int run(uint32_t number, char *text, size_t size)
{
    int out[2], status;
    ck_assert_int_eq(pipe(out), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(out[1], STDERR_FILENO);
        seed = number * 2654435761u | 1;
        for (int i = 0; i < CALLS; i++)
            PICK(acts)();
        if (below(4) == 0)
            card.exit();
        _exit(0);
    }
    close(out[1]);
    size_t used = 0;
    ssize_t got;
    char rest[4096];
    while ((got = read(out[0], rest, sizeof rest)) > 0)
        for (ssize_t i = 0; i < got && used < size - 1; i++)
            text[used++] = rest[i];
    text[used] = '\0';
    close(out[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// The ends of sequences with numbers from..to - 1, by exit code.
static void run_all(int from, int to, unsigned seen[256])
{
    char text[4096];
    for (int i = from; i < to; i++) {
        int code = run((uint32_t)i + 1, text, sizeof text);
        bool known = false;
        for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
            known |= code == codes[k];
        ck_assert_msg(known, "sequence %d: code %d, text: %s", i + 1, code, text);
        ck_assert_msg(code == 0 || strstr(text, "tensim: ") != NULL, "sequence %d: code %d: %s",
                      i + 1, code, text);
        seen[code]++;
    }
}

START_TEST(calls_end_well_or_with_a_reason)
{
    unsigned seen[256] = {0};
    int sequences = suite_sample(100, 10000, "sequences of random calls"), from = 0;
    card_open(&card);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int to = from + sequences * kinds[i].share / 50;
        kind = &kinds[i];
        setenv("TENSIM_OPTIONS", kind->options, true);
        card.callbacks(host_rd, host_wr);
        card.init();
        card.clock(kind->clocks);
        run_all(from, to, seen);
        card.exit();
        from = to;
    }
    dlclose(card.library);
    ck_assert_int_eq(from, sequences);
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
        printf("code %d: %u of %d\n", codes[k], seen[codes[k]], sequences);
    ck_assert_uint_gt(seen[0], 0);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, calls_end_well_or_with_a_reason);
}

SUITE("ttsim calls", add_tests, .one_process = true)
