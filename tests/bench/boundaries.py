"""Is P calibrated? Draws stations whose judgments lie near boundaries, and compares P with the share that is true.

Each image is a station of its own. All that a station file states with a standard deviation is drawn from that distribution: the
poses of the camera, of mapped tags and of surveyed things, headings, heights and radii of balls, the lens. Detections of tags and balls
have the errors that the rendered pixels give them. Places on the table are uniform, so that no side of a boundary is preferred.

A judgment has up to 24 forms that are true or false together: three conventions, a relation and its opposite, a pair and its
reverse. One of them, drawn at random, counts. Judgments of one image share the camera's error: intervals are from a bootstrap over
images.
"""
import collections
import concurrent.futures
import json
import math
import random
import shutil
import subprocess

import numpy
from scipy import optimize, special

SIZE_PX = 640, 480
BALLS = ("red", "#c8281e"), ("pink", "#c828a0"), ("green", "#1ea03c")  # nothing else has these colours
EDGE_STD_SHARE = 0.02  # as `pov sim` states it
ENOUGH, AMPLE_DEG = 0.2, 20  # seen: this share of the target, or a part this wide (POV_SEEING_DEFAULT)
TENTHS, SURE = 10, 0.005  # P nearer to 0 or 1 is counted as sure, in no tenth
TOLERANCE, RESAMPLES = 0.03, 2000
TURN = {"in_front_of": 0, "left_of": math.pi / 2, "behind": math.pi, "right_of": -math.pi / 2,
        "north_of": 0, "west_of": math.pi / 2, "south_of": math.pi, "east_of": -math.pi / 2}
STANDING_SLACK_M, HOLLOW = 0.01, ("mug", "wardrobe", "car")  # POV_CARRIED_SLACK_M; affordance.c
OVERHEAD_M = 0.1  # three times the largest error of a distance here
LEFT_OR_RIGHT = "left_of", "right_of", "west_of", "east_of"
MAPPED, CARRIED = range(5), {"duck": 10, "dog": 11}


# ---- the truth --------------------------------------------------------------------------------------------------------

def outline_holds(lower, place):
    """Whether a place is over the outline of an upright box."""
    (dx, dy), R, size = (place[i] - lower["pos_m"][i] for i in (0, 1)), lower["R_table_box"], lower["size_m"]
    return abs(R[0] * dx + R[3] * dy) < size[0] / 2 and abs(R[1] * dx + R[4] * dy) < size[1] / 2


def stands_on(upper, lower):
    """With its centre over the other's outline, and its bottom at the other's top, or below that in what is hollow."""
    if not all((*upper["size_m"], *lower["size_m"])):
        return False
    top = lower["pos_m"][2] + lower["size_m"][2] / 2
    gap = upper["pos_m"][2] - upper["size_m"][2] / 2 - top
    at_top = abs(gap) <= STANDING_SLACK_M or (gap < 0 and lower["class"] in HOLLOW)
    return upper["pos_m"][2] > top and at_top and outline_holds(lower, upper["pos_m"])


def holds(judgment, entities, north=None):
    """Whether a relation holds in truth. What stands on a thing is on no side of it."""
    referent, relatum, viewer = (entities.get(judgment[key]) for key in ("referent", "relatum", "viewer"))
    if stands_on(referent, relatum) or stands_on(relatum, referent):
        return False
    if judgment["perspective"] == "intrinsic":
        forward = relatum["heading_rad"]
    elif judgment["perspective"] == "absolute":
        forward = north
    elif judgment["axis"] == "heading":
        forward = viewer["heading_rad"]
    else:
        forward = azimuth(relatum, viewer)
    turn = TURN[judgment["relation"]]
    if judgment["convention"] == "rotated" or (judgment["convention"] == "reflected" and
                                               judgment["relation"] in ("in_front_of", "behind")):
        turn += math.pi
    return abs(math.remainder(azimuth(referent, relatum) - forward - turn, 2 * math.pi)) < math.pi / 2


