"""Limits for the files of posts: their types, sizes and number, and dead hosts."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from mimetypes import guess_type
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.settings import BaseSettings

    from blogcrawler.backend import KeptMedia

MOST_FILES = 200
"""Maximum number of stored files of a post."""
MOST_BYTES = 512 * 1024 * 1024
"""Total size of a post's files, in bytes, after which no further file is requested."""
MOST_RETRIES = 1
"""Maximum number of retries of a file after a temporary error, if RETRY_TIMES allows it."""
KINDS = {"image": "image", "background": "image", "comment": "image", "audio": "audio", "video": "video"}
"""Required main media type of a file, by role."""
PLAYED = ("audio/", "video/", "application/")
"""Media types that players may get: audio and video in each other's containers, and unknown types."""
ENOUGH = 10
"""Number of failed requests after which a host without any success counts as dead."""
_NEVER = datetime.min.replace(tzinfo=UTC)
_SPARED = "not asked for"
REST = timedelta(days=1)
"""Time after which one more file is requested from a dead host."""


class MediaLimits:
    """Which files of posts are requested and stored, according to the settings."""

    def __init__(self, settings: BaseSettings) -> None:
        #: allowed media types, as patterns
        self._types = settings.getlist("MEDIA_TYPES")
        #: maximum size of a file
        self.size = settings.getint("MEDIA_MAX_BYTES")
        #: maximum number of retries after a temporary error
        self.retries = min(MOST_RETRIES, settings.getint("RETRY_TIMES"))

    def refusal_of_url(self, url: str) -> str | None:
        """The reason why a URL is not requested, if its file name has an unwanted type."""
        kind = guess_type(urlsplit(url).path)[0]
        return None if kind is None or self._takes(kind) else f"{kind} is not wanted"

    def refusal(self, kind: str, role: str | None) -> str | None:
        """The reason why a content is not stored as a file with this role."""
        if kind == "text/html":
            return "a web page instead of a file"
        wanted_type = KINDS.get(role or "")
        is_other = wanted_type is not None and not kind.startswith(f"{wanted_type}/")
        if is_other and (wanted_type == "image" or not kind.startswith(PLAYED)):
            return f"{kind} instead of {'an image' if wanted_type == 'image' else wanted_type}"
        return None if self._takes(kind) else f"{kind} is not wanted"

    def _takes(self, kind: str) -> bool:
        return any(fnmatchcase(kind, pattern) for pattern in self._types)


@dataclass
class _Host:
    succeeded: int = 0
    failed: int = 0
    #: files that were not requested in this crawl
    spared: int = 0
    last: datetime = _NEVER


class MediaHosts:
    """Hosts by the results of their files.

    Many old blogs show images from dead hosts, from which only few are requested.
    """

    def __init__(self, files: Iterable[KeptMedia] = ()) -> None:
        self._hosts: defaultdict[str, _Host] = defaultdict(_Host)
        for file in files:
            self.note(file)

    def note(self, file: KeptMedia) -> None:
        """Record the result of a request: a host that sends any file, wanted or not, is alive."""
        host = self._hosts[_host(file.url)]
        host.last = max(host.last, file.tried)
        if file.error is None or file.type not in {None, "text/html"}:
            host.succeeded += 1
        else:
            host.failed += 1

    def is_dead(self, url: str, now: datetime) -> bool:
        """True if many files of a host were requested recently and all failed."""
        host = self._hosts[_host(url)]
        return not host.succeeded and host.failed >= ENOUGH and now - host.last < REST

    def refusal(self, url: str, now: datetime) -> str | None:
        """The reason why a file is not requested.

        From a dead host, files are requested with growing gaps; one request after each pause.
        """
        if not self.is_dead(url, now):
            return None
        name = _host(url)
        host = self._hosts[name]
        host.spared += 1
        if host.spared % (2 * ENOUGH) == 0 and (host.spared // (2 * ENOUGH)).bit_count() == 1:
            return None
        return f"{_SPARED}: no file of {name} could be fetched"


def is_spared(error: str | None) -> bool:
    """True for a file that was not requested since its host counts as dead."""
    return error is not None and error.startswith(_SPARED)


def _host(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2].lower()
