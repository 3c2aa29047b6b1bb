"""Where pages show comments at anchors: elements whose names are a word and a number, as the comments' ids are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from blogcrawler.items import Comment, Page

LONGEST = 40
"""Characters of the word."""
_DIGITS = re.compile(r"[0-9]")


def anchors(page: Page, prefix: str) -> set[str]:
    """The anchors on a page that are a word with a number. O(n)."""
    if not prefix:
        return set()
    pattern = rb"""\b(?:id|name)=["']?(""" + re.escape(prefix.encode()) + rb"""[0-9]{1,25})["'\s>]"""
    return {found.decode("ascii", "replace") for found in re.findall(pattern, page.body)}


def common_prefix(comments: Iterable[Comment]) -> str | None:
    """The word before the number in the ids of comments; None where there is none, or they have not all the same."""
    found = {_DIGITS.split(comment.id, maxsplit=1)[0] for comment in comments if comment.id}
    prefix = found.pop() if len(found) == 1 else ""
    return prefix if 0 < len(prefix) <= LONGEST else None


def shows_no_others(page: Page, prefix: str, comments: Iterable[Comment]) -> bool:
    """True if a page shows, at anchors that are comments' ids, some of these comments and no other.

    An API may keep back what pages show: that of WordPress tells no pingbacks.
    """
    shown, known = anchors(page, prefix), {comment.id for comment in comments}
    return shown <= known if shown else not known


def knows_all_shown(page: Page, comments: Iterable[Comment]) -> bool:
    """True if a page shows comments at anchors, none of which is missing among these."""
    known = list(comments)
    shown = anchors(page, common_prefix(known) or "")
    return bool(shown) and shown <= {comment.id for comment in known}
