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


def _kind(name, code, meaning):
    return type(name, (Error,), {"code": code, "__doc__": meaning, "__module__": __name__})


SetupError = _kind("SetupError", 3, "A file, the configuration, a compile error: the text has file, line and column.")
ContractError = _kind("ContractError", 4, "The program broke the hardware's contract, or a kernel stopped at an ebreak (a failed ASSERT).")
NotModelled = _kind("NotModelled", 5, "Not in the model; the text names it.")
Limit = _kind("Limit", 6, "The cycle limit was reached first.")
Findings = _kind("Findings", 7, "A check has found something.")
UsageError = _kind("UsageError", 64, "A wrong argument, or a call at the wrong time.")
Bug = _kind("Bug", 70, "A bug in tensim.")

CLASSES = {kind.code: kind for kind in (Differs, Hang, SetupError, ContractError, NotModelled, Limit, Findings, UsageError, Bug)}


def failure(code, text):
    """The exception of an exit code."""
    if code == 12:
        return MemoryError(text)
    return CLASSES.get(code, Error)(text, code)
