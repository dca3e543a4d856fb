"""tensim from Python: how fast a kernel runs on Tenstorrent's Blackhole, what limits it, why it hangs.

    tensim.matmul(m=256, n=256, k=1024)              a built-in kernel
    tensim.run("mine/program.yaml", rows=512, a=A)   a program file; arrays go in, result.tensors come out
    tensim.sweep("matmul", format=["bf16", "bfp8"])  every combination
    tensim.cost("gemv", k=512, n=256)["cycles"]      from a store, or by a run

Names are those of the command line. A failure is an exception (tensim.Error) with the exit code of the tensim program."""
from functools import partial as _partial

from . import library as _library
from .commands import Report, Sweep, command, cost, sweep
from .errors import (Bug, ContractError, Differs, Error, Findings, Hang, Limit, NotModelled, SetupError, UsageError)
from .machine import Chip, Machine, chips, programs
from .program import Program
from .run import KERNELS, Options, Result, kernel, run

__version__ = _library.call("tensim_version").decode()

matmul, eltwise, sfpu, reduce, transpose, norm, tilize, untilize = (_partial(kernel, _name) for _name in KERNELS)
