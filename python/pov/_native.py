"""libpov and libpovlink through cffi: their public headers, their errors, their records as NumPy types."""
from __future__ import annotations

import glob
import os
import pathlib
import shutil
from typing import Any, Dict, List, Optional, Tuple

import cffi
import numpy as np
import numpy.typing

VERSION = "0.2.0"
ABI = 1  # of the libraries: the number of their sonames
OK, UNDEFINED, TIMEOUT, END, SKIPPED = range(5)
Array = numpy.typing.NDArray[Any]
FOLDER = pathlib.Path(__file__).resolve().parent


class Error(Exception):
    """A file, device, connection or argument that `pov` cannot take; the message names it and says how to mend it."""


ffi: Any = cffi.FFI()


def _header(folder: str, name: str) -> str:
    """The declarations of a public header: beside this file, or where the source tree has them; cffi takes no preprocessor's lines."""
    beside = FOLDER / name
    text = (beside if beside.exists() else FOLDER.parents[1] / folder / name).read_text(encoding="utf-8")
    declarations = text.split("/* " + 64 * "-" + " */")[1].replace("POV_MUST_USE ", "")
    return "\n".join(line for line in declarations.splitlines() if not line.startswith("#"))


ffi.cdef(_header("perception/library", "pov.h") + _header("protocol/library", "povlink.h"))


def _candidates() -> List[str]:
    """Where libpov may lie: $POV_LIBRARY, the source tree's build, beside the program `pov`, the loader's folders."""
    if "POV_LIBRARY" in os.environ:
        return [os.environ["POV_LIBRARY"]]
    soname = f"libpov.so.{ABI}"
    places = [str(FOLDER.parents[1] / "build/release" / soname)] if (FOLDER.parents[1] / "perception/library/pov.h").exists() else []
    program = shutil.which("pov")
    if program:
        prefix = pathlib.Path(program).resolve().parents[1]
        places += sorted(glob.glob(f"{prefix}/lib/{soname}") + glob.glob(f"{prefix}/lib/*/{soname}"))
    return [place for place in places if os.path.exists(place)] + [soname]


def _open() -> Tuple[Any, Any]:
    """libpov, and libpovlink beside it."""
    reasons = []
    flags = ffi.RTLD_NOW | ffi.RTLD_NODELETE  # stays until the last handle, which Python frees after modules
    for place in _candidates():
        try:
            library = ffi.dlopen(place, flags)  # first: libpovlink then takes this one
            link = ffi.dlopen(os.path.join(os.path.dirname(place), os.path.basename(place).replace("libpov", "libpovlink")), flags)
        except OSError as error:
            reasons.append(str(error))
            continue
        version = ffi.string(library.pov_version()).decode()
        if version != VERSION:
            raise ImportError(f"{place} is of pov {version}, this package of {VERSION}: install both from one version")
        return library, link
    raise ImportError("libpov is not found: install pov (docs/INSTALL.md), or name the file in POV_LIBRARY. " + "; ".join(reasons))


lib: Any
link: Any
lib, link = _open()


def call(function: Any, *arguments: Any) -> int:
    """Calls; a status that tells of an error becomes an exception, the code of others is returned."""
    status = function(*arguments)
    if status.code > SKIPPED:
        raise Error(ffi.string(status.message).decode(errors="replace"))
    return int(status.code)


def own(kind: str, destroy: Any, function: Any, *arguments: Any) -> Any:
    """A handle that the library makes, and that is destroyed with the last reference to it."""
    place = ffi.new(kind + " **")
    call(function, place, *arguments)
    return ffi.gc(place[0], lambda handle, new=ffi.new: destroy(new(kind + " **", handle)))


def text(value: Any) -> str:
    """A borrowed C text; NULL is empty."""
    return ffi.string(value).decode(errors="replace") if value else ""


# ---- names ----

def _names(kind: int) -> List[Optional[str]]:
    names: List[Optional[str]] = []
    while True:
        name = lib.pov_name(kind, len(names))
        if not name and names:
            return names
        names.append(text(name) if name else None)  # the first of doubts is none


KINDS = {"relation": lib.POV_RELATIONS, "perspective": lib.POV_PERSPECTIVES, "convention": lib.POV_CONVENTIONS, "axis": lib.POV_AXES,
         "acceptance": lib.POV_ACCEPTANCES, "containment": lib.POV_CONTAINMENTS, "doubt": lib.POV_DOUBTS, "verdict": lib.POV_VERDICTS,
         "cause": lib.POV_CAUSES}
NAMES: Dict[str, List[Optional[str]]] = {field: _names(kind) for field, kind in KINDS.items()}
VALUES: Dict[str, Dict[str, int]] = {field: {name: i for i, name in enumerate(names) if name} for field, names in NAMES.items()}


def value_of(argument: str, field: str, name: str) -> int:
    """The number of a name, or a ValueError that lists the names there are."""
    try:
        return VALUES[field][name]
    except (KeyError, TypeError):
        raise ValueError(f"{argument}: there is no {field} {name!r}; there are {', '.join(VALUES[field])}") from None


# ---- records ----

_NUMBERS = {"double": "f8", "int8_t": "i1", "int16_t": "i2", "int": "i4"}


def _dtype(name: str) -> np.dtype[Any]:
    c_type = ffi.typeof(name)
    names, formats, offsets = [], [], []
    for field, about in c_type.fields:
        item, shape = about.type, ()  # type: Any, Tuple[int, ...]
        if item.kind == "array":
            item, shape = item.item, (item.length,)
        names.append(field)
        formats.append((_NUMBERS[item.cname], shape))
        offsets.append(about.offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(c_type)})


JUDGMENT = _dtype("pov_judgment")
SIGHT = _dtype("pov_visibility")
ENTITY = _dtype("pov_entity")


class Room:
    """Room for records that the library writes, which grows to what it needs; the records are copied before the next call."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self.record = ffi.new({"pov_judgment": "pov_judgments *", "pov_visibility": "pov_visibilities *"}[kind])
        self._grow(64)

    def _grow(self, capacity: int) -> None:
        self._list = ffi.new(f"{self._kind}[]", capacity)
        self.record.list, self.record.capacity = self._list, capacity

    def fill(self, function: Any, handle: Any, *arguments: Any) -> Any:
        """The records, and their number."""
        call(function, handle, self.record, *arguments)
        if self.record.len > self.record.capacity:
            self._grow(2 * self.record.len)
            call(function, handle, self.record, *arguments)
        return self._list, int(self.record.len)


def copied(records: Any, length: int, dtype: np.dtype[Any]) -> Array:
    """A copy of what the library lends."""
    if length == 0:
        return np.empty(0, dtype)
    return np.frombuffer(bytearray(ffi.buffer(records, length * dtype.itemsize)), dtype)


def pointer(kind: str, array: Optional[Array]) -> Any:
    return ffi.NULL if array is None else ffi.cast(kind, array.ctypes.data)
