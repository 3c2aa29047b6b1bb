"""Excerpts as blog software writes them: what a page says around its link to another, between ellipses in brackets."""

from __future__ import annotations

import re

_BEGIN = re.compile(r"\s*[\[(]\s?(?:…|\.\.\.)\s?[\])]")
_END = re.compile(r"[\[(]\s?(?:…|\.\.\.)\s?[\])]\s*$")
_AROUND = 40
"""Characters at both ends that are looked at."""
_LONGEST = 2000


def is_excerpt(text: str) -> bool:
    """Is a text an excerpt: "[…] as Ann wrote […]"? So are those of pingbacks."""
    return len(text) <= _LONGEST and _BEGIN.match(text[:_AROUND]) is not None and ends_cut(text)


def ends_cut(text: str) -> bool:
    """Does a text end with an ellipsis in brackets?"""
    return _END.search(text[-_AROUND:]) is not None
