"""The comment systems that systems.toml describes, and those that a page uses."""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from blogcrawler.lazy import LazyModule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray
else:
    np = LazyModule("numpy")

LARGEST = 2 * 1024 * 1024
"""Maximum number of bytes of a page that are read."""
_NAMES = re.compile(rb"""\b(id|class)\s{0,9}=\s{0,9}(?:"([^"]{0,1000})"|'([^']{0,1000})'|([^\s"'>]{1,1000}))""")
_OF_NAMES = ("id=", "class=")
"""Beginnings of the signs that are ids or classes of elements."""
_PIECE, _PLACES = 4, 1 << 16
"""Bytes of a piece of a sign, and number of slots of the lookup table."""


@dataclass(frozen=True, eq=False)
class CommentSystem:
    """One entry of systems.toml."""

    name: str
    signs: tuple[str, ...] = ()
    needs: str = ""
    frames: tuple[str, ...] = ()
    controls: tuple[str, ...] = ()
    gone: str | None = None
    endpoints: tuple[Mapping[str, Any], ...] = ()
    #: False if the endpoints are those of another system
    has_own_endpoints: bool = True


def source_of(body: bytes) -> str:
    """The part of a page's source that is read, as text."""
    return body[:LARGEST].decode("utf-8", "replace")


def recognise(body: bytes) -> list[CommentSystem]:
    """The comment systems whose signs are in a page's source. O(n)."""
    source = body[:LARGEST].lower()
    signs = _signs_in(source)
    if any(sign.startswith(_OF_NAMES) for sign in signs):
        names = {
            f"{match[1].decode()}={name.decode('utf-8', 'replace')}"
            for match in _NAMES.finditer(source)
            for name in match[match.lastindex or 0].split()
        }
        signs = {sign for sign in signs if sign in names or not sign.startswith(_OF_NAMES)}
    return [system for system in systems() if not signs.isdisjoint(system.signs) and system.needs.encode() in source]


def _signs_in(source: bytes) -> set[str]:
    """The signs, of all systems, that occur in a page's source. O(n). All are searched at once, since most pages have
    hardly any of them: one piece of each sign, as a number, is looked up in a table at every position of the source."""
    pieces, is_known = _pieces()
    numbers: set[int] = set()
    padded = source + bytes(2 * _PIECE)
    for start in range(_PIECE):
        read = np.frombuffer(padded, "<u4", len(source) // _PIECE + 1, start)
        numbers.update(read[is_known[_place(read)]].tolist())
    return {sign for piece in pieces.keys() & numbers for sign in pieces[piece] if _text(sign) in source}


@cache
def _pieces() -> tuple[Mapping[int, Sequence[str]], NDArray[np.bool_]]:
    """The signs by the piece of each that fewest others contain, and for each slot of the table whether it holds a
    piece."""
    signs = {sign for system in systems() for sign in system.signs}
    parts = {
        sign: [_text(sign)[at : at + _PIECE] for at in range(len(_text(sign)) - _PIECE + 1)] for sign in sorted(signs)
    }
    counts = Counter(part for of_sign in parts.values() for part in set(of_sign))
    pieces: defaultdict[int, list[str]] = defaultdict(list)
    for sign, of_sign in parts.items():
        pieces[int.from_bytes(min(of_sign, key=counts.__getitem__), "little")].append(sign)
    is_known = np.zeros(_PLACES, dtype=bool)
    is_known[_place(np.array(list(pieces), dtype=np.uint32))] = True
    return pieces, is_known


def _place(pieces: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The table slots of pieces, by Knuth's multiplicative hashing."""
    return (pieces * np.uint32(2654435761)) >> np.uint32(32 - _PLACES.bit_length() + 1)


def _text(sign: str) -> bytes:
    """The part of a sign that is in the source: without "id=" or "class="."""
    return (sign.partition("=")[2] if sign.startswith(_OF_NAMES) else sign).encode()


@cache
def systems() -> tuple[CommentSystem, ...]:
    """All comment systems, in the order of systems.toml."""
    data = tomllib.loads(files(__package__).joinpath("systems.toml").read_text("utf-8"))
    endpoints = {
        entry["name"]: tuple({**data["shape"].get(one.get("like"), {}), **one} for one in entry.pop("endpoint", ()))
        for entry in data["system"]
    }
    return tuple(_system(entry, endpoints) for entry in data["system"])


def _system(entry: dict[str, Any], endpoints: Mapping[str, tuple[Mapping[str, Any], ...]]) -> CommentSystem:
    lender = entry.pop("endpoints_of", entry["name"])
    values: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in entry.items()}
    return CommentSystem(**values, endpoints=endpoints[lender], has_own_endpoints=lender == entry["name"])


def is_comment_frame(url: str) -> bool:
    """True for the URL of a comment system's frame."""
    return any(re.search(frame, url) for system in systems() for frame in system.frames)


@cache
def controls() -> str:
    """One CSS selector for all controls that load more comments."""
    return ", ".join(selector for system in systems() for selector in system.controls)
