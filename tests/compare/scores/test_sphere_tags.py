#!/usr/bin/python3
"""SPHERE's answers by the skills and the viewpoint that released items are tagged with, counted by hand."""
import csv
import json
import os
import pathlib
import random
import subprocess
import tempfile

POV = os.environ["POV"]
rng = random.Random(4)
rows = [{"model": model, "id": i, "task": "manipulation", "options": "left|right", "gold": rng.choice(["left", "right"]), "answer": "left",
         "skill": "|".join(rng.sample(["pos", "size", "dist"], i % 4)), "viewpoint": ("ego", "allo", "")[i % 3]}
        for model in ("a", "b") for i in range(40)]
with tempfile.TemporaryDirectory() as name:
    path = pathlib.Path(name) / "sphere.csv"
    with path.open("w", newline="") as file:
        out = csv.DictWriter(file, rows[0])
        out.writeheader()
        out.writerows(rows)
    done = subprocess.run([POV, "score", path, "--paper", "sphere", "--json"], capture_output=True, text=True, check=True)
    scores = {(row["model"], row["by"], row["value"]): row["accuracy"]["mean"] for row in json.loads(done.stdout)["scores"]}
    for model in "a", "b":
        for by, values in ("skill", ("pos", "size", "dist")), ("viewpoint", ("ego", "allo")):
            for value in values:
                of = [row["gold"] == "left" for row in rows if row["model"] == model and value in row[by].split("|")]
                assert abs(scores[model, by, value] - sum(of) / len(of)) < 1e-9, (model, by, value)
    subprocess.run([POV, "report", path, "--out", path.with_suffix(".html"), "--csv", path.parent / "t"], check=True, stdout=subprocess.DEVNULL)
    assert (path.parent / "t/sphere_by_skill.csv").is_file() and (path.parent / "t/sphere_by_viewpoint.csv").is_file()
    path.write_text("id,task,options,gold,answer,skill\n1,x,a|b,a,a,1|2|3|4|5|6|7|8|9\n")
    done = subprocess.run([POV, "score", path, "--paper", "sphere"], capture_output=True, text=True)
    assert done.returncode == 1 and "more than 8 skills" in done.stderr
print("as counted by hand")
