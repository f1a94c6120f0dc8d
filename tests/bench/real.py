#!/usr/bin/python3
"""Each finder on pixels that the project did not draw, beside the simulator's: photographs and published renders of ../shared/data.

real.py POV [NAME...]: tags, lens, enrolled, balls, people, model; all without a name. Prints a row for each measure with its n, and skips, by name,
what is not there. Photographs of a kind are few: n says how few; a photograph's variants (mirrored, scaled, cropped, darker) are no more people."""
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import cv2
import numpy as np
import yaml

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("POV_SHARED", SOURCE.parent / "shared")) / "data"
sys.path.insert(0, str(pathlib.Path(__file__).parent))
POV = pathlib.Path("pov")


def run(*arguments, check=True):
    done = subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True)
    if check and done.returncode != 0:
        sys.exit(f"pov {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def lines(station, *more):
    return [json.loads(line) for line in run("run", station, "--json", "--no-publish", "--quiet", *more).splitlines()]


def write_station(path, **keys):
    path.write_text(yaml.safe_dump(keys, sort_keys=False))
    return path


def row(finder, measure, real, of_real, drawn="-", of_drawn="-"):
    print(f"| {finder} | {measure} | {real} | {of_real} | {drawn} | {of_drawn} |", flush=True)


def entity(line, name):
    return next(e for e in line["scene"]["entities"] if e["id"] == name)


# ---- tags and lens ----


def calibrate(images, board, out):
    return json.loads(run("calib", "camera", "--images", images, "--board", board, "--out", out, "--json"))


def drawn_boards(folder):
    (folder / "boards").mkdir()
    for name in "abcdefghijkl":
        run("sim", "lab-board", "--variant", name, "--bodies", "own", "--out", folder / name, "--quiet")
        shutil.copy(next((folder / name / "images").iterdir()), folder / "boards" / f"{name}.png")
    return folder / "boards"


def measure_lens(folder):
    drawn = calibrate(drawn_boards(folder), "aprilgrid:3x3:100mm:30mm", folder / "drawn.yaml")
    row("lens", "RMS, px", f"{calibrate(DATA / 'charuco_lifecam1280', 'charuco:8x8:25.4mm:19.05mm:4X4_1000', folder / 'lifecam.yaml')['rms_px']:.3f}",
        "16 photographs, ChArUco", f"{drawn['rms_px']:.3f}", f"{drawn['images_used']} images")
    row("lens", "RMS, px", f"{calibrate(DATA / 'chess_picam640', 'chessboard:8x8:25.4mm', folder / 'chess.yaml')['rms_px']:.3f}",
        "26 photographs, chessboard of 11 x 11, read as 8 x 8")


def measure_tags(folder):
    found = listed = 0
    for path in sorted((DATA / "tags").glob("*_c.txt")):
        listed += len(path.read_text().splitlines())
        (line,) = lines(SOURCE / "share/stations/photo_tags.yaml", "--images", path.with_suffix(".jpg"))
        found += len(line["image"]["tags"]) if "tags" in line["image"] else len(line["tags"])
    run("sim", "station", "--images", 6, "--bodies", "own", "--out", folder / "sim", "--quiet")
    truths = [json.loads(text) for text in (folder / "sim/truth.jsonl").read_text().splitlines()]
    drawn = lines(folder / "sim/station.yaml")
    row("tags", "found, of those listed", f"{found} of {listed}", "2 photographs")
    calibrate(DATA / "charuco_lifecam1280", "charuco:8x8:25.4mm:19.05mm:4X4_1000", folder / "camera.yaml")
    layout = json.loads((DATA / "tags/field_layout.json").read_text())
    tags = [{"id": t["id"], "position_m": [t["x_m"], t["y_m"], t["z_m"]], "faces_deg": t["yaw_deg"], "position_std_m": 0.05, "rotation_std_deg": 1}
            for t in layout["tags"]]
    (folder / "map.yaml").write_text(yaml.safe_dump({"family": layout["family"], "edge_m": layout["tag_edge_m"], "tags": tags}))
    station = write_station(folder / "wall.yaml", camera={"source": "folder", "calibration": "camera.yaml"}, tags={"map": "map.yaml"},
                            cast=[{"id": "box", "found_by": "survey", "position_m": [16, 5, 1]}])
    height_m = []
    for name in "Amp_42in", "SpeakerCenter_143in", "GeneralField1", "StageLeft_51in":
        (line,) = lines(station, "--images", DATA / f"tags/{name}.jpg")
        height_m.append(abs(line["image"]["pose"]["pos_m"][2] - 0.756))
    off_m = [math.dist(line["image"]["pose"]["pos_m"], truth["camera"]["pos_m"]) for line, truth in zip(drawn, truths)]
    row("tags", "camera's height (drawn: place) off, mm, worst", f"{1e3 * max(height_m):.0f}", "4 photographs, map from a drawing within 50 mm",
        f"{1e3 * max(off_m):.1f}", f"{len(off_m)} images, exact map")


# ---- enrolled objects ----


def measure_enrolled(folder):
    import enrol
    folder.mkdir(exist_ok=True)
    for name, sets in (("real", sorted((DATA / "coil20").iterdir())), ("drawn", list(enrol.BODIES)[:4])):
        mean, worst, within, n = [], 0, 0, 0
        for i, one in enumerate(sets):
            images = [cv2.imread(str(one / f"{5 * k:03d}.png"), cv2.IMREAD_GRAYSCALE) for k in range(72)] if name == "real" else enrol.simulated(POV, one, folder)
            where = folder / f"{name}_{i}"
            where.mkdir()
            (told,) = enrol.own(POV, where, {5 * k: images[k] for k in range(0, 72, 2)}, {"between": {5 * k: images[k] for k in range(1, 72, 2)}})
            mean.append(told[0])
            worst, within, n = max(worst, told[1]), within + 36 * told[2] / 100, n + 36
        told = f"{statistics.mean(mean):.2f}, {worst:.1f}, {100 * within / n:.0f} %"
        real = (told, f"{n} photographs of {len(sets)} objects, 32 px") if name == "real" else real
    row("enrolled", "heading off, deg: mean, worst; within 2 std", *real, told, f"{n} images of {len(sets)} bodies, 32 px")


# ---- balls ----


def azimuths(observed, referent, relatum, truth_deg):
    off, within = [], 0
    for line, phi in zip(observed, truth_deg):
        a, b = entity(line, referent), entity(line, relatum)
        if a["pos_m"] is None or b["pos_m"] is None:
            continue
        x, y = (a["pos_m"][k] - b["pos_m"][k] for k in (0, 1))
        cov = [p + q for p, q in zip(a["pos_cov_m2"], b["pos_cov_m2"])]
        g = (-y / (x * x + y * y), x / (x * x + y * y))
        std = math.degrees(math.sqrt(g[0] * g[0] * cov[0] + 2 * g[0] * g[1] * cov[1] + g[1] * g[1] * cov[4]))
        off.append(abs(math.remainder(math.degrees(math.atan2(y, x)) - phi, 360)))
        within += off[-1] < 2 * std
    return f"{len(off)} found; {statistics.median(off):.2f}, {max(off):.1f}; {100 * within / len(off):.0f} %"


def measure_balls(folder):
    real = []
    for name, station, pair in (("ball_default", "comfort_ball", ("red_ball", "blue_ball")), ("ball_color", "comfort_ball_color", ("yellow_ball", "green_ball"))):
        truth = json.loads((DATA / "comfort" / name / "truth.json").read_text())
        observed = lines(SOURCE / f"share/stations/{station}.yaml", "--images", DATA / "comfort" / name)
        ids = [e["id"] for e in observed[0]["scene"]["entities"] if e["id"] != "camera"]
        pair = pair if set(pair) <= set(ids) else tuple(ids[:2])
        real.append(azimuths(observed, *pair, [frame["phi_deg"] for frame in truth["frames"]]))
    run("sim", "comfort-ball", "--bodies", "own", "--out", folder / "sim", "--quiet")
    truths = [json.loads(text) for text in (folder / "sim/truth.jsonl").read_text().splitlines()]
    drawn = lines(SOURCE / "share/stations/comfort_ball.yaml", "--images", folder / "sim/images")
    phi = []
    for t in truths:
        at = {e["id"]: e["pos_m"] for e in t["scene"]["entities"]}
        names = [n for n in at if n != "camera"]
        ref, rel = ("red_ball", "blue_ball") if "red_ball" in at else names[:2]
        phi.append(math.degrees(math.atan2(at[ref][1] - at[rel][1], at[ref][0] - at[rel][0])))
    told = azimuths(drawn, "red_ball", "blue_ball", phi)
    row("balls", "angle off, deg: median, worst; within 2 std", real[0], "36 renders of COMFORT, ball_default", told, f"{len(truths)} images")
    row("balls", "the same", real[1], "36 renders of COMFORT, ball_color")
    photo = cv2.imread(str(DATA / "photos/red_and_blue_balls.png"))
    right = wrong = 0
    for gain in 0.5, 0.7, 1, 1.2, 1.4:
        for scale in 0.6, 0.8, 1, 1.5:
            picture = folder / "photo.png"
            cv2.imwrite(str(picture), cv2.resize(np.clip(photo * gain, 0, 255).astype(np.uint8), None, fx=scale, fy=scale,
                                                 interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC))
            station = write_station(folder / "photo.yaml", camera={"source": "folder", "field_of_view_deg": 60}, cast=[
                {"id": f"{c}_ball", "class": "ball", "found_by": "ball", "ball": {"color": c, "radius_m": 0.12, "count": 8}} for c in ("red", "blue")])
            (line,) = lines(station, "--images", picture)
            for color, count in BALLS.items():
                seen = sum(e["seen"] for e in line["scene"]["entities"] if e["id"].startswith(color))
                right, wrong = right + min(seen, count), wrong + max(0, seen - count)
    total = 20 * sum(BALLS.values())
    row("balls", "found; found where none is", f"{right} of {total}; {wrong}", "one photograph at five exposures and four scales")


BALLS = {"red": 3, "blue": 3}  # counted by eye in the photograph

# ---- people ----

# By eye and by FSA-Net (56, 11, 22 and 20 degrees): where a head is, as a share of the picture's width, and its turn from the camera, right positive.
HEADS = {"zidane.jpg": [(602 / 1280, 60), (984 / 1280, 10)], "bus.jpg": [(133 / 810, 20), (287 / 810, 20)]}


def variants(image):
    h, w = image.shape[:2]
    size = lambda s: cv2.resize(image, None, fx=s, fy=s, interpolation=cv2.INTER_AREA if s < 1 else cv2.INTER_LINEAR)
    tilt = cv2.getRotationMatrix2D((w / 2, h / 2), 8, 1)
    yield "as it is", image, 0, w
    yield "half", size(0.5), 0, w
    yield "third", size(1 / 3), 0, w
    yield "one and a half", size(1.5), 0, w
    yield "dark", (image * 0.35).astype(np.uint8), 0, w
    yield "bright", cv2.convertScaleAbs(image, alpha=1.5, beta=10), 0, w
    yield "blurred", cv2.GaussianBlur(image, (0, 0), 2.5), 0, w
    yield "grey", cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR), 0, w
    yield "mirrored", image[:, ::-1], None, w
    yield "lower part", image[int(0.12 * h):], 0, w
    yield "upper part", image[:int(0.75 * h)], 0, w
    yield "tilted", cv2.warpAffine(image, tilt, (w, h), borderMode=cv2.BORDER_REPLICATE), 0, w


