"""Hosts from which no file could ever be had are not asked for all: many an old blog shows pictures of dead ones."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from blogcrawler.backend import KeptMedia

ENOUGH = 10
"""Files that were asked for in vain, after which a host without any other passes for dead."""
_NEVER = datetime.min.replace(tzinfo=UTC)
_SPARED = "not asked for"
REST = timedelta(days=1)
"""After which a dead host is asked for one more file."""


@dataclass
class _Host:
    had: int = 0
    failed: int = 0
    #: files that were not asked for, in this crawl
    spared: int = 0
    last: datetime = _NEVER


class MediaHosts:
    """What became of the files of each host, in earlier crawls and in this one."""

    def __init__(self, known: Iterable[KeptMedia] = ()) -> None:
        self._hosts: defaultdict[str, _Host] = defaultdict(_Host)
        for kept in known:
            self.note(kept)

    def note(self, kept: KeptMedia) -> None:
        """Take in what became of a request."""
        host = self._hosts[_host(kept.url)]
        host.last = max(host.last, kept.tried)
        if _is_answer(kept):
            host.had += 1
        else:
            host.failed += 1

    def refusal(self, url: str, now: datetime) -> str | None:
        """Why a file is not asked for. Of a dead host one file in ever more is, and one after a rest."""
        name = _host(url)
        host = self._hosts[name]
        if host.had or host.failed < ENOUGH or now - host.last >= REST:
            return None
        host.spared += 1
        if host.spared % (2 * ENOUGH) == 0 and (host.spared // (2 * ENOUGH)).bit_count() == 1:
            return None
        return f"{_SPARED}: no file of {name} could be had"


def is_spared(error: str | None) -> bool:
    """Was a file not asked for since its host passes for dead?"""
    return error is not None and error.startswith(_SPARED)


def _is_answer(kept: KeptMedia) -> bool:
    """Did a host send a file, wanted or not?"""
    return kept.error is None or kept.type not in {None, "text/html"}


def _host(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2].lower()
