"""Observations: one image's scene and judgments each, from a recording or a running station. Times are nanoseconds of the UNIX epoch where
a name ends in _ns, seconds where it ends in _s; all else is as in docs/JSON.md."""
from __future__ import annotations

import json
import os
import pathlib
import threading
import time
from typing import Any, Dict, Iterator, NamedTuple, Optional, Union

import numpy as np

from . import _native
from ._native import END, OK, SKIPPED, TIMEOUT, call, ffi, lib, link
from .scene import Judgments, Scene, Sights

OBSERVATION, IMAGE, LOG, MARKER, VLM = (link.POVLINK_OBSERVATION, link.POVLINK_IMAGE, link.POVLINK_LOG, link.POVLINK_MARKER,
                                         link.POVLINK_VLM)
SLICE_MS = 200  # so soon Ctrl-C is obeyed

_own = threading.local()


class _Decoder:
    """Holds one unpacked message, which is large; each thread has one."""

    def __init__(self) -> None:
        self.handle = _native.own("povlink_decoder", link.povlink_decoder_destroy, link.povlink_decoder_new)
        self.facts = ffi.new("povlink_decoded *")
        self.held: Optional[bytes] = None

    def decode(self, message: bytes) -> Any:
        if self.held is not message:
            self.held = None
            call(link.povlink_decode, self.handle, self.facts, message, len(message))
            self.held = message
        return self.facts


def _decoder() -> _Decoder:
    if not hasattr(_own, "decoder"):
        _own.decoder = _Decoder()
    return _own.decoder


class Image(NamedTuple):
    """The image that an observation is of."""

    name: str
    sequence: int  #: counts from 0; a gap is a lost image
    capture_ns: int  #: middle of the exposure, UNIX epoch
    width_px: int
    height_px: int


class Observation:
    """All that a station found and judged in one image. It keeps the message, and unpacks it when something is asked for."""

    def __init__(self, message: bytes) -> None:
        self.message = message  #: as on the wire: protobuf, pov.Envelope

    def __repr__(self) -> str:
        return f"Observation({self.image.name!r})"

    @property
    def image(self) -> Image:
        facts = _decoder().decode(self.message)
        return Image(_native.text(facts.image), facts.sequence, facts.capture_ns, facts.width_px, facts.height_px)

    @property
    def lost(self) -> int:
        """Messages that this subscriber lost just before it."""
        return int(_decoder().decode(self.message).lost)

    @property
    def scene(self) -> Scene:
        """The entities in the table frame, as a scene that can be judged and asked about."""
        decoder = _decoder()
        decoder.decode(self.message)
        make = lambda place: link.povlink_decoded_scene(decoder.handle, place)
        return Scene._of(_native.own("pov_scene", lib.pov_scene_destroy, make))

    @property
    def judgments(self) -> Judgments:
        """As the station judged: directions first, then the other relations."""
        decoder = _decoder()
        records = np.empty(decoder.decode(self.message).judgments, _native.JUDGMENT)
        room = ffi.new("pov_judgments *", (_native.pointer("pov_judgment *", records), len(records), 0))
        call(link.povlink_decoded_judgments, decoder.handle, room)
        return Judgments(records, self.scene.ids)

    @property
    def sights(self) -> Sights:
        """Who saw whom, as the station judged."""
        decoder = _decoder()
        records = np.empty(decoder.decode(self.message).visibilities, _native.SIGHT)
        room = ffi.new("pov_visibilities *", (_native.pointer("pov_visibility *", records), len(records), 0))
        call(link.povlink_decoded_visibilities, decoder.handle, room)
        return Sights(records, self.scene.ids)

    def to_dict(self) -> Dict[str, Any]:
        """All of it, as docs/JSON.md says."""
        return _unpacked(self.message)


def _unpacked(message: bytes) -> Dict[str, Any]:
    decoder = _decoder()
    decoder.decode(message)
    line = ffi.new("const char **")
    call(link.povlink_decoded_json, decoder.handle, line)
    return json.loads(_native.text(line[0]))


class RecordedImage(NamedTuple):
    """An image of a recording, coded."""

    name: str
    capture_ns: int
    data: bytes  #: a JPEG or PNG file


