#!/usr/bin/python3
"""Every field of pov.proto, found by walking its descriptor: given a value of its own, it comes back from the message encoded anew, stands
in the line of JSON, and, through a recording, in the exported tables, unless it is listed here as left out."""
import csv
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import unittest

POV, SOURCE = os.environ["POV"], os.environ["POV_SOURCE"]
ECHO = os.path.join(os.path.dirname(POV), "tests", "pov_message_echo")

# On the wire only: for readers that need joint covariances. cov_m2 stands in JSON as pos_cov_m2.
NOT_IN_JSON = {"Scene.camera_pose_cov", "Position.own_cov_m2", "Position.per_camera_pose", "Entity.heading_per_camera_pose",
               "Entity.heading_with_position", "Tag.map_corner_m"}
# docs/PANDAS.md: tables for a first look. The rest is in JSON.
NOT_IN_TABLES = NOT_IN_JSON | {
    "ImageHeader.calibration_hash", "ImageHeader.camera", "ImageHeader.pose_candidates", "PoseCandidate.probability", "Pose.R", "Pose.cov",
    "Observation.judgments_truncated", "Observation.tags_truncated", "Observation.visibility_truncated",
    "Observation.relations_truncated", "Observation.directions_truncated", "Observation.views_truncated",
    "Tag.family", "Tag.id", "Tag.corner_px", "Tag.corner_std_px", "Tag.bits_corrected", "Tag.decision_margin", "Tag.fate",
    "Tag.residual_px", "Turntable.angle_rad", "Turntable.angle_std_rad", "Turntable.tags", "LensHealth.zoom", "LensHealth.zoom_std",
    "LensHealth.misfit", "LensHealth.stale", "Scene.camera", "Scene.north_yaw_rad", "Entity.R_table_box", "Entity.look_age_s",
    "Entity.about", "HeadingMode.weight", "Velocity.linear_cov", "Velocity.turn_rate_rad_s", "Velocity.turn_rate_std_rad_s",
    "Track.motion", "Track.other_p",
    "FieldOfView.shape", "FieldOfView.half_horizontal_rad", "FieldOfView.half_vertical_rad", "FieldOfView.near_m", "FieldOfView.far_m",
    "FieldOfView.eye_m", "Judgment.flip_angle_rad", "Judgment.flip_distance_m", "Judgment.containment",
    "Judgment.p_internal", "Judgment.doubt", "Visibility.fraction_expected", "Visibility.fraction_out_of_view",
    "Visibility.fraction_out_of_range", "Visibility.size_rad", "Occluder.entity", "Occluder.share", "Direction.viewer",
    "Direction.target", "Direction.bearing_rad", "Direction.side", "Direction.p_sides", "Direction.quarter", "Direction.p_quarters",
    "Direction.verdict", "View.viewer", "Place.entity", "Place.bearing_rad", "Place.distance_m", "Place.p_swapped", "Place.uncertain"}
COUNTS = {"corner_px": 8, "R": 9, "t_m": 3, "cov": 36, "camera_pose_cov": 36, "size_m": 3, "R_table_box": 9, "heading_per_camera_pose": 6,
          "heading_with_position": 3, "linear_m_s": 3, "linear_cov": 9, "mean_m": 3, "cov_m2": 9, "own_cov_m2": 9, "per_camera_pose": 18, "far_m": 1, "eye_m": 3,
          "p_sides": 8, "p_quarters": 4, "map_corner_m": 12}
COVARIANCES = {"cov", "camera_pose_cov", "own_cov_m2", "linear_cov"}
ROTATIONS = {"R", "R_table_box"}


def load_schema(folder):
    subprocess.run(["protoc", f"--python_out={folder}", "-I", f"{SOURCE}/protocol", f"{SOURCE}/protocol/pov.proto"], check=True)
    sys.path.insert(0, folder)
    import pov_pb2
    return pov_pb2


