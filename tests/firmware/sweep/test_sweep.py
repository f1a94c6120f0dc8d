#!/usr/bin/python3
"""pov sweep and pov compare, from a simulated station to scores, over real sockets: a perfect answerer has nothing wrong,
a biased one is diagnosed as what it is; resuming asks nothing twice; exports score as the log does."""
import csv
import io
import os
import json
import pathlib
import re
import socket
import subprocess
import sys
import threading
import time

import cv2
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import sweep_peer
from sweep_peer import Server, assert_answered_once, pov, query, station

RELATIONS = 4
ANGLES = 36


def row(table, **keys):
    found = [r for r in table if all(r[k] == v for k, v in keys.items())]
    assert len(found) == 1, (keys, table)
    return found[0]


def mean(estimate):
    return estimate["mean"]


def a_perfect_answerer_has_nothing_wrong(folder):
    run = folder / "perfect"
    with Server(run) as server:
        scores = json.loads(pov("sweep", station(folder), "--out", run, "--vlm", server.url, "--model", "perfect",
                                "--quiet", "--json"))
    for prompt in "nop", "cam":
        performance = row(scores["performance"], prompt=prompt)
        assert mean(performance["accuracy"]) == 1 and mean(performance["eps_cos"]) < 1e-3, performance
        assert row(scores["answers"], prompt=prompt)["unscored"] == 0
        assert row(scores["convention"], prompt=prompt)["best"] == "reflected"
    everything = row(scores["agreement"], questions="comfort", of="all")
    assert mean(everything["station"]) == 1 and mean(everything["truth"]) == 1, everything
    assert assert_answered_once(run) == ANGLES * (2 * RELATIONS + 4)
    assert query(run, "SELECT count(*) FROM images WHERE curve_deg != turn_deg") == [(0,)]
    return run


def a_biased_answerer_is_diagnosed(folder):
    where = folder / "car"
    where.mkdir()
    cars = station(where, "comfort-car")
    for bias, best, wrong in ("egocentric", "egocentric", ("add", "rel")), ("addressee-blind", "egocentric", ("add",)):
        run = where / bias
        with Server(run, "--bias", bias) as server:
            scores = json.loads(pov("sweep", cars, "--out", run, "--pairs", "basketball:car", "--vlm", server.url,
                                    "--model", bias, "--quiet", "--json"))
        for prompt in "nop", "cam", "add", "rel":
            performance = row(scores["performance"], prompt=prompt)
            if prompt in wrong:
                assert mean(performance["accuracy"]) < 0.6 and mean(performance["eps_cos"]) > 0.3, (bias, performance)
            else:
                assert mean(performance["accuracy"]) == 1 and mean(performance["eps_cos"]) < 1e-3, (bias, performance)
        assert row(scores["perspective"], prompt="nop")["best"] == best, scores["perspective"]


def a_question_tells_where_its_things_are_in_the_image(folder):
    """The ball is the one orange thing, and what is orange in the image lies in its box; the report shows the pictures with frames."""
    run, seen = folder / "car/egocentric", 0
    for path, columns in query(run, "SELECT i.path, q.columns FROM images i JOIN questions q ON q.image = i.id WHERE q.columns LIKE '%viewer%'")[::9]:
        columns = json.loads(columns)
        assert columns["viewer"] == "woman"
        marks = {role: (list(map(float, box)), name) for role, *box, name in (one.split() for one in columns["marks"].split("; "))}
        assert {role: name for role, (_, name) in marks.items()} == {"referent": "basketball", "relatum": "car", "viewer": "woman"}
        image = cv2.imread(str(run / path))[..., ::-1].astype(int)
        orange = (image[..., 0] > image[..., 2] + 60) & (image[..., 0] > 90)
        orange[:, :int(1 + marks["viewer"][0][2] * image.shape[1])] = False  # her skin
        rows, places = np.nonzero(orange)
        left, top, right, bottom = np.array(marks["referent"][0]) * np.tile(image.shape[1::-1], 2)
        inside = (places > left - 2) & (places < right + 2) & (rows > top - 2) & (rows < bottom + 2)
        seen += len(rows) > 0
        assert len(rows) == 0 or inside.mean() > 0.75, (path, inside.mean(), marks)
    assert seen > 5
    pov("report", run, "--out", folder / "car.html")
    page = (folder / "car.html").read_text()
    assert "Asked: left, from the woman." in page and "class=\"viewer\"" in page


