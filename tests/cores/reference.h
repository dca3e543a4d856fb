// A second interpreter of the baby cores' integer and memory instructions, written from the manual
// as plainly as possible: no decoding ahead, no timing, one switch. The tests compare the core with
// it.
#ifndef TENSIM_TESTS_REFERENCE_H
#define TENSIM_TESTS_REFERENCE_H

#include "cores/riscv/fp.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct reference {
    uint32_t x[32], f[32], pc;
    uint8_t *l1;
    uint8_t local[8192];
    uint64_t executed;
    uint32_t scratch; // CSR cfg1
    uint32_t flags;   // of fcsr
    bool stopped;     // at a jump to itself
    bool failed;      // something it does not know
};

static uint8_t *reference_at(struct reference *self, uint32_t address)
{
    return address >= 0xffb00000u ? self->local + (address - 0xffb00000u) : self->l1 + address;
}

static uint32_t reference_bits(uint32_t word, int high, int low)
{
    return (word >> low) & (uint32_t)((UINT64_C(1) << (high - low + 1)) - 1);
}

static uint32_t reference_load(struct reference *self, uint32_t address, unsigned size)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint32_t)reference_at(self, address + i)[0] << (8 * i);
    return value;
}

static void reference_store(struct reference *self, uint32_t address, unsigned size, uint32_t value)
{
    for (unsigned i = 0; i < size; i++)
        reference_at(self, address + i)[0] = (uint8_t)(value >> (8 * i));
}

static uint32_t reference_count(uint32_t value, bool from_top, bool ones)
{
    uint32_t count = 0;
    for (int i = 0; i < 32; i++) {
        bool bit = from_top ? value >> (31 - i) & 1 : value >> i & 1;
        if (ones)
            count += bit;
        else if (bit)
            break;
        else
            count++;
    }
    return count;
}

static uint32_t reference_reverse(uint32_t value, uint32_t control)
{
    uint32_t result = 0;
    for (uint32_t i = 0; i < 32; i++)
        result |= (value >> i & 1) << (i ^ control);
    return result;
}

static uint32_t reference_op(struct reference *self, uint32_t word, uint32_t a, uint32_t b)
{
    uint32_t funct3 = reference_bits(word, 14, 12), funct7 = reference_bits(word, 31, 25);
    int32_t sa = (int32_t)a, sb = (int32_t)b;
    int64_t wide_a = sa, wide_b = sb;
    switch (funct7 << 3 | funct3) {
    case 0x00 << 3 | 0:
        return a + b;
    case 0x20 << 3 | 0:
        return a - b;
    case 0x00 << 3 | 1:
        return a << (b % 32);
    case 0x00 << 3 | 2:
        return sa < sb;
    case 0x00 << 3 | 3:
        return a < b;
    case 0x00 << 3 | 4:
        return a ^ b;
    case 0x00 << 3 | 5:
        return a >> (b % 32);
    case 0x20 << 3 | 5:
        return (uint32_t)(sa >> (b % 32));
    case 0x00 << 3 | 6:
        return a | b;
    case 0x00 << 3 | 7:
        return a & b;
    case 0x01 << 3 | 0:
        return (uint32_t)(wide_a * wide_b);
    case 0x01 << 3 | 1:
        return (uint32_t)((uint64_t)(wide_a * wide_b) >> 32);
    case 0x01 << 3 | 2:
        return (uint32_t)((uint64_t)(wide_a * (int64_t)(uint64_t)b) >> 32);
    case 0x01 << 3 | 3:
        return (uint32_t)((uint64_t)a * (uint64_t)b >> 32);
    case 0x01 << 3 | 4:
        return b == 0 ? 0xffffffffu : (uint32_t)(wide_a / wide_b);
    case 0x01 << 3 | 5:
        return b == 0 ? 0xffffffffu : a / b;
    case 0x01 << 3 | 6:
        return b == 0 ? a : (uint32_t)(wide_a % wide_b);
    case 0x01 << 3 | 7:
        return b == 0 ? a : a % b;
    case 0x10 << 3 | 2:
        return a * 2 + b;
    case 0x10 << 3 | 4:
        return a * 4 + b;
    case 0x10 << 3 | 6:
        return a * 8 + b;
    case 0x20 << 3 | 7:
        return a & ~b;
    case 0x20 << 3 | 6:
        return a | ~b;
    case 0x20 << 3 | 4:
        return ~(a ^ b);
    case 0x05 << 3 | 4:
        return sa < sb ? a : b;
    case 0x05 << 3 | 5:
        return a < b ? a : b;
    case 0x05 << 3 | 6:
        return sa < sb ? b : a;
    case 0x05 << 3 | 7:
        return a < b ? b : a;
    case 0x04 << 3 | 4:
        return (a & 0xffff) + b * 65536;
    case 0x30 << 3 | 1:
        return b % 32 == 0 ? a : a << (b % 32) | a >> (32 - b % 32);
    case 0x30 << 3 | 5:
        return b % 32 == 0 ? a : a >> (b % 32) | a << (32 - b % 32);
    default:
        self->failed = true;
        return 0;
    }
}

