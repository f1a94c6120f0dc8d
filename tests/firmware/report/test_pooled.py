#!/usr/bin/python3
"""pov report of several sweeps: put together they are scored as one; scenes, variants, facings and repetitions are told apart; what does
not belong together is told."""
import csv
import hashlib
import json
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "sweep"))
import sweep_peer

from test_wrong_findings import check, curves, failures, png, write

POV = os.environ["POV"]


def report(folder, *names, code=0):
    import subprocess
    done = subprocess.run([POV, "report", *map(str, names), "--out", "r.html", "--markdown", "r.md", "--figures", "f", "--csv", "t", "--resamples", "300"],
                          capture_output=True, text=True, cwd=folder)
    check(f"{names}: exit {done.returncode}, {done.stderr}", done.returncode == code)
    if code:
        return done.stderr
    text = (folder / "r.md").read_text(encoding="utf-8")
    return [line[2:] for line in text.split("\n## Findings")[1].split("\n## ")[0].split("\n") if line.startswith("- ")], text, done.stderr


def table(folder, name):
    with open(folder / "t" / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def of_scene(number, run=None, **more):
    rows = [row | {"scene": f"s{number}", "run": run or f"run {number}", "version": "pov 1", "calibration": "c0ffee", "text": f"Is it {row['relation']}?",
                   "key": f"k/{row['relation']}/{row['prompt']}"} | more
            for model in ("good", "bad") for row in curves(model, scenes=1, prompts=("nop", "cam"), facing="left")]
    for row in rows:
        if row["model"] == "bad" and (number % 2 or row["phi_deg"] < 60):
            row["p_yes"] = f"{1 - float(row['p_yes']):.6f}"
    return rows


def several_are_scored_as_one(folder):
    parts = [of_scene(number) for number in range(6)]
    for number, rows in enumerate(parts):
        (folder / f"d{number}").mkdir()
        write(folder / f"d{number}/a.csv", rows)
    write(folder / "all.csv", [row for rows in parts for row in rows])
    findings, text, _ = report(folder, *(f"d{number}/a.csv" for number in range(6)))
    pooled = {name: table(folder, f"comfort_{name}") for name in ("performance", "reading", "ranks", "pairs", "table4", "table5")}
    check(f"{findings[0]}", findings[0] == "COMFORT, 6 files together: 6 scenes, 1 variant, 1 facing (of relatum and addressee), in 6 sweeps.")
    check("one section", text.count("## COMFORT") == 1 and "n = 6 scenes" in text and "6 files together: COMFORT, 96 curves" in text)
    check("nothing to complain of", "Put together although" not in text)
    check("with six scenes there is a test", {row["p"] == "-" for row in pooled["pairs"]} == {False})
    report(folder, "all.csv")
    for name, rows in pooled.items():
        check(f"{name} is that of one file", rows == table(folder, f"comfort_{name}"))
    command = (folder / "r.md").read_text().split("Made by: ")[1].split("\n")[0].replace("\\", "")
    check(f"{command}", command.startswith("pov report all.csv --out r.html"))
    caption = next((folder / "f").glob("comfort_figure5_good*.txt")).read_text()
    check(f"a figure tells its command: {caption}", "Made by: pov report all.csv" in caption and "(file comfort_figure5_good" in caption)


def repetitions_are_within_their_scene(folder):
    """The same scene three times, its car put down within some degrees: n stays 1, and there is neither interval nor rank."""
    for number, facing in enumerate((268, 270, 273)):
        write(folder / f"{number}.csv", of_scene(0, run=f"evening {number}", relatum_facing=facing))
    findings, text, _ = report(folder, "0.csv", "1.csv", "2.csv")
    rows = table(folder, "comfort_performance")
    check(f"{rows[0]}", {(row["scenes"], row["accuracy_told_low"]) for row in rows} == {("1", "")} and rows[0]["asked"] == str(3 * 144))
    check("no rank", {row["rank"] for row in table(folder, "comfort_ranks")} == {""})
    check(f"{findings[0]}", "1 scene, 1 variant" in findings[0] and "in 3 sweeps" in findings[0])
    error = report(folder, "0.csv", "0.csv", code=1)
    check(f"the same sweep twice: {error}", "0.csv:2: phi_deg: a second answer to the question of 0.csv, line 2" in error)


def what_does_not_belong_together_is_told(folder):
    write(folder / "a.csv", of_scene(0))
    for what, more, words in (("version", {"version": "pov 2"}, "differ in the version of pov: pov 1, pov 2"),
                              ("calibration", {"calibration": "bad"}, "differ in the lens calibration: c0ffee, bad"),
                              ("words", {"scene": "s0", "variant": "", "text": "Is it?"}, 'the same question is asked in other words')):
        rows = of_scene(1) if what != "words" else of_scene(0, run="again")
        write(folder / "b.csv", [row | more for row in rows])
        findings, text, _ = report(folder, "a.csv", "b.csv")
        check(f"{what}: {findings[:3]}", any(words in line and "--apart" in line for line in findings))
    findings, text, _ = report(folder, "a.csv", "b.csv", "--apart")
    check(f"apart: {findings}", text.count("## COMFORT: ") == 2 and "together" not in text and
          {line.split(":")[0] for line in findings} == {"a.csv", "b.csv"})


def pictures_of_two_folders_are_their_own(folder):
    """Both have an images/0.png."""
    for number in range(2):
        place = folder / f"d{number}"
        (place / "images").mkdir(parents=True)
        png(place / "images/0.png", 60 + 120 * number)
        digest = hashlib.sha256((place / "images/0.png").read_bytes()).hexdigest()
        rows = of_scene(number, image_path="images/0.png", sha256=digest)
        write(place / "a.csv", rows)
    _, text, error = report(folder, "d0/a.csv", "d1/a.csv")
    page = (folder / "r.html").read_text()
    sheet = page[page.index('class="sheet"'):]
    images = re.findall(r'<img src="([^"]*)" alt="([^"]*)"', sheet)
    check(f"{[alt for _, alt in images]}, {error}", {alt for _, alt in images} == {"d0/images/0.png", "d1/images/0.png"} and
          len({src for src, _ in images}) == 2 and "SHA-256" not in error)


def real_sweeps_and_their_exports_say_the_same(folder):
    """Two simulated sweeps, as logs and as CSV."""
    for name, world in ("one", "comfort-ball"), ("two", "comfort-ball/color"):
        run = folder / name
        (folder / f"w_{name}").mkdir()
        station = sweep_peer.station(folder / f"w_{name}", world)
        with sweep_peer.Server(run, "--refuse", "0.3") as server:
            sweep_peer.pov("sweep", station, "--out", run, "--quiet", "--angles", "6", "--variant", name, "--vlm", server.url, "--model", "shy", code=None)
        (folder / f"{name}.csv").write_text(sweep_peer.pov("compare", name, "--export", "csv", cwd=folder))
    logs, _, _ = report(folder, "one", "two")
    tables = table(folder, "comfort_performance"), table(folder, "comfort_answers")
    page = (folder / "r.html").read_text()
    exported, text, error = report(folder, "one.csv", "two.csv")
    check("the tables are the same", tables == (table(folder, "comfort_performance"), table(folder, "comfort_answers")))
    check(f"the findings are: {set(logs) ^ set(exported)}", logs == exported and "2 scenes" in "".join(logs))
    check("the mark stays", "the station; shy" in text and "the station; shy" in page)
    images = [re.findall(r'<img src="[^"]*" alt="([^"]*)"', page) for page in (page, (folder / "r.html").read_text())]
    check(f"the photographs are there: {error}", images[0] and images[0] == images[1] and images[0][0].split("/")[0] in ("one", "two"))


def flips_of_opposite_facings_stay_apart(folder):
    """A horse that faces left and one that faces right, by a model that knows: what is left of the horse in its own view begins half a turn later."""
    for facing in "left", "right":
        sweep_peer.pov("export", "comfort-car", "--variant", f"horse-{facing}", "--images", 36, "--size", "160x120", "--questions", "comfort",
                       "--dataset", "jsonl", folder / facing)
        rows = [json.loads(line) for line in (folder / facing / "questions.jsonl").read_text().splitlines()]
        (folder / f"{facing}.jsonl").write_text("".join(json.dumps({"id": row["id"], "p_yes": 0.98 if row["truth"] == "yes" else 0.02}) + "\n" for row in rows))
        sweep_peer.pov("import", folder / facing, folder / f"{facing}.jsonl", "--model", "knows")
    report(folder, "left", "right")
    rows = [row for row in table(folder, "all_flips") if row["prompt"] == "rel"]
    check(f"facings: {[row['facing'] for row in rows]}", sorted(row["facing"] for row in rows) == ["270 deg"] * 4 + ["90 deg"] * 4)
    began = {(row["relation"], row["facing"]): float(row["yes_from_deg"].split("|")[0]) for row in rows}
    for relation in "left", "right", "front", "behind":
        apart = abs((began[relation, "90 deg"] - began[relation, "270 deg"] + 180) % 360 - 180)
        check(f"{relation}: {apart} degrees apart", apart > 150)
    check("nobody's viewpoint has a facing", {row["facing"] for row in table(folder, "all_flips") if row["prompt"] in ("nop", "cam")} == {""})


def main():
    for test in several_are_scored_as_one, repetitions_are_within_their_scene, what_does_not_belong_together_is_told, \
            pictures_of_two_folders_are_their_own, flips_of_opposite_facings_stay_apart, real_sweeps_and_their_exports_say_the_same:
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder))
    print("\n".join(dict.fromkeys(failures)) or "all as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