def what_is_told_before_a_question_is_known_to_the_answerer(folder):
    """The station's measurements, which are not quite the truth's."""
    run = folder / "guided"
    pov("sweep", folder / "car/world/simulated.yaml", "--out", run, "--questions", "vpt", "--guided", "facts", "--quiet")
    known = {json.loads(line)["prompt"] for line in (run / "vlm_truth.jsonl").read_text().splitlines()}
    asked = [prompt for prompt, in query(run, "SELECT prompt FROM questions WHERE truth IS NOT NULL")]
    assert len(asked) > 100 and not [prompt for prompt in asked if prompt not in known]


def an_answerer_that_always_says_yes_is_right_in_17_of_the_34_that_geometry_tells(folder):
    """Of the paper's 36, which its authors' layout has, the two on the half-plane's edge count as no."""
    run = folder / "yes"
    with Server(run, "--bias", "always-yes") as server:
        scores = json.loads(pov("sweep", folder / "world/simulated.yaml", "--out", run, "--vlm", server.url, "--model",
                                "yes", "--quiet", "--json"))
    performance = row(scores["performance"], prompt="nop")
    assert abs(mean(performance["accuracy_told"]) - 17 / 34) < 1e-12, performance
    assert abs(mean(performance["accuracy"]) - 17 / 36) < 1e-12, performance
    assert row(scores["answers"], prompt="nop")["untold"] == 2 * RELATIONS
    curves = folder / "yes.json"
    curves.write_text(pov("compare", run, "--export", "comfort"))
    for by_paper in json.loads(pov("score", curves, "--json"))["performance"]:
        assert abs(mean(by_paper["accuracy"]) - 17 / 36) < 1e-12, by_paper
    assert row(scores["answers"], prompt="nop")["constant"] == RELATIONS


def nothing_is_asked_twice(run, folder):
    before = query(run, "SELECT count(*) FROM results")
    pov("sweep", folder / "world/simulated.yaml", "--out", run, "--resume", "--quiet")
    with Server(run) as server:
        pov("compare", run, "--vlm", server.url, "--model", "perfect")
        assert query(run, "SELECT count(*) FROM results") == before
        pov("compare", run, "--vlm", server.url, "--model", "another")
    assert query(run, "SELECT count(*) FROM results") == [(2 * before[0][0],)]
    assert_answered_once(run, models=2)


def questions_can_be_added_afterwards(run):
    before = query(run, "SELECT count(*) FROM questions")[0][0]
    with Server(run) as server:
        pov("compare", run, "--questions", "comfort", "--languages", "de,en", "--vlm", server.url, "--model", "perfect")
        scores = json.loads(pov("compare", run, "--json"))
    assert query(run, "SELECT count(*) FROM questions")[0][0] == 2 * before
    german = row(scores["performance"], model="perfect", language="de", prompt="nop")
    assert mean(german["accuracy"]) == 1 and mean(german["eps_cos"]) < 1e-3, german


def an_export_scores_as_the_log_does(run, folder):
    scores = json.loads(pov("compare", run, "--json"))
    for form in "csv", "jsonl", "comfort":
        text = pov("compare", run, "--export", form, *(["--paper", "comfort"] if form != "comfort" else []))
        path = folder / f"answers.{form}"
        path.write_text(text)
        again = json.loads(pov("score", path, "--json"))
        if form != "comfort":
            assert again["performance"] == scores["performance"], form
        of = ("model", "language", "set", "prompt", "convention", "scenes", "accuracy")
        assert [[r[k] for k in of] for r in again["performance"]] == [[r[k] for k in of] for r in scores["performance"]], form
        assert all(mean(r["accuracy"]) == 1 for r in again["performance"]), form
    rows = list(csv.DictReader(io.StringIO((folder / "answers.csv").read_text())))
    lines = [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]
    assert [r["id"] for r in rows] == [r["id"] for r in lines] and len(rows) == len(lines) > 0


