#!/bin/sh
# Makes the manual pages and the completions of bash and zsh from the program's own --help: one text for all.
# Usage: manual.sh TENSIM DIR, which gets man1/tensim.1, man1/tensim-COMMAND.1, bash/tensim and zsh/_tensim.
set -eu
LC_ALL=C
tensim=$1
dir=$2
version=$("$tensim" --version)
mkdir -p "$dir/man1" "$dir/bash" "$dir/zsh"
export ARGP_HELP_FMT=rmargin=2000 # an option, a line
export ASAN_OPTIONS=detect_leaks=0 # a search for leaks takes seconds at every exit
# Lines "command<tab>what it does".
commands=$("$tensim" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) *\(.*\)/\1\t\2/p')
programs=$("$tensim" --help | sed -n 's/^Programs by name: //p' | tr ' ' '\n' | sed 's/$/\trun this program/')
tab=$(printf '\t')

# --- manual pages ---

# --help to roff: usage, what it does, options under their headings, notes.
page() {
    awk -v name="$1" -v text="$2" -v version="$version" '
    function safe(s) {
        gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s)
        return s ~ /^[.\x27]/ ? "\\&" s : s
    }
    function section(title) { print ".SH " title }
    BEGIN {
        print ".TH " toupper(name) " 1 \"\" \"" version "\" \"User Commands\""
        section("NAME"); print safe(name) " \\- " safe(text)
    }
    NR == 1 { section("SYNOPSIS"); sub(/^Usage: /, ""); print ".B " safe($0); section("DESCRIPTION"); next }
    /^ +(-.*, )?--?[a-zA-Z?]/ {
        if (!options++) section("OPTIONS")
        sub(/^ +/, "")
        at = match($0, /  +/)
        print ".TP\n.B " safe(at ? substr($0, 1, at - 1) : $0)
        print at ? safe(substr($0, at + RLENGTH)) : "\\&"
        next
    }
    /^ [A-Z]/ { if (!options++) section("OPTIONS"); print ".SS " safe(substr($0, 2)); next }
    /^Mandatory or optional/ { print ".PP"; print safe($0); next }
    /^Exit codes:/ { section("EXIT STATUS"); sub(/^Exit codes: */, ""); print safe($0); next }
    /^Commands:/ { section("COMMANDS"); listing = 1; next }
    listing && /^  [a-z]/ { print ".TP\n.BR " safe(name "-" $1) " (1)"; $1 = ""; print safe(substr($0, 2)); next }
    /^$/ { blank = 1; next }
    { if (blank && options && !notes++) section("NOTES"); else if (blank) print ".PP"; blank = 0; sub(/^ +/, ""); print safe($0) }
    END { if (name != "tensim") { section("SEE ALSO"); print ".BR tensim (1)" } }'
}

"$tensim" --help | page tensim "model of the Blackhole Tensix tile and chip" >"$dir/man1/tensim.1"
echo "$commands" | while IFS=$tab read -r command text; do
    "$tensim" "$command" --help | page "tensim-$command" "$text" >"$dir/man1/tensim-$command.1"
done

# --- completions ---

# Lines "option argument text" of a command, tabs between them; argument empty: it has none.
options() {
    "$tensim" "$1" --help | awk '
    /^ +(-.*, )?--[a-z]/ {
        sub(/^ +/, "")
        at = match($0, /  +/)
        text = at ? substr($0, at + RLENGTH) : ""
        spec = at ? substr($0, 1, at - 1) : $0
        sub(/^-., /, "", spec)
        argument = spec
        if (!sub(/^[^=]*=/, "", argument)) argument = ""
        sub(/\[?=.*/, "", spec)
        sub(/\]$/, "", argument)
        print spec "\t" argument "\t" text
    }'
}

{
    echo "# bash completion of tensim; made from its --help"
    echo "_tensim() {"
    echo '    local word=${COMP_WORDS[COMP_CWORD]} options='
    echo '    if [[ $COMP_CWORD -eq 1 ]]; then'
    echo "        COMPREPLY=(\$(compgen -W \"$(printf '%s\n' "$commands" "$programs" | cut -f1 | tr '\n' ' ')--help --version\" -- \"\$word\"))"
    echo "        return"
    echo "    fi"
    echo '    case ${COMP_WORDS[1]} in'
    printf '%s\n' "$commands" "$programs" | while IFS=$tab read -r command text; do
        echo "    $command) options=\"$(options "$command" | awk -F'\t' '{printf "%s%s ", $1, $2 == "" ? "" : "="}')\" ;;"
    done
    echo "    esac"
    echo '    if [[ $word == -* ]]; then'
    echo '        COMPREPLY=($(compgen -W "$options" -- "$word"))'
    echo '        [[ ${COMPREPLY-} == *= ]] && compopt -o nospace'
    echo "    else"
    echo '        compopt -o filenames'
    echo '        COMPREPLY=($(compgen -f -- "$word"))'
    echo "    fi"
    echo "}"
    echo "complete -F _tensim tensim"
} >"$dir/bash/tensim"

# Fields of a line, quoted for a specification of zsh's _arguments inside of single quotes.
quoted='function quoted(s) {
    gsub(/\\/, "\\\\", s); gsub(/\[/, "\\[", s); gsub(/\]/, "\\]", s); gsub(/:/, "\\:", s)
    gsub(/\047/, "\047\\\047\047", s)
    return s
}'

{
    echo "#compdef tensim"
    echo "# zsh completion of tensim; made from its --help"
    echo "_tensim() {"
    echo "    if (( CURRENT == 2 )); then"
    echo "        local -a commands=("
    echo "$commands" | awk -F'\t' "$quoted"' { print "            \047" $1 ":" quoted($2) "\047" }'
    echo "        )"
    echo "        _describe command commands"
    echo "        return"
    echo "    fi"
    echo '    local command=$words[2]'
    echo "    shift words"
    echo "    (( CURRENT-- ))"
    echo '    case $command in'
    printf '%s\n' "$commands" "$programs" | while IFS=$tab read -r command text; do
        echo "    $command)"
        echo "        _arguments \\"
        options "$command" | awk -F'\t' "$quoted"' {
            files = $2 ~ /^(ELF|FILE|DIR|.*=FILE)$/ ? "_files" : " "
            print "            \047" $1 ($2 == "" ? "" : "=") "[" quoted($3) "]" \
                ($2 == "" ? "" : ":" quoted($2) ":" files) "\047 \\"
        }'
        echo "            '*:file:_files'"
        echo "        ;;"
    done
    echo "    esac"
    echo "}"
    echo '_tensim "$@"'
} >"$dir/zsh/_tensim"
