"""What the tensim program does for this module: sweeps, reports, any command with --json."""
import html
import json
import os
import re
import subprocess
import tempfile

from . import library, show
from .errors import failure
from .program import Program


def _start(words, text="", **keys):
    """(exit code, stdout, stderr). The program may be stopped by Ctrl-C, too."""
    done = subprocess.run([library.program(), *map(str, words)], input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", check=False, **keys)
    return done.returncode, done.stdout, done.stderr


def _message(text):
    """What the program said, without its name and without the pointer to --help."""
    lines = [re.sub(r"^tensim(?: \w+)?: ", "", line) for line in text.strip().split("\n") if not line.startswith("Try `tensim")]
    return "\n".join(lines)


def command(*words):
    """Any command of the tensim program, with its JSON as dict: command("config", "--fixed")."""
    code, out, why = _start([*words, "--json", "-"])
    if code != 0:
        raise failure(code, _message(why))
    return json.loads(out)


class Report:
    """A folder that the tensim program wrote. `path` is its page."""

    def __init__(self, folder, page, keep=None):
        self.folder, self._keep = folder, keep
        self.path = os.path.join(folder, page)

    def __repr__(self):
        return "<tensim.Report: %s>" % self.path

    def _repr_html_(self):
        """The page itself, in a frame."""
        with open(self.path, encoding="utf-8") as file:
            page = html.escape(file.read())
        return '<iframe srcdoc="%s" style="width:100%%;height:640px;border:0"></iframe><p>%s</p>' % (page, html.escape(self.path))


def report(words, folder=None):
    """Runs a command with -o FOLDER, without one in a folder that is deleted with the object."""
    keep = tempfile.TemporaryDirectory(prefix="tensim-") if folder is None else None
    folder = os.path.abspath(folder or keep.name)
    code, _, why = _start([*words, "-o", folder, "-q"])
    if not os.path.exists(os.path.join(folder, "report.html")):
        raise failure(code, _message(why))
    return Report(folder, "report.html", keep)


class Sweep(list):
    """The rows of a sweep, a dict each: parameters and results; of a run that failed `code` and `error`.
    frame(): a pandas.DataFrame. path: the page. best: the best runs by time, tflops, error."""

    def __init__(self, folder, keep):
        with open(os.path.join(folder, "table.json"), encoding="utf-8") as file:
            self.document = json.load(file)
        super().__init__(self.document["rows"])
        self.folder, self._keep, self.path = folder, keep, os.path.join(folder, "sweep.html")
        self.best = self.document.get("best")

    def frame(self):
        import pandas
        return pandas.DataFrame(list(self))

    def _repr_html_(self):
        return show.table(self)


def _values(value):
    listed = isinstance(value, (list, tuple, range, set, frozenset)) or hasattr(value, "tolist")
    return ",".join(str(int(x) if isinstance(x, bool) else x) for x in (value if listed else [value]))


def sweep(what, out=None, jobs=None, machine=None, chip=None, params=None, **axes):
    """Every combination of values: sweep("matmul", format=["bf16", "bfp8"], cores=["4x4", "8x8"], machine={"noc.hop": [9, 18]}).

    what: a kernel, a program by name or file, or a Program. out: the folder of page and tables, which continues a sweep that was stopped;
    without it they are deleted with the object. jobs: runs at the same time."""
    keep = tempfile.TemporaryDirectory(prefix="tensim-") if out is None else None
    folder = os.path.abspath(out or keep.name)
    words = ["sweep", os.fspath(what.path if isinstance(what, Program) else what)]
    words += ["%s=%s" % (name, _values(value)) for name, value in {**axes, **(params or {})}.items()]
    words += [word for name, value in (machine or {}).items() for word in ("-D", "%s=%s" % (name, _values(value)))]
    words += ["--chip", chip] if chip else []
    words += ["-j", jobs] if jobs else []
    table = os.path.join(folder, "table.json")
    before = os.stat(table).st_mtime_ns if os.path.exists(table) else None
    code, _, why = _start([*words, "-o", folder, "-q"])
    if not os.path.exists(table) or (code and os.stat(table).st_mtime_ns == before):
        raise failure(code, _message(why))
    return Sweep(folder, keep)


def cost(what, store=None, jobs=None, machine=None, config=None, **settings):
    """What an operation costs, a dict: cost("gemv", k=512, n=256)["cycles"]; or a list of such dicts: cost([{"operation": "gemv", "k": 512}, ...]).

    Answers are kept: in the user's cache folder, or in the folder `store`. What is missing runs, many at once (jobs). Of a list, a query that is
    wrong has "error" and "code"; alone it is an exception."""
    alone = isinstance(what, (str, os.PathLike))
    queries = [{"operation": os.fspath(what), **settings}] if alone else list(what)
    words = ["cost", "-", "-q"] + [word for name, value in (machine or {}).items() for word in ("-D", "%s=%s" % (name, value))]
    words += ["-o", store] if store else []
    words += ["-j", jobs] if jobs else []
    words += ["-c", config] if config else []
    code, out, why = _start(words, "".join(json.dumps(query) + "\n" for query in queries))
    answers = [json.loads(line) for line in out.splitlines()]
    if len(answers) != len(queries):
        raise failure(code, _message(why))
    if alone and "error" in answers[0]:
        raise failure(answers[0]["code"], answers[0]["error"])
    return answers[0] if alone else answers
