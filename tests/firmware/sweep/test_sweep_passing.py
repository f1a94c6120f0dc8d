#!/usr/bin/python3
"""pov sweep --turning: a table that does not stop, simulated, behind a motor, by hand and on film. The oracle is trigonometry on the
true scene of each image, which the simulator tells."""
import json
import math
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import sweep_peer
from sweep_peer import ENVIRONMENT, POV, pov, query
from test_sweep_rotation import wait_for

RATE_HZ, SPEED_DEG_S, STOPS = 12, 40, 12  # an image every 3.3 degrees: nine from stop to stop
SPACING_DEG = SPEED_DEG_S / RATE_HZ


def world(folder, name="turning", sensor="preset: noisy", film_s=360 / SPEED_DEG_S, pixels=284):
    """A ball that circles another as time passes; the station that sees it, and a film of one turn of it."""
    text = pov("sim", "--print", "comfort-ball")
    text = re.sub(r"period_s: [0-9.]+", f"period_s: {360 / SPEED_DEG_S}", re.sub(r"(?m)^sensor:.*$", "", text))
    text = text.replace("size_px: [284, 284]", f"size_px: [{pixels}, {pixels}]")
    path = folder / f"{name}.yaml"
    path.write_text(text + f"\nsensor: {{{sensor}}}\nrate_hz: {RATE_HZ}\n")
    film = folder / f"{name}-film"
    pov("sim", path, "--images", int(RATE_HZ * film_s) + 3, "--bodies", "own", "--quiet", "--out", film)
    station = film / "simulated.yaml"
    lines = (film / "station.yaml").read_text().replace("source: folder", "source: simulator")
    station.write_text(re.sub(r'simulator: \{world: "[^"]*"', f'simulator: {{world: "{path}", rate_hz: {RATE_HZ}', lines))
    return station, film


def true_phi_deg(scene):
    """The red ball's azimuth about the blue one, 0 toward the camera, counter-clockwise from above."""
    place = {one["id"]: one["pos_m"] for one in scene["scene"]["entities"]}
    ball, other, camera = place["red_ball"], place["blue_ball"], place["camera"]
    yaw = [math.atan2(to[1] - other[1], to[0] - other[0]) for to in (ball, camera)]
    return math.degrees(yaw[0] - yaw[1]) % 360


def apart_deg(a, b):
    return abs((a - b + 180) % 360 - 180)


HOLDS = {"left": lambda phi: -math.sin(phi), "right": math.sin, "front": math.cos, "behind": lambda phi: -math.cos(phi)}  # as English has it


def check_log(run, spacing_deg=SPACING_DEG):
    """Angles within their deviations, as near to those that were wanted as images lie, golds as trigonometry has them."""
    rows = query(run, "SELECT id, stop, phi_deg, curve_deg, truth FROM images ORDER BY stop")
    assert [row[1] for row in rows] == list(range(STOPS)), rows
    within = 0
    for id, stop, phi_deg, curve_deg, truth in rows:
        true_deg = true_phi_deg(json.loads(truth))
        questions = query(run, f"SELECT columns, gold, gold_p FROM questions WHERE image = {id} AND paper = 'comfort'")
        columns = [(json.loads(text), gold) for text, gold, _ in questions]
        std_deg = next(column["phi_exact_std_deg"] for column, _ in columns if "phi_exact_std_deg" in column)
        assert 0 < std_deg < 1, std_deg
        within += apart_deg(phi_deg, true_deg) <= 2 * std_deg
        assert apart_deg(phi_deg, true_deg) <= 3.5 * std_deg, (stop, phi_deg, true_deg, std_deg)
        assert apart_deg(true_deg, 360 * stop / STOPS) <= spacing_deg / 2 + 2 * std_deg, (stop, true_deg)
        assert curve_deg == 360 * stop / STOPS, (stop, curve_deg)
        told = 0
        for column, gold in columns:
            if column.get("prompt") in ("cam", "nop") and gold: # "": it abstains
                holds = HOLDS[column["relation"]](math.radians(true_deg))
                told += 1
                assert (gold == "yes") == (holds > 0), (stop, true_deg, column, gold, holds)
        assert told >= 4, (stop, told)
    assert within >= 0.9 * STOPS, within


def sweep(station, run, *more, code=0, speed_deg_s=SPEED_DEG_S):
    done = subprocess.run([POV, *map(str, ("sweep", station, "--out", run, "--angles", STOPS, "--turning", speed_deg_s, "--tolerance", 2, *more))],
                          capture_output=True, text=True, timeout=250, env=ENVIRONMENT)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done.stderr


GOLDS = "SELECT i.stop, i.phi_deg, i.curve_deg, q.key, q.prompt, q.gold, q.golds, q.columns FROM questions q JOIN images i ON i.id = q.image ORDER BY i.stop, q.key"


