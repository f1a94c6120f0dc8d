#!/usr/bin/python3
"""pov calib tags on images drawn with OpenCV, against a bundle adjustment by SciPy of the same corners."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import cv2
import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from opencv_aruco import draw_marker  # noqa: E402

POV = os.environ["POV"]
WIDTH, HEIGHT, F, EDGE = 640, 480, 554.0, 0.08
K = np.array([[F, 0, (WIDTH - 1) / 2], [0, F, (HEIGHT - 1) / 2], [0, 0, 1]])
CORNERS = EDGE / 2 * np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
CAMERA = f"""image_width: {WIDTH}
image_height: {HEIGHT}
camera_name: drawn
camera_matrix: {{rows: 3, cols: 3, data: [{F}, 0, {K[0, 2]}, 0, {F}, {K[1, 2]}, 0, 0, 1]}}
distortion_model: plumb_bob
distortion_coefficients: {{rows: 1, cols: 5, data: [0, 0, 0, 0, 0]}}
"""
# Tags 0 to 5 lie on the table, 6 and 7 stand, leaning back.
PLACES = {i: (np.eye(3), np.array([i % 3 * 0.12, i // 3 * 0.12, 0])) for i in range(6)}
PLACES |= {i: (Rotation.from_euler("x", 60, degrees=True).as_matrix(), np.array([(i - 6) * 0.14, 0.24, 0.06]))
           for i in (6, 7)}
EYES = [(0.17, -0.35, 0.4), (0.4, -0.3, 0.4), (-0.2, -0.3, 0.45), (0.05, -0.2, 0.6), (0.3, -0.1, 0.5), (-0.1, -0.1, 0.5),
        (0.2, -0.4, 0.3), (0.2, 0.02, 0.6)]


def run(*arguments, code=0):
    result = subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True, timeout=200)
    assert result.returncode == code, (arguments, result.returncode, result.stdout, result.stderr)
    return result


def look_at(eye, target=(0.12, 0.1, 0.0)):
    z = np.subtract(target, eye) / np.linalg.norm(np.subtract(target, eye))
    x = np.cross(z, (0, 0, 1)) / np.linalg.norm(np.cross(z, (0, 0, 1)))
    return np.column_stack([x, np.cross(z, x), z]), np.array(eye)


def draw_tag(image, number, R_camera_tag, position):
    """Four by four samples a pixel, averaged: edges lie where they are, to a few hundredths."""
    scale, cells = 4, 80
    marker = draw_marker(cv2.aruco.DICT_APRILTAG_36h11, number, cells)
    marker = cv2.rotate(marker, cv2.ROTATE_180)  # OpenCV has them the other way up
    marker = cv2.copyMakeBorder(marker, 10, 10, 10, 10, cv2.BORDER_CONSTANT, value=255)
    half = EDGE / 2 * 1.25  # with the white margin
    to_tag = np.array([[2 * half / 100, 0, -half + half / 100], [0, -2 * half / 100, half - half / 100], [0, 0, 1]])
    H = K @ np.column_stack([R_camera_tag[:, 0], R_camera_tag[:, 1], position]) @ to_tag
    finer = np.array([[scale, 0, (scale - 1) / 2], [0, scale, (scale - 1) / 2], [0, 0, 1]]) @ H
    size = (WIDTH * scale, HEIGHT * scale)
    ink = cv2.warpPerspective(marker, finer, size, flags=cv2.INTER_NEAREST, borderValue=0)
    there = cv2.warpPerspective(np.full_like(marker, 255), finer, size, flags=cv2.INTER_NEAREST, borderValue=0)
    average = lambda fine: cv2.resize(fine.astype(np.float32), (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
    share = average(there) / 255
    image[:] = image * (1 - share) + average(ink)


def draw(folder, random):
    for name, eye in enumerate(EYES):
        R, t = look_at(eye)
        image = np.full((HEIGHT, WIDTH), 190, np.float32)
        for number, (R_tag, t_tag) in PLACES.items():
            draw_tag(image, number, R.T @ R_tag, R.T @ (t_tag - t))
        light = cv2.GaussianBlur(image, (0, 0), 0.6) / 255  # what pixels gather; files hold sRGB
        image = 255 * np.where(light < 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 0) ** (1 / 2.4) - 0.055)
        image += random.normal(0, 7, image.shape)
        cv2.imwrite(str(folder / f"{name}.png"), np.clip(image, 0, 255).astype(np.uint8))


class Adjustment:
    """Corners by tags and cameras: poses moved by exp(rotation) R, t + position, as pov says its covariances."""

    def __init__(self, report, corners):
        self.tags = [t for t in report["tags"] if t["fate"] == "mapped"]
        self.held = {t["id"]: t for t in report["tags"] if t["fate"] == "held"}
        self.images = report["images"]
        self.seen = [(v, t["id"], corners[image["image"]][t["id"]]) for v, image in enumerate(self.images)
                     for t in image["tags"] if t["used"]]
        self.size = 6 * (len(self.tags) + len(self.images))

    @staticmethod
    def moved(pose, rotation_name, step):
        R = np.reshape(pose[rotation_name], (3, 3))
        return Rotation.from_rotvec(step[:3]).as_matrix() @ R, np.array(pose["pos_m"]) + step[3:]

    def residuals(self, x):
        steps = x.reshape(-1, 6)
        places = {t["id"]: self.moved(t, "R_table_tag", step) for t, step in zip(self.tags, steps)}
        places |= {i: self.moved(t, "R_table_tag", np.zeros(6)) for i, t in self.held.items()}
        cameras = [self.moved(image, "R_table_camera", step) for image, step in zip(self.images, steps[len(self.tags):])]
        rows = []
        for v, number, pixels in self.seen:
            (R, t), (R_tag, t_tag) = cameras[v], places[number]
            p = (CORNERS @ R_tag.T + t_tag - t) @ R
            rows.append((p[:, :2] / p[:, 2:] * F + K[:2, 2] - pixels).ravel())
        return np.concatenate(rows)


def same_minimum_as_scipy(report):
    station = pathlib.Path(os.environ["POV_SOURCE"]) / "share/stations/photo_tags.yaml"
    lines = run("run", station, "--images", "views", "--json", "--no-publish", "--quiet").stdout.splitlines()
    corners = {o["image"]["name"]: {t["id"]: np.array(t["corners_px"]) for t in o["tags"]} for o in map(json.loads, lines)}
    problem = Adjustment(report, corners)
    start = np.random.default_rng(2).normal(0, 1e-3, problem.size)
    best = least_squares(problem.residuals, start, x_scale="jac")
    information = np.linalg.inv(best.jac.T @ best.jac)
    noise2 = 2 * best.cost / (len(best.fun) - problem.size)
    assert abs(np.sqrt(noise2) / report["noise_px"] - 1) < 0.05, (noise2, report["noise_px"])
    for k, tag in enumerate(problem.tags):
        own = slice(6 * k, 6 * k + 6)
        theirs, ours = np.sqrt(np.diag(noise2 * information[own, own])), np.sqrt(np.diag(np.reshape(tag["cov"], (6, 6))))
        assert np.allclose(ours, theirs, rtol=0.1), (tag["id"], ours, theirs)
        assert (np.abs(best.x[own]) < 0.2 * theirs).all(), (tag["id"], best.x[own], theirs)


def truth_is_met(report):
    assert report["tags_mapped"] == len(PLACES) and report["images_used"] == len(EYES), report
    for tag in report["tags"]:
        R, position = PLACES[tag["id"]]
        off = np.linalg.norm(np.array(tag["pos_m"]) - position)
        tilt = np.degrees(np.arccos(np.clip(np.reshape(tag["R_table_tag"], (3, 3))[:, 2] @ R[:, 2], -1, 1)))
        assert off < 0.5e-3 and tilt < 0.3, (tag["id"], off, tilt)


def the_page_draws_where_things_are(report):
    page = pathlib.Path("page.html").read_text()
    plan, misses = (xml.etree.ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", page, re.S))
    drawn = {int(tag.find("title").text.split()[1]): np.mean([[float(number) for number in xy.split(",")] for xy in tag.get("points").split()], axis=0)
             for tag in plan.iter("polygon")}
    cameras = [np.array([float(dot.get("cx")), float(dot.get("cy"))]) for dot in plan.iter("circle")]
    assert drawn.keys() == PLACES.keys() and len(cameras) == len(EYES), page
    scale = np.linalg.norm(drawn[2] - drawn[0]) / 0.24
    for at, (x, y, _) in [*zip(drawn.values(), (PLACES[i][1] for i in drawn)), *zip(cameras, EYES)]:
        assert np.linalg.norm(at - drawn[0] - scale * np.array([x, -y])) < 0.005 * scale + 0.2, (at, x, y)
    lines = [[float(line.get(key)) for key in ("x1", "y1", "x2", "y2")] for line in misses.iter("line")][:-1]
    assert len(lines) == 4 * sum(tag["used"] for image in report["images"] for tag in image["tags"])
    rms = np.sqrt(np.mean([(x2 - x1) ** 2 + (y2 - y1) ** 2 for x1, y1, x2, y2 in lines]))
    assert abs(rms - 12) < 0.1, rms
    assert "8 of 8 tags in the map, from 8 of 8 images" in page


def complaints_say_what_and_how():
    def refused(code, text, *arguments):
        result = run("calib", "tags", *arguments, code=code)
        assert text in result.stderr, (text, result.stderr)
        assert not pathlib.Path("none.yaml").exists()
    camera = ("--camera", "camera.yaml", "--size", EDGE, "--out", "none.yaml")
    refused(1, "no image shows tag36h11 99, which --fix names", "views/0.png", *camera, "--fix", 99)
    refused(1, "no image", "views/0.png", *camera, "--fix", 0, "--family", "tag25h9")
    refused(2, "give --fix ID", "views", *camera)
    refused(2, "--size: takes a length", "views", "--size", "large", "--camera", "camera.yaml", "--fix", 0)
    refused(2, "which images?", *camera, "--fix", 0)
    refused(1, "nowhere.yaml", "views", "--camera", "nowhere.yaml", "--size", EDGE, "--fix", 0, "--out", "none.yaml")
    refused(1, "whose size is not given: say --size", "views/0.png", "--camera", "camera.yaml", "--size", "50-60=0.1",
            "--fix", 0, "--out", "none.yaml")
    pathlib.Path("large.yaml").write_text(CAMERA.replace(f"image_width: {WIDTH}", "image_width: 1280"))
    refused(1, "use images of that size, or calibrate at this one", "views", "--camera", "large.yaml", "--size", EDGE,
            "--fix", 0, "--out", "none.yaml")


def refused_maps_tell_why():
    """What was seen is needed most then: no map, but the page and the JSON, which begin with the reason."""
    done = run("calib", "tags", "views", "--camera", "camera.yaml", "--size", EDGE, "--fix", 99, "--out", "none.yaml", "--html",
               "why.html", "--json", "--without", "3.png", code=1)
    report, page = json.loads(done.stdout), pathlib.Path("why.html").read_text()
    assert list(report)[:2] == ["calibrated", "why"] and report["calibrated"] is False, done.stdout
    about = re.search(r"<p>(.*?)</p>", page).group(1)
    for said in (done.stderr, report["why"], about):
        assert "no image shows tag36h11 99, which --fix names" in said, said
    assert "<h1>No map of tags" in page and "nan" not in page.lower() and not pathlib.Path("none.yaml").exists(), page
    numbers = page.split("<pre>")[1]
    for image in report["images"]:
        why = "left out by --without" if image["image"] == "3.png" else "shows fewer than two tags of the map"
        assert image["why"] == why and re.search(rf"{image['image']} .*{why}", numbers), (image, numbers)


def a_whole_image_that_does_not_fit_is_named():
    """Stretched, no two of its tags fit; and one that is left out."""
    stretched = cv2.warpAffine(cv2.imread("views/2.png"), np.float32([[1, 0.35, -60], [0, 0.8, 0]]), (WIDTH, HEIGHT), borderValue=(190,) * 3)
    cv2.imwrite("views/stretched.png", stretched)
    options = ("calib", "tags", "views", "--camera", "camera.yaml", "--size", EDGE, "--fix", 0, "--out", "none")
    report = json.loads(run(*options, "--json").stdout)
    whys = {image["image"]: image.get("why") for image in report["images"]}
    assert report["calibrated"] and whys.pop("stretched.png").endswith("mapped tags fit: misread, or moved"), report["images"]
    assert set(whys.values()) == {None} and report["images_used"] == len(EYES), whys
    report = json.loads(run(*options, "--json", "--without", "views/stretched.png").stdout)
    assert [image["image"] for image in report["images"] if image.get("why") == "left out by --without"] == ["stretched.png"]
    assert "there is no image of this name" in run(*options, "--without", "elsewhere.png", code=1).stderr
    pathlib.Path("views/stretched.png").unlink()


def the_map_is_what_a_station_reads():
    """The known tags' frame, another size, and files besides folders; then the map in a station."""
    pathlib.Path("known.yaml").write_text(
        f"family: tag36h11\nedge_m: {EDGE}\ntags:\n  - {{id: 4, position_m: [1, 2, 3], yaw_deg: 90}}\n")
    text = run("calib", "tags", "views/0.png", "views/1.png", "views/2.png", "--camera", "camera.yaml", "--size",
               f"{1e3 * EDGE}mm", "--known", "known.yaml", "--out", "map.yaml").stdout
    assert "8 of 8 tags in the map, from 3 of 3 images" in text and "Wrote map.yaml" in text, text
    pathlib.Path("station.yaml").write_text(
        "camera: {source: folder, calibration: camera.yaml}\ntags: {map: map.yaml}\n")
    seen = json.loads(run("run", "station.yaml", "--images", "views/5.png", "--json", "--no-publish", "--quiet").stdout)
    R, t = Rotation.from_euler("z", 90, degrees=True), np.array([1, 2, 3])
    eye = R.apply(np.array(EYES[5]) - PLACES[4][1]) + t
    assert {tag["fate"] for tag in seen["tags"]} == {"used"}
    assert np.linalg.norm(np.array(seen["image"]["pose"]["pos_m"]) - eye) < 3e-3, (seen["image"]["pose"], eye)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        all_of_it()


def all_of_it():
    pathlib.Path("views").mkdir()
    draw(pathlib.Path("views"), np.random.default_rng(1))
    pathlib.Path("camera.yaml").write_text(CAMERA)
    report = json.loads(run("calib", "tags", "views", "--camera", "camera.yaml", "--size", EDGE, "--fix", 0, "--json",
                            "--html", "page.html").stdout)
    truth_is_met(report)
    same_minimum_as_scipy(report)
    the_page_draws_where_things_are(report)
    complaints_say_what_and_how()
    refused_maps_tell_why()
    a_whole_image_that_does_not_fit_is_named()
    the_map_is_what_a_station_reads()


if __name__ == "__main__":
    sys.exit(main())
