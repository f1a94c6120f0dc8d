"""Scenes: who is where, which relations hold in whose frame of reference, and who sees whom.

Positions are metres in the table frame (right-handed, z up). Angles in arrays are radians, counter-clockwise seen from above, 0 along the
table's +x; names end in their unit. Keys of entities are those of scene files (docs/SCENE.md), whose angles are degrees.
"""
from __future__ import annotations

import functools
import itertools
import json
import math
import os
import threading
import weakref
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _native
from ._native import NAMES, OK, UNDEFINED, Array, call, ffi, lib, link

_LISTS: "weakref.WeakKeyDictionary[Any, Any]" = weakref.WeakKeyDictionary()  # what structs of the library point to
Relata = Union[str, Sequence[str]]
Pair = Tuple[str, Relata]


class Relation(NamedTuple):
    """An entry of the registry of relations (docs/RELATIONS.md)."""

    name: str
    definition: str
    category: str
    frame: str  #: what it needs besides the boxes: "none", "axes", "north" or "viewer"
    relata_min: int
    direction: bool  #: it has an angle: left_of, ..., west_of


def relations() -> List[Relation]:
    """Every relation that can be judged."""
    entry = ffi.new("pov_relation_entry *")
    listed: List[Relation] = []
    while call(lib.pov_relation_at, entry, len(listed)) == OK:
        name, definition, category, frame = (_native.text(value) for value in (entry.name, entry.definition, entry.category, entry.frame))
        listed.append(Relation(name, definition, category, frame, entry.relata_min, bool(entry.is_direction)))
    return listed


REGISTRY = relations()


def _relation_of(argument: str, name: str) -> int:
    found = lib.pov_relation_find(str(name).encode())
    if found < 0:
        raise ValueError(f"{argument}: there is no relation {name!r}; did you mean {REGISTRY[-1 - found].name!r}?")
    return int(found)


class Belief(NamedTuple):
    """The answer to one query. NaN: it has none, and the verdict is "undefined"."""

    p: float  #: probability that the relation holds, under the errors of places and fronts
    p_std: float  #: standard deviation of the truth value over the errors
    verdict: str  #: "true", "false", "abstain" or "undefined"
    theta_rad: float  #: of a direction: signed angle from it to the one from relatum to referent, counter-clockwise from above
    theta_std_rad: float
    flip_distance_m: float  #: how far the referent must move on the ground to reach the boundary


class _Records:
    """NumPy records, and the ids of the entities that they number."""

    def __init__(self, array: Array, ids: Sequence[str]) -> None:
        self.array = array  #: one record each; of a batch one row a scene
        self.ids = list(ids)  #: of the scene's entities, in its order

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, key: Any) -> Any:
        """A column by its name, or the records that an index or a mask selects."""
        return self.array[key] if isinstance(key, str) else type(self)(np.atleast_1d(self.array[key]), self.ids)

    def names(self, field: str) -> Array:
        """A column of numbers that stand for names, as names; None: none."""
        table: List[Optional[str]] = list(NAMES.get(field, self.ids))
        words: Array = np.array([*table, None], dtype=np.object_)
        return words[np.where(self.array[field] < len(table), self.array[field], -1)]

    def to_dicts(self) -> List[Dict[str, Any]]:
        """A dictionary each, with the names of docs/JSON.md."""
        raise NotImplementedError

    def to_frame(self) -> Any:
        """A pandas.DataFrame with the columns of `to_dicts`; needs pandas."""
        import pandas

        return pandas.DataFrame(self.to_dicts())


def _number(value: Any) -> Optional[float]:
    return float(value) if math.isfinite(value) else None


