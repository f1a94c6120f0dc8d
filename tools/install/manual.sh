#!/bin/sh
# manual.sh POV > pov.1: the manual page, made of what `pov --help` and each command's --help say.
set -eu
pov=$1
date=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%d)
version=$("$pov" --version)

# Help text in, man(7) out: what stands in two columns becomes tagged paragraphs, examples and what is indented
# otherwise stay as they are, all else is filled.
man_of_help() {
    awk '
    function escaped(text) {
        gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); gsub(/\047/, "\\(aq", text)
        gsub(/\^/, "\\(ha", text); gsub(/~/, "\\(ti", text); gsub(/`/, "\\(ga", text)
        return text ~ /^\./ ? "\\&" text : text
    }
    function enter(next_mode) {
        if (mode == "block" && next_mode != "block") print ".EE"
        if (/^Exit codes:/) blank = 1
        if (next_mode == "text" && mode != "" && (mode != "text" || blank)) print ".PP"
        if (next_mode == "block" && mode != "block") print (mode == "" ? "" : ".PP\n") ".EX"
        mode = next_mode; blank = 0
    }
    function tagged(line,   parts, count, i) { # "--a N   what it does   --b   what that does"
        count = split(line, parts, /   */)
        for (i = 1; i <= count; i++)
            if (i == 1 || parts[i] ~ /^--/) printf ".TP\n.B %s\n", escaped(parts[i])
            else print escaped(parts[i])
    }
    /^ *$/ { blank = 1; next }
    { match($0, /^ */); indent = RLENGTH; line = substr($0, indent + 1) }
    sub(/^Usage: /, "") { enter("block"); print escaped($0); usage = 1; next }
    usage && indent == 7 { print escaped(line); next }
    { usage = 0 }
    sub(/^Examples?: */, "") {
        enter("text"); print "Examples:"; enter("block"); example = 1
        if ($0 != "") print escaped($0)
        next
    }
    example && indent { print escaped(line); next }
    { example = 0 }
    !indent { enter("text"); print escaped(line); next }
    mode == "tag" && indent > tag_indent && (line !~ /^-/ || indent > 8) { print escaped(line); next }
    line ~ /^--/ || line ~ /[^ ]   *[^ ]/ { enter("tag"); tag_indent = indent; tagged(line); next }
    { enter("block"); print escaped(substr($0, 3)) }
    END { enter("end") }'
}

# The names in the lists "Commands:" and "Parts:" of a help text.
names_in() {
    awk '/^(Commands|Parts):$/ { list = 1; next } /^$/ { list = 0 } list && /^  [a-z]/ { print $1 }'
}

# Those parts of a command that have a help text of their own: the listed ones, and whose help it refers to.
parts_of() {
    {
        "$pov" "$1" --help | names_in
        "$pov" "$1" --help | grep -o "'pov $1 [a-z][a-z-]* --help'" | cut -d' ' -f3
    } | sort -u
}

section() {
    printf '.SS pov %s\n' "$*" | sed 's/-/\\-/g'
    "$pov" "$@" --help | man_of_help
}

cat <<END
.TH POV 1 $date "$version" "User commands"
.ad l
.SH NAME
pov \\- perspective taking for robots with real cameras
.SH SYNOPSIS
.B pov
.I COMMAND
.RI [ OPTIONS ]
.br
.B pov
.RI [ COMMAND ]
.B \\-\\-help
.br
.B pov \\-\\-version
.SH DESCRIPTION
.B pov
finds things in the images of a camera, places them on a table with honest
covariances, and judges how they lie to one another: for the camera, for a
person in the scene, and by a thing\\(aqs own front; and it holds the answers of a
vision\\-language model against that.
Files named docs/ below are in the folder of the package\\(aqs documentation.
.SH COMMANDS
END
for command in $("$pov" --help | names_in); do
    section "$command"
    for part in $(parts_of "$command"); do
        section "$command" "$part"
    done
done
cat <<'END'
.SH EXIT STATUS
.TP
.B 0
done
.TP
.B 1
a file, device or connection failed: the message names the file, line,
key or device, and how to mend it
.TP
.B 2
wrong usage
.SH ENVIRONMENT
.TP
.B POV_DEBUG
if set, libcamera\(aqs own log is shown
.TP
.B POV_VLM_KEY
the key of a vision\-language model\(aqs server that is named by its URL
.TP
.B POV_FURNITURE
the folder of sweethome3d\-furniture, if it is not where Debian has it
END
