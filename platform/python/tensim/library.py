"""libtensim by ctypes: platform/tensim.h, and where library and program are."""
import ctypes
import os
import shutil
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double, c_int, c_long, c_size_t, c_uint32,
                    c_uint64, c_void_p)

from .errors import Error, failure

# --- structs, in the order of the header (tests/python/test_header.py compares them) ---


class XY(Structure):
    _fields_ = [("x", c_uint32), ("y", c_uint32)]


class Failure(Structure):
    _fields_ = [("code", c_int), ("text", c_char * 500)]


class Config(Structure):
    _fields_ = [
        ("chip", c_char_p), ("system", c_char_p), ("tiles", POINTER(XY)), ("tile_count", c_size_t), ("complete", c_bool), ("params", c_char_p),
        ("settings", POINTER(c_char_p)), ("setting_count", c_size_t), ("threads", c_uint32), ("timing_only", c_bool),
        ("strict", c_bool), ("lints", c_char_p), ("step_by_step", c_bool), ("lines", c_bool), ("no_hang_check", c_bool),
        ("check", c_char_p), ("perturb_seed", c_uint64), ("perturb_max", c_uint32), ("perturb_holds", c_char_p),
        ("print", c_bool), ("sources", c_char_p), ("output", c_void_p), ("no_expect", c_bool),
        ("allow", c_char_p), ("hosting", c_void_p)]


class Tensor(Structure):
    _fields_ = [("name", c_char_p), ("format", c_char_p), ("shape", c_uint32 * 8), ("dimensions", c_uint32), ("integers", c_bool),
                ("filled", c_bool), ("checked", c_bool), ("right", c_bool)]


class Site(Structure):
    _fields_ = [("kind", c_int), ("name", c_char_p), ("index", c_uint32)]


class Until(Structure):
    _fields_ = [("tile", XY), ("address", c_uint32), ("value", c_uint32), ("mask", c_uint32), ("cycles", c_uint64),
                ("written", c_bool)]


class CoreState(Structure):
    _fields_ = [("pc", c_uint32), ("x", c_uint32 * 32), ("instructions", c_uint64), ("cycle", c_uint64), ("held", c_bool),
                ("paused", c_bool), ("ended", c_bool), ("halted", c_bool)]


FOREVER = 2**64 - 1
CORES = ("brisc", "trisc0", "trisc1", "trisc2", "ncrisc")
LOOK = CFUNCTYPE(None, c_void_p)

# --- functions: name: result, arguments. `F`: the last argument is the failure, which becomes an exception ---

F = POINTER(Failure)
SETTINGS = [c_char_p, POINTER(c_char_p), c_size_t, POINTER(Config), F]
FUNCTIONS = {
    "tensim_version": (c_char_p, []),
    "tensim_code_name": (c_char_p, [c_int]),
    "tensim_path": (c_size_t, [c_char_p, c_char_p, c_size_t]),
    "tensim_is_program": (c_bool, [c_char_p]),
    "tensim_config_init": (None, [POINTER(Config)]),
    "tensim_new": (c_void_p, [POINTER(Config), F]),
    "tensim_new_scenario": (c_void_p, [c_char_p, POINTER(Config), F]),
    "tensim_new_kernel": (c_void_p, SETTINGS),
    "tensim_new_program": (c_void_p, SETTINGS),
    "tensim_free": (None, [c_void_p]),
    "tensim_chips": (c_uint32, [c_void_p]),
    "tensim_choose_chip": (c_int, [c_void_p, c_uint32, F]),
    "tensim_eth": (c_int, [c_void_p, c_uint32, POINTER(XY), F]),
    "tensim_tiles": (c_size_t, [c_void_p, POINTER(XY), c_size_t]),
    "tensim_load_elf": (c_int, [c_void_p, XY, c_int, c_char_p, F]),
    "tensim_load_file": (c_int, [c_void_p, XY, c_uint32, c_char_p, F]),
    "tensim_set_start": (c_int, [c_void_p, XY, c_int, c_uint32, F]),
    "tensim_start": (c_int, [c_void_p, XY, c_int, F]),
    "tensim_hold": (c_int, [c_void_p, XY, c_int, F]),
    "tensim_read": (c_int, [c_void_p, XY, c_uint32, c_void_p, c_size_t, F]),
    "tensim_write": (c_int, [c_void_p, XY, c_uint32, c_char_p, c_size_t, F]),
    "tensim_dram_read": (c_int, [c_void_p, c_uint32, c_uint64, c_void_p, c_size_t, F]),
    "tensim_dram_write": (c_int, [c_void_p, c_uint32, c_uint64, c_char_p, c_size_t, F]),
    "tensim_site": (c_int, [c_void_p, XY, POINTER(Site), F]),
    "tensim_core_read": (c_int, [c_void_p, XY, c_int, POINTER(CoreState), F]),
    "tensim_run": (c_int, [c_void_p, c_uint64, F]),
    "tensim_run_for": (c_int, [c_void_p, c_uint64, F]),
    "tensim_run_until": (c_int, [c_void_p, POINTER(Until), POINTER(c_uint64), F]),
    "tensim_cycle": (c_uint64, [c_void_p]),
    "tensim_interrupt": (None, [c_void_p, c_int]),
    "tensim_on_progress": (None, [c_void_p, LOOK, c_void_p]),
    "tensim_tensors": (c_size_t, [c_void_p, POINTER(Tensor), c_size_t]),
    "tensim_tensor_read": (c_int, [c_void_p, c_char_p, POINTER(c_double), c_size_t, F]),
    "tensim_json": (c_void_p, [c_void_p, c_char_p, F]),
    "tensim_hang_text": (c_void_p, [c_void_p, F]),
    "tensim_prints_text": (c_void_p, [c_void_p, F]),
    "tensim_text_free": (None, [c_void_p]),
}


