"""Arrays in and out: NumPy's where it is installed, lists otherwise."""
import array
import struct

try:
    import numpy
except ImportError:
    numpy = None


def is_array(value):
    """Is it the contents of a tensor, and not a parameter?"""
    return hasattr(value, "__array__") or isinstance(value, (array.array, memoryview)) or (
        isinstance(value, (list, tuple)) and bool(value) and isinstance(value[0], (list, tuple)))


def _flat(value):
    """Shape and elements of nested sequences."""
    if not hasattr(value, "__len__"):
        return (), [float(value)]
    parts = [_flat(part) for part in value]
    if len({shape for shape, _ in parts}) > 1:
        raise ValueError("the rows of an array have the same length")
    return (len(parts),) + (parts[0][0] if parts else ()), [x for _, part in parts for x in part]


def save(path, value):
    """Writes an .npy file, which tensim reads."""
    if numpy is not None:
        value = numpy.asarray(value)
        if value.dtype == bool or value.dtype.kind not in "fiu" or value.dtype.itemsize > 8:
            value = value.astype("f8")
        numpy.save(path, numpy.ascontiguousarray(value))
        return
    shape, values = _flat(value)
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }" % (shape,)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<%dd" % len(values), *values))


def _nested(values, shape):
    if len(shape) == 1:
        return values
    step = len(values) // shape[0]
    return [_nested(values[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])]


def result(values, shape, integers):
    """A tensor of the chip: `values` is a ctypes array of doubles."""
    if numpy is not None:
        return numpy.frombuffer(values, dtype="f8").reshape(shape).astype("i8" if integers else "f4")
    return _nested([int(x) if integers else x for x in values], shape)


def raw(data):
    """The bytes of an array or of anything like bytes."""
    return data.tobytes() if hasattr(data, "tobytes") else bytes(data)
