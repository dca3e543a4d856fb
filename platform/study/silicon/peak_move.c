// BRISC and NCRISC of a large matmul (peak.h). Each request writes all of its registers, as the
// published kernels do.
#include "platform/study/silicon/peak.h"

#include "noc/niu.h"

#define BANKS      8
#define NIU        0xffb20000u
#define STATUS     (NIU + 0x200)
#define ANSWERS    (4 * TS_NOC_MST_RD_RESP_RECEIVED)
#define LEFT       (4 * TS_NOC_MST_NONPOSTED_WR_REQ_SENT)
#define PENDING    0x248 // requests of id 2 that are not answered yet
#define PACKET     16384u
#define MARKED     (TS_NOC_CTRL_RESP_MARKED | TS_NOC_CTRL_VC_STATIC)
#define CTRL_READ  (MARKED | 1u << TS_NOC_CTRL_VC_SHIFT)
#define CTRL_WRITE (2u | MARKED | 1u << TS_NOC_CTRL_VC_SHIFT)
#define CTRL_ADD   (1u | MARKED | 1u << TS_NOC_CTRL_VC_SHIFT)
#define CTRL_MANY \
    (2u | MARKED | 5u << TS_NOC_CTRL_VC_SHIFT | TS_NOC_CTRL_BRCST | TS_NOC_CTRL_PATH_RESERVE)

// What BRISC and NCRISC have in their own memory.
struct own {
    unsigned core, noc;
    uint32_t x, y, semaphores, banks, arguments;
};
static const struct own reader = {TS_RV_BRISC, 0,          0xffb00008,    0xffb00004,
                                  0xffb0086c,  0xffb00448, PEAK_ARGUMENTS};
static const struct own writer = {TS_RV_NCRISC, 1,          0xffb00030,          0xffb0002c,
                                  0xffb00458,   0xffb00040, PEAK_ARGUMENTS + 128};

static void argument(struct peak_code *k, unsigned rd, unsigned index)
{
    peak_load(k, rd, S11, (int32_t)(4 * index));
}

// ---- requests: a register of an initiator at a time; `at` and `by` are scratch registers

struct request {
    unsigned noc, buffer, at, by;
};

static uint32_t place(struct request to, unsigned word)
{
    return NIU + (to.noc << 16) + (to.buffer << 11) + 4 * word;
}

static void from_register(struct peak_code *k, struct request to, unsigned word, unsigned reg)
{
    peak_li(k, to.at, place(to, word));
    peak_store(k, reg, to.at, 0);
}

static void from_number(struct peak_code *k, struct request to, unsigned word, uint32_t number)
{
    peak_li(k, to.at, place(to, word));
    peak_li(k, to.by, number);
    peak_store(k, to.by, to.at, 0);
}

static void wait_free(struct peak_code *k, struct request to)
{
    peak_li(k, to.at, place(to, TS_NOC_CMD_CTRL));
    unsigned again = peak_mark(k);
    peak_load(k, to.by, to.at, 0);
    peak_branch(k, TS_RV_BNE, to.by, ZERO, again);
}

// The end of a request: its length (a register), and off.
static void go(struct peak_code *k, struct request to, unsigned length)
{
    from_register(k, to, TS_NOC_AT_LEN_BE, length);
    from_number(k, to, TS_NOC_AT_LEN_BE_1, 0);
    from_number(k, to, TS_NOC_CMD_CTRL, 1);
}

// A tile of DRAM: from A0 at A2 to A4; A5 is the own coordinate.
static void read_tile(struct peak_code *k, unsigned noc, uint32_t bytes)
{
    const struct request to = {noc, 1, T3, T5};
    peak_li(k, T6, bytes);
    wait_free(k, to);
    from_number(k, to, TS_NOC_CTRL, CTRL_READ);
    from_register(k, to, TS_NOC_RET_LO, A4);
    from_number(k, to, TS_NOC_RET_MID, 0);
    from_register(k, to, TS_NOC_RET_HI, A5);
    from_register(k, to, TS_NOC_TARG_LO, A0);
    from_number(k, to, TS_NOC_TARG_MID, 0);
    from_register(k, to, TS_NOC_TARG_HI, A2);
    go(k, to, T6);
}

