#!/usr/bin/python3
"""pov report and pov score where a reviewer looks: languages by their own conventions, models that refuse, changes between prompts,
what is simulated, photographs of others. The answers are made here; what is right about them is known."""
import csv
import hashlib
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

POV = os.environ["POV"]
BEST = {"left": 270, "right": 90, "front": 0, "behind": 180}  # the camera's, reflected
TURN = {"reflected": {}, "translated": {"front": 180, "behind": 180}, "rotated": dict.fromkeys(("left", "right"), 180)}
failures = []


def check(what, holds):
    if not holds:
        failures.append(what)


def curves(model, scenes=6, convention="reflected", turn=0, p=None, language="en", prompts=("cam",), facing="", **more):
    """A model that answers as a convention says (rotated turns left and right of the reflected one)."""
    rows = []
    for scene in range(scenes):
        for prompt in prompts:
            for relation, best in BEST.items():
                for phi in range(0, 360, 10):
                    theta = phi - best - turn - TURN[convention].get(relation, 0)
                    if convention == "translated" and relation in ("left", "right"):
                        theta = phi - best - turn
                    value = 0.5 + 0.4 * math.cos(math.radians(theta)) if p is None else p
                    rows.append(dict(model=model, language=language, scene=f"s{scene}", variant="", prompt=prompt, relation=relation,
                                     phi_deg=phi, p_yes=f"{value:.6f}", relatum_facing=facing, addressee_facing="right", answer="",
                                     kind="tokens", gold="", gold_p="", simulated="no", image_path="", sha256="") | more)
    return rows


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def report(folder, rows, name="a.csv"):
    write(folder / name, rows)
    done = subprocess.run([POV, "report", name, "--out", "r.html", "--markdown", "r.md", "--figures", "f", "--resamples", "400"],
                          capture_output=True, text=True, cwd=folder)
    check(f"exit {done.returncode}: {done.stderr}", done.returncode == 0)
    text = (folder / "r.md").read_text(encoding="utf-8")
    return [line[2:] for line in text.split("\n## ")[1].split("\n") if line.startswith("- ")], text, done.stderr


def table(folder, name):
    """Without the baselines' rows."""
    with open(folder / "f" / f"comfort_{name}.csv", newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["language"] != "any"]


def languages_are_scored_by_their_own_convention(folder):
    """Levinson's Tamil is rotated, Hausa translated (docs/LANGUAGES.md): who follows them is right, who answers as in English is not."""
    rows = []
    for language, convention in ("ta", "rotated"), ("ha", "translated"), ("en", "reflected"), ("de", "reflected"):
        rows += curves("follows", convention=convention, language=language, prompts=("nop", "cam"), facing="left")
        rows += curves("english", language=language, prompts=("nop", "cam"), facing="left")
    findings, text, _ = report(folder, rows)
    for language, convention in ("ta", "rotated"), ("ha", "translated"), ("en", "reflected"), ("de", "reflected"):
        line = next(line for line in findings if line.startswith(f"follows, {language}, CAR, camera"))
        check(f"{line}", "right in 100.0 %" in line and f"the frame it answers in is the camera's, {convention} (ε cos 0.0" in line and
              "tell no direction" not in line and "though asked" not in line)
        line = next(line for line in findings if line.startswith(f"english, {language}, CAR, camera"))
        check(f"{line}", ("right in 100.0 %" in line) == (convention == "reflected") and "the camera's, reflected (ε cos 0.0" in line)
        check("half of it is turned", convention == "reflected" or "right in 50.0 %" in line)
    for name in "table3", "table8":
        for row in table(folder, name):
            if row["model"] == "follows" and name == "table3":
                check(f"{row}", row["preferred"] == "egocentric" and abs(float(row["all_ego"])) < 1e-6)
            if row["model"] == "follows" and name == "table8" and row["frame"] == "egocentric":
                check(f"{row}", float(row["accuracy"]) == 1)
    others = {(row["language"], row["preferred"]) for row in table(folder, "table3") if row["model"] == "english"}
    check(f"another convention is named: {others}", others == {("ta", "egocentric (reflected)"), ("ha", "egocentric (reflected)"),
                                                               ("en", "egocentric"), ("de", "egocentric")})
    ranks = [row for row in table(folder, "ranks") if row["model"] == "follows" and row["measure"] == "accuracy_told"]
    check(f"{len(ranks)} are first", len(ranks) == 8 and {row["rank"] for row in ranks} == {"1"})
    check("the others stand beside", {row["best"] for row in table(folder, "reading") if row["language"] == "ta" and row["model"] == "follows"} ==
          {"ego_rot"})
    done = subprocess.run([POV, "score", folder / "a.csv", "--json", "--convention", "reflected", "--resamples", "100"], capture_output=True, text=True)
    forced = {(row["model"], row["language"]): row["accuracy"]["mean"] for row in json.loads(done.stdout)["performance"]}
    check(f"--convention is for all: {forced}", forced["english", "ta"] == 1 > forced["follows", "ta"])
    rows = [row | {"language": "zz", "convention": "rotated"} for row in curves("follows", convention="rotated")]
    rows2 = curves("follows", convention="rotated", language="ta+facts")
    check("a language with conditions is that language", "right in 100.0 %" in report(folder, rows2)[0][0])
    check("a file says the convention of a language of its own", "right in 100.0 %" in report(folder, rows)[0][0])