def a_simulated_table(folder):
    station, film = world(folder)
    said = sweep(station, folder / "simulated")
    check_log(folder / "simulated")
    assert f"{STOPS} of {STOPS} stops" in said and re.search(r"phi \d+\.\d deg \+- 0\.\d\d", said), said
    by_film = sweep(film / "station.yaml", folder / "film", "--images", film / "images")
    assert query(folder / "film", GOLDS) == query(folder / "simulated", GOLDS) and "exposure is not known" in by_film
    names = [name for name, in query(folder / "film", "SELECT name FROM images ORDER BY stop")]
    assert len(set(names)) == STOPS
    by_hand = sweep(film / "station.yaml", folder / "hand", "--by-hand", "--images", film / "images")
    assert query(folder / "hand", GOLDS) == query(folder / "film", GOLDS), by_hand


def a_film_that_ends_early(folder):
    film = folder / "turning-film"
    for image in sorted((film / "images").iterdir())[50:]:
        image.unlink()
    said = sweep(film / "station.yaml", folder / "early", "--images", film / "images", code=1)
    assert "the images ended after 6 of 12 stops" in said, said


def project(pose, focal_px, place):
    """A pinhole's pixel, from the middle of the image."""
    rows, at = pose["R_table_camera"], [p - c for p, c in zip(place, pose["pos_m"])]
    x, y, z = (sum(rows[3 * k + axis] * at[k] for k in range(3)) for axis in range(3))
    return focal_px * x / z, focal_px * y / z


def smear_px(truth, focal_px, turn_deg):
    """How far the red ball goes in the image while it turns by so much about the blue one."""
    place = {one["id"]: one["pos_m"] for one in truth["scene"]["entities"]}
    ball, other = place["red_ball"], place["blue_ball"]
    ends = []
    for by in (-turn_deg / 2, turn_deg / 2):
        turn = math.radians(by)
        x, y = ball[0] - other[0], ball[1] - other[1]
        ends.append(project(truth["image"]["pose"], focal_px, (other[0] + x * math.cos(turn) - y * math.sin(turn), other[1] + x * math.sin(turn) + y * math.cos(turn), ball[2])))
    return math.dist(*ends)


def blur(folder):
    """A sixteenth of a second at 40 deg/s is 2.5 degrees of smear."""
    exposure_s, max_px = 0.0625, 1.5
    station, film = world(folder, "blurred", f"preset: clean, exposure_s: {exposure_s}", 0, pixels=142)
    said = sweep(station, folder / "smeared", "--blur-max", max_px, code=1)
    assert f"too blurred (--blur-max {max_px})" in said and "Turn more slowly" in said and re.search(r"\d of 12 stops have an image, \d+ were too blurred", said), said
    told = [float(px) for px in re.findall(r"deg \((\d+\.\d) px\)", said)]
    focal_px = float(re.search(r"data: \[([0-9.]+)", (film / "camera.yaml").read_text())[1])
    blurs = dict((round(float(phi)) % 360, float(px)) for phi, px in re.findall(r"phi (\d+\.\d) deg \+- \S+  blur (\d+\.\d+) px", said))
    rows = [(stop, json.loads(truth)) for stop, truth in query(folder / "smeared", "SELECT stop, truth FROM images WHERE stop > 0")]
    assert 2 <= len(rows) < STOPS - 1 and len(told) == STOPS - 1 - len(rows) and min(told) >= max_px, (told, len(rows))
    for stop, truth in rows:
        expected, found = smear_px(truth, focal_px, SPEED_DEG_S * exposure_s), blurs[360 * stop // STOPS]
        assert found <= max_px and abs(found - expected) < 0.15 * expected + 0.1, (stop, found, expected)
    said = sweep(station, folder / "smeared", "--blur-max", max_px, "--resume", speed_deg_s=SPEED_DEG_S / 2)
    assert f"{STOPS} of {STOPS} stops" in said, said


def a_motor(folder):
    """The world turns as far as a simulated controller has turned, in real time."""
    link = folder / "table"
    table = subprocess.Popen([POV, "turntable", "simulate", "--link", link, "--set", "110=3600", "--set", "120=2000", "--set", "25=9000", "--set", "24=600"], stdout=subprocess.DEVNULL)
    wait_for(link.exists)
    station, _ = world(folder, "motor", film_s=0)
    station.write_text(station.read_text() + f"turntable: {{device: {link}, settle_s: 0.02}}\n")
    said = sweep(station, folder / "by-motor", "--tolerance", 9)
    rows = query(folder / "by-motor", "SELECT stop, phi_deg, truth FROM images")
    assert len(rows) == STOPS, said
    for stop, phi_deg, truth in rows:
        assert apart_deg(phi_deg, true_phi_deg(json.loads(truth))) < 1
    fast = pov("sweep", station, "--out", folder / "fast", "--turning", 100, code=1)
    assert "faster than the controller goes" in fast, fast
    table.terminate()
    table.wait()


def main():
    with sweep_peer.folder() as name:
        folder = pathlib.Path(name)
        a_simulated_table(folder)
        a_film_that_ends_early(folder)
        blur(folder)
        a_motor(folder)
        for wrong in (["--exposure", "0.01"], ["--blur-max", "5"], ["--turning", "5", "--shard", "1/2"]):
            pov("sweep", folder / "turning-film/station.yaml", "--out", folder / "no", *wrong, code=2)
    print("a table turned on")


if __name__ == "__main__":
    main()
