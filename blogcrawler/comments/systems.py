"""The comment systems of systems.toml, which says what each entry means, and which of them a page has."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

LARGEST = 2 * 1024 * 1024
"""Bytes of a page that are read."""
_NAMES = re.compile(r"""\b(id|class)\s{0,9}=\s{0,9}(?:"([^"]{0,1000})"|'([^']{0,1000})'|([^\s"'>]{1,1000}))""")


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
    #: False where the endpoints are another system's
    has_own_endpoints: bool = True


def source_of(body: bytes) -> str:
    """The source of a page, as far as it is read."""
    return body[:LARGEST].decode("utf-8", "replace")


def recognise(body: bytes) -> list[CommentSystem]:
    """The comment systems that a page's source names. O(n)."""
    source = source_of(body).lower()

    @cache
    def named() -> set[str]:
        return {
            f"{match[1]}={name}" for match in _NAMES.finditer(source) for name in match[match.lastindex or 0].split()
        }

    def has(sign: str) -> bool:
        is_name = sign.startswith(("id=", "class="))
        return (sign.partition("=")[2] if is_name else sign) in source and (not is_name or sign in named())

    return [system for system in systems() if system.needs in source and any(map(has, system.signs))]


@cache
def systems() -> tuple[CommentSystem, ...]:
    """All entries, in their order."""
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
    """True for the address of a comment system's frame."""
    return any(re.search(frame, url) for system in systems() for frame in system.frames)


@cache
def controls() -> str:
    """The CSS selectors of all controls that load more comments, as one."""
    return ", ".join(selector for system in systems() for selector in system.controls)
