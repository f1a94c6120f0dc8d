#!/usr/bin/env python3
"""Recordings read by Foxglove's own npm packages, and files of theirs read by pov. Skipped without node or the packages."""
import hashlib
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

POV = os.environ["POV"]
SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
BUILD = pathlib.Path(POV).parent / "interop"  # kept: packages are fetched once


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def packages():
    """The folder with the packages and the scripts."""
    if not shutil.which("node") or not shutil.which("npm"):
        skip("node and npm are not installed")
    BUILD.mkdir(exist_ok=True)
    wanted = (SOURCE / "tests/interop/package-lock.json").read_bytes()
    have = BUILD / "installed"
    for file in (SOURCE / "tests/interop").iterdir():
        shutil.copy(file, BUILD)
    if not have.exists() or have.read_bytes() != wanted:
        done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=BUILD, capture_output=True, text=True)
        if done.returncode != 0:
            skip(f"the npm packages cannot be had: {done.stderr.strip().splitlines()[-1:]}")
        have.write_bytes(wanted)
    return BUILD


def pov(*arguments):
    return subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def node(script, *arguments):
    done = subprocess.run(["node", script, *map(str, arguments)], cwd=BUILD, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rotation(q):
    x, y, z, w = (q.get(axis, 0) for axis in "xyzw")
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]


def vector(v):
    return [v.get(axis, 0) for axis in "xyz"]


def close(a, b, tolerance=1e-6):
    return all(abs(x - y) < tolerance for x, y in zip(a, b, strict=True))


def check_views(topics, judged):
    """Foxglove's messages of the first image say what its line of JSON says."""
    pose, entities = judged["image"]["pose"], {e["id"]: e for e in judged["scene"]["entities"] if e["id"] != "camera"}
    frames = {t["child_frame_id"]: t for t in topics["/tf"]["first"]["transforms"]}
    assert set(frames) == {"camera"} | {f"entity/{name}" for name in entities}, frames.keys()
    R = rotation(frames["camera"]["rotation"])
    assert close(sum(R, []), pose["R_table_camera"]) and close(vector(frames["camera"]["translation"]), pose["pos_m"])
    assert all(close(vector(frames[f"entity/{name}"]["translation"]), e["pos_m"]) for name, e in entities.items())
    shown = {e["id"]: e for e in topics["/scene"]["first"]["entities"]}
    labels = {t["text"]: t["position"] for t in topics["/camera/annotations"]["first"]["texts"]}
    assert set(shown) == set(labels) == set(entities)
    for name, entity in entities.items():
        (sphere,) = shown[name]["spheres"]
        assert close(vector(sphere["size"]), entity["size_m"]) and close(vector(sphere["pose"]["position"]), entity["pos_m"])
        assert shown[name]["texts"][0]["text"] == name and shown[name]["frame_id"] == "table"
        ahead = [entity["pos_m"][i] - pose["pos_m"][i] for i in range(3)]
        seen = [sum(R[i][k] * ahead[i] for i in range(3)) for k in range(3)]  # R_camera_table * ahead
        pixel = [310.696 * seen[k] / seen[2] + 141.5 + 0.5 for k in range(2)]  # Foxglove counts from the image's corner
        assert close(pixel, [labels[name]["x"], labels[name]["y"]], 1e-2), (name, pixel, labels[name])