class LogLine(NamedTuple):
    """A warning or a marker of a recording."""

    time_ns: int
    severity: str  #: "info", "warning", "error"
    text: str
    is_marker: bool


class Recording:
    """A recording of a station (docs/RECORDING.md), read as it is walked through: for observation in Recording("monday.mcap")."""

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = os.fspath(path)
        contents = ffi.new("povlink_contents *")
        source = self._open()
        call(link.povlink_recording_contents, source, contents)
        self.messages: int = contents.messages
        self.observations_len: int = contents.observations
        self.images_len: int = contents.images
        self.first_ns: int = contents.first_ns  #: of all messages; 0: there are none
        self.last_ns: int = contents.last_ns
        self.is_indexed = bool(contents.is_indexed)  #: False: its end is missing or damaged
        self.trouble = _native.text(contents.trouble)  #: what is damaged; "": nothing

    def __repr__(self) -> str:
        return f"Recording({self.path!r}: {self.observations_len} observations, {self.duration_s:.1f} s)"

    def __len__(self) -> int:
        return self.observations_len

    @property
    def duration_s(self) -> float:
        return 1e-9 * (self.last_ns - self.first_ns)

    def _open(self) -> Any:
        return _native.own("povlink_source", link.povlink_source_destroy, link.povlink_recording_open, os.fsencode(self.path))

    def _walk(self, topics: int, begin_s: Optional[float], end_s: Optional[float]) -> Iterator[Any]:
        source, event = self._open(), ffi.new("povlink_event *")
        if begin_s is not None:
            call(link.povlink_recording_seek, source, self.first_ns + int(1e9 * begin_s))
        while True:
            code = call(link.povlink_source_next, source, event, topics, 0)
            if code == END:
                return
            since_s = 1e-9 * (event.log_ns - self.first_ns)
            if code == SKIPPED or (begin_s is not None and since_s < begin_s):
                continue  # a damaged part; `trouble` names the first
            if end_s is not None and since_s >= end_s:
                return
            yield event

    def observations(self, begin_s: Optional[float] = None, end_s: Optional[float] = None) -> Iterator[Observation]:
        """Observations from `begin_s` on, and before `end_s`, both seconds since the recording began."""
        for event in self._walk(1 << OBSERVATION, begin_s, end_s):
            yield Observation(bytes(ffi.buffer(event.bytes, event.len)))

    def __iter__(self) -> Iterator[Observation]:
        return self.observations()

    def images(self, begin_s: Optional[float] = None, end_s: Optional[float] = None) -> Iterator[RecordedImage]:
        """Images as they were coded; times as of `observations`."""
        for event in self._walk(1 << IMAGE, begin_s, end_s):
            yield RecordedImage(_native.text(event.name), event.capture_ns, bytes(ffi.buffer(event.bytes, event.len)))

    def comparisons(self, begin_s: Optional[float] = None, end_s: Optional[float] = None) -> Iterator[Dict[str, Any]]:
        """Questions to vision-language models, and again when they had their answers ("status"), as docs/JSON.md says; times as of
        `observations`."""
        for event in self._walk(1 << VLM, begin_s, end_s):
            yield _unpacked(bytes(ffi.buffer(event.bytes, event.len)))["comparison"]

    def log(self, begin_s: Optional[float] = None, end_s: Optional[float] = None) -> Iterator[LogLine]:
        """Warnings, and markers of trials, stops and questions; times as of `observations`."""
        for event in self._walk(1 << LOG | 1 << MARKER, begin_s, end_s):
            yield LogLine(event.log_ns, _native.text(event.severity), _native.text(event.text), event.topic == MARKER)


