#!/usr/bin/python3
"""A film of a simulated turntable is judged as the images that it was made of.

The images are drawn by `pov sim`, coded as H.264, and given times of their own: every third comes late.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
except (ImportError, ValueError):
    print("skipped: needs python3-gi and gir1.2-gstreamer-1.0")
    sys.exit(77)

POV = os.environ["POV"]
IMAGES = 6
TIMES_MS = [100 * i + (30 if i % 3 == 2 else 0) for i in range(IMAGES)]
CODING = ("appsrc name=in format=time caps=image/png,framerate=0/1 ! pngdec ! videoconvert ! "
          "x264enc pass=quant quantizer=15 speed-preset=ultrafast ! mp4mux ! filesink location={}")


def make_film(path, images):
    try:
        pipeline = Gst.parse_launch(CODING.format(path))
    except gi.repository.GLib.Error as problem:
        print(f"skipped: {problem.message}")
        sys.exit(77)
    source = pipeline.get_by_name("in")
    pipeline.set_state(Gst.State.PLAYING)
    for time_ms, image in zip(TIMES_MS, images):
        buffer = Gst.Buffer.new_wrapped(image.read_bytes())
        buffer.pts, buffer.duration = time_ms * Gst.MSECOND, 100 * Gst.MSECOND
        source.emit("push-buffer", buffer)
    source.emit("end-of-stream")
    message = pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    assert message.type == Gst.MessageType.EOS, message.parse_error()
    pipeline.set_state(Gst.State.NULL)


def judge(station, *options):
    result = subprocess.run([POV, "run", station, "--json", "--no-publish", "--quiet", *options], capture_output=True, text=True,
                            timeout=600)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def told(station, *options):
    result = subprocess.run([POV, "run", station, "--no-publish", *options], capture_output=True, text=True, timeout=600)
    assert result.returncode == 0 and "images judged" in result.stderr, result.stderr
    return result.stderr


def main():
    Gst.init(None)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([POV, "sim", "station", "--size", "640x480", "--images", str(IMAGES), "--bodies", "own", "--quiet", "--out",
                        folder / "sim"], check=True)
        film, station = folder / "film.mp4", folder / "sim/station.yaml"
        make_film(film, sorted((folder / "sim/images").iterdir()))
        # the table jumps by 10 degrees from image to image: nothing can be followed
        text = station.read_text().replace("tags: {", "tags: {follow: false, ") + "track: false\njudge: {visibility: false}\n"
        station.write_text(text)
        by_folder, by_film = judge(station), judge(station, "--images", film)
        # only images that come as they are taken have a delay
        assert "from the exposure" not in told(station, "--images", film)
        assert "from the exposure" not in told(station)
        assert "from the exposure" in told(station, "--rate", "20", "--loop", "--count", "12")
        assert len(by_folder) == len(by_film) == IMAGES, (len(by_folder), len(by_film))
        station.write_text(text.replace("source: folder", "source: video\n  file: ../film.mp4\n  from_s: 0.2\n  to_s: 0.41"))
        part = judge(station)

    times_ms = [round((one["image"]["capture_ns"] - by_film[0]["image"]["capture_ns"]) / 1e6) for one in by_film]
    assert times_ms == TIMES_MS, times_ms
    compared = other = 0
    for first, second in zip(by_folder, by_film):
        assert len(first["judgments"]) == len(second["judgments"])
        for a, b in zip(first["judgments"], second["judgments"]):
            verdicts = {a["verdict"], b["verdict"]}
            assert verdicts != {"true", "false"}, (first["image"]["name"], a, b)
            compared += len(verdicts) == 1
            other += len(verdicts) == 2
    print(f"{compared} judgments alike, {other} undecided in one of the two")
    assert compared > 100 * IMAGES and other < 0.01 * compared, (compared, other)
    assert [one["judgments"] for one in part] == [one["judgments"] for one in by_film[2:2 + len(part)]] and len(part) == 3, len(part)


if __name__ == "__main__":
    main()
