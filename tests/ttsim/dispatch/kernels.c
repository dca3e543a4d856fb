// Fast dispatch in small, with the device features that the vendor's dispatch kernels use and a protocol of our own.
//
//   host's memory --reads, ids--> FETCH --writes, atomics--> ISSUE --linked multicasts--> WORK (12 tiles)
//         ^                                                    | ^                          | stream register 48
//         +------------- results, completion ------------------+ +-- START (NCRISC, NoC 1) <-+
//
// ROLE chooses the program: FETCH 0, ISSUE 1 (BRISC of one tile), START 2 (NCRISC of the same), WORK 3 (BRISC of every worker),
// COPY 4 (reads and writes the host's memory as fast as it can).
#include "tests/ttsim/dispatch/protocol.h"

#define WORD(address) (*(volatile uint32_t *)(uintptr_t)(address))

enum { TARG, TARG_MID, TARG_XY, RET, RET_MID, RET_XY, TAG, CTRL, LENGTH, LENGTH_1, DATA, GO = 16 };
enum { READ = 0, ATOMIC = 1, WRITE = 2, INLINE = 8, ANSWER = 16, LINKED = 64 };
enum { MANY = 1 << 5 | 1 << 7 | 1 << 8 | 4 << 13 }; // a multicast: static channel 4, path reserved
enum { ACKNOWLEDGED = 1, SENT = 10, OUTSTANDING = 16, LEFT = 32 }; // counters; by transaction id

static inline volatile uint32_t *buffer(uint32_t noc, uint32_t index)
{
    volatile uint32_t *b = (volatile uint32_t *)(uintptr_t)(0xffb20000u + 0x10000 * noc +
                                                            0x800 * index);
    while (b[GO] != 0)
        ;
    return b;
}

static inline uint32_t counter(uint32_t noc, uint32_t index)
{
    return WORD(0xffb20200u + 0x10000 * noc + 4 * index);
}

static inline uint32_t own(uint32_t noc)
{
    return WORD(0xffb20148u + 0x10000 * noc) & 0xfff;
}

static inline void forget(void)
{
    __asm__ volatile("fence" ::: "memory"); // the cache of L1
}

// Bytes from a place to a place, under a transaction id.
static inline void transfer(uint32_t noc, uint32_t control, uint64_t from, uint32_t from_xy,
                            uint64_t to, uint32_t to_xy, uint32_t bytes, uint32_t id)
{
    volatile uint32_t *b = buffer(noc, 0);
    b[TARG] = (uint32_t)from, b[TARG_MID] = (uint32_t)(from >> 32), b[TARG_XY] = from_xy;
    b[RET] = (uint32_t)to, b[RET_MID] = (uint32_t)(to >> 32), b[RET_XY] = to_xy;
    b[TAG] = id << 10;
    b[CTRL] = control | ANSWER;
    b[LENGTH] = bytes, b[LENGTH_1] = 0;
    b[GO] = 1;
}

static inline void add(uint32_t xy, uint32_t address, uint32_t amount)
{
    volatile uint32_t *b = buffer(0, 3);
    b[TARG] = address, b[TARG_MID] = 0, b[TARG_XY] = xy;
    b[RET] = SCRATCH, b[RET_MID] = 0, b[RET_XY] = own(0);
    b[TAG] = 0;
    b[CTRL] = ATOMIC | ANSWER;
    b[LENGTH] = 0x107c | (address >> 2 & 3), b[LENGTH_1] = 0; // increment of 32 bits
    b[DATA] = amount;
    b[GO] = 1;
}

static inline void answered(uint32_t noc, uint32_t id)
{
    while (counter(noc, OUTSTANDING + id) != 0)
        ;
}

static inline void left(uint32_t noc, uint32_t id)
{
    while (counter(noc, LEFT + id) != 0)
        ;
}

// A posted store of a word to a register of another tile.
static inline void store(uint32_t noc, uint32_t xy, uint32_t address, uint32_t value)
{
    volatile uint32_t *b = buffer(noc, 2);
    b[TARG] = address, b[TARG_MID] = 0, b[TARG_XY] = xy;
    b[TAG] = 0;
    b[CTRL] = WRITE | INLINE;
    b[LENGTH] = 0xf << (address & 15), b[LENGTH_1] = 0;
    b[DATA] = value;
    b[GO] = 1;
}

static inline uint32_t await(uint32_t address, uint32_t not )
{
    uint32_t value;
    do {
        forget();
        value = WORD(address);
    } while (value == not );
    return value;
}

#if ROLE == 0
static void run(void)
{
    const uint32_t queue = QUEUE, me = own(0);
    uint64_t ring = HOST_COMMANDS;
    for (uint32_t n = 0;; n++) {
        const uint32_t entry = queue + 4 * (n % ENTRIES), bytes = await(entry, 0);
        const uint32_t place = RING + PIECE * (n % PIECES);
        WORD(entry) = 0;
        forget();
        while (WORD(CREDITS) == n) // pieces that ISSUE can take, counted up by it
            forget();
        // In two reads, each with an id.
        const uint32_t half = bytes > 64 ? bytes / 128 * 64 : bytes;
        transfer(0, READ, HOST_WINDOW + ring, PCIE, place, me, half, 1);
        if (half < bytes)
            transfer(0, READ, HOST_WINDOW + ring + half, PCIE, place + half, me, bytes - half, 2);
        answered(0, 1);
        transfer(0, WRITE, place, me, place, ISSUER, half, 3);
        answered(0, 2);
        if (half < bytes)
            transfer(0, WRITE, place + half, me, place + half, ISSUER, bytes - half, 3);
        answered(0, 3);
        add(ISSUER, COUNT, 1);
        ring += bytes;
        if (ring >= HOST_COMMANDS + HOST_RING)
            ring = HOST_COMMANDS;
        if (bytes == LAST)
            return;
    }
}
#elif ROLE == 1
static uint32_t seen, events;

