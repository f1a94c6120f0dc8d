#!/usr/bin/python3
"""pov run says when a camera's calibration does not hold, and what it leaves open: a simulated lens, and files that say it is
another, or uncertain."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

POV = os.environ["POV"]
IMAGES = 11
WORLD = """
camera: {size_px: [640, 480], field_of_view_deg: 60, position_m: [0.7, 0.1, 0.75], look_at_m: [0, 0, 0]}
surface: {size_m: [1.6, 1.6], color: "#c9a678"}
motion: {orbit: {thing: ball, about: box}, steps: 11}
sensor: {preset: noisy}
tags:
  family: tag36h11
  edge_m: 0.1
  lying: [{id: 0, position_m: [0.2, -0.3]}, {id: 1, position_m: [0.2, 0.3]}, {id: 2, position_m: [-0.3, 0.3]},
          {id: 3, position_m: [-0.3, -0.3]}]
things:
  - {id: box, class: car, position_m: [0, 0], size_m: 0.12, front_deg: 90}
  - {id: ball, class: basketball, position_m: [0.2, 0], size_m: 0.08, color: red}
"""


def run(station, *options, code=0):
    done = subprocess.run([POV, "run", station, "--json", "--no-publish", *options], capture_output=True, text=True, timeout=200)
    assert done.returncode == code, (station, done.returncode, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def station_with(name, camera):
    """The station with another calibration file."""
    pathlib.Path(f"world/{name}.camera.yaml").write_text(camera)
    text = pathlib.Path("world/station.yaml").read_text().replace("camera.yaml", f"{name}.camera.yaml")
    pathlib.Path(f"world/{name}.yaml").write_text(text)
    return f"world/{name}.yaml"


def zoomed(camera, factor):
    focal = re.search(r"data: \[([0-9.]+)", camera).group(1)
    return camera.replace(focal, repr(float(focal) * factor))


def with_covariance(camera, share):
    """As pov calib camera writes it: focal lengths and centre known to a share of the focal length."""
    focal = float(re.search(r"data: \[([0-9.]+)", camera).group(1))
    variances = [(share * focal) ** 2] * 2 + [(share * focal) ** 2 / 4] * 2 + [1e-8] * 5
    rows = [[variances[i] if i == k else 0.9 * variances[0] if i + k == 1 else 0 for k in range(9)] for i in range(9)]
    data = ", ".join(f"{value:g}" for row in rows for value in row)
    return camera + f"calibration:\n  date: now\n  covariance: {{rows: 9, cols: 9, dt: d, data: [{data}]}}\n"


def a_good_calibration_is_left_alone(camera):
    observed, said = run("world/station.yaml")
    assert "calibration" not in said, said
    assert observed[0]["lens"] is None or not observed[0]["lens"]["stale"]
    for image in observed[9:]:
        assert not image["lens"]["stale"] and abs(image["lens"]["zoom"] - 1) < 0.003, image["lens"]
    assert all(len(image["image"]["calibration"]) == 16 for image in observed)
    assert all(judgment["doubt"] in (None, "poses") for image in observed for judgment in image["judgments"])


def a_lens_that_zoomed_is_noticed(camera):
    for factor in 1.01, 0.99:
        observed, said = run(station_with("zoomed", zoomed(camera, factor)))
        assert said.count("does not hold") == 1 and "pov calib camera" in said, said
        lens = observed[-1]["lens"]
        assert lens["stale"] and abs(lens["zoom"] - 1 / factor) < 0.004, lens


def another_size_is_refused(camera):
    _, said = run(station_with("small", camera.replace("image_width: 640", "image_width: 1280")), code=1)
    assert "640 x 480 pixels, but the calibration is for 1280 x 480" in said and "calibrate" in said, said


def an_uncertain_calibration_leaves_open_what_a_good_one_decides(camera):
    """The world's ball circles the car: somewhere it is nearly beside it."""
    doubts = {}
    for name, share in ("good", 1e-5), ("poor", 0.2):
        observed, _ = run(station_with(name, with_covariance(camera, share)))
        doubts[name] = [j["doubt"] for image in observed for j in image["judgments"]]
        for image in observed:
            for judgment in image["judgments"]:
                assert (judgment["doubt"] is not None) == (judgment["verdict"] == "abstain"), judgment
        spread = max(e["pos_cov_m2"][0] for e in observed[0]["scene"]["entities"] if e["id"] == "ball") ** 0.5
        doubts[name + " spread"] = spread
    assert doubts["poor"].count("calibration") > doubts["good"].count("calibration")
    assert doubts["poor spread"] > 2 * doubts["good spread"], (doubts["poor spread"], doubts["good spread"])


def what_is_no_covariance_is_refused(camera):

    text = camera + "calibration:\n  covariance: {rows: 2, cols: 2, data: [1, 0, 0, 1]}\n"
    _, said = run(station_with("bad", text), code=1)
    assert "bad.camera.yaml" in said and "covariance" in said and "4 at least" in said, said


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("w.yaml").write_text(WORLD)
        subprocess.run([POV, "sim", "w.yaml", "--images", str(IMAGES), "--quiet", "--out", "world"], check=True, timeout=200)
        camera = pathlib.Path("world/camera.yaml").read_text()
        for test in (a_good_calibration_is_left_alone, a_lens_that_zoomed_is_noticed, another_size_is_refused,
                     an_uncertain_calibration_leaves_open_what_a_good_one_decides, what_is_no_covariance_is_refused):
            test(camera)
    return 0


if __name__ == "__main__":
    sys.exit(main())
