"""Tiles of your own: ELF files on cores, bytes in L1 and DRAM, runs until something happens; and what a chip has where."""
import ctypes
import json
import os
import re

from . import arrays, library
from .errors import UsageError
from .library import call
from .run import Instance, Options


def chips():
    """The cards that there are, for chip=."""
    return sorted(name[:-len(".yaml")] for name in os.listdir(library.path("chips")) if name.endswith(".yaml"))


def programs():
    """The programs that run() knows by name."""
    folder = library.path("programs")
    return sorted(name for name in os.listdir(folder) if os.path.exists(os.path.join(folder, name, "program.yaml")))


class Chip(dict):
    """A card: (x, y) of NoC 0: what stands there, by kind: Chip("p100")["tensix"] lists its tiles."""

    def __init__(self, name="p150"):
        super().__init__()
        self.name = name
        with Instance(lambda config: self._build(name, config), Options()) as instance:
            site = library.Site()
            for y in range(16):
                for x in range(32):
                    try:
                        call("tensim_site", instance.sim, library.XY(x, y), ctypes.byref(site))
                    except UsageError:
                        break  # the end of the row
                    self.setdefault(site.name.decode(), []).append((x, y))

    @staticmethod
    def _build(name, config):
        config._obj.chip, config._obj.complete = os.fsencode(name), True
        return call("tensim_new", config)

    def __repr__(self):
        return "<tensim.Chip %s: %s>" % (self.name, ", ".join("%d %s" % (len(places), kind) for kind, places in self.items()))


class Machine(Instance):
    """Tiles with all cores held. Use it with `with`, or call close().

    with Machine(tiles=[(1, 2)]) as m:
        m.load("trisc0", "hello.elf"); m.start("trisc0"); m.run(); m.read(0x20000, 400)

    Functions that name a tile take (x, y) as `tile`; without it the first one. chip="p150": the networks and DRAM around them;
    complete: all tiles of the chip. scenario="echo.yaml": what the file describes. Of a system, tiles are (chip, x, y) or as scenarios
    name them ("1/eth0", "1/1-2")."""

    def __init__(self, tiles=None, chip=None, complete=False, scenario=None, **options):
        if scenario is not None and (tiles is not None or chip is not None or complete):
            raise UsageError("a scenario names its tiles and chips")

        def build(config):
            if scenario is not None:
                return call("tensim_new_scenario", os.fsencode(scenario), config)
            if tiles is not None:
                config._obj.tiles = (library.XY * len(tiles))(*tiles)
                config._obj.tile_count = len(tiles)
            config._obj.chip, config._obj.complete = os.fsencode(chip) if chip else None, complete
            return call("tensim_new", config)
        super().__init__(build, Options(**options))

    def close(self):
        if self.sim is not None:
            self.__exit__()

    __del__ = close

    @property
    def tiles(self):
        found = []
        for chip in range(self.chips):
            call("tensim_choose_chip", self.sim, chip)
            rows = (library.XY * call("tensim_tiles", self.sim, None, 0))()
            call("tensim_tiles", self.sim, rows, len(rows))
            found += [(chip, row.x, row.y) if self.chips > 1 else (row.x, row.y) for row in rows]
        return found

    @property
    def chips(self):
        return call("tensim_chips", self.sim)

    def _at(self, tile):
        """Chooses the chip of a tile; its place on it."""
        tile = self.tiles[0] if tile is None else tile
        match = re.fullmatch(r"(?:(\d+)/)?(?:eth(\d+)|(\d+)-(\d+))", tile) if isinstance(tile, str) else None
        if match is None and (isinstance(tile, str) or len(tile) not in (2, 3)):
            raise UsageError("a tile is (x, y), (chip, x, y), '1/eth0' or '1/1-2', not %r" % (tile,))
        chip = int(match[1] or 0) if match else tile[0] if len(tile) == 3 else 0
        call("tensim_choose_chip", self.sim, chip)
        if match is None:
            return library.XY(*tile[-2:])
        at = library.XY(int(match[3] or 0), int(match[4] or 0))
        if match[2]:
            call("tensim_eth", self.sim, int(match[2]), ctypes.byref(at))
        return at

    @staticmethod
    def _core(name):
        name = {"erisc0": "brisc", "erisc1": "ncrisc"}.get(name, name)  # of an Ethernet tile
        if name not in library.CORES:
            raise UsageError("no core '%s': %s" % (name, " ".join(library.CORES)))
        return library.CORES.index(name)

    def load(self, core, path, tile=None):
        """An ELF file for a core."""
        call("tensim_load_elf", self.sim, self._at(tile), self._core(core), os.fsencode(path))

    def start(self, core, tile=None):
        """Takes a core out of reset."""
        call("tensim_start", self.sim, self._at(tile), self._core(core))

    def hold(self, core, tile=None):
        call("tensim_hold", self.sim, self._at(tile), self._core(core))

    def read(self, address, length, tile=None):
        """Bytes of L1; numpy.frombuffer makes an array of them."""
        room = ctypes.create_string_buffer(length)
        call("tensim_read", self.sim, self._at(tile), address, room, length)
        return room.raw

    def write(self, address, data, tile=None):
        """Bytes, or an array as it lies in memory, to L1."""
        data = arrays.raw(data)
        call("tensim_write", self.sim, self._at(tile), address, data, len(data))

    def dram_read(self, channel, address, length, chip=0):
        call("tensim_choose_chip", self.sim, chip)
        room = ctypes.create_string_buffer(length)
        call("tensim_dram_read", self.sim, channel, address, room, length)
        return room.raw

    def dram_write(self, channel, address, data, chip=0):
        call("tensim_choose_chip", self.sim, chip)
        data = arrays.raw(data)
        call("tensim_dram_write", self.sim, channel, address, data, len(data))

    def core(self, name, tile=None):
        """pc, registers x, instructions, cycle, held, paused, ended, halted."""
        state = library.CoreState()
        call("tensim_core_read", self.sim, self._at(tile), self._core(name), ctypes.byref(state))
        return {field: list(state.x) if field == "x" else getattr(state, field) for field, _ in state._fields_}

    def run(self, limit=library.FOREVER):
        """Runs to the end, or to the cycle `limit` (exception Limit). Returns the cycle."""
        super().run("tensim_run", limit)
        return self.cycle

    def run_for(self, cycles):
        super().run("tensim_run_for", cycles)
        return self.cycle

    def run_until(self, address, value, tile=None, cycles=0):
        """Runs until a word of L1 has a value. Returns the cycle of the write."""
        at = ctypes.c_uint64()
        until = library.Until(self._at(tile), address, value, 0, cycles, False)
        super().run("tensim_run_until", ctypes.byref(until), ctypes.byref(at))
        return at.value

    @property
    def cycle(self):
        return call("tensim_cycle", self.sim)

    @property
    def stats(self):
        return json.loads(self.json("stats"))

    @property
    def hang(self):
        """Who waits for whom: hang.json, at any time between runs."""
        return json.loads(self.json("hang"))