def contracts(folder):
    for name in "yolox_nano", "yunet_2026may":
        shutil.copy(DATA / f"models/{name}.onnx", folder)
        run("model", "check", folder / f"{name}.onnx")
        run("model", "seal", folder / f"{name}.yaml")


def turns(line, eye, width_px):
    """Of each person: where the box's middle is in the picture, and modes of body and head from facing the camera, right positive."""
    K = width_px / 2 / math.tan(math.radians(27.5))
    for e in line["scene"]["entities"]:
        if e["id"] == "camera" or e["pos_m"] is None:
            continue
        to_camera = math.atan2(eye[1] - e["pos_m"][1], eye[0] - e["pos_m"][0])
        x = ((e["pos_m"][0] - eye[0]) / (e["pos_m"][1] - eye[1]) * K + width_px / 2) / width_px
        modes = [[(m["weight"], math.degrees(math.remainder(m["yaw_rad"] - to_camera, 2 * math.pi)), 1 / math.sqrt(max(m["kappa"], 1e-6)))
                  for m in e.get(key) or []] for key in ("headings", "head_headings")]
        yield x, modes[0], modes[1]


def measure_people(folder):
    contracts(folder)
    eye = [0, -4, 1.4]
    sets = {"YOLOX, YuNet": ["yolox_nano.yaml", "yunet_2026may.yaml"], "YOLOX, cascades": ["yolox_nano.yaml"], "HOG, cascades": []}
    for name, detectors in sets.items():
        of_people = {"heads": 0, "placed": 0, "told": 0, "wrong": 0, "within": 0, "off": []}
        for photo, heads in HEADS.items():
            image = cv2.imread(str(DATA / "people" / photo))
            for _, picture, mirrored, _ in variants(image):
                cv2.imwrite(str(folder / "picture.png"), picture)
                h, w = picture.shape[:2]
                station = write_station(folder / "people.yaml", camera={"source": "folder", "field_of_view_deg": 55, "size_px": [w, h], "pose": {
                    "position_m": eye, "look_at_m": [0, 0, 1.0]}}, **({"models": {"detectors": [{"contract": d} for d in detectors]}} if detectors else {}),
                    cast=[{"id": "anna", "class": "person", "found_by": "person", "person": {"count": 6}}], judge={"visibility": False})
                (line,) = lines(station, "--images", folder / "picture.png")
                people = list(turns(line, eye, w))
                for at, turn in heads:
                    at, turn = (1 - at, -turn) if mirrored is None else (at, turn)
                    grade_head(of_people, people, at, turn)
        grade = of_people
        off = sorted(grade["off"])
        told = f"{grade['placed']}, {grade['told']}, {grade['wrong']}" + (f"; {off[len(off) // 2]:.0f}, {off[-1]:.0f}; {100 * grade['within'] / len(off):.0f} %" if off else "")
        row(f"people: {name}", "placed, told, wrong by over 45 deg; head off, deg: median, worst; within 2 std", told,
            f"{grade['heads']} heads: 4 in 2 photographs, 12 variants each", *drawn_people(folder, detectors))


