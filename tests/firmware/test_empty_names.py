#!/usr/bin/python3
"""Empty names and codes that are none are refused at the command line; help says nothing twice."""
import os
import subprocess

REFUSED = [
    (["questions", "--language-template", "X Y"], "not a code of a language"),
    (["questions", "--language-template", "../a"], "not a code of a language"),
    (["questions", "--language-template", ""], "takes CODE"),
    (["score", "x.csv", "--yes", ""], "names no word"),
    (["score", "x.csv", "--no", ","], "names no word"),
    (["report", "x.csv", "--yes", ""], "names no word"),
    (["init", ""], "the station file's name is empty"),
]


def pov(*arguments):
    return subprocess.run([os.environ["POV"], *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=20)


for arguments, message in REFUSED:
    done = pov(*arguments)
    assert done.returncode in (1, 2) and message in done.stderr, (arguments, done)
assert "(2) (2)" not in pov("sweep", "--help").stdout and "(3) (3)" not in pov("sweep", "--help").stdout
assert pov("questions", "--language-template", "nl-BE").returncode == 0
print("refused, each with its reason")
