#!/usr/bin/env python3
"""Conformance files for the bit rules (config/bit_rules.def): programs, and the bytes that silicon leaves.

    tests/conform/silicon.py DIRECTORY            write the files
    tests/conform/silicon.py --check DIRECTORY    compare them with what is there

A case is a list of steps that one core carries out (stores, loads, Tensix words) and the words it must load. The
values follow from the evidence of the rule, worked out here by hand or with the few lines below; nothing is taken from
the simulator. A case with a value for the reference too becomes a second file, NAME.ref.ttv, under its rules.
"""
import os
import struct
import sys

CODE, TABLE, RESULT, DATA, DONE = 0x8000, 0x9000, 0x18000, 0x20000, 0x14000
PUSH, GPR, SYNC, CONFIG, DST = 0xFFE40000, 0xFFE00000, 0xFFE80004, 0xFFEF0000, 0xFFBD8000
FP32, FP16, TF32, BF16, BFP8, BFP4, INT8, FP8, BFP2 = 0, 1, 4, 5, 6, 7, 14, 10, 15
STORE, LOAD, LOAD_HALF, END = range(4)

# Code and fields (shift) of the Tensix instructions, from the ISA documentation.
OPS = {
    "MOVD2A": (0x08, dict(lo=23, src=17, addr_mode=14, mod=12, dst=0)),
    "MOVDBGA2D": (0x09, dict(lo=23, src=17, addr_mode=14, mod=12, dst=0)),
    "MOVD2B": (0x0A, dict(lo=23, src=17, addr_mode=14, mod=12, dst=0)),
    "ZEROACC": (0x10, dict(mode=19, revert=17, addr_mode=14, where=0)),
    "MOVA2D": (0x12, dict(lo=23, src=17, addr_mode=14, mod=12, dst=0)),
    "MOVB2A": (0x0B, dict(a=17, addr_mode=14, mod=12, b=0)),
    "MOVB2D": (0x13, dict(lo=23, src=17, addr_mode=14, mod=11, dst=0)),
    "MVMUL": (0x26, dict(clear=22, addr_mode=14, dst=0)),
    "ELWMUL": (0x27, dict(clear=22, mod=19, dst=0)),
    "ELWADD": (0x28, dict(clear=22, mod=19, dst=0)),
    "GMPOOL": (0x33, dict(clear=22, dim=19, index=14, dst=0)),
    "CLEARDVALID": (0x36, dict(which=22, reset=0)),
    "PACR": (0x41, dict(interfaces=8, last=0)),
    "UNPACR": (0x42, dict(which=23, counters=8, multi=7, valid=6, last=0)),
    "UNPACR_NOP": (0x43, dict(which=23, valid=8, fmt=6, stall=5, value=2, pop=0)),
    "SETDMAREG": (0x45, dict(size=22, source=11, payload=8, state=7, half=0)),
    "SETDVALID": (0x57, dict(which=0)),
    "SETADCXX": (0x5E, dict(which=21, end=10, start=0)),
    "ATSWAP": (0x63, dict(mask=14, data=6, address=0)),
    "STOREIND": (0x66, dict(l1=23, size=21, offset=14, data=6, address=0)),
    "SFPLOAD": (0x70, dict(lreg=20, mod=16, row=0)),
    "SFPLOADI": (0x71, dict(lreg=20, mod=16, imm=0)),
    "SFPSTORE": (0x72, dict(lreg=20, mod=16, row=0)),
    "SFPMOV": (0x7C, dict(c=8, dest=4, mod=0)),
    "SFPCONFIG": (0x91, dict(imm=8, dest=4, mod=0)),
    "SFPSWAP": (0x92, dict(c=8, dest=4, mod=0)),
    "STALLWAIT": (0xA2, dict(stall=15, wait=0)),
    "WRCFG": (0xB0, dict(gpr=16, reg=0)),
    "SETC16": (0xB2, dict(reg=16, value=0)),
    "RMWCIB0": (0xB3, dict(mask=16, data=8, reg=0)),
}


def tt(name, **fields):
    code, shifts = OPS[name]
    word = code << 24
    if name == "GMPOOL":
        fields.setdefault("dim", 1)  # 16x16; nobody has specified 1x16
    for field, value in fields.items():
        word |= value << shifts[field]
    return word


