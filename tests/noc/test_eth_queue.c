// Two Ethernet ends and a link, without tiles: cycles by arithmetic, acknowledgements, what is lost and sent again.
#include "noc/eth.h"
#include "tests/kernel/kit.h"
#include "tests/suite.h"

#include <string.h>

#define MHZ    1350u
#define WRITES 64
#define L1     0x80000u

enum { CTRL = 0x00, CMD = 0x04, STATUS = 0x08, MAX_PKT = 0x0c, START = 0x14, SIZE = 0x18 };
enum { DEST = 0x1c, TRANSFERS = 0x30, PACKETS = 0x3c, WORDS = 0x40, DATA = 0x44, AHEAD = 0x6c };
enum { RX = 0x4000, RX_PTR = 0x08, RX_START = 0x0c, RX_SIZE = 0x10, RX_STRIP = 0x18 };
enum { RX_LOCAL = 0x40, RX_REMOTE = 0x44, RX_DROPS = 0x4c, HEADERS = 0x8200 };
enum { RAW = 1, L1_WRITE = 2, REGISTER = 4 };

// One end: its memory, what came into it, and a core that gives commands.
struct end {
    struct ts_eth eth;
    uint8_t l1[L1];
    struct {
        ts_cycle at;
        uint64_t to;
        uint32_t length, word;
    } write[WRITES];
    unsigned writes;
    struct command {
        ts_cycle at;
        uint32_t queue, kind, from, to, bytes;
    } command[16];
    unsigned commands, next;
    ts_cycle until;
};

static struct rig {
    struct ts_kernel *kernel;
    struct ts_eth_params params;
    struct end *end[2];
} rig;

static const char *read_l1(void *context, uint64_t address, void *bytes, uint32_t length,
                           ts_cycle now)
{
    (void)now;
    memcpy(bytes, ((struct end *)context)->l1 + address, length);
    return NULL;
}

static const char *write_l1(void *context, uint64_t address, const void *bytes, uint32_t length,
                            ts_cycle now)
{
    struct end *self = context;
    ck_assert_uint_lt(self->writes, WRITES);
    self->write[self->writes].at = now;
    self->write[self->writes].to = address;
    self->write[self->writes].length = length;
    memcpy(&self->write[self->writes++].word, bytes, 4);
    if (address < L1)
        memcpy(self->l1 + address, bytes, length);
    return NULL;
}

static const struct ts_noc_memory memory = {.read = read_l1, .write = write_l1};

static uint32_t at_queue(uint32_t queue, uint32_t offset)
{
    return TS_ETH_BASE + 0x1000 * queue + offset;
}

static void set(struct end *self, uint32_t address, uint32_t value, ts_cycle now)
{
    struct ts_error error = {0};
    ck_assert_msg(ts_eth_store(&self->eth, address, value, 0, 0, now, &error) == TS_OK, "%s",
                  error.text);
}

static uint32_t get(struct end *self, uint32_t address)
{
    struct ts_error error = {0};
    uint32_t value;
    ck_assert_int_eq(ts_eth_load(&self->eth, address, &value, &error), TS_OK);
    return value;
}

static ts_step act(struct probe *core, ts_cycle now)
{
    struct end *self = core->context;
    for (; self->next < self->commands && self->command[self->next].at <= now; self->next++) {
        const struct command *c = &self->command[self->next];
        set(self, at_queue(c->queue, START), c->from, now);
        set(self, at_queue(c->queue, SIZE), c->bytes, now);
        set(self, at_queue(c->queue, DEST), c->to, now);
        set(self, at_queue(c->queue, DATA), c->bytes, now);
        set(self, at_queue(c->queue, CMD), c->kind, now);
    }
    if (now >= self->until)
        return ts_finish(&core->base, now);
    ts_cycle next = self->next < self->commands ? self->command[self->next].at : self->until;
    return next - now;
}

