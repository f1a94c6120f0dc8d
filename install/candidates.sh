# Shared by bash and zsh; CMake puts it into both completions. Commands, options, their values and names are read from
# what the program says itself, so that they cannot go stale.

# _pov_names: the entries of the lists "Commands:" and "Parts:" of a help text on stdin, as NAME<tab>WHAT IT DOES.
_pov_names() {
    awk '/^(Commands|Parts):$/ { list = 1; next } /^$/ { list = 0 }
         list && /^  [a-z]/ { name = $1; sub(/^ +[^ ]+ +/, ""); print name "\t" $0 }'
}

# _pov_fitting CURRENT LAST TYPED: what fits after the words TYPED, the last of which is LAST, by the help text on
# stdin, as CANDIDATE<tab>WHAT IT DOES; or one of @files, @worlds, @relations, @languages.
_pov_fitting() {
    awk -v current="$1" -v word="$2" -v typed=" $3 " '
    function option(term, text,   tokens, count, i, name) { # "--json, --csv", "--columns N --rows N"
        count = split(term, tokens, /[ ,]+/)
        for (i = 1; i <= count; i++)
            if (tokens[i] ~ /^--[a-z]/) {
                name = tokens[i]
                if (!(name in about)) names[++len] = name
                if (text != "" || !(name in about)) about[name] = text
                newest = name
            } else if (name != "" && tokens[i] != "" && !(name in argument)) argument[name] = tokens[i]
    }
    function usage(line,   tokens, count, i) { # "pov sim WORLD [--out DIR]": options, and what stands alone
        sub(/   +.*$/, "", line)
        count = split(line, tokens, / +/)
        for (i = 3; i <= count; i++) {
            bare = tokens[i]; gsub(/[][]|\.\.\./, "", bare)
            if (bare !~ /^--/) alone = alone "|" bare
            else if (tokens[i] !~ /\]/ && tokens[i + 1] ~ /^[A-Z]/) option(bare " " tokens[++i], "")
            else option(bare, "")
        }
    }
    # What a description lists, "one, two or three", without what stands in brackets; or that it names only two.
    function listed(text,   list, before) {
        gsub(/ *\([^)]*\)/, "", text)
        while (match(text, /[A-Za-z0-9][A-Za-z0-9_-]*((, or |, | or )[A-Za-z0-9][A-Za-z0-9_-]*)+/)) {
            before = substr(text, 1, RSTART - 1); list = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            if (list !~ /, / && before !~ /(^|: )$/) continue
            # "clean, noisy or blurred, in place" ends with its "or"; "5 or 8, fisheye or auto" does not with its first
            if (match(list, /, ([^ ,]+ )?or [^ ,]+/)) list = substr(list, 1, RSTART + RLENGTH - 1)
            gsub(/, or |, | or /, "|", list)
            return list
        }
        return ""
    }
    function offer(kind, text,   words, count, i) {
        if (kind ~ /WORLD/) print "@worlds"
        else if (kind ~ /RELATION/ || text ~ /pov relations/) print "@relations"
        else if (kind == "CODE" || text ~ /^COMFORT.s languages/) print "@languages"
        count = split(kind, words, "|")
        for (i = 1; i <= count; i++)
            if (words[i] ~ /^[a-z0-9]/) print words[i]
            else if (words[i] ~ /FILE|DIR|FOLDER|PATH|LOG|ANSWERS|SHEET|PNG|\.(yaml|csv|pov|svg)/) print "@files"
    }
    function value(argument, text) {
        if (argument !~ /^(NAME|WH|WAY|CASE|LIST|V|S$|B$|MODEL|TOPIC|FORMAT)/ || text ~ /pov relations|^COMFORT.s/)
            return argument
        return listed(text)
    }
    /^Usage:/ { in_usage = 1; sub(/^Usage: /, "       ") }
    in_usage && /^       pov / { sub(/^ +/, ""); usage($0); next }
    { in_usage = 0 }
    /^ ? ? ? ? ? ? ? ?--/ {
        match($0, /^ +/); indent = RLENGTH
        count = split(substr($0, indent + 1), parts, /   */)
        for (i = 1; i <= count; i++)
            if (parts[i] ~ /^--/) option(parts[i], parts[i + 1] ~ /^--/ ? "" : parts[i + 1])
        next
    }
    /^ +[^ ]/ && newest != "" { match($0, /^ +/); if (RLENGTH > indent) about[newest] = about[newest] " " substr($0, RLENGTH + 1); next }
    { newest = "" }
    END {
        if (word in argument) {
            if (argument[word] ~ /^[a-z]/) offer(argument[word], "")
            else offer(value(argument[word], about[word]), about[word])
        } else if (current ~ /^-/)
            for (i = 1; i <= len; i++) { sub(/^ +/, "", about[names[i]]); print names[i] "\t" about[names[i]] }
        else {
            count = split(alone, parts, "|"); alone = ""
            for (i = 1; i <= count; i++) if (parts[i] != "" && !index(typed, " " parts[i] " ")) alone = alone "|" parts[i]
            offer(alone, "")
        }
    }'
}

_pov_resolved() { # PROGRAM: stdin with the names that the program knows instead of @worlds, ...
    while IFS= read -r line; do
        case $line in
        @worlds) "$1" sim --list | awk '/^[^ ]/ { name = $1; sub(/^[^ ]+ +/, ""); print name "\t" $0 }' && echo @files ;;
        @relations) "$1" relations | awk 'NR > 1 { print $1 }' ;;
        @languages) "$1" questions --languages | awk 'NR > 1 && /^[a-z]/ { print $1 "\t" $2 }' ;;
        *) printf '%s\n' "$line" ;;
        esac
    done
}

# _pov_candidates CURRENT PROGRAM [WORD...]: what CURRENT may become after these words; @files: files, too.
_pov_candidates() {
    local current=$1 program=$2 help='' last=''
    shift 2
    if [ $# = 0 ]; then
        "$program" --help | _pov_names
        return
    fi
    help=$("$program" "$1" --help 2>/dev/null)
    case $help in
    *"'pov $1 ${2:-?} --help'"* | *"'pov $1 PART --help'"*)
        if [ $# -gt 1 ]; then
            help=$("$program" "$1" "$2" --help 2>/dev/null)
        elif [ "${current#-}" = "$current" ]; then
            printf '%s\n' "$help" | _pov_names
        fi ;;
    esac
    for last; do :; done
    printf '%s\n' "$help" | _pov_fitting "$current" "$last" "$*" | _pov_resolved "$program" | awk '!seen[$0]++'
}
