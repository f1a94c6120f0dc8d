#!/usr/bin/env python3
"""A build without its optional parts (POV_WITH_...=OFF) runs, and says what it lacks."""
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
BUILD = pathlib.Path(os.environ["POV"]).parent / "smallest"  # kept: the next time little is left to build
PARTS = dict(CAMERA="libcamera", GSTREAMER="gstreamer", MODELS="opencv_dnn", ONNXRUNTIME="onnxruntime", DASHBOARD="civetweb", VLM="curl", SIM="minizip", ROS2="ddsc")
SCENE = """camera: {position_m: [0, -2, 1.2], look_at_m: [0, 0, 0.1]}
entities:
  - {id: ball, position_m: [0.4, 0.1, 0.1], size_m: 0.2}
  - {id: car, position_m: [-0.1, 0, 0.15], size_m: [0.8, 0.4, 0.3], front_deg: 180}
"""


def pov(*arguments):
    result = subprocess.run([BUILD / "pov", *arguments], cwd=BUILD, capture_output=True, text=True, timeout=120)
    return result.returncode, result.stdout + result.stderr


def main():
    off = [f"-DPOV_WITH_{part}=OFF" for part in PARTS]
    subprocess.run(["cmake", "-S", SOURCE, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                    "-DCMAKE_C_FLAGS_DEBUG=-O0", "-DCMAKE_CXX_FLAGS_DEBUG=-O0", "-DPOV_WERROR=OFF", "-DPOV_TESTS=OFF", *off],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", BUILD, "--target", "pov"], check=True, stdout=subprocess.DEVNULL)
    libraries = subprocess.run(["readelf", "-d", BUILD / "pov"], capture_output=True, text=True, check=True).stdout
    for library in PARTS.values():
        assert library not in libraries, library
    (BUILD / "scene.yaml").write_text(SCENE)
    code, told = pov("ask", "scene.yaml", "is the car bigger than the ball")
    assert code == 0 and "yes" in told, told
    code, told = pov("sim", "station")
    assert code == 2 and "sim" in told, told
    (BUILD / "station.yaml").write_text("camera: {source: simulator, simulator: {world: station}}\n")
    (BUILD / "film.yaml").write_text("camera: {source: video, file: film.mp4, field_of_view_deg: 60}\ntags: {families: [tag36h11]}\ncast: []\n")
    (BUILD / "ros2.yaml").write_text("camera: {source: folder, folder: {path: .}, field_of_view_deg: 60}\ntags: {families: [tag36h11]}\ncast: []\nros2: {}\n")
    for command, part in (("run", "film.yaml"), "GSTREAMER"), (("run", "station.yaml"), "SIM"), (("run", "ros2.yaml"), "ROS2"), (("vlm", "check", "http://127.0.0.1:9/v1"), "VLM"):
        code, told = pov(*command)
        assert code == 1 and f"-DPOV_WITH_{part}=ON" in told, told


if __name__ == "__main__":
    sys.exit(main())