def a_model_that_refuses_has_no_rank(folder):
    """87 of 144 refused, the others right: what is left out is counted, bounded, and not ranked."""
    rows = curves("perfect", scenes=2)
    shy = curves("shy", scenes=2)
    kinds = [("refused", "I'm sorry, I cannot tell."), ("unclear", "Perhaps a ball?"), ("low_mass", ""), ("none", ""), ("not_asked", "")]
    for i, row in enumerate(shy):
        if i % 5 < 3:
            kind, words = kinds[i // 5 % 5]
            row |= {"p_yes": "", "answer": words, "kind": kind}
    findings, text, _ = report(folder, rows + shy)
    missing = [row for row in shy if not row["p_yes"]]
    line = next(line for line in findings if line.startswith("shy"))
    n = {kind: sum(row["kind"] == kind for row in missing) for kind, _ in kinds}
    given = len(shy) - len(missing)
    words = f"{given} of {len(shy)} answered: {n['refused']} refused, {n['unclear']} unclear, {n['none']} without an answer, " \
            f"{n['low_mass']} of low mass, {n['not_asked']} not asked"
    check(f"{line} has no {words}", words in line and "right in 100.0 %" in line and "below 90 % answered: no rank" in line)
    at_edge = lambda row: (row["phi_deg"] - BEST[row["relation"]]) % 180 == 90
    told = [row for row in shy if not at_edge(row)]
    least = sum(bool(row["p_yes"]) for row in told) / len(told)
    bounds = re.search(r"between ([\d.]+) and ([\d.]+) % if the unscored were wrong or right", line)
    check(f"{line}: {100 * least:.1f}", bounds and abs(float(bounds[1]) - 100 * least) < 1 and bounds[2] == "100.0")
    performance = {row["model"]: row for row in table(folder, "performance")}
    check("the table counts", [performance["shy"][key] for key in ("answered", "asked")] == [str(given), str(len(shy))])
    answers = {row["model"]: row for row in table(folder, "answers")}
    check("kinds are apart", [answers["shy"][key] for key in ("refused", "unclear", "missing", "low_mass", "not_asked")] ==
          [str(n[key]) for key in ("refused", "unclear", "none", "low_mass", "not_asked")])
    ranks = {row["model"]: row for row in table(folder, "ranks") if row["measure"] == "accuracy_told"}
    check(f"{ranks}", (ranks["perfect"]["rank"], ranks["shy"]["rank"]) == ("1", "") and ranks["shy"]["answered"] == f"{given} of {len(shy)}")
    check("no pair is tested", not table(folder, "pairs"))
    for name in "table2", "table5", "table5_told":
        tex = (folder / "f" / f"comfort_{name}.tex").read_text()
        check(f"{name}.tex", f"{given} of {len(shy)}" in tex and f"{len(rows)} of {len(rows)}" in tex)
    enough = [row if row["kind"] != "unclear" else row for row in curves("shy", scenes=2)]
    for row in enough[:28]:
        row |= {"p_yes": "", "answer": "I cannot tell.", "kind": "refused"}
    report(folder, rows + enough)
    check("with 90 % there is a rank", all(row["rank"] for row in table(folder, "ranks")))
    score = subprocess.run([POV, "score", folder / "a.csv", "--json", "--resamples", "100"], capture_output=True, text=True)
    row = json.loads(score.stdout)["performance"][1]
    check("score counts, too", (row["answered"], row["asked"]) == (260, 288))


def equal_answers_do_not_change(folder):
    """Table 4: a model that hears no prompt. The station abstains about some images, in each frame about others; answers at the edges of one
    frame's half-plane are "yes" by the camera's gold."""
    frames = {"cam": 0, "add": -90, "rel": 180}  # about the camera's reflected direction: see direction below
    rows = []
    for prompt in ("nop", "cam", "add", "rel"):
        rows += curves("deaf", scenes=2, p=0.9, prompts=(prompt,), facing="left")
    for i, row in enumerate(rows):
        theta = (row["phi_deg"] - BEST[row["relation"]]) % 360
        if row["prompt"] in ("nop", "cam"):
            edge = theta in (90, 270)
            row |= {"gold": "yes" if edge or theta < 90 or theta > 270 else "no", "gold_p": "0.9"}
        if row["prompt"] == "add" and row["phi_deg"] == 30:
            row |= {"gold": "", "gold_p": "0.55"}
    report(folder, rows)
    for name in "table4", "table4_told":
        row, = table(folder, name)
        changes = {key: float(value) for key, value in row.items() if key.endswith("_change")}
        check(f"{name}: {changes}", len(changes) == 8 and all(abs(change) < 1e-12 for change in changes.values()))
    row, = table(folder, "table4")
    check(f"always yes by the paper's rule, {row['ego_accuracy']}", all(math.isclose(float(row[f"{key}_accuracy"]), 17 / 36)
                                                                       for key in ("ego", "int", "add", "all")))
    row, = table(folder, "table4_told")
    check(f"by ours, {row['ego_accuracy']}", math.isclose(float(row["ego_accuracy"]), 136 / 272))
    row, = table(folder, "table5")
    check("Table 5 has the paper's", math.isclose(float(row["accuracy_CAR"]), 17 / 36))
    row, = table(folder, "table5_told")
    check("and ours beside it", math.isclose(float(row["accuracy_told_CAR"]), 0.5))
    row = next(row for row in table(folder, "table8") if row["relation"] == "aggregated")
    check("Table 8, too", math.isclose(float(row["accuracy"]), 17 / 36))


def what_is_simulated_is_marked_by_all_readers(folder):
    for said, words in ("station and model", "the station; m"), ("model", "m"), ("station", "the station"), ("camera", "camera"):
        rows = [row | {"simulated": said} for row in curves("m", scenes=1)]
        _, text, _ = report(folder, rows)
        mark = f"real model or camera: {words}"
        for name, content in ("Markdown", text.replace("**", "")), ("HTML", (folder / "r.html").read_text()), \
                             ("methods", (folder / "f/methods.txt").read_text()):
            check(f"{name} of {said!r} has no {mark!r}", mark in content)
        done = subprocess.run([POV, "score", folder / "a.csv", "--resamples", "100"], capture_output=True, text=True)
        check(f"score of {said!r}: {done.stdout[:90]}", done.stdout.startswith("SIMULATED, no finding about a real model or camera: " + words))
        done = subprocess.run([POV, "score", folder / "a.csv", "--resamples", "100", "--json"], capture_output=True, text=True)
        check(f"score --json of {said!r}", json.loads(done.stdout)["simulated"] == words)
    check("nothing is", "SIMULATED" not in report(folder, curves("m", scenes=1))[1])
    layout = {"simulated": "the station", "p_yes": {"behind": {"x": [0.5] * 36}}}
    (folder / "layout.json").write_text(json.dumps(layout))
    done = subprocess.run([POV, "score", folder / "layout.json", "--resamples", "100"], capture_output=True, text=True)
    check("the authors' layout", done.stdout.startswith("SIMULATED"))


def png(path, grey):
    row = b"\0" + bytes([grey] * 3 * 64)
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 48, 8, 2, 0, 0, 0)) +
                     chunk(b"IDAT", zlib.compress(row * 48)) + chunk(b"IEND", b""))


def a_photograph_of_something_else_is_left_out(folder):
    (folder / "images").mkdir()
    rows = curves("m", scenes=1)
    for i, row in enumerate(rows[:36]):
        path = folder / "images" / f"{i}.png"
        png(path, 5 * i)
        row |= {"image_path": f"images/{i}.png", "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    _, _, error = report(folder, rows)
    images = re.findall(r'<img src="([^"]*)"', (folder / "r.html").read_text())
    check(f"{len(images)} images, {error}", len(images) == 24 and "SHA-256" not in error)
    for i in range(36):
        png(folder / "images" / f"{i}.png", 200)
    _, _, error = report(folder, rows)
    check(f"none of others: {error}", "<img" not in (folder / "r.html").read_text() and "is not the image that was asked about" in error and
          "24 places" in error)


def main():
    for test in languages_are_scored_by_their_own_convention, a_model_that_refuses_has_no_rank, equal_answers_do_not_change, \
            what_is_simulated_is_marked_by_all_readers, a_photograph_of_something_else_is_left_out:
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder))
    print("\n".join(dict.fromkeys(failures)) or "all as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