def interpreter():
    """lw op, a, b; carry it out; the next three words."""
    def i(imm, rs1, f3, rd, op): return (imm & 0xFFF) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op
    def s(imm, rs2, rs1, f3): return (imm >> 5) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (imm & 31) << 7 | 0x23
    def b(at, to, rs1, rs2, f3):
        o = 4 * (to - at)
        return ((o >> 12 & 1) << 31 | (o >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (o >> 1 & 15) << 8
                | (o >> 11 & 1) << 7 | 0x63)
    lw, lhu = (lambda rd, rs, imm: i(imm, rs, 2, rd, 3)), (lambda rd, rs, imm: i(imm, rs, 5, rd, 3))
    li = lambda rd, imm: i(imm, 0, 0, rd, 0x13)
    s0, op, a, v, k, t = 8, 10, 11, 12, 13, 14
    words = [TABLE & 0xFFFFF000 | s0 << 7 | 0x37,
             lw(op, s0, 0), lw(a, s0, 4), lw(v, s0, 8), i(12, s0, 0, s0, 0x13)]  # 1..4
    words += [b(5, 8, op, 0, 1), s(0, v, a, 2), b(7, 1, 0, 0, 0)]                # 5: store
    words += [li(k, LOAD), b(9, 13, op, k, 1), lw(t, a, 0), s(0, t, v, 2), b(12, 1, 0, 0, 0)]
    words += [li(k, LOAD_HALF), b(14, 18, op, k, 1), lhu(t, a, 0), s(0, t, v, 2), b(17, 1, 0, 0, 0)]
    words += [s(0, v, a, 2), b(19, 19, 0, 0, 0)]                                 # end: the done word
    return b"".join(struct.pack("<I", w) for w in words)


class Case:
    def __init__(self, name, rule, note, thread=0, refused=None):
        self.name, self.rule, self.note, self.thread, self.refused = name, rule, note, thread, refused
        self.steps, self.data, self.want, self.reference, self.cells = [], [], [], [], {}
        self.has_reference = refused is None
        self.setc16(5, 4)  # SRCA_SET_SetOvrdWithAddr

    def step(self, op, a, b):
        self.steps.append((op, a & 0xFFFFFFFF, b & 0xFFFFFFFF))

    def cfg(self, reg, value):
        self.step(STORE, CONFIG + 4 * reg, value)
        self.step(LOAD, CONFIG + 4 * reg, RESULT + 0x2000)  # stores and pushes stay in order

    def push(self, name, **fields):
        self.step(STORE, PUSH, tt(name, **fields))

    def setc16(self, reg, value):
        self.push("SETC16", reg=reg, value=value)

    def wait(self):
        self.push("STALLWAIT", stall=0x1FF, wait=0xC1F)

    def sync(self):
        self.step(STORE, SYNC, 0)
        self.step(LOAD, SYNC, RESULT + 0x2000)

    def no_reference(self):
        self.has_reference = False

    def expect(self, silicon, reference=None):
        self.want.append(silicon)
        self.reference.append(silicon if reference is None else reference)
        return RESULT + 4 * (len(self.want) - 1)

    # formats of SrcA and SrcB, then Fp32_enabled, SFPU_Fp32_enabled, INT8_math_enabled
    def alu(self, a, b, fp32=0, sfpu=0, int8=0, middle=BF16):
        self.sync()
        self.cfg(1, a << 17 | b << 21 | middle << 25 | fp32 << 29 | sfpu << 30 | int8 << 31)

    def explicit(self, a=1, b=1):
        """Formats as configured, not those of the banks."""
        self.setc16(2, a)
        self.setc16(3, b)

    def unpack(self, which, fmt, out, face, counters=0, valid=1):
        """A face of 256 data, packed in bytes as L1 has them, into SrcA (0) or SrcB (1)."""
        at = DATA + 0x1000 * len(self.data)
        self.data.append((at, face))
        base = 112 if which else 64
        self.sync()
        self.cfg(base, fmt | 0x10 | 256 << 16)
        self.cfg(base + 1, 1 | 4 << 16)
        self.cfg(base + 8, 0x20 | out)
        self.cfg(base + 9, 3)
        self.cfg(base + 12, at // 16 - 1)
        if not which:
            self.cfg(84, 64 | 64 << 16)
            self.cfg(86, 256 | 256 << 16)
        self.push("SETADCXX", which=1 << which, end=255)
        self.push("UNPACR", which=which, counters=counters, multi=1, valid=valid, last=1)
        self.wait()

    def window(self, fmt, raw=0):
        """The cores' view of Dst: 0 FP32, 4 16 bits."""
        self.cfg(3, sum((fmt << 2 | 1 << 1 | raw) << 14 + 5 * t for t in range(3)))

    def put32(self, row, col, value):
        self.window(0)
        self.step(STORE, DST + 4 * (16 * row + col), value)

    def put16(self, row, col, value):
        """A cell, by a 32-bit store of it and the one eight rows away."""
        self.cells[row, col] = value
        high = row & ~8
        self.window(0, raw=1)
        self.step(STORE, DST + 4 * (16 * (high // 16 * 8 + high % 8) + col),
                  self.cells.get((high, col), 0) << 16 | self.cells.get((high + 8, col), 0))

    def see32(self, row, col, silicon, reference=None):
        self.sync()
        self.window(0)
        self.step(LOAD, DST + 4 * (16 * row + col), self.expect(silicon, reference))

    def see16(self, row, col, silicon, reference=None):
        self.sync()
        self.window(4)
        self.step(LOAD_HALF, DST + 2 * (16 * row + col), self.expect(silicon, reference))

    def file(self, rules, want):
        steps = self.steps + [(STORE, SYNC, 0), (LOAD, SYNC, RESULT + 0x2000), (END, DONE, 0x600DD04E)]
        parts = [(CODE, interpreter()), (TABLE, b"".join(struct.pack("<III", *s) for s in steps))] + self.data
        name = self.name if rules == "silicon" else self.name + ".ref"
        lines = ["ttvec 1", "rules " + rules, "name " + name, "note %s: %s" % (self.rule, self.note), "arch blackhole",
                 "budget 20000", "tile 0 1 2"]
        data = b""
        for address, part in parts:
            lines.append("load 0 0x%x %d %d" % (address, len(data), len(part)))
            data += part
        lines.append("core 0 trisc%d 0x%x" % (self.thread, CODE))
        lines.append("done 0 0x%x 0x600dd04e" % DONE)
        if self.refused:
            lines.append("refused " + self.refused)
        else:
            lines.append("expect 0 0x%x %d %d" % (RESULT, len(data), 4 * len(want)))
            data += b"".join(struct.pack("<I", w) for w in want)
        lines.append("data %d" % len(data))
        return name + ".ttv", "\n".join(lines).encode() + b"\n" + data

    def files(self):
        yield self.file("silicon", self.want)
        if self.has_reference:
            yield self.file("ttsim-1.10.0", self.reference)


def face16(values, rest=0):
    """256 data of 16 bits: {(row, col): value}."""
    return b"".join(struct.pack("<H", values.get((i // 16, i % 16), rest)) for i in range(256))


def face32(values, rest=0):
    return b"".join(struct.pack("<I", values.get((i // 16, i % 16), rest)) for i in range(256))


def face8(values, rest=0):
    return bytes(values.get((i // 16, i % 16), rest) for i in range(256))


IDENTITY16 = face16({(i, i): 0x3F80 for i in range(16)})
IDENTITY32 = face32({(i, i): 0x3F800000 for i in range(16)})
ONES32 = face32({}, 0x3F800000)


def cell_bf16(x):
    return x & 0x8000 | (x & 0x7F) << 8 | x >> 7 & 0xFF


def cell_fp16(x):
    return x & 0x8000 | (x & 0x3FF) << 5 | x >> 10 & 31


# ---- the rules

def move_fp32():
    rule = "move_fp32"
    c = Case("move_fp32_bf16", rule, "BF16 0x3FC0, MOVA2D of eight rows to row 8; metalium-rs row 39")
    c.unpack(0, BF16, BF16, face16({(8, 0): 0x3FC0}))
    for row in range(8, 32):
        c.put16(row, 0, 0xAAAA)
    c.alu(BF16, BF16, fp32=1)
    c.push("MOVA2D", src=8, mod=2, dst=8)
    c.see32(8, 0, 0x3FC00000, 0xD52AAAAA)
    yield c
    for which, name, mod in ((0, "MOVA2D", 2), (1, "MOVB2D", 4)):
        c = Case("move_fp32_fp16_" + "ab"[which], rule, "FP16 0x3C01 through " + name + " to row 0; metalium-rs row 39")
        for w in (0, 1):
            c.unpack(w, FP16, FP16, face16({(0, 0): 0x3C01}))
        c.alu(FP16, FP16, fp32=1)
        c.push(name, mod=mod, dst=0)
        c.see32(0, 0, 0x07802000, 0x17800000)
        yield c
    c = Case("move_fp32_row_broadcast", rule, "a row to eight rows, as unary broadcast with 32-bit Dst; tt-llk issue 449")
    c.unpack(1, BF16, BF16, face16({(0, 3): 0xC0A0}))
    c.alu(BF16, BF16, fp32=1)
    c.push("MOVB2D", mod=2, dst=8)
    for row in range(8, 16):
        c.see32(row, 3, 0xC0A00000, 0)
    yield c
    c = Case("move_fp32_scalar_broadcast", rule, "one datum to eight rows of 16, scalar broadcast; tt-llk issue 449")
    c.unpack(1, BF16, BF16, face16({(0, 0): 0x4049}))
    c.alu(BF16, BF16, fp32=1)
    c.push("MOVB2D", mod=3, dst=24)
    for row in range(24, 32):
        c.see32(row, 0, 0x40490000, 0)
        c.see32(row, 15, 0x40490000, 0)
    yield c


def src_uncut():
    rule, word = "src_uncut", 0x3F80E000

    def tf32_under_bf16(name, note):
        c = Case("src_uncut_" + name, rule, note)
        c.unpack(0, FP32, TF32, IDENTITY32)
        c.unpack(1, FP32, TF32, face32({(0, 0): word}))
        c.explicit()
        return c
    c = tf32_under_bf16("mvmul", "SrcB 0x3F80E000 times 1.0, all phases; ttsim issue 14")
    c.alu(BF16, BF16, fp32=1)
    c.push("ZEROACC", mode=3)
    for phase in range(4):
        c.setc16(11, phase)
        c.push("MVMUL", dst=0)
    c.see32(0, 0, word, 0x3F800000)
    yield c
    c = Case("src_uncut_elwadd", rule, "0x3F80E000 + 0; ttsim issue 14")
    c.unpack(0, FP32, TF32, face32({(1, 2): word}))
    c.unpack(1, FP32, TF32, face32({}))
    c.explicit()
    c.alu(BF16, BF16, fp32=1)
    c.push("ELWADD", dst=0)
    c.see32(1, 2, word, 0x3F800000)
    yield c
    c = tf32_under_bf16("movb2d", "MOVB2D of 0x3F80E000, SrcA TF32, SrcB BF16; metalium-rs step73")
    c.alu(TF32, BF16, fp32=1)
    c.push("MOVB2D", mod=4, dst=0)
    c.see32(0, 0, word, 0x3F800000)
    yield c
    c = Case("src_uncut_gmpool", rule, "the largest of a column is 0x3F80E000; ttsim 0600aed")
    c.unpack(0, FP32, TF32, face32({(6, 4): word}))
    c.unpack(1, FP32, TF32, ONES32)
    c.explicit()
    c.alu(BF16, BF16, fp32=1)
    c.push("ZEROACC", mode=3)
    c.push("GMPOOL", dst=0)
    c.see32(0, 4, word, 0x3F800000)
    yield c


def move_flag():
    rule = "move_flag"
    for which, name, mod, row, count in ((0, "MOVA2D", 2, 8, 8), (1, "MOVB2D", 4, 8, 4), (0, "MOVA2D", 0, 12, 1)):
        c = Case("move_flag_%s_%d" % (name.lower(), count), rule,
                 "low halves to row %d with Fp32_enabled 0, all flags clear; tt-metal PR 47311" % row)
        for w in (0, 1):
            c.unpack(w, BF16, BF16, face16({(r, 0): 0x3FC0 for r in range(16)}))
        for r in range(8, 32):
            c.put16(r, 0, 0x1100 + r)
        c.sync()
        c.push("ZEROACC", mode=3)
        c.alu(BF16, BF16)
        c.push(name, lo=1, mod=mod, dst=row)
        for r in range(row, row + count):
            wide = (r & ~7) * 2 + (r & 7)
            c.see16(r, 0, 0x1100 + r, 0)            # nobody wrote it: what it held before the clear
            c.see32(r, 0, 0, cell_bf16(0x3FC0))     # written, and not valid
            c.sync()
        c.push("ZEROACC", mode=3, revert=1)         # all valid: the data are in the right place
        for r in range(row, row + count):
            wide = (r & ~7) * 2 + (r & 7)
            c.see16(wide + 8, 0, cell_bf16(0x3FC0))
        yield c


def movd2_low():
    for i, (name, back, value) in enumerate((("MOVD2B", "MOVB2D", 0x3F801234), ("MOVD2A", "MOVA2D", 0x3F801234),
                                             ("MOVD2B", "MOVB2D", 0xC1ABCDEF))):
        c = Case("movd2_low_%d" % i, "movd2_low", "%s of the low half of 0x%08X as TF32; tt-llk issue 449" % (name, value))
        for w in (0, 1):
            c.unpack(w, BF16, BF16, IDENTITY16)
        c.explicit()
        c.put32(0, 0, value)
        c.sync()
        c.alu(TF32, TF32, fp32=1)
        c.push(name, lo=1, mod=0, dst=0)
        c.push(back, mod=0, dst=8)
        low = value & 0x1FFF  # the 13 bits TF32 does not have: five of mantissa, eight of exponent
        c.see32(8, 0, 0, low >> 8 << 13 | (low & 0xFF) << 23)
        yield c


def move_int8():
    for which, name, mod, byte in ((0, "MOVA2D", 0, 0x05), (0, "MOVA2D", 0, 0x89), (1, "MOVB2D", 0, 0x7F)):
        c = Case("move_int8_%02x" % byte, "move_int8", "INT8 %s through %s; ISA MOVA2D" %
                 (-(byte & 0x7F) if byte >> 7 else byte, name))
        for w in (0, 1):
            c.unpack(w, INT8, INT8, face8({(0, 0): byte}))
        c.alu(INT8, INT8, int8=1, middle=INT8)
        c.push(name, mod=mod, dst=0)
        sign, magnitude = (byte & 0x80) << 8, byte & 0x7F  # exponent 16, ten bits of magnitude
        c.see16(0, 0, sign | magnitude >> 3 << 8 | 16, sign | magnitude << 5 | 16)
        yield c


def zeroacc_row():
    for row in (9, 13, 27):
        c = Case("zeroacc_row_%d" % row, "zeroacc_row", "row %d of a 32-bit Dst; metalium-rs row 51" % row)
        c.put32(row, 5, 0x41234567)
        c.alu(BF16, BF16, fp32=1)
        c.push("ZEROACC", mode=0, where=row)
        c.see32(row, 5, 0x41234567, 0)
        yield c


def zeroacc_odd():
    for mod, row in ((1, 0), (3, 16), (5, 40)):
        c = Case("zeroacc_odd_%d" % mod, "zeroacc_odd", "row %d with AddrMod %d; metalium-rs row 52" % (row, mod))
        for r in range(row, row + 9):
            c.put16(r, 1, 0x2200 + r)
        c.alu(BF16, BF16)
        c.push("ZEROACC", mode=0, addr_mode=mod, where=row)
        for r in range(row, row + 9):
            c.see16(r, 1, 0 if r < row + 8 else 0x2200 + r, 0 if r == row else 0x2200 + r)
        yield c


def mova2d_odd():
    """Src row r holds 1 + r; the AddrMod adds nothing, as after reset."""
    for name, mod, src, dst in (("MOVA2D", 1, 2, 5), ("MOVA2D", 3, 8, 16), ("MOVDBGA2D", 5, 7, 26)):
        c = Case("mova2d_odd_%d" % mod, "mova2d_odd", "%s of row %d to row %d with AddrMod %d; metalium-rs step111"
                 % (name, src, dst, mod))
        c.unpack(0, BF16, BF16, face16({(row, 2): 0x4000 + row for row in range(16)}))
        for row in range(dst & ~3, (dst & ~3) + 6):
            c.put16(row, 2, 0x2200 + row)
        c.alu(BF16, BF16)
        c.push(name, src=src, addr_mode=mod, dst=dst)
        for row in range(dst & ~3, (dst & ~3) + 6):
            i, was = row - (dst & ~3), 0x2200 + row
            c.see16(row, 2, cell_bf16(0x4000 + (src & ~3) + i) if i < 4 else was, cell_bf16(0x4000 + src) if row == dst else was)
        yield c


def gmpool_index():
    for winner, index in ((5, 7), (2, 6), (7, 5)):
        c = Case("gmpool_index_%d" % winner, "gmpool_index", "the winner is row %d; metalium-rs step87" % winner)
        c.unpack(0, BF16, BF16, face16({(winner, 9): 0x4140}, 0x3F80))
        c.unpack(1, BF16, BF16, face16({}, 0x3F80))
        c.alu(BF16, BF16, fp32=1)
        c.push("ZEROACC", mode=3)
        c.push("GMPOOL", index=1, dst=0)
        c.see32(0, 9, 0x41400000, 0x41400000 | index)
        yield c


def int8_exponent():
    for name in ("MVMUL", "ELWADD", "GMPOOL"):
        c = Case("int8_exponent_" + name.lower(), "int8_exponent", name + " of 1.0 (exponent 127) as an integer",
                 refused="rule int8_exponent")
        for w in (0, 1):
            c.unpack(w, INT8, INT8, face8({}, 3))
        c.put16(0, 0, cell_bf16(0x3F80))
        c.explicit()
        c.alu(BF16, BF16)
        c.push("MOVD2A", mod=0, dst=0)
        c.alu(INT8, INT8, int8=1, middle=INT8)
        c.push(name, dst=0)
        yield c


def srcb_override():
    for name, b, result in (("ELWADD", 0x3400, 0x3F00), ("ELWADD", 0xB800, 0x3C00), ("ELWMUL", 0x4000, 0x4200)):
        c = Case("srcb_override_%04x" % b, "srcb_override", "%s of FP16 0x3E00 and 0x%04X, SrcB overridden; ISA MatrixUnit.md"
                 % (name, b))
        c.unpack(0, FP16, FP16, face16({(0, 0): 0x3E00}))
        c.unpack(1, FP16, FP16, face16({(0, 0): b}))
        c.explicit()
        c.alu(FP16, BF16)
        c.cfg(0, FP16 << 5 | 1 << 9)
        c.push(name, dst=0)
        c.see16(0, 0, cell_fp16(result))
        c.no_reference()  # it sees FP16 and BF16 mixed, which breaks the contract
        yield c


def movdbga2d_format():
    for value in (0x3C01, 0xC7FF, 0x5255):
        c = Case("movdbga2d_format_%04x" % value, "movdbga2d_format", "FP16 0x%04X in a bank that was returned; ISA MOVDBGA2D"
                 % value)
        c.unpack(0, FP16, FP16, face16({(0, 0): value}))
        c.alu(FP16, FP16)
        c.push("CLEARDVALID", which=1, reset=2)
        c.setc16(4, BF16 << 1)
        c.push("MOVDBGA2D", mod=0, dst=0)
        word = (value & 0x8000) << 16 | (value & 0x7FFF) << 13
        c.see16(0, 0, cell_bf16(word >> 16), cell_fp16(value))
        yield c


def setdvalid_format():
    for value in (0x3C01, 0xC7FF, 0x5255):
        c = Case("setdvalid_format_%04x" % value, "setdvalid_format",
                 "two FP16 unpacks, then the register says BF16; ISA SETDVALID, tt-metal issue 50972")
        for _ in range(2):
            c.unpack(0, FP16, FP16, face16({(0, 0): value}))
            c.push("CLEARDVALID", which=1)
            c.wait()
        c.sync()
        c.cfg(72, 0x20 | BF16)
        c.push("SETDVALID", which=1)
        c.wait()
        c.alu(BF16, BF16)
        c.push("MOVA2D", mod=0, dst=0)
        word = (value & 0x8000) << 16 | (value & 0x7FFF) << 13
        c.see16(0, 0, cell_fp16(value), cell_bf16(word >> 16))
        yield c


def next_random(state):
    return (bin(state & 0x80200003).count("1") + 1) % 2 << 31 | state >> 1


def random_of(seed, lane, first):
    for _ in range(first - 2 * lane):
        seed = next_random(seed)
    return seed


def see_random(c, silicon, reference):
    """SFPMOV from the generator, stored as integers; lane l is in row l / 8, column 2 (l % 8)."""
    c.push("SFPMOV", c=9, dest=0, mod=8)
    c.push("SFPSTORE", lreg=0, mod=4, row=0)
    for lane in range(32):
        c.see32(lane // 8, lane % 8 * 2, silicon(lane), reference(lane))


def pause(c):
    for _ in range(600):
        c.step(LOAD, RESULT + 0x2000, RESULT + 0x2000)


def prng_seed():
    assert random_of(0, 0, 98) == 0xF173CC27 and random_of(0, 1, 98) == 0xC5CF309E  # as measured
    for seed in (0, 0x12345678, 0xDEADBEEF):
        c = Case("prng_seed_%08x" % seed, "prng_seed", "seed 0x%X, 32 lanes; metalium-rs row 99" % seed)
        c.cfg(186, seed)
        pause(c)
        see_random(c, lambda lane: random_of(seed, lane, 98), lambda lane: random_of(seed, lane, 96))
        yield c


def prng_writer():
    for i, (first, second) in enumerate(((0, 5), (0x600D, 0x1234), (0xABCD, 0x77))):
        c = Case("prng_writer_%d" % i, "prng_writer", "a seed by %s after one by a store; metalium-rs row 100" %
                 ("RMWCIB0" if i == 2 else "WRCFG"))
        c.cfg(186, first)
        pause(c)
        if i == 2:
            c.push("RMWCIB0", mask=0xFF, data=second, reg=186)
            second |= first & 0xFF00
        else:
            c.push("SETDMAREG", payload=second, half=8)
            c.push("SETDMAREG", payload=0, half=9)
            c.push("WRCFG", gpr=4, reg=186)
        c.wait()
        c.sync()
        see_random(c, lambda lane: random_of(first, lane, 98), lambda lane: random_of(second, lane, 96))
        yield c


def sfpu_bf16_rows():
    rule = "sfpu_bf16_rows"
    c = Case("sfpu_bf16_rows_load", rule, "SFPLOAD in mode BF16 from row 8 of a 32-bit Dst")
    c.put32(8, 0, 0x3FC01234)
    c.alu(BF16, BF16, fp32=1, sfpu=1)
    c.push("SFPLOAD", lreg=0, mod=2, row=8)
    c.push("SFPSTORE", lreg=0, mod=4, row=32)
    c.see32(32, 0, 0x3FC00000, 0)
    yield c
    c = Case("sfpu_bf16_rows_store", rule, "SFPSTORE in mode BF16 to row 8 of a 32-bit Dst")
    c.put32(8, 2, 0x40001234)
    c.alu(BF16, BF16, fp32=1, sfpu=1)
    c.push("SFPLOADI", lreg=1, mod=0, imm=0xC0A0)
    c.push("SFPSTORE", lreg=1, mod=2, row=8)
    c.see32(8, 2, 0xC0A00000, 0x40001234)
    yield c
    c = Case("sfpu_bf16_rows_copy", rule, "rows 8 to 11 to rows 16 to 19, as sfpu_reduce moves them")
    for row in range(8, 12):
        c.put32(row, 4, 0x3F800000 + (row << 16))
    c.alu(BF16, BF16, fp32=1, sfpu=1)
    c.push("SFPLOAD", lreg=2, mod=2, row=8)
    c.push("SFPSTORE", lreg=2, mod=2, row=16)
    for row in range(8, 12):
        c.see32(row + 8, 4, 0x3F800000 + (row << 16), 0)
    yield c


def unpack_counters():
    for i, (thread, which, name, mod) in enumerate(((1, 0, "MOVA2D", 0), (2, 0, "MOVA2D", 0), (1, 1, "MOVB2D", 0))):
        c = Case("unpack_counters_%d" % i, "unpack_counters", "thread %d, unpacker %d: one datum; metalium-rs row 45"
                 % (thread, which), thread=thread)
        c.unpack(which, BF16, BF16, face16({}, 0x3FC0))
        c.alu(BF16, BF16)
        c.push(name, mod=mod, dst=0)
        c.see16(0, 0, cell_bf16(0x3FC0))
        c.see16(0, 1, 0, cell_bf16(0x3FC0))
        yield c


def pack_setup(c, in_format, middle, out, control, interfaces):
    c.sync()
    c.cfg(12, 2 | 32 << 16)
    c.cfg(13, 512 | 2048 << 16)
    c.cfg(18, control)
    c.cfg(24, 0xFFFF)
    c.cfg(28, 16 << 8 | 1 << 16 | 1)
    c.cfg(68, 0)
    c.cfg(69, (DATA + 0x8000) // 16 - 1)
    c.cfg(70, 1 | out << 4 | in_format << 8)
    c.push("SETADCXX", which=4, end=15)


def exponent_histogram():
    for rows, count in ((4, 8), (8, 16), (16, 32)):
        c = Case("exponent_histogram_%d" % rows, "exponent_histogram", "%d rows of exponent 127; metalium-rs step93" % rows)
        for row in range(4):
            for col in range(16):
                c.put16(row, col, cell_bf16(0x3F80))
        c.alu(BF16, BF16)
        c.setc16(45, 1)
        pack_setup(c, BF16, BF16, BF16, 0, 15)
        for i in range(rows // 4):
            c.push("PACR", interfaces=15, last=i == rows // 4 - 1)
        c.wait()
        c.push("SETDMAREG", size=2, source=7, state=1, half=16)  # bins 16 to 31 to GPRs 8 to 11; 127 % 32 is 31
        c.wait()
        c.sync()
        c.step(LOAD_HALF, GPR + 4 * 11 + 2, c.expect(count << 8, min(255, 16 * rows) << 8))
        yield c


def pack_gasket():
    for value, byte in ((0x3F800000, 0x38), (0x3FC00000, 0x3C), (0xC0500000, 0xC5)):
        c = Case("pack_gasket_%02x" % byte, "pack_gasket", "FP32 0x%08X to FP8 e4m3 with In_data_format FP16; LLK cpack_common.h"
                 % value)
        for col in range(16):
            c.put32(0, col, value)
        c.alu(BF16, BF16, fp32=1)
        pack_setup(c, FP16, BF16, FP8, 1 | 1 << 3, 1)
        c.cfg(71, 1 << 23)  # Pac_LF8_4b_exp
        c.push("PACR", interfaces=1, last=1)
        c.wait()
        c.sync()
        c.step(LOAD, DATA + 0x8000, c.expect(byte * 0x01010101))
        c.no_reference()  # refused
        yield c


def atswap_single():
    for mask in (0x101, 0x1FF, 0x130):
        c = Case("atswap_single_%03x" % mask, "atswap_single", "ATSWAP of one register, mask 0x%X; metalium-rs step106" % mask,
                 refused="rule atswap_single")
        c.push("SETDMAREG", payload=DATA // 16, half=8)
        c.push("SETDMAREG", payload=0, half=9)
        c.push("ATSWAP", mask=mask, data=5, address=4)
        yield c


def unpack_bfp():
    """BFP4 and BFP2 in L1 with BFP8 as output format: the vendor's format inference asks for it (tt-llk)."""
    for fmt, bits, data, values in ((BFP4, 4, 0x5C, (0x3FC0, 0x3FA0)), (BFP4, 4, 0xC6, (0x3F80 + 0x40, 0xBF80)),
                                    (BFP2, 2, 0x0D, (0x3F80, 0xBF80))):
        # exponents, one for 16 data; then data, the first in the low bits: sign, then magnitude with its hidden one
        c = Case("unpack_bfp_%d_%02x" % (bits, data), "unpack_bfp", "BFP%d to BFP8; vendor's format inference" % bits)
        packed = bytes([data]) + bytes(256 * bits // 8 - 1)
        c.unpack(0, fmt, BFP8, bytes([127] * 64) + packed)
        c.alu(BF16, BF16)
        c.push("MOVA2D", mod=0, dst=0)
        mask, top = (1 << bits) - 1, 1 << bits - 2
        for col in range(2):
            datum = data >> bits * col & mask
            sign, magnitude = datum >> bits - 1, datum & (1 << bits - 1) - 1
            exponent = 127
            while magnitude and not magnitude & top:
                magnitude, exponent = magnitude << 1, exponent - 1
            rest = (magnitude & top - 1) << 7 - (bits - 2)
            value = sign << 15 | exponent << 7 | rest if magnitude else 0
            c.see16(0, col, cell_bf16(value))
        yield c


def zeroacc_half():
    for offset, block, silicon in ((488, 31, 63), (496, 31, 63), (496, 16, 48)):
        c = Case("zeroacc_half_%d_%d" % (offset, block), "zeroacc_half", "offset %d, block %d; tt-isa-documentation issue 54"
                 % (offset, block))
        for b in (block, block + 32):
            c.put16(16 * b, 2, 0x2100 + b)
        c.alu(BF16, BF16)
        c.setc16(1, offset)
        c.push("ZEROACC", mode=1, where=block)
        for b in (block, block + 32):
            c.see16(16 * b, 2, 0 if b == silicon else 0x2100 + b, 0 if b == block else 0x2100 + b)
        yield c


def move_src_row():
    def value(row): return 0x3F800000 + row * 0x10000
    for name, back, which, first in (("MOVD2B", "MOVB2D", 1, 7), ("MOVD2A", "MOVA2D", 0, 9), ("MOVD2A", "MOVA2D", 0, 62)):
        c = Case("move_src_row_%s_%d" % (name[-1].lower(), first), "move_src_row",
                 "%s of four rows, Dst row 11, Src row %d; metalium-rs step97" % (name, first))
        for w in (0, 1):
            c.unpack(w, BF16, BF16, face16({}))
        c.explicit()
        for row in range(8, 12):
            c.put32(row, 0, value(row))
        c.sync()
        c.alu(TF32, TF32, fp32=1)
        c.push(name, src=first, mod=2, dst=11)
        rows = sorted({(first + i) % 64 for i in range(4)} | {first // 4 * 4 + i for i in range(4)})
        for at, row in enumerate(rows):
            c.push(back, src=row, mod=0, dst=64 + at)
        for at, row in enumerate(rows):
            i, j = (row - first) % 64, row - first // 4 * 4
            c.see32(64 + at, 0, value(8 + i) if i < 4 else 0, value(8 + j) if 0 <= j < 4 else 0)
        yield c
    c = Case("move_src_row_b2a", "move_src_row", "MOVB2A of four rows from SrcB row 7 to SrcA row 7; metalium-rs step97")
    c.unpack(0, BF16, BF16, face16({}))
    c.unpack(1, BF16, BF16, face16({(row, 0): 0x4000 + row for row in range(16)}))
    c.alu(BF16, BF16)
    c.push("MOVB2A", a=7, b=7, mod=2)
    for row in range(4, 11):
        c.push("MOVA2D", src=row, mod=0, dst=row)
    for row in range(4, 11):
        c.see16(row, 0, cell_bf16(0x4000 + row - 3) if row >= 7 else 0, cell_bf16(0x4000 + row) if row < 8 else 0)
    yield c


def swap_ties():
    for mode, value, silicon, reference in ((1, 0xC120, 200, 100), (9, 0xC120, 100, 200), (1, 0xBF80, 200, 100)):
        c = Case("swap_ties_%d_%04x" % (mode, value), "swap_ties", "mode %d, both 0x%04X0000; ttsim issue 12" % (mode, value))
        for lreg, mod, imm in ((0, 0, value), (1, 0, value), (4, 2, 100), (5, 2, 200)):
            c.push("SFPLOADI", lreg=lreg, mod=mod, imm=imm)
        c.push("SFPCONFIG", imm=4, dest=15, mod=1)
        c.push("SFPSWAP", c=0, dest=1, mod=mode)
        c.push("SFPCONFIG", imm=0, dest=15, mod=1)
        c.push("SFPSTORE", lreg=4, mod=4, row=0)
        c.see32(0, 0, silicon, reference)
        yield c


def nop_leaves():
    for which, name, value in ((0, "MOVA2D", 0x4049), (1, "MOVB2D", 0x4049), (0, "MOVA2D", 0xC1A0)):
        c = Case("nop_leaves_%d_%04x" % (which, value), "nop_leaves", "0x43%d001E9 on staged 0x%04X; metalium-rs Stage D"
                 % (8 * which, value))
        c.unpack(which, BF16, BF16, face16({(0, 0): value}), valid=0)
        c.push("UNPACR_NOP", which=which, valid=1, fmt=3, stall=1, value=2, pop=1)
        c.wait()
        c.alu(BF16, BF16)
        c.push(name, mod=0, dst=0)
        c.see16(0, 0, cell_bf16(value), cell_bf16(0x3F80))
        yield c


def nop_gives():
    for which, name, value in ((0, "MOVA2D", 0x4049), (1, "MOVB2D", 0x4049), (0, "MOVA2D", 0xC1A0)):
        c = Case("nop_gives_%d_%04x" % (which, value), "nop_gives", "0x43%d00102 on staged 1.5, then 0x%04X with valid; "
                 "metalium-rs Stage D" % (8 * which, value))
        c.unpack(which, BF16, BF16, face16({(0, 0): 0x3FC0}), valid=0)
        c.push("UNPACR_NOP", which=which, valid=1, pop=2)
        c.wait()
        c.unpack(which, BF16, BF16, face16({(0, 0): value}))
        c.alu(BF16, BF16)
        c.push(name, mod=0, dst=0)
        c.see16(0, 0, cell_bf16(value), cell_bf16(0x3FC0))
        yield c


def storeind_size():
    """Codes 1 and 2 store two and four bytes, which are LOADIND's 2 and 1: a fact without a rule, as the reference has no STOREIND."""
    for size, offset, want in ((1, 0, 0xEEEEC3D4), (1, 2, 0xC3D4EEEE), (2, 0, 0xA1B2C3D4), (3, 0, 0xEEEEEED4)):
        c = Case("storeind_size_%d_%d" % (size, offset), "storeind_size",
                 "GPR 0xA1B2C3D4, L1 0xEE, size %d, offset %d; metalium-rs step101" % (size, offset))
        c.data.append((DATA, bytes([0xEE] * 16)))
        for gpr, value in ((4, DATA // 16), (5, offset), (8, 0xA1B2C3D4)):
            c.push("SETDMAREG", payload=value & 0xFFFF, half=2 * gpr)
            c.push("SETDMAREG", payload=value >> 16, half=2 * gpr + 1)
        c.push("STOREIND", l1=1, size=size, offset=10, data=8, address=4)
        c.wait()
        c.sync()
        pause(c)
        c.step(LOAD, DATA, c.expect(want))
        c.no_reference()
        yield c


RULES = (move_fp32, src_uncut, move_flag, movd2_low, move_int8, zeroacc_row, zeroacc_odd, mova2d_odd, gmpool_index, int8_exponent,
         srcb_override, movdbga2d_format, setdvalid_format, prng_seed, prng_writer, sfpu_bf16_rows, unpack_counters,
         exponent_histogram, pack_gasket, atswap_single, unpack_bfp, zeroacc_half, move_src_row, swap_ties,
         nop_leaves, nop_gives, storeind_size)


def main():
    check, folder = sys.argv[1] == "--check", sys.argv[-1]
    wrong, names = 0, set()
    for rule in RULES:
        cases = list(rule())
        assert len(cases) >= 3, rule
        for case in cases:
            for name, content in case.files():
                path = os.path.join(folder, name)
                names.add(name)
                if not check:
                    with open(path, "wb") as file:
                        file.write(content)
                elif not os.path.exists(path) or open(path, "rb").read() != content:
                    print("%s: not what %s makes" % (path, sys.argv[0]))
                    wrong = 1
    for name in set(os.listdir(folder)) - names:
        if name.endswith(".ttv"):
            print("%s: no case makes it" % os.path.join(folder, name))
            wrong = 1
    return wrong


sys.exit(main())
