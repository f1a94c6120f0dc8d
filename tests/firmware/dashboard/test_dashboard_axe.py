#!/usr/bin/python3
"""axe-core (https://github.com/dequelabs/axe-core, from npm) finds no fault of WCAG 2.1 A or AA in the dashboard's page, in any mode,
light or dark. Without npm's registry the test is skipped."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests" / "support"))
import chromium  # noqa: E402
from page_checks import DRAWN, FAULTS, axe  # noqa: E402

POV = os.environ["POV"]


class Accessible(unittest.TestCase):
    def test_no_rule_is_broken_in_any_mode(self):
        with tempfile.TemporaryDirectory() as folder, chromium.Chromium() as tab:
            world = pathlib.Path(folder) / "world"
            subprocess.run([POV, "sim", "comfort-car", "--images", "3", "--quiet", "--out", world], check=True)
            station = subprocess.Popen([POV, "run", world / "station.yaml", "--loop", "--rate", "5", "--no-publish", "--quiet", "--dashboard", "0"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            try:
                tab.call("Page.setBypassCSP", enabled=True) # the page itself allows no script of others
                tab.open(station.stderr.readline().split()[1])
                tab.wait_for("document.getElementById('perspectives')?.rows.length > 0")
                tab.call("Runtime.evaluate", expression=SCRIPT)
                for theme in "light", "dark":
                    tab.theme(theme)
                    for mode in "show", "lab", "guess", "health":
                        tab.run(f"document.querySelector('[data-mode={mode}]').click()")
                        tab.run(DRAWN)
                        passed, faults = tab.run(FAULTS)
                        self.assertEqual(faults, [], (theme, mode))
                        self.assertGreater(passed, 20)
            finally:
                station.terminate()
                station.wait(300)
                station.stderr.close()


if __name__ == "__main__":
    SCRIPT = chromium.PROGRAM and axe()
    if not SCRIPT:
        print("skipped: chromium or npm's axe-core not found")
        sys.exit(77)
    unittest.main()
