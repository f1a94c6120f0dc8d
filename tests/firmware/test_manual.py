#!/usr/bin/env python3
"""The manual page says what the program does: it holds every command and option of the help, each of those is in the
sources, with a value or without as written, and every option of the sources is in some help."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

POV = pathlib.Path(os.environ["POV"])
ROOT = pathlib.Path(os.environ["POV_SOURCE"])
PAGE = POV.parent / "install" / "pov.1"
FLAGS_BEFORE_A_WORD = {"--check", "--list", "--print"}  # the word after them is the command's own
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


def options_in_sources():
    """{'--out': {True}}: of the sources' tables for getopt, and of what is compared by hand; whether it has a value."""
    found = {}
    for source in ROOT.glob("firmware/**/*.[ch]"):
        text = source.read_text()
        for name, argument in re.findall(r'\{"([a-z][a-z0-9.-]+)",\s*(required|no)_argument', text):
            found.setdefault("--" + name, set()).add(argument == "required")
        for name in re.findall(r'strcmp\([^;]*"(--[a-z-]+)"\)', text):
            found.setdefault(name, set()).update((True, False))
    return found


def test_help_and_sources_have_the_same_options(page):
    sources = options_in_sources()
    assert len(sources) > 100, sources
    documented = {}
    for name in page:
        for option, argument in own_options(pov(*name, "--help").stdout).items():
            if option not in FLAGS_BEFORE_A_WORD:
                documented.setdefault(option, set()).add(bool(argument))
    for option, kinds in documented.items():
        assert kinds <= sources.get(option, set()), f"{option}: with a value {kinds}, in the sources {sources.get(option)}"
    undocumented = set(sources) - set(documented) - FLAGS_BEFORE_A_WORD - {"--help", "--version"}
    assert not undocumented, f"in no help: {undocumented}"


if __name__ == "__main__":
    if not test_the_page_is_clean():
        print("skipped: mandoc is not installed")
        sys.exit(77)
    rendered = subprocess.run(["mandoc", "-Tutf8", "-O", "width=200", PAGE], capture_output=True, text=True, check=True)
    PAGE_SECTIONS = sections(re.sub(r".\x08", "", rendered.stdout))
    test_the_page_holds_every_command_and_option(PAGE_SECTIONS)
    test_help_and_sources_have_the_same_options(PAGE_SECTIONS)
