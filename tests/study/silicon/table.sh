#!/bin/sh
# Cards and model agree: all rows of the truth table; every family keeps its bars, every row that is off has a cause, no
# figure beats a documented bound, and the README says what a fresh run says. Sanitised builds judge no bars.
# Usage: table.sh DIR README SANITIZER, after run.sh in DIR
set -eu
dir=$1 readme=$2
if [ "$(cat "$dir/exit")" != 0 ]; then
    cat "$dir/text"
    exit 1
fi
[ -z "${3:-}" ] || exit 0
# The README may lag behind by new rows and by half a point of the median, one of the 90th percentile.
sed -n '/silicon:begin/,/silicon:end/p' "$readme" | awk -F'|' '
function number(text) { gsub(/[^0-9.+-]/, "", text); return text + 0 }
FNR == 1 { file++ }
/^\|.*%/ {
    name = $2
    sub(/:.*/, "", name)
    rows[file, name] = number($3); median[file, name] = number($4); p90[file, name] = number($5)
    names[name] = 1
}
END {
    for (name in names) {
        if (!((1, name) in rows)) { print "README does not have the family" name; bad = 1; continue }
        if (!((2, name) in rows)) { print "README has the family" name ", which is not there"; bad = 1; continue }
        if (rows[1, name] > rows[2, name]) { print name ": README has " rows[1, name] " rows, there are " rows[2, name]; bad = 1 }
        if (median[2, name] > median[1, name] + 0.5) { print name ": median " median[2, name] " %, README " median[1, name] " %"; bad = 1 }
        if (p90[2, name] > p90[1, name] + 1) { print name ": p90 " p90[2, name] " %, README " p90[1, name] " %"; bad = 1 }
    }
    if (length(names) < 5) { print "found no table in the README"; bad = 1 }
    if (bad) print "run: tensim silicon -j2 --readme README.md"
    exit bad
}' - "$dir/families.md"