class Judgments(_Records):
    """Judgments; columns `p`, `p_std`, `theta_rad`, `theta_std_rad`, `flip_distance_m`, `p_internal` (NaN: none), and, as numbers that
    `names` turns into words, `relation`, `referent`, `viewer`, `relata`, `perspective`, `convention`, `axis`, `acceptance`,
    `containment`, `doubt`, `verdict`."""

    def where(self, **wanted: str) -> "Judgments":
        """Those whose columns have these names: where(relation="left_of", perspective="egocentric", convention="reflected").
        `relatum` is the first of the relata."""
        kept = np.ones(self.array.shape, bool)
        for field, name in wanted.items():
            numbers = self.array["relata"][..., 0] if field == "relatum" else self.array[field] if field in (self.array.dtype.names or ()) else None
            if numbers is None:
                raise ValueError(f"where: judgments have no {field!r}; they have relatum, {', '.join(self.array.dtype.names or ())}")
            kept &= numbers == (_native.value_of(field, field, name) if field in NAMES else _index(self.ids, field, name))
        return Judgments(self.array[kept] if self.array.ndim == 1 else self.array[:, kept.all(axis=0)], self.ids)

    def to_dicts(self) -> List[Dict[str, Any]]:
        flat = Judgments(self.array.reshape(-1), self.ids)
        columns = {field: flat.names(field) for field in ("relation", "referent", "viewer", "perspective", "convention", "axis", "acceptance",
                                                          "containment", "doubt", "verdict")}
        rows = []
        for i, record in enumerate(flat.array):
            relata = [self.ids[relatum] for relatum in record["relata"][:record["relatum_len"]]]
            theta_deg = math.degrees(record["theta_rad"])
            row = {"referent": columns["referent"][i], "relatum": relata[0], "relata": relata,
                   **{field: columns[field][i] for field in ("relation", "perspective", "viewer", "convention", "axis", "acceptance")},
                   "theta_deg": _number(theta_deg), "theta_std_deg": _number(math.degrees(record["theta_std_rad"])),
                   "p": _number(record["p"]), "p_std": _number(record["p_std"]), "flip_angle_deg": _number(90 - abs(theta_deg)),
                   "flip_distance_m": _number(record["flip_distance_m"]), "containment": columns["containment"][i],
                   "p_internal": _number(record["p_internal"]), "verdict": columns["verdict"][i], "doubt": columns["doubt"][i]}
            rows.append(row)
        return rows


class Sights(_Records):
    """Who sees whom (docs/VISIBILITY.md); columns `p`, `p_std`, `fraction_visible`, `fraction_expected`, `fraction_hidden`,
    `fraction_out_of_view`, `fraction_out_of_range` (shares of the target's solid angle), `size_rad`, `occluder_share`, and, as numbers,
    `viewer`, `target`, `occluder`, `verdict`, `cause`."""

    def to_dicts(self) -> List[Dict[str, Any]]:
        columns = {field: self.names(field) for field in ("viewer", "target", "verdict", "cause")}
        return [{**{field: columns[field][i] for field in ("viewer", "target")}, "p": _number(record["p"]),
                 "verdict": columns["verdict"][i], "fraction_visible": _number(record["fraction_visible"]), "cause": columns["cause"][i],
                 "occluders": [{"id": self.ids[who], "share": float(share)}
                               for who, share in zip(record["occluder"], record["occluder_share"]) if who >= 0]}
                for i, record in enumerate(self.array)]


def _index(ids: Sequence[str], argument: str, name: Any) -> int:
    try:
        return ids.index(name)
    except ValueError:
        raise ValueError(f"{argument}: the scene has no {name!r}; it has {', '.join(ids)}") from None


