"""The example notebook: its cells run in order, and show what they showed when it was saved, but for numbers.
TENSIM_WRITE_NOTEBOOK=1 tests/python/run BUILD -k notebook saves the outputs of today."""
import ast
import json
import os
import re

import pytest

NOTEBOOK = os.path.join(os.path.dirname(__file__), "..", "..", "platform", "python", "example.ipynb")
NUMBERS = re.compile(r"/tmp/tensim-\w+|\d[\d.]*(e[+-]\d+)?")


def text_of(cell):
    return "".join(cell["source"])


def run_cell(source, names):
    """What the cell prints, and the value of its last line, as a notebook shows them."""
    tree = ast.parse(source)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(last, "cell", "eval"), names) if last else None


def outputs_of(cell, capsys, names):
    value = run_cell(text_of(cell), names)
    found = []
    printed = capsys.readouterr().out
    if printed:
        found.append({"name": "stdout", "output_type": "stream", "text": printed})
    if value is not None:
        data = {"text/plain": repr(value)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_()
        found.append({"data": data, "output_type": "execute_result"})
    return found


def plain(output):
    """The text of an output: HTML if there is any."""
    data = output.get("data", {})
    return NUMBERS.sub("#", "".join(output.get("text", "")) + "".join(data.get("text/html", data.get("text/plain", ""))))


def test_notebook(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open(NOTEBOOK, encoding="utf-8") as file:
        notebook = json.load(file)
    names, number = {}, 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        found = outputs_of(cell, capsys, names)
        number += 1
        if os.environ.get("TENSIM_WRITE_NOTEBOOK"):
            for output in found:
                if output["output_type"] == "execute_result":
                    output.update(execution_count=number, metadata={})
            cell.update(outputs=found, execution_count=number)
        else:
            assert [plain(output) for output in found] == [plain(output) for output in cell["outputs"]], text_of(cell)
    if os.environ.get("TENSIM_WRITE_NOTEBOOK"):
        with open(NOTEBOOK, "w", encoding="utf-8") as file:
            json.dump(notebook, file, indent=1, ensure_ascii=False)
            file.write("\n")
        pytest.skip("written")
    assert number >= 6