def check_recording(folder):
    assert pov("sim", "comfort-ball", "--images", 8, "--quiet", "--out", folder / "world").returncode == 0
    recording = folder / "a.mcap"
    run = pov("run", folder / "world/station.yaml", "--no-publish", "--json", "--record", recording)
    assert run.returncode == 0, run.stderr
    judged = [json.loads(line) for line in run.stdout.splitlines()]
    read = json.loads(node("read_recording.mjs", recording))
    topics = read["topics"]
    assert read["messages"] == read["streamed"] == read["reverse"] and read["stream_done"] and read["sorted"], read
    assert read["second_half"] == read["second_half_wanted"] > 0, read
    assert topics["observation"]["count"] == topics["scene"]["count"] == topics["/camera/image"]["count"] == 8
    # images byte for byte, names, times, one judgment
    files = sorted((folder / "world/images").iterdir())
    assert topics["/camera/image"]["sha"] == [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
    header, first = topics["/camera/header"]["first"], judged[0]["image"]
    assert header["name"] == first["name"] == files[0].name and int(header["capture_ns"]) == first["capture_ns"]
    stamp = topics["/camera/image"]["first"]["timestamp"]
    assert int(stamp["seconds"]) * 10**9 + stamp["nanos"] == first["capture_ns"]
    observation = topics["observation"]["first"]["observation"]
    assert [entity["name"] for entity in observation["scene"]["entities"]] == [entity["id"] for entity in judged[0]["scene"]["entities"]]
    assert abs(observation["judgments"][0]["p"] - judged[0]["judgments"][0]["p"]) < 1e-6
    calibration = topics["/camera/calibration"]["first"]
    assert calibration["width"] == 284 and abs(calibration["K"][0] - 310.696) < 1e-3 and len(calibration["P"]) == 12
    check_views(topics, judged[0])
    layout = json.loads((SOURCE / "share/foxglove/pov.json").read_text())
    named = set(re.findall(r'"(/[\w/]+)"', json.dumps(layout["configById"])))
    assert "/camera/annotations" in named and named <= set(topics) | {"/log", "/marker"}, named
    schemas = json.loads(node("check_schemas.mjs", recording))
    assert not schemas["faults"] and len(schemas["checked"]) == 27, schemas
    for name in "station.yaml", "camera.yaml":
        assert read["attachments"][name] == hashlib.sha256((folder / "world" / name).read_bytes()).hexdigest()
    assert read["metadata"]["pov.session"]["video"] == "false"
    return {topic: facts["schema"] for topic, facts in topics.items()}


def judged_at(topics, lines):
    """The line of JSON of the image that the topics' first messages are of."""
    stamp = topics["/camera/image"]["first"]["timestamp"]
    at = int(stamp["seconds"]) * 10**9 + stamp["nanos"]
    return next(line for line in lines if line["image"]["capture_ns"] == at)


def check_live(folder):
    """A live station, and the npm package of the protocol that Foxglove speaks."""
    (folder / "world/images/zz.png").write_text("no image: each round warns of it")
    command = [POV, "run", folder / "world/station.yaml", "--no-publish", "--json", "--rate", "20", "--loop", "--quiet", "--foxglove", "0"]
    printed = folder / "judged.jsonl"
    process = subprocess.Popen(command, stdout=printed.open("w"), stderr=subprocess.PIPE, text=True)
    url = process.stderr.readline().split()[-1]
    said = {name: json.loads(node("live.mjs", url, name, 8)) for name in ("foxglove.websocket.v1", "foxglove.sdk.v1")}
    refused = [json.loads(node("live.mjs", url, *rest)) for rest in (("", 1), ("other", 1), ("foxglove.sdk.v1", 1, "origin=https://evil.example"))]
    process.terminate()
    process.communicate(timeout=60)
    lines = [json.loads(line) for line in printed.read_text().splitlines()]
    assert [one.get("refused") for one in refused] == [400, 400, 403], refused
    shas = {hashlib.sha256(file.read_bytes()).hexdigest() for file in (folder / "world/images").iterdir()}
    for name, live in said.items():
        topics = live["topics"]
        assert live["order"] == ["serverInfo", "advertise"] and live["subprotocol"] == name and live["after"] == 0 and "late" not in live, live
        assert live["info"]["capabilities"] == ["time"] and not live["status"]
        judged = judged_at(topics, lines)
        check_views(topics, judged)
        capture = {line["image"]["capture_ns"] for line in lines}
        for topic in "observation", "scene", "/camera/header", "/camera/image", "/tf", "/scene", "/camera/annotations":
            assert {int(time) for time in topics[topic]["times"]} <= capture and topics[topic]["count"] > 0, topic
        clock = [int(time) for time in live["clock"]]
        assert clock == sorted(set(clock)) and {tick for tick in clock if tick >= min(capture)} <= capture  # before: the time of day
        assert clock[-1] >= int(topics["observation"]["times"][0]), "the clock stands still"  # the client may leave before the last one
        assert set(topics["/camera/image"]["shas"]) <= shas
        entities = [entity["name"] for entity in topics["observation"]["first"]["observation"]["scene"]["entities"]]
        assert entities == [entity["id"] for entity in judged["scene"]["entities"]]
        assert topics["/camera/calibration"]["first"]["width"] == 284 and "zz.png" in topics["/log"]["first"]["message"]
        assert int(topics["health"]["first"]["health"]["images_processed"]) > 0
    return {topic: facts["schema"] for topic, facts in topics.items()}


def quaternion_matrix(q):
    return sum(rotation(q), [])


def check_lists(line, visibility, markers, judgments, sights):
    """The line of visibility, RViz's markers and the typed lists say what the line of judgments says."""
    seen = json.loads(visibility["data"])
    assert seen["visibility"] == line["visibility"] and seen["scene"] == line["scene"] and not seen["judgments"]
    assert len(judgments["judgments"]) == len(line["judgments"]) + len(line["relations"]) and len(sights["sights"]) == len(line["visibility"])
    for typed, told in zip(judgments["judgments"], line["judgments"]):
        for key in "referent", "relation", "perspective", "viewer", "convention", "acceptance", "verdict", "p", "p_std":
            assert typed[key] == (told[key] or "" if isinstance(typed[key], str) else told[key]), (key, typed, told)
        assert typed["relata"] == [told["relatum"]]
    for typed, told in zip(sights["sights"], line["visibility"], strict=True):
        for key in "viewer", "target", "fraction_visible", "fraction_expected", "cause":
            assert typed[key] == (told[key] or ("none" if key == "cause" else 0)), (key, typed, told)
    first, *rest = markers["markers"]
    assert first["action"] == 3 and {m["action"] for m in rest} == {0} and len({(m["ns"], m["id"]) for m in rest}) == len(rest)
    things = {e["id"]: e for e in line["scene"]["entities"] if e["id"] != "camera" and e["pos_m"]}
    names = {m["text"]: m for m in rest if m["type"] == 9}
    assert set(names) == set(things)
    boxes = {m["id"]: m for m in rest if m["ns"] == "box"}
    for name, e in things.items():
        box = boxes[names[name]["id"]]
        assert close(vector(box["pose"]["position"]), e["pos_m"]) and close(vector(box["scale"]), e["size_m"])
        assert box["header"]["frame_id"] == "table" and box["color"]["a"] > 0
    (lines,) = (m for m in rest if m["ns"] == "sight")
    assert len(lines["points"]) == len(lines["colors"]) == 2 * len(line["visibility"])
    check_fields_of_view(line, {m["id"]: m for m in rest if m["ns"] == "field"})
    assert {m["ns"] for m in rest} == {"box", "name", "front", "sight", "field"}


def check_fields_of_view(line, fields):
    """From the eye to the left edge, in an arc to the right one and back, level; then upright: about the head's heading, or the optical axis."""
    entities, R = line["scene"]["entities"], line["image"]["pose"]["R_table_camera"]
    viewers = {i: e for i, e in enumerate(entities) if e["sees"] and e["pos_m"]}
    assert set(fields) == set(viewers) and {"camera"} < {e["id"] for e in viewers.values()}
    anna = next(e for e in viewers.values() if e["id"] != "camera")["sees"]
    assert (anna["shape"], round(anna["half_horizontal_deg"], 9), round(anna["half_vertical_deg"], 9)) == ("cone", 90, 60)  # share/worlds: 180 by 120
    for i, e in viewers.items():
        points, eye = [vector(p) for p in fields[i]["points"]], e["sees"]["eye_m"]
        eye_m = [e["pos_m"][k] + sum(e["R_table_box"][3 * k + j] * eye[j] for j in range(3)) for k in range(3)]
        assert close(points[0], eye_m) and len(points) % 4 == 0
        yaw = (e.get("head_headings") or e["headings"] or [{"yaw_rad": 0}])[0]["yaw_rad"]
        ahead, left = (R[2::3], [-x for x in R[0::3]]) if e["id"] == "camera" else ([math.cos(yaw), math.sin(yaw), 0], [-math.sin(yaw), math.cos(yaw), 0])
        half, far_m = math.radians(e["sees"]["half_horizontal_deg"]), math.dist(points[0], points[1])
        ends = sorted((points[1], points[len(points) // 2 - 2]))
        wanted = sorted([eye_m[k] + far_m * (math.cos(half) * ahead[k] + side * math.sin(half) * left[k]) for k in range(3)] for side in (1, -1))
        assert all(map(close, ends, wanted)), (e["id"], ends, wanted)


def check_ros2(folder):
    """A bag of ROS 2 says what pov's own JSON says of the same images: frames, covariances, calibration, images, times."""
    world, recording, bag = folder / "ros2", folder / "r.mcap", folder / "bag.mcap"
    assert pov("sim", "station", "--images", 3, "--quiet", "--out", world).returncode == 0
    run = pov("run", world / "station.yaml", "--no-publish", "--json", "--record", recording)
    exported = pov("export", recording, "--ros2", bag)
    assert exported.returncode == 0, exported.stderr
    judged = [json.loads(line) for line in run.stdout.splitlines()]
    read = json.loads(node("read_ros2.mjs", bag))
    topics = {topic: facts["messages"] for topic, facts in read["topics"].items()}
    assert read["profile"] == "ros2" and read["unlike"] == 0 and not read["differs"] and len(read["compared"]) > 20, read
    assert all(facts["encoding"] == "cdr" and "reliability: 1" in facts["qos"] for facts in read["topics"].values())
    for name, ours in read["own"].items():  # the files for those who build are the types that are sent
        lines = (SOURCE / f"share/ros2/{name.replace('/', '/msg/')}.msg").read_text().splitlines()
        assert ours == "; ".join(re.sub(r"(\S+?)(\[\])? (\w+)", lambda m: f"{m[1]} {'array ' if m[2] else ''} {m[3]}", line) for line in lines if not line.startswith("#")), (name, ours)
    assert len(read["own"]) == 4
    wanted = ("/pov/image/compressed", "/pov/camera_info", "/tf", "/pov/camera_pose", "/pov/detections", "/pov/judgments", "/pov/visibility",
              "/pov/markers", "/pov/msgs/judgments", "/pov/msgs/visibility")
    assert {topic: len(topics[topic]) for topic in wanted} == dict.fromkeys(wanted, 3)
    files = sorted((world / "images").iterdir())
    matrix = re.search(r"(?s)camera_matrix:.*?data: \[([^]]+)\]", (world / "camera.yaml").read_text())[1]
    facing = 0
    for i, line in enumerate(judged):
        entities, pose = {e["id"]: e for e in line["scene"]["entities"] if e["id"] != "camera" and e["pos_m"]}, line["image"]["pose"]
        stamp = {"sec": line["image"]["capture_ns"] // 10**9, "nanosec": line["image"]["capture_ns"] % 10**9}
        image, info, tf, camera, detections = (topics[topic][i] for topic in wanted[:5])
        assert json.loads(topics["/pov/judgments"][i]["data"]) == line
        check_lists(line, *(topics[topic][i] for topic in wanted[6:]))
        assert image["data"] == hashlib.sha256(files[i].read_bytes()).hexdigest() and image["format"] == "png"
        assert image["header"] == info["header"] == {"stamp": stamp, "frame_id": "camera_optical_frame"}
        assert info["k"] == [float(value) for value in matrix.split(",")]
        assert (info["width"], info["height"]) == (line["image"]["width_px"], line["image"]["height_px"]) and info["r"] == [1, 0, 0, 0, 1, 0, 0, 0, 1]
        # REP 103: an optical frame's z points ahead: down onto the table, here; x, y of the image are right and down
        assert camera["header"] == detections["header"] == {"stamp": stamp, "frame_id": "table"}
        R = quaternion_matrix(camera["pose"]["pose"]["orientation"])
        assert close(R, pose["R_table_camera"]) and close(vector(camera["pose"]["pose"]["position"]), pose["pos_m"])
        assert R[8] < 0 and R[7] < 0
        # six different variances, position first; all 36, against pov's, rotation first
        order, ours = [3, 4, 5, 0, 1, 2], camera["pose"]["covariance"]
        assert len({ours[7 * k] for k in range(6)}) == 6 and min(ours[7 * k] for k in range(6)) > 0
        assert close(ours, [pose["cov"][6 * order[a] + order[b]] for a in range(6) for b in range(6)], 1e-15)
        frames = {t["child_frame_id"]: t for t in tf["transforms"]}
        assert all(t["header"] == camera["header"] for t in tf["transforms"])
        fronts = {name for name, e in entities.items() if e["heading_rad"] is not None}
        assert set(frames) == {"camera_optical_frame"} | {f"entity/{n}" for n in entities} | {f"viewer/{n}" for n in fronts}, frames.keys()
        shown = {d["id"]: d for d in detections["detections"]}
        assert set(shown) == set(entities)
        for name, e in entities.items():
            at, found = frames[f"entity/{name}"]["transform"], shown[name]
            (result,) = found["results"]
            assert close(vector(at["translation"]), e["pos_m"]) and close(quaternion_matrix(at["rotation"]), e["R_table_box"])
            for there in result["pose"]["pose"], found["bbox"]["center"]:
                assert close(vector(there["position"]), e["pos_m"]) and close(quaternion_matrix(there["orientation"]), e["R_table_box"])
            assert close(vector(found["bbox"]["size"]), e["size_m"]) and result["hypothesis"] == {"class_id": e["class"], "score": int(e["seen"])}
            covariance = result["pose"]["covariance"]
            assert close([covariance[6 * a + b] for a in range(3) for b in range(3)], e["pos_cov_m2"], 1e-15)
            if name in fronts:
                x = quaternion_matrix(frames[f"viewer/{name}"]["transform"]["rotation"])[0::3]
                assert close(x, [math.cos(e["heading_rad"]), math.sin(e["heading_rad"]), 0])
                assert abs(covariance[35] - min(1 / max(e["heading_kappa"], 1e-9), math.pi**2 / 3)) < 1e-9
                facing += 1
            else:
                assert abs(covariance[35] - math.pi**2 / 3) < 1e-9
    assert facing > 0
    none = pov("export", bag, "--ros2", folder / "again.mcap")
    assert none.returncode == 1 or not (folder / "again.mcap").exists(), none
    assert pov("export", recording).returncode == 2


def main():
    packages()
    with tempfile.TemporaryDirectory(prefix="pov-interop-") as name:
        recorded = check_recording(pathlib.Path(name))
        check_ros2(pathlib.Path(name))
        live = check_live(pathlib.Path(name))
        assert {topic: live[topic] for topic in recorded} == recorded and set(live) - set(recorded) <= {"/log", "health", "/marker", "ask", "vlm"}, (live, recorded)


if __name__ == "__main__":
    main()
