"""Six objects on a simulated table: the camera and the tags about it, how an object is enrolled, how a world's text names a thing."""
import math
import subprocess

CAMERA = """camera:
  size_px: [1280, 720]
  field_of_view_deg: 60
  distortion: [-0.11, 0.06, 0.0004, -0.0003, 0]
  position_m: [1.05, 0, 1.2]
  look_at_m: [0.0, 0, 0.02]
surface: {size_m: [1.8, 1.8], color: "#c9a678", look: wood}
tags:
  family: tag36h11
  edge_m: 0.08
  lying:
    - {id: 0, position_m: [0.46, -0.55]}
    - {id: 1, position_m: [0.46, 0.55]}
    - {id: 2, position_m: [-0.5, 0.72]}
    - {id: 3, position_m: [-0.5, -0.72]}
    - {id: 4, position_m: [-0.66, 0.2]}
    - {id: 5, position_m: [-0.66, -0.2]}
"""
RING = "  ring: {first_id: 20, count: 12, edge_m: 0.06, radius_m: 0.36}\n"
DISC = "turntable: {position_m: [0, 0], radius_m: 0.42, height_m: 0.025, color: \"#4f9a52\"}\n"
TURNTABLE = RING + """lighting: {lamp_m: [0.6, -1.2, 2.2], lamp_radius_m: 0.15, ambient: 0.45, sky: "#8f979e"}
""" + DISC + "motion: {steps: 72, period_s: 20}\n"
# name: class, longest side, its looks, whether it has a front, and from how many sides it looks the same (0: all)
OBJECTS = {
    "car": ("car", 0.2, "color: red", True, 1),
    "duck": ("rubber duck", 0.1, "", True, 1),
    "mug": ("mug", 0.11, "color: \"#3060b0\"", False, 1),
    "teddy": ("teddy bear", 0.15, "", True, 1),
    "cat": ("cat", 0.19, "", True, 1),
    "laptop": ("laptop", 0.17, "", True, 1),
}
CLUTTER = ["apple", "banana", "book", "bowl", "cup", "goblet", "blue ball", "red ball", "phone", "pen", "plate", "vase", "bus",
           "keyboard", "lamp", "chair"]


def run(*arguments):
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, arguments))}:\n{done.stdout}{done.stderr}")
    return done.stdout


def thing(name, body, size, look, x, y, turn_deg, has_front, on=""):
    turn = f"front_deg: {turn_deg:.3f}" if has_front else f"yaw_deg: {turn_deg:.3f}"
    return (f"  - {{id: {name}, class: {body}, position_m: [{x:.5f}, {y:.5f}], size_m: {size}, {turn}"
            + (f", {look}" if look else "") + (f", on: {on}" if on else "") + "}\n")


def draw_empty(pov, folder):
    """The table with nothing on it but a turntable, which portraits are cut out against."""
    (folder / "empty.yaml").write_text("about: bench\n" + CAMERA + TURNTABLE +
                                       "things:\n  - {id: far, class: pen, position_m: [-0.85, 0.85], size_m: 0.05}\n")
    if not (folder / "empty").is_dir():
        run(pov, "sim", folder / "empty.yaml", "--out", folder / "empty", "--images", 1, "--quiet", "--bodies", "own")


def enrol(pov, folder, name):
    body, size, look, has_front, _ = OBJECTS[name]
    world = folder / f"enrol_{name}.yaml"
    world.write_text("about: bench\n" + CAMERA + TURNTABLE + "things:\n" +
                     thing("it", body, size, look, 0.008, -0.012, 0, has_front, "turntable"))
    run(pov, "sim", world, "--out", folder / f"enrol_{name}", "--images", 1, "--quiet", "--bodies", "own")
    station = folder / f"enrol_{name}" / "station.yaml"
    station.write_text(station.read_text().replace("source: folder", "source: simulator")
                       .replace(f'world: "enrol_{name}"', f'world: "{world}"'))
    front = ["--front", 0]  # at the table's angle 0 the front looks along +x, where the camera is
    return run(pov, "enrol", name, "--station", station, "--empty", folder / "empty/images/simulated_0000.png", *front, "--json",
               "--room", 0.32, "--ring-edge", 0.06, "--out", folder / f"{name}.pov")


def apart(places, x, y, radius):
    return all(math.hypot(x - a, y - b) > radius + r for a, b, r in places)


def is_placed(entity):
    return bool(entity["pos_m"]) and entity["pos_m"][0] is not None


def hidden_share(truth, name):
    for sight in truth["scene"].get("visibility", truth.get("visibility", [])):
        if sight["viewer"] == "camera" and sight["target"] == name:
            return 1 - sight["fraction_visible"]
    return None
