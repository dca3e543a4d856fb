// NoC transfers from BRISC and NCRISC: command buffer 0 of one of the two interfaces.
//
// Coordinates are x | y << 6. A transfer is at most 16 KiB; longer ones go in pieces. Every write
// is acknowledged: a barrier waits until all acknowledgements of this core's writes are there, so
// an interface belongs to one core.
#pragma once
#include "tensix.h"

namespace noc {

constexpr uint32_t MAX_TRANSFER = 16384;

inline uint32_t coordinate(uint32_t x, uint32_t y)
{
    return x | y << 6;
}

template <unsigned Which> class interface {
    uint32_t expected = 0; // acknowledgements, counted from `before`
    uint32_t before;
    uint32_t reads = 0, reads_before;
    uint32_t me;

    static volatile uint32_t *command()
    {
        return (volatile uint32_t *)(NOC_NIU_BASE + 0x10000 * Which);
    }
    static uint32_t acknowledged() { return TS_REG(NOC_NIU_BASE + 0x10000 * Which + 0x204); }

    static uint32_t answered() { return TS_REG(NOC_NIU_BASE + 0x10000 * Which + 0x208); }

    void issue(uint32_t from, uint32_t from_at, uint32_t to, uint32_t to_at, uint32_t control,
               uint32_t length)
    {
        volatile uint32_t *c = command();
        while (c[16] != 0)
            ;
        c[0] = from, c[1] = 0, c[2] = from_at;
        c[3] = to, c[4] = 0, c[5] = to_at;
        c[6] = 0;
        c[7] = control;
        c[8] = length;
        c[16] = 1;
    }

  public:
    explicit interface(uint32_t own) : before(acknowledged()), reads_before(answered()), me(own) {}

    void write(uint32_t from, uint32_t to_at, uint32_t to, uint32_t bytes)
    {
        for (uint32_t done = 0; done < bytes; done += MAX_TRANSFER) {
            uint32_t part = bytes - done < MAX_TRANSFER ? bytes - done : MAX_TRANSFER;
            issue(from + done, me, to + done, to_at, 2 | 1u << 4, part);
            expected++;
        }
    }

    void read(uint32_t from_at, uint32_t from, uint32_t to, uint32_t bytes)
    {
        issue(from, from_at, to, me, 1u << 4, bytes);
        reads++;
    }
    void read_barrier() const
    {
        while (answered() - reads_before < reads)
            ;
    }

    // To all tiles of a rectangle, this one too if `self`; `count` of them.
    void multicast(uint32_t from, uint32_t low, uint32_t high, uint32_t to, uint32_t bytes,
                   uint32_t count, bool self)
    {
        // NoC 1 runs the other way and starts at the other corner.
        uint32_t rectangle = Which ? high << 12 | low : low << 12 | high;
        for (uint32_t done = 0; done < bytes; done += MAX_TRANSFER) {
            uint32_t part = bytes - done < MAX_TRANSFER ? bytes - done : MAX_TRANSFER;
            issue(from + done, me, to + done, rectangle,
                  2 | 1u << 4 | 1u << 5 | 1u << 8 | uint32_t(self) << 17, part);
            expected += count;
        }
    }

    // Adds to a word of another tile; the old value comes back to `scratch`. Not part of the
    // barrier.
    void increment(uint32_t at, uint32_t address, uint32_t amount, uint32_t scratch)
    {
        volatile uint32_t *c = command();
        while (c[16] != 0)
            ;
        c[0] = address, c[1] = 0, c[2] = at;
        c[3] = scratch, c[4] = 0, c[5] = me;
        c[6] = 0;
        c[7] = 1 | 1u << 4;
        c[8] = 0x107c;
        c[10] = amount;
        c[16] = 1;
    }

    void barrier() const
    {
        while (acknowledged() - before < expected)
            ;
    }
};

} // namespace noc