def _parents(path):
    while path != os.path.dirname(path):
        path = os.path.dirname(path)
        yield path


def _find_library():
    """Of a build folder or of the prefix that this module is installed in: the first one up the tree."""
    for folder in _parents(os.path.abspath(__file__)):
        names = [folder] + sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith("-linux-gnu"))
        for name in names:
            path = os.path.join(name, "libtensim.so.0")
            if os.path.exists(path):
                return path
    return "libtensim.so.0"  # of the system


def _load():
    path = os.environ.get("TENSIM_LIBRARY") or _find_library()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError("%s: build tensim (cmake --build --preset release), or name the library in TENSIM_LIBRARY" % error) from None
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return path, library


PATH, _library = _load()


def call(name, *arguments):
    """A function of the library. A failure is an exception."""
    result, kinds = FUNCTIONS[name]
    if not kinds or kinds[-1] is not F:
        return getattr(_library, name)(*arguments)
    error = Failure()
    value = getattr(_library, name)(*arguments, byref(error))
    if (result is c_int and value != 0) or (result is c_void_p and not value):
        raise failure(error.code, error.text.decode(errors="replace"))
    return value


def text(name, *arguments):
    """A text that the library made."""
    pointer = call(name, *arguments)
    try:
        return ctypes.string_at(pointer).decode(errors="replace")
    finally:
        _library.tensim_text_free(pointer)


def path(file):
    """Where a file or folder of the configuration lies, "chips/p150.yaml"."""
    room = ctypes.create_string_buffer(4096)
    _library.tensim_path(file.encode(), room, len(room))
    return os.fsdecode(room.value)


def program():
    """The tensim program: the one that was built or installed with the library."""
    for folder in _parents(os.path.abspath(PATH)):
        for name in (os.path.join(folder, "tensim"), os.path.join(folder, "bin", "tensim")):
            if os.path.isfile(name) and os.access(name, os.X_OK):
                return name
    found = shutil.which("tensim")
    if found is None:
        raise Error("the program tensim is not next to %s, nor on PATH" % PATH, 3)
    return found


class Notes:
    """A stream of C in memory, for what the library prints: messages of the compiler, a scenario's script."""

    _libc = ctypes.CDLL(None)
    _libc.open_memstream.restype = c_void_p
    _libc.open_memstream.argtypes = [POINTER(c_void_p), POINTER(c_size_t)]
    _libc.fflush.argtypes = _libc.fclose.argtypes = _libc.free.argtypes = [c_void_p]

    def __init__(self):
        self._text, self._size = c_void_p(), c_size_t()
        self.stream = self._libc.open_memstream(byref(self._text), byref(self._size))

    def text(self):
        """What was printed so far."""
        self._libc.fflush(self.stream)
        return ctypes.string_at(self._text, self._size.value).decode(errors="replace")

    def close(self):
        self._libc.fclose(self.stream)
        self._libc.free(self._text)
