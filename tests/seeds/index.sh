#!/bin/bash
# Walks config/seeds/index.tsv: every row is shown where it says, a difference is on the page, and the page has no other.
# Usage: index.sh TENSIM
set -eu
tensim=$(readlink -f "$1")
cd "$(dirname "$0")/../.."
unset TT_MM_THROTTLE_PERF
index=config/seeds/index.tsv page=config/seeds/README.md
out=$(mktemp)
trap 'rm -f "$out"' EXIT
bad=0 rows=0
complain() { echo "$index:$line: $*"; bad=1; }
# Rows of the page: "000 FPU vs SFPU".
on_page=$(awk '/^## 0/ { document = substr($2, 1, 3) } document && /^\| / { split($0, c, " [|] "); sub(/^[|] /, "", c[1]); print document " " c[1] }' $page)
show() { # what the last column says
    local text=$1 want=
    case $text in
    "listing "*) [ -f "tests/seeds/listings/${text#listing }.cpp" ] || complain "no listing '${text#listing }'" ;;
    "step "*) [ -f "config/step/${text#step }.yaml" ] || complain "no program '${text#step }'" ;;
    "test "*)
        read -r _ file want <<< "$text"
        grep -qF -- "$want" "$file" 2> /dev/null || complain "'$want' is not in $file"
        ;;
    "run "*)
        want=${text#* => } text=${text% => *}
        "$tensim" ${text#run } > "$out" 2>&1 || true
        grep -qF -- "$want" "$out" || complain "tensim ${text#run } does not print '$want'"
        ;;
    *) complain "not listing, step, run or test: '$text'" ;;
    esac
}
line=0
while IFS=$'\t' read -r document section kind what verdict row shown; do
    line=$((line + 1))
    case $document in \#* | document) continue ;; esac
    rows=$((rows + 1))
    [[ $document == 00[0-3] && -n $section && -n $kind && -n $what && -n $shown ]] || complain "seven columns, documents 000 to 003"
    case $verdict in
    same) [ "$row" = - ] || complain "the same, but with a row of the page" ;;
    different) grep -qxF -- "$document $row" <<< "$on_page" || complain "$page has no row '$row' of $document" ;;
    *) complain "verdict '$verdict'" ;;
    esac
    show "$shown"
done < $index
# And every difference of the page has an example in the index.
while read -r document row; do
    [ "$row" != section ] || continue
    awk -F'\t' -v d="$document" -v r="$row" '$1 == d && $6 == r { found = 1 } END { exit !found }' $index ||
        { echo "$page: '$row' of $document is not in the index"; bad=1; }
done <<< "$on_page"
[ $rows -ge 130 ] || { echo "$rows rows"; bad=1; }
[ $bad -eq 0 ] && echo "$rows rows, $(grep -c $'\tdifferent\t' $index) different"
exit $bad
