#!/usr/bin/env python3
"""Lists functions over 60 lines and files over 800: places to look for a seam. It warns only; no size fails the build.

It does fail if its own measuring of a small tree goes wrong.
"""
import os
import pathlib
import re
import statistics
import sys

FILE_LINES = 800
FUNCTION_LINES = 60

NOT_PRODUCT = ("tests/", "build/", "docs/", ".")


def functions(text):
    """(name, lines of the body) of each function: clang-format puts its braces alone in the first column."""
    lines, start = text.split("\n"), None
    for number, line in enumerate(lines):
        if line == "{":
            start = number
        elif line == "}" and start is not None:
            head = " ".join(lines[max(0, start - 6):start])
            names = re.findall(r"(\w+)\(", re.split(r"[;}]", head)[-1])
            yield names[0] if names else "?", number - start - 1
            start = None


def warnings(files):
    """Warnings about {path: text}, the longest first."""
    long_files = [(text.count("\n"), path) for path, text in files.items()]
    long_functions = [(length, f"{path}: {name}") for path, text in files.items() for name, length in functions(text)]
    for bound, sizes in (FILE_LINES, long_files), (FUNCTION_LINES, long_functions):
        yield from (f"warning: {place}: {lines} lines" for lines, place in sorted(sizes, reverse=True) if lines > bound)


def check_the_checker():
    function = lambda length: "int f(int a,\n      int b)\n{\n" + "    a++;\n" * length + "}\n"
    found = list(warnings({"a.c": "\n" * 801, "b.c": "\n" * 800, "c.c": function(61), "d.c": function(60)}))
    if found != ["warning: a.c: 801 lines", "warning: c.c: f: 61 lines"]:
        yield f"in a tree of one long file and one long function: {found}"


def main():
    root = pathlib.Path(os.environ.get("POV_SOURCE", pathlib.Path(__file__).parents[2]))
    files = {}
    folders = [folder for folder in root.iterdir() if folder.is_dir() and not (folder.name + "/").startswith(NOT_PRODUCT)]
    for path in sorted(path for folder in folders for path in folder.glob("**/*.*")):
        name = path.relative_to(root).as_posix()
        if path.suffix in (".c", ".h", ".cpp") and not name.startswith(NOT_PRODUCT):
            files[name] = path.read_text(encoding="utf-8")
    bodies = [length for text in files.values() for _, length in functions(text)]
    complaints = list(check_the_checker())
    print("\n".join(complaints + list(warnings(files))))
    print(f"{sum(text.count(chr(10)) for text in files.values())} lines of product code in {len(files)} files; "
          f"{len(bodies)} functions, median {statistics.median(bodies)} lines")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
