"""The module tensim: runs, arrays, programs built in Python, failures, sweeps, reports."""
import os
import signal
import subprocess
import sys
import threading

import pytest

import tensim

numpy = pytest.importorskip("numpy")
pandas = pytest.importorskip("pandas")

COPY = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    uint32_t from = get_arg_val<uint32_t>(0), to = get_arg_val<uint32_t>(1), tiles = get_arg_val<uint32_t>(2);
    constexpr auto in = TensorAccessorArgs<0>();
    constexpr auto out = TensorAccessorArgs<in.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(in, from, get_tile_size(0));
    const auto b = TensorAccessor(out, to, get_tile_size(0));
    uint32_t at = get_write_ptr(0);
    for (uint32_t i = 0; i < tiles; i++) {
        noc_async_read_tile(i, a, at);
        noc_async_read_barrier();
        noc_async_write_tile(i, b, at);
        noc_async_write_barrier();
    }
    DPRINT << "moved " << tiles << ENDL();
}
"""
WAIT = """
void kernel_main() { cb_wait_front(0, 1); }
"""


def copy(**changes):
    """A program that copies a to b."""
    a = {"shape": ["rows", 32], "format": "bf16", "fill": "row", **changes.pop("a", {})}
    b = {"shape": ["rows", 32], "format": "bf16", **changes.pop("b", {"expect": "a", "tolerance": 0})}
    return tensim.Program(params={"rows": 64}, tensors={"a": a, "b": b}, buffers=[{"id": 0, "format": "bf16", "pages": 1}],
                          kernels=[{"source": changes.pop("source", COPY), "on": "reader", "compile": [{"tensor": "a"}, {"tensor": "b"}],
                                    "args": ["a", "b", "a.tiles"]}], **changes)


def stuck():
    return tensim.Program(buffers=[{"id": 0, "format": "bf16", "pages": 2}], kernels=[{"source": WAIT, "on": "reader"}])


@pytest.fixture(scope="module")
def small():
    return tensim.matmul(m=64, n=64, k=64)


def program(*words):
    return subprocess.run([tensim.library.program(), *words], check=False, capture_output=True, text=True)


# --- kernels ---

def test_kernel_is_the_command(small):
    done = program("matmul", "-M", "64", "-N", "64", "-K", "64", "--json", "-")
    import json
    document = json.loads(done.stdout)
    assert document["cycles"] == small.cycles == small["cycles"]
    assert {name for name in small} <= set(document)
    assert small.command == "tensim matmul --m=64 --n=64 --k=64"
    assert program(*small.command.split()[1:], "-q").returncode == 0


def test_kernel_tables(small):
    frame = small.frame("units")
    matrix = frame[frame["unit"] == "tile[1-2].matrix"].iloc[0]
    cycles = small.stats["run"]["span_cycles"]
    assert matrix["busy"] + matrix["idle"] + sum(value for name, value in matrix.items() if name.startswith("stall.") and value == value) == cycles
    assert set(small.frame("stalls").columns) == {"unit", "kind", "reason", "cycles"}
    assert isinstance(small.frame("loss"), pandas.DataFrame)


def test_kernel_html(small):
    page = small._repr_html_()
    assert "%d" % small.cycles in page and "Bound by" in page and "TFLOP/s" in page
    assert "bound by" in repr(small)


def test_kernel_over_cores():
    result = tensim.eltwise(m=64, n=64, cores="2x1", chip="p100")
    assert result["chip"] == "p100" and result["cores"] == 2


# --- programs and arrays ---

def test_arrays_in_and_out():
    a, b = numpy.random.default_rng(1).normal(size=(2, 64, 64))
    result = tensim.run("matmul", m=64, n=64, k=64, cores="1x1", a=a, b=b)
    assert result.tensors["c"].shape == (64, 64) and result.tensors["c"].dtype == numpy.float32
    assert numpy.corrcoef(result.tensors["c"].ravel(), (a @ b).ravel())[0, 1] > 0.999
    assert set(result.tensors) == {"c"}


def test_program_in_python():
    a = numpy.arange(96 * 32).reshape(96, 32) % 256
    result = tensim.run(copy(), rows=96, a=a)
    assert (result.tensors["b"] == a).all() and result.printed.endswith("moved 3\n")
    assert tensim.run(copy(), rows=96, a=a, machine={"noc.hop": 30}).cycles > result.cycles
    assert tensim.run(copy(), rows=96, a=a, step_by_step=True).cycles == result.cycles


def test_arrays_of_the_program():
    a = numpy.ones((2, 32, 32))
    shape = {"shape": [2, 32, 32]}
    result = tensim.run(copy(a={"fill": a, **shape}, b={"expect": a, "tolerance": 0, **shape}))
    assert result.tensors["b"].shape == (2, 32, 32)
    lists = tensim.run(copy(), a=[[float(column) for column in range(32)]] * 64)
    assert lists.tensors["b"][5, 7] == 7


def test_lines():
    rows = tensim.run(copy(), lines=True).table("lines")
    assert any("reader0.cpp" in str(row) for row in rows)


def test_timing_only():
    assert tensim.run(copy(), timing_only=True).tensors == {}


def test_folder(tmp_path):
    program_file = copy(folder=tmp_path / "copy").path
    assert tensim.run(program_file).cycles == tensim.run(str(tmp_path / "copy")).cycles
    assert program("run", program_file, "-q").returncode == 0


def test_scenario(tmp_path):
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text("tiles:\n  1-2:\n    load: [{address: 0, words: [0x10002503, 0xfe050ee3, 0x10a02223, 0x00100073]}]\n"
                        "    brisc: {pc: 0}\nscript:\n  - release: [brisc]\n  - run: 100\n  - write: {address: 0x100, words: [9]}\n"
                        "  - until: {l1: 0x104, is: 9, limit: 1000}\n  - compare: {address: 0x104, words: [9]}\n")
    assert tensim.run(scenario).cycles > 100
    scenario.write_text(scenario.read_text().replace("words: [9]}\n  - until", "words: [8]}\n  - until"))
    with pytest.raises(tensim.Limit):
        tensim.run(scenario)
    with pytest.raises(tensim.UsageError):
        tensim.run(scenario, rows=3)


# --- failures ---

def test_hang():
    with pytest.raises(tensim.Hang) as caught:
        tensim.run(stuck())
    hang = caught.value
    assert hang.code == 2 and "buffer c_0" in hang.text
    assert "reader0.cpp:2" in hang.explanation and hang.graph["tiles"]
    assert "<pre>" in hang._repr_html_()


def test_wrong_result():
    with pytest.raises(tensim.Differs) as caught:
        tensim.run(copy(b={"expect": "a + column"}))
    assert caught.value.code == 1 and "b is not what" in caught.value.text
    assert (caught.value.result.tensors["b"][3] == 3).all() and not caught.value.result["tensors"]["b"]["right"]


FAILURES = [
    (lambda: tensim.matmul(m=33), tensim.UsageError, "33"),
    (lambda: tensim.matmul(colour=1), tensim.UsageError, "colour"),
    (lambda: tensim.matmul(cores="2x2", colour=1), tensim.UsageError, "colour"),
    (lambda: tensim.kernel("nothing"), tensim.UsageError, "no kernel 'nothing'"),
    (lambda: tensim.matmul(m=64, machine={"noc.hops": 1}), tensim.UsageError, "did you mean 'noc.hop'?"),
    (lambda: tensim.run("nothing"), tensim.SetupError, "no program of this name: all-gather"),
    (lambda: tensim.run("matmul", mm=1), tensim.UsageError, "mm=1"),
    (lambda: tensim.run(copy(), a=numpy.ones((3, 3))), tensim.SetupError, "3x3"),
    (lambda: tensim.run(copy(), a=7), tensim.SetupError, ".npy"),
    (lambda: tensim.run(copy(a={"colour": 1})), tensim.SetupError, "program.yaml:"),
    (lambda: tensim.run(copy(source="void kernel_main() {\nnothing(); }\n")), tensim.SetupError, "reader0.cpp:2"),
    (lambda: tensim.run(copy(), limit=1000), tensim.Limit, "1000"),
    (lambda: tensim.run(copy(source="#include <cstdint>\nvoid kernel_main() { *(volatile uint32_t *)0xffb90000 = 1; }\n")),
     tensim.ContractError, "store to unmapped address 0xffb90000"),
    (lambda: tensim.sweep("matmul", colour=[1, 2]), tensim.UsageError, "colour"),
    (lambda: tensim.Chip("p999"), tensim.SetupError, "p999"),
]


@pytest.mark.parametrize("number", range(len(FAILURES)))
def test_failures(number):
    call, kind, text = FAILURES[number]
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value) and caught.value.code == kind.code


def test_interrupt():
    def stop():
        os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer(0.2, stop)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        tensim.matmul(m=128, n=128, k=128, repeat=10000, timing_only=True, step_by_step=True)
    timer.join()


def test_threads():
    cycles = []
    runs = [threading.Thread(target=lambda: cycles.append(tensim.matmul(m=64, n=64, k=64).cycles)) for _ in range(2)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert len(set(cycles)) == 1 and len(cycles) == 2


# --- sweeps, reports, commands, chips ---

def test_cost(tmp_path):
    query = {"m": 32, "n": 32, "k": 64}
    alone = tensim.cost("llk/matmul", store=tmp_path, **query)
    assert alone["cycles"] == tensim.run("llk/matmul", **query).cycles
    rows = tensim.cost([{"operation": "llk/matmul", **query}, {"operation": "nothing"}], store=tmp_path)
    assert rows[0]["cycles"] == alone["cycles"] and rows[1]["code"] == 3
    with pytest.raises(tensim.SetupError, match="no parameter 'q'"):
        tensim.cost("llk/matmul", store=tmp_path, q=1)


def test_sweep(tmp_path):
    rows = tensim.sweep("matmul", m=64, n=64, k=64, format=["bf16", "bfp8"], out=tmp_path / "sweep")
    assert [row["format"] for row in rows] == ["bf16", "bfp8"] and all(row["cycles"] > 0 for row in rows)
    assert list(rows.frame()["format"]) == ["bf16", "bfp8"]
    assert "<table>" in rows._repr_html_() and os.path.exists(rows.path)


def test_report(small):
    report = small.report()
    assert "<iframe" in report._repr_html_()


def test_command():
    document = tensim.command("config", "--fixed")
    assert any(row["name"] == "dst.rows" for row in document["fixed"])
    with pytest.raises(tensim.UsageError):
        tensim.command("config", "--nonsense")


def test_chips():
    assert "p100" in tensim.chips() and "gemv" in tensim.programs()
    assert len(tensim.Chip("p100")["tensix"]) == 120


# --- tiles ---

def test_machine(tmp_path):
    source = tmp_path / "hello.c"
    source.write_text("void _start(void) { volatile int *l1 = (volatile int *)0x20000; l1[0] = l1[1] * l1[1]; for (;;) {} }")
    elf = str(tmp_path / "hello.elf")
    subprocess.run(["riscv64-unknown-elf-gcc", "-march=rv32im", "-mabi=ilp32", "-O2", "-nostdlib", "-Wl,-Ttext=0x4000", str(source), "-o", elf],
                   check=True, stderr=subprocess.DEVNULL)
    with tensim.Machine() as machine:
        machine.load("trisc0", elf)
        machine.write(0x20000, numpy.array([0, 12], dtype="i4"))
        machine.start("trisc0")
        assert machine.run_until(0x20000, 144) > 0
        machine.run()
        assert numpy.frombuffer(machine.read(0x20000, 8), dtype="i4").tolist() == [144, 12]
        assert machine.core("trisc0")["ended"] and machine.stats["units"]
        with pytest.raises(tensim.UsageError):
            machine.load("trisc7", elf)
    with tensim.Machine(chip="p150") as machine:
        machine.dram_write(3, 4096, b"abc")
        assert machine.dram_read(3, 4096, 3) == b"abc"


def test_system():
    first, second = tensim.run("chips-all-gather").by_chip
    assert (first.tensors["y"] == second.tensors["y"]).all()
    echo = os.path.join(os.path.dirname(os.path.realpath(tensim.library.PATH)), "guest", "echo.yaml")
    with tensim.Machine(scenario=echo) as m:
        assert m.chips == 2 and m.tiles == [(0, 1, 1), (1, 1, 1)]
        m.write(0x40000, b"over", tile="1/eth0")
        assert m.read(0x40000, 4, tile=(1, 1, 1)) == b"over" and m.read(0x40000, 4, tile="0/eth0") == bytes(4)
        m.dram_write(0, 0, b"here", chip=1)
        assert m.dram_read(0, 0, 4) == bytes(4)
        for tile in "0/eth0", "1/eth0":
            m.start("erisc0", tile=tile)
        m.run_until(0x18000, 0x600dd04e, tile="1/eth0", cycles=100000)
        assert m.read(0x1b400, 4, tile="1/eth0") == (0x600dda7a).to_bytes(4, "little")
        for tile in "2/eth0", (1, 5, 5), "1/eth7", "eth", (1,):
            with pytest.raises(tensim.UsageError):
                m.read(0, 4, tile=tile)
        with pytest.raises(tensim.UsageError):
            m.start("trisc0", tile="1/eth0")


def test_without_numpy():
    """Lists in, lists out."""
    code = "import sys; sys.modules['numpy'] = None; import tensim\n" \
           "r = tensim.run('matmul', m=32, n=32, k=32, cores='1x1', a=[[float(i == j) for j in range(32)] for i in range(32)])\n" \
           "assert type(r.tensors['c'][31][31]) is float and r.units"
    subprocess.run([sys.executable, "-c", code], check=True)
