"""Every kind of document is as its JSON Schema says, and the schemas are as the tables say.
Usage: schema.py TENSIM SOURCE_DIR, or schema.py FILE.json...: these documents alone"""
import json
import os
import subprocess
import sys
import tempfile

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TENSIM = os.path.abspath(sys.argv[1])
KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
# schema: command; its documents are those of -o.
RUNS = [
    "matmul -M 64 -N 64 -K 64",
    "matmul -M 64 -N 64 -K 64 --grid 2x1 --throttle 3",
    "matmul -M 64 -N 64 -K 64 --timing-only --why --no-advice",
    "sfpu -O gelu -M 64 -N 64 --run-type math_isolate",
    "run eltwise -p rows=64 -p columns=64 --lines --check",
    "run gemv -p n=128 -p k=256 -p cores=4x2 --activity",
    "run chips-all-gather",
    "hang GALLERY/g01-lost-semget.yaml",
    "step config/step/elwsub.yaml",
    "pipe config/pipes/seed-01-dir-c2v.yaml",
    "sweep matmul m=32,64 n=32 k=32 fidelity=lofi,hifi4",
    "sweep config/programs/eltwise/program.yaml rows=64 columns=64 cores=1x1,2x1",
    "compare DIR/0 DIR/1",
    "run tests/job/sequence.yaml",
    "explore config/explore/g01-lost-semget.yaml",
    "run --explore config/pipes/seed-01-dir-c2v.yaml",
    "cost llk/matmul 32x32x32 lofi",
    "tune eltwise rows=64 columns=64 --budget 2",
    "run tests/chip/workloads/mixed.json",
    "run --power DIR/5/result.json",
]
ALONE = ("explore", "--explore", "cost", "tune", "--power")  # their document is --json


def fits(value, kind):
    if kind in ("integer", "number"):
        return isinstance(value, int if kind == "integer" else (int, float)) and not isinstance(value, bool)
    return isinstance(value, KINDS[kind])


def errors(document, schema, at=""):
    """What is not as the schema says."""
    known = schema["properties"]
    for name in schema["required"]:
        if name not in document:
            yield f"{at}{name} is missing"
    for name, value in document.items():
        rule = known.get(name, schema["additionalProperties"])
        if not rule:
            yield f"{at}{name} is not in the schema"
            continue
        kinds = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
        if not any(fits(value, kind) for kind in kinds):
            yield f"{at}{name} is {type(value).__name__}, not {' or '.join(kinds)}"
        elif "items" in rule:
            for number, element in enumerate(value):
                yield from errors(element, rule["items"], f"{at}{name}/{number}/")
        elif "properties" in rule:
            yield from errors(value, rule, f"{at}{name}/")


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def kind_of(document):
    return document.get("schema", "").partition(".")[2].replace(".", "_") if isinstance(document, dict) else ""


def check(paths):
    """These documents alone."""
    wrong = 0
    for path in paths:
        document = read(path)
        for text in errors(document, read(os.path.join(TREE, "config/schema", kind_of(document) + ".json"))):
            print(f"FAILED: {path}: {text}")
            wrong = 1
    return wrong


def main():
    if TENSIM.endswith(".json"):
        return check(sys.argv[1:])
    wrong = subprocess.run([os.path.join(TREE, "config/make-schema"), "--check"], check=False).returncode
    schemas = {name[:-5]: read(os.path.join(TREE, "config/schema", name)) for name in os.listdir(os.path.join(TREE, "config/schema"))}
    seen = set()
    with tempfile.TemporaryDirectory() as folder:
        for number, command in enumerate(RUNS):
            out = os.path.join(folder, str(number))
            words = command.replace("GALLERY", "config/gallery").replace("DIR", folder).split()
            alone = any(word in ALONE for word in words[:2])
            told = ["--json", out + ".json"] if alone else ["-o", out]
            done = subprocess.run([TENSIM, *words, "-q", *told], cwd=TREE, capture_output=True, text=True, check=False)
            paths = [out + ".json"] if alone else [os.path.join(out, name)
                                                   for name in sorted(os.listdir(out) if os.path.isdir(out) else []) if name.endswith(".json")]
            if not paths:
                print(f"FAILED: tensim {command}: no document; {done.stderr}")
                wrong = 1
            for path in paths:
                document = read(path)
                kind = kind_of(document)
                if os.path.basename(path) in ("drawing.json", "noc_trace.json") or kind not in schemas:
                    continue
                seen.add(kind)
                for text in errors(document, schemas[kind]):
                    print(f"FAILED: tensim {command}: {os.path.basename(path)}: {text}")
                    wrong = 1
    for kind in sorted(set(schemas) - seen - {"silicon", "host", "live"}):  # their tests have documents
        print(f"FAILED: no run wrote a tensim.{kind}")
        wrong = 1
    return wrong


sys.exit(main())
