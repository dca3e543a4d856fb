# Small programs with a mistake and without it (pairs.sh). Read by other scripts.

# small_programs SOURCE_DIR FOLDER: those of pairs/ and of cases.txt, one file each
small_programs()
{
    mkdir "$2"
    cp "$1"/tests/sanitize/pairs/*.yaml "$2"
    awk -v to="$2/" '
        /^# / && !name { next }
        /^@/ && !name { macro = $1; next }
        /^=== / { name = to $2 ".yaml"; next }
        !name { steps[macro] = steps[macro] $0 "\n"; next }
        /^@/ { printf "%s", steps[$1] > name; next }
        { print > name }' "$1/tests/sanitize/cases.txt"
}

# small_version VERSION FILE: the racy (+) or the repaired (-) program without the other's lines
small_version()
{
    sed "/#[$1]\$/s/.*//" "$2"
}
