#!/usr/bin/python3
"""Does each command of ./dev ask apt for all that it calls, on a machine that has nothing yet?

The bare machine is a folder: PATH holds what every Debian has, and an apt-get that knows the names which this machine's apt knows and
installs stubs of the programs that packages bring. The stubs do no work: what is tested is that all names are known, that nothing
is missing, and that a second run installs nothing.
"""
import ast
import functools
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get("POV_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
# Of Debian's essential packages, and of apt.
EVERYWHERE = """awk bash basename cat chmod comm cp cut date dirname dpkg env find fmt grep gzip ln ls md5sum mkdir mktemp mv nproc
paste readlink realpath rm sed sh sort tail tar tee timeout touch tr uname uniq wc xargs""".split()
BROUGHT_BY = {"cmake": ["cmake", "cpack", "ctest"], "clang-format": ["clang-format"], "clang-tidy": ["clang-tidy"], "clang": ["clang"],
              "gcc": ["gcc"], "g++": ["g++"], "ninja-build": ["ninja"], "git": ["git"], "mmdebstrap": ["mmdebstrap"],
              "g++-aarch64-linux-gnu": ["aarch64-linux-gnu-g++"], "qemu-user-static": ["qemu-aarch64-static"],
              "qemu-system-x86": ["qemu-system-x86_64"], "busybox-static": ["busybox"], "cpio": ["cpio"], "kmod": ["modprobe"],
              "udev": ["udevadm"], "xz-utils": ["xz"], "dpkg-dev": ["dpkg-shlibdeps"], "python3": ["python3"], "mkdocs": ["mkdocs"]}
# Files of the stubs that the scripts read.
STUBS = {"cmake": 'for name in pov tests/pov_bench; do mkdir -p build/release/tests; cp "$0" build/release/$name; done',
         "cpack": "mkdir -p build/package/arm64; touch build/package/pov.deb build/package/arm64/pov.deb",
         "mmdebstrap": 'echo "found in 12 of 12 images"; for last; do :; done\n'
                       'case $last in build/*) mkdir -p "$last/usr/lib/aarch64-linux-gnu" ;; esac'}
APT_GET = """#!/bin/bash
echo "apt-get $*" >>"$BARE/calls"
while [ $# -gt 0 ] && [ "$1" != install ]; do shift; done
[ $# -gt 0 ] || exit 0
shift
for name; do
    grep -qxF -- "$name" "$BARE/known" || { echo "E: Unable to locate package '$name'"; exit 100; }
done
printf '%s\\n' "$@" >>"$BARE/installed"
while read -r package programs; do
    grep -qxF "$package" "$BARE/installed" && for program in $programs; do cp "$BARE/stubs/$program" "$BARE/bin/"; done
done <"$BARE/brought_by"
exit 0
"""
# apt-cache madison NAME...
APT_CACHE = """#!/bin/bash
printf '%s\\n' "${@:2}" | grep -xFf "$BARE/known" | sed 's/$/ | 1.0 | main/'
"""
DPKG_QUERY = """#!/bin/bash
printf '%s\\n' "$@" | grep -xFf - "$BARE/installed" | sed 's/^/installed /'
"""

# Arguments, and the programs that they must have come to.
COMMANDS = [(["demo"], ["cmake", "pov"]), (["run", "station.yaml"], ["cmake", "pov"]), (["install", "there"], ["cmake"]),
            (["package"], ["cmake", "cpack"]), (["package", "--arm64"], ["mmdebstrap", "cmake", "cpack"]),
            (["test"], ["cmake", "ctest"]), (["test", "release", "geom"], ["cmake", "ctest"]),
            (["bench"], ["cmake", "pov_bench"]), (["lint"], ["clang-format", "cmake"]), (["format"], ["clang-format"]),
            (["arm64-check"], ["mmdebstrap", "cmake", "ctest"]), (["distributions-check"], ["git", "mmdebstrap"]), (["site"], ["mkdocs"]), (["clean"], [])]


def write_program(path, text):
    path.write_text(text)
    path.chmod(0o755)


def make_bare(folder, known):
    """The machine's root: programs in bin, the project in pov. `known`: the packages that apt knows there."""
    for name in "bin", "stubs":
        (folder / name).mkdir()
    for name in EVERYWHERE:
        if program := shutil.which(name):
            (folder / "bin" / name).symlink_to(program)
    write_program(folder / "bin/apt-get", APT_GET)
    write_program(folder / "bin/dpkg-query", DPKG_QUERY)
    write_program(folder / "bin/id", "#!/bin/sh\necho 0\n")
    write_program(folder / "bin/apt-cache", APT_CACHE)
    for program in sum(BROUGHT_BY.values(), []):
        write_program(folder / "stubs" / program,
                      f'#!/bin/bash\necho "${{0##*/}} $*" >>"$BARE/calls"\n{STUBS.get(program, "")}\nexit 0\n')
    (folder / "brought_by").write_text("".join(f"{name} {' '.join(programs)}\n" for name, programs in BROUGHT_BY.items()))
    for name in "calls", "installed":
        (folder / name).touch()
    (folder / "known").write_text("".join(f"{name}\n" for name in known))
    pov = folder / "pov"
    pov.mkdir()
    shutil.copy(SOURCE / "dev", pov)
    shutil.copytree(SOURCE / "tools/packages", pov / "tools/packages")
    for script in "tests/arm64/run", "tests/distributions/run", "tests/virtual_camera/run", "tools/onnxruntime/fetch":
        (pov / script).parent.mkdir(parents=True)
        shutil.copy(SOURCE / script, pov / script)
    (pov / "main.c").touch()
    return {"PATH": str(folder / "bin"), "BARE": str(folder), "HOME": str(folder),
            "LC_ALL": "C"}


def run_in(folder, environment, arguments):
    """./dev there: its status, what it said, the programs called."""
    (folder / "calls").write_text("")
    result = subprocess.run([folder / "bin/bash", "./dev", *arguments], cwd=folder / "pov", env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=300)
    return result.returncode, result.stdout, (folder / "calls").read_text().splitlines()


def logs_of(folder):
    return "".join(path.read_text() for path in (folder / "pov/build").rglob("*.log") if path.is_file())


def check_command(arguments, programs, known, status=0, words=""):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = make_bare(folder, known)
        for is_bare in True, False:
            code, said, calls = run_in(folder, environment, arguments)
            told = (arguments, code, said[-2000:], calls)
            assert code == status and words in said, told
            assert not re.search("command not found|No such file|[^ ]+ is missing", said + logs_of(folder)), told
            called = {call.split()[0] for call in calls}
            assert not is_bare or called >= set(programs), (told, set(programs) - called)
            has_packages = arguments != ["clean"]
            assert ("apt-get" in called) == (is_bare and has_packages), told


def what_apt_does_not_know_is_told():
    """That the bare machine can refuse: a name with a blank, as apt sees it."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = make_bare(folder, names_of("test.txt"))
        with open(folder / "pov/tools/packages/test.txt", "a") as names:
            names.write("no such name\n")
        code, said, _ = run_in(folder, environment, ["format"])
        assert code == 1 and "no such name" in said, (code, said)


def names_of(*lists):
    lines = "\n".join((SOURCE / "tools/packages" / name).read_text() for name in lists).splitlines()
    return sorted({line.split("#")[0].strip() for line in lines} - {""})


def names_that_apt_knows():
    """Of all lists. run.txt holds versions of Debian 12; other distributions know some of the names."""
    lists = sorted(path.name for path in (SOURCE / "tools/packages").glob("*.txt"))
    names = names_of(*lists)
    if not shutil.which("apt-get") or not (shown := subprocess.run(["apt-cache", "madison", *names], capture_output=True,
                                                                  text=True).stdout):
        print("apt has no package lists here: names are taken as known, if they are names")
        return [name for name in names if re.fullmatch("[a-z0-9][a-z0-9+.-]+", name)]
    return {line.split("|")[0].strip() for line in shown.splitlines()}


def modules_in(path):
    """The top names of all modules that a script imports, at whatever depth."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.split(".")[0]


@functools.cache
def package_of(module):
    """By dpkg, of an installed module; else by Debian's rule for names."""
    spec = importlib.util.find_spec(module)
    owner = spec and spec.origin and shutil.which("dpkg") and subprocess.run(
        ["dpkg", "-S", spec.origin], capture_output=True, text=True).stdout.split(":")[0]
    return owner or f"python3-{module}"


def scripts_import_what_their_packages_bring(folders, lists, own=("pov_pb2", "pov")):
    """own: made by the build, or the package of python/; tests import the training's modules, too."""
    scripts = [path for folder in folders for path in (SOURCE / folder).rglob("*.py")]
    assert scripts
    names = names_of(*lists)
    own = {path.stem for path in [*scripts, *(SOURCE / "tools/training").glob("*.py")]} | set(own) | sys.stdlib_module_names
    missing = {f"{path.relative_to(SOURCE)}: {module} ({package_of(module)})" for path in scripts for module in modules_in(path)
               if module not in own and package_of(module) not in names}
    assert not missing, f"in none of {lists}:\n" + "\n".join(sorted(missing))


def main():
    scripts_import_what_their_packages_bring(["tests", "docs/examples"], ["build.txt", "test.txt"])
    scripts_import_what_their_packages_bring(["tools/training"], ["train.txt"])
    known = names_that_apt_knows()
    what_apt_does_not_know_is_told()
    for arguments, programs in COMMANDS:
        check_command(arguments, programs, known)
    check_command(["test", "quick"], ["ctest"], known, words="tests of networks that OpenCV cannot run are skipped")
    check_command(["camera-test"], ["cmake"], known, 77, "holds no build")  # said when each of its tools is there
    return 0


if __name__ == "__main__":
    sys.exit(main())
