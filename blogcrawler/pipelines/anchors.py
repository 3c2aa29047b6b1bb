"""Where pages show comments at anchors: elements whose names are a word and a number, as the comments' ids are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from blogcrawler.items import Comment, Page

__all__ = ["anchors", "beginning"]

LONGEST = 40
"""Characters of the word."""
_DIGITS = re.compile(r"[0-9]")


def anchors(page: Page, begin: str) -> set[str]:
    """The anchors on a page that are a word with a number. O(n)."""
    if not begin:
        return set()
    pattern = rb"""\b(?:id|name)=["']?(""" + re.escape(begin.encode()) + rb"""[0-9]{1,25})["'\s>]"""
    return {found.decode("ascii", "replace") for found in re.findall(pattern, page.body)}


def beginning(comments: Iterable[Comment]) -> str | None:
    """The word before the number in the ids of comments; None where there is none, or they have not all the same."""
    found = {_DIGITS.split(comment.id, maxsplit=1)[0] for comment in comments if comment.id}
    begin = found.pop() if len(found) == 1 else ""
    return begin if 0 < len(begin) <= LONGEST else None
