#!/usr/bin/python3
"""pov sweep with what turns: a motor behind a real pseudo-terminal, stopped in mid-turn and gone on with; a hand, of which
only the moments count in which it holds still."""
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import sweep_peer
from sweep_peer import ENVIRONMENT, POV, pov, query, station

SLOW = ["--set", "110=3600", "--set", "120=2000", "--set", "25=9000", "--set", "24=600"]  # 4 s from the third stop to the last
PATIENCE_S = 300


def wait_for(what):
    end = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def a_motor_stops_and_goes_on(folder):
    link, run = folder / "table", folder / "motor"
    table = subprocess.Popen([POV, "turntable", "simulate", "--link", link, *SLOW], stdout=subprocess.DEVNULL)
    wait_for(link.exists)
    where = station(folder, turntable=f"{{device: {link}, settle_s: 0.02}}")
    command = ["sweep", where, "--out", run, "--angles", 9, "--quiet"]
    first = subprocess.Popen([POV, *map(str, command)], stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    wait_for(lambda: (run / "images/stop_0002.png").exists())
    first.send_signal(signal.SIGINT)
    said = first.communicate(timeout=PATIENCE_S)[1]
    assert first.returncode == 1 and "--resume" in said, said
    before = query(run, "SELECT stop, sha256 FROM images ORDER BY stop")
    assert 3 <= len(before) < 9, before
    pov(*command, "--resume")
    after = query(run, "SELECT stop, sha256 FROM images ORDER BY stop")
    assert after[:len(before)] == before and len(after) == 9
    assert query(run, "SELECT count(*) FROM images WHERE abs(phi_deg - turn_deg) > 0.5 AND stop > 0") == [(0,)]
    table.send_signal(signal.SIGINT)
    table.wait(PATIENCE_S)


def what_a_camera_sees_of_a_hand(folder):
    """18 stops, a few images at each; between them the table is on its way. Two stops are passed without holding still."""
    world = folder / "slow.yaml"
    world.write_text(pov("sim", "--print", "comfort-ball").replace("images: 36", "images: 72").replace("steps: 36", "steps: 72"))
    pov("sim", world, "--out", folder / "hand")
    images, seen, count = folder / "hand/images", folder / "seen", 0
    seen.mkdir()
    for i, image in enumerate(sorted(images.iterdir())):
        still = i % 4 == 0 and i not in (20, 40)
        for _ in range(4 if still else 1):
            shutil.copy(image, seen / f"seen_{count:04}.png")
            count += 1
    return folder / "hand/station.yaml", seen


def a_hand_turns(folder):
    where, seen = what_a_camera_sees_of_a_hand(folder)
    run = folder / "by-hand"
    command = ["sweep", where, "--out", run, "--by-hand", "--images", seen, "--angles", 18, "--quiet"]
    said = pov(*command, code=1)
    assert "16 of 18" in said, (said, query(run, "SELECT stop, phi_deg, curve_deg, name FROM images"))
    assert query(run, "SELECT count(*) FROM images WHERE curve_deg IN (100, 200)") == [(0,)]
    assert query(run, "SELECT count(DISTINCT curve_deg), max(abs(phi_deg - curve_deg)) < 0.5 FROM images"
                      " WHERE curve_deg > 0") == [(15, 1)]
    for i in range(4): # it comes by again, and is held there
        for turn in 20, 40:
            shutil.copy(folder / f"hand/images/simulated_{turn:04}.png", seen / f"seen_9{turn}{i}.png")
    pov(*command, "--resume")
    assert query(run, "SELECT count(*), count(DISTINCT curve_deg) FROM images") == [(18, 18)]


def main():
    with sweep_peer.folder() as name:
        folder = pathlib.Path(name)
        a_motor_stops_and_goes_on(folder)
        a_hand_turns(folder)
    print("a motor and a hand turned")


if __name__ == "__main__":
    main()
