#!/usr/bin/env python3
"""The rules of CONTRIBUTING.md that a program can check: names, arguments, constructors; and docs/THREADS.md names every thread; docs/ say what each page is for, and lead to it.

It also fails if its checks miss what is wrong in a small tree.
"""
import os
import pathlib
import re
import sys

TOPS = ("perception", "config", "draw", "ask", "calib", "protocol", "sim", "compare", "firmware")
ARGUMENTS_MAX = 6
# Each with more arguments, and why.
LONGER = {"pov_chart_read": "a parse has a grammar, its words, a lexicon and two bounds",
          "pov_sphere_count_positioned": "a paper's question has as many givens",
          "pov_sphere_can_move": "a paper's question has as many givens",
          "pov_svg_rectangle": "a rectangle, its class and its words"}
DECLARATION = re.compile(r"(?:^|(?<=[;}]))\s*((?:[A-Za-z_][\w\s*]*?[\s*]))(\w+)\s*\(((?:[^(){};]|\([^()]*\))*)\)\s*;")
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)")
STARTS = re.compile(r"\b(?:pthread_create|mg_start|g_thread_new|zmq_threadstart)\(")


def declarations(text):
    """(what it returns, name, arguments) of each function that a header declares."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^\s*#(?:.*\\\n)*.*$", "", text, flags=re.M)
    for returns, name, arguments in DECLARATION.findall(ATTRIBUTE.sub("", text)):
        if not returns.split()[0] == "typedef":
            arguments = re.sub(r"\([^()]*\)", "", arguments)
            yield " ".join(returns.split()), name, [] if arguments.strip() in ("", "void") else arguments.split(",")


def header_complaints(path, text):
    for returns, name, arguments in declarations(text):
        if not path.endswith("_internal.h") and not name.startswith("pov"):
            yield f"{path}: {name}: a public name begins with pov_; a header of one module's own ends in _internal.h"
        if len(arguments) > ARGUMENTS_MAX and name not in LONGER:
            yield f"{path}: {name}: {len(arguments)} arguments; at most {ARGUMENTS_MAX}, then a struct"
        first = arguments[0] if arguments else ""
        if name.endswith("_new") and "pov_status" in returns and "**" not in first and not re.match(r"\s*\w+ \*\w+$", first):
            yield f"{path}: {name}: what is made comes first, by its address"


def thread_complaints(sources, page):
    started = {path for path, text in sources.items() if STARTS.search(text)}
    told = {place for row in page.split("\n") if row.startswith("|") for place in re.findall(r"`([\w/]+\.c)`", row.split("|")[2])}
    for path in sorted(started - told):
        yield f"docs/THREADS.md: lacks the thread that {path} starts"
    for path in sorted(told - started):
        yield f"docs/THREADS.md: {path} starts no thread"


def page_complaints(pages, site):
    """Of docs/NAME.md by name, and the site's list of pages."""
    listed, index = set(re.findall(r"- (\w+\.md)$", site, re.M)), pages.get("README.md", "")
    for name, text in pages.items():
        if not re.match(r"# .+\n\n?After reading this page you ", text):
            yield f"docs/{name}: begins with what one can do after reading it: 'After reading this page you can ...'"
        if name not in listed:
            yield f"docs/{name}: is not in tools/site/mkdocs.yml"
        if name != "README.md" and f"]({name}" not in index:
            yield f"docs/{name}: docs/README.md does not lead to it"


def license_complaints(data, copyright):
    """Of share/'s files whose first lines name who holds their rights."""
    for path, head in data.items():
        if "Copyright" in head and f"Files: {path}\n" not in copyright:
            yield f"{path}: tools/install/copyright does not name it"


def complaints(headers, sources, threads, pages, site):
    for path, text in headers.items():
        yield from header_complaints(path, text)
    yield from thread_complaints(sources, threads)
    yield from page_complaints(pages, site)


def check_the_checker():
    wrong = {"ask/a.h": "int name(int a);\nint pov_long(int a, int b, int c, int d, int e, int f, int g);\n"
                        "POV_MUST_USE pov_status pov_x_new(int size, pov_x **x);\n",
             "ask/b_internal.h": "int name(int a);\nvoid (*pov_f(void))(int);\n"}
    sources = {"ask/a.c": "pthread_create(&t, NULL, f, NULL);", "ask/b.c": "pthread_join(t, NULL);"}
    pages = {"README.md": "# A\nAfter reading this page you know.\n[B](B.md)", "B.md": "# B\n\nIt is so.\n", "C.md": "# C\nAfter reading this page you can.\n"}
    found = list(complaints(wrong, sources, "| b | `ask/b.c` | c |\n", pages, "  - README.md\n  - B.md\n"))
    found += license_complaints({"share/a": "# Copyright A", "share/b": "# Copyright B", "share/c": ""}, "Files: share/a\n")
    places = [(complaint.split(":")[0], complaint.split(":")[1].split()[0]) for complaint in found]
    if places != [("ask/a.h", "name"), ("ask/a.h", "pov_long"), ("ask/a.h", "pov_x_new"), ("docs/THREADS.md", "lacks"),
                  ("docs/THREADS.md", "ask/b.c"), ("docs/B.md", "begins"), ("docs/C.md", "is"), ("docs/C.md", "docs/README.md"),
                  ("share/b", "tools/install/copyright")]:
        yield f"in a small tree: {found}"


def main():
    root = pathlib.Path(os.environ.get("POV_SOURCE", pathlib.Path(__file__).parents[2]))
    read = lambda pattern: {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
                            for top in TOPS for path in sorted((root / top).glob(pattern))}
    pages = {path.name: path.read_text(encoding="utf-8") for path in sorted((root / "docs").glob("*.md"))}
    found = [*check_the_checker(), *complaints(read("**/*.h"), read("**/*.c"), pages["THREADS.md"], pages,
                                               (root / "tools/site/mkdocs.yml").read_text(encoding="utf-8"))]
    data = {path.relative_to(root).as_posix(): path.read_bytes()[:4096].decode("utf-8", "replace") for path in sorted((root / "share").glob("**/*"))
            if path.is_file()}
    found += license_complaints(data, (root / "tools/install/copyright").read_text(encoding="utf-8"))
    print("\n".join(found) or "as CONTRIBUTING.md and docs/THREADS.md say")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
