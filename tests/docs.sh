#!/bin/sh
# The READMEs: every relative link and every `folder/path` of the tree exists, every `#heading`, and the first README stays
# short.
# Usage: docs.sh SOURCE_DIR
set -eu
cd "$1"
bad=0
lines=$(wc -l < README.md)
[ "$lines" -le 130 ] || { echo "README.md: $lines lines; move details to the README of a folder"; bad=1; }
for file in $(git ls-files '*.md' 2> /dev/null || find . -name '*.md' -not -path './build/*'); do
    folder=$(dirname "$file")
    for path in $(grep -oE '`(config|platform|tests|cores|units|noc)/[A-Za-z0-9_./-]+`' "$file" | tr -d '`'); do
        case $path in *NAME*) continue ;; esac
        [ -e "$path" ] || { echo "$file: $path: no such file"; bad=1; }
    done
    for link in $(grep -oE '\]\([^)]*\)|src="[^"]*"' "$file" | sed 's/^](//; s/)$//; s/^src="//; s/"$//'); do
        case $link in http*) continue ;; esac
        path=${link%%#*}
        target=$file
        [ -z "$path" ] || target=$folder/$path
        [ -e "$target" ] || { echo "$file: link to $link: no such file"; bad=1; continue; }
        case $link in *'#'*) ;; *) continue ;; esac
        sed -n 's/^#* //p' "$target" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9\n-' | grep -qx -- "${link#*#}" ||
            { echo "$file: link to $link: no such heading"; bad=1; }
    done
done
exit $bad
