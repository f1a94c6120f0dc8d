#!/usr/bin/python3
"""make.py PROGRAM OUT.webp: films the demo's page while its simulated table turns, for the README: an animated WebP."""
import io
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/support"))
from chromium import Chromium  # noqa: E402

STOPS, EVERY_S, WIDTH_PX, BYTES_MAX = 30, 1.0, 830, 2_000_000


def film(program, folder):
    """A picture a stop."""
    demo = subprocess.Popen([program, "demo", "--no-browser", "--dashboard", "0", "--pace", str(EVERY_S), "--out", folder / "demo"],
                            stdout=subprocess.PIPE, text=True)
    try:
        url = next(match[0] for line in demo.stdout if (match := re.search(r"http://\S+", line)))
        with Chromium(1280, 720) as page:
            page.open(url)
            page.wait_for("document.getElementById('perspectives') && document.getElementById('perspectives').rows.length > 0")
            time.sleep(3)
            frames = []
            for _ in range(STOPS):
                began = time.monotonic()
                page.picture(folder / "frame.png")
                frames.append(Image.open(io.BytesIO((folder / "frame.png").read_bytes())).convert("RGB"))
                time.sleep(max(0, EVERY_S - (time.monotonic() - began)))
            return frames
    finally:
        demo.terminate()
        demo.wait()


def main(program, out):
    with tempfile.TemporaryDirectory(prefix="pov-loop-") as folder:
        frames = film(program, pathlib.Path(folder))
    frames = [frame.resize((WIDTH_PX, frame.height * WIDTH_PX // frame.width), Image.LANCZOS) for frame in frames]
    for quality in 80, 60, 40, 20:
        frames[0].save(out, save_all=True, append_images=frames[1:], duration=400, loop=0, quality=quality, method=6)
        size = pathlib.Path(out).stat().st_size
        if size <= BYTES_MAX:
            print(f"{out}: {len(frames)} pictures, {size // 1000} kB")
            return 0
    print(f"{out}: {size // 1000} kB; {BYTES_MAX // 1000} at most: fewer stops (STOPS)")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
