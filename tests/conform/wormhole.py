#!/usr/bin/env python3
"""Conformance files of Wormhole: our programs for Blackhole (*.ttv here) in Wormhole's words and registers, and what the
vendor's functional simulator for Wormhole leaves in L1.

    wormhole.py LIBTTSIM OUT [NAME...]   LIBTTSIM: libttsim.so of that simulator, built outside (https://github.com/tenstorrent/ttsim)

A program is straight: constants, stores to the coprocessor's windows, Tensix words. Each is read back from its image, its words
and registers are rewritten by the tables of config/, and the image is made again. What Wormhole does not have, or the simulator
refuses, is listed in OUT/rejected.txt."""
import collections
import ctypes
import os
import re
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CONFIG = os.path.join(HERE, "..", "..", "config")
CORES = ["brisc", "trisc0", "trisc1", "trisc2", "ncrisc"]
RESET_BIT = [0x800, 0x1000, 0x2000, 0x4000, 0x40000]
START = [0, 0x6000, 0xA000, 0xE000, 0x12000]  # of cores whose start nobody has set
TILE = (1, 1)


class Refused(Exception):
    pass


def rows(path, macro):
    text = re.sub(r"//.*", "", open(os.path.join(CONFIG, path)).read())
    return [m.group(1) for m in re.finditer(macro + r"\(((?:[^()]|\([^()]*\))*)\)", text) if "name" not in m.group(1)]


def numbers(path, macro):
    for row in rows(path, macro):
        name, *rest = [part.strip() for part in row.split(",")]
        yield name, [int(part, 0) for part in rest]


class Tables:
    def __init__(self):
        self.code = {}
        for m in re.finditer(r"^TS_OP_\w+\((0x\w\w), (\w+),", open(os.path.join(CONFIG, "tensix.def")).read(), re.M):
            self.code[m.group(2)] = int(m.group(1), 16)
        self.name = {code: name for name, code in self.code.items()}
        self.absent = {row.strip() for row in rows("wormhole/tensix.def", "TS_ABSENT")}
        self.moves = {}  # name: (field, shift, used, to)
        for row in rows("wormhole/tensix.def", "TS_FORM"):
            name = row.split(",")[0].strip()
            self.moves[name] = [(f, int(s), int(u), int(t)) for f, s, u, t in
                                re.findall(r"\bM\((\w+), (\d+), \d+, (\d+), (\d+)\)", row)]
        own = {"C": {}, "T": {}}
        for path in ("cfgregs.def", "wormhole/own.def"):
            for kind, macro in (("C", "TS_CFG_FIELD"), ("T", "TS_THD_FIELD")):
                for name, (addr, shift, bits) in numbers(path, macro):
                    own[kind][name] = (addr, shift, bits)
        self.thread = {}  # word here: word there
        for row in rows("wormhole/cfgregs.def", "TS_THD_AT"):
            addr, name = [part.strip() for part in row.split(",")]
            self.thread.setdefault(own["T"][name][0], int(addr)) if addr != "addr" else None
        self.fields = collections.defaultdict(list)  # word here: (shift, bits, word there, shift there)
        self.places = {}
        for name, (addr, shift, bits) in numbers("wormhole/cfgregs.def", "TS_CFG_AT"):
            to, to_shift, _ = own["C"][name]
            self.fields[to].append((to_shift, bits, addr, shift))
            self.places[name] = (addr, shift, bits)
        for row in rows("wormhole/cfgregs.def", "TS_CFG_WORD"):
            if "addr" not in row:
                addr, to = [int(part) for part in row.split(",")]
                self.fields[to].append((0, 32, addr, 0))
        # The packers 1 to 3 are set as packer 0.
        self.mirrors = collections.defaultdict(list)
        for name, (addr, shift, bits) in self.places.items():
            for one, more in (("THCON_SEC0_REG1_", ("THCON_SEC0_REG8_", "THCON_SEC1_REG1_", "THCON_SEC1_REG8_")),
                              ("PACK_COUNTERS_SEC0_", tuple("PACK_COUNTERS_SEC%d_" % i for i in (1, 2, 3)))):
                if name.startswith(one) and name not in ("THCON_SEC0_REG1_L1_Dest_addr",):
                    for other in more:
                        if other + name[len(one):] in self.places:
                            to = self.places[other + name[len(one):]]
                            self.mirrors[addr].append((shift, bits, to[0], to[1]))
        waits = [int(row.split("<<")[1]) for row in rows("wormhole/waits.def", "TS_WAIT") if "<<" in row]
        self.waits = collections.defaultdict(int)
        for bit, to in enumerate(waits):
            self.waits[to] |= 1 << bit


