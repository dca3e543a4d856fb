"""The module's declarations are those of platform/tensim.h."""
import ctypes
import os
import re

from tensim import library

HEADER = os.path.join(os.path.dirname(__file__), "..", "..", "platform", "tensim.h")
with open(HEADER, encoding="utf-8") as file:
    TEXT = re.sub(r"//[^\n]*", "", file.read())

STRUCTS = {"xy": library.XY, "error": library.Failure, "config": library.Config, "tensor": library.Tensor, "site": library.Site,
           "until": library.Until, "core_state": library.CoreState}
KINDS = {"uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64, "size_t": ctypes.c_size_t, "bool": ctypes.c_bool, "char*": ctypes.c_char_p,
         "FILE*": ctypes.c_void_p, "double": ctypes.c_double, "structtensim_xy": library.XY}


def fields(name):
    """(field, C type) of a struct of the header."""
    body = re.search(r"struct tensim_%s \{(.*?)\n\};" % name, TEXT, re.S).group(1)
    found = []
    for line in body.split(";"):
        line = " ".join(line.replace("const ", "").split())
        if line:
            kind, names = re.fullmatch(r"(struct \w+|enum \w+|\w+) (.*)", line).groups()
            for one in names.split(","):
                stars, field, length = re.fullmatch(r" ?(\**)(?:const )?\**(\w+)(?:\[(\d+)\])?", one).groups()
                found.append((field, kind.replace(" ", "") + "*" * one.count("*"), length))
                del stars
    return found


def test_structs():
    for name, struct in STRUCTS.items():
        rows = fields(name)
        assert [field for field, _, _ in rows] == [field for field, _ in struct._fields_], name
        for (field, kind, length), (_, own) in zip(rows, struct._fields_):
            if length:
                assert own._length_ == int(length), (name, field)
            elif kind.startswith("enum"):
                assert own is ctypes.c_int, (name, field)
            elif kind in KINDS:
                assert own is KINDS[kind], (name, field, kind)


def test_functions():
    known = dict(re.findall(r"TENSIM_API\s+[\w\s]+?\**(tensim_\w+)\(([^;]*)\);", TEXT, re.S))
    for name, (_, arguments) in library.FUNCTIONS.items():
        assert name in known, name
        depth = re.sub(r"\([^()]*\)", "", known[name])
        count = 0 if depth.strip() == "void" else depth.count(",") + 1
        assert count == len(arguments), name
        assert ("struct tensim_error *error" in known[name]) == (bool(arguments) and arguments[-1] is library.F), name
