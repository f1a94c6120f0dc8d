#!/usr/bin/env python3
"""The interface of libpov and libpovlink: programs built for version 1.0 run with today's libraries, which export nothing else, and the
headers say of each function all that CONTRIBUTING.md's form asks for.

abi_1.txt records, of version 1.0, every size, offset and value that programs have compiled in. `test_abi.py record` prints today's: a
change to a recorded line breaks programs, and wants libpov.so.2; new lines are added by hand."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get("POV_SOURCE", pathlib.Path(__file__).parents[3]))
BUILD = pathlib.Path(os.environ.get("POV", SOURCE / "build/release/pov")).parent
HERE = SOURCE / "tests/perception/library"
HEADERS = {"pov": SOURCE / "perception/library/pov.h", "povlink": SOURCE / "protocol/library/povlink.h"}
FLAGS = [f"-I{path.parent}" for path in HEADERS.values()]
SECTIONS = ["Does", "In", "Out", "Owns", "Fails", "Thread"]
FUNCTIONS_MAX = 30  # a stranger reads a header in ten minutes
LINES_MAX = 480
# Structs, with their fields: offsets count.
STRUCT = re.compile(r"typedef struct \{(.*?)\} (\w+);", re.S)


def run(*command, **options):
    return subprocess.run([*map(str, command)], check=True, capture_output=True, text=True, **options).stdout


def declarations(name):
    return HEADERS[name].read_text().split("/* " + 64 * "-" + " */")[1]


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def documented(name):
    """Each function with the comment above it."""
    for comment, function in re.findall(r"/\*\*((?:(?!\*/).)*)\*/\n(?:POV_MUST_USE )?[a-z][^;{}/]*?\b(\w+)\(", declarations(name), re.S):
        yield function, comment


def check_documentation(name):
    functions = dict(documented(name))
    declared = set(re.findall(r"\b((?:pov|povlink)_\w+)\(", without_comments(declarations(name))))
    assert set(functions) == declared, f"{name}: without a comment: {declared - set(functions)}"
    assert len(declared) <= FUNCTIONS_MAX, f"{name}: {len(declared)} functions"
    lines = HEADERS[name].read_text().count("\n")
    assert lines <= LINES_MAX, f"{name}: {lines} lines"
    for function, comment in functions.items():
        found = re.findall(r"(?:^| \*)  ?(\w+):  ?", comment, re.M)
        found = [word for word in found if word in SECTIONS]
        assert found == [word for word in SECTIONS if word in found] and {"Does", "Owns", "Fails", "Thread"} <= set(found), (function, found)
    return declared


def exported(name):
    """Functions by symbol version."""
    versions = {}
    for line in run("nm", "-D", "--defined-only", BUILD / f"lib{name}.so").splitlines():
        kind, symbol = line.split()[1:]
        if kind != "A":
            function, _, version = symbol.partition("@@")
            versions.setdefault(version, set()).add(function)
    return versions


def check_symbols(name, declared):
    versions = exported(name)
    private = {version: symbols for version, symbols in versions.items() if "PRIVATE" in version}
    public = set().union(*(symbols for version, symbols in versions.items() if version not in private))
    assert public == declared, f"lib{name}: exported and not declared, or the reverse: {public ^ declared}"
    assert all(re.fullmatch(rf"{name.upper()}_\d+\.\d+", version) for version in versions if version not in private), versions
    assert set().union(*private.values()) == ({"pov_library_inside"} if name == "pov" else set()), private
    dynamic = run("readelf", "-d", BUILD / f"lib{name}.so")
    assert f"[lib{name}.so.1]" in dynamic
    needed = set(re.findall(r"NEEDED.*\[(\w+?)[-.\d]*\.so", dynamic))
    if name == "pov":
        assert {re.sub(r"\d+$", "", library) for library in needed} <= {"libc", "libm", "libembree"}, needed
    symbols = {f"{name} {version} {symbol}" for version, found in versions.items() if version not in private for symbol in found}
    return sorted(symbols)


def values(name):
    """C expressions of all that a program compiles in."""
    code = without_comments(declarations(name))
    for body, struct in STRUCT.findall(code):
        yield f"sizeof({struct})"
        for field in re.findall(r"[*\s)](\w+)(?:\)?\[[^;]*?)?(?=[,;])", re.sub(r"\(\*(\w+)\)", r" \1", body)):
            yield f"offsetof({struct}, {field})"
    for body in re.findall(r"enum \{(.*?)\}", code, re.S):
        yield from re.findall(r"\b(POV\w+)(?=\s*(?:[,=]|\Z))", body)


def check_values(folder):
    code = "".join(f'    printf("{value} %ld\\n", (long)({value}));\n' for name in HEADERS for value in sorted(set(values(name))))
    (folder / "values.c").write_text(f"#include <povlink.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{{\n{code}    return 0;\n}}\n")
    run("cc", *FLAGS, folder / "values.c", "-o", folder / "values")
    return run(folder / "values").splitlines()


def check_old_program(folder):
    program = folder / "program"
    run("cc", "-std=c11", HERE / "program_of_1.0.c", f"-L{BUILD}", "-lpov", "-lm", f"-Wl,-rpath,{BUILD}", "-o", program)
    told = run(program).splitlines()
    assert told == ["behind: verdict 1, p 1.000, theta 0.1974 rad", "seen: 1, occluder 1", "twice: code 5, a message"], told
    assert "zmq" not in run("ldd", program), "a program that judges loads ZeroMQ"


def check_languages(folder):
    """The headers stand alone, in C99 to C++20, with every warning."""
    for suffix, compiler, standards in ("c", "cc", ("c99", "c11", "gnu17")), ("cpp", "c++", ("c++11", "c++20")):
        source = folder / f"alone.{suffix}"
        for name in HEADERS:
            source.write_text(f"#include <{name}.h>\nint main() {{ return 0; }}\n")
            for standard in standards:
                run(compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *FLAGS, "-c", source, "-o", os.devnull)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        today = [line for name in HEADERS for line in check_symbols(name, check_documentation(name))] + check_values(folder)
        if sys.argv[1:] == ["record"]:
            print("\n".join(today))
            return 0
        broken = [line for line in (HERE / "abi_1.txt").read_text().splitlines() if line not in today]
        assert not broken, "programs built for version 1.0 break; these are no longer so:\n" + "\n".join(broken)
        check_languages(folder)
        if "POV_SANITIZED" not in os.environ:  # others cannot link a sanitized library
            check_old_program(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
