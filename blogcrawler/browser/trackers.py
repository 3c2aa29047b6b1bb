"""What counts visitors or shows adverts: data/trackers.json, read."""

from __future__ import annotations

from functools import cache
from typing import Any

from blogcrawler.serialise import load_file


def is_tracker(host: str) -> bool:
    """Does a host, or one that it belongs to, only count visitors or show them adverts?"""
    parts = host.lower().split(".")
    return any(".".join(parts[start:]) in _hosts() for start in range(len(parts) - 1))


def is_tracking_code(script: str) -> bool:
    """Does a script in a page only call one of them?"""
    code = script.lower()
    return any(sign in code for sign in _told()["code"])


@cache
def _hosts() -> frozenset[str]:
    return frozenset(host for hosts in _told()["hosts"].values() for host in hosts)


@cache
def _told() -> dict[str, Any]:
    return load_file(dict[str, Any], __package__, "trackers.json")