def _plain(value: Any, where: str) -> Any:
    """As JSON takes it; NumPy's arrays and numbers become lists and numbers."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{where}: {value} is not a finite number")
    if isinstance(value, Mapping):
        return {str(key): _plain(item, f"{where}[{key!r}]") for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, where) for item in value]
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    raise TypeError(f"{where}: {type(value).__name__} is not a number, text, list or array")


def _numbers(argument: str, value: Any, shape: Tuple[int, ...]) -> Array:
    """An array of doubles of this shape (-1: any length), all finite; the error names the argument."""
    array = np.ascontiguousarray(value, dtype=np.float64)
    if array.ndim != len(shape) or any(want not in (-1, got) for want, got in zip(shape, array.shape)):
        raise ValueError(f"{argument}: its shape is {array.shape}, not ({', '.join('any' if n < 0 else str(n) for n in shape)})")
    if not np.isfinite(array).all():
        raise ValueError(f"{argument}: it holds numbers that are not finite, the first at {tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])}")
    return array


class Scene:
    """Entities at one moment: boxes with places, fronts and their errors, a camera, north.

    >>> scene = Scene([{"id": "ball", "position_m": [0.4, 0.1, 0.1], "position_std_m": 0.02, "size_m": 0.2},
    ...                {"id": "car", "position_m": [-0.1, 0, 0.15], "size_m": [0.8, 0.4, 0.3], "front_deg": 180}],
    ...               camera={"position_m": [0, -2, 1.2], "look_at_m": [0, 0, 0.1]})
    >>> scene.evaluate("behind", "ball", "car").verdict
    'true'
    """

    def __init__(self, entities: Iterable[Mapping[str, Any]], *, camera: Optional[Mapping[str, Any]] = None,
                 north_deg: Optional[float] = None) -> None:
        """entities: each with the keys of docs/SCENE.md (`id`, `position_m`, `size_m`, `front_deg`, ...): metres in the table frame,
        degrees counter-clockwise from above; camera: `position_m` and `look_at_m` or `rotation`; north_deg: direction of north."""
        head = {name: _plain(value, name) for name, value in (("north_deg", north_deg), ("camera", camera)) if value is not None}
        rows = []
        for i, entity in enumerate(entities):
            if not isinstance(entity, Mapping):
                raise TypeError(f"entities[{i}]: {type(entity).__name__} is not a mapping of keys to values")
            rows.append(json.dumps({key: _plain(value, f"entities[{i}][{key!r}]") for key, value in entity.items()}, ensure_ascii=False))
        lines = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}," for name, value in head.items()]
        self._take(_read("scene", "{" + "\n".join(lines) + '"entities": [\n' + ",\n".join(rows) + "\n]}"))

    @classmethod
    def read(cls, path: Union[str, "os.PathLike[str]"]) -> "Scene":
        """The scene of a file: YAML as docs/SCENE.md says, or a line that `pov run --json` printed."""
        return cls._of(_read(os.fspath(path), None))

    @classmethod
    def parse(cls, text: str, name: str = "scene") -> "Scene":
        """The same from text; errors tell `name` and the line."""
        return cls._of(_read(name, text))

    @classmethod
    def _of(cls, handle: Any) -> "Scene":
        self = cls.__new__(cls)
        self._take(handle)
        return self

    def _take(self, handle: Any) -> None:
        self._handle = handle
        self._lock = threading.RLock()  # what the library lends is copied before the next call
        self.ids: List[str] = [_native.text(lib.pov_entity_name(handle, i)) for i in range(lib.pov_scene_len(handle))]
        self._index = {name: i for i, name in enumerate(self.ids)}
        self._query = ffi.new("pov_judgment *")
        self._queries: Dict[Any, bytes] = {}  # what was asked before, ready for the library
        self._rows: Dict[Any, Any] = {}
        self._judgments, self._sights = _native.Room("pov_judgment"), _native.Room("pov_visibility")

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Scene({', '.join(self.ids)})"

    # ---- what is where ----

    @property
    def classes(self) -> List[str]:
        """What each entity is, in the order of `ids`."""
        return [_native.text(lib.pov_entity_class(self._handle, i)) for i in range(len(self))]

    @property
    def entities(self) -> Array:
        """A copy: a record each with `position_m` [3] (centre of the box, table frame), `position_cov_m2` [9], `size_m` [3] (along
        the box's own axes, x being the front's; 0: not known), `yaw_rad` and `kappa` (its front, von Mises), `rotation` [9]
        (R_table_box, row by row), `placed`, `seen`, `addressee`, `can_see`. NaN: not known."""
        records = np.empty(len(self), _native.ENTITY)
        with self._lock:
            lib.pov_scene_entities(self._handle, _native.pointer("pov_entity *", records))
        return records

    @property
    def positions_m(self) -> Array:
        """(n, 3): centres of the boxes, metres in the table frame; NaN: not placed."""
        return self.entities["position_m"]

    @property
    def yaws_rad(self) -> Array:
        """(n,): where fronts point, radians counter-clockwise from above, 0 along +x; NaN: no front."""
        return self.entities["yaw_rad"]

    @property
    def north_rad(self) -> float:
        """Direction of north, radians counter-clockwise from the table's +x; NaN: there is none."""
        return float(lib.pov_scene_north(self._handle))

    def move(self, ids: Sequence[str], *, positions_m: Any = None, yaws_rad: Any = None) -> None:
        """Moves entities, and turns boxes with their fronts; covariances stay. The camera stays where it is.

        positions_m: (len(ids), 3), metres in the table frame; yaws_rad: (len(ids),), radians counter-clockwise from above."""
        numbers = self._numbers_of("ids", ids)
        positions = None if positions_m is None else _numbers("positions_m", positions_m, (len(numbers), 3))
        yaws = None if yaws_rad is None else _numbers("yaws_rad", yaws_rad, (len(numbers),))
        with self._lock:
            call(lib.pov_scene_move, self._handle, _native.pointer("int16_t *", numbers), len(numbers),
                 _native.pointer("double *", positions), _native.pointer("double *", yaws))

    def _number_of(self, argument: str, name: Any) -> int:
        number = self._index.get(name)
        return _index(self.ids, argument, name) if number is None else number

    def _numbers_of(self, argument: str, names: Union[str, Sequence[str]]) -> Array:
        names = [names] if isinstance(names, str) else names
        return np.array([self._number_of(argument, name) for name in names], np.int16)

    # ---- judging ----

    def evaluate(self, relation: str, referent: str, relatum: Relata, *, perspective: Optional[str] = None, viewer: Optional[str] = None,
                 convention: Optional[str] = None, axis: Optional[str] = None, acceptance: str = "hemisphere",
                 abstain_margin: float = 0.49865) -> Belief:
        """Whether "`referent` is `relation` `relatum`" holds in one frame of reference.

        relation: a name or phrase of `relations()`. perspective: "egocentric" (the camera's), "addressee" (the person `viewer`'s),
        "intrinsic" (the relatum's own front) or "absolute" (north); left out: addressee with a viewer, absolute for compass directions,
        else intrinsic. convention: "translated", "rotated" or "reflected" (the default of viewers). axis: "sight_line" (the default of
        viewers) or "heading". acceptance: "hemisphere", "cosine" or "template". abstain_margin: in [0, 0.5)."""
        key = (relation, referent, relatum if isinstance(relatum, str) else tuple(relatum), perspective, viewer, convention, axis, acceptance)
        prepared = self._queries.get(key)
        if prepared is None:
            prepared = self._queries[key] = self._prepare(*key)
        query = self._query
        with self._lock:
            ffi.memmove(query, prepared, len(prepared))
            status = lib.pov_judge_query(self._handle, query, _usual_within(abstain_margin))
            if status.code > UNDEFINED:
                raise ValueError(ffi.string(status.message).decode(errors="replace"))
            return Belief(query.p, query.p_std, NAMES["verdict"][query.verdict] or "", query.theta_rad, query.theta_std_rad, query.flip_distance_m)

    def _prepare(self, relation: str, referent: str, relatum: Relata, perspective: Optional[str], viewer: Optional[str],
                 convention: Optional[str], axis: Optional[str], acceptance: str) -> bytes:
        query = np.zeros(1, _native.JUDGMENT)
        number = _relation_of("relation", relation)
        if perspective is None:
            perspective = "addressee" if viewer else "absolute" if REGISTRY[number].frame == "north" else "intrinsic"
        relative = perspective in ("egocentric", "addressee")
        if viewer is None and relative:
            viewer = self._usual_viewer(perspective)
        frame = REGISTRY[number].frame
        laid = relative and frame == "axes"
        located = self._located("relatum", (referent, relatum))
        query["relation"], query["referent"], query["relata"], query["relatum_len"] = number, located[0], located[2:], located[1]
        query["perspective"] = _native.value_of("perspective", "perspective", perspective)
        query["viewer"] = self._number_of("viewer", viewer) if relative and frame != "none" else -1
        query["convention"] = _native.value_of("convention", "convention", convention or "reflected") if laid else 3
        query["axis"] = _native.value_of("axis", "axis", axis or ("sight_line" if relative else "heading"))
        query["acceptance"] = _native.value_of("acceptance", "acceptance", acceptance)
        return query.tobytes()

    def _usual_viewer(self, perspective: str) -> str:
        if perspective == "egocentric":
            return "camera"
        addressees = [name for name, is_one in zip(self.ids, self.entities["addressee"]) if is_one]
        if len(addressees) != 1:
            raise ValueError(f"viewer: the scene has {len(addressees)} addressees; name whose perspective is meant")
        return addressees[0]

    def _located(self, argument: str, pair: Pair) -> List[int]:
        """Referent, number of relata, and the relata, filled up to eight."""
        try:
            referent, relata = pair
        except (TypeError, ValueError):
            raise ValueError(f"{argument}: {pair!r} is not a pair of a referent and what locates it") from None
        numbers = self._numbers_of(argument, relata).tolist()
        if not 1 <= len(numbers) <= 8:
            raise ValueError(f"{argument}: {len(numbers)} relata; there are 1 to 8")
        return [self._number_of(argument, referent), len(numbers), *numbers, *[-1] * (8 - len(numbers))]

    def _pairs(self, pairs: Optional[Iterable[Pair]]) -> Any:
        """The pairs as the library takes them."""
        listed = None if pairs is None else tuple(pairs)
        try:
            if listed in self._rows:
                return self._rows[listed]
        except TypeError:  # relata in a list
            return self._made_rows(listed)
        if len(self._rows) > 1000:
            self._rows.clear()
        self._rows[listed] = self._made_rows(listed)
        return self._rows[listed]

    def _made_rows(self, listed: Optional[Tuple[Pair, ...]]) -> Any:
        if listed is None:
            names = [name for name in self.ids if name != "camera"]
            listed = tuple((a, b) for a, b in itertools.permutations(names, 2))
        rows = ffi.new("pov_pair[]", len(listed))
        for row, pair in zip(rows, listed):
            row.referent, row.relatum_len, *relata = self._located("pairs", pair)
            row.relata = relata
        pairs = ffi.new("pov_pairs *", (rows, len(listed)))
        _LISTS[pairs] = rows  # as long as the pairs live
        return pairs

    def judge(self, pairs: Optional[Iterable[Pair]] = None, *, relations: Union[str, Sequence[str]] = "directions",
              perspectives: Optional[Sequence[str]] = None, conventions: Optional[Sequence[str]] = None,
              axes: Sequence[str] = ("sight_line",), acceptances: Sequence[str] = ("hemisphere",),
              abstain_margin: float = 0.49865) -> Judgments:
        """Judges pairs, as `pov judge` does, in every frame of reference that the scene has.

        pairs: ("ball", "car") is the ball as located by the car, ("ball", ("car", "box")) by both; left out: every pair without the
        camera. relations: "directions" (left_of, ..., west_of), "usual" (also all that need no frame), "all", a category, or a list of
        names and phrases. The others limit the frames. Numbers of the result are metres and radians (`Judgments`)."""
        choice = _choice(relations, perspectives, conventions, axes, acceptances, abstain_margin)
        with self._lock:
            records, length = self._judgments.fill(lib.pov_judge_pairs, self._handle, self._pairs(pairs), choice)
            return Judgments(_native.copied(records, length, _native.JUDGMENT), self.ids)

    def judge_batch(self, ids: Sequence[str], pairs: Optional[Iterable[Pair]] = None, *, positions_m: Any = None, yaws_rad: Any = None,
                    relations: Union[str, Sequence[str]] = "directions", perspectives: Optional[Sequence[str]] = None,
                    conventions: Optional[Sequence[str]] = None, axes: Sequence[str] = ("sight_line",),
                    acceptances: Sequence[str] = ("hemisphere",), abstain_margin: float = 0.49865) -> Judgments:
        """Judges many scenes that differ from this one in where the entities `ids` are; this one stays as it is.

        positions_m: (scenes, len(ids), 3), metres in the table frame; yaws_rad: (scenes, len(ids)), radians; at least one of them.
        The rest as of `judge`. The result's array has a row for each scene: `judge_batch(...)["p"]` is (scenes, judgments)."""
        numbers = self._numbers_of("ids", ids)
        choice = _choice(relations, perspectives, conventions, axes, acceptances, abstain_margin)
        positions = None if positions_m is None else _numbers("positions_m", positions_m, (-1, len(numbers), 3))
        scenes = len(positions) if positions is not None else -1
        yaws = None if yaws_rad is None else _numbers("yaws_rad", yaws_rad, (scenes, len(numbers)))
        if positions is None and yaws is None:
            raise ValueError("positions_m, yaws_rad: a batch needs at least one of them")
        scenes = len(yaws) if positions is None and yaws is not None else scenes
        with self._lock:
            listed = self._pairs(pairs)
            _, length = self._judgments.fill(lib.pov_judge_pairs, self._handle, listed, choice)
            judged = np.empty((scenes, length), _native.JUDGMENT)
            batch = ffi.new("pov_batch *", (scenes, _native.pointer("int16_t *", numbers), len(numbers),
                                            _native.pointer("double *", positions), _native.pointer("double *", yaws)))
            room = ffi.new("pov_judgments *", (_native.pointer("pov_judgment *", judged), judged.size, 0))
            call(lib.pov_judge_batch, self._handle, room, listed, choice, batch)
        return Judgments(judged, self.ids)

    def look(self, viewer: Optional[str] = None, target: Optional[str] = None) -> Sights:
        """Who sees whom; left out: everybody who can see (`sees`), everything but the camera."""
        with self._lock:
            records, length = self._sights.fill(lib.pov_look, self._handle, -1 if viewer is None else self._number_of("viewer", viewer),
                                                -1 if target is None else self._number_of("target", target), ffi.NULL)
            return Sights(_native.copied(records, length, _native.SIGHT), self.ids)

    def ask(self, utterance: str, *, speaker: Optional[str] = None) -> Dict[str, Any]:
        """The reply to one question or instruction, as `pov ask --json` gives it (docs/SCENE.md): "say" is a sentence. speaker: the id
        of who speaks; left out: the only addressee. For several in turn: `Dialogue`."""
        return Dialogue().ask(self, utterance, speaker=speaker)


