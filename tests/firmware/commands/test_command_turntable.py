#!/usr/bin/env python3
"""pov turntable on a real pseudo-terminal: each fault that the simulated controller knows is overcome or named, in time."""
import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

POV = os.environ["POV"]
PATIENCE_S = 300
BRISK = ["--set", "110=18000", "--set", "120=2000", "--set", "25=9000", "--set", "24=600"]
NO_SWITCH = BRISK + ["--set", "22=0"]


class Table:
    """A simulated controller, and the program's commands to it."""

    def __init__(self, folder, *options):
        self.link = pathlib.Path(folder) / "table"
        self.truth = (pathlib.Path(folder) / "truth").open("w+")
        self.process = subprocess.Popen([POV, "turntable", "simulate", "--truth", "--link", self.link, *options],
                                        stdout=self.truth)
        end = time.monotonic() + PATIENCE_S
        while not self.link.exists() and self.process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        assert self.link.exists(), "the simulated controller has not made its link"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.unplug()
        self.truth.close()

    def unplug(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        assert self.process.wait(PATIENCE_S) == 0
        assert not self.link.exists()

    def told(self):
        self.truth.seek(0)
        return self.truth.read().splitlines()

    def true_deg(self):
        """As it was told last."""
        return float(self.told()[-1].split()[-1])

    def stands_at(self, expected, tolerance=0.02):
        """What is true is told ten times a second at most, so a little after it has come to rest."""
        deadline = time.monotonic() + PATIENCE_S
        while not self.told() or apart(self.true_deg(), expected) > tolerance:
            assert time.monotonic() < deadline, f"{self.told()[-1:]}, not {expected}"
            time.sleep(0.02)

    def command(self, *words):
        return [POV, "turntable", words[0], *words[1:], "--device", str(self.link)]

    def run(self, *words, expect=0):
        done = subprocess.run(self.command(*words), capture_output=True, text=True, timeout=2 * PATIENCE_S)
        assert done.returncode == expect, f"{words}: exit {done.returncode}, {done.stdout}{done.stderr}"
        return done.stdout if expect == 0 else done.stderr


def apart(a, b):
    return abs((a - b + 180) % 360 - 180)


def near(actual, expected, tolerance=0.02):
    assert apart(actual, expected) <= tolerance, f"{actual}, not {expected}"


def homing_going_and_sweeping(folder):
    with Table(folder, *BRISK, "--start", "40") as table:
        assert "pov turntable home" in table.run("goto", "90", expect=1)
        assert "simulated" in table.run("home")
        table.run("goto", "-30.5", "--settle", "0")
        table.stands_at(329.5)
        stops = [json.loads(line) for line in table.run("sweep", "--steps", "5", "--from", "10", "--settle", "0",
                                                        "--way", "clockwise", "--json").splitlines()]
        assert [stop["asked_deg"] for stop in stops] == [10, 298, 226, 154, 82]
        for stop in stops:
            near(stop["angle_deg"], stop["asked_deg"])
            assert stop["simulated"] is True
        table.stands_at(82)
        status = json.loads(table.run("status", "--json"))
        assert status["ready"] and status["version"].startswith("1.1") and status["can_home"], status


def slip_shows_in_a_check(folder):
    with Table(folder, *BRISK, "--start", "-20", "--slip", "0.01") as table:
        table.run("home")
        table.run("goto", "120", "--settle", "0")
        table.run("goto", "240", "--settle", "0")
        table.stands_at(237.6, 0.05)
        assert "it has slipped" in table.run("check", expect=1)


def lost_steps_show_in_a_check(folder):
    with Table(folder, *BRISK, "--start", "-20", "--lose", "100") as table:
        table.run("home")
        table.run("goto", "120", "--settle", "0")
        table.stands_at(120 - 1 - 1.125, 0.05)  # going to 0 was a turn of 1 degree, lost altogether
        assert "it has slipped" in table.run("check", expect=1)


def a_sound_table_passes_its_check(folder):
    with Table(folder, *BRISK, "--start", "-20") as table:
        table.run("home")
        assert "has not slipped" in table.run("check")


def backlash_and_lag_have_their_options(folder):
    with Table(folder, *NO_SWITCH, "--backlash", "1.5", "--lag", "0.05") as table:
        table.run("goto", "90", "--settle", "0.5")
        table.run("goto", "60", "--settle", "0.5")
        table.stands_at(61.5)
        table.run("goto", "30", "--settle", "0.5", "--take-up", "4")
        table.stands_at(30)


def a_bad_line_is_overcome(folder):
    for fault in (["--garbage", "0.15"], ["--drop", "0.003"]):
        with Table(folder, *NO_SWITCH, "--seed", "5", *fault) as table:
            for angle in (90, 200):
                table.run("goto", str(angle), "--settle", "0")
                table.stands_at(angle)


def hanging_is_named(folder):
    with Table(folder, *NO_SWITCH, "--hang-in", "2") as table:
        table.run("goto", "90")
        assert "has not answered for 2 s" in table.run("goto", "180", expect=1)


def a_restart_is_named(folder):
    with Table(folder, *BRISK, "--start", "5", "--reset-in", "2") as table:
        table.run("home")  # which ends with the first turn, to 0
        assert "restarted on the way to 90.00 deg" in table.run("goto", "90", expect=1)
        assert "locked" in table.run("goto", "90", expect=1)
        table.run("home")
        table.run("goto", "90")
        table.stands_at(90)


def wait_until_turning(table):
    deadline = time.monotonic() + PATIENCE_S
    while len(table.told()) < 3:  # it is told as it turns
        assert time.monotonic() < deadline, "the table does not turn"
        time.sleep(0.05)


def a_plug_pulled_and_put_back_is_named(folder):
    with Table(folder, *NO_SWITCH, "--set", "110=1200") as table:
        turning = subprocess.Popen(table.command("goto", "170"), stderr=subprocess.PIPE, text=True)
        wait_until_turning(table)
        table.unplug()
        with Table(folder, *NO_SWITCH):  # a new one: the old one's power was cut
            error = turning.communicate(timeout=PATIENCE_S)[1]
        assert turning.returncode == 1 and "pov turntable home" in error, error
    assert "no such device" in table.run("goto", "1", expect=1)


def ctrl_c_brings_it_to_rest(folder):
    with Table(folder, *NO_SWITCH, "--set", "110=1200") as table:
        turning = subprocess.Popen(table.command("goto", "170"), stderr=subprocess.PIPE, text=True)
        wait_until_turning(table)
        turning.send_signal(signal.SIGINT)
        error = turning.communicate(timeout=PATIENCE_S)[1]
        assert turning.returncode == 1 and "stopped at" in error, error
        stood = float(error.split("stopped at ")[1].split()[0])
        assert 0 < stood < 100, stood
        table.stands_at(stood)
        table.run("goto", "0", "--speed", "200")
        table.stands_at(0)


def two_programs_do_not_share_a_line(folder):
    with Table(folder, *NO_SWITCH, "--set", "110=600") as table:
        turning = subprocess.Popen(table.command("goto", "170"), stderr=subprocess.PIPE, text=True)
        wait_until_turning(table)
        assert "has it open" in table.run("status", expect=1)
        turning.send_signal(signal.SIGINT)
        turning.communicate(timeout=PATIENCE_S)


def a_station_names_its_table(folder):
    station = pathlib.Path(folder) / "station.yaml"
    with Table(folder, *NO_SWITCH, "--axis", "A") as table:
        station.write_text("camera: {field_of_view_deg: 60}\ntags: {families: [tag36h11]}\nturntable:\n"
                           f"  {{device: {table.link}, axis: A, direction: clockwise, steps_per_deg: 88.889, settle_s: 0}}\n")
        subprocess.run([POV, "turntable", "goto", "90", "--station", station], check=True, capture_output=True)
        table.stands_at(-90)
        doctor = subprocess.run([POV, "doctor", station, "--json"], capture_output=True, text=True)
        assert "GRBL 1.1h" in doctor.stdout, doctor
        station.write_text(station.read_text().replace("clockwise", "backwards"))
        wrong = subprocess.run([POV, "turntable", "status", "--station", station], capture_output=True, text=True)
        assert wrong.returncode == 1 and "station.yaml:4: turntable.direction" in wrong.stderr, wrong.stderr


def wrong_usage_is_told_from_a_wrong_world(folder):
    for words in ([], ["turn"], ["goto"], ["goto", "x"], ["goto", "1", "--axis", "Q"], ["sweep", "--steps", "0"],
                  ["simulate", "--slip", "2"], ["simulate", "--set", "22"], ["simulate", "--set", "0=1"]):
        done = subprocess.run([POV, "turntable", *words], capture_output=True, text=True)
        assert done.returncode == 2 and "--help" in done.stderr, (words, done)
    plain = pathlib.Path(folder) / "plain"
    plain.write_text("no device")
    done = subprocess.run([POV, "turntable", "status", "--device", plain], capture_output=True, text=True)
    assert done.returncode == 1 and "not a serial line" in done.stderr, done
    done = subprocess.run([POV, "turntable", "simulate", "--link", plain], capture_output=True, text=True)
    assert done.returncode == 1 and "not a link" in done.stderr and plain.read_text() == "no device", done


def passes(test):
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        try:
            test(folder)
        except (AssertionError, subprocess.SubprocessError) as error:
            print(f"FAIL {test.__name__}: {error}", flush=True)
            return False
    print(f"ok   {test.__name__} ({time.monotonic() - start:.1f} s)", flush=True)
    return True


def main():
    tests = [homing_going_and_sweeping, slip_shows_in_a_check,
             lost_steps_show_in_a_check, a_sound_table_passes_its_check, backlash_and_lag_have_their_options,
             a_bad_line_is_overcome, hanging_is_named, a_restart_is_named, a_plug_pulled_and_put_back_is_named,
             ctrl_c_brings_it_to_rest, two_programs_do_not_share_a_line, a_station_names_its_table,
             wrong_usage_is_told_from_a_wrong_world]
    with concurrent.futures.ThreadPoolExecutor(len(tests)) as pool:  # they mostly wait for a table
        return 0 if all(list(pool.map(passes, tests))) else 1


if __name__ == "__main__":
    sys.exit(main())
