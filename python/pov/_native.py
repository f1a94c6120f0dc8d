"""libpov_python through cffi: the declarations of native.h, the library, its errors, its records as NumPy types."""
from __future__ import annotations

import glob
import os
import pathlib
import shutil
import threading
from typing import Any, Dict, List, Optional, Tuple

import cffi
import numpy as np
import numpy.typing

VERSION = "0.2.0"
OK, UNDEFINED, TIMEOUT, END, SKIPPED = range(5)
Array = numpy.typing.NDArray[Any]
FOLDER = pathlib.Path(__file__).resolve().parent


class Error(Exception):
    """A file, device, connection or argument that `pov` cannot take; the message names it and says how to mend it."""


ffi: Any = cffi.FFI()
ffi.cdef((FOLDER / "native.h").read_text(encoding="utf-8").split("/* " + 64 * "-" + " */")[1])


def _candidates() -> List[str]:
    """Where the library may lie: $POV_LIBRARY, the source tree's build, beside the program `pov`, the loader's folders."""
    if "POV_LIBRARY" in os.environ:
        return [os.environ["POV_LIBRARY"]]
    soname = f"libpov_python.so.{VERSION.rsplit('.', 1)[0]}"
    places = [str(FOLDER.parents[1] / "build/release" / soname)] if (FOLDER / "native_scene.c").exists() else []
    program = shutil.which("pov")
    if program:
        prefix = pathlib.Path(program).resolve().parents[1]
        places += sorted(glob.glob(f"{prefix}/lib/{soname}") + glob.glob(f"{prefix}/lib/*/{soname}"))
    return [place for place in places if os.path.exists(place)] + [soname]


def _open() -> Any:
    reasons = []
    for place in _candidates():
        try:
            library = ffi.dlopen(place, ffi.RTLD_NOW | ffi.RTLD_NODELETE)  # stays until the last handle, which Python frees after modules
        except OSError as error:
            reasons.append(str(error))
            continue
        version = ffi.string(library.pov_native_version()).decode()
        if version != VERSION:
            raise ImportError(f"{place} is of pov {version}, this package of {VERSION}: install both from one version")
        return library
    raise ImportError("libpov_python is not found: install pov (docs/INSTALL.md), or name the file in POV_LIBRARY. " + "; ".join(reasons))


lib: Any = _open()
_own = threading.local()


def _message() -> Any:
    try:
        return _own.message
    except AttributeError:
        _own.message = ffi.new("char[400]")
        return _own.message


def call(function: Any, *arguments: Any) -> int:
    """Calls; a code that tells of an error becomes an exception, the others are returned."""
    message = _message()
    code = function(*arguments, message)
    if code > SKIPPED:
        raise Error(ffi.string(message).decode(errors="replace"))
    return code


def last_message() -> str:
    return ffi.string(_message()).decode(errors="replace")


def text(value: Any) -> str:
    """A borrowed C text; NULL is empty."""
    return ffi.string(value).decode(errors="replace") if value else ""


# ---- names ----

def _names(kind: int) -> List[Optional[str]]:
    names: List[Optional[str]] = []
    while True:
        name = lib.pov_native_name(kind, len(names))
        if not name and names:
            return names
        names.append(text(name) if name else None)  # the first of doubts is none


KINDS = {"relation": 0, "perspective": 1, "convention": 2, "axis": 3, "acceptance": 4, "containment": 5, "doubt": 6, "verdict": 7,
         "cause": 8}
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


JUDGMENT = _dtype("pov_native_judgment")
SIGHT = _dtype("pov_native_sight")
ENTITY = _dtype("pov_native_entity")
PAIR = _dtype("pov_native_pair")


def copied(records: Any, length: int, dtype: np.dtype[Any]) -> Array:
    """A copy of what the library lends."""
    if length == 0:
        return np.empty(0, dtype)
    return np.frombuffer(bytearray(ffi.buffer(records, length * dtype.itemsize)), dtype)


def pointer(kind: str, array: Optional[Array]) -> Any:
    return ffi.NULL if array is None else ffi.cast(kind, array.ctypes.data)
