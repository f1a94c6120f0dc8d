#!/usr/bin/python3
"""pov sim: images whose truth is known, the same whoever draws them; and pov run finds that truth in them."""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import cv2

POV = os.environ["POV"]


FURNITURE = pathlib.Path("/usr/share/sweethome3d/furniture")
OWN = {**os.environ, "POV_FURNITURE": "/nowhere"}  # as on a machine without sweethome3d-furniture


def pov(*arguments, code=0, environment=OWN, cwd=None):
    done = subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True, env=environment, cwd=cwd)
    assert done.returncode == code, f"pov {arguments}: exit {done.returncode}\n{done.stderr}"
    return done.stdout, done.stderr


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def files(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def same_seed_same_bytes_whatever_the_threads(folder):
    common = ("station", "--images", 2, "--size", "320x240", "--sensor", "noisy", "--views", "--truth-images")
    pov("sim", *common, "--seed", 3, "--threads", 1, "--out", folder / "a")
    pov("sim", *common, "--seed", 3, "--threads", 3, "--out", folder / "b")
    pov("sim", *common, "--seed", 4, "--threads", 3, "--out", folder / "c")
    a, b, c = (files(folder / name) for name in "abc")
    assert a == b and len(a) == 5 + 4 + 2 * 5, sorted(a)
    assert a["images/simulated_0000.png"] != c["images/simulated_0000.png"]
    assert a["ids/simulated_0000.png"] == c["ids/simulated_0000.png"]


def several_cameras_see_one_world_at_one_time(folder):
    """The truths of both agree on all but the camera; pov run makes one scene of both, better than either alone."""
    out = folder / "two"
    world = folder / "two.yaml"
    world.write_text("rate_hz: 4\n" + pov("sim", "--print", "station")[0])
    pov("sim", world, "--cameras", 2, "--images", 8, "--size", "640x360", "--out", out)
    truths = [lines(out / camera / "truth.jsonl") for camera in "ab"]
    for a, b in zip(*truths):
        things = [[(e["id"], e["pos_m"]) for e in t["scene"]["entities"] if e["class"] != "camera"] for t in (a, b)]
        assert things[0] == things[1]
        assert a["time_s"] == b["time_s"] and a["camera"]["pos_m"] != b["camera"]["pos_m"]
    placed, claims, known = {}, [], {}
    for camera, station in (("a", "a/station.yaml"), ("b", "b/station.yaml"), ("both", "station.yaml")):
        judged, _ = pov("run", out / station, "--rate", 4, "--json", "--no-publish", "--quiet")
        seen = [json.loads(line) for line in judged.splitlines()]
        assert len(seen) == (16 if camera == "both" else 8)
        for o in seen:
            number = o["image"]["sequence"]
            assert o["image"].get("camera") in (("a", "b") if camera == "both" else (None,))
            truth = {e["id"]: e["pos_m"] for e in truths[0][number]["scene"]["entities"]}
            for e in o["scene"]["entities"]:
                if not e["pos_m"] or e["class"] in ("camera", "woman"):
                    continue
                off_m = [a - b for a, b in zip(e["pos_m"], truth[e["id"]])]
                if e["seen"]:
                    placed[camera, o["image"].get("camera", camera), number, e["id"]] = math.hypot(*off_m)
                if camera == "both":
                    claims.append(all(abs(d) < 3.3 * math.sqrt(e["pos_cov_m2"][4 * k]) for k, d in enumerate(off_m)))
        known[camera] = sum(e["pos_m"] is not None for o in seen for e in o["scene"]["entities"]) / len(seen)
    assert known["both"] > max(known["a"], known["b"]), known
    assert sum(claims) > 0.95 * len(claims), (sum(claims), len(claims))
    pairs = [(placed["both", camera, number, thing], alone) for (of, camera, number, thing), alone in placed.items()
             if of == camera and ("both", camera, number, thing) in placed]
    fused, alone = (math.sqrt(sum(p[k] ** 2 for p in pairs) / len(pairs)) for k in (0, 1))
    assert fused < alone, (fused, alone)
    pov("run", out / "station.yaml", "--record", folder / "x.mcap")
    held, _ = pov("info", folder / "x.mcap")
    assert re.search(r"/camera/a/image +8 ", held) and re.search(r"/camera/b/image +8 ", held), held
    found, _ = pov("doctor", out / "station.yaml")
    assert all(re.search(rf"ok +images +camera {camera}: 8 in", found) for camera in "ab"), found


def a_folder_of_others_is_left_alone(folder):
    mine = folder / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("do not touch")
    _, complaint = pov("sim", "station", "--images", 1, "--out", mine, code=1)
    assert "did not write" in complaint and len(files(mine)) == 1


def a_shorter_run_leaves_no_images_of_a_longer_one(folder):
    for count in (3, 1):
        pov("sim", "station", "--images", count, "--size", "160x120", "--out", folder / "n")
    assert len(list((folder / "n/images").iterdir())) == 1 and len(lines(folder / "n/truth.jsonl")) == 1


def what_is_stopped_says_so_and_tells_the_truth_of_what_is_there(folder):
    out = folder / "stopped"
    pov("sim", "station", "--images", 3, "--size", "160x120", "--out", out)
    process = subprocess.Popen([POV, "sim", "station", "--images", "100000", "--size", "160x120", "--out", out],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while len(list((out / "images").iterdir())) < 5:
        time.sleep(0.01)
    process.terminate()
    said, complaint = process.communicate(timeout=300)
    told = lines(out / "truth.jsonl")
    assert process.returncode == 1 and said == "" and f"stopped after {len(told)} of 100000 images" in complaint, complaint
    assert len(told) == len(list((out / "images").iterdir())) >= 5


def names_with_quotes_and_backslashes_are_json_too(folder):
    world = folder / 'a "quoted" \\world.yaml'
    world.write_text(pov("sim", "--print", "station")[0] + "\nvariants: [{name: 'so\"called\"'}]\n")
    pov("sim", world, "--variant", 'so"called"', "--images", 1, "--size", "160x120", "--out", folder / "quoted")
    (line,) = lines(folder / "quoted/truth.jsonl")
    assert line["world"] == world.stem and line["variant"] == 'so"called"', line


def options_that_contradict_are_wrong_usage(folder):
    for words in (("--list", "--classes"), ("--classes", "car"), ("station", "--list"), ("--list", "--print", "station")):
        before = files(folder)
        pov("sim", *words, code=2, cwd=folder)
        assert files(folder) == before


def azimuth(referent, relatum, origin):
    """How far the referent lies to the left of the line of sight from an origin to a relatum, by plain trigonometry."""
    sight = math.atan2(relatum[1] - origin[1], relatum[0] - origin[0])
    to = math.atan2(referent[1] - relatum[1], referent[0] - relatum[0])
    return math.remainder(to - sight, 2 * math.pi)


def expected(judgment, places, headings):
    """Whether a relation holds in truth, and how far from its boundary, from the definitions in RELATIONS.md."""
    referent, relatum = places[judgment["referent"]], places[judgment["relatum"]]
    if judgment["perspective"] == "intrinsic":
        forward = headings[judgment["relatum"]]
    elif judgment["axis"] == "heading":
        forward = headings[judgment["viewer"]]
    else:
        viewer = places[judgment["viewer"]]
        forward = math.atan2(relatum[1] - viewer[1], relatum[0] - viewer[0])
    turn = {"in_front_of": 0, "left_of": math.pi / 2, "behind": math.pi, "right_of": -math.pi / 2}[judgment["relation"]]
    convention = judgment["convention"]
    if convention == "rotated" or (convention == "reflected" and judgment["relation"] in ("in_front_of", "behind")):
        turn += math.pi
    to = math.atan2(referent[1] - relatum[1], referent[0] - relatum[0])
    theta = abs(math.remainder(to - forward - turn, 2 * math.pi))
    return theta < math.pi / 2, abs(theta - math.pi / 2)


def a_station_finds_the_truth(folder):
    out = folder / "station"
    pov("sim", "station", "--images", 4, "--out", out)
    stdout, _ = pov("run", out / "station.yaml", "--json", "--no-publish")
    said, truth = [json.loads(line) for line in stdout.splitlines()], lines(out / "truth.jsonl")
    assert len(said) == len(truth) == 4
    checked = found = 0
    for image, true in zip(said, truth):
        assert image["image"]["name"] == true["image"]["name"]
        assert image["image"]["calibration"] == true["camera"]["calibration"]
        places = {e["id"]: e["pos_m"] for e in true["scene"]["entities"]}
        headings = {e["id"]: e["heading_rad"] for e in true["scene"]["entities"]}
        off = math.dist(image["image"]["pose"]["pos_m"], true["camera"]["pos_m"])
        assert off < 0.005, f"camera off by {off} m"
        for entity in image["scene"]["entities"]:
            if entity["pos_m"]:
                found += 1
                assert math.dist(entity["pos_m"], places[entity["id"]]) < 0.03, (entity, places[entity["id"]])
        for judgment in image["judgments"]:
            if judgment["verdict"] not in ("true", "false"):
                continue
            holds, _ = expected(judgment, places, headings)
            assert (judgment["verdict"] == "true") == holds, (image["image"]["name"], judgment)
            checked += 1
    assert found >= 20 and checked > 1300, (found, checked)


def a_station_knows_how_things_without_a_front_lie(folder):
    world = folder / "askew.yaml"
    world.write_text("camera: {size_px: [160, 120], field_of_view_deg: 50, position_m: [1, 0, 1], look_at_m: [0, 0, 0]}\n"
                     "sensor: {preset: noisy, exposure: 0.6, jpeg_quality: 30}\n"
                     "tags: {family: tag36h11, edge_m: 0.3, lying: [{id: 0, position_m: [0, 0.3]}]}\n"
                     "things: [{id: book, position_m: [0, 0], yaw_deg: 30}]\n")
    pov("sim", world, "--images", 1, "--out", folder / "askew")
    said = json.loads(pov("run", folder / "askew/station.yaml", "--json", "--no-publish")[0])
    book = next(entity for entity in said["scene"]["entities"] if entity["id"] == "book")
    assert math.isclose(book["R_table_box"][3], 0.5, abs_tol=1e-9) and book["heading_rad"] is None, book


def scenes_are_judged(folder):
    stdout, _ = pov("judge", folder / "station/scenes/simulated_0000.yaml", "--json")
    assert json.loads(stdout)["judgments"]


def the_simulator_as_a_source_shows_the_same_images(folder):
    the_same_live(folder / "station/station.yaml", 2)
    the_same_live(folder / "askew/station.yaml", 1)  # a preset with something laid over it


def the_same_live(station, images):
    live = station.parent / "live.yaml"
    live.write_text(station.read_text().replace("source: folder", "source: simulator"))
    said = [pov("run", path, "--json", "--no-publish", "--count", images)[0].splitlines() for path in (station, live)]
    for folder_line, live_line in zip(*map(lambda lines: map(json.loads, lines), said)):
        folder_line["image"].pop("capture_ns"), live_line["image"].pop("capture_ns")
        assert folder_line == live_line
    assert len(said[0]) == len(said[1]) == images


def truth_images_agree_with_the_truth(folder):
    for line in lines(folder / "a/truth.jsonl"):
        ids = cv2.imread(str(folder / "a/ids" / line["image"]["name"]), cv2.IMREAD_UNCHANGED)
        depth = cv2.imread(str(folder / "a/depth" / line["image"]["name"]), cv2.IMREAD_UNCHANGED)
        assert ids.dtype == depth.dtype == "uint16" and ids.shape == (240, 320)
        eye, axis = line["camera"]["pos_m"], line["camera"]["R_table_camera"][2::3]
        for entity in line["scene"]["entities"][1:]:
            mask = ids == entity["label"] + 1
            assert mask.sum() == entity["pixels"] > 0, entity["id"]
            along = sum(a * (p - e) for a, p, e in zip(axis, entity["pos_m"], eye))
            assert abs(depth[mask] / 1000 - along).max() < math.hypot(*entity["size_m"]) / 2 + 0.001


def bodies_are_our_own_without_the_package(folder):
    common = ("comfort-car", "--images", 1, "--size", "160x120", "--out")
    stdout, _ = pov("sim", *common, folder / "auto")
    pov("sim", *common, folder / "own", "--bodies", "own", environment=None)
    auto, own = files(folder / "auto"), files(folder / "own")
    assert auto == own and "ATTRIBUTION.txt" not in own and "CC BY" not in stdout, stdout
    _, complaint = pov("sim", *common, folder / "package", "--bodies", "package", code=1)
    assert "apt-get install sweethome3d-furniture" in complaint, complaint


def bodies_of_the_package_are_attributed_and_leave_the_truth_as_it_is(folder):
    if not FURNITURE.exists():
        print("skipped: sweethome3d-furniture is not installed", file=sys.stderr)
        return
    out = folder / "package"
    stdout, _ = pov("sim", "comfort-car", "--images", 2, "--out", out, environment=None)
    named = (out / "ATTRIBUTION.txt").read_text()
    assert "Concept Sedan" in named and "Reallusion" in named and "CC BY 3.0" in named and named in stdout
    pov("sim", "comfort-car", "--images", 2, "--out", folder / "own")
    for package, own in zip(lines(out / "truth.jsonl"), lines(folder / "own/truth.jsonl")):
        for a, b in zip(package["scene"]["entities"], own["scene"]["entities"]):
            assert (a["pos_m"], a["size_m"], a["heading_rad"]) == (b["pos_m"], b["size_m"], b["heading_rad"])
            if a["id"] in ("car", "woman"):  # another body within the same box
                assert 0.7 < a["pixels"] / b["pixels"] < 1.4, (a, b)
    live = out / "live.yaml"
    live.write_text((out / "station.yaml").read_text().replace("source: folder", "source: simulator"))
    for path in (live, out / "station.yaml"):
        stdout, _ = pov("run", path, "--json", "--no-publish", "--count", 2, environment=None)
        assert all(e["pos_m"] for l in stdout.splitlines() for e in json.loads(l)["scene"]["entities"])
    _, complaint = pov("run", live, "--json", "--no-publish", code=1)
    assert "apt-get install sweethome3d-furniture" in complaint, complaint
    pov("sim", "comfort-car", "--images", 2, "--out", out)
    assert not (out / "ATTRIBUTION.txt").exists()


def complaints_name_the_cure(folder):
    bad = folder / "bad.yaml"
    bad.write_text("things:\n  - {id: car, position_m: [0, 0], on: tabel}\n")
    _, complaint = pov("sim", bad, "--out", folder / "x", code=1)
    assert "bad.yaml:2" in complaint and "'tabel'" in complaint, complaint
    _, complaint = pov("sim", "statoin", "--out", folder / "x", code=1)
    assert "'station'" in complaint, complaint
    pov("sim", "station", "--size", "big", code=2)
    pov("sim", "station", "--bodies", "nice", code=2)
    pov("sim", code=2)
    assert not (folder / "x").exists()


with tempfile.TemporaryDirectory() as name:
    for test in (same_seed_same_bytes_whatever_the_threads, several_cameras_see_one_world_at_one_time, a_folder_of_others_is_left_alone,
                 a_shorter_run_leaves_no_images_of_a_longer_one,
                 what_is_stopped_says_so_and_tells_the_truth_of_what_is_there, options_that_contradict_are_wrong_usage,
                 names_with_quotes_and_backslashes_are_json_too, truth_images_agree_with_the_truth,
                 a_station_finds_the_truth, a_station_knows_how_things_without_a_front_lie,
                 scenes_are_judged, the_simulator_as_a_source_shows_the_same_images,
                 bodies_are_our_own_without_the_package,
                 bodies_of_the_package_are_attributed_and_leave_the_truth_as_it_is, complaints_name_the_cure):
        test(pathlib.Path(name))
        print("ok", test.__name__, file=sys.stderr)
