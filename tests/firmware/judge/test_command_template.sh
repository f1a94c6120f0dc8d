#!/bin/sh
# pov template: a lab's ratings in, a template out; what is wrong in a file is said with line and column.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

awk 'BEGIN { print "who,angle_deg,rating"
             for (p = 0; p < 10; p++) for (a = -180; a < 180; a += 15) {
                 t = a < 0 ? -a : a; r = t < 30 ? 9 : t < 80 ? 6 : t < 95 ? 3 : 1; print p "," a "," r } }' >ratings.csv
"$POV" template fit ratings.csv --scale 1:9 --out mine.yaml | grep -q '240 ratings'
"$POV" template show mine.yaml | grep -q '^ 180 deg  0.00'
"$POV" template show mine.yaml --json | python3 -c 'import json, sys; t = json.load(sys.stdin)
assert 15 < t["good_edge_deg"] < 40 and 75 < t["acceptable_edge_deg"] < 100 and t["reach_m"] is None, t'
ls | grep -qv part

complains() { # PATTERN COMMAND...
    pattern=$1
    shift
    if "$@" >out 2>&1; then echo "should fail: $*"; exit 1; fi
    grep -q -- "$pattern" out || { echo "expected '$pattern':"; cat out; exit 1; }
}
complains 'ratings.csv:2: column rating: 1 is not\|ratings.csv:[0-9]*: column rating: 9 is not' "$POV" template fit ratings.csv --scale 0:0.5
printf 'angle_deg,rating\n10,high\n' >words.csv
complains "words.csv:2: column rating: 'high' is not a number" "$POV" template fit words.csv
printf 'angle,rating\n10,1\n' >names.csv
complains "names.csv:1: no column 'angle_deg'" "$POV" template fit names.csv
printf 'angle_deg,rating\n10\n' >short.csv
complains 'short.csv:2: column rating: missing' "$POV" template fit short.csv
printf 'angle_deg,rating\n10,1\n' >few.csv
complains 'at least 12' "$POV" template fit few.csv
complains 'nowhere.csv' "$POV" template fit nowhere.csv
sed 's/^good_edge_deg.*/good_edge_deg: 170/' mine.yaml >wrong.yaml
complains 'wrong.yaml:.*good_edge_deg' "$POV" template show wrong.yaml
"$POV" template 2>/dev/null && exit 1
[ $? = 2 ] || true
