#!/usr/bin/env python3
"""What `cmake --install` leaves works where it lies, and the documents that come with it find one another."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(os.environ["POV"]).parent
FILES = """bin/pov share/man/man1/pov.1.gz share/bash-completion/completions/pov share/zsh/site-functions/_pov
    share/pov/pov.proto share/pov/vlm.proto share/doc/pov/README.md share/doc/pov/CHANGELOG.md share/doc/pov/LICENSE
    share/doc/pov/docs/STATION.md share/doc/pov/share/stations/comfort_ball.yaml share/doc/pov/share/worlds/station.yaml
    share/doc/pov/share/languages/comfort.yaml lib/systemd/system/pov@.service""".split()


def installed(prefix):
    subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)


def test_everything_is_there(prefix):
    missing = [name for name in FILES if not (prefix / name).is_file()]
    assert not missing, missing


def test_the_program_has_its_worlds_and_languages(prefix):
    def pov(*arguments):
        result = subprocess.run([prefix / "bin/pov", *arguments], cwd=prefix, capture_output=True, text=True, timeout=120)
        assert result.returncode == 0, f"{arguments}: {result.stdout}{result.stderr}"
        return result.stdout

    assert "Tamil" in pov("questions", "--languages")
    pov("sim", "station", "--images", "2", "--size", "640x480", "--bodies", "own", "--out", "s")
    assert len(pov("run", "s/station.yaml", "--json", "--no-publish").splitlines()) == 2
    assert "good" in pov("run", "share/doc/pov/share/stations/comfort_ball.yaml", "--check")


def test_links_of_documents_lead_somewhere(prefix):
    for document in (prefix / "share/doc/pov").glob("**/*.md"):
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text()):
            assert (document.parent / link).exists(), f"{document}: {link}"


def test_the_service_is_one_that_systemd_takes(prefix):
    unit = prefix / "lib/systemd/system/pov@.service"
    assert f'ExecStart="{prefix}/bin/pov" run /etc/pov/%i.yaml' in unit.read_text()
    if not shutil.which("systemd-analyze"):
        return False
    result = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, ""), result.stderr
    return True


if __name__ == "__main__":
    if not (BUILD / "tools/install/pov.1").exists():
        print("skipped: this build has made no manual page")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="pov install ") as folder:
        installed(pathlib.Path(folder))
        test_everything_is_there(pathlib.Path(folder))
        test_the_program_has_its_worlds_and_languages(pathlib.Path(folder))
        test_links_of_documents_lead_somewhere(pathlib.Path(folder))
        if not test_the_service_is_one_that_systemd_takes(pathlib.Path(folder)):
            print("skipped: systemd-analyze is not installed; all else is as it should be")
            sys.exit(77)
