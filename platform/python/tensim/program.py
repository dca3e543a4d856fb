"""Programs that are built in Python: a program file is written, with the kernels next to it."""
import hashlib
import json
import os
import re
import tempfile

from . import arrays

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")


def _yaml(value):
    """Flow style. A single name stays without quotes: in `defines` it is the value of a parameter."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{%s}" % ", ".join("%s: %s" % (_yaml(key), _yaml(part)) for key, part in value.items())
    if isinstance(value, (list, tuple)):
        return "[%s]" % ", ".join(map(_yaml, value))
    if isinstance(value, str):
        return value if PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)
    return repr(value.item() if hasattr(value, "item") else value)


def _cached(name, source):
    """A place for a kernel that depends on its text alone: the same text is compiled once."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = os.path.join(os.path.abspath(cache), "tensim", "python", hashlib.sha256(source.encode()).hexdigest()[:16])
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, name)


def _put(path, text):
    """Writes a file at once: others may read it meanwhile."""
    with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(path), encoding="utf-8", delete=False) as file:
        file.write(text)
    os.replace(file.name, path)


class Program:
    """A program of kernels for tt-metal's kernel API: the keys of a program file (platform/run/plan/README.md) as arguments.

    Program(cores="2x1", params={"tiles": 8}, tensors={"a": {"shape": [32, "tiles * 32"], "fill": "normal(0, 1)"}, ...},
            buffers=[...], kernels=[{"source": CODE_OR_FILE, "on": "reader", "args": ["a"]}, ...])

    A `source` of several lines is the code itself. `fill` and `expect` of tensors may be arrays. `folder`: where the files go, kept;
    otherwise they are deleted with the object, but for the kernels, which stay in the cache with their images."""

    def __init__(self, kernels, folder=None, **keys):
        self._temporary = tempfile.TemporaryDirectory(prefix="tensim-") if folder is None else None
        self.folder = os.path.abspath(folder or self._temporary.name)
        self.path = os.path.join(self.folder, "program.yaml")
        os.makedirs(self.folder, exist_ok=True)
        keys = {**keys, "kernels": [self._kernel(dict(kernel), number) for number, kernel in enumerate(kernels)]}
        if "tensors" in keys:
            keys["tensors"] = {name: self._tensor(name, tensor) for name, tensor in keys["tensors"].items()}
        with open(self.path, "w", encoding="utf-8") as file:
            for key, value in keys.items():
                self._write(file, key, value)

    @staticmethod
    def _write(file, key, value):
        """A line for each part, so that messages name it."""
        if isinstance(value, dict) and value:
            file.write("%s:\n" % key + "".join("    %s: %s\n" % (_yaml(name), _yaml(part)) for name, part in value.items()))
        elif isinstance(value, (list, tuple)) and value:
            file.write("%s:\n" % key + "".join("    - %s\n" % _yaml(part) for part in value))
        else:
            file.write("%s: %s\n" % (key, _yaml(value)))

    def _kernel(self, kernel, number):
        source = kernel.get("source", "")
        if "\n" in source:
            name = "%s%d.cpp" % (kernel.get("on", "kernel"), number)
            kernel["source"] = name if self._temporary is None else _cached(name, source)
            _put(os.path.join(self.folder, kernel["source"]), source)
        elif source:
            kernel["source"] = os.path.abspath(source)
        return kernel

    def _tensor(self, name, tensor):
        tensor = dict(tensor)
        for key in ("fill", "expect"):
            if arrays.is_array(tensor.get(key)):
                file = "%s.%s.npy" % (name, key)
                arrays.save(os.path.join(self.folder, file), tensor[key])
                tensor["file" if key == "fill" else key] = file
                if key == "fill":
                    del tensor[key]
        return tensor

    def __repr__(self):
        return "<tensim.Program: %s>" % self.path

    def _repr_html_(self):
        from html import escape
        with open(self.path, encoding="utf-8") as file:
            return "<pre>%s</pre>" % escape(file.read())