class Maker:
    """Messages whose numbers are all different and within 0 to 1, which suits every field's range."""

    def __init__(self, schema, variant):
        self.schema, self.variant, self.numbers, self.wholes = schema, variant, 0, 0
        self.given = {}  # "Message.field": the values that it got

    def number(self):
        self.numbers += 1
        return (self.numbers * 0.6180339887498949 % 1) * 0.8 + 0.1  # the golden ratio: never twice the same

    def whole(self):
        self.wholes += 1
        return 1000 + 7 * self.wholes

    def covariance(self, size):
        spread = [self.number() for _ in range(size)]
        rows = [[(spread[i] * spread[j] * (0.01 + 1e-4 * (i + j)) if i != j else spread[i] ** 2) for j in range(size)] for i in range(size)]
        return [value for row in rows for value in row]

    def rotation(self):
        a, b, c = self.number(), self.number(), self.number()
        sa, ca, sb, cb, sc, cc = math.sin(a), math.cos(a), math.sin(b), math.cos(b), math.sin(c), math.cos(c)
        return [cb * cc, sa * sb * cc - ca * sc, ca * sb * cc + sa * sc, cb * sc, sa * sb * sc + ca * cc, ca * sb * sc - sa * cc,
                -sb, sa * cb, ca * cb]

    def row(self, name):
        if name in COVARIANCES:
            return self.covariance(math.isqrt(COUNTS[name]))
        if name in ROTATIONS:
            return self.rotation()
        return [self.number() for _ in range(COUNTS[name])]

    def choice(self, field):
        values = [value.number for value in field.enum_type.values if value.number > 0]
        return values[self.variant % len(values)]

    def value(self, field):
        kind = field.type
        if kind == field.TYPE_DOUBLE:
            return self.number()
        if kind == field.TYPE_BOOL:
            return True
        if kind == field.TYPE_ENUM:
            return self.choice(field)
        if kind == field.TYPE_STRING:
            return f"{field.name[:8]} {self.whole()}"
        return self.whole()

    def fill(self, message):
        for field in message.DESCRIPTOR.fields:
            full = f"{message.DESCRIPTOR.name}.{field.name}"
            repeated = field.label == field.LABEL_REPEATED
            if field.name == "relation_names":
                message.relation_names.extend(["left_of", "next_to"])
                continue
            if field.message_type:
                target = getattr(message, field.name)
                for item in [target.add() for _ in range(2)] if repeated else [target]:
                    item.SetInParent()
                    self.fill(item)
                continue
            if field.name == "relata":
                continue
            value = self.row(field.name) if repeated else self.value(field)
            if repeated:
                getattr(message, field.name).extend(value)
            else:
                setattr(message, field.name, value)
            self.given.setdefault(full, []).append(value)
        getattr(self, "settle_" + message.DESCRIPTOR.name, lambda m: None)(message)

    def keep(self, message, name, value):
        """The field's value is bound by others; it replaces the one given last."""
        field = message.DESCRIPTOR.fields_by_name[name]
        if field.label == field.LABEL_REPEATED:
            del getattr(message, name)[:]
            getattr(message, name).extend(value)
        else:
            setattr(message, name, value)
        self.given[f"{message.DESCRIPTOR.name}.{name}"][-1] = value

    def settle_Entity(self, entity):
        first = self.number()
        for modes in entity.heading, entity.head_heading, entity.pointing:
            for mode, weight in zip(modes, (first, 1 - first)):
                mode.weight = weight
        self.given["HeadingMode.weight"][-6:] = 3 * [first, 1 - first]

    def settle_Scene(self, scene):
        self.keep(scene, "camera", 0)
        pose = [scene.camera_pose_cov[6 * i:6 * i + 6] for i in range(6)]
        for k, entity in enumerate(scene.entities):
            tie = [entity.position.per_camera_pose[6 * i:6 * i + 6] for i in range(3)]
            shared = [sum(tie[i][a] * pose[a][b] * tie[j][b] for a in range(6) for b in range(6)) for i in range(3) for j in range(3)]
            total = [own + part for own, part in zip(entity.position.own_cov_m2, shared)]
            del entity.position.cov_m2[:]
            entity.position.cov_m2.extend(total)
            self.given["Position.cov_m2"][k] = total

    def entity(self, message, name, index):
        self.keep(message, name, index)

    def settle_Judgment(self, judgment):
        index = len(self.given["Judgment.relation"]) - 1  # the first is a direction, the second is not
        self.keep(judgment, "relation", index)
        judgment.relata.extend([1])
        for name in ("referent", "viewer"):
            self.keep(judgment, name, 0)
        self.keep(judgment, "flip_angle_rad", math.pi / 2 - judgment.theta_rad)
        if judgment.doubt > 2:
            self.keep(judgment, "doubt", 2)
        if index == 1:  # only directions have these
            for name in ("acceptance", "theta_rad", "theta_std_rad", "flip_angle_rad", "flip_distance_m", "containment", "p_internal"):
                judgment.ClearField(name)
                self.given[f"Judgment.{name}"].pop()
            judgment.ClearField("doubt")
            self.given["Judgment.doubt"].pop()

    def settle_FieldOfView(self, field):
        self.keep(field, "far_m", [field.near_m + 1 + self.number()])

    def settle_Visibility(self, sight):
        self.entity(sight, "viewer", 0)
        self.entity(sight, "target", 1)

    def settle_Occluder(self, occluder):
        self.entity(occluder, "entity", 1)

    def settle_Direction(self, direction):
        self.entity(direction, "viewer", 0)
        self.entity(direction, "target", 1)

    def settle_View(self, view):
        self.entity(view, "viewer", 0)

    def settle_Place(self, place):
        self.entity(place, "entity", 1)

    def settle_Turntable(self, turntable):
        self.keep(turntable, "tags", 3 + self.variant)