def is_counted(judgment, entities):
    """Not where nothing is said, nor where a viewer is above the relatum: its heading then stands for the sight line."""
    if judgment["p"] is None:
        return False
    on_ground = [entities[judgment[key]]["pos_m"][:2] for key in ("viewer", "relatum") if judgment[key]]
    return judgment["axis"] == "heading" or math.dist(*on_ground) > OVERHEAD_M


def azimuth(a, b):
    """Of one thing from another."""
    return math.atan2(a["pos_m"][1] - b["pos_m"][1], a["pos_m"][0] - b["pos_m"][0])


def is_seen(share, size_deg):
    """Whether a target of this size counts as seen if this share of it is visible."""
    ample = (math.sin(math.radians(AMPLE_DEG) / 4) / math.sin(math.radians(size_deg) / 4)) ** 2
    return share >= min(ENOUGH, ample)


# ---- numbers ----------------------------------------------------------------------------------------------------------

def log_uniform(rng, low, high):
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def turned(vector):
    """The rotation matrix of a rotation vector (Rodrigues)."""
    angle = numpy.linalg.norm(vector)
    if angle < 1e-12:
        return numpy.eye(3)
    x, y, z = vector / angle
    K = numpy.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return numpy.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


def about_z(angle):
    return turned(numpy.array([0, 0, angle]))


def look_at(eye, target):
    forward = (target - eye) / numpy.linalg.norm(target - eye)
    right = numpy.cross(forward, [0, 0, 1])
    right /= numpy.linalg.norm(right)
    return numpy.column_stack([right, numpy.cross(forward, right), forward])


def kappa_of(std):
    """Concentration of the von Mises distribution with the mean resultant length of a wrapped normal."""
    if std < 0.1:
        return 1 / std ** 2 + 0.5
    return optimize.brentq(lambda k: special.ive(1, k) / special.ive(0, k) - math.exp(-std * std / 2), 1e-9, 200)


def flow(value):
    """A list or number as YAML."""
    return json.dumps(value.tolist() if isinstance(value, numpy.ndarray) else value)


# ---- a random station --------------------------------------------------------------------------------------------------

