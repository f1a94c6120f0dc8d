#!/usr/bin/python3
"""What a viewer of the dashboard costs a station: images a second with and without one, in turns, in the same run.

Usage: dashboard.py POV [SECONDS]. The station judges simulated images of 1280 x 720 as fast as it can. The viewer takes all that
it is sent and does nothing with it, as one on another machine would; a browser on the station's own adds its own work."""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

PERIOD_S = 2


class Viewer:
    """Reads /updates until told to stop."""

    def __init__(self, url):
        self.url, self.bytes, self.stopping = url, 0, False

    def __enter__(self):
        self.reply = urllib.request.urlopen(self.url + "updates", timeout=10)
        self.thread = threading.Thread(target=self.read)
        self.thread.start()
        return self

    def read(self):
        while not self.stopping:
            self.bytes += len(self.reply.read1(65536))

    def __exit__(self, *_):
        self.stopping = True
        self.thread.join()
        self.reply.close()


class Station:
    """Judges a folder of simulated images over and over, as fast as it can."""

    def __init__(self, pov, folder):
        station = pathlib.Path(folder) / "practice" / "station.yaml"
        subprocess.run([pov, "sim", "station", "--images", "12", "--quiet", "--out", station.parent], check=True)
        self.process = subprocess.Popen([pov, "run", station, "--loop", "--no-publish", "--json", "--dashboard", "0"],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.url = self.process.stderr.readline().decode().split()[1]

    def processor_s(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def measure(self):
        """Images a second, from image to image, and seconds of processor time an image."""
        self.process.stdout.readline()
        start, busy, count = time.monotonic(), self.processor_s(), 0
        while (elapsed := time.monotonic() - start) < PERIOD_S:
            self.process.stdout.readline()
            count += 1
        return count / elapsed, (self.processor_s() - busy) / count

    def stop(self):
        self.process.terminate()
        self.process.communicate()


def cost(pairs, better):
    """By how much a viewer makes it worse, in per cent: the median of turns, and from the 25th to the 75th centile."""
    worse = sorted(100 * better * (1 - watched / unwatched) for unwatched, watched in pairs)
    low, middle, high = statistics.quantiles(worse, n=4)
    return f"{middle:.1f} % (half of all turns from {low:.1f} to {high:.1f})"


def main(pov, seconds):
    rates, times, sent = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        station = Station(pov, folder)
        station.measure()
        for turn in range(max(4, int(seconds / PERIOD_S / 2))):
            measured = {}
            for watching in (False, True) if turn % 2 else (True, False):
                if not watching:
                    measured[watching] = station.measure()
                    continue
                with Viewer(station.url) as viewer:
                    measured[watching] = station.measure()
                sent += viewer.bytes
            rates.append((measured[False][0], measured[True][0]))
            times.append((measured[False][1], measured[True][1]))
        station.stop()
    rate = statistics.median(unwatched for unwatched, _ in rates)
    print(f"{len(rates)} turns of twice {PERIOD_S} s; {rate:.1f} images/s unwatched, "
          f"{sent / len(rates) / PERIOD_S / 1e3:.0f} kB/s sent to the viewer")
    print(f"a viewer costs, of images a second:       {cost(rates, 1)}")
    print(f"and more processor time an image, by:     {cost(times, -1)}")


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 60)
