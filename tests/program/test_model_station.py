#!/usr/bin/python3
"""A station whose cast is found by a detector: things are placed and turned as numpy placed and turned them."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import cv2
import numpy as np
import yaml

sys.path.insert(0, str(pathlib.Path(os.environ["POV_SOURCE"]) / "tests" / "support"))
import onnx_models  # noqa: E402

WIDTH, HEIGHT, EYE = 640, 480, np.array([0.2, -1.2, 0.8])
INPUT = (96, 128)  # the network's height and width: a fifth of the image's
BINS = 72
CAR, CAR_SIZE, CAR_YAW = np.array([0.15, 0.1]), np.array([0.2, 0.1, 0.08]), 0.6
CUPS, CUP_SIZE = [np.array([0.3, -0.2]), np.array([-0.3, 0.05])], np.array([0.08, 0.08, 0.1])


def pov(folder, status=0):
    ran = subprocess.run([os.environ["POV"], "run", folder / "station.yaml", "--json", "--no-publish"],
                         capture_output=True, text=True)
    assert ran.returncode == status, (ran.returncode, ran.stdout[:500], ran.stderr)
    return [json.loads(line) for line in ran.stdout.splitlines()] if status == 0 else ran.stderr


def camera_axes():
    forward = -EYE / np.linalg.norm(EYE)
    right = np.cross(forward, [0, 0, 1])
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(forward, right), forward])


def project(points):
    focal = WIDTH / 2 / np.tan(np.radians(30))
    x, y, z = camera_axes() @ (points - EYE).T
    return np.stack([focal * x / z + (WIDTH - 1) / 2, focal * y / z + (HEIGHT - 1) / 2], 1)


def box_of(place, size, yaw):
    """Edges in the network's input of what encloses a thing's corners; for what is round, a circle of points."""
    if yaw is None:
        angles = np.arange(16) * np.pi / 8
        foot = np.stack([np.cos(angles), np.sin(angles)], 1) * size[0] / 2
    else:
        foot = np.array([[i, j] for i in (-0.5, 0.5) for j in (-0.5, 0.5)]) * size[:2]
        foot = foot @ np.array([[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]])
    points = np.array([[*(place + f), z] for f in foot for z in (0, size[2])])
    pixels = (project(points) + 0.5) * INPUT[1] / WIDTH
    return np.hstack([pixels.min(0), pixels.max(0)])


def rows():
    """A YOLO26 with headings: bins of a von Mises about the truth for the car, even ones for the cups."""
    ray = CAR - EYE[:2]
    seen = CAR_YAW - np.arctan2(ray[1], ray[0])
    table = [np.hstack([box_of(CAR, CAR_SIZE, CAR_YAW), 0.9, 0, 60 * np.cos(2 * np.pi * np.arange(BINS) / BINS - seen)])]
    for place, score in zip(CUPS, (0.8, 0.6)):
        table.append(np.hstack([box_of(place, CUP_SIZE, None), score, 1, np.zeros(BINS)]))
    return np.array(table)[None]


def make_model(folder):
    onnx_models.constant_model(folder / "things.onnx", {"rows": rows()}, INPUT)
    onnx_models.write_contract(folder / "things.yaml", onnx_models.contract_of(
        folder / "things.onnx", "yolo26", {"rows": ("rows", (1, 3, 6 + BINS))}, INPUT, ("toy car", "cup"),
        call={"toy car": "car"}, heading={"kind": "bins", "bins": BINS, "against": "ray", "std_deg": 4}))
    subprocess.run([os.environ["POV"], "model", "seal", folder / "things.yaml"], check=True, capture_output=True)


def station(**models):
    return {
        "camera": {"folder": {"path": "images"}, "field_of_view_deg": 60, "size_px": [WIDTH, HEIGHT],
                   "pose": {"position_m": EYE.tolist(), "look_at_m": [0, 0, 0]}},
        "models": {"detectors": [{"contract": "things.yaml"}], **models},
        "cast": [{"id": "car", "found_by": "model", "size_m": CAR_SIZE.tolist()},
                 {"id": "mug", "class": "cup", "found_by": "model", "size_m": CUP_SIZE.tolist(), "model": {"count": 5}}],
    }


def write(folder, description):
    (folder / "station.yaml").write_text(yaml.safe_dump(description, sort_keys=False))


def check_places(entities):
    car = entities["car"]
    assert np.abs(np.array(car["pos_m"]) - [*CAR, 0.04]).max() < 1e-3, car
    assert abs(CAR_YAW - car["heading_rad"]) < 0.01, car
    for name, place in (("mug_1", CUPS[1]), ("mug_2", CUPS[0])):  # from left to right
        assert np.abs(np.array(entities[name]["pos_m"]) - [*place, 0.05]).max() < 2e-3, entities[name]
    assert "mug_3" not in entities and car["class"] == "car"


def by_name(observation):
    return {entity["id"]: entity for entity in observation["scene"]["entities"]}


def finds_and_places(folder):
    write(folder, station())
    for observation in pov(folder):
        entities = by_name(observation)
        check_places(entities)
        assert all(e["seen"] and "look_age_s" not in e for name, e in entities.items() if name != "camera")
        verdicts = {(j["referent"], j["relatum"], j["relation"]): j["verdict"] for j in observation["judgments"]
                    if j["perspective"] == "egocentric"}
        assert verdicts["mug_1", "car", "left_of"] == "true" and verdicts["mug_2", "car", "right_of"] == "true"


def finds_in_the_background(folder):
    description = station(in_background=True)
    description["camera"]["folder"].update(rate_hz=20, loop=True)
    write(folder, description)
    with subprocess.Popen([os.environ["POV"], "run", folder / "station.yaml", "--json", "--no-publish"],
                          stdout=subprocess.PIPE, text=True) as running:
        seen = 0
        while seen < 3: # a look takes as long as it takes
            entities = by_name(json.loads(running.stdout.readline()))
            if entities["car"]["seen"]:
                seen += 1
                check_places(entities)
                assert entities["car"]["look_age_s"] > 0.02, entities["car"]
        running.send_signal(signal.SIGINT)
        running.stdout.read()
    assert running.returncode == 0, running.returncode


def complains(folder):
    def complaint(change):
        description = station()
        change(description)
        write(folder, description)
        return pov(folder, status=1)

    assert "finds the class 'cra'; did you mean 'car'?" in complaint(lambda s: s["cast"][0].update(model={"class": "cra"}))
    assert "give size_m" in complaint(lambda s: s["cast"][0].pop("size_m"))
    assert "give one entity with count: 2" in complaint(lambda s: s["cast"][0].update(model={"class": "cup"}))
    assert "no such file" in complaint(lambda s: s["models"]["detectors"][0].update(contract="none.yaml"))
    assert "finds things; name" in complaint(lambda s: s["models"]["detectors"][0].update(heading="things.yaml"))
    assert "finds the class 'car'" in complaint(lambda s: s.pop("models"))


def is_told_headings_by_another_network(folder):
    """The second network's angle is that of (how green, how red) what it is shown is: the car, not what is around."""
    helper = onnx_models.helper
    onnx_models.save(
        folder / "heads.onnx",
        [helper.make_node("GlobalAveragePool", ["images"], ["mean"]),
         helper.make_node("Conv", ["mean", "w"], ["pair"], kernel_shape=[1, 1]),
         helper.make_node("Reshape", ["pair", "shape"], ["heading"])],
        [onnx_models.described("images", [1, 3, 32, 32])], [onnx_models.described("heading", [1, 2])],
        [onnx_models.tensor("w", np.eye(3, dtype=np.float32)[:2].reshape(2, 3, 1, 1)),
         onnx_models.tensor("shape", np.array([1, 2]))])
    contract = onnx_models.contract_of(
        folder / "heads.onnx", "heading", {"heading": ("heading", (1, 2))}, (32, 32), classes=(), crop_margin=0,
        heading={"kind": "sine_cosine", "against": "ray", "std_deg": 5})
    contract["input"]["fit"] = "stretch"
    onnx_models.write_contract(folder / "heads.yaml", contract)
    subprocess.run([os.environ["POV"], "model", "seal", folder / "heads.yaml"], check=True, capture_output=True)
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    left, top, right, bottom = np.round(box_of(CAR, CAR_SIZE, CAR_YAW) * WIDTH / INPUT[1]).astype(int)
    image[top:bottom, left:right] = (0, 100, 200)  # blue, green, red
    cv2.imwrite(str(folder / "images" / "00.png"), image)
    description = station()
    description["models"]["detectors"][0]["heading"] = "heads.yaml"
    write(folder, description)
    ray = CAR - EYE[:2]
    car = by_name(pov(folder)[0])["car"]
    assert abs(car["heading_rad"] - np.arctan2(ray[1], ray[0]) - np.arctan2(200, 100)) < 0.01, car


def is_examined(folder):
    def examine():
        ran = subprocess.run([os.environ["POV"], "doctor", folder / "station.yaml", "--json"], capture_output=True, text=True)
        return [(check["verdict"], check["finding"]) for check in json.loads(ran.stdout)["checks"]
                if check["what"] == "model"]

    write(folder, station())
    (verdict, finding), = examine()
    assert verdict == "ok" and "ms a look" in finding, finding
    with open(folder / "things.onnx", "ab") as model:
        model.write(b"\0")
    (verdict, finding), = examine()
    assert verdict == "wrong" and "byte" in finding, finding


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "images").mkdir()
        for i in range(12):
            cv2.imwrite(str(folder / "images" / f"{i:02}.png"), np.full((HEIGHT, WIDTH, 3), 90, np.uint8))
        make_model(folder)
        finds_in_the_background(folder)
        complains(folder)
        for image in list((folder / "images").iterdir())[1:]:
            image.unlink()
        finds_and_places(folder)
        is_told_headings_by_another_network(folder)
        write(folder, station())
        is_examined(folder)


if __name__ == "__main__":
    main()