class Dialogue:
    """Questions and instructions in turn: it remembers what "it" and "the other one" are, and what was asked back."""

    def __init__(self) -> None:
        self._handle = _native.own("povlink_talk", link.povlink_talk_destroy, link.povlink_talk_new)
        self._lock = threading.Lock()

    def ask(self, scene: Scene, utterance: str, *, speaker: Optional[str] = None) -> Dict[str, Any]:
        """The reply to an utterance about a scene; as `Scene.ask`."""
        reply = ffi.new("const char **")
        with self._lock, scene._lock:
            call(link.povlink_talk_ask, self._handle, reply, scene._handle, (speaker or "").encode(), utterance.encode())
            return json.loads(_native.text(reply[0]))


def _read(name: str, text: Optional[str]) -> Any:
    raw = None if text is None else text.encode()
    return _native.own("pov_scene", lib.pov_scene_destroy, link.povlink_scene_read, os.fsencode(name), ffi.NULL if raw is None else raw,
                       len(raw or b""))


def _listed(names: Union[str, Sequence[str], None]) -> Optional[Tuple[str, ...]]:
    return None if names is None else (names,) if isinstance(names, str) else tuple(names)


def _choice(relations: Union[str, Sequence[str]], perspectives: Optional[Sequence[str]], conventions: Optional[Sequence[str]],
            axes: Sequence[str], acceptances: Sequence[str], abstain_margin: float) -> Any:
    return _made_choice(_listed(relations), _listed(perspectives), _listed(conventions), _listed(axes), _listed(acceptances), abstain_margin)


