#!/usr/bin/python3
"""The biases of the simulated model on FoREST and SPHERE: what a biased model says, worked out here from the simulator's scene, is what its log
and its scores have; a perfect one is right about every question; golds of options have no P(yes)."""
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "sweep"))
from sweep_peer import Server, folder, pov, query

BIASES = ["none", "egocentric", "person", "left-right", "random", "always-no"]
CLOCKWISE = ["front", "right", "back", "left"]
MIRRORED = {"left": "right", "right": "left"}
FACES = {"toward the camera": 180, "left relative to the camera": 270, "away from the camera": 0, "right relative to the camera": 90}


def pair_of(question):
    return next(part for part in question["id"].split("/") if ":" in part).split(":")


def side(scene, question, own):
    """Where the referent is of the relatum: in degrees clockwise from the camera's line of sight or, if own, from the relatum's heading. The
    camera's front is the near side (reflected)."""
    referent, relatum = pair_of(question)
    at = {name: entity["pos_m"] for name, entity in scene.items() if "pos_m" in entity}
    angle = lambda a, b: math.degrees(math.atan2(at[b][1] - at[a][1], at[b][0] - at[a][0]))
    zero = math.degrees(scene[relatum]["heading_rad"]) if own else angle("camera", relatum)
    clockwise = (zero - angle(relatum, referent)) % 360
    return clockwise if own else (180 - clockwise) % 360


def words_of(question, degrees):
    """The option at an angle clockwise from the front; None: too near a boundary for this test."""
    options = {option.lower(): option for option in question["options"]}
    if question["paper"] == "forest":
        near = (degrees + 45) % 90
        return CLOCKWISE[int((degrees + 45) // 90) % 4] if 2 < near < 88 else None
    pair, at = (("right", "left"), degrees) if "left" in options else (("in front", "behind"), (degrees + 90) % 360)
    return options[pair[at > 180]] if 2 < at % 180 < 178 else None


def said_by_text(question):
    """FoREST's clear split: {who is asked: the answer}, from the sentence."""
    kind = question["id"].split("/")[2]
    word = kind.split("_")[-2]
    relative = "relative" in kind
    by = "camera" if relative else "relatum"
    turn = next((degrees for words, degrees in FACES.items() if f"is facing {words}" in question["prompt"]), None)
    answers = {by: word}
    if turn is not None: # the camera's words as a compass seen from above: its front is the near side, its left is left
        compass = {"back": 0, "right": 90, "front": 180, "left": 270}
        if relative:
            answers["relatum"] = CLOCKWISE[(compass[word] - turn) % 360 // 90]
        else:
            seen = (turn + 90 * CLOCKWISE.index(word)) % 360
            answers["camera"] = next(name for name, at in compass.items() if at == seen)
    return answers


def answers_of(question, scene):
    """{"camera": .., "relatum": ..} for questions that are asked by one of them; None: not such a question, or not clear enough."""
    kind = question["id"].split("/")[2]
    if question["paper"] == "forest" and kind.startswith("clear_"):
        answers = said_by_text(question)
    elif kind.startswith("relation_") or (kind.startswith("position_") and kind.split(".")[-1] != "above_below" and len(question.get("options", [])) == 2):
        relatum = pair_of(question)[1]
        answers = {"camera": words_of(question, side(scene, question, False))}
        if scene[relatum].get("heading_rad") is not None:
            answers["relatum"] = words_of(question, side(scene, question, True))
    else:
        return None
    return None if None in answers.values() else answers


def expected(question, answers, bias):
    asked = "relatum" if "_relatum" in question["id"].split("/")[2] or "position_ego" in question["id"] else "camera"
    right = answers.get(asked)
    return {"none": right, "egocentric": answers.get("camera"), "person": answers.get("relatum", right),
            "left-right": MIRRORED.get(right.lower(), right) if right else None}.get(bias)


def main():
    with folder() as name:
        run = pathlib.Path(name) / "run"
        pov("export", "comfort-car", "--variant", "horse-left", "--images", 1, "--size", "64x48", "--questions", "forest,sphere", "--dataset",
            "jsonl", run)
        questions = [json.loads(line) for line in (run / "questions.jsonl").read_text().splitlines()]
        options = [q for q in questions if q["form"] == "option"]
        assert all(q["gold_p"] is None for q in options), "gold_p of an option"
        for bias in BIASES:
            with Server(run, "--bias", bias) as server:
                pov("compare", run, "--vlm", server.url, "--model", bias)
        scenes = {}
        for path, evidence in query(run, "SELECT path, evidence FROM images"):
            entities = {one["id"]: one for one in json.loads(evidence)["scene"]["entities"]}
            scenes[path] = entities
        said = {}
        for image, key, model, text in query(run, "SELECT i.path, q.key, m.name, r.text FROM results r JOIN questions q ON r.question = q.id"
                                                  " JOIN images i ON q.image = i.id JOIN models m ON r.model = m.id WHERE r.counted"):
            said[image, key, model] = text
        says_what_the_scene_implies(questions, scenes, said)
        blind_models_do_not_look(options, said)
        only_a_perfect_model_is_always_right(run)


def key_of(question):
    return question["id"].split("/", 1)[1]


def says_what_the_scene_implies(questions, scenes, said):
    wrong = {bias: 0 for bias in BIASES}
    checked = 0
    for question in questions:
        answers = answers_of(question, scenes[question["image"]])
        if not answers:
            continue
        checked += 1
        for bias in ["none", "egocentric", "person", "left-right"]:
            want, got = expected(question, answers, bias), said[question["image"], key_of(question), bias]
            assert want is None or got.lower() == want.lower(), (bias, question["id"], question["prompt"], want, got)
            wrong[bias] += got.lower() != question["gold"].lower()
    assert checked > 100 and wrong["none"] == 0 and min(wrong["egocentric"], wrong["person"], wrong["left-right"]) > 10, (checked, wrong)
    print(f"{checked} questions answered by each biased model as the scene implies; not as asked: {wrong}")


def blind_models_do_not_look(options, said):
    chance, variance, right = 0, 0, 0
    for question in options:
        mine = {bias: said[question["image"], key_of(question), bias] for bias in BIASES}
        offered, golds = [option.lower() for option in question["options"]], question["gold"].lower().split("|")
        assert mine["none"].lower() in golds and all(answer.lower() in offered for answer in mine.values()), (question["id"], mine)
        for bias, word in [("always-no", "no")]:
            assert mine[bias].lower() == (word if word in offered else mine["none"].lower()), (question["id"], bias, mine)
        p = len(golds) / len(offered)
        chance, variance, right = chance + p, variance + p * (1 - p), right + (mine["random"].lower() in golds)
    assert abs(right - chance) < 4 * math.sqrt(variance), (right, chance)
    print(f"by lot: {right} of {len(options)} right; chance {chance:.1f}")


def only_a_perfect_model_is_always_right(run):
    for paper in "forest", "sphere":
        (run / f"{paper}.csv").write_text(pov("compare", run, "--paper", paper, "--export", "csv"))
        tables = json.loads(pov("score", run / f"{paper}.csv", "--json"))
        rows = {row["model"]: row for row in tables["scores"] if row["by"] == "all"}
        mean = {model: row["accuracy"]["mean"] for model, row in rows.items()}
        assert mean["none"] == 1 and rows["none"]["unclear"] == 0, rows["none"]
        assert all(mean[bias] < 0.99 for bias in ("egocentric", "person", "left-right", "random")), mean
        print(paper, mean)


if __name__ == "__main__":
    main()
