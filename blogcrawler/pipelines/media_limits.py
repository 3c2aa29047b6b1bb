"""Which files of posts are kept: their types, sizes and number."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from mimetypes import guess_type
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

TIMEOUT_S = 60.0
"""Seconds that a file may take."""
WAIT_S = 600.0
"""Seconds after which no further file of a post is requested; the next crawl does that."""
MOST_RETRIES = 1
"""Times that a file is requested again after an error that may pass, where RETRY_TIMES allows it."""
KINDS = {"image": "image", "background": "image", "comment": "image", "audio": "audio", "video": "video"}
"""What a file of a role must be, by the first part of its type."""
PLAYED = frozenset({"audio/", "video/", "application/"})
"""What players play: films and sounds in each other's containers, and such as are known to none."""


@dataclass(frozen=True)
class MediaLimits:
    """What of the files of a post is fetched, and kept."""

    #: patterns of media types
    types: tuple[str, ...]
    #: bytes of a file
    size: int
    #: files of a post
    count: int
    #: bytes of a post's files
    total: int
    #: times that a file is requested again after an error that may pass
    retries: int

    @classmethod
    def of(cls, settings: BaseSettings) -> Self:
        """As the settings say."""
        return cls(
            tuple(settings.getlist("MEDIA_TYPES")),
            settings.getint("MEDIA_MAX_BYTES"),
            settings.getint("MEDIA_MAX_COUNT"),
            settings.getint("MEDIA_MAX_TOTAL"),
            min(MOST_RETRIES, settings.getint("RETRY_TIMES")),
        )

    def refusal_of_url(self, url: str) -> str | None:
        """Why a file is not asked for: by its name it is of no wanted type."""
        kind = guess_type(urlsplit(url).path)[0]
        return None if kind is None or self._takes(kind) else f"{kind} is not wanted"

    def refusal(self, kind: str, role: str) -> str | None:
        """Why a content of a type is not kept as a file of a role."""
        if kind == "text/html":
            return "a web page instead of a file"
        wanted = KINDS.get(role)
        is_other = wanted is not None and not kind.startswith(f"{wanted}/")
        if is_other and (wanted == "image" or not kind.startswith(tuple(PLAYED))):
            return f"{kind} instead of {'an image' if wanted == 'image' else wanted}"
        return None if self._takes(kind) else f"{kind} is not wanted"

    def _takes(self, kind: str) -> bool:
        return any(fnmatchcase(kind, pattern) for pattern in self.types)