static uint32_t reference_op_imm(struct reference *self, uint32_t word, uint32_t a)
{
    uint32_t funct3 = reference_bits(word, 14, 12), funct7 = reference_bits(word, 31, 25);
    uint32_t immediate = (uint32_t)((int32_t)word >> 20), shift = reference_bits(word, 24, 20);
    switch (funct3) {
    case 0:
        return a + immediate;
    case 2:
        return (int32_t)a < (int32_t)immediate;
    case 3:
        return a < immediate;
    case 4:
        return a ^ immediate;
    case 6:
        return a | immediate;
    case 7:
        return a & immediate;
    case 1:
        if (funct7 == 0)
            return a << shift;
        if (funct7 == 0x30 && shift == 0)
            return reference_count(a, true, false);
        if (funct7 == 0x30 && shift == 1)
            return reference_count(a, false, false);
        if (funct7 == 0x30 && shift == 2)
            return reference_count(a, false, true);
        if (funct7 == 0x30 && shift == 4)
            return a & 0x80 ? a | 0xffffff00u : a & 0xff;
        if (funct7 == 0x30 && shift == 5)
            return a & 0x8000 ? a | 0xffff0000u : a & 0xffff;
        break;
    case 5:
        if (funct7 == 0)
            return a >> shift;
        if (funct7 == 0x20)
            return (uint32_t)((int32_t)a >> shift);
        if (funct7 == 0x30)
            return shift == 0 ? a : a >> shift | a << (32 - shift);
        if (funct7 == 0x34)
            return reference_reverse(a, shift);
        if (funct7 == 0x14 && shift == 7) {
            uint32_t result = 0;
            for (int i = 0; i < 4; i++)
                if (a >> (8 * i) & 0xff)
                    result |= 0xffu << (8 * i);
            return result;
        }
        break;
    default:
        break;
    }
    self->failed = true;
    return 0;
}

static uint32_t reference_atomic(struct reference *self, uint32_t word, uint32_t address,
                                 uint32_t b)
{
    uint32_t a = reference_load(self, address, 4), result = 0;
    switch (reference_bits(word, 31, 27)) {
    case 0:
        result = a + b;
        break;
    case 1:
        result = b;
        break;
    case 4:
        result = a ^ b;
        break;
    case 8:
        result = a | b;
        break;
    case 12:
        result = a & b;
        break;
    case 16:
        result = (int32_t)a < (int32_t)b ? a : b;
        break;
    case 20:
        result = (int32_t)a < (int32_t)b ? b : a;
        break;
    case 24:
        result = a < b ? a : b;
        break;
    case 28:
        result = a < b ? b : a;
        break;
    default:
        self->failed = true;
        break;
    }
    reference_store(self, address, 4, result);
    return a;
}

