#!/usr/bin/env python3
"""Every #include points downward, and every library stays behind its adapter.

Checks the tree at $POV_SOURCE, after showing on a small wrong tree that each kind of violation is found.
"""
import os
import pathlib
import re
import sys
import tempfile

# A file may include from its own layer and from layers of lower rank; two folders of one rank do not see each other.
RANKS = {
    "perception": 1,  # geometry, camera model, images and tags as plain data: libc and libm only
    "perception/scene": 2,  # pure functions
    "perception/relations": 2,
    "perception/visibility": 2,
    "perception/papers": 2,
    "perception/tracking": 2,
    "perception/tags": 3,  # what finds things: interfaces and backends
    "perception/balls": 3,
    "perception/objects": 3,
    "perception/models": 3,
    "perception/people": 3,
    "perception/cast": 4,  # all that was found, in one scene
    "perception/lens": 5,  # what the lens' calibration does to all of it
    "config": 6,
    "calib": 7,
    "protocol": 7,
    "sim": 8,
    "compare": 8,
    "firmware": 9,
    "tests": 10,
}
# Folders of one rank that are one layer.
TOGETHER = {name: "perception/pure" if RANKS[name] == 2 else "perception/finders" if RANKS[name] == 3 else name for name in RANKS}

# Header (whole name) -> the only files that may include it. Tests may use any library as an oracle.
RESERVED = {
    r"opencv2/.*": r"perception/opencv_c\.h|(\w+/)+\w+_shim\.cpp",
    r"(apriltag/)?(apriltag\w*|tag[A-Za-z]*\d+h\d+|common/\w+)\.h": r"perception/tags/tag_\w+\.c",
    r"perception/opencv_c\.h": r"perception/(balls|tags|objects|models|people)/\w+\.c|calib/\w+\.c|firmware/picture/\w+\.c",
    r"rtcore\.h": r"perception/visibility/embree_parts\.h",
    r"(minizip/)?(unzip|zip|ioapi)\.h": r"sim/furniture_package\.c",
    r"yaml\.h": r"config/\w+\.c",
    r"png\.h|turbojpeg\.h|jpeglib\.h": r"firmware/\w+/(image|jpeg|camera)_\w+\.c|sim/sensor\.c",
    r"civetweb\.h": r"firmware/http_server\.c",
    r"systemd/.*": r"firmware/station/service\.c",
    r"curl/.*": r"compare/vlm_client\.c",
    r"libcamera/.*": r"firmware/sources/\w+_shim\.cpp",
    r"zmq\.h|czmq\.h|protobuf-c/.*|.*\.pb-c\.h": r"protocol/\w+(\.c|_wire\.h)",
    r"sqlite3\.h": r"compare/answer_\w+\.[ch]",
    r"openssl/.*": r"config/digest\.c",
    r"(cjson/)?cJSON\.h": r"(protocol|compare)/\w+\.c|sim/vlm_chat\.c|firmware/(\w+/)?(command|judge|sweep)_\w+\.c|firmware/ask/(answering\w*|scene_source)\.c",
    r"pthread\.h|threads\.h|time\.h|sys/time\.h|semaphore\.h": r"firmware/.*",
    r"sim/.*": r"sim/.*|firmware/(main|simulate/\w+|\w+/(command_demo_balls|command_vlm_sim|command_turntable_simulate|simulator_source)|dashboard/bodies)\.[ch]",
}

# Words that are an act, not an include -> where they may stand.
ACTS = {
    r"\b(clock_gettime|gettimeofday|nanosleep|usleep|pthread_create|thrd_create)\s*\(": r"firmware/.*",
    r"\b(stderr|stdout)\b|\b(printf|puts|perror|syslog)\s*\(": r"firmware/.*|perception/status\.c",
}

CPP = r"(\w+/)+\w+_shim\.cpp"


def layer_of(path):
    """'perception/tags/tag_fit.h' -> 'perception/tags', 'firmware/sweep/sweep.h' -> 'firmware'; None: no known layer."""
    parents = [parent.as_posix() for parent in pathlib.PurePosixPath(path).parents]
    if path.startswith("perception/") and parents[0] not in RANKS:
        return None
    return next((parent for parent in parents if parent in RANKS), None)


def without_comments(text):
    blank = lambda match: "\n" * match.group().count("\n")
    return re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", blank, text, flags=re.S))


def check_include(path, form, header):
    """The complaint about one include, or None."""
    for pattern, allowed in RESERVED.items():
        if re.fullmatch(pattern, header) and not re.fullmatch(allowed, path):
            return f"<{header}> is for {allowed} only" if not path.startswith("tests/") else None
    if form == "<" or header.endswith(".pb-c.h"):
        return f'ours, so "{header}", not <{header}>' if layer_of(header) and "/" in header else None
    mine, theirs = layer_of(path), layer_of(header)
    if "/" not in header or theirs is None:
        return f'"{header}" does not name its layer: include from the root'
    if TOGETHER[mine] != TOGETHER[theirs] and RANKS[theirs] >= RANKS[mine]:
        return f'"{header}" points {"sideways" if RANKS[theirs] == RANKS[mine] else "upward"}: {mine} -> {theirs}'
    return None