// `length` bytes (a register) to the same address of many tiles.
static void write_many(struct peak_code *k, unsigned noc, unsigned source, unsigned length)
{
    const struct request to = {noc, 0, T1, T2};
    wait_free(k, to);
    from_number(k, to, TS_NOC_CTRL, CTRL_MANY);
    from_register(k, to, TS_NOC_TARG_LO, source);
    from_register(k, to, TS_NOC_RET_LO, source);
    from_number(k, to, TS_NOC_RET_MID, 0);
    from_register(k, to, TS_NOC_RET_HI, A5);
    go(k, to, length);
}

// Adds 1 to the semaphore at S2 of the tile A5; the answer goes to A6.
static void increment(struct peak_code *k, unsigned noc)
{
    const struct request to = {noc, 3, T3, T4};
    wait_free(k, to);
    from_number(k, to, TS_NOC_RET_LO, 4);
    from_number(k, to, TS_NOC_RET_MID, 0);
    from_register(k, to, TS_NOC_RET_HI, A6);
    from_register(k, to, TS_NOC_TARG_LO, S2);
    from_number(k, to, TS_NOC_TARG_MID, 0);
    from_register(k, to, TS_NOC_TARG_HI, A5);
    from_number(k, to, TS_NOC_CTRL, CTRL_ADD);
    from_number(k, to, TS_NOC_AT_LEN_BE, 1u << 12 | 31u << 2);
    from_number(k, to, TS_NOC_AT_LEN_BE_1, 0);
    from_number(k, to, TS_NOC_AT_DATA, 1);
    from_number(k, to, TS_NOC_CMD_CTRL, 1);
}

// Until a counter has reached a register.
static void wait_counter(struct peak_code *k, unsigned noc, unsigned counter, unsigned target)
{
    peak_li(k, T0, STATUS + (noc << 16) + counter);
    unsigned again = peak_mark(k);
    peak_load(k, T1, T0, 0);
    peak_branch(k, TS_RV_BLTU, T1, target, again);
    peak_fence(k);
}

static void read_counter(struct peak_code *k, unsigned noc, unsigned counter, unsigned rd)
{
    peak_li(k, T0, STATUS + (noc << 16) + counter);
    peak_load(k, rd, T0, 0);
}

// ---- coordinates, semaphores, tiles

static void own_coordinate(struct peak_code *k, const struct own *own, unsigned rd)
{
    peak_li(k, T2, own->x);
    peak_do(k, TS_RV_LBU, T0, T2, 0, 0);
    peak_li(k, T2, own->y);
    peak_do(k, TS_RV_LBU, T1, T2, 0, 0);
    peak_do(k, TS_RV_SLLI, T1, T1, 0, 6);
    peak_do(k, TS_RV_OR, rd, T0, T1, 0);
}

static void coordinate(struct peak_code *k, unsigned rd, unsigned x, unsigned y)
{
    peak_move(k, rd, y);
    peak_do(k, TS_RV_SLLI, rd, rd, 0, 6);
    peak_do(k, TS_RV_OR, rd, rd, x, 0);
}

// A5 = the rectangle of five arguments from `first` on.
static void rectangle(struct peak_code *k, unsigned first)
{
    argument(k, T1, first);
    argument(k, T2, first + 1);
    argument(k, T3, first + 2);
    argument(k, T5, first + 3);
    coordinate(k, A5, T3, T5);
    coordinate(k, T0, T1, T2);
    peak_do(k, TS_RV_SLLI, T0, T0, 0, 12);
    peak_do(k, TS_RV_OR, A5, A5, T0, 0);
}

