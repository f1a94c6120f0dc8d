#!/usr/bin/env python3
"""Every #include points downward, every library stays behind its adapter, and every function is defined once.

Checks the tree at $POV_SOURCE, after showing on a small wrong tree that each kind of violation is found.
"""
import os
import pathlib
import re
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get("POV_SOURCE", pathlib.Path(__file__).parents[2]))
# Every folder of the product, from the lowest up: the folders that docs/ARCHITECTURE.md lists, in its order.
ROOMS = re.findall(r"^\| `((?:%s)(?:/[\w/]+)?)` \|" % "|".join("perception config draw ask calib protocol python sim compare firmware".split()),
                   (SOURCE / "docs/ARCHITECTURE.md").read_text(), re.M) + ["tests"]
RANKS = {room: rank for rank, room in enumerate(ROOMS)}

# Header (whole name) -> the only files that may include it. Tests may use any library as an oracle.
RESERVED = {
    r"opencv2/.*": r"perception/image/opencv_c\.h|(\w+/)+\w+_shim\.cpp",
    r"(apriltag/)?(apriltag\w*|tag[A-Za-z]*\d+h\d+|common/\w+)\.h": r"perception/tags/tag_\w+\.c",
    r"perception/image/opencv_c\.h": r"perception/(balls|tags|objects|appearance|carving|models|people)/\w+\.c|calib/\w+/\w+\.c|draw/canvas\.c",
    r"onnxruntime_\w+\.h": r"perception/models/onnxruntime_network\.c",
    r"librsvg/.*": r"draw/print\.c",
    r"rtcore\.h": r"perception/visibility/embree_parts\.h",
    r"(minizip/)?(unzip|zip|ioapi)\.h": r"sim/bodies/furniture_package\.c",
    r"yaml\.h": r"config/yaml/\w+\.c",
    r"png\.h|turbojpeg\.h|jpeglib\.h": r"firmware/\w+/(image|jpeg|camera)_\w+\.c|sim/render/sensor\.c",
    r"civetweb\.h": r"firmware/http/http_server\.c",
    r"systemd/.*": r"firmware/run/service\.c",
    r"curl/.*": r"compare/vlm/vlm_client\.c",
    r"gst/.*": r"firmware/gstreamer/gstreamer_\w+\.[ch]",
    r"libcamera/.*": r"firmware/libcamera/\w+_shim\.cpp",
    r"zmq\.h|czmq\.h|protobuf-c/.*|.*\.pb-c\.h": r"protocol/\w+/\w+(\.c|_wire\.h)",
    r"dds/.*": r"protocol/ros2/dds_library\.[ch]",
    r"zstd\.h|lz4frame\.h": r"protocol/recording/mcap_\w+\.c",
    r"sqlite3\.h": r"compare/log/\w+\.[ch]",
    r"openssl/.*": r"config/files/(base64|digest)\.c|firmware/http/(http_gate|certificate)\.c",
    r"(cjson/)?cJSON\.h": r"(protocol|compare|ask)/\w+/\w+\.c|calib/\w+/\w+_report\.c|config/files/json_value\.c|sim/vlm/vlm_chat\.c|firmware/comparison/\w+\.c|firmware/\w+/((command|demo|judge|setup|study|sweep)_\w+|scene_source|report_log|update|bodies|dashboard_pages|ask_request|ask_server|log_checks|observation_text|dataset|released_import|export_tables)\.c",
    r"pthread\.h|threads\.h|time\.h|sys/time\.h|semaphore\.h": r"firmware/.*",
    r"sim/.*": r"sim/.*|firmware/(main|simulate/\w+|\w+/(command_vlm_sim|command_turntable_simulate|simulator_source)|dashboard/bodies)\.[ch]",
}

# Words that are an act, not an include -> where they may stand.
ACTS = {
    r"\b(clock_gettime|gettimeofday|nanosleep|usleep|pthread_create|thrd_create)\s*\(": r"firmware/.*",
    r"\b(stderr|stdout)\b|\b(printf|puts|perror|syslog)\s*\(": r"firmware/.*|perception/status\.c",
    r"\bcJSON_Parse\w*\s*\(": r"config/files/json_value\.c",
    r"\b__builtin_shufflevector\s*\(": "GCC 12, which Ubuntu 22.04 lacks,",  # matches no file
}

CPP = r"(\w+/)+\w+_shim\.cpp"


def room_of(path):
    """'perception/tags/tag_fit.h' -> 'perception/tags'; None: no known folder."""
    folder = pathlib.PurePosixPath(path).parent.as_posix()
    return "tests" if path.startswith("tests/") else folder if folder in RANKS else None


def without_comments(text):
    blank = lambda match: "\n" * match.group().count("\n")
    return re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", blank, text, flags=re.S))


def check_include(path, form, header):
    """The complaint about one include, or None."""
    for pattern, allowed in RESERVED.items():
        if re.fullmatch(pattern, header) and not re.fullmatch(allowed, path):
            return f"<{header}> is for {allowed} only" if not path.startswith("tests/") else None
    if form == "<" or header.endswith(".pb-c.h"):
        return f'ours, so "{header}", not <{header}>' if room_of(header) else None
    if "/" not in header and not path.startswith("tests/"):
        return f'"{header}" does not name its folder: include from the root'
    mine, theirs = room_of(path), room_of(header)
    if theirs is None:
        return f'"{header}" is in no known folder'
    if RANKS[theirs] > RANKS[mine]:
        return f'"{header}" points upward: {mine} -> {theirs}'
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
    folders = [folder for folder in root.iterdir() if folder.is_dir() and not folder.name.startswith(("build", "."))]
    for path in sorted(path for folder in folders for path in folder.glob("**/*")):
        relative = path.relative_to(root).as_posix()
        if path.suffix in (".c", ".h", ".cpp", ".cc", ".cxx", ".hpp") and not relative.startswith("docs/examples/"):
            yield relative


