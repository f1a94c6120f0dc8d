#!/usr/bin/env python3
"""The manual page says what the program's help says: it holds every command and option of it."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

POV = pathlib.Path(os.environ["POV"])
PAGE = POV.parent / "tools" / "install" / "pov.1"
# Its name, and the value that stands right after it in capitals or as a|b.
OPTION = r"(?<![\w'-])(--[a-z][a-z0-9.-]*[a-z0-9])(?: ([A-Z[][\w|:.=\]]*|[a-z]+\|[a-z|]+))?"


def pov(*arguments):
    return subprocess.run([POV, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)


def sections(text):
    """{('calib', 'camera'): its text} of a rendered page."""
    parts = re.split(r"^   pov ([a-z -]+)$", text.split("\nCOMMANDS\n")[1].split("\nEXIT STATUS\n")[0], flags=re.M)
    return {tuple(name.split()): body for name, body in zip(parts[1::2], parts[2::2])}


def options(text):
    """{'--out': 'DIR' or None}: an option with what stands right after it in capitals."""
    found = {}
    for name, argument in re.findall(OPTION, text):
        found[name] = found.get(name) or argument
    return found


def own_options(text):
    """Of a help: the options that its usage or its list gives, without what examples and prose mention."""
    usage = [line for line in text.split("\n\n")[0].split("\n") if line.startswith(("Usage:", "       pov"))]
    listed = [re.split(r"  +", line.strip()) for line in text.split("\n") if re.match(r" {1,8}--", line)]
    terms = [part for line in listed for part in line if part.startswith("--")]
    for term in terms:  # its description stands apart by two spaces, or on the next line
        assert not re.search(r"[a-z]{3}", re.sub(OPTION, "", term)), f"{text.split(chr(10))[0]}: {term}"
    return options("\n".join(re.sub(r"[][]", " ", line) for line in usage) + "\n" + "\n".join(terms))


def test_the_page_is_clean():
    if not shutil.which("mandoc"):
        return False
    lint = subprocess.run(["mandoc", "-Tlint", "-W", "warning", PAGE], capture_output=True, text=True)
    assert lint.returncode == 0, lint.stdout
    return True


def test_the_page_holds_every_command_and_option(page):
    listed = re.findall(r"^  ([a-z-]+) +\S", pov("--help").stdout, re.M)
    assert listed and set(listed) == {name[0] for name in page}, set(listed) ^ {name[0] for name in page}
    assert {("calib", "camera"), ("vlm", "check"), ("turntable", "simulate")} <= set(page), page.keys()
    for name, body in page.items():
        missing = set(own_options(pov(*name, "--help").stdout)) - set(options(body))
        assert not missing, f"pov {' '.join(name)}: not on the page: {missing}"


if __name__ == "__main__":
    if not test_the_page_is_clean():
        print("skipped: mandoc is not installed")
        sys.exit(77)
    rendered = subprocess.run(["mandoc", "-Tutf8", "-O", "width=200", PAGE], capture_output=True, text=True, check=True)
    PAGE_SECTIONS = sections(re.sub(r".\x08", "", rendered.stdout))
    test_the_page_holds_every_command_and_option(PAGE_SECTIONS)