T = Tables()


def bits(word, shift, width):
    return word >> shift & (1 << width) - 1


class Writer:
    """Wormhole's program."""

    def __init__(self, four):
        self.code, self.config, self.known = [], collections.Counter(), {}
        self.pack_rows, self.fixed = 0, False
        self.four, self.held, self.fours = four, 0, 0  # packers: PACRs that wait for the last one; those that were made

    def li(self, rd, value):
        low = (value & 0xFFF) - (0x1000 if value & 0x800 else 0)
        high = (value - low) & 0xFFFFFFFF
        if high:
            self.code.append(high | rd << 7 | 0x37)
        if low or not high:
            self.code.append((low & 0xFFF) << 20 | (rd << 15 if high else 0) | rd << 7 | 0x13)

    def store(self, rs, offset, base):
        self.code.append((offset >> 5 & 0x7F) << 25 | rs << 20 | base << 15 | 2 << 12 | (offset & 31) << 7 | 0x23)

    def push(self, word, inline):
        if inline:
            self.code.append((word << 2 | word >> 30) & 0xFFFFFFFF)
        else:
            self.li(5, word)
            self.store(5, 0, 8)

    # A word of the configuration, in the form that Blackhole's programs have.
    def configure(self, word, value):
        self.config[word] = value
        changed = set()
        for shift, width, there, to in T.fields[word]:
            self.place(there, to, width, bits(value, shift, width), changed)
        for there in list(changed):
            for shift, width, other, to in T.mirrors[there]:
                self.place(other, to, width, bits(self.known[there], shift, width), changed)
        for there in sorted(changed):
            self.li(5, self.known[there])
            self.store(5, 4 * there, 9)

    def place(self, there, shift, width, value, changed):
        old = self.known.get(there, 0)
        new = old & ~((1 << width) - 1 << shift) | value << shift
        if new != old:  # what is 0 is not written: the simulator does not have all registers
            changed.add(there)
        self.known[there] = new

    def tensix(self, word, inline, in_place=False):
        """`in_place`: as one word, or not at all."""
        name = T.name.get(word >> 24)
        if name is None or name in T.absent:
            raise Refused("no instruction %s" % (name or hex(word)))
        if name in ("REPLAY", "MOP"):
            self.fixed = True
        out = self.rewrite(name, word)
        if name == "PACR" and self.four and not in_place:
            if bits(word, 8, 4) == 0:
                self.held += 1
            if self.held and not word & 1:
                return []
            rows_, self.held = 4 * self.held, 0
            if rows_ in (16, 32, 64) and self.apart(rows_ // 16, inline):
                return []
            if rows_:
                raise Refused("rows that four packers do not share")
        if name == "PACR":
            rows_ = {0: 4, 1: 1, 3: 2}[bits(word, 8, 4)]
            if rows_ != self.pack_rows:
                if in_place:
                    raise Refused("rows of PACR in a MOP")
                self.pack_rows = rows_
                self.push(T.code["SETADCXX"] << 24 | 4 << 21 | 16 * rows_ - 1 << 10, inline)
        base = any(field.endswith("addr_mode") and bits(word, to, 3) > 3 and used == 2 and name not in ("PACR", "UNPACR")
                   for field, _, used, to in T.moves.get(name, []))
        if base and (in_place or self.fixed):
            raise Refused("address modes above 3 in a loop")
        if base:
            self.push(T.code["SETC16"] << 24 | T.thread[68] << 16 | 1, inline)
        for one in out:
            self.push(one, inline) if not in_place else None
        if base:
            self.push(T.code["SETC16"] << 24 | T.thread[68] << 16, inline)
        if in_place and len(out) != 1:
            raise Refused("%s is not one word" % name)
        return out

    # One PACR for up to four packers, 16 rows each. The addresses of the last three count from the first in every other one.
    def apart(self, packers, inline):
        width = {0: 4, 1: 2, 2: 1, 3: 1}[self.config[70] >> 4 & 3]
        if self.config[70] >> 4 & 15 in (2, 3, 6, 7, 11, 15) or packers == 1:
            return False
        self.fours += 1
        relative = self.fours & 1
        changed = set()
        for i, name in enumerate(("THCON_SEC0_REG1", "THCON_SEC0_REG8", "THCON_SEC1_REG1", "THCON_SEC1_REG8")[:packers]):
            addr, shift, width_ = T.places[name + "_L1_Dest_addr"]
            step = i * 16 * 16 * width // 16
            value = (step - 1 if i and relative else self.config[69] + step) | (0x80000000 if relative and not i else 0)
            self.place(addr, shift, width_, value & 0xFFFFFFFF, changed)
            addr, shift, width_ = T.places["DEST_TARGET_REG_CFG_PACK_SEC%d_Offset" % i]
            self.place(addr, shift, width_, self.config[180] + 16 * i, changed)
        for there in sorted(changed):
            self.li(5, self.known[there])
            self.store(5, 4 * there, 9)
        self.code += [0x0044A283, 0x0055F033]  # a register is read back: the stores are complete
        self.push(T.code["SETADCXX"] << 24 | 4 << 21 | 255 << 10, inline)
        self.push(T.code["PACR"] << 24 | (1 << packers) - 1 << 8 | 1, inline)
        self.pack_rows = 16
        return True

    def rewrite(self, name, word):
        if name not in T.moves:
            if name in ("WRCFG", "RDCFG") or name.startswith("RMWCIB"):
                return self.register(name, word)
            if name == "REG2FLOP":
                raise Refused("REG2FLOP")
            return [word]
        out = word & 0xFF000000
        for _, shift, used, to in T.moves[name]:
            out |= bits(word, to, used) << shift
        if name == "ZEROACC":
            if bits(word, 17, 1):
                raise Refused("ZEROACC that sets flags")
            out |= bits(word, 19, 2) << 19 | bits(word, 18, 1) << 21
        elif name == "UNPACR" and bits(word, 5, 1):
            raise Refused("UNPACR srcb_bcast")
        elif name == "UNPACR_NOP":
            pop, value, both, wait, give = bits(word, 0, 2), bits(word, 2, 2), bits(word, 4, 1), bits(word, 5, 1), bits(word, 8, 4)
            if value > 1 or pop not in (1, 2):
                raise Refused("UNPACR_NOP of Blackhole")
            clear = [out | 1 | value << 2 | both << 3 | wait << 4] if pop == 1 else []
            return clear + ([out | 7] if give else []) or [out | 2]
        elif name == "PACR":
            if word >> 17 & 0x7F or bits(word, 13, 2) or bits(word, 8, 4) not in (0, 1, 3):
                raise Refused("PACR of Blackhole")
            out = out & ~(15 << 8) | 1 << 8
        elif name == "SETC16":
            reg = bits(word, 16, 8)
            if reg in (2, 3):  # formats that the unpackers imply
                return []
            if reg not in T.thread:
                raise Refused("SETC16 %d" % reg)
            out |= T.thread[reg] << 16
        elif name == "STALLWAIT":
            mask = 0
            for bit in range(13):
                if word >> bit & 1:
                    mask |= T.waits[bit]
            if word & 0x7FFF and not mask:
                return []
            out |= mask
        elif name == "MOP":
            if word >> 23 & 1 and word & 0x7FFFFF:
                raise Refused("counts in a MOP")
        elif name == "SFP_STOCH_RND" and bits(word, 22, 1):
            raise Refused("SFP_STOCH_RND mode 2")
        return [out]

    # Registers with the same fields at the same places.
    def register(self, name, word):
        at = 0 if name.startswith("RMWCIB") else 0
        width = 8 if name.startswith("RMWCIB") else 11
        to = {(there, shift - here) for here, _, there, shift in T.fields[bits(word, at, width)]}
        if len(to) != 1 or list(to)[0][1] or (name == "WRCFG" and bits(word, 15, 1)):
            raise Refused("%s of a register that lies otherwise" % name)
        return [word & ~((1 << width) - 1) | list(to)[0][0]]


def rewrite_program(image, four):
    code = struct.unpack("<%dI" % (len(image) // 4), image)
    to, held, known = Writer(four), [], {}
    for at, word in enumerate(code):
        rd, rs1, rs2, op = bits(word, 7, 5), bits(word, 15, 5), bits(word, 20, 5), word & 0x7F
        simm = (bits(word, 25, 7) << 5 | rd) if op == 0x23 else 0
        if word & 3 != 3:
            to.code += held
            held = []
            to.tensix((word >> 2 | word << 30) & 0xFFFFFFFF, True)
        elif op == 0x37:
            to.code += held
            held = [word]
            known[rd] = word & 0xFFFFF000
        elif op == 0x13 and bits(word, 12, 3) == 0 and rs1 in (0, rd):
            low = (word >> 20) - (0x1000 if word >> 31 else 0)
            if rs1:
                held.append(word)
            else:
                to.code += held
                held = [word]
            known[rd] = ((known.get(rd, 0) if rs1 else 0) + low) & 0xFFFFFFFF
        elif op == 0x23 and bits(word, 12, 3) == 2 and rs2 == 5 and rs1 in (8, 9, 20) and held:
            held = []
            if rs1 == 8 and simm == 0:
                to.tensix(known[5], False)
            elif rs1 == 9:
                to.configure(simm // 4, known[5])
            elif rs1 == 20:
                value = known[5]
                if simm // 4 >= 2:
                    out = to.tensix(value, False, in_place=True)
                    value = out[0]
                to.li(5, value)
                to.store(5, simm, 20)
            else:
                raise Refused("a push elsewhere")
        elif op == 0x6F and word == 0x6F and at == len(code) - 1:
            to.code += held + [word]
            held = []
        elif op in (0x03, 0x23, 0x33):
            to.code += held + [word]
            held = []
        else:
            raise Refused("the program is not straight")
    if four and to.fours == 0:
        raise Refused("nothing for four packers")
    return struct.pack("<%dI" % len(to.code), *to.code)


def read(path):
    raw = open(path, "rb").read()
    at, lines = 0, []
    while True:
        end = raw.index(b"\n", at)
        line = raw[at:end].decode().split(None, 1)
        at = end + 1
        if line:
            lines.append((line[0], line[1] if len(line) > 1 else ""))
            if line[0] == "data":
                return lines, raw[at:]


def convert(path, four):
    """The case for Wormhole: lines of its header up to `expect`, its data, loads, dones, expects."""
    lines, data = read(path)
    head, loads, cores, done, expect = [], [], [], [], []
    for key, rest in lines:
        words = rest.split()
        if key == "load":
            loads.append([int(words[1], 0), data[int(words[2], 0):int(words[2], 0) + int(words[3], 0)]])
        elif key == "core":
            cores.append((CORES.index(words[1]), int(words[2], 0)))
        elif key == "done":
            done.append((int(words[1], 0), int(words[2], 0)))
        elif key == "expect":
            expect.append((int(words[1], 0), int(words[3], 0)))
        elif key == "tile" and words[0] != "0":
            raise Refused("more than one tile")
        elif key in ("name", "note", "budget"):
            head.append("%s %s%s" % (key, rest, {"name": "_x4", "note": ", with four packers"}.get(key, "") if four else ""))
    starts = []
    for core, pc in cores:
        load = next(load for load in loads if load[0] == pc)
        if not os.path.basename(path).startswith(("rv", "mailbox")):  # these are for the cores alone
            load[1] = rewrite_program(load[1], four)
        if pc != START[core]:  # a jump from where the core starts
            offset = pc - START[core]
            loads.append([START[core], struct.pack("<I", (offset >> 20 & 1) << 31 | (offset >> 1 & 0x3FF) << 21 |
                                                   (offset >> 11 & 1) << 20 | (offset >> 12 & 0xFF) << 12 | 0x6F)])
        starts.append((core, START[core]))
    spans = sorted((a, a + len(b)) for a, b in loads)
    if any(a[1] > b[0] for a, b in zip(spans, spans[1:])):
        raise Refused("the program is too long")
    return head, loads, starts, done, expect


class Simulator:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.libttsim_init()
        self.bar = self.lib.libttsim_pci_config_rd32(0, 0x10) & ~15 | self.lib.libttsim_pci_config_rd32(0, 0x14) << 32
        self.window = None

    def at(self, address):
        entry = address >> 24 | (TILE[0] | TILE[1] << 6) << 12
        if entry != self.window:
            self.window = entry
            raw = struct.pack("<Q", entry)
            for half in (0, 4):
                self.lib.libttsim_pci_mem_wr_bytes(ctypes.c_uint64(self.bar + 0x1FC00000 + 8 * 166 + half), raw[half:half + 4], 4)
        return ctypes.c_uint64(self.bar + 0xB000000 + (address & 0xFFFFFF))

    def write(self, address, raw):
        for i in range(0, len(raw), 4096):
            self.lib.libttsim_pci_mem_wr_bytes(self.at(address + i), raw[i:i + 4096], len(raw[i:i + 4096]))

    def read(self, address, length):
        out = b""
        for i in range(0, length, 4096):
            buffer = ctypes.create_string_buffer(min(4096, length - i))
            self.lib.libttsim_pci_mem_rd_bytes(self.at(address + i), buffer, len(buffer))
            out += buffer.raw
        return out


def simulate(library, case, to):
    head, loads, starts, done, expect = case
    sim = Simulator(library)
    held = sum(RESET_BIT)
    sim.write(0xFFB121B0, struct.pack("<I", held))
    for address, raw in loads:
        sim.write(address, raw)
    for address, _ in done:
        sim.write(address, bytes(4))
    sim.write(0xFFB121B0, struct.pack("<I", held & ~sum(RESET_BIT[core] for core, _ in starts)))
    for _ in range(20000):
        sim.lib.libttsim_clock(16)
        if all(sim.read(address, 4) == struct.pack("<I", value) for address, value in done):
            break
    else:
        print("TIMEOUT")
        return False
    data, text = b"", ["ttvec 1", "rules ttsim-1.10.0"] + head[:-1] + ["arch wormhole", head[-1], "tile 0 %d %d" % TILE]
    for address, raw in loads:
        text.append("load 0 0x%05x %d %d" % (address, len(data), len(raw)))
        data += raw
    text += ["core 0 %s 0x%05x" % (CORES[core], pc) for core, pc in starts]
    text += ["done 0 0x%05x 0x%08x" % row for row in done]
    for address, length in expect:
        text.append("expect 0 0x%05x %d %d" % (address, len(data), length))
        data += sim.read(address, length)
    with open(to, "wb") as file:
        file.write(("\n".join(text + ["data %d" % len(data)]) + "\n").encode() + data)
    return True


def main():
    library, out = sys.argv[1:3]
    names = sys.argv[3:] or sorted(f[:-4] for f in os.listdir(HERE) if f.endswith(".ttv"))
    if not sys.argv[3:]:  # some with four packers, too
        names += [name + "_x4" for name in names if name.startswith(("pack", "mvmul_bf16"))]
    os.makedirs(out, exist_ok=True)
    good, bad = 0, []
    for name in names:
        try:
            four = name.endswith("_x4")
            case = convert(os.path.join(HERE, name[:-3 if four else None] + ".ttv"), four)
        except (Refused, KeyError) as why:
            bad.append("%s: ours: %s" % (name, why))
            continue
        ends = os.pipe()
        child = os.fork()
        if child == 0:
            os.dup2(ends[1], 1), os.dup2(ends[1], 2)
            code = 0 if simulate(library, case, os.path.join(out, name + ".ttv")) else 1
            sys.stdout.flush()
            os._exit(code)
        os.close(ends[1])
        with os.fdopen(ends[0]) as pipe:
            text = pipe.read()
        if os.waitpid(child, 0)[1] == 0:
            good += 1
        else:
            bad.append("%s: %s" % (name, (text.split("\n") or [""])[0][:160]))
    open(os.path.join(out, "rejected.txt"), "w").write("\n".join(bad) + "\n")
    print("%d files, %d refused" % (good, len(bad)))


if __name__ == "__main__":
    main()