// Executes one instruction.
static void reference_step(struct reference *self)
{
    uint32_t word = reference_load(self, self->pc, 4), next = self->pc + 4;
    uint32_t rd = reference_bits(word, 11, 7), funct3 = reference_bits(word, 14, 12);
    uint32_t a = self->x[reference_bits(word, 19, 15)], b = self->x[reference_bits(word, 24, 20)];
    uint32_t immediate = (uint32_t)((int32_t)word >> 20);
    uint32_t store_offset = (uint32_t)((int32_t)word >> 25) * 32 + rd;
    switch (word & 0x7f) {
    case 0x37:
        self->x[rd] = word & 0xfffff000u;
        break;
    case 0x17:
        self->x[rd] = self->pc + (word & 0xfffff000u);
        break;
    case 0x6f: {
        uint32_t offset = (uint32_t)((int32_t)word >> 31) * 1048576 +
                          reference_bits(word, 19, 12) * 4096 +
                          reference_bits(word, 20, 20) * 2048 + reference_bits(word, 30, 21) * 2;
        self->stopped = offset == 0;
        self->x[rd] = next;
        next = self->pc + offset;
        break;
    }
    case 0x67:
        self->x[rd] = next;
        next = (a + immediate) & ~1u;
        break;
    case 0x63: {
        uint32_t offset = (uint32_t)((int32_t)word >> 31) * 4096 +
                          reference_bits(word, 7, 7) * 2048 + reference_bits(word, 30, 25) * 32 +
                          reference_bits(word, 11, 8) * 2;
        bool less = funct3 < 6 ? (int32_t)a < (int32_t)b : a < b;
        bool holds = funct3 < 2 ? a == b : less;
        if (holds != (bool)(funct3 & 1))
            next = self->pc + offset;
        break;
    }
    case 0x03: {
        unsigned size = 1u << (funct3 & 3);
        uint32_t value = reference_load(self, a + immediate, size);
        if (funct3 == 0 && value & 0x80)
            value |= 0xffffff00u;
        if (funct3 == 1 && value & 0x8000)
            value |= 0xffff0000u;
        self->x[rd] = value;
        break;
    }
    case 0x23:
        reference_store(self, a + store_offset, 1u << funct3, b);
        break;
    case 0x07:
        self->f[rd] = reference_load(self, a + immediate, 4);
        break;
    case 0x27:
        reference_store(self, a + store_offset, 4, self->f[reference_bits(word, 24, 20)]);
        break;
    case 0x13:
        self->x[rd] = reference_op_imm(self, word, a);
        break;
    case 0x33:
        self->x[rd] = reference_op(self, word, a, b);
        break;
    case 0x2f:
        self->x[rd] = reference_atomic(self, word, a, b);
        break;
    case 0x0f:
        break;
    case 0x53: { // only what the random programs use
        uint32_t fa = self->f[reference_bits(word, 19, 15)],
                 fb = self->f[reference_bits(word, 24, 20)];
        switch (reference_bits(word, 31, 25)) {
        case 0x00:
            self->f[rd] = ts_rv_fadd(fa, fb, &self->flags);
            break;
        case 0x04:
            self->f[rd] = ts_rv_fsub(fa, fb, &self->flags);
            break;
        case 0x08:
            self->f[rd] = ts_rv_fmul(fa, fb, &self->flags);
            break;
        case 0x70:
            self->x[rd] = fa;
            break;
        case 0x78:
            self->f[rd] = a;
            break;
        default:
            self->failed = true;
            break;
        }
        break;
    }
    case 0x43:
        self->f[rd] = ts_rv_fma(self->f[reference_bits(word, 19, 15)],
                                self->f[reference_bits(word, 24, 20)],
                                self->f[reference_bits(word, 31, 27)], &self->flags);
        break;
    case 0x73: { // csrrw and csrrs on cfg1; writes to others do not show
        if (reference_bits(word, 31, 20) != 0x7c3)
            break;
        uint32_t old = self->scratch;
        self->scratch = funct3 == 1 ? a : funct3 == 2 ? old | a : old;
        self->x[rd] = old;
        break;
    }
    default:
        self->failed = true;
        break;
    }
    self->x[0] = 0;
    self->pc = next;
    self->executed += !self->stopped;
}

#endif
