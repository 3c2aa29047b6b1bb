"""Comment systems that load by script: how they are told, where their comments are, and what shows more of them.

All of that is in data/systems.json; here it is read.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = [
    "LARGEST",
    "CommentSystem",
    "controls",
    "holds_comments",
    "recognise",
    "systems",
]

LARGEST = 2 * 1024 * 1024
"""Bytes of a page that are looked at."""
_NAMES = re.compile(r"""\b(id|class)\s{0,9}=\s{0,9}(?:"([^"]{0,1000})"|'([^']{0,1000})'|([^\s"'>]{1,1000}))""")


@dataclass(frozen=True)
class CommentSystem:
    """A comment system, as data/systems.json describes it."""

    name: str
    #: any of these tells it: a part of a page's source in small letters; "id=…" or "class=…", an element's
    signs: tuple[str, ...]
    #: a part of the source, too, without which they do not
    needs: str = ""
    #: regular expressions of its frames' addresses
    frames: tuple[str, ...] = ()
    #: CSS selectors of what loads more
    more: tuple[str, ...] = ()
    #: why its comments cannot be had any more; None where they can
    gone: str | None = None
    #: name in data/endpoints.toml, which tells how some are asked without a browser
    endpoint: str = ""


def recognise(body: bytes) -> list[CommentSystem]:
    """The comment systems that a page's source names. O(n)."""
    source = body[:LARGEST].decode("utf-8", "replace").lower()
    named = {f"{match[1]}={name}" for match in _NAMES.finditer(source) for name in match[match.lastindex or 0].split()}
    return [
        system
        for system in systems()
        if system.needs in source and any(_is_there(sign, source, named) for sign in system.signs)
    ]


def _is_there(sign: str, source: str, named: set[str]) -> bool:
    return sign in named if sign.startswith(("id=", "class=")) else sign in source


def holds_comments(url: str) -> bool:
    """Is a frame's address that of a comment system's?"""
    return _frames().search(url) is not None


@cache
def systems() -> tuple[CommentSystem, ...]:
    """All that are known."""
    told: list[dict[str, Any]] = json.loads(files(__package__).joinpath("data/systems.json").read_text("utf-8"))[
        "systems"
    ]
    return tuple(map(_system, told))


def _system(told: dict[str, Any]) -> CommentSystem:
    signs, frames, more = (tuple(told.get(name, ())) for name in ("signs", "frames", "more"))
    endpoint = told.get("endpoint", told["name"])
    return CommentSystem(told["name"], signs, told.get("needs", ""), frames, more, told.get("gone"), endpoint)


@cache
def controls() -> str:
    """The CSS selectors of all controls that load more comments, as one."""
    return ", ".join(selector for system in systems() for selector in system.more)


@cache
def _frames() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{frame})" for system in systems() for frame in system.frames))
