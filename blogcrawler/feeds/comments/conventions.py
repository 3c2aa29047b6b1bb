"""The conventions of blog software about feeds of comments, read from data/comments.json, which says what it holds."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Convention", "Conventions", "conventions"]


@dataclass(frozen=True)
class Convention:
    """Where one software has the feed of a post's comments."""

    #: what its pages' sources hold, in small letters
    signs: tuple[str, ...]
    #: the address, with {parts}
    template: str
    #: pattern of the permalinks that it holds for
    of: re.Pattern[str] | None
    #: the groups of expressions over a page's source or the entry's guid, by name of a part
    parts: Mapping[str, tuple[re.Pattern[str], ...]]


@dataclass(frozen=True)
class Conventions:
    """All of them."""

    addresses: tuple[Convention, ...]
    #: where software has the feed of all comments of a blog, below its home page
    blog_addresses: tuple[Convention, ...]
    #: hosts that have the feeds of comments of blogs on other hosts
    platforms: frozenset[str]
    #: parameters of posts' addresses that choose a comment
    comment_parameters: frozenset[str]
    #: folders that hold feeds
    feed_folders: frozenset[str]
    #: words that stand before a colon in the title of an answer
    answer_words: frozenset[str]
    #: entries of a full feed, by a word of the generator's name
    sizes: Mapping[str, int]


@cache
def conventions() -> Conventions:
    """The conventions; read once."""
    data = json.loads(resources.files("blogcrawler.feeds").joinpath("data/comments.json").read_text("utf-8"))
    return Conventions(
        addresses=tuple(map(_convention, data["addresses"])),
        blog_addresses=tuple(map(_convention, data["blog_addresses"])),
        platforms=frozenset(data["platforms"]),
        comment_parameters=frozenset(data["comment_parameters"]),
        feed_folders=frozenset(data["feed_folders"]),
        answer_words=frozenset(data["answer_words"]),
        sizes=data["sizes"],
    )


def _convention(line: dict[str, Any]) -> Convention:
    return Convention(
        signs=tuple(line["signs"]),
        template=line["template"],
        of=re.compile(line["of"]) if "of" in line else None,
        parts={name: tuple(map(re.compile, patterns)) for name, patterns in line.get("parts", {}).items()},
    )