def echo(messages, recording):
    data = b"".join(struct.pack("<I", len(m)) + m for m in messages)
    done = subprocess.run([ECHO, recording], input=data, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().splitlines()


def leaves(value, found):
    """All texts, numbers and flags in a tree of JSON."""
    if isinstance(value, dict):
        for part in value.values():
            leaves(part, found)
    elif isinstance(value, list):
        for part in value:
            leaves(part, found)
    else:
        found.append(value)
    return found


def plain(text):
    return text.lower().replace("_", "").replace("-", "")


def word(enum, number):
    """A value of an enum as JSON spells it, but for case and hyphens: TAG_FAMILY_36H11 is tag36h11."""
    name = enum.values_by_number[number].name
    prefix = "".join("_" + c if c.isupper() else c.upper() for c in enum.name).lstrip("_") + "_"
    return plain(("tag" if enum.name == "TagFamily" else "") + name[len(prefix):])


class Fields(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.room = tempfile.TemporaryDirectory()
        cls.schema = load_schema(cls.room.name)
        cls.makers, cls.messages = [], []
        for variant in range(11):  # the enum with the most values has eleven
            maker = Maker(cls.schema, variant)
            envelope = cls.schema.Envelope(schema_version=2, program_version="x")
            maker.fill(envelope.observation)
            cls.makers.append(maker)
            cls.messages.append(envelope)
        cls.recording = os.path.join(cls.room.name, "fields.mcap")
        cls.lines = echo([m.SerializeToString() for m in cls.messages], cls.recording)

    @classmethod
    def tearDownClass(cls):
        cls.room.cleanup()

    def test_every_field_comes_back_from_the_message_encoded_anew(self):
        for k, sent in enumerate(self.messages):
            line = self.lines[2 * k]
            self.assertFalse(line.startswith("refused"), line)
            back = self.schema.Envelope.FromString(bytes.fromhex(line))
            for message in (sent, back):
                for judgment in message.observation.judgments:  # computed anew: the last digit may differ
                    judgment.flip_angle_rad = round(judgment.flip_angle_rad, 12)
                for entity in message.observation.scene.entities:
                    entity.position.cov_m2[:] = [round(v, 12) for v in entity.position.cov_m2]
            self.assertEqual(sent.observation, back.observation)

    def assert_found(self, found, left_out):
        """Each value that a field got is among those found, its enums by their names, its angles in degrees, too."""
        numbers = [v for v in found if isinstance(v, (int, float)) and not isinstance(v, bool)]
        texts = {v for v in found if isinstance(v, str)}
        names = {plain(text) for text in texts}
        near = {round(v, 9) for v in numbers} | {round(v, 7) for v in numbers}
        missing = set()
        for message in self.schema.DESCRIPTOR.message_types_by_name.values():
            for field in message.fields:
                full = f"{message.name}.{field.name}"
                for maker in self.makers[:1] if left_out is not NOT_IN_JSON else self.makers:
                    for given in maker.given.get(full, []):
                        for value in given if isinstance(given, list) else [given]:
                            if field.type == field.TYPE_ENUM:
                                if value == 1 and field.name == "convention" or value == 9 and "side" in full.lower() or \
                                        value == 9 and field.name == "quarter":
                                    continue  # null in JSON: no convention, no side
                                there = word(field.enum_type, value) in names
                            elif field.type == field.TYPE_STRING:
                                there = value in texts
                            elif field.type == field.TYPE_DOUBLE:
                                there = round(value, 9) in near or round(math.degrees(value), 7) in near
                            elif field.type == field.TYPE_BOOL:
                                there = True in found
                            else:
                                there = value in numbers or format(value, "016x") in texts or field.name in (
                                    "camera", "viewer", "target", "entity", "referent", "relation")  # ids and names in JSON
                            if not there:
                                missing.add(full)
        return missing

    def test_every_field_stands_in_json_or_is_listed_as_left_out(self):
        found = []
        for k in range(len(self.messages)):
            leaves(json.loads(self.lines[2 * k + 1]), found)
        self.assertEqual(self.assert_found(found, NOT_IN_JSON), NOT_IN_JSON)

    def test_every_field_of_health_and_comparison_comes_back_and_stands_in_json(self):
        for part in "health", "comparison":
            maker = Maker(self.schema, 4)  # agreement: yes; unknown is null
            envelope = self.schema.Envelope(schema_version=2, program_version="x")
            maker.fill(getattr(envelope, part))
            lines = echo([envelope.SerializeToString()], os.path.join(self.room.name, part + ".mcap"))
            self.assertEqual(getattr(self.schema.Envelope.FromString(bytes.fromhex(lines[0])), part), getattr(envelope, part))
            found = leaves(json.loads(lines[1]), [])
            numbers = {round(v, 9) for v in found if isinstance(v, (int, float))}
            names = {plain(v) for v in found if isinstance(v, str)}
            for full, values in maker.given.items():
                enum = getattr(self.schema, full.split(".")[0]).DESCRIPTOR.fields_by_name[full.split(".")[1]].enum_type
                for value in values:
                    if enum:
                        self.assertIn(word(enum, value), names, full)
                    elif isinstance(value, str):
                        self.assertIn(plain(value), names, full)
                    elif isinstance(value, float):
                        self.assertTrue(round(value, 9) in numbers or round(math.degrees(value), 9) in numbers, full)
                    else:
                        self.assertIn(value, numbers, full)

    def test_unknown_fields_of_newer_publishers_are_ignored(self):
        data = self.messages[0].SerializeToString() + bytes([0xA2, 0x06, 1, 0])  # field 100: one byte
        lines = echo([data], os.path.join(self.room.name, "newer.mcap"))
        self.assertEqual(lines[1], self.lines[1])

    def test_tables_have_each_field_but_those_listed(self):
        folder = os.path.join(self.room.name, "tables")
        subprocess.run([POV, "export", self.recording, "--csv", folder], check=True, stdout=subprocess.DEVNULL)
        found = []
        for name in ("images", "entities", "judgments", "visibility"):
            with open(os.path.join(folder, name + ".csv"), newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    for text in row.values():
                        found += [text, {"true": True}.get(text)]
                        try:
                            found.append(float(text) if any(c in text for c in ".e") else int(text))
                        except ValueError:
                            pass
        missing = self.assert_found(found, NOT_IN_TABLES)
        # As deviations, a speed, the heaviest front, the camera's place but not those of other poses that fit the tags.
        derived = {"Position.cov_m2", "Velocity.linear_m_s", "HeadingMode.yaw_rad", "HeadingMode.kappa", "Pose.t_m"}
        self.assertEqual(missing - derived - NOT_IN_TABLES, set())


if __name__ == "__main__":
    unittest.main()