static void semaphore(struct peak_code *k, const struct own *own, unsigned index, unsigned rd)
{
    argument(k, T0, index);
    peak_do(k, TS_RV_SLLI, T5, T0, 0, 4);
    peak_li(k, rd, own->semaphores);
    peak_load(k, rd, rd, 0);
    peak_do(k, TS_RV_ADD, rd, rd, T5, 0);
}

static void set_semaphore(struct peak_code *k, unsigned at, unsigned value)
{
    peak_li(k, T0, value);
    peak_store(k, T0, at, 0);
    peak_fence(k);
}

static void wait_semaphore(struct peak_code *k, unsigned at, unsigned value)
{
    unsigned again = peak_mark(k), done = peak_label(k);
    peak_fence(k);
    peak_load(k, T0, at, 0);
    peak_branch(k, TS_RV_BEQ, T0, value, done);
    peak_jump(k, again);
    peak_here(k, done);
    peak_fence(k);
}

// A0 += the tile's place in its bank, A2 = the bank's port, for tile A1 of A2 banks.
static void find_tile(struct peak_code *k, const struct own *own, unsigned table, uint32_t bytes)
{
    peak_move(k, T0, A1);
    peak_do(k, TS_RV_REMU, A1, T0, A2, 0);
    peak_do(k, TS_RV_DIVU, T0, T0, A2, 0);
    peak_do(k, TS_RV_SLLI, T0, T0, 0, __builtin_ctz(bytes));
    peak_do(k, TS_RV_ADD, A0, A0, T0, 0);
    peak_do(k, TS_RV_ADD, T1, A1, table, 0);
    peak_do(k, TS_RV_SLLI, T1, T1, 0, 1);
    peak_li(k, T2, own->banks);
    peak_do(k, TS_RV_ADD, T2, T2, T1, 0);
    peak_do(k, TS_RV_LHU, A2, T2, 0, 0);
}

// ---- input

// Registers of requests that nobody writes again; T2 is the own coordinate.
static void prepare(struct peak_code *k, unsigned noc)
{
    for (unsigned buffer = 0; buffer < 4; buffer++) {
        const struct request to = {noc, buffer, T0, T1};
        from_number(k, to, TS_NOC_TAG, 0);
        from_number(k, to, TS_NOC_BRCST_EXCLUDE, 0);
        if (buffer % 2 == 0) {
            from_number(k, to, TS_NOC_TARG_MID, 0);
            from_register(k, to, TS_NOC_TARG_HI, T2);
        }
    }
}

// What the launch leaves: own coordinate, semaphores, ports of the banks, registers of requests.
// The numbers are the host's, behind the arguments.
static void begin(struct peak_code *k, const struct own *own)
{
    peak_li(k, S11, own->arguments);
    argument(k, T2, 30);
    peak_do(k, TS_RV_ANDI, T3, T2, 0, 63);
    peak_li(k, T0, own->x);
    peak_do(k, TS_RV_SB, 0, T0, T3, 0);
    peak_do(k, TS_RV_SRLI, T3, T2, 0, 6);
    peak_li(k, T0, own->y);
    peak_do(k, TS_RV_SB, 0, T0, T3, 0);
    peak_set(k, own->semaphores, PEAK_SEMAPHORES);
    peak_li(k, T3, PEAK_ARGUMENTS + 256); // ports: of NoC 0, then of NoC 1
    peak_li(k, T4, own->banks);
    for (int32_t i = 0; i < BANKS; i++) {
        peak_load(k, T1, T3, 4 * i);
        peak_store(k, T1, T4, 4 * i);
    }
    prepare(k, own->noc);
    peak_fence(k);
}

