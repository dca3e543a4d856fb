"""Runs: built-in kernels, program files, scenarios."""
import ctypes
import json
import os
import shlex
import signal
import tempfile
import threading

from . import arrays, library, show
from .errors import Differs, Error, Hang, SetupError, UsageError
from .figures import FIGURES
from .library import call
from .program import Program

KERNELS = ("matmul", "eltwise", "sfpu", "reduce", "transpose", "norm", "tilize", "untilize")
LIMIT = 2_000_000_000  # cycles, as the tensim program has it


def setting(name, value):
    """name=value as on the command line."""
    if isinstance(value, bool):
        value = int(value)
    return "%s=%s" % (name, value)


class Options:
    """How something runs: the same for all kinds of runs. Each is an option of the tensim program."""

    def __init__(self, machine=None, threads=1, limit=None, timing_only=False, step_by_step=False, strict=False, lints=None, lines=False,
                 check=None, no_hang_check=False, sources=None, dprint=True, config=None, allow=None):
        self.machine = ["%s=%s" % row for row in (machine or {}).items()]
        self.limit = limit
        self.fields = {"threads": threads, "timing_only": timing_only, "step_by_step": step_by_step, "strict": strict, "lints": lints,
                       "lines": lines, "check": check, "no_hang_check": no_hang_check, "sources": sources, "print": dprint, "allow": allow,
                       "params": config}

    def struct(self, stream):
        config = library.Config()
        call("tensim_config_init", ctypes.byref(config))
        for name, value in self.fields.items():
            setattr(config, name, os.fsencode(value) if isinstance(value, (str, os.PathLike)) else value)
        config.settings, config.setting_count = strings(self.machine)
        config.output = stream
        return config

    def words(self):
        """The same for the tensim program."""
        words = [word for text in self.machine for word in ("-D", text)]
        names = {"params": "-c", "threads": "-j"}
        for name, value in self.fields.items():
            option = names.get(name, "--" + {"lints": "lint"}.get(name, name).replace("_", "-"))
            if name == "print":
                words += [] if value else ["--dprint", "off"]
            elif value is True:
                words.append(option)
            elif name == "check" and value:
                words.append("--check=" + value)
            elif value and not (name == "threads" and value == 1):
                words += [option, str(value)]
        return words + (["-n", str(self.limit)] if self.limit is not None else [])


def strings(texts):
    """A list of texts for C, and its length."""
    return (ctypes.c_char_p * (len(texts) + 1))(*map(os.fsencode, texts)), len(texts)


class Result(dict):
    """A run that ended well: its figures, as `tensim ... --json` has them; also as attributes (result.cycles).

    tensors: what came out, by name. units, stalls, zones, loss, lints, lines: tables (lists of dicts); frame(NAME) makes a
    pandas.DataFrame. stats: all counters of all units. printed: what DPRINT wrote. command: the same run in a shell.
    figures: what each figure is. report(FOLDER) writes the report. by_chip: of a program on a system, such a result for each chip; this one is the first's."""

    figures = FIGURES

    def __init__(self, figures, stats="{}", lints=(), tensors=None, printed="", words=(), keep=None):
        self.by_chip = [self]
        super().__init__(figures)
        self._stats, self.lints, self.tensors, self.printed = stats, list(lints), tensors or {}, printed
        self._words, self._keep = list(words), keep

    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError("a result has no %s; figures: %s" % (name, " ".join(self)))

    def __dir__(self):
        return [*super().__dir__(), *(name for name in self if name.isidentifier())]

    def __repr__(self):
        return "<tensim.Result: %s>" % show.line(self)

    def _repr_html_(self):
        return show.cards(self)

    @property
    def stats(self):
        if isinstance(self._stats, str):
            self._stats = json.loads(self._stats)
        return self._stats

    @property
    def units(self):
        """A row for each component: name, kind, busy, idle, its stalls and counters."""
        return show.units(self.stats)

    @property
    def stalls(self):
        """A row for each component and reason: unit, kind, reason, cycles."""
        return show.stalls(self.stats)

    def table(self, name):
        """A table by name: a list of dicts."""
        rows = self["lines"]["lines"] if name == "lines" else getattr(self, name)
        if isinstance(rows, dict):  # by name: the name is the first column
            rows = [{"name": key, **row} if isinstance(row, dict) else {"name": key, "value": row} for key, row in rows.items()]
        return rows

    def frame(self, name="units"):
        """The same as a pandas.DataFrame."""
        import pandas
        return pandas.DataFrame(self.table(name))

    @property
    def command(self):
        return shlex.join(["tensim", *self._words])

    def report(self, folder=None):
        """Runs it again with the tensim program, which writes report, stats and all other files."""
        from .commands import report
        return report(self._words, folder)


