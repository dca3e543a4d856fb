#!/bin/sh
# Cards and model agree: all rows of the truth table; every family keeps its bars, every row that is off has a cause, no
# figure beats a documented bound, and the READMEs agree with a fresh run. A sample of the rows judges no bars and no
# README; that its figures are those of all rows is what golden_cycles says.
# Usage: table.sh DIR SOURCE, after run.sh in DIR
set -eu
dir=$1 source=$2
if [ "$(cat "$dir/exit")" != 0 ]; then
    cat "$dir/text"
    exit 1
fi
if [ "$(cat "$dir/every")" != 1 ]; then
    echo "sample of the rows: bars and READMEs are not judged; all: tests/run --all"
    exit 0
fi
bad=0
# check README MARK FAMILIES: the table between the marks of a README may lag behind by new rows, by half a point of the
# median and by one of the 90th percentile. The sentence below it is that of the fresh run.
check() {
    sed -n "/<!-- $2:begin/,/<!-- $2:end/p" "$source/$1" > "$dir/readme"
    awk -F'|' -v readme="$1" -v least="$3" '
    function number(text) { gsub(/[^0-9.+-]/, "", text); return text + 0 }
    FNR == 1 { file++ }
    / are re-created / { sentence[file] = $0 }
    /^\|.*%/ {
        name = $2
        sub(/:.*/, "", name)
        rows[file, name] = number($3); median[file, name] = number($4); p90[file, name] = number($5)
        names[name] = 1
        count[file]++
    }
    function complain(text) { print readme ": " text; bad = 1 }
    END {
        for (name in names) {
            if (!((1, name) in rows)) { if (least > 1) complain("no family" name); continue }
            if (!((2, name) in rows)) { complain("has the family" name ", which is not there"); continue }
            if (rows[1, name] > rows[2, name]) complain("has " rows[1, name] " rows of" name ", there are " rows[2, name])
            if (median[2, name] > median[1, name] + 0.5) complain("median of" name median[1, name] " %, now " median[2, name])
            if (p90[2, name] > p90[1, name] + 1) complain("p90 of" name p90[1, name] " %, now " p90[2, name])
        }
        if (count[1] < least) complain("has no table")
        if (sentence[1] == "" || sentence[1] != sentence[2]) complain("should say: " sentence[2])
        if (bad) print "run: tensim silicon -j2 --write=readme:" readme
        exit bad
    }' "$dir/readme" "$dir/families.md" || bad=1
}
check platform/study/silicon/README.md silicon 5
check README.md silicon-summary 1
exit $bad