// Sends the block at S9 to the rectangle of arguments `first` .., and then the semaphore.
static void send(struct peak_code *k, const struct own *own, unsigned first, unsigned flag,
                 uint32_t bytes)
{
    unsigned nobody = peak_label(k);
    const unsigned packets = (bytes + PACKET - 1) / PACKET;
    argument(k, T0, first + 4);
    peak_branch(k, TS_RV_BEQ, T0, ZERO, nobody);
    rectangle(k, first);
    read_counter(k, own->noc, LEFT, A6);
    peak_addi(k, A6, A6, (int32_t)packets);
    peak_move(k, A0, S9);
    for (unsigned i = 0; i < packets; i++) {
        peak_li(k, T5, bytes - i * PACKET < PACKET ? bytes - i * PACKET : PACKET);
        write_many(k, own->noc, A0, T5);
        if (i + 1 < packets)
            peak_do(k, TS_RV_ADD, A0, A0, T5, 0);
    }
    wait_counter(k, own->noc, LEFT, A6);
    semaphore(k, own, flag, A4);
    rectangle(k, first);
    peak_li(k, T2, 1);
    peak_store(k, T2, A4, 0);
    peak_li(k, T5, 16);
    write_many(k, own->noc, A4, T5);
    peak_here(k, nobody);
}

// Blocks of `rows` x `columns` tiles from DRAM to a buffer and to the other tiles.
static void send_blocks(struct peak_code *k, const struct own *own, const struct peak *peak,
                        unsigned rows, unsigned columns)
{
    const uint32_t bytes = peak_page(peak, true);
    const unsigned room = own->noc ? 16 : 21, flag = room + 1;
    unsigned done = peak_label(k), body = peak_label(k);
    argument(k, S0, 0);
    argument(k, S1, 1);
    argument(k, S3, 3);
    argument(k, S4, 4);
    argument(k, S7, 7);
    argument(k, S8, 8);
    argument(k, S10, 13);
    if (own->noc == 0) {
        argument(k, S9, 18);
        peak_do(k, TS_RV_ADD, S10, S10, S9, 0);
    }
    semaphore(k, own, flag, T6);
    set_semaphore(k, T6, 1);
    peak_li(k, S6, 0);
    unsigned block = peak_mark(k);
    peak_branch(k, TS_RV_BNE, S6, S8, body);
    peak_jump(k, done);
    peak_here(k, body);
    peak_reserve(k, own->core, own->noc, PEAK_IN(S7));
    peak_write_at(k, own->core, own->noc, S9);
    peak_move(k, A4, S9);
    read_counter(k, own->noc, ANSWERS, A7);
    peak_move(k, A6, S1);
    peak_li(k, S5, rows);
    unsigned row = peak_mark(k);
    for (unsigned i = 0; i < columns; i++) {
        peak_move(k, A0, S0);
        peak_add_number(k, A1, A6, (int32_t)i);
        argument(k, A2, own->noc ? 29 : 23);
        find_tile(k, own, own->noc ? A2 : ZERO, bytes);
        own_coordinate(k, own, A5);
        read_tile(k, own->noc, bytes);
        peak_do(k, TS_RV_ADD, A4, A4, T6, 0);
    }
    peak_do(k, TS_RV_ADD, A6, A6, S3, 0);
    peak_addi(k, S5, S5, -1);
    peak_branch(k, TS_RV_BNE, S5, ZERO, row);
    peak_do(k, TS_RV_ADD, A7, A7, S7, 0);
    wait_counter(k, own->noc, ANSWERS, A7);
    semaphore(k, own, room, A3);
    wait_semaphore(k, A3, S10);
    set_semaphore(k, A3, 0);
    send(k, own, 9, flag, rows * columns * bytes);
    if (own->noc == 0)
        send(k, own, 14, flag, rows * columns * bytes);
    peak_push_back(k, own->core, own->noc, PEAK_IN(S7), false);
    peak_do(k, TS_RV_ADD, S1, S1, S4, 0);
    peak_addi(k, S6, S6, 1);
    peak_jump(k, block);
    peak_here(k, done);
}