static void begin(void)
{
    rig.params = (struct ts_eth_params){.rate = 400000,
                                        .latency = 356,
                                        .command = 12,
                                        .command_register = 9,
                                        .read_width = 4,
                                        .read_latency = 8,
                                        .write = 16,
                                        .overhead = 38,
                                        .link_header = 18,
                                        .least_frame = 64,
                                        .packet = 2048,
                                        .accept_ahead = 2,
                                        .unacknowledged = 64,
                                        .resend = 5000,
                                        .acknowledge = 512};
    rig.kernel = kit_kernel(1, 0);
    for (int i = 0; i < 2; i++) {
        struct end *end = rig.end[i] = calloc(1, sizeof *end);
        struct ts_domain *domain = ts_domain_new(rig.kernel, "end%d", i);
        ts_eth_init(&end->eth, domain, ts_machines, &rig.params, MHZ, &memory, end, (uint32_t)i, 7);
        probe_new(domain, act, "core%d", i)->context = end;
        for (uint32_t k = 0; k < L1 / 4; k++)
            memcpy(end->l1 + 4 * k, &k, 4);
        end->until = 40000;
    }
    ts_eth_connect(&rig.end[0]->eth, &rig.end[1]->eth);
}

static void command(int end, struct command command)
{
    rig.end[end]->command[rig.end[end]->commands++] = command;
}

static void elaborate(void)
{
    struct ts_error error = {0};
    ck_assert_msg(ts_kernel_elaborate(rig.kernel, &error) == TS_OK, "%s", error.text);
}

static void run_to(ts_cycle cycle)
{
    struct ts_run run = ts_kernel_run(rig.kernel, cycle);
    ck_assert_msg(run.stop == TS_STOP_LIMIT || run.stop == TS_STOP_DONE, "%s", run.error.text);
}

static void link_up(bool up, ts_cycle now)
{
    for (int i = 0; i < 2; i++)
        ts_eth_train(&rig.end[i]->eth, up, now);
}

static void end_all(void)
{
    struct ts_error error = {0};
    for (int i = 0; i < 2; i++)
        ck_assert_msg(ts_eth_audit(&rig.end[i]->eth, &error) == TS_OK, "%s", error.text);
    for (int i = 0; i < 2; i++)
        ts_eth_free(&rig.end[i]->eth);
    ts_kernel_free(rig.kernel);
    for (int i = 0; i < 2; i++)
        free(rig.end[i]);
}

// Cycles of a frame on the link, rounded up: 400 Gbit/s at 1350 MHz are 37 bytes a cycle.
static ts_cycle wire(uint32_t bytes)
{
    return (bytes * 8ull * MHZ + 399999) / 400000;
}

// --- time ---

START_TEST(a_write_takes_its_time)
{
    static const uint32_t sizes[] = {16, 64, 1024, 2048};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint32_t bytes = sizes[i];
        begin();
        command(0, (struct command){100, 0, L1_WRITE, 0x1000, 0x3000, bytes});
        elaborate();
        run_to(3000);
        struct end *to = rig.end[1];
        ck_assert_uint_eq(to->writes, 1);
        ck_assert_uint_eq(to->write[0].to, 0x3000);
        ck_assert_uint_eq(to->write[0].length, bytes);
        ck_assert_uint_eq(to->write[0].word, 0x1000 / 4);
        // Command, read, latency of the read, link, latency of the link, write.
        const ts_cycle read = (bytes + 63) / 64, least = 38 + 46;
        const ts_cycle frame = 38 + 18 + bytes > least ? 38 + 18 + bytes : least;
        ck_assert_uint_eq(to->write[0].at, 100 + 12 + read + 8 + wire((uint32_t)frame) + 356 + 16);
        ck_assert_uint_eq(get(rig.end[0], at_queue(0, TRANSFERS)), 1);
        ck_assert_uint_eq(get(rig.end[0], at_queue(0, PACKETS)), 1);
        ck_assert_uint_eq(get(rig.end[0], at_queue(0, WORDS)), (frame + 95) / 96);
        end_all();
    }
}
END_TEST

START_TEST(a_register_write_has_no_bytes)
{
    begin();
    command(0, (struct command){100, 1, REGISTER, 0, 0xffb94000, 77});
    elaborate();
    run_to(3000);
    ck_assert_uint_eq(rig.end[1]->writes, 1);
    ck_assert_uint_eq(rig.end[1]->write[0].to, 0xffb94000);
    ck_assert_uint_eq(rig.end[1]->write[0].word, 77);
    ck_assert_uint_eq(rig.end[1]->write[0].at, 100 + 9 + wire(38 + 46) + 356 + 16);
    end_all();
}
END_TEST