def check_file(root, path):
    if path.endswith(".cpp") and not re.fullmatch(CPP, path) and not path.startswith("tests/"):
        yield f"{path}: C++ is for shims ({CPP}) only"
    text = without_comments((root / path).read_text(encoding="utf-8"))
    for number, line in enumerate(text.split("\n"), 1):
        include = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if include:
            complaint = check_include(path, *include.groups())
            if complaint:
                yield f"{path}:{number}: {complaint}"
            continue
        line = re.sub(r'"(\\.|[^"\\])*"', '""', line)
        for pattern, allowed in ACTS.items():
            act = re.search(pattern, line)
            if act and not re.fullmatch(allowed, path) and not path.startswith("tests/"):
                yield f"{path}:{number}: '{act.group().strip()}' is for {allowed} only"


def sources(root):
    """Relative paths of all our sources; whatever folder is not a layer is an error of its own."""
    for path in sorted(root.glob("*/**/*")):
        relative = path.relative_to(root).as_posix()
        if path.suffix in (".c", ".h", ".cpp", ".cc", ".cxx", ".hpp") and not relative.startswith(("build", ".", "docs/examples/")):
            yield relative


def check_tree(root):
    for path in sources(root):
        if layer_of(path) is None:
            yield f"{path}: folder is no layer; give it a rank"
        else:
            yield from check_file(root, path)


# ---- a tree with one violation of each kind, and what must be said of it ---------------------------------------------

WRONG_TREE = {
    "perception/geom.h": ("#include <math.h>\n", None),
    "perception/camera.c": ('#include "perception/scene/scene.h"\n', "upward"),
    "perception/scene/scene.c": ('#include "perception/balls/ball_detector.h"\n', "upward"),
    "perception/relations/relation.c": ('#include "perception/opencv_c.h"\n', "is for"),
    "perception/balls/ball_detector.c": ('#include "geom.h"\n', "does not name its layer"),
    "perception/balls/ball_find.c": ("#include <opencv2/core/core_c.h>\n", "is for"),
    "perception/balls/ball_other.c": ("#include <perception/geom.h>\n", "not <perception/geom.h>"),
    "perception/tags/tag_find.c": ("#include <apriltag/tag36h11.h>\n#include <apriltag.h>\n", None),
    "perception/tag.c": ('/* #include "sim/a.h"\n*/ #include "config/yaml_file.h"\n', "upward"),
    "perception/linalg.c": ("x = clock_gettime(0);\n", "clock_gettime"),
    "perception/visibility/visibility.c": ("fprintf(stderr, 1);\n", "stderr"),
    "perception/status.c": ("fprintf(stderr, 1);\n", None),
    "perception/shift.cpp": ("\n", "C++ is for shims"),
    "perception/opencv_shim.cpp": ("#include <opencv2/calib3d.hpp>\n", None),
    "config/yaml_file.c": ('#include "calib/a.h"\n', "upward"),
    "config/other.c": ('#include <yaml.h>\n#include "perception/balls/ball_detector.h"\n', None),
    "calib/a.c": ('#include "protocol/message.h"\n', "sideways"),
    "calib/b.c": ("#include <yaml.h>\n", "is for"),
    "protocol/a.c": ('#include <zmq.h>\n#include "pov.pb-c.h"\n#include "perception/scene/scene.h"\n', None),
    "protocol/a.h": ("#include <zmq.h>\n", "is for"),
    "protocol/b.c": ("#include <pthread.h>\n", "is for"),
    "protocol/c.c": ('int x; // #include "sim/x.h"\nfputs("stderr", f);\n', None),
    "compare/a.c": ('#include "sim/sphere_world.h"\n', "is for"),
    "sim/a.c": ('#include "compare/a.h"\n', "sideways"),
    "firmware/main.c": ('#include "sim/sphere_world.h"\n#include <pthread.h>\n', None),
    "firmware/other.c": ('#include "sim/sphere_world.h"\n', "is for"),
    "firmware/wire.c": ('#include "pov.pb-c.h"\n', "is for"),
    "firmware/a.c": ('#include "tests/test.h"\n', "upward"),
    "firmware/picture/image_file.c": ("#include <png.h>\n", None),
    "firmware/picture.c": ("#include <png.h>\n", "is for"),
    "tests/test_a.c": ('#include "sim/sphere_world.h"\n#include <zmq.h>\n#include <time.h>\n', None),
    "extras/a.c": ("\n", "no layer"),
}


def check_the_checker():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, (text, _) in WRONG_TREE.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        complaints = list(check_tree(root))
    for path, (_, expected) in WRONG_TREE.items():
        about = [c for c in complaints if re.match(re.escape(path) + r":", c)]
        if len(about) != (expected is not None) or any(expected not in c for c in about):
            yield f"in the wrong tree, {path} should give {expected or 'nothing'}, gives {about}"


def main():
    root = pathlib.Path(os.environ.get("POV_SOURCE", pathlib.Path(__file__).parents[2]))
    complaints = list(check_the_checker()) + list(check_tree(root))
    print("\n".join(complaints) or f"{len(list(sources(root)))} files, all includes point downward")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