static void receive_blocks(struct peak_code *k, const struct own *own)
{
    const unsigned room = own->noc ? 16 : 21, sender = own->noc ? 14 : 19;
    unsigned done = peak_label(k);
    argument(k, S7, 7);
    argument(k, S8, 8);
    peak_li(k, S0, 0);
    unsigned block = peak_mark(k);
    peak_branch(k, TS_RV_BEQ, S0, S8, done);
    peak_reserve(k, own->core, own->noc, PEAK_IN(S7));
    semaphore(k, own, room + 1, S1);
    set_semaphore(k, S1, 0);
    semaphore(k, own, room, S2);
    argument(k, T1, sender);
    argument(k, T2, sender + 1);
    coordinate(k, A5, T1, T2);
    own_coordinate(k, own, A6);
    increment(k, own->noc);
    peak_li(k, T1, 1);
    wait_semaphore(k, S1, T1);
    peak_push_back(k, own->core, own->noc, PEAK_IN(S7), false);
    peak_addi(k, S0, S0, 1);
    peak_jump(k, block);
    peak_here(k, done);
}

// ---- output

static void set_output(struct peak_code *k, unsigned word, uint32_t number)
{
    peak_li(k, T1, number);
    peak_store(k, T1, GP, (int32_t)(4 * word));
}

static void wait_output(struct peak_code *k, unsigned reg)
{
    unsigned again = peak_mark(k);
    peak_load(k, reg, GP, 4 * TS_NOC_CMD_CTRL);
    peak_branch(k, TS_RV_BNE, reg, ZERO, again);
}

static void write_tile(struct peak_code *k)
{
    peak_li(k, T6, 129);
    unsigned again = peak_mark(k);
    peak_load(k, A5, GP, PENDING);
    peak_branch(k, TS_RV_BGEU, A5, T6, again);
    wait_output(k, A5);
    peak_store(k, T5, GP, 4 * TS_NOC_TARG_LO);
    peak_store(k, A0, GP, 4 * TS_NOC_RET_LO);
    peak_store(k, A2, GP, 4 * TS_NOC_RET_HI);
    peak_li(k, A5, 1);
    peak_store(k, A5, GP, 4 * TS_NOC_CMD_CTRL);
}

// Tiles of a sub-block, row by row.
static void write_subblock(struct peak_code *k, const struct peak *peak)
{
    unsigned rows_done = peak_label(k), done = peak_label(k);
    peak_wait_front(k, TS_RV_NCRISC, PEAK_C, PEAK_COUNT(peak->height * peak->width));
    peak_read_at(k, TS_RV_NCRISC, PEAK_C, T5);
    peak_move(k, A7, A6);
    peak_move(k, A3, S7);
    unsigned row = peak_mark(k);
    peak_branch(k, TS_RV_BEQ, A3, ZERO, rows_done);
    peak_move(k, T4, A7);
    peak_move(k, A4, S6);
    unsigned tile = peak_mark(k);
    peak_branch(k, TS_RV_BEQ, A4, ZERO, done);
    peak_move(k, A0, S0);
    peak_move(k, A1, T4);
    peak_move(k, A2, S11);
    find_tile(k, &writer, S8, peak_page(peak, false));
    write_tile(k);
    peak_li(k, T6, peak_page(peak, false));
    peak_do(k, TS_RV_ADD, T5, T5, T6, 0);
    peak_addi(k, T4, T4, 1);
    peak_addi(k, A4, A4, -1);
    peak_jump(k, tile);
    peak_here(k, done);
    peak_do(k, TS_RV_ADD, A7, A7, S3, 0);
    peak_addi(k, A3, A3, -1);
    peak_jump(k, row);
    peak_here(k, rows_done);
    peak_pop_front(k, TS_RV_NCRISC, PEAK_C, PEAK_COUNT(peak->height * peak->width), false);
}

