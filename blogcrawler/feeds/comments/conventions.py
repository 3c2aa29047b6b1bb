"""The conventions of blog software about feeds of comments, read from data/comments.json, which says what it holds."""

from __future__ import annotations

import re  # noqa: TC003  (serialise)
from collections.abc import Mapping  # noqa: TC003  (serialise)
from dataclasses import dataclass, field
from functools import cache

from blogcrawler.serialise import load_file


@dataclass(frozen=True)
class Convention:
    """Where one software has the feed of a post's comments."""

    #: what its pages' sources hold, in small letters
    signs: tuple[str, ...]
    #: the address, with {parts}
    template: str
    #: pattern of the permalinks that it holds for
    of: re.Pattern[str] | None = None
    #: the groups of expressions over a page's source or the entry's guid, by name of a part
    parts: Mapping[str, tuple[re.Pattern[str], ...]] = field(default_factory=dict)


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
    return load_file(Conventions, "blogcrawler.feeds", "comments.json")
