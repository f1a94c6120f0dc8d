#!/usr/bin/python3
"""pov demo, whole: the comparison finds the bias that the simulated model has, also where an earlier demo was."""
import os
import pathlib
import subprocess
import tempfile

POV = os.environ["POV"]


def demo(folder):
    done = subprocess.run([POV, "demo", "--out", folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        earlier = folder / "comparison" / "sweep"
        (earlier / "images").mkdir(parents=True)
        (earlier / "log.sqlite").write_bytes(b"an earlier demo's")
        told = demo(folder)
        findings = [line for line in told.splitlines() if line.startswith("- ")]
        assert len(findings) == 4, told
        for finding, viewpoint in zip(findings, ("no", "camera's", "addressee's", "relatum's")):
            assert f"{viewpoint} viewpoint" in finding and "the frame it answers in is the camera's" in finding, finding
        assert findings[0].count("100.0 %") == 1 and "though asked for the addressee's" in findings[2], told
        assert f"Look at  {folder}/comparison/report.html" in told
        page = (folder / "comparison" / "report.html").read_text()
        assert "SIMULATED" in page and "<svg" in page
        assert (folder / "contact_sheet.png").stat().st_size > 10000
        assert "egocentric" in (folder / "comparison" / "scores.txt").read_text()


if __name__ == "__main__":
    main()