// The NoC is that of argument 31: columns in turn. NoC 0 is BRISC's until it has ended.
static void write_output(struct peak_code *k, const struct peak *peak)
{
    static const uint8_t arguments[] = {18, 19, 21, 22, 23, 24, 25, 28, 29};
    static const uint8_t registers[] = {S0, S1, S3, S4, S5, S6, S7, S10, S11};
    unsigned ready = peak_label(k), done = peak_label(k), row_done = peak_label(k);
    argument(k, T3, 31);
    peak_move(k, S8, T3);
    peak_do(k, TS_RV_SLLI, GP, T3, 0, 16);
    peak_li(k, T0, NIU);
    peak_do(k, TS_RV_ADD, GP, GP, T0, 0);
    peak_branch(k, TS_RV_BNE, T3, ZERO, ready);
    peak_li(k, T3, 1);
    peak_await(k, PEAK_A_DONE, T3, T4);
    peak_here(k, ready);
    peak_stamp(k, PEAK_START(PEAK_AT_OUTPUT));
    wait_output(k, T1);
    set_output(k, TS_NOC_TAG, 2u << 10);
    set_output(k, TS_NOC_CTRL, CTRL_WRITE);
    set_output(k, TS_NOC_RET_MID, 0);
    set_output(k, TS_NOC_AT_LEN_BE, peak_page(peak, false));
    set_output(k, TS_NOC_AT_LEN_BE_1, 0);
    for (unsigned i = 0; i < sizeof arguments; i++) // the last one replaces the pointer itself
        argument(k, registers[i], arguments[i]);
    peak_do(k, TS_RV_MUL, S8, S8, S11, 0);
    unsigned rows = peak_mark(k);
    peak_branch(k, TS_RV_BEQ, S10, ZERO, done);
    peak_move(k, A6, S1);
    peak_li(k, S9, PEAK_SIDE / peak->width);
    unsigned columns = peak_mark(k);
    peak_branch(k, TS_RV_BEQ, S9, ZERO, row_done);
    write_subblock(k, peak);
    peak_do(k, TS_RV_ADD, A6, A6, S4, 0);
    peak_addi(k, S9, S9, -1);
    peak_jump(k, columns);
    peak_here(k, row_done);
    peak_do(k, TS_RV_ADD, S1, S1, S5, 0);
    peak_addi(k, S10, S10, -1);
    peak_jump(k, rows);
    peak_here(k, done);
    wait_output(k, T1);
    unsigned drain = peak_mark(k);
    peak_load(k, T4, GP, PENDING);
    peak_branch(k, TS_RV_BNE, T4, ZERO, drain);
    peak_fence(k);
    peak_stamp(k, PEAK_END(PEAK_AT_OUTPUT));
}

// ---- the programs

void peak_reader(struct peak_code *k, const struct peak *peak, bool sends)
{
    peak_stamp(k, PEAK_START(PEAK_AT_BRISC));
    begin(k, &reader);
    if (sends)
        send_blocks(k, &reader, peak, PEAK_SIDE, peak->block);
    else
        receive_blocks(k, &reader);
    peak_stamp(k, PEAK_END(PEAK_AT_BRISC));
    peak_set(k, PEAK_A_DONE, 1);
    peak_fence(k);
}

void peak_writer(struct peak_code *k, const struct peak *peak, bool sends)
{
    peak_stamp(k, PEAK_START(PEAK_AT_NCRISC));
    begin(k, &writer);
    if (peak->part == PEAK_TAIL) { // all of c is there, and BRISC is not
        prepare(k, 0);
        peak_set(k, PEAK_ARRIVED(PEAK_C), PEAK_SIDE * PEAK_SIDE);
        peak_set(k, PEAK_A_DONE, 1);
    } else if (sends) {
        send_blocks(k, &writer, peak, peak->block, PEAK_SIDE);
    } else {
        receive_blocks(k, &writer);
    }
    peak_stamp(k, PEAK_END(PEAK_AT_INPUT));
    if (peak->part != PEAK_FILL)
        write_output(k, peak);
    peak_stamp(k, PEAK_END(PEAK_AT_NCRISC));
}
