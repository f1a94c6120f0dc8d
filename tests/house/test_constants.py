#!/usr/bin/env python3
"""docs/CONSTANTS.md lists the constants that are marked "chosen", by room, with what measures the room; --write brings it up to date."""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(os.environ.get("POV_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
COMMENT = re.compile(r"/\*\*?(.*?)\*/", re.S)
REAL, DRAWN, NONE = "real pictures", "drawn pictures only", "nothing here"
# What measures a room's constants together. A room that is not named here fails the test.
ROOMS = {
    "calib/boards": (REAL, "ChArUco photographs (`tests/firmware/calib/test_calib_camera.py`), drawn boards (`calib_board_finder_opencv`)"),
    "calib/camera": (REAL, "the same photographs; drawn lenses (`calib_camera_calibration`)"),
    "calib/solve": (REAL, "the same photographs; drawn lenses, maps and turntables"),
    "calib/tags": (REAL, "the wall photographs (`program_wall_photographs`), drawn walls (`firmware_calib_tags`)"),
    "calib/turntable": (DRAWN, "`firmware_calib_turntable`"),
    "perception/appearance": (REAL, "COIL-20 and drawn objects (`./dev bench enrol`)"),
    "perception/balls": (REAL, "COMFORT's renders (`program_comfort`), one photograph (`program_photographs`), drawn stations (`./dev bench truth`)"),
    "perception/carving": (DRAWN, "`./dev bench enrol`"),
    "perception/cast": (DRAWN, "`./dev bench truth`"),
    "perception/geometry": (DRAWN, "unit tests against closed forms"),
    "perception/image": (NONE, "limits of memory and time"),
    "perception/lens": (DRAWN, "`program_calibration_health`"),
    "perception/library": (NONE, "limits of what a caller may hand over"),
    "perception/models": (REAL, "six networks on two photographs (`./dev bench networks`)"),
    "perception/objects": (REAL, "COIL-20 (`./dev bench enrol`), drawn tables (`./dev bench finder`, `ids`)"),
    "perception/people": (REAL, "two photographs (`program_people_by_network`), drawn people (`program_people`)"),
    "perception/relations": (NONE, "definitions: unit tests against closed forms, the papers' own rows (`./dev bench judgments`)"),
    "perception/tags": (REAL, "the wall photographs (`program_wall_photographs`), drawn tags (`./dev bench corners`, `tags`)"),
    "perception/tracking": (DRAWN, "`./dev bench tracker`, `ids`"),
    "perception/visibility": (DRAWN, "rays (`program_sight_by_rays`, `sim_sight_truth`)"),
}
HEAD = """# Constants that were chosen

After reading this page you can say which numbers of `pov` rest on a choice, what measures them, and which ones only our own renderer has tried.

A constant that follows from geometry, from a paper or from a measurement says so where it stands. Those below are marked "chosen" in the
source: they were tried by hand, with the benches and tests of their room, and another value may do as well. **Rooms that only drawn pictures
measure come first**: real data can still prove their constants wrong. Times, sizes of queues and other limits of the station
(`firmware/`, `protocol/`, `compare/`) are chosen too, but no judgment rests on them. `./dev docs` makes this page from the source.
"""


def constants(path):
    """(line, code, words) of each comment that says "chosen"."""
    text = path.read_text(encoding="utf-8")
    for match in COMMENT.finditer(text):
        words = " ".join(re.sub(r"\s*\n\s*\*?\s*", " ", match[1]).split())
        if not re.search(r"(^|[;:,.(] ?)chosen\b", words):
            continue
        line_start = text.rfind("\n", 0, match.start()) + 1
        before = text[line_start:match.start()].strip()
        if not before:
            statement = text[match.end():].lstrip().split("\n\n")[0]
        else: # the line's own part, or what the comment's line goes on from
            begin = max(text.rfind(mark, 0, line_start) for mark in ";}") + 1
            statement = before if "=" in before or before.startswith("#define") else text[begin:match.start()]
        code = " ".join(COMMENT.sub("", statement).split())
        named = re.findall(r"(\w+)(?:\[\w*\])*\s*=\s*(\{.*?\}|[^,;{}]+)", code) or re.findall(r"#define (\w+) +(\S.*?)(?= #define|$)", code)
        if not named:
            continue
        name, value = named[-1] if before else named[0]
        words = re.sub(r"[;:,.]? ?\bchosen\b[;:,.]? ?", "; ", words).strip("; .")
        yield text.count("\n", 0, match.start()) + 1, name, value.strip(), words


def page(root):
    rooms = {}
    for path in sorted([*root.glob("perception/**/*.[ch]"), *root.glob("calib/**/*.[ch]")]):
        for _, name, value, words in constants(path):
            room = "/".join(path.relative_to(root).parts[:2])
            rooms.setdefault(room, []).append((path.relative_to(root).as_posix(), name, value, words))
    lines = [HEAD]
    for kind in DRAWN, REAL, NONE:
        lines.append(f"\n## Measured by {kind}\n")
        for room in sorted(room for room in rooms if ROOMS[room][0] == kind):
            lines.append(f"\n### {room}\nBy {ROOMS[room][1]}.\n\n| constant | value | meaning |\n|---|---|---|\n")
            lines += [f"| `{name}` ({pathlib.PurePath(path).name}) | `{value}` | {words or 'see its name'} |\n".replace("||", "\\|\\|")
                      for path, name, value, words in rooms[room]]
    return "".join(lines)


def main():
    wanted, place = page(ROOT), ROOT / "docs/CONSTANTS.md"
    if "--write" in sys.argv:
        place.write_text(wanted, encoding="utf-8")
    if place.read_text(encoding="utf-8") != wanted:
        print("docs/CONSTANTS.md is not as the source: run ./dev docs")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
