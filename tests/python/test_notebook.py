#!/usr/bin/python3
"""docs/examples/comfort_figure.ipynb runs on a sweep of a simulated table: it compares its own distances with pov's, and draws four curves.

Its cells are run by this Python, and by Jupyter's nbconvert where that is installed (jupyter-nbconvert, python3-ipykernel)."""
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

POV = os.environ["POV"]
SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
LIBRARY = pathlib.Path(POV).with_name("libpov.so")
NOTEBOOK = SOURCE / "docs/examples/comfort_figure.ipynb"


def make_sweep(folder):
    def pov(*arguments):
        subprocess.run([POV, *map(str, arguments)], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)

    pov("sim", "comfort-ball", "--images", 1, "--out", "world", "--quiet")
    station = folder / "world/station.yaml"
    (folder / "world/simulated.yaml").write_text(station.read_text().replace("source: folder", "source: simulator"))
    pov("sweep", "world/simulated.yaml", "--out", "tonight", "--angles", 36, "--quiet")
    server = subprocess.Popen([POV, "vlm-sim", "--truth", "tonight", "--bias", "noisy", "--noise", "0.1", "--json"], cwd=folder, stdout=subprocess.PIPE)
    try:
        pov("compare", "tonight", "--vlm", json.loads(server.stdout.readline())["url"], "--model", "noisy")
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


def check(folder, text):
    picture = folder / "comfort_figure.png"
    assert picture.read_bytes()[:4] == b"\x89PNG" and picture.stat().st_size > 20000
    lines = [line for line in text.splitlines() if " by pov" in line]
    assert len(lines) == 4 and all(line.startswith("noisy ") for line in lines), text
    picture.unlink()


def main():
    missing = [name for name in ("cffi", "numpy", "pandas", "matplotlib") if importlib.util.find_spec(name) is None]
    if missing or "POV_SANITIZED" in os.environ or not LIBRARY.exists():
        print(f"skipped: this Python has no {', '.join(missing)}" if missing else "skipped: Python cannot load this build's library")
        return 77
    with tempfile.TemporaryDirectory(prefix="pov-notebook-") as name:
        folder = pathlib.Path(name)
        make_sweep(folder)
        environment = {**os.environ, "POV_LIBRARY": str(LIBRARY), "PYTHONPATH": str(SOURCE / "python"), "PYTHONDONTWRITEBYTECODE": "1",
                       "MPLBACKEND": "agg", "PATH": f"{pathlib.Path(POV).parent}:{os.environ['PATH']}"}
        cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
        assert not any(cell["outputs"] for cell in cells), "the notebook is kept without outputs"
        script = "\n".join("".join(cell["source"]) for cell in cells)
        done = subprocess.run(["/usr/bin/python3", "-W", "ignore", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        check(folder, done.stdout)
        if any(importlib.util.find_spec(module) is None for module in ("nbconvert", "ipykernel")):
            print("skipped: the run by Jupyter (jupyter-nbconvert and python3-ipykernel are not installed); its cells run in plain Python")
            return 77
        del environment["MPLBACKEND"]
        shutil.copy(NOTEBOOK, folder)
        done = subprocess.run(["/usr/bin/python3", "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace", NOTEBOOK.name], cwd=folder,
                              env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        outputs = [output for cell in json.loads((folder / NOTEBOOK.name).read_text())["cells"] for output in cell.get("outputs", [])]
        assert any("image/png" in output.get("data", {}) for output in outputs)
        print("".join("".join(output.get("text", [])) for output in outputs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