// 2048, 2048, 512: the next packet is read while one is sent, the link never waits.
START_TEST(a_long_write_is_cut)
{
    begin();
    command(0, (struct command){100, 0, L1_WRITE, 0x1000, 0x8000, 4608});
    elaborate();
    run_to(3000);
    struct end *to = rig.end[1];
    ck_assert_uint_eq(to->writes, 3);
    const uint64_t start = (100 + 12 + 32 + 8) * 400000ull;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t length = i < 2 ? 2048 : 512;
        bytes += 38 + 18 + length;
        ck_assert_uint_eq(to->write[i].to, 0x8000 + 2048 * i);
        ck_assert_uint_eq(to->write[i].length, length);
        ck_assert_uint_eq(to->write[i].word, (0x1000 + 2048 * i) / 4);
        ck_assert_uint_eq(to->write[i].at, (start + bytes * 8 * MHZ + 399999) / 400000 + 356 + 16);
    }
    ck_assert_uint_eq(rig.end[0]->eth.bytes_out, 4608);
    end_all();
}
END_TEST

// Two queues with long transfers: packets by turns.
START_TEST(queues_take_turns)
{
    begin();
    command(0, (struct command){100, 0, L1_WRITE, 0x1000, 0x8000, 6144});
    command(0, (struct command){100, 1, L1_WRITE, 0x1000, 0x20000, 6144});
    elaborate();
    run_to(4000);
    ck_assert_uint_eq(rig.end[1]->writes, 6);
    for (unsigned i = 0; i < 6; i++)
        ck_assert_uint_eq(rig.end[1]->write[i].to, (i % 2 ? 0x20000 : 0x8000) + i / 2 * 2048);
    end_all();
}
END_TEST

// A queue takes two commands; the third is ongoing until the first has been cut.
START_TEST(commands_are_taken_ahead)
{
    begin();
    for (uint32_t i = 0; i < 3; i++)
        command(0, (struct command){100 + 20 * i, 0, L1_WRITE, 0x1000, 0x8000 * (i + 1),
                                    i ? 16 : 16384});
    elaborate();
    run_to(160);
    ck_assert_uint_ne(get(rig.end[0], at_queue(0, STATUS)), 0);
    ck_assert_uint_eq(get(rig.end[0], at_queue(0, TRANSFERS)), 2);
    struct ts_error error = {0};
    ck_assert_int_eq(ts_eth_store(&rig.end[0]->eth, at_queue(0, CMD), L1_WRITE, 0, 0, 160, &error),
                     TS_CONTRACT);
    ck_assert_ptr_nonnull(strstr(error.text, "has not taken the one before it"));
    run_to(5000);
    ck_assert_uint_eq(get(rig.end[0], at_queue(0, STATUS)), 0);
    ck_assert_uint_eq(rig.end[1]->writes, 10);
    end_all();
}
END_TEST

// --- acknowledgements ---

static bool settled(const struct end *from)
{
    return from->eth.tx[0].oldest == from->eth.tx[0].next;
}

// One way: the receiver says so by itself, at the end of a period of 512 cycles.
START_TEST(silence_is_broken)
{
    begin();
    command(0, (struct command){100, 0, L1_WRITE, 0x1000, 0x3000, 64});
    elaborate();
    run_to(4000);
    ck_assert(settled(rig.end[0]));
    ck_assert_uint_eq(rig.end[1]->eth.sent, 1);
    ck_assert_uint_eq(get(rig.end[1], at_queue(0, RX + RX_LOCAL)), 1);
    ck_assert_uint_eq(get(rig.end[0], at_queue(0, RX + RX_REMOTE)), 1);
    ck_assert_uint_eq(rig.end[1]->eth.tx[0].spoke, 513);
    end_all();
}
END_TEST

// Both ways: the packets of end 1, each right behind one that came, acknowledge those of end 0.
START_TEST(packets_acknowledge)
{
    begin();
    for (uint32_t i = 0; i < 4; i++) {
        command(0, (struct command){100 + 600 * i, 0, L1_WRITE, 0x1000, 0x3000, 64});
        command(1, (struct command){480 + 600 * i, 0, L1_WRITE, 0x1000, 0x3000, 64});
    }
    elaborate();
    run_to(2850);
    ck_assert_uint_eq(rig.end[0]->eth.tx[0].oldest, 4); // the fourth of end 1 has said so
    ck_assert_uint_eq(rig.end[1]->eth.sent, 4);
    run_to(6000);
    ck_assert(settled(rig.end[1]));
    end_all();
}
END_TEST