def grade_head(grade, people, at, turn):
    """Told: a mode of weight over a half and narrower than 60 degrees."""
    grade["heads"] += 1
    near = min(people, key=lambda p: abs(p[0] - at), default=None)
    if not near or abs(near[0] - at) > 0.12:
        return
    grade["placed"] += 1
    weight, yaw, std = max(near[2] or near[1])
    if weight > 0.5 and std < math.radians(60):
        off = abs(math.remainder(yaw - turn, 360))
        grade["told"] += 1
        grade["off"].append(off)
        grade["wrong"] += off > 45
        grade["within"] += off < 2 * math.degrees(std)


def drawn_people(folder, detectors):
    """Bob and Ann turn before the camera; the same measure."""
    out = folder / "drawn"
    if not out.exists():
        (folder / "world.yaml").write_text("""
images: 12
camera: {size_px: [960, 720], field_of_view_deg: 55, position_m: [0, -4, 1.4], look_at_m: [0, 0, 1]}
surface: {size_m: [14, 14], color: "#b39a7c"}
lighting: {lamp_m: [3, -2, 5], lamp_radius_m: 0.5, lamp_strength: 0.7, ambient: 0.42, sky: "#c3cad0"}
turntable: {position_m: [0, 0], radius_m: 0.6, height_m: 0.02}
motion: {steps: 12}
things: [{id: bob, class: man, position_m: [0, 0], on: turntable, front_deg: 270}]
""")
        run("sim", folder / "world.yaml", "--bodies", "own", "--out", out, "--quiet")
    station = write_station(folder / "drawn.yaml", camera={"source": "folder", "field_of_view_deg": 55, "size_px": [960, 720], "pose": {
        "position_m": [0, -4, 1.4], "look_at_m": [0, 0, 1.0]}}, **({"models": {"detectors": [{"contract": d} for d in detectors]}} if detectors else {}),
        cast=[{"id": "anna", "class": "person", "found_by": "person", "person": {"count": 2, "height_m": 1.8, "stands_on_m": 0.02}}], judge={"visibility": False})
    grade = {"heads": 0, "placed": 0, "told": 0, "wrong": 0, "within": 0, "off": []}
    truths = [json.loads(text) for text in (out / "truth.jsonl").read_text().splitlines()]
    for line, truth in zip(lines(station, "--images", out / "images"), truths):
        turn = math.degrees(math.remainder(entity(truth, "bob")["heading_rad"] + math.pi / 2, 2 * math.pi))
        grade_head(grade, list(turns(line, [0, -4, 1.4], 960)), 0.5, turn)
    off = sorted(grade["off"])
    return (f"{grade['placed']}, {grade['told']}, {grade['wrong']}" + (f"; {off[len(off) // 2]:.0f}, {off[-1]:.0f}; {100 * grade['within'] / len(off):.0f} %" if off else ""),
            f"{grade['heads']} turns of one man")


