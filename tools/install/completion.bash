# bash completion for pov, which says itself what may follow: a line each, CANDIDATE<tab>WHAT IT DOES, or @files.
_pov() {
    local current=${COMP_WORDS[COMP_CWORD]} words=("${COMP_WORDS[@]:1:COMP_CWORD-1}") listed='' candidate
    if [ "$current" = = ]; then # --option=VALUE comes as three words
        current=''
    elif [ ${#words[@]} -gt 0 ] && [ "${words[-1]}" = = ]; then
        unset 'words[-1]'
    fi
    case $current in [!-]*,*) listed=${current%,*}, ;; esac
    COMPREPLY=()
    while IFS=$'\t' read -r candidate _; do
        case $candidate in
        @files)
            compopt -o filenames 2>/dev/null
            while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "$current")
            ;;
        "${current#"$listed"}"*) COMPREPLY+=("$listed$candidate") ;;
        esac
    done < <("${COMP_WORDS[0]}" --complete "$current" "${words[@]}" 2>/dev/null)
}
complete -F _pov pov
