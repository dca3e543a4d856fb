#!/bin/sh
# The first shape of the published matmuls over a grid: at most 8 points of utilisation off, its formats in the order of a card, and a
# document as its schema says. Usage: anchors.sh TENSIM
set -eu
file=$(mktemp --suffix=.json)
trap 'rm -f "$file"' EXIT
"$1" silicon G0001 --json "$file"
python3 -B "$(dirname "$0")/../../out/schema.py" "$file"
python3 - "$file" << 'END'
import itertools, json, sys
rows = json.load(open(sys.argv[1]))["rows"]
assert len(rows) == 5, rows
for row in rows:
    assert abs(row["simulated"] - row["measured"]) <= 8, row
for a, b in itertools.combinations(rows, 2):
    assert (a["simulated"] - b["simulated"]) * (a["measured"] - b["measured"]) >= 0, (a, b)
END
