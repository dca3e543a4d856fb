"""Failures: one class for each exit code of the tensim program."""


class Error(Exception):
    """A failure. `code` is the exit code of the tensim program, `text` its message."""

    code = 1

    def __init__(self, text, code=None):
        super().__init__(text)
        self.text = text
        if code is not None:
            self.code = code


class Differs(Error):
    """The result is not what the program expects, or a workload failed. `result` has all figures and tensors."""

    code = 1
    result = None


class Hang(Error):
    """Nothing can happen any more, and something waits. `explanation` is one screen of text, `graph` hang.json: who waits for whom."""

    code = 2
    explanation, graph = "", None

    def _repr_html_(self):
        from .show import hang
        return hang(self)


class SetupError(Error):
    """A file, the configuration, a compile error: the text has file, line and column."""

    code = 3


class ContractError(Error):
    """The program broke the hardware's contract, or a kernel stopped at an ebreak (a failed ASSERT)."""

    code = 4


class NotModelled(Error):
    """Not in the model; the text names it."""

    code = 5


class Limit(Error):
    """The cycle limit was reached first."""

    code = 6


class Findings(Error):
    """A check has found something."""

    code = 7


class UsageError(Error):
    """A wrong argument, or a call at the wrong time."""

    code = 64


class Bug(Error):
    """A bug in tensim."""

    code = 70


CLASSES = {kind.code: kind for kind in (Differs, Hang, SetupError, ContractError, NotModelled, Limit, Findings, UsageError, Bug)}


def failure(code, text):
    """The exception of an exit code."""
    if code == 12:
        return MemoryError(text)
    return CLASSES.get(code, Error)(text, code)
