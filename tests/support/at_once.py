"""Tests that mostly wait (for discovery, leases, time limits) run beside one another: `unittest.main(testRunner=AtOnce(12))`."""
import concurrent.futures
import contextlib
import fcntl
import os
import pathlib
import random
import tempfile
import time
import unittest


@contextlib.contextmanager
def ros2_domain():
    """A domain of ROS 2 that no other test of this machine has. Above 100, its ports are among those that Linux gives to anybody."""
    for domain in random.sample(range(1, 101), 100):
        held = os.open(pathlib.Path(tempfile.gettempdir()) / f"pov-ros2-domain-{domain}", os.O_CREAT | os.O_RDWR, 0o666)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(held)
            continue
        try:
            yield domain
        finally:
            os.close(held)
        return
    raise RuntimeError("all domains of ROS 2 are in use by tests")


def flatten(suite):
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            yield from flatten(part)
        else:
            yield part


class AtOnce:
    """Runs tests of one class on threads; each may use its own attributes, and what setUpClass made. Prints what each took."""

    def __init__(self, threads):
        self.threads = threads

    @staticmethod
    def run_one(test):
        result, begun = unittest.TestResult(), time.monotonic()
        test.run(result)
        return test, result, time.monotonic() - begun

    def run(self, suite):
        tests = list(flatten(suite))
        kinds = {type(test) for test in tests}
        assert len(kinds) == 1, "one class of tests, please"
        (kind,) = kinds
        total = unittest.TestResult()
        kind._classSetupFailed = False  # pylint: disable=protected-access
        try:
            kind.setUpClass()
            with concurrent.futures.ThreadPoolExecutor(self.threads) as pool:
                for test, result, took_s in pool.map(self.run_one, tests):
                    print(f"{took_s:5.1f} s {test.id()}", *(f"skipped: {why}" for _, why in result.skipped), flush=True)
                    for name in ("failures", "errors", "skipped"):
                        getattr(total, name).extend(getattr(result, name))
                    total.testsRun += result.testsRun
        finally:
            kind.tearDownClass()
            kind.doClassCleanups()
        for test, trace in total.failures + total.errors:
            print(f"FAIL {test.id()}\n{trace}")
        print(f"{total.testsRun} tests, {len(total.failures)} failures, {len(total.errors)} errors, {len(total.skipped)} skipped")
        return total
