#compdef pov
# zsh completion for pov, which says itself what may follow: a line each, CANDIDATE<tab>WHAT IT DOES, or @files.
_pov() {
    local line tab=$'\t' files=''
    local -a described
    while IFS= read -r line; do
        line=${line//:/\\:}
        case $line in
        @files) files=yes ;;
        *) described+=("${line/$tab/:}") ;;
        esac
    done < <("${words[1]}" --complete "${words[CURRENT]}" "${(@)words[2,CURRENT-1]}" 2>/dev/null)
    [[ ${words[CURRENT]} == [^-]*,* ]] && compset -P '*,'
    [ -z "$files" ] || _files
    (( $#described == 0 )) || _describe pov described
}
_pov "$@"
