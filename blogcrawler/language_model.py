"""The model by which languages are told, of which a process reads the parts that its texts need.

py3langid brings it compressed: unpacking takes half a second and a hundred megabytes of each process. So the first one
writes it, unpacked, to the user's cache, in a folder of the library's version.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import finalize

from blogcrawler.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from py3langid.langid import LanguageIdentifier
else:
    np = LazyModule("numpy")

_ARRAYS = ("nb_ptc", "nb_pc", "nb_classes", "tk_nextmove", "tk_output", "tk_row")
"""The identifier's attributes that the model consists of."""


_BYTES = 256


def language_identifier() -> LanguageIdentifier:
    """The identifier, with probabilities."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # which imports numpy

    folder = _cache() / f"py3langid-{version('py3langid')}"
    with suppress(OSError, ValueError):
        return _unpacked(folder)
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    with suppress(OSError):
        _unpack(identifier, folder)
    return identifier


def _cache() -> Path:
    """The folder for what can be made again, by the XDG Base Directory Specification."""
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "blogcrawler"


def _unpacked(folder: Path) -> LanguageIdentifier:
    """The identifier from unpacked files. Raises OSError or ValueError where these are not there."""
    from py3langid.langid import LanguageIdentifier

    pc, classes, output, row = (
        np.load(folder / f"{name}.npy") for name in ("nb_pc", "nb_classes", "tk_output", "tk_row")
    )
    features, moves = _Features(folder / "nb_ptc.npy"), _Moves(folder / "tk_nextmove.npy")
    return LanguageIdentifier(
        features, pc, classes.tolist(), moves, output.tolist(), norm_probs=True, tk_row=row.tolist()
    )


class _Rows:
    """Rows of a file's array, each read when it is first asked for."""

    def __init__(self, file: Path, length: int | None = None) -> None:
        array = np.load(file, mmap_mode="r")
        self.type, self._begin = array.dtype, array.offset
        self._size = array.itemsize * (length or array.shape[1])
        self._file = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        finalize(self, os.close, self._file)
        self._known: dict[int, bytes] = {}

    def __getitem__(self, number: int) -> bytes:
        """A row. Raises OSError."""
        if number not in self._known:
            self._known[number] = os.pread(self._file, self._size, self._begin + number * self._size)
        return self._known[number]


class _Features:
    """The weights of features: a row each, a column a language."""

    def __init__(self, file: Path) -> None:
        self._rows = _Rows(file)

    def __getitem__(self, numbers: NDArray[np.intp]) -> NDArray[Any]:
        rows = b"".join(self._rows[number] for number in numbers.tolist())
        return np.frombuffer(rows, self._rows.type).reshape(len(numbers), -1)


class _Moves(dict[int, int]):
    """The state that follows a state, by its row and a byte; those that were asked for."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._rows = _Rows(file, _BYTES)

    def __missing__(self, place: int) -> int:
        row, byte = divmod(place, _BYTES)
        state = self[place] = int(np.frombuffer(self._rows[row], self._rows.type)[byte])
        return state


def _unpack(identifier: LanguageIdentifier, folder: Path) -> None:
    """Write the files at once, so that no other process reads some of them. Raises OSError."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        for name in _ARRAYS:
            np.save(made / f"{name}.npy", np.asarray(getattr(identifier, name)))
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