def another_station_is_not_mixed_in(run, folder):
    other = folder / "other.yaml"
    other.write_text((folder / "world/simulated.yaml").read_text().replace("camera.yaml", "world/camera.yaml") + "\n")
    assert "It differs in: the station file's text" in pov("sweep", other, "--out", run, "--resume", code=1)
    assert "--resume" in pov("sweep", folder / "world/simulated.yaml", "--out", run, code=1)
    told = pov("sweep", folder / "world/simulated.yaml", "--out", run, "--resume", "--angles", 11, "--questions", "vsr", code=1)
    assert '--angles (36 then, 11 now); --questions (["comfort"] then, ["vsr"] now)' in told, told


def images_of_a_folder_are_swept(folder):
    pov("sim", "comfort-ball", "--images", 36, "--out", folder / "practice")
    run = folder / "images"
    pov("sweep", folder / "practice/station.yaml", "--out", run, "--quiet")
    assert query(run, "SELECT count(*), count(DISTINCT curve_deg) FROM images") == [(36, 36)]


def the_comparison_is_on_the_wire(where, table):
    """A subscriber alone, and the recording alone, have what the log has: each question once asked and once answered."""
    run = where / "compared"
    pov("sweep", table, "--out", run, "--angles", 3, "--no-publish", "--quiet")
    with Server(run, "--bias", "always-yes") as server:
        listener = subprocess.Popen([sweep_peer.POV, "listen", "--connect", f"ipc://{where}/wire", "--topic", "vlm", "--json", "--timeout", "60",
                                     "--count", str(2 * 3 * 12)], stdout=subprocess.PIPE, text=True)
        heard = []
        reader = threading.Thread(target=lambda: heard.extend(json.loads(line)["comparison"] for line in listener.stdout))
        reader.start()
        time.sleep(1)
        pov("sweep", table, "--out", run, "--angles", 3, "--resume", "--vlm", server.url, "--model", "perfect", "--record", where / "compared.mcap",
            "--quiet")
        reader.join(90)
    logged = query(run, "SELECT q.id, q.prompt, q.gold, r.p, r.text, i.sha256 FROM results r JOIN questions q ON q.id = r.question "
                        "JOIN images i ON i.id = q.image WHERE r.counted ORDER BY q.id")
    answered = sorted((c for c in heard if c["status"] != "asked"), key=lambda c: c["question"])
    assert sorted(c["question"] for c in heard if c["status"] == "asked") == [row[0] for row in logged], heard
    assert [(c["question"], c["prompt"], c["p"], c["answer"], c["image_sha256"]) for c in answered] == \
        [(id, prompt, p, text, digest) for id, prompt, _, p, text, digest in logged]
    for c, (_, _, gold, p, *_) in zip(answered, logged):
        assert c["agreement"] == (None if gold is None else "yes" if (p > 0.5) == (gold == "yes") else "no"), (c, gold)
        assert [g["asked"] for g in c["golds"]].count(True) == 1 and c["answered_ns"] > c["asked_ns"], c
    assert re.search(rf"^ *vlm +{len(heard)} ", pov("info", where / "compared.mcap"), re.M)


def what_the_screen_does_not_show_is_told(where, table):
    """More curves than fit into 64, and questions that have no place on a curve."""
    languages = [line.split()[0] for line in pov("questions", "--languages").splitlines()[1:10]]
    done = subprocess.run([sweep_peer.POV, "sweep", table, "--out", where / "many", "--angles", "1", "--no-publish", "--questions", "comfort,vsr",
                           "--languages", ",".join(languages)], capture_output=True, text=True, timeout=250, env=sweep_peer.ENVIRONMENT)
    (curves,), (others,) = (query(where / "many", f"SELECT count(*) FROM questions WHERE {what} json_extract(columns, '$.prompt') IS NULL")[0] for what in ("NOT", ""))
    lines = [line for line in done.stderr.splitlines() if re.search(r"\| (nop|cam|add|rel) ", line)]
    assert len(lines) == curves > 64, (len(lines), curves, done.stderr)
    assert f"{others} questions are of other forms in the log" in done.stderr, done.stderr


