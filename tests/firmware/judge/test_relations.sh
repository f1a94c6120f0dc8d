#!/usr/bin/env bash
# pov relations: the table, one relation, filters, and what it says to wrong questions.
set -euo pipefail

fail() {
    echo "test_relations: $*" >&2
    exit 1
}

# As grep -q, but to the end: who writes to a pipe that nobody reads any more fails, and so would the pipeline.
has() {
    grep "$@" >/dev/null
}

said=$(mktemp)
trap 'rm -f "$said"' EXIT
exits() {
    local expected=$1 status=0
    shift
    "$@" >"$said" 2>&1 || status=$?
    [ "$status" = "$expected" ] || fail "exit status $status, not $expected: $*"
}

[ "$("$POV" relations | tail -n +2 | grep -c '^[a-z_]* *\*')" = 66 ] || fail "VSR's captions use 66 distinct relations"
[ "$("$POV" relations --category orientation | wc -l)" = 7 ] || fail "four relations of orientation, of head and hand, and a heading"
"$POV" relations --category unallocated | has '^among ' || fail "among stands in two rows of the table"
"$POV" relations "close to" | has near_ratio || fail "close to is explained"
"$POV" relations "to the left of" | has '^left_of' || fail "phrases are understood"
"$POV" relations --json | python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
names = {row["name"] for row in rows}
assert len(rows) == len(names) >= 80, len(rows)
for row in rows:
    assert row["inverse"] is None or row["inverse"] in names, row
    assert row["negation"] is None or row["negation"] in names, row
    assert row["phrases"] and row["definition"] and row["source"], row
'
"$POV" relations --json | python3 -c '
import json, sys
page = open(sys.argv[1], encoding="utf-8").read()
for line in sys.stdin:
    row = json.loads(line)
    star = "*" if row["vsr"] == "used" else ""
    assert "| `%s`%s | %s" % (row["name"], star, row["definition"]) in page, row["name"]
' "$POV_SOURCE/docs/RELATIONS.md" || fail "docs/RELATIONS.md lists every relation as it is"
"$POV" relations facing | has 'cone_rad *45 +- 10 degrees' || fail "numbers that a definition names are told"
for relation in near far_from far_away_from adjacent_to at_the_edge_of in_the_middle_of enclosed_by on parallel_to past; do
    "$POV" relations $relation | grep -v relata | has -E '^  [a-z_]+ +[0-9.]+' || fail "$relation: a number is missing"
done
exits 1 "$POV" relations besidde
has "'beside'" "$said" || fail "the nearest name is offered"
exits 2 "$POV" relations --category colour
exits 2 "$POV" relations --category
exits 2 "$POV" relations --colour
exits 2 "$POV" relations left of
exits 0 "$POV" relations --help