static bool command(uint32_t at)
{
    const uint32_t payload = at + 64, me = own(0);
    uint32_t acks;
    switch (WORD(at)) {
    case CONFIGURE: // two multicasts, linked
        acks = counter(0, ACKNOWLEDGED);
        transfer(0, WRITE | MANY | LINKED, payload, me, ARGUMENTS, WORKERS, 64, 4);
        transfer(0, WRITE | MANY, payload + 64, me, DATA_IN, WORKERS, WORD(at + 8), 4);
        // A multicast adds 1 to its id's counter, and every receiver takes 1 off: of those only all acknowledgements tell.
        while (counter(0, ACKNOWLEDGED) - acks < 2 * COLUMNS * ROWS)
            ;
        break;
    case START: // by the other core
        WORD(ORDER + 4) = WORD(at + 8);
        forget();
        WORD(ORDER) = WORD(ORDER) + 1;
        break;
    case WAIT:
        while (WORD(FINISHED) != WORD(at + 8))
            ;
        break;
    case COLLECT: // one worker's results to the host
        transfer(0, READ, RESULTS, WORD(at + 8), SCRATCH + 64, me, WORD(at + 12), 5);
        answered(0, 5);
        transfer(0, WRITE, SCRATCH + 64, me, HOST_WINDOW + WORD(at + 16), PCIE, WORD(at + 12), 6);
        left(0, 6);
        answered(0, 6);
        break;
    case COMPLETE:
        WORD(SCRATCH) = ++events;
        forget();
        transfer(0, WRITE, SCRATCH, me, HOST_WINDOW + HOST_EVENTS, PCIE, 16, 7);
        answered(0, 7);
        break;
    default:
        return false;
    }
    return true;
}

static void run(void)
{
    WORD(FINISHED_SIZE) = 0;
    add(FETCHER, CREDITS, PIECES);
    for (;; seen++) {
        uint32_t at = RING + PIECE * (seen % PIECES);
        while (WORD(COUNT) == seen)
            forget();
        for (bool last = false; !last; at += WORD(at + 4)) {
            last = WORD(at + 60);
            if (!command(at))
                return;
        }
        add(FETCHER, CREDITS, 1);
    }
}
#elif ROLE == 2
static void run(void)
{
    for (uint32_t n = 0;; n++) {
        await(ORDER, n);
        // All workers of the launch before have finished.
        while (WORD(FINISHED) != WORD(ORDER + 4))
            ;
        WORD(SIGNAL) = n + 1;
        forget();
        transfer(1, WRITE | MANY, SIGNAL, own(1), SIGNAL, WORKERS_1, 16, 1);
        left(1, 1);
    }
}
#elif ROLE == 3
static void run(void)
{
    for (uint32_t n = 0;; n = WORD(SIGNAL)) {
        await(SIGNAL, n);
        const uint32_t function = WORD(ARGUMENTS), number = WORD(ARGUMENTS + 4),
                       words = WORD(ARGUMENTS + 8), me = own(0);
        while (function == STUCK && WORD(NEVER) == 0)
            forget();
        for (uint32_t i = 0; i < words; i++)
            WORD(RESULTS + 4 * i) = WORD(DATA_IN + 4 * i) * number + me + (function ? i : 0);
        forget();
        WORD(DONE) = WORD(SIGNAL);
        store(0, ISSUER, FINISHED_UPDATE, 1 << 6);
    }
}
#else
// A short read and a short write, 1 MiB of reads and 256 KiB of writes.
static void run(void)
{
    const uint32_t me = own(0);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t begin = WORD(0xffb121f0), bytes = i < 2 ? 64 : 16384;
        for (uint32_t n = 0; n < (i < 2 ? 1 : i < 3 ? 64 : 16); n++)
            if (i % 2)
                transfer(0, WRITE, RING, me, HOST_WINDOW + HOST_COMMANDS, PCIE, bytes, 1 + n % 4);
            else
                transfer(0, READ, HOST_WINDOW + HOST_COMMANDS, PCIE, RING, me, bytes, 1 + n % 4);
        for (uint32_t id = 1; id <= 4; id++)
            answered(0, id);
        WORD(RESULTS + 4 * i) = WORD(0xffb121f0) - begin;
    }
    forget();
    WORD(DONE) = 1;
}
#endif

__attribute__((noreturn)) void start(void);

void start(void)
{
    run();
    forget();
    for (;;)
        ;
}

__asm__(".section .start, \"ax\"\n.globl _start\n_start: li sp, 0xffb01ff0\nj start\n.previous");