class Instance:
    """An instance of the library: built, run, read, freed. For `with`."""

    def __init__(self, build, options):
        self.options, self.sim, self._stopped = options, None, False
        self.notes = library.Notes()
        try:
            self.sim = build(ctypes.byref(options.struct(self.notes.stream)))
        except SetupError as error:
            raise SetupError("\n".join([error.text, self.notes.text()]).rstrip()) from None
        finally:
            if self.sim is None:
                self.notes.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        call("tensim_free", self.sim)
        self.sim = None
        self.notes.close()

    def _interrupt(self, number, _frame):
        self._stopped = True
        call("tensim_interrupt", self.sim, number)

    def run(self, name="tensim_run", *arguments):
        """Runs. Ctrl-C stops it: Python handles signals whenever the library calls `look`."""
        look = library.LOOK(lambda _context: None)
        main = threading.current_thread() is threading.main_thread()
        before = signal.signal(signal.SIGINT, self._interrupt) if main else None
        call("tensim_on_progress", self.sim, look, None)
        try:
            return call(name, self.sim, *arguments)
        except Hang as hang:
            hang.explanation, hang.graph = self.text("hang_text"), json.loads(self.json("hang"))
            raise hang from None
        except Error:
            if self._stopped:
                raise KeyboardInterrupt from None
            raise
        finally:
            call("tensim_on_progress", self.sim, library.LOOK(), None)
            if main:
                signal.signal(signal.SIGINT, before)

    def text(self, name):
        return library.text("tensim_" + name, self.sim)

    def json(self, document):
        """A document of the run as text: "result", "stats", "hang", "lints"."""
        return library.text("tensim_json", self.sim, document.encode())

    def tensors(self):
        """What the run wrote: tensors that began empty, or that the file expects something of."""
        rows = (library.Tensor * call("tensim_tensors", self.sim, None, 0))()
        call("tensim_tensors", self.sim, rows, len(rows))
        found = {}
        for row in rows:
            if row.filled and not row.checked:
                continue
            shape, count = tuple(row.shape[:row.dimensions]), 1
            for size in shape:
                count *= size
            values = (ctypes.c_double * count)()
            call("tensim_tensor_read", self.sim, row.name, values, count)
            found[row.name.decode()] = arrays.result(values, shape, row.integers)
        return found

    def result(self, words, keep):
        results = []
        for chip in range(call("tensim_chips", self.sim)):
            call("tensim_choose_chip", self.sim, chip)
            results.append(self._result(words, keep))
        results[0].by_chip = results
        return results[0]

    def _result(self, words, keep):
        tensors = {} if self.options.fields["timing_only"] else self.tensors()
        return Result(json.loads(self.json("result")), self.json("stats"), json.loads(self.json("lints")), tensors,
                      self.text("prints_text"), words, keep)


def _work(build, options, words, keep):
    with Instance(build, options) as instance:
        try:
            instance.run("tensim_run", LIMIT if options.limit is None else options.limit)
        except Differs as differs:
            differs.result = instance.result(words, keep)
            raise differs from None
        return instance.result(words, keep)


def kernel(name, params=None, **settings):
    """A built-in kernel: kernel("matmul", m=256, format="bfp8") is `tensim matmul -M 256 -f bfp8`; names of options with _ for -.
    Options of the run: see Options. tensim.matmul(...) and the like do the same."""
    options, settings = split(settings)
    rows = {key.replace("_", "-"): value for key, value in {**settings, **(params or {})}.items()}
    texts = [key if value is True else setting(key, value) for key, value in rows.items() if value is not False]
    values, count = strings(texts)
    words = [name, *("--" + text for text in texts), *options.words()]
    return _work(lambda config: call("tensim_new_kernel", name.encode(), values, count, config), options, words, None)


def split(settings):
    """Options of the run, and what is left: parameters."""
    known = Options.__init__.__code__.co_varnames[1:Options.__init__.__code__.co_argcount]
    return Options(**{key: value for key, value in settings.items() if key in known}), \
        {key: value for key, value in settings.items() if key not in known}


def run(what, params=None, **settings):
    """A program: a file, a Program, or a name that `tensim run` knows ("gemv"); also a scenario.

    Settings are the program's parameters (n=8192), cores="8x4", chip="p100", and arrays for its tensors (a=A). Options of the run
    (see Options) are: machine={"noc.hop": 10}, threads, limit, timing_only, step_by_step, strict, lints, lines, check,
    no_hang_check, sources, dprint, config, allow. params=... gives a program parameters that have the name of an option."""
    options, settings = split(settings)
    settings.update(params or {})
    keep = tempfile.TemporaryDirectory(prefix="tensim-") if any(map(arrays.is_array, settings.values())) else None
    for name, value in settings.items():
        if arrays.is_array(value):
            settings[name] = os.path.join(keep.name, name + ".npy")
            arrays.save(settings[name], value)
    path = os.fspath(what.path if isinstance(what, Program) else what)
    texts = [setting(*row) for row in settings.items()]
    if os.path.isfile(path) and not call("tensim_is_program", os.fsencode(path)):
        if texts:
            raise UsageError("%s: a scenario has no parameters: %s" % (path, texts[0]))
        return _scenario(path, options)
    values, count = strings(texts)
    words = ["run", path, *(word for text in texts for word in ("-p", text)), *options.words()]
    return _work(lambda config: call("tensim_new_program", os.fsencode(path), values, count, config), options, words, (what, keep))


def _scenario(path, options):
    with Instance(lambda config: call("tensim_new_scenario", os.fsencode(path), config), options) as instance:
        instance.run("tensim_run", LIMIT if options.limit is None else options.limit)
        stats = instance.json("stats")
        return Result({"cycles": json.loads(stats)["run"]["span_cycles"]}, stats, json.loads(instance.json("lints")), {}, instance.notes.text(),
                      ["run", path, *options.words()])