// No more than two packets wait for their acknowledgement.
START_TEST(a_window_of_two)
{
    begin();
    rig.params.unacknowledged = 2;
    command(0, (struct command){100, 0, L1_WRITE, 0x1000, 0x8000, 8192});
    elaborate();
    run_to(800);
    ck_assert_uint_eq(rig.end[0]->eth.sent, 2);
    run_to(4000);
    ck_assert_uint_eq(rig.end[0]->eth.sent, 4);
    ck_assert_uint_eq(rig.end[1]->writes, 4);
    ck_assert(settled(rig.end[0]));
    end_all();
}
END_TEST

// --- what is lost ---

// The frames of a write are lost; all of them are sent again, once, from L1 as it is then.
START_TEST(what_is_lost_is_sent_again)
{
    begin();
    command(0, (struct command){100, 0, L1_WRITE, 0x1000, 0x8000, 4096});
    elaborate();
    run_to(300); // both have left
    ck_assert_uint_eq(rig.end[0]->eth.sent, 2);
    const ts_cycle left = rig.end[0]->eth.tx[0].sent_at;
    link_up(false, 300);
    run_to(600);
    link_up(true, 600);
    ck_assert_uint_eq(rig.end[1]->writes, 0);
    ck_assert_uint_eq(rig.end[1]->eth.lost, 2);
    uint32_t word = 0xabcd;
    memcpy(rig.end[0]->l1 + 0x1000, &word, 4);
    run_to(left + 5000 - 1);
    ck_assert_uint_eq(rig.end[0]->eth.resent, 0);
    run_to(8000);
    ck_assert_uint_eq(rig.end[0]->eth.resent, 2);
    ck_assert_uint_eq(rig.end[0]->eth.sent, 4);
    ck_assert_uint_eq(rig.end[1]->writes, 2);
    ck_assert_uint_eq(rig.end[1]->write[0].word, 0xabcd);
    ck_assert_uint_eq(rig.end[1]->write[1].to, 0x8800);
    // Read, sent and on its way as the first time.
    ck_assert_uint_eq(rig.end[1]->write[0].at,
                      left + 5000 + 32 + 8 + wire(38 + 18 + 2048) + 356 + 16);
    ck_assert(settled(rig.end[0]));
    ck_assert_uint_eq(get(rig.end[1], at_queue(0, RX + RX_DROPS)), 0);
    end_all();
}
END_TEST

// The acknowledgement is lost: the packet comes again, is dropped, and is acknowledged again.
START_TEST(an_acknowledgement_is_repeated)
{
    begin();
    command(0, (struct command){100, 0, L1_WRITE, 0x1000, 0x8000, 64});
    elaborate();
    run_to(600); // the packet has come, its acknowledgement has left
    ck_assert_uint_eq(rig.end[1]->writes, 1);
    ck_assert_uint_eq(rig.end[1]->eth.sent, 1);
    link_up(false, 600);
    run_to(1200);
    link_up(true, 1200);
    ck_assert_uint_eq(rig.end[0]->eth.lost, 1);
    run_to(9000);
    ck_assert_uint_eq(rig.end[0]->eth.resent, 1);
    ck_assert_uint_eq(rig.end[1]->writes, 1); // once
    ck_assert_uint_eq(get(rig.end[1], at_queue(0, RX + RX_DROPS)), 1);
    ck_assert_uint_eq(rig.end[1]->eth.sent, 2);
    ck_assert(settled(rig.end[0]));
    end_all();
}
END_TEST

// A packet in the middle is lost: those behind it are dropped, and come again in order.
START_TEST(order_survives_a_loss)
{
    begin();
    for (uint32_t i = 0; i < 3; i++)
        command(0, (struct command){100 + 300 * i, 0, L1_WRITE, 0x1000, 0x8000 + 0x100 * i, 64});
    elaborate();
    run_to(450); // the second one is on its way
    link_up(false, 450);
    run_to(460);
    link_up(true, 460);
    run_to(12000);
    ck_assert_uint_eq(rig.end[1]->writes, 3);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_uint_eq(rig.end[1]->write[i].to, 0x8000 + 0x100 * i);
    ck_assert_uint_gt(get(rig.end[1], at_queue(0, RX + RX_DROPS)), 0);
    ck_assert(settled(rig.end[0]));
    end_all();
}
END_TEST

