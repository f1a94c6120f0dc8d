#!/usr/bin/env python3
"""What `cmake --install` leaves works where it lies, and the documents that come with it find one another."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(os.environ["POV"]).parent
RECORDING = pathlib.Path(os.environ["POV_SOURCE"]) / "tests/firmware/recording/kept_session.mcap"
FILES = """bin/pov share/man/man1/pov.1.gz share/bash-completion/completions/pov share/zsh/site-functions/_pov
    share/pov/pov.proto share/doc/pov/README.md share/doc/pov/CHANGELOG.md share/doc/pov/LICENSE
    share/doc/pov/docs/STATION.md share/doc/pov/share/stations/comfort_ball.yaml share/doc/pov/share/worlds/station.yaml
    share/doc/pov/share/languages/comfort.yaml lib/systemd/system/pov@.service
    include/pov/pov.h include/pov/povlink.h""".split()


def installed(prefix):
    subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)


def test_everything_is_there(prefix):
    missing = [name for name in FILES if not (prefix / name).is_file()]
    assert not missing, missing


def test_python_imports_the_package(prefix):
    package, = prefix.glob("lib/python3*/site-packages")
    script = "import pov; print(pov.Scene([{'id': 'a', 'position_m': [1, 0, 0]}]).ids)"
    environment = {**os.environ, "PYTHONPATH": str(package), "PATH": f"{prefix}/bin:{os.environ['PATH']}"}
    told = subprocess.run(["/usr/bin/python3", "-B", "-c", script], cwd=prefix, env=environment, capture_output=True, text=True)
    assert told.stdout == "['a']\n", told.stderr


def test_the_program_has_its_worlds_and_languages(prefix):
    def pov(*arguments):
        result = subprocess.run([prefix / "bin/pov", *arguments], cwd=prefix, capture_output=True, text=True, timeout=120)
        assert result.returncode == 0, f"{arguments}: {result.stdout}{result.stderr}"
        return result.stdout

    assert "Tamil" in pov("questions", "--languages")
    pov("sim", "station", "--images", "2", "--size", "640x480", "--bodies", "own", "--out", "s")
    assert len(pov("run", "s/station.yaml", "--json", "--no-publish").splitlines()) == 2
    assert "good" in pov("run", "share/doc/pov/share/stations/comfort_ball.yaml", "--check")


def test_programs_of_others_build_with_the_libraries(prefix):
    def flags(library):
        return shlex.split(subprocess.run(["pkg-config", "--cflags", "--libs", library], env=environment, capture_output=True, text=True, check=True).stdout)

    def told(program, *command, arguments=()):
        subprocess.run([*command, "-o", prefix / program], check=True)
        return subprocess.run([prefix / program, *arguments], env=environment, capture_output=True, text=True, check=True).stdout

    folder = prefix / "share/doc/pov/docs/examples"
    library, = prefix.glob("lib/**/libpov.so")
    environment = {**os.environ, "PKG_CONFIG_PATH": str(library.parent / "pkgconfig"), "LD_LIBRARY_PATH": str(library.parent)}
    assert [path.name for path in sorted((prefix / "include/pov").rglob("*"))] == ["pov.h", "povlink.h"]
    # the car looks along -x, so a ball at its +x side is behind it; a camera to the south sees that side on the right
    lines = told("judge_scene", "cc", "-std=c11", "-Wall", "-Werror", folder / "judge_scene.c", *flags("pov"))
    for frame, holds, fails in (("intrinsic", "behind", "in_front_of"), ("egocentric reflected", "right_of", "left_of"),
                                ("egocentric rotated", "left_of", "right_of")):
        assert f"ball {holds} car, {frame}: true" in lines and f"ball {fails} car, {frame}: false" in lines, lines
    loaded = subprocess.run(["ldd", prefix / "judge_scene"], env=environment, capture_output=True, text=True, check=True).stdout
    assert "libpov.so.1" in loaded and "zmq" not in loaded and "libpovlink" not in loaded, loaded
    # at -0.4 m the box is beside the mug; at 0 its top is 0.12 m above the line from the eye to the mug
    lines = told("visible_share", "c++", "-std=c++20", "-Wall", "-Werror", folder / "visible_share.cpp", *flags("pov")).splitlines()
    assert (len(lines), "100 % of the mug" in lines[0], "  0 % of the mug" in lines[-1]) == (5, True, True), lines
    reply = told("ask_recording", "cc", "-std=c11", "-Wall", "-Werror", folder / "ask_recording.c", *flags("povlink"),
                 arguments=[RECORDING, "where is the red ball relative to the blue ball?"])
    assert json.loads(reply)["outcome"] in ("answered", "ask_back"), reply
    python, = prefix.glob("lib/python3*/site-packages")
    lines = subprocess.run(["/usr/bin/python3", "-B", folder / "judge_scene.py"], cwd=prefix, capture_output=True, text=True, check=True, env={
        **os.environ, "PYTHONPATH": str(python), "PATH": f"{prefix}/bin:{os.environ['PATH']}"}).stdout
    assert "ball behind car, intrinsic: true" in lines and "woman sees" in lines, lines
    project = prefix / "robot"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(f"""cmake_minimum_required(VERSION 3.22)
        project(robot C)
        find_package(pov REQUIRED)
        add_executable(robot "{folder}/judge_scene.c")
        target_link_libraries(robot PRIVATE pov::pov)
        add_executable(asker "{folder}/ask_recording.c")
        target_link_libraries(asker PRIVATE pov::povlink)""")
    for command in ["cmake", "-S", project, "-B", project, f"-DCMAKE_PREFIX_PATH={prefix}"], ["cmake", "--build", project]:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert "behind car" in subprocess.run([project / "robot"], capture_output=True, text=True, check=True).stdout
    subprocess.run([project / "asker", RECORDING, "help"], capture_output=True, text=True, check=True)


def test_examples_are_short(prefix):
    for name in "judge_scene.c", "visible_share.cpp", "ask_recording.c", "judge_scene.py":
        lines = (prefix / "share/doc/pov/docs/examples" / name).read_text().count("\n")
        assert lines < 40, f"{name}: {lines} lines"


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
        if "POV_SANITIZED" not in os.environ:  # others cannot link a sanitized library
            test_python_imports_the_package(pathlib.Path(folder))
            test_programs_of_others_build_with_the_libraries(pathlib.Path(folder))
        test_examples_are_short(pathlib.Path(folder))
        test_links_of_documents_lead_somewhere(pathlib.Path(folder))
        if not test_the_service_is_one_that_systemd_takes(pathlib.Path(folder)):
            print("skipped: systemd-analyze is not installed; all else is as it should be")
            sys.exit(77)
