// NoC transfers from BRISC and NCRISC.
//
// Coordinates are x | y << 6. A transfer is at most 16 KiB; longer ones go in pieces. Each of the
// interface's four command buffers has one use, so that what never changes is set once: 0 writes
// and multicasts, 1 reads, 3 atomics. Every write is acknowledged: a barrier waits until all
// acknowledgements of this core's writes are there, so an interface belongs to one core.
#pragma once
#include "tensix.h"

namespace noc {

constexpr uint32_t MAX_TRANSFER = 16384;
constexpr uint32_t READ = 0, ATOMIC = 1, WRITE = 2;
constexpr uint32_t MARKED = 1u << 4, BROADCAST = 1u << 5, LINKED = 1u << 6, RESERVE = 1u << 8,
                   SELF = 1u << 17;

inline uint32_t coordinate(uint32_t x, uint32_t y)
{
    return x | y << 6;
}

template <unsigned Which> class interface {
    enum { TARG = 0, RET = 3, TAG = 6, CTRL = 7, LENGTH = 8, DATA = 10, GO = 16 }; // words
    enum { ACKNOWLEDGED = 1, ANSWERED = 2, SENT = 10 };                            // counters

    uint32_t acks, acks_before; // acknowledgements that are due, counted from `before`
    uint32_t reads, reads_before;
    uint32_t writes, writes_before;
    uint32_t me;

    static volatile uint32_t *buffer(unsigned index)
    {
        return (volatile uint32_t *)(NOC_NIU_BASE + 0x10000 * Which + 0x800 * index);
    }
    static uint32_t counter(unsigned index)
    {
        return TS_REG(NOC_NIU_BASE + 0x10000 * Which + 0x200 + 4 * index);
    }
    static volatile uint32_t *ready(unsigned index)
    {
        volatile uint32_t *c = buffer(index);
        while (c[GO] != 0)
            ;
        return c;
    }

    void send(uint32_t from, uint32_t to, uint32_t at, uint32_t bytes, uint32_t control)
    {
        for (uint32_t done = 0; done < bytes; done += MAX_TRANSFER) {
            volatile uint32_t *c = ready(0);
            c[TARG] = from + done;
            c[RET] = to + done, c[RET + 2] = at;
            c[CTRL] = control;
            c[LENGTH] = bytes - done < MAX_TRANSFER ? bytes - done : MAX_TRANSFER;
            c[GO] = 1;
            writes++;
        }
    }
    static uint32_t pieces(uint32_t bytes) { return (bytes + MAX_TRANSFER - 1) / MAX_TRANSFER; }

  public:
    explicit interface(uint32_t own)
        : acks(0), acks_before(counter(ACKNOWLEDGED)), reads(0), reads_before(counter(ANSWERED)),
          writes(0), writes_before(counter(SENT)), me(own)
    {
        for (unsigned i = 0; i < 4; i++) {
            volatile uint32_t *c = ready(i);
            c[TARG + 1] = c[RET + 1] = c[TAG] = 0;
            c[TARG + 2] = c[RET + 2] = me;
        }
        buffer(1)[CTRL] = READ | MARKED;
        buffer(3)[CTRL] = ATOMIC | MARKED;
        buffer(3)[LENGTH] = 0x107c; // increment of 32 bits
    }

    void write(uint32_t from, uint32_t to_at, uint32_t to, uint32_t bytes)
    {
        acks += pieces(bytes);
        send(from, to, to_at, bytes, WRITE | MARKED);
    }

    // At most one transfer.
    void read(uint32_t from_at, uint32_t from, uint32_t to, uint32_t bytes)
    {
        volatile uint32_t *c = ready(1);
        c[RET] = to;
        c[TARG] = from, c[TARG + 2] = from_at;
        c[LENGTH] = bytes;
        c[GO] = 1;
        reads++;
    }
    void read_barrier() const
    {
        while (counter(ANSWERED) - reads_before < reads)
            ;
    }

    // To all tiles of a rectangle, this one too if `self`; `count` of them. `linked`: the next
    // transfer goes the same way and keeps the path.
    void multicast(uint32_t from, uint32_t low, uint32_t high, uint32_t to, uint32_t bytes,
                   uint32_t count, bool self, bool linked)
    {
        // NoC 1 runs the other way and starts at the other corner.
        uint32_t rectangle = Which ? high << 12 | low : low << 12 | high;
        acks += count * pieces(bytes);
        send(from, to, rectangle, bytes,
             WRITE | MARKED | BROADCAST | RESERVE | (self ? SELF : 0) | (linked ? LINKED : 0));
    }

    // Adds to a word of another tile; the old value comes back to `scratch`. Not part of the
    // barrier.
    void increment(uint32_t at, uint32_t address, uint32_t amount, uint32_t scratch)
    {
        volatile uint32_t *c = ready(3);
        c[TARG] = address, c[TARG + 2] = at;
        c[RET] = scratch;
        c[DATA] = amount;
        c[GO] = 1;
    }

    // All writes have left: what they read may change.
    void flushed() const
    {
        while (counter(SENT) - writes_before < writes)
            ;
    }
    void barrier() const
    {
        while (counter(ACKNOWLEDGED) - acks_before < acks)
            ;
    }
};

} // namespace noc