def what_is_asked_afterwards_is_heard(where, table):
    """pov compare publishes where the sweep's station does; an endpoint that cannot be had ends it, --no-publish does without."""
    run = where / "afterwards"
    pov("sweep", table, "--out", run, "--angles", 2, "--no-publish", "--quiet")
    with Server(run) as server:
        asks = ["compare", run, "--vlm", server.url, "--model"]
        listener = subprocess.Popen([sweep_peer.POV, "listen", "--connect", f"ipc://{where}/wire", "--topic", "vlm", "--json", "--timeout", "60",
                                     "--count", str(2 * 2 * 12)], stdout=subprocess.PIPE, text=True)
        time.sleep(1)
        slow = Server(run, "--latency", 400)
        pov("compare", run, "--vlm", slow.url, "--model", "slow")  # the listener connects meanwhile
        slow.kill()
        heard = [json.loads(line)["comparison"] for line in listener.communicate(timeout=90)[0].splitlines()]
        assert {c["question"] for c in heard} == {id for id, in query(run, "SELECT id FROM questions")} and {c["model"] for c in heard} == {"slow"}
        phi_deg = dict(query(run, "SELECT q.id, i.phi_deg FROM questions q JOIN images i ON i.id = q.image"))
        assert all(abs((c["angle_deg"] - phi_deg[c["question"]] + 180) % 360 - 180) < 1e-6 for c in heard)
        with socket.socket(socket.AF_UNIX) as holder:
            (where / "wire").unlink(missing_ok=True)
            holder.bind(str(where / "wire"))
            holder.listen()
            assert f"{where}/wire" in pov(*asks, "second", code=1)
            pov(*asks, "second", "--no-publish")
        (where / "wire").unlink()


def a_station_that_names_an_endpoint_is_heard(folder):
    where = folder / "heard"
    where.mkdir()
    table = station(where, publish=f"{{endpoint: 'ipc://{where}/wire'}}")
    listener = subprocess.Popen([sweep_peer.POV, "listen", "--connect", f"ipc://{where}/wire", "--json", "--timeout", "120", "--count", "6"],
                                stdout=subprocess.PIPE, text=True)
    pov("sweep", table, "--out", where / "run", "--angles", 6, "--pace", 0.3, "--quiet")
    names = [json.loads(line)["image"]["name"] for line in listener.communicate(timeout=150)[0].splitlines()]
    assert listener.returncode == 0 and len(names) == 6, names
    the_comparison_is_on_the_wire(where, table)
    what_is_asked_afterwards_is_heard(where, table)
    what_the_screen_does_not_show_is_told(where, table)
    # Something else has the endpoint: an error before the first image, which names it. With --no-publish none is wanted.
    (where / "taken").mkdir()
    holder = socket.socket()
    holder.bind(("127.0.0.1", 0))
    holder.listen()
    table = station(where / "taken", publish=f"{{endpoint: 'tcp://127.0.0.1:{holder.getsockname()[1]}'}}")
    assert str(holder.getsockname()[1]) in pov("sweep", table, "--out", where / "taken/run", "--quiet", code=1)
    assert str(holder.getsockname()[1]) in pov("run", table, "--count", 1, "--quiet", code=1)
    pov("sweep", table, "--out", where / "taken/silent", "--angles", 2, "--no-publish", "--quiet")


def main():
    with sweep_peer.folder() as name:
        folder = pathlib.Path(name)
        run = a_perfect_answerer_has_nothing_wrong(folder)
        a_biased_answerer_is_diagnosed(folder)
        a_question_tells_where_its_things_are_in_the_image(folder)
        what_is_told_before_a_question_is_known_to_the_answerer(folder)
        an_answerer_that_always_says_yes_is_right_in_17_of_the_34_that_geometry_tells(folder)
        nothing_is_asked_twice(run, folder)
        questions_can_be_added_afterwards(run)
        an_export_scores_as_the_log_does(run, folder)
        another_station_is_not_mixed_in(run, folder)
        a_station_that_names_an_endpoint_is_heard(folder)
        if "POV_SANITIZED" not in os.environ:
            images_of_a_folder_are_swept(folder)
    print("a simulated station was swept, resumed, compared and exported")


if __name__ == "__main__":
    main()
