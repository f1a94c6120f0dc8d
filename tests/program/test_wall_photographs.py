#!/usr/bin/python3
"""Photographs of walls that bear tags, by a camera that was calibrated from photographs of a board, against a tape measure.

Optional data: ../shared/data (or $POV_SHARED/data). The walls' layout is a drawing's, taken once as it is and once as within
some centimetres and a degree of what was put up. Photographs with one far tag are those with one tag in the map."""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

POV = os.environ["POV"]
DATA = pathlib.Path(os.environ.get("POV_SHARED", pathlib.Path(os.environ["POV_SOURCE"]) / "../shared")) / "data"
LAYOUT = DATA / "tags/field_layout.json"
SKIPPED = 77
HEIGHT = "height_m: 0.756, height_std_m: 0.05"
PITCH = "pitch_deg: 18, pitch_std_deg: 3"
CAST = """cast:
  - {id: box, found_by: survey, position_m: [16, 5.0, 1]}
  - {id: lamp, found_by: survey, position_m: [16, 5.2, 1.2]}
judge: {relations: [in_front_of, north_of], axes: [sight_line], abstain_margin: 0.45}
north_deg: 90
"""


def run(*arguments):
    result = subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True, timeout=200)
    assert result.returncode == 0, (arguments, result.stderr)
    return result.stdout


def write_map(only, uncertain):
    layout = json.loads(LAYOUT.read_text())
    std = ", position_std_m: 0.05, rotation_std_deg: 1" if uncertain else ""
    lines = [f"  - {{id: {t['id']}, position_m: [{t['x_m']}, {t['y_m']}, {t['z_m']}], faces_deg: {t['yaw_deg']}{std}}}"
             for t in layout["tags"] if only in (None, t["id"])]
    pathlib.Path("map.yaml").write_text(f"family: {layout['family']}\nedge_m: {layout['tag_edge_m']}\ntags:\n" +
                                        "\n".join(lines) + "\n")


def see(photograph, tag=None, prior=None, uncertain=True):
    write_map(tag, uncertain)
    known = f", prior: {{{prior}}}" if prior else ""
    pathlib.Path("station.yaml").write_text(
        f"camera: {{source: folder, calibration: camera.yaml{known}}}\ntags: {{map: map.yaml}}\n{CAST}")
    return json.loads(run("run", "station.yaml", "--images", DATA / f"tags/{photograph}.jpg", "--json", "--no-publish",
                          "--quiet"))


def pitch_deg(pose):
    return math.degrees(math.asin(pose["R_table_camera"][8]))


def assert_near(actual, expected, tolerance, what):
    print(f"{what}: {actual:.3f}, {expected} +- {tolerance} expected")
    assert abs(actual - expected) <= tolerance, (what, actual)


def whole_layout(uncertain):
    print("the layout, within some centimetres:" if uncertain else "the layout as it is:")
    pose = see("Amp_42in", uncertain=uncertain)["image"]["pose"]
    assert pose["source"] == "tags"
    assert_near(8.2042 - pose["pos_m"][1], 1.07, 0.08, "Amp_42in: from the wall, m")
    assert_near(pose["pos_m"][2], 0.756, 0.06, "Amp_42in: height, m")
    pose = see("SpeakerCenter_143in", uncertain=uncertain)["image"]["pose"]
    assert pose["source"] == "tags"
    assert_near(16.57934 - pose["pos_m"][0], 4.55, 0.12, "SpeakerCenter_143in: from the wall, m")
    assert_near(pitch_deg(pose), 18, 4, "SpeakerCenter_143in: pitch (mirrored: -1), deg")
    for photograph in ("GeneralField1", "StageLeft_51in"):
        pose = see(photograph, uncertain=uncertain)["image"]["pose"]
        assert pose["source"] == "tags", (photograph, pose)
        assert_near(pose["pos_m"][2], 0.756, 0.06, f"{photograph}: height, m")
        assert_near(pitch_deg(pose), 18, 3, f"{photograph}: pitch, deg")


def verdicts(observation, perspective):
    return [j["verdict"] for j in observation["judgments"] if j["perspective"] == perspective]


def one_far_tag(photograph, tag):
    """Both poses are told; what depends on which it is abstains, what does not is answered; a prior decides."""
    without = see(photograph, tag)
    pose = without["image"]["pose"]
    assert pose["source"] == "ambiguous", pose["source"]
    assert len(pose["candidates"]) == 2 and math.isclose(sum(c["probability"] for c in pose["candidates"]), 1)
    pitches = sorted(pitch_deg(c) for c in pose["candidates"])
    assert pitches[0] < 10 and 13 < pitches[1] < 23, pitches
    assert set(verdicts(without, "absolute")) == {"true", "false"}
    egocentric = verdicts(without, "egocentric")
    assert "abstain" in egocentric, egocentric
    for prior in (HEIGHT, PITCH):
        decided = see(photograph, tag, prior)
        pose = decided["image"]["pose"]
        assert pose["source"] == "tags", (photograph, tag, prior, pose["source"])
        print(f"{photograph}, tag {tag} alone, {prior}: height {pose['pos_m'][2]:.2f} m, pitch {pitch_deg(pose):.1f} deg")
        assert 13 < pitch_deg(pose) < 22
        known = verdicts(decided, "egocentric")
        assert set(known) == {"true", "false"}
        assert all(said in ("abstain", right) for said, right in zip(egocentric, known)), (egocentric, known)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        all_of_it()


def all_of_it():
    run("calib", "camera", "--images", DATA / "charuco_lifecam1280", "--board", "charuco:8x8:25.4mm:19.05mm:4X4_1000",
        "--model", "5", "--out", "camera.yaml")
    whole_layout(True)
    whole_layout(False)
    pose = see("SpeakerCenter_143in", 3)["image"]["pose"]
    likelier = max(pose.get("candidates", [dict(pose, probability=1)]), key=lambda c: c["probability"])
    assert likelier["probability"] > 0.8, likelier
    assert_near(pitch_deg(likelier), 18, 4, "SpeakerCenter_143in, tag 3 alone: the likelier pitch, deg")
    one_far_tag("SpeakerCenter_143in", 4)


if __name__ == "__main__":
    if not LAYOUT.exists():
        print("skipped: ../shared not found")
        sys.exit(SKIPPED)
    main()
