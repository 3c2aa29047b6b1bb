"""Kinds of failures: few, and the same for all that failed alike, as each is a time series."""

from __future__ import annotations

import re
from functools import cache

from blogcrawler.serialise import load_file

OTHER = "other"
_STATUS = re.compile(r"(?<![\w/.:-])([45])\d\d(?![\w/.-])")
_ADDRESS = re.compile(r"(?<!\S)(?=\S+?://\S)\S++")


def failure_kind(reason: str) -> str:
    """The kind of a sentence that says why a crawl failed."""
    said = _ADDRESS.sub(" ", reason).lower()
    for kind, signs in _kinds().items():
        if any(sign in said for sign in signs):
            return kind
    status = _STATUS.search(said)
    return OTHER if status is None else f"http_{status[1]}xx"


@cache
def _kinds() -> dict[str, list[str]]:
    return load_file(dict[str, list[str]], __package__, "failure_kinds.json")