def check_tree(root):
    for path in sources(root):
        if room_of(path) is None:
            yield f"{path}: the folder has no rank: name it in docs/ARCHITECTURE.md"
        else:
            yield from check_file(root, path)
    yield from check_definitions(root)


def check_definitions(root):
    """An archive with two definitions of a name links, and takes either. The C++ of a shim and its absent part are one."""
    first = {}
    for path in sources(root):
        if not path.endswith(".c") or path.endswith("_absent.c") or path.startswith("tests/"):
            continue
        text = without_comments((root / path).read_text(encoding="utf-8"))
        for name in re.findall(r"^(?!static\b|typedef\b)[a-z][^\n;{}()=]*?\b(pov_\w+)\([^;{}]*\)\s*\{", text, re.M):
            if first.setdefault(name, path) != path:
                yield f"{path}: {name} is defined in {first[name]}, too"


# ---- a tree with one violation of each kind, and what must be said of it ---------------------------------------------

WRONG_TREE = {
    "perception/geometry/geom.h": ("#include <math.h>\n", None),
    "perception/geometry/camera.c": ('#include "perception/scene/scene.h"\n', "upward"),
    "perception/scene/scene.c": ('#include "perception/balls/ball_detector.h"\n', "upward"),
    "perception/relations/relation.c": ('#include "perception/image/opencv_c.h"\n', "is for"),
    "perception/balls/ball_detector.c": ('#include "geom.h"\n', "does not name its folder"),
    "perception/balls/ball_find.c": ("#include <opencv2/core/core_c.h>\n", "is for"),
    "perception/balls/ball_other.c": ("#include <perception/geometry/geom.h>\n", "not <perception/geometry/geom.h>"),
    "perception/tags/tag_find.c": ("#include <apriltag/tag36h11.h>\n#include <apriltag.h>\n", None),
    "perception/geometry/tag.c": ('/* #include "sim/worlds/a.h"\n*/ #include "config/yaml/yaml_file.h"\n', "upward"),
    "perception/geometry/linalg.c": ("x = clock_gettime(0);\n", "clock_gettime"),
    "perception/visibility/visibility.c": ("fprintf(stderr, 1);\n", "stderr"),
    "perception/status.c": ("fprintf(stderr, 1);\n", None),
    "perception/shift.cpp": ("\n", "C++ is for shims"),
    "perception/opencv_shim.cpp": ("#include <opencv2/calib3d.hpp>\n", None),
    "config/yaml/yaml_file.c": ('#include "calib/tags/a.h"\n', "upward"),
    "config/yaml/other.c": ('#include <yaml.h>\n#include "perception/balls/ball_detector.h"\n', None),
    "config/files/a.c": ('#include "config/yaml/a.h"\n', "upward"),
    "calib/tags/a.c": ('#include "protocol/observation/message.h"\n', "upward"),
    "calib/tags/b.c": ("#include <yaml.h>\n", "is for"),
    "protocol/links/a.c": ('#include <zmq.h>\n#include "pov.pb-c.h"\n#include "perception/scene/scene.h"\n', None),
    "protocol/links/a.h": ("#include <zmq.h>\n", "is for"),
    "protocol/links/b.c": ("#include <pthread.h>\n", "is for"),
    "protocol/links/c.c": ('int x; // #include "sim/bodies/x.h"\nfputs("stderr", f);\n', None),
    "compare/scores/a.c": ('#include "sim/render/renderer.h"\n', "is for"),
    "sim/bodies/a.c": ('#include "compare/scores/a.h"\n', "upward"),
    "firmware/main.c": ('#include "sim/render/renderer.h"\n#include <pthread.h>\n', None),
    "firmware/other.c": ('#include "sim/render/renderer.h"\n', "is for"),
    "firmware/wire.c": ('#include "pov.pb-c.h"\n', "is for"),
    "firmware/twice.c": ("int pov_once(int a)\n{\n}\n", None),
    "firmware/twice_again.c": ("int pov_once(int a,\n        int b)\n{\n}\nstatic int pov_own(void)\n{\n}\n", "defined in"),
    "firmware/twice_absent.c": ("int pov_once(int a)\n{\n}\n", None),
    "firmware/a.c": ('#include "tests/test.h"\n', "upward"),
    "firmware/b.c": ('#include "firmware/nowhere/a.h"\n', "no known folder"),
    "firmware/picture/image_file.c": ("#include <png.h>\n", None),
    "firmware/picture.c": ("#include <png.h>\n", "is for"),
    "tests/test_a.c": ('#include "sim/render/renderer.h"\n#include <zmq.h>\n#include <time.h>\n', None),
    "extras/a.c": ("\n", "has no rank"),
    "perception/newer/a.c": ("\n", "has no rank"),
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
    complaints = list(check_the_checker()) + list(check_tree(SOURCE))
    complaints += [f"docs/ARCHITECTURE.md: there is no folder {room}" for room in ROOMS if not (SOURCE / room).is_dir()]
    print("\n".join(complaints) or f"{len(list(sources(SOURCE)))} files, all includes point downward")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