class Station:
    """A running station: for observation in Station("tcp://robot:5570")."""

    def __init__(self, endpoint: str = "tcp://127.0.0.1:5570", *, server: Optional[str] = None,
                 keys: Union[str, "os.PathLike[str]", None] = None, ask: Optional[str] = None) -> None:
        """endpoint: where it publishes. server: its name among the peers of this machine's keys (docs/SECURITY.md): connects with
        keys; keys: their folder instead of ~/.config/pov/keys. ask: where it answers questions; the port after the publisher's if
        left out. The station may start later."""
        self.endpoint = endpoint
        self._server = ffi.NULL if server is None else ffi.new("char[]", server.encode())
        if keys is None and server is not None:
            keys = pathlib.Path(os.environ.get("XDG_CONFIG_HOME") or pathlib.Path.home() / ".config") / "pov/keys"
        self._keys = ffi.NULL if keys is None else ffi.new("char[]", os.fsencode(keys))
        self._ask = ask
        self._sources: Dict[str, Any] = {}
        self._asker: Any = None
        self._lock, self._asking = threading.Lock(), threading.Lock()  # a connection is one thread's at a time
        self._source("observation")

    def _address(self, endpoint: str) -> Any:
        self._named = ffi.new("char[]", endpoint.encode())  # the library copies it
        return ffi.new("povlink_address *", (self._named, self._keys, self._server))

    def _source(self, topic: str) -> Any:
        with self._lock:
            if topic not in self._sources:
                self._sources[topic] = _native.own("povlink_source", link.povlink_source_destroy, link.povlink_station_open,
                                                   self._address(self.endpoint), topic.encode())
            return self._sources[topic]

    def _next(self, topic: str, timeout_s: Optional[float]) -> bytes:
        source, event = self._source(topic), ffi.new("povlink_event *")
        until_s = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            left_ms = SLICE_MS if until_s is None else min(SLICE_MS, max(0, int(1e3 * (until_s - time.monotonic()))))
            with self._lock:
                if call(link.povlink_source_next, source, event, 0, left_ms) == OK:
                    return bytes(ffi.buffer(event.bytes, event.len))
            if until_s is not None and time.monotonic() >= until_s:
                raise TimeoutError(f"nothing came from {self.endpoint} in {timeout_s} s: does the station run, and publish there?")

    def next(self, timeout_s: Optional[float] = None) -> Observation:
        """The next observation; TimeoutError if none comes in `timeout_s` seconds (left out: waits)."""
        return Observation(self._next("observation", timeout_s))

    def __iter__(self) -> Iterator[Observation]:
        while True:
            yield self.next()

    def health(self, timeout_s: Optional[float] = 10) -> Dict[str, Any]:
        """The next report of the station's health, as docs/JSON.md says: rates, latencies in seconds, losses."""
        return _unpacked(self._next("health", timeout_s))["health"]

    def comparisons(self, timeout_s: Optional[float] = None) -> Iterator[Dict[str, Any]]:
        """Questions to vision-language models while they are asked (docs/LIVE.md), and again when they have their answers ("status"), as
        docs/JSON.md says; TimeoutError if none comes in `timeout_s` seconds (left out: waits). It listens from this call on."""
        self._source("vlm")
        return self._comparisons(timeout_s)

    def _comparisons(self, timeout_s: Optional[float]) -> Iterator[Dict[str, Any]]:
        while True:
            yield _unpacked(self._next("vlm", timeout_s))["comparison"]

    def ask(self, utterance: str, *, speaker: Optional[str] = None, forget: bool = False, timeout_s: float = 5) -> Dict[str, Any]:
        """Asks the station about the image that it has judged last (its key `ask`, docs/STATION.md); the reply as of `Scene.ask`. The
        station remembers the dialogue; forget: a new one begins."""
        request: Dict[str, Any] = {"utterance": utterance, **({"speaker": speaker} if speaker else {}), **({"forget": True} if forget else {})}
        reply = ffi.new("const char **")
        with self._asking:
            if call(link.povlink_asker_ask, self._connected(), reply, json.dumps(request, ensure_ascii=False).encode(), int(1e3 * timeout_s)) == TIMEOUT:
                raise TimeoutError(f"the station at {self.endpoint} did not answer in {timeout_s} s: has it the key 'ask'?")
            return json.loads(_native.text(reply[0]))

    def _connected(self) -> Any:
        if self._asker is None:
            host, _, port = self.endpoint.rpartition(":")
            if self._ask is None and not port.isdigit():
                raise ValueError(f"ask: {self.endpoint!r} has no port; name the endpoint for questions: Station(..., ask=...)")
            self._asker = _native.own("povlink_asker", link.povlink_asker_destroy, link.povlink_asker_new,
                                      self._address(self._ask or f"{host}:{int(port) + 1}"))
        return self._asker
