# Completion of tensim's commands, programs, options and their choices in bash: . config/tensim.bash
_tensim()
{
    local IFS=$'\n' words=("${COMP_WORDS[@]:1:COMP_CWORD}")
    COMPREPLY=($("${COMP_WORDS[0]}" config --complete "${words[@]}" 2> /dev/null))
    [[ ${COMPREPLY[0]:-} != *= ]] || compopt -o nospace
}
complete -o default -F _tensim tensim
