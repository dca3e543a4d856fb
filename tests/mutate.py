"""Bytes with a few mistakes in them, for tests that send what nobody should: a byte changed, a piece put in, cut out or said again."""


def mutate(draw, data, pieces):
    data = bytearray(data)
    for _ in range(draw.randrange(1, 6)):
        at = draw.randrange(len(data) + 1)
        kind = draw.randrange(5)
        if kind == 0 and data:
            data[at % len(data)] = draw.randrange(256)
        elif kind == 1:
            data[at:at] = draw.choice([*pieces, b"\0", b"A" * draw.randrange(9000)])
        elif kind == 2:
            del data[at:at + draw.randrange(1, 40)]
        elif kind == 3:
            data[at:at] = data[at:at + draw.randrange(1, 60)] * draw.randrange(1, 4)
        elif data:
            data[at % len(data)] ^= 1 << draw.randrange(8)
    return bytes(data)
