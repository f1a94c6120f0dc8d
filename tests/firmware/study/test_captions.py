#!/usr/bin/python3
"""VSR's captions validated: votes of a released set and of people, by `pov study rate`, in tables that are computed again here from the
exported CSV alone; and written with all votes in the paper's form."""
import csv
import io
import itertools
import json
import pathlib
import random
import subprocess

import cv2
import numpy
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "sweep"))
from sweep_peer import ENVIRONMENT, POV, folder, pov

RELATIONS = "on", "in front of", "at the left side of", "facing"


def write_set(where):
    rng, items = random.Random(5), []
    for i in range(40):
        relation, label = RELATIONS[i % 4], i % 3 > 0
        voters = rng.sample(range(1, 46), 2 + i % 3) if i % 7 else []  # some have none
        votes = {voter: label == (rng.random() < (0.95 if relation == "on" else 0.7)) for voter in voters}
        items.append({"image": f"{i % 5}.jpg", "image_link": "", "caption": f"The dog {i} is {relation} the chair.", "label": int(label),
                      "relation": relation, "subj": "dog", "obj": "chair", "annotator_id": 7,
                      "vote_true_validator_id": str([v for v, yes in votes.items() if yes]),
                      "vote_false_validator_id": str([v for v, yes in votes.items() if not yes])})
    (where / "test.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    (where / "images").mkdir()
    for i in range(5):
        cv2.imwrite(str(where / "images" / f"{i}.jpg"), numpy.full((48, 64, 3), 40 * i + 20, numpy.uint8))
    return items


def rate(run, person, say):
    """`say` tells what a rater says to a caption; None ends the session."""
    with subprocess.Popen([POV, "study", "rate", run, "--rater", person, "--json"], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env=ENVIRONMENT) as lines:
        for line in lines.stdout:
            told = json.loads(line)
            assert not {"gold", "label", "votes"} & set(told), told
            said = say(told["question"])
            if said is None:
                break
            print(said, file=lines.stdin, flush=True)
        lines.stdin.close()
    assert lines.returncode == 0


def fleiss(items):
    """Fleiss 1971, of lists of votes; those of one vote alone say nothing."""
    items = [item for item in items if len(item) > 1]
    every = [vote for item in items for vote in item]
    same = sum(sum(a == b for a, b in itertools.combinations(item, 2)) / (len(item) * (len(item) - 1) / 2) for item in items) / len(items)
    chance = (sum(every) / len(every)) ** 2 + (1 - sum(every) / len(every)) ** 2
    return 1 - same, (same - chance) / (1 - chance)


def check(row, captions):
    votes = [vote == label for label, of in captions for vote in of]
    disagree, kappa = fleiss([of for _, of in captions])
    expected = {"captions": len(captions), "votes": len(votes), "ceiling": sum(votes) / len(votes),
                "validated": sum(of.count(label) >= len(of) * 2 / 3 - 1e-9 for label, of in captions) / len(captions),
                "unanimous": sum(set(of) == {label} for label, of in captions) / len(captions), "disagree": disagree, "kappa": kappa,
                "kappa_with_label": fleiss([[*of, label] for label, of in captions])[1]}
    for key, value in expected.items():
        assert abs(float(row[key]) - value) < 1e-9, (row, key, value)


def captions_of(run):
    """From the CSV of all answers: {(relation): [(label, votes)]}."""
    captions = {}
    for row in csv.DictReader(io.StringIO(pov("compare", run, "--export", "csv"))):
        one = captions.setdefault(row["id"], (row["relation"], row["gold"] == "true", []))
        if not one[2] and row["model"] == min_model:
            one[2].extend([True] * len(json.loads(row["vote_true_validator_id"])) + [False] * len(json.loads(row["vote_false_validator_id"])))
        if row["model"].startswith("person ") and row["p_true"]:
            one[2].append(float(row["p_true"]) > 0.5)
    return captions


with folder() as name:
    where = pathlib.Path(name)
    items = write_set(where)
    run = where / "run"
    pov("import", run, where / "test.jsonl", "--images", where / "images")
    before = json.loads(pov("compare", run, "--json"))
    for item, row in [(relation, row) for row in before["validation_by_relation"] for relation in RELATIONS if relation == row["relation"]]:
        check(row, [(i["label"] == 1, [True] * len(json.loads(i["vote_true_validator_id"])) + [False] * len(json.loads(i["vote_false_validator_id"])))
                    for i in items if i["relation"] == item and (i["vote_true_validator_id"], i["vote_false_validator_id"]) != ("[]", "[]")])
    min_model = "person anna maria"
    rate(run, "anna maria", lambda caption: "True" if "on" in caption else "False")
    seen = []
    rate(run, "ben", lambda caption: None if len(seen) > 20 else seen.append(1) or ("I cannot tell" if len(seen) == 3 else "true"))
    after, captions = json.loads(pov("compare", run, "--json")), captions_of(run)
    assert len(captions) == 40 and sum(len(of) for _, _, of in captions.values()) == \
        sum(len(json.loads(i[k])) for i in items for k in ("vote_true_validator_id", "vote_false_validator_id")) + 40 + 20
    whole, = after["validation"]
    assert whole["set"] == "test"
    check(whole, [(label, of) for _, label, of in captions.values()])
    for row in after["validation_by_relation"]:
        check(row, [(label, of) for relation, label, of in captions.values() if relation == row["relation"]])
    assert {row["relation"] for row in after["validation_by_relation"]} == set(RELATIONS)
    pov("report", run, "--out", where / "r.html", "--csv", where / "t")
    reported, = csv.DictReader((where / "t/all_validation.csv").open(encoding="utf-8"))
    check(reported, [(label, of) for _, label, of in captions.values()])
    (where / "again.jsonl").write_text(pov("compare", run, "--export", "vsr"))
    pov("import", where / "again", where / "again.jsonl", "--images", where / "images")
    check(json.loads(pov("compare", where / "again", "--json"))["validation"][0], [(label, of) for _, label, of in captions.values()])
print("votes are counted as by hand")
