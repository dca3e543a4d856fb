#!/bin/sh
# The first shape of the published matmuls: in the order of a card, and a document as its schema says. Usage: anchors.sh TENSIM
set -eu
file=$(mktemp --suffix=.json)
trap 'rm -f "$file"' EXIT
"$1" silicon gemm 1 --json "$file"
python3 -B "$(dirname "$0")/../../out/schema.py" "$file"
