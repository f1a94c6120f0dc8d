#!/usr/bin/python3
"""What ROS 2 costs a station: its processor time at 30 images a second, and how old judgments are when a reader has them, beside ZeroMQ's.

ros2.py POV [--pairs N] [--seconds S]

One station (the simulated turntable with tags, three judged things, JPEG images) at 30 images a second, in turn without and with --ros2; with it, a node of Fast DDS
reads the compressed images and the judgments. Processor time is the whole process's. Ages are from the image's capture time to the message in the
reader's memory, both in the same runs: a subscriber of ZeroMQ (pyzmq) and the node. The first second is left out."""
import argparse
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import cv2
import zmq

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
from at_once import ros2_domain  # noqa: E402

RATE_HZ = 30


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def field(data, wanted):
    """The first field of that number in a message of protobuf: an integer, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        else:
            value, at = None, at + (8 if key & 7 == 1 else 4)
        if key >> 3 == wanted:
            return value
    return None


class Subscriber(threading.Thread):
    def __init__(self, endpoint):
        super().__init__(daemon=True)
        self.socket = zmq.Context.instance().socket(zmq.SUB)
        self.socket.setsockopt(zmq.SUBSCRIBE, b"observation")
        self.socket.connect(endpoint)
        self.ages_ms, self.ends = [], False
        self.start()

    def run(self):
        while not self.ends:
            if not self.socket.poll(100):
                continue
            parts = self.socket.recv_multipart()
            now = time.time_ns()
            observation = field(parts[-1], OBSERVATION)
            capture = field(field(observation, 1), 3) if observation else None
            if capture:
                self.ages_ms.append((now - capture) / 1e6)
        self.socket.close()


def run_once(pov, station, seconds, with_ros2, domain):
    environment = {**os.environ, "ROS_LOCALHOST_ONLY": "1", "ROS_DOMAIN_ID": str(domain)}
    endpoint = f"ipc://{station.parent}/wire"
    run = subprocess.Popen([pov, "run", station, "--loop", "--rate", str(RATE_HZ), "--quiet", "--publish", endpoint, *(["--ros2"] if with_ros2 else [])],
                           env=environment, stderr=subprocess.DEVNULL)
    subscriber, ages = Subscriber(endpoint), []
    if with_ros2:
        node = subprocess.Popen([pathlib.Path(pov).parent / "tests/ros2_peer", "age", str(domain), str(seconds + 9), "rt/pov/judgments",
                                 "std_msgs::msg::dds_::String_", "rv", "rt/pov/image/compressed", "sensor_msgs::msg::dds_::CompressedImage_", "bv"],
                                stdout=subprocess.PIPE, text=True)

        def read():
            for line in node.stdout:
                word, rest = line.split(" ", 1)
                if word == "rt/pov/judgments" and rest.strip():
                    ages.append(int(rest) / 1e6)
        threading.Thread(target=read, daemon=True).start()
    time.sleep(4)  # until all are connected
    used = cpu_s(run.pid)
    subscriber.ages_ms.clear()
    ages.clear()
    time.sleep(seconds)
    used = (cpu_s(run.pid) - used) / seconds
    subscriber.ends = True
    if with_ros2:
        node.kill()
        node.wait()
    run.send_signal(signal.SIGINT)
    run.wait()
    return used, list(subscriber.ages_ms), list(ages)


def cpu_s(pid):
    return sum(map(int, pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else float("nan")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pov")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=8)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pov-ros2-bench-") as name, ros2_domain() as domain:
        world = pathlib.Path(name) / "world"
        subprocess.run([asked.pov, "sim", "station", "--images", "30", "--quiet", "--out", world], check=True)
        (world / "jpeg").mkdir()  # as a camera gives them
        for path in (world / "images").glob("*.png"):
            cv2.imwrite(str(world / "jpeg" / f"{path.stem}.jpg"), cv2.imread(str(path)), [cv2.IMWRITE_JPEG_QUALITY, 90])
        station = world / "jpeg.yaml"
        station.write_text((world / "station.yaml").read_text().replace("path: images", "path: jpeg, loop: true"))
        costs, p50, p99 = [], [], []
        for _ in range(asked.pairs):
            without, _, _ = run_once(asked.pov, station, asked.seconds, False, domain)
            used, by_zmq, by_dds = run_once(asked.pov, station, asked.seconds, True, domain)
            costs.append(used / without - 1)
            p50.append(quantile(by_dds, 0.5) / quantile(by_zmq, 0.5))
            p99.append(quantile(by_dds, 0.99) / quantile(by_zmq, 0.99))
            print(f"processor: {100 * without:.1f} % of one without, {100 * used:.1f} % with --ros2 and its readers; judgments' age: ZeroMQ median "
                  f"{quantile(by_zmq, 0.5):.2f} ms, p99 {quantile(by_zmq, 0.99):.2f} ms ({len(by_zmq)}); DDS {quantile(by_dds, 0.5):.2f} ms, "
                  f"{quantile(by_dds, 0.99):.2f} ms ({len(by_dds)})", flush=True)
        print(f"--ros2 costs {100 * statistics.median(costs):.1f} % of the station's processor time at {RATE_HZ} images/s; DDS to ZeroMQ: median {statistics.median(p50):.2f}, "
              f"p99 {statistics.median(p99):.2f}; medians of {asked.pairs} pairs")


OBSERVATION = 4
if __name__ == "__main__":
    main()
