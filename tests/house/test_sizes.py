#!/usr/bin/env python3
"""Files, headers and functions stay small. A file that outgrows its bound wants splitting at a seam of meaning."""
import os
import pathlib
import re
import statistics
import sys

FILE_LINES_MAX = 500
HEADER_LINES_MAX = 150
FUNCTION_MEDIAN_MAX = 12
LONG_FUNCTION_LINES = 60
LONG_FUNCTION_SHARE_MAX = 0.03  # "few over 60"

FOLDERS = "perception config calib protocol sim compare firmware tests".split()


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


def check(files):
    """Complaints about {path: text}; function lengths are judged outside of tests."""
    bodies = []
    for path, text in files.items():
        bound = HEADER_LINES_MAX if path.endswith(".h") else FILE_LINES_MAX
        if text.count("\n") > bound:
            yield f"{path}: {text.count(chr(10))} lines, at most {bound}"
        if not path.startswith("tests/"):
            bodies += [(length, f"{path}: {name}") for name, length in functions(text)]
    if not bodies:
        return
    median = statistics.median(length for length, _ in bodies)
    long = sorted((body for body in bodies if body[0] > LONG_FUNCTION_LINES), reverse=True)
    if median > FUNCTION_MEDIAN_MAX:
        yield f"the median function has {median} lines, at most {FUNCTION_MEDIAN_MAX}"
    if len(long) > max(1, LONG_FUNCTION_SHARE_MAX * len(bodies)):
        yield f"{len(long)} of {len(bodies)} functions have over {LONG_FUNCTION_LINES} lines:"
        yield from (f"  {name}, {length} lines" for length, name in long)


def check_the_checker():
    function = lambda length: "int f(int a,\n      int b)\n{\n" + "    a++;\n" * length + "}\n"
    if list(functions(function(7))) != [("f", 7)]:
        yield "a function of 7 lines is not measured"
    cases = {
        "a/long.c": "\n" * 501, "a/fits.c": "\n" * 500, "a/long.h": "\n" * 151, "a/fits.h": "\n" * 150,
        "a/wide.c": function(61) * 2 + function(13) * 2, "tests/free.c": function(100),
    }
    complaints = list(check(cases))
    for part in "a/long.c: 501", "a/long.h: 151", "median function has 37", "2 of 4 functions", "a/wide.c: f, 61 lines":
        if not any(part in complaint for complaint in complaints):
            yield f"'{part}' should be complained of"
    if any("fits" in complaint or "free" in complaint for complaint in complaints):
        yield "what fits is complained of"


def main():
    root = pathlib.Path(os.environ.get("POV_SOURCE", pathlib.Path(__file__).parents[2]))
    paths = [path for folder in FOLDERS for path in sorted((root / folder).glob("**/*.*")) if
             path.suffix in (".c", ".h", ".cpp")]
    files = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    complaints = list(check_the_checker()) + list(check(files))
    bodies = [length for path, text in files.items() if not path.startswith("tests/") for _, length in functions(text)]
    print("\n".join(complaints))
    print(f"{len(files)} files; {len(bodies)} functions outside tests, median {statistics.median(bodies)} lines, "
          f"{sum(length > LONG_FUNCTION_LINES for length in bodies)} over {LONG_FUNCTION_LINES}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
