"""The examples of platform/python/README.md: they run, and have less than ten lines each."""
import os
import re

README = os.path.join(os.path.dirname(__file__), "..", "..", "platform", "python", "README.md")


def test_examples(capsys):
    with open(README, encoding="utf-8") as file:
        matmul, hang = re.findall(r"```python\n(.*?)```", file.read(), re.S)
    for example in (matmul, hang):
        assert len(example.strip().split("\n")) < 10
    exec(matmul, {})
    cycles, _, error = capsys.readouterr().out.split()
    assert int(cycles) > 1000 and float(error) < 1
    exec(hang, {})
    assert "ncrisc polls for pages in circular buffer c_0" in capsys.readouterr().out
