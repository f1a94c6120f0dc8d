#!/usr/bin/python3
"""pov calib camera, live, in a terminal: a drawn board is shown here and there, and moved in between. It says what is missing,
takes an image when the board is still, and stops by itself when the camera is known well enough, or when Ctrl-C says so."""
import json
import os
import pathlib
import pty
import signal
import subprocess
import sys
import tempfile
import threading

import cv2
import numpy as np
import yaml

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from opencv_aruco import charuco_board, draw_board  # noqa: E402

POV = os.environ["POV"]
WIDTH, HEIGHT, F = 800, 600, 700.0
K = np.array([[F, 0, 402.0], [0, F, 297.0], [0, 0, 1]])
SQUARE = 0.03


def board_picture():
    """Five by four squares; a pixel is 0.2 mm."""
    board = charuco_board(8, 6, SQUARE, SQUARE * 0.75, cv2.aruco.DICT_4X4_50)
    return draw_board(board, (1200, 900)), SQUARE * 8 / 1200


def draw(picture, pixel_m, place, random):
    """The board's middle at a place in the image and at a distance, tilted about x, y and z."""
    u, v, distance, tilt_x, tilt_y, turn = place
    R = cv2.Rodrigues(np.radians([tilt_x, 0, 0]))[0] @ cv2.Rodrigues(np.radians([0, tilt_y, 0]))[0] @ \
        cv2.Rodrigues(np.radians([0, 0, turn]))[0]
    middle = distance * np.linalg.inv(K) @ [u, v, 1]
    to_board = np.array([[pixel_m, 0, -600 * pixel_m], [0, pixel_m, -450 * pixel_m], [0, 0, 1]])
    H = K @ np.column_stack([R[:, 0], R[:, 1], middle]) @ to_board
    finer = np.array([[3, 0, 1], [0, 3, 1], [0, 0, 1]]) @ H
    image = cv2.warpPerspective(picture, finer, (WIDTH * 3, HEIGHT * 3), flags=cv2.INTER_LINEAR, borderValue=150)
    image = cv2.resize(image, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
    return np.clip(image + random.normal(0, 1, image.shape), 0, 255).astype(np.uint8)


def places():
    tilts = [(30, 0), (-30, 0), (0, 30), (0, -30), (25, 25), (-25, 25), (25, -25), (-25, -25)]
    for i, (u, v) in enumerate([(400, 300), (200, 150), (600, 150), (200, 450), (600, 450), (400, 120), (400, 480), (170, 300),
                                (630, 300), (300, 220), (500, 380), (150, 120), (650, 480), (650, 120), (150, 480),
                                (400, 300)]):
        yield (u, v, 0.36 + 0.03 * (i % 3), *tilts[i % 8], 5 * (i % 5) - 10)


def film(folder):
    """Each place twice, and a picture of the way there: a still board, and one that moves."""
    picture, pixel_m = board_picture()
    random, count, last = np.random.default_rng(1), 0, None
    folder.mkdir()
    for place in places():
        way = [] if last is None else [tuple((a + b) / 2 for a, b in zip(last, place))]
        for shown in way + [place] * 2:
            cv2.imwrite(f"{folder}/film_{count:03d}.png", draw(picture, pixel_m, shown, random))
            count += 1
        last = place


def held_still(count):
    """The first places of the film, then the last of them for as long as anybody looks."""
    folder = pathlib.Path(f"first_{count}")
    folder.mkdir()
    for i in range(5000):
        (folder / f"film_{i:04d}.png").symlink_to(f"../film/film_{min(i, 3 * count - 2):03d}.png")
    return folder


def in_a_terminal(*options, images="film", interrupt_after=None):
    """Runs live in a pseudo-terminal; returns what it showed, and its exit code."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([POV, "calib", "camera", "--images", images, "--live", "--board",
                                "charuco:8x6:30mm:22.5mm:4X4_50", "--model", "5", *options],
                               stdout=subprocess.PIPE, stderr=theirs, text=True)
    os.close(theirs)
    shown, sent = [], []

    def read():
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError: # the other end is closed
                return
            shown.append(part.decode())
            if interrupt_after and interrupt_after in "".join(shown) and not sent:
                sent.append(True)
                process.send_signal(signal.SIGINT)

    reader = threading.Thread(target=read)
    reader.start()
    printed = process.communicate(timeout=200)[0]
    reader.join()
    os.close(ours)
    return "".join(shown), printed, process.returncode


def it_stops_when_it_knows_enough():
    shown, printed, code = in_a_terminal("--json", "--out", "live.yaml")
    assert code == 0, shown
    report = json.loads(printed)
    taken = len(report["images"])
    assert 10 <= taken <= 16, taken
    for words in "hold it still", "1 taken. Still missing:", "\r\033[K", f"{taken} taken, a point is known to":
        assert words in shown, (words, shown)
    assert "0 of 1 views are tilted" not in shown # nobody knows yet
    moving = {f"film_{3 * i - 1:03d}.png" for i in range(1, 17)}
    assert not moving & {image["image"] for image in report["images"]}, report["images"]
    for name, truth in ("fx", F), ("fy", F), ("cx", 402), ("cy", 297):
        value, std = report["parameters"][name]
        assert abs(value - truth) < 5 * std + 0.5, (name, value, std)
    assert yaml.safe_load(pathlib.Path("live.yaml").read_text())["calibration"]["images"] == report["images_used"]
    return taken


def ctrl_c_ends_it_with_what_there_is():
    shown, printed, code = in_a_terminal("--out", "short.yaml", images=held_still(9), interrupt_after="7 taken")
    assert code == 0 and "Wrote short.yaml" in printed, (shown, printed)
    shown, printed, code = in_a_terminal("--out", "none.yaml", images=held_still(4), interrupt_after="2 taken")
    assert code == 1 and "6 at least" in shown and not pathlib.Path("none.yaml").exists(), (code, shown)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        film(pathlib.Path("film"))
        taken = it_stops_when_it_knows_enough()
        ctrl_c_ends_it_with_what_there_is()
    print(f"stopped after {taken} images")
    return 0


if __name__ == "__main__":
    sys.exit(main())