class Layout:
    """A world, and the station file of somebody who measured it with the stated errors."""

    def __init__(self, seed):
        self.rng = numpy.random.default_rng([18, seed])
        self.seed = seed
        self.taken = []  # discs on the table
        self.world_things, self.cast = [], []
        self.mapped_true, self.mapped_stated, self.carried = [], [], []
        self.pose = str(self.rng.choice(["given", "exact map", "surveyed map"], p=[0.2, 0.3, 0.5]))
        self.lens = str(self.rng.choice(["known", "calibrated"], p=[0.7, 0.3]))
        self.sensor = str(self.rng.choice(["clean", "noisy", "blurred"], p=[0.2, 0.5, 0.3]))
        self.survey_std = log_uniform(self.rng, 0.003, 0.02)
        self.north = self.rng.uniform(-180, 180)
        self.draw_camera()
        self.draw_lens()
        self.draw_map()
        self.draw_things()

    def draw_camera(self):
        rng = self.rng
        self.azimuth, tilt, far = rng.uniform(0, 2 * math.pi), math.radians(rng.uniform(45, 65)), rng.uniform(1.1, 1.4)
        azimuth = self.azimuth
        eye = far * numpy.array([math.cos(tilt) * math.cos(azimuth), math.cos(tilt) * math.sin(azimuth), math.sin(tilt)])
        self.T_camera = look_at(eye, numpy.array([0, 0, 0.03]) + rng.normal(0, 0.03, 3)), eye
        self.pose_std = log_uniform(rng, 0.001, 0.02), math.radians(log_uniform(rng, 0.1, 2))
        self.T_stated = (turned(rng.normal(0, self.pose_std[1], 3)) @ self.T_camera[0],
                         self.T_camera[1] + rng.normal(0, self.pose_std[0], 3))

    def draw_lens(self):
        rng, (width, height) = self.rng, SIZE_PX
        f = width / 2 / math.tan(math.radians(rng.uniform(54, 60)) / 2)
        self.K = numpy.array([f, f, (width - 1) / 2, (height - 1) / 2, rng.uniform(-0.12, 0), rng.uniform(0, 0.06)])
        share = log_uniform(rng, 0.2, 3)
        std = share * numpy.array([3, 3, 1.5, 1.5, 0.006, 0.012])
        correlation = numpy.eye(6)
        correlation[0, 1] = correlation[1, 0] = 0.95
        correlation[4, 5] = correlation[5, 4] = -0.8
        self.K_cov = correlation * numpy.outer(std, std)
        known = self.lens == "known"
        self.K_stated = self.K if known else rng.multivariate_normal(self.K, self.K_cov)

    def draw_map(self):
        rng, exact = self.rng, self.pose != "surveyed map"
        self.map_std = (0, 0) if exact else (log_uniform(rng, 0.0005, 0.01), math.radians(log_uniform(rng, 0.1, 1.5)))
        turn = rng.uniform(0, 2 * math.pi)
        for i in MAPPED:
            angle = turn + 2 * math.pi * (i + rng.uniform(-0.2, 0.2)) / len(MAPPED)
            place = 0.36 * numpy.array([math.cos(angle), math.sin(angle), 0])
            R = about_z(rng.uniform(0, 2 * math.pi))
            self.taken.append((*place[:2], 0.065))
            self.mapped_true.append((i, 0.08, R, place))
            self.mapped_stated.append((i, 0.08, turned(rng.normal(0, self.map_std[1], 3)) @ R,
                                       place + rng.normal(0, self.map_std[0], 3)))

    def free_place(self, radius, reach=0.29):
        """A random place on the table that is still free; None if there is hardly any."""
        for _ in range(2000):
            place = self.rng.uniform(-reach, reach, 2)
            if math.hypot(*place) < reach and all(math.dist(place, t[:2]) > radius + t[2] for t in self.taken):
                self.taken.append((*place, radius))
                return place
        return None

    def draw_things(self):
        for name, colour in BALLS:
            self.add_ball(name, colour)
        self.add_carried("duck", "rubber duck", numpy.array([0.079, 0.064, 0.071]), self.sees("cone", [0.03, 0, 0.03]))
        self.add_carried("dog", "dog", numpy.array([0.14, 0.0404, 0.1027]), self.sees("frustum", [0.06, 0, 0.04]))
        self.add_surveyed("car", "car", numpy.array([0.12, 0.052, 0.0379]), "front", self.sees("cone", [0.02, 0, 0.019]))
        self.add_surveyed("mug", "mug", numpy.array([0.0633, 0.09, 0.0725]), "yaw", ", color: \"#d8d8d0\"")
        self.add_surveyed("screen", "wardrobe", numpy.array([0.03, 0.13, 0.12]), "yaw")
        self.add_pedestal()
        self.add_person("anna", "woman", ", addressee: true")
        self.add_person("tom", "man")
        self.add_moon()

    def sees(self, shape, eye):
        return (f", sees: {{shape: {shape}, horizontal_deg: {self.rng.uniform(30, 90):.2f}, vertical_deg: {self.rng.uniform(50, 80):.2f}, "
                f"eye_m: {flow(eye)}}}")

    def add_ball(self, name, colour):
        rng, radius = self.rng, self.rng.uniform(0.022, 0.035)
        radius_std = radius * log_uniform(rng, 0.001, 0.02)
        true_radius, lying = radius + rng.normal(0, radius_std), rng.random() < 0.5
        place = self.free_place(radius + 0.005) if lying else rng.uniform(-0.2, 0.2, 2)
        if place is None:
            return
        height_std = log_uniform(rng, 0.0003, 0.006)
        stated = radius + 0.02 if lying else rng.uniform(0.16, 0.26)  # 2 cm above the table, on nothing
        height = stated + rng.normal(0, height_std) if lying else stated
        self.world_things.append(f"{{id: {name}, class: basketball, color: \"{colour}\", size_m: {2 * true_radius:.6f}, "
                                 f"position_m: {flow([*place, height])}}}")
        how = f"center_height_m: {stated:.6f}, center_height_std_m: {height_std:.6f}" if lying else "in_the_air: true"
        self.cast.append(f"{{id: {name}, class: ball, found_by: ball, ball: {{color: \"{colour}\", radius_m: {radius:.6f}, "
                         f"radius_std_m: {radius_std:.8f}, edge_std_share: {EDGE_STD_SHARE}, {how}}}}}")

    def add_body(self, name, kind, size, place, yaw, more=""):
        front = "yaw_deg" if kind in ("mug", "wardrobe", "box") else "front_deg"
        self.world_things.append(f"{{id: {name}, class: {kind}, size_m: {flow(size)}, position_m: {flow(place)}, "
                                 f"{front}: {math.degrees(math.remainder(yaw, 2 * math.pi)):.6f}{more}}}")
        return f"body: bodies/simulated_{len(self.world_things) - 1:04d}.obj, size_m: {flow(size)}"

    def add_carried(self, name, kind, size, sees):
        """A thing with a tag on a boom, which points toward the camera."""
        rng, edge = self.rng, 0.05
        radius = math.hypot(*size[:2]) / 2 + 0.005
        for _ in range(100):
            place, yaw, turn = rng.uniform(-0.27, 0.27, 2), rng.uniform(-math.pi, math.pi), rng.uniform(-math.pi, math.pi)
            boom, at = rng.uniform(radius + 0.04, radius + 0.1), self.azimuth + rng.uniform(-1.2, 1.2)
            tag = place + boom * numpy.array([math.cos(at), math.sin(at)])
            if all(math.dist(p, t[:2]) > r + t[2] for p, r in ((place, radius), (tag, 0.042)) for t in self.taken):
                break
        else:
            return
        self.taken += [(*place, radius), (*tag, 0.042)]
        R_tag, centre = about_z(turn), numpy.array([*place, size[2] / 2])
        self.carried.append((CARRIED[name], edge, R_tag, numpy.array([*tag, 0])))
        known = self.add_body(name, kind, size, centre, yaw, sees)
        centre_tag, R = R_tag.T @ (centre - [*tag, 0]), R_tag.T @ about_z(yaw)
        self.cast.append(f"{{id: {name}, class: {kind}, found_by: tag, {known}{sees}, tag: {{id: {CARRIED[name]}, edge_m: {edge}, "
                         f"has_front: true, center_m: {flow(centre_tag)}, rotation: {flow(R)}}}}}")

    def add_surveyed(self, name, kind, size, front, more=""):
        rng, std = self.rng, self.survey_std
        stated = self.free_place(math.hypot(*size[:2]) / 2 + 2.5 * std)  # so that bodies do not meet
        if stated is None:
            return
        yaw, front_std = rng.uniform(-math.pi, math.pi), log_uniform(rng, 0.5, 40)
        true_yaw = yaw + (rng.vonmises(0, kappa_of(math.radians(front_std))) if front == "front" else 0)
        place = [*(stated + rng.normal(0, std, 2)), size[2] / 2]
        known = self.add_body(name, kind, size, place, true_yaw, more) + (more if "sees" in more else "")
        how = f"front_std_deg: {front_std:.6f}, front_deg" if front == "front" else "yaw_deg"
        self.cast.append(f"{{id: {name}, class: {kind}, found_by: survey, {known}, position_m: {flow([*stated, size[2] / 2])}, "
                         f"position_std_m: [{std}, {std}, 0], {how}: {math.degrees(yaw):.6f}}}")

    def add_person(self, name, kind, more=""):
        """A viewer at the table's edge, who looks at its middle or past it."""
        rng, std, size = self.rng, self.survey_std, numpy.array([0.0714, 0.0821, 0.3])
        while True:
            at = rng.uniform(-math.pi, math.pi)
            stated = rng.uniform(0.45, 0.6) * numpy.array([math.cos(at), math.sin(at)])
            if all(math.dist(stated, t[:2]) > 0.06 + t[2] for t in self.taken):
                break
        self.taken.append((*stated, 0.06 + 2.5 * std))
        yaw, front_std = at + math.pi + rng.uniform(-0.7, 0.7), log_uniform(rng, 1, 30)
        sees = more + self.sees("cone", [0.02, 0, 0.05])
        true_yaw = yaw + rng.vonmises(0, kappa_of(math.radians(front_std)))
        known = self.add_body(name, kind, size, [*(stated + rng.normal(0, std, 2)), 0.15], true_yaw, sees)
        self.cast.append(f"{{id: {name}, class: {kind}, found_by: survey, {known}{sees}, position_m: {flow([*stated, 0.15])}, "
                         f"position_std_m: [{std}, {std}, 0], front_std_deg: {front_std:.6f}, "
                         f"front_deg: {math.degrees(math.remainder(yaw, 2 * math.pi)):.6f}}}")

    def add_pedestal(self):
        """A box, and a ball that may stand on it or be just beside it, as high as if it stood."""
        rng, std, radius = self.rng, self.survey_std, 0.02
        size, yaw = numpy.array([0.11, 0.08, 0.04]), rng.uniform(-math.pi, math.pi)
        stated = self.free_place(math.hypot(*size[:2]) / 2 + 2.5 * std)
        if stated is None:
            return
        known = self.add_body("box", "box", size, [*(stated + rng.normal(0, std, 2)), size[2] / 2], yaw)
        self.cast.append(f"{{id: box, class: box, found_by: survey, {known}, position_m: {flow([*stated, size[2] / 2])}, "
                         f"position_std_m: [{std}, {std}, 0], yaw_deg: {math.degrees(yaw):.6f}}}")
        at = about_z(yaw)[:2, :2] @ (rng.uniform(-0.65, 0.65, 2) * size[:2]) + stated
        height = size[2] + radius
        self.world_things.append(f"{{id: apple, class: basketball, color: \"#b0b0a8\", size_m: {2 * radius}, "
                                 f"position_m: {flow([*(at + rng.normal(0, std, 2)), height])}}}")
        self.cast.append(f"{{id: apple, class: ball, shape: sphere, size_m: {flow([2 * radius] * 3)}, found_by: survey, "
                         f"position_m: {flow([*at, height])}, position_std_m: [{std}, {std}, 0]}}")

    def add_moon(self):
        """A ball in the air, surveyed with correlated errors in all directions."""
        rng, radius = self.rng, 0.03
        A = rng.normal(0, self.survey_std / 1.7, (3, 3))
        cov = A @ A.T
        stated = numpy.array([*rng.uniform(-0.25, 0.25, 2), 0.2])
        place = rng.multivariate_normal(stated, cov)
        self.world_things.append(f"{{id: moon, class: basketball, color: \"#909090\", size_m: {2 * radius}, position_m: {flow(place)}}}")
        self.cast.append(f"{{id: moon, class: ball, shape: sphere, size_m: {flow([2 * radius] * 3)}, found_by: survey, "
                         f"position_m: {flow(stated)}, position_cov_m2: {flow(cov)}}}")

    # ---- files ----

    def write(self, folder):
        rng = self.rng
        folder.mkdir(parents=True, exist_ok=True)
        R, t = self.T_camera
        exposure = rng.uniform(0.03, 0.12)
        sensor = f"{{preset: {self.sensor}" + ("}" if self.sensor == "clean" else f", exposure: {exposure:.4f}, gain: {0.8 / exposure:.4f}}}")
        (folder / "true_camera.yaml").write_text(camera_text(self.K))
        (folder / "true_tags.yaml").write_text(map_text([*self.mapped_true, *self.carried], (0, 0)))
        (folder / "world.yaml").write_text(
            f"camera: {{calibration: true_camera.yaml, position_m: {flow(t)}, rotation: {flow(R)}}}\n"
            f"surface: {{size_m: [1.6, 1.6], color: \"#c9a678\"}}\nlighting: {{lamp_radius_m: 0}}\nsensor: {sensor}\n"
            f"tags: {{map: true_tags.yaml}}\nseed: {self.seed}\nthings:\n" + "".join(f"  - {thing}\n" for thing in self.world_things))

    def write_station(self, folder):
        """Replaces the station that the simulator wrote."""
        R, t = self.T_stated
        (folder / "camera.yaml").write_text(camera_text(self.K_stated, None if self.lens == "known" else self.K_cov))
        (folder / "tags.yaml").write_text(map_text(self.mapped_stated, self.map_std))
        pose = (f", pose: {{position_m: {flow(t)}, rotation: {flow(R)}, position_std_m: {self.pose_std[0]}, "
                f"rotation_std_deg: {math.degrees(self.pose_std[1])}}}" if self.pose == "given" else "")
        tags = "corner_std_px: 0.02" + ("" if self.pose == "given" else ", map: tags.yaml")
        (folder / "station.yaml").write_text(
            f"camera: {{source: folder, folder: {{path: images}}, calibration: camera.yaml{pose}}}\ntags: {{{tags}}}\n"
            f"north_deg: {self.north:.4f}\ncast:\n" + "".join(f"  - {member}\n" for member in self.cast))