@functools.lru_cache(maxsize=256)
def _made_choice(relations: Tuple[str, ...], perspectives: Optional[Tuple[str, ...]], conventions: Optional[Tuple[str, ...]],
                 axes: Tuple[str, ...], acceptances: Tuple[str, ...], abstain_margin: float) -> Any:
    choice = ffi.new("pov_choice *")
    lib.pov_choice_usual(choice)
    choice.abstain_margin = abstain_margin
    for argument, field, names in (("perspectives", "perspective", perspectives), ("conventions", "convention", conventions),
                                   ("axes", "axis", axes), ("acceptances", "acceptance", acceptances)):
        if names is not None:
            wanted = {_native.value_of(argument, field, name) for name in names}
            flags = getattr(choice, field)
            for i in range(len(flags)):
                flags[i] = i in wanted
    if relations != ("usual",):
        numbers = {number for name in relations for number in _numbered(name)}
        for i in range(len(REGISTRY)):
            choice.relation[i] = i in numbers
    return choice


@functools.lru_cache(maxsize=256)
def _usual_within(abstain_margin: float) -> Any:
    choice = ffi.new("pov_choice *")
    lib.pov_choice_usual(choice)
    choice.abstain_margin = abstain_margin
    return choice


def _numbered(name: str) -> List[int]:
    of_group = [i for i, relation in enumerate(REGISTRY)
                if name == "all" or (name == "directions" and relation.direction) or name == relation.category]
    return of_group or [_relation_of("relations", name)]