// A link that is down takes nothing; what waits leaves when it is up, and pays for the wire then.
START_TEST(a_link_that_is_down_takes_nothing)
{
    begin();
    command(0, (struct command){100, 0, L1_WRITE, 0x1000, 0x8000, 64});
    elaborate();
    run_to(50);
    link_up(false, 50);
    run_to(1000);
    ck_assert_uint_eq(rig.end[0]->eth.sent, 0);
    char text[200];
    ts_eth_text(&rig.end[0]->eth, text, sizeof text);
    ck_assert_msg(strstr(text, "waits for its link to chip 1 eth 7, which is down"), "%s", text);
    link_up(true, 1000);
    run_to(3000);
    ck_assert_uint_eq(rig.end[1]->writes, 1);
    ck_assert_uint_eq(rig.end[1]->write[0].at, 1001 + wire(38 + 18 + 64) + 356 + 16);
    end_all();
}
END_TEST

// --- raw frames ---

// A buffer of 64 bytes that wraps, or is full.
START_TEST(raw_frames_wrap_or_drop)
{
    for (int wrap = 0; wrap < 2; wrap++) {
        begin();
        struct end *to = rig.end[1];
        set(to, at_queue(2, RX + CTRL), wrap ? 4 : 0, 0);
        set(to, at_queue(2, RX + RX_START), 0x4000 / 16, 0);
        set(to, at_queue(2, RX + RX_SIZE), 4, 0);
        for (uint32_t i = 0; i < 3; i++)
            command(0, (struct command){100 + 200 * i, 2, RAW, 0x1000 * (i + 1), 0, 48});
        elaborate();
        run_to(3000);
        uint32_t word;
        memcpy(&word, to->l1 + 0x4000, 4);
        // Three times 48 bytes: they wrap around, or 32 of the second and all of the third are dropped.
        ck_assert_uint_eq(word, wrap ? (0x3000 + 32) / 4 : 0x1000 / 4);
        memcpy(&word, to->l1 + 0x4000 + 48, 4);
        ck_assert_uint_eq(word, wrap ? (0x3000 + 16) / 4 : 0x2000 / 4);
        ck_assert_uint_eq(get(to, at_queue(2, RX + RX_DROPS)), wrap ? 0 : 1);
        ck_assert_uint_eq(get(to, at_queue(2, RX + RX_PTR)), wrap ? 16 : 64);
        ck_assert_uint_eq(rig.end[1]->eth.sent, 0); // nobody acknowledges them
        end_all();
    }
}
END_TEST

// Addresses and type are in front of the payload, in the order of the wire.
START_TEST(raw_frames_have_a_header)
{
    begin();
    struct end *from = rig.end[0], *to = rig.end[1];
    static const uint8_t header[14] = {1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16, 0, 64};
    set(from, TS_ETH_BASE + HEADERS + 0x18, 0x03040506, 0);
    set(from, TS_ETH_BASE + HEADERS + 0x1c, 0x0102, 0);
    set(from, TS_ETH_BASE + HEADERS + 0x10, 0x0d0e0f10, 0);
    set(from, TS_ETH_BASE + HEADERS + 0x14, 0x0b0c, 0);
    set(to, at_queue(2, RX + CTRL), 0, 0);
    set(to, at_queue(2, RX + RX_START), 0x4000 / 16, 0);
    set(to, at_queue(2, RX + RX_SIZE), 16, 0);
    set(to, at_queue(2, RX + RX_STRIP), 0, 0);
    command(0, (struct command){100, 2, RAW, 0x1000, 0, 64});
    elaborate();
    run_to(3000);
    ck_assert_mem_eq(to->l1 + 0x4000, header, sizeof header);
    ck_assert_mem_eq(to->l1 + 0x4000 + 14, from->l1 + 0x1000, 64);
    ck_assert_uint_eq(to->write[0].at, 100 + 12 + 1 + 8 + wire(38 + 64) + 356 + 16);
    end_all();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, a_write_takes_its_time);
    tcase_add_test(tests, a_register_write_has_no_bytes);
    tcase_add_test(tests, a_long_write_is_cut);
    tcase_add_test(tests, queues_take_turns);
    tcase_add_test(tests, commands_are_taken_ahead);
    tcase_add_test(tests, silence_is_broken);
    tcase_add_test(tests, packets_acknowledge);
    tcase_add_test(tests, a_window_of_two);
    tcase_add_test(tests, what_is_lost_is_sent_again);
    tcase_add_test(tests, an_acknowledgement_is_repeated);
    tcase_add_test(tests, order_survives_a_loss);
    tcase_add_test(tests, a_link_that_is_down_takes_nothing);
    tcase_add_test(tests, raw_frames_wrap_or_drop);
    tcase_add_test(tests, raw_frames_have_a_header);
}

SUITE("eth_queue", add_tests)