def camera_text(K, cov=None):
    fx, fy, cx, cy, k1, k2 = K
    text = (f"image_width: {SIZE_PX[0]}\nimage_height: {SIZE_PX[1]}\ncamera_name: simulated\n"
            f"camera_matrix: {{rows: 3, cols: 3, data: {flow([fx, 0, cx, 0, fy, cy, 0, 0, 1])}}}\ndistortion_model: plumb_bob\n"
            f"distortion_coefficients: {{rows: 1, cols: 5, data: {flow([k1, k2, 0, 0, 0])}}}\n")
    if cov is not None:
        text += f"calibration: {{covariance: {{rows: 6, cols: 6, data: {flow(cov.flatten())}}}}}\n"
    return text


def map_text(tags, std):
    noise = f", position_std_m: {std[0]}, rotation_std_deg: {math.degrees(std[1])}" if std[0] else ""
    return "family: tag36h11\ntags:\n" + "".join(
        f"  - {{id: {i}, edge_m: {edge}, position_m: {flow(t)}, rotation: {flow(R)}{noise}}}\n" for i, edge, R, t in tags)


# ---- judged -----------------------------------------------------------------------------------------------------------

def run(pov, *arguments):
    done = subprocess.run([pov, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"pov {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def one_of_each(judgments, rng):
    """One of each group of judgments that are true or false together, at random."""
    groups = collections.defaultdict(list)
    for judgment in judgments:
        pair = judgment["referent"], judgment["relatum"]
        if judgment["perspective"] != "intrinsic":
            pair = tuple(sorted(pair))
        side = judgment["relation"] in LEFT_OR_RIGHT
        groups[pair, judgment["perspective"], judgment["viewer"], judgment["axis"], side].append(judgment)
    return [rng.choice(group) for group in groups.values()]


def measure(pov, seed, folder):
    """Renders and judges one image. Returns (P, whether true) of its judgments, and of its sights."""
    layout, out = Layout(seed), folder / "out"
    layout.write(folder)
    run(pov, "sim", folder / "world.yaml", "--bodies", "own", "--out", out, "--threads", 1, "--quiet")
    layout.write_station(out)
    said = json.loads(run(pov, "run", out / "station.yaml", "--json", "--no-publish", "--quiet"))
    true = json.loads((out / "truth.jsonl").read_text())
    shutil.rmtree(folder)
    entities = {e["id"]: e for e in true["scene"]["entities"]}
    shares = {(v["viewer"], v["target"]): v["fraction_visible"] for v in true["visibility"]}
    judgments = one_of_each([j for j in said["judgments"] if is_counted(j, entities)], random.Random(seed))
    all_placed = all(e["pos_m"] for e in said["scene"]["entities"])  # else the missing one may hide anything
    sights = [v for v in said["visibility"] if all_placed and v["p"] is not None and (v["viewer"], v["target"]) in shares]
    return ([(j["p"], holds(j, entities, math.radians(layout.north))) for j in judgments],
            [(v["p"], is_seen(shares[v["viewer"], v["target"]], v["size_deg"])) for v in sights])


class Reliability:
    """Of each image, by tenths of P: the count, the sum of P, and how many are true."""

    def __init__(self):
        self.images = []
        self.sure = self.sure_wrong = self.sure_expected = 0

    def add(self, pairs):
        sums = numpy.zeros((3, TENTHS))
        for p, true in pairs:
            if p < SURE or p > 1 - SURE:
                self.sure += 1
                self.sure_wrong += true != (p > 0.5)
                self.sure_expected += min(p, 1 - p)
            else:
                sums[:, min(TENTHS - 1, int(p * TENTHS))] += 1, p, true
        self.images.append(sums)

    def counts(self):
        return sum(self.images)[0] if self.images else numpy.zeros(TENTHS)

    def tenths(self):
        """Rows: the count, the mean of P, the share that is true, and its 95 % interval by the bootstrap."""
        sums = numpy.array(self.images)
        rng = numpy.random.default_rng(1)
        drawn = rng.multinomial(len(sums), numpy.full(len(sums), 1 / len(sums)), RESAMPLES)
        resampled = numpy.tensordot(drawn, sums, 1)
        with numpy.errstate(invalid="ignore", divide="ignore"):
            total = sums.sum(axis=0)
            p, share = total[1] / total[0], total[2] / total[0]
            off = (resampled[:, 2] - resampled[:, 1]) / resampled[:, 0]
        low, high = numpy.nanquantile(off, (0.025, 0.975), axis=0)
        return numpy.column_stack([total[0], p, share, numpy.clip(p + low, 0, 1), numpy.clip(p + high, 0, 1)])


def gather(args, folder, tell):
    """Adds images until each tenth holds enough. Returns the Reliability of judgments and of sights."""
    judgments, sights = Reliability(), Reliability()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        seed, waiting = args.first, collections.deque()
        while True:
            enough = min(judgments.counts()) >= args.judgments and min(sights.counts()) >= args.sights
            if enough or len(judgments.images) >= args.boundaries:
                break
            while len(waiting) < 2 * args.jobs:
                waiting.append(pool.submit(measure, args.pov, seed, folder / str(seed)))
                seed += 1
            said = waiting.popleft().result()
            judgments.add(said[0])
            sights.add(said[1])
            tell(f"near boundaries: image {len(judgments.images)}, {min(judgments.counts()):.0f} judgments and "
                 f"{min(sights.counts()):.0f} sights in the rarest tenth")
        for rest in waiting:
            rest.cancel()
    return judgments, sights


def print_tenths(name, reliability):
    print(f"\n{name}, {len(reliability.images)} images: how many have such a P, and the share of them that is true")
    print(f"{'P':12}{'how many':>10}{'mean P':>9}{'true':>9}{'off':>9}   95 % interval")
    for i, (count, p, share, low, high) in enumerate(reliability.tenths()):
        print(f"{i / TENTHS:.1f} .. {(i + 1) / TENTHS:.1f}  {count:10.0f}{p:9.3f}{share:9.3f}{share - p:+9.3f}   "
              f"{low:.3f} .. {high:.3f}{'' if abs(share - p) <= TOLERANCE else f'   off by more than {TOLERANCE}'}")
    print(f"P below {SURE} or above {1 - SURE}: {reliability.sure}; wrong: {reliability.sure_wrong}, "
          f"{reliability.sure_expected:.1f} expected")
