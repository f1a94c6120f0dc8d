#!/usr/bin/python3
"""Faces in stored images: the same simulated man twice, blurred and kept raw by choice. OpenCV's Python finds his face in the raw image,
none in the blurred one, and nothing else differs; the judgments are the same."""
import pathlib
import sys

import cv2
import numpy

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "sweep")]
from sweep_peer import folder, pov
from test_study import query

CASCADES = pathlib.Path("/usr/share/opencv4/haarcascades")
WORLD = """
camera: {size_px: [640, 480], field_of_view_deg: 55, position_m: [1.4, 0, 1.62], look_at_m: [0, 0, 1.62]}
surface: {size_m: [14, 14], color: "#b39a7c"}
lighting: {lamp_m: [3, -2, 5], lamp_radius_m: 0.5, lamp_strength: 0.7, ambient: 0.42, sky: "#c3cad0"}
turntable: {position_m: [0, 0], radius_m: 0.6, height_m: 0.02}
motion: {steps: 8, period_s: 8}
things: [{id: bob, class: man, position_m: [0, 0], on: turntable, front_deg: -45}, {id: box, position_m: [0.9, 0.9]}]
"""
PROTOCOL = "participants: 1\nconsent: c\nconditions: [{id: a}]\ntrials: [{id: t}]\nfaces: %s\n"


def stored_image(where, station, faces):
    log = where / faces
    (where / f"{faces}.yaml").write_text(PROTOCOL % faces)
    pov("study", "run", station, where / f"{faces}.yaml", "--log", log, "--participant", "P01",
        input="consent\nturn 45\nstart\nstop\n")
    (path, count, evidence), = query(log, "SELECT path, faces, evidence FROM images")
    return cv2.imread(str(log / path)), count, evidence.split('"capture_ns"')[0], evidence.split('"judgments"')[1]


def faces_in(image, margin=0):
    classifier = cv2.CascadeClassifier(str(CASCADES / "haarcascade_frontalface_alt2.xml"))
    found = classifier.detectMultiScale(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), 1.08, 4, 0, (20, 20))
    return [tuple(map(int, box)) for box in found]


def main():
    if not CASCADES.exists():
        print("skipped: no", CASCADES)
        sys.exit(77)
    with folder() as scratch:
        where = pathlib.Path(scratch)
        (where / "man.yaml").write_text(WORLD)
        pov("sim", where / "man.yaml", "--images", 1, "--bodies", "own", "--out", where / "world")
        station = where / "world" / "simulated.yaml"
        station.write_text((where / "world" / "station.yaml").read_text().replace("source: folder", "source: simulator"))
        raw, raw_count, *raw_told = stored_image(where, station, "raw")
        blurred, count, *told = stored_image(where, station, "blurred")
        assert raw_count == -1 and count == 1, (raw_count, count)
        assert told == raw_told
        (x, y, width, height), = faces_in(raw)
        assert faces_in(blurred) == []
        rows, columns = numpy.nonzero((raw != blurred).any(axis=2))
        assert x - width < columns.min() < x and x + width < columns.max() < x + 2 * width, (x, width, columns.min(), columns.max())
        assert y - height < rows.min() < y and y + height < rows.max() < y + 2 * height
        inside = blurred[y:y + height, x:x + width]
        assert len(numpy.unique(inside.reshape(-1, 3), axis=0)) <= 36 # 6 x 6 squares at most
    print("one face was blurred, and nothing else")


if __name__ == "__main__":
    main()