# ---- a network alone, nothing surveyed ----

RELATIONS = ("in_front_of", "behind", "left_of", "right_of")
PROTOTYPES = {("egocentric", "reflected"): (0, 180, 270, 90), ("egocentric", "translated"): (180, 0, 270, 90), ("egocentric", "rotated"): (0, 180, 90, 270)}


def sized(station, name):
    cast = yaml.safe_load((SOURCE / f"share/stations/{station}.yaml").read_text())["cast"]
    return {"id": name, "size_m": next(e["size_m"] for e in cast if e["id"] == name)}


def measure_model(folder):
    contracts(folder)
    shipped = SOURCE / "share/models/worlds.yaml"
    camera = yaml.safe_load((SOURCE / "share/stations/comfort_car.yaml").read_text())["camera"]
    camera["calibration"] = str(SOURCE / "share/stations/comfort_camera.yaml")
    things = {"car_default": sized("comfort_car", "car"), "car_duck": sized("comfort_duck", "duck")}
    for network, contract, ball in (("YOLOX-Nano", folder / "yolox_nano.yaml", "sports ball"), ("worlds.yaml", shipped, "ball")):
        for name, thing in things.items():
            known = yaml.safe_load(pathlib.Path(contract).read_text())["classes"]
            ours = next((c for c in known if thing["id"] in c), None)
            truth = json.loads((DATA / "comfort" / name / "truth.json").read_text())
            if not ours or not any(ball in c for c in known):
                row(f"model: {network}", f"COMFORT {name}", "does not know these classes", f"{len(truth['frames'])} renders")
                continue
            cast = [{**thing, "found_by": "model", "model": {"class": ours}},
                    {"id": "basketball", "found_by": "model", "size_m": [0.44] * 3, "model": {"class": next(c for c in known if ball in c), "stands_on_m": 0.08}}]
            station = write_station(folder / "model.yaml", camera=camera, models={"detectors": [{"contract": str(contract)}]}, cast=cast,
                                    judge={"pairs": [["basketball", thing["id"]]]})
            both = right = wrong = open_ = 0
            for line, frame in zip(lines(station, "--images", DATA / "comfort" / name), truth["frames"]):
                if any(entity(line, e)["pos_m"] is None for e in ("basketball", thing["id"])):
                    continue
                both += 1
                for j in line["judgments"]:
                    prototypes = PROTOTYPES.get((j["perspective"], j["convention"]))
                    if not prototypes or j["relation"] not in RELATIONS or j["referent"] != "basketball":
                        continue
                    theta = abs(math.remainder(frame["phi_deg"] - prototypes[RELATIONS.index(j["relation"])], 360))
                    if abs(theta - 90) < 3:
                        continue
                    told = j["verdict"]
                    right += told == ("true" if theta < 90 else "false")
                    wrong += told == ("false" if theta < 90 else "true")
                    open_ += told not in ("true", "false")
            row(f"model: {network}", f"COMFORT {name}: both found in; camera's relations right, wrong, open",
                f"{both}; {right}, {wrong}, {open_}", f"{len(truth['frames'])} renders")


MEASURES = {"tags": (measure_tags, "tags"), "lens": (measure_lens, "charuco_lifecam1280"), "enrolled": (measure_enrolled, "coil20"),
            "balls": (measure_balls, "comfort"), "people": (measure_people, "people"), "model": (measure_model, "comfort")}


def main():
    global POV
    POV = pathlib.Path(sys.argv[1]).resolve()
    unknown = [name for name in sys.argv[2:] if name not in MEASURES]
    if unknown:
        sys.exit(f"'{unknown[0]}' is none of {', '.join(MEASURES)}")
    if not DATA.is_dir():
        sys.exit("skipped: ../shared not found")
    print("| finder | measure | real pixels | of | drawn | of |\n|---|---|---|---|---|---|")
    for name in sys.argv[2:] or MEASURES:
        measure, needs = MEASURES[name]
        if not (DATA / needs).exists():
            print(f"skipped: {name}: {DATA / needs} not found", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as folder:
            measure(pathlib.Path(folder))


if __name__ == "__main__":
    main()
