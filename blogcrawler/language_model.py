"""The model of py3langid, unpacked once per user, since unpacking takes longer than fetching and reading fifty pages.

Crawls map the file into memory, which loads only the needed parts and is shared among crawls. The model's folder is
named after the file from which it was unpacked, so a new version of the library gets another folder.
"""

from __future__ import annotations

import lzma
import os
import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import numpy as np
from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

if TYPE_CHECKING:
    from numpy.typing import NDArray


def load_identifier() -> LanguageIdentifier:
    """Load the language identifier, which returns probabilities."""
    packed = Path(MODEL_DIR, MODEL_FILE)
    with suppress(OSError, RuntimeError):  # the user's cache folder is not writable
        folder = _unpacked(packed)
        try:
            return _mapped(folder)
        except (ValueError, EOFError):  # the cached model is damaged
            shutil.rmtree(folder)
            return _mapped(_unpacked(packed))
    with TemporaryDirectory() as place:  # py3langid needs NumPy as well; a mapped file can be deleted
        _unpack(packed, Path(place))
        return _mapped(Path(place))


def _unpacked(packed: Path) -> Path:
    state = packed.stat()
    caches = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "blogcrawler"
    folder = caches / f"py3langid-{state.st_size}-{state.st_mtime_ns}"
    if not folder.exists():
        caches.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=caches) as part:
            _unpack(packed, Path(part, "model"))
            with suppress(OSError):  # another crawl was faster
                Path(part, "model").rename(folder)
    return folder


def _unpack(packed: Path, folder: Path) -> None:
    with lzma.open(packed) as source, TemporaryFile(dir=folder.parent) as file:
        shutil.copyfileobj(source, file, 1 << 20)
        ZipFile(file).extractall(folder)
    for path in folder.iterdir():
        with path.open("rb") as written:
            os.fsync(written.fileno())  # without it, a system crash might leave a model of zeros


def _mapped(folder: Path) -> LanguageIdentifier:
    def read(name: str) -> NDArray[Any]:
        return np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False))

    moves, rows, output = read("nextmove").data, read("nextmove_row").data, read("out_feat").data
    classes = read("classes").tolist()
    return LanguageIdentifier(read("ptc"), read("pc"), classes, moves, output, norm_probs=True, tk_row=rows)
