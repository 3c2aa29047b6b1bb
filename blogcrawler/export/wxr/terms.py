"""What stands before the posts of a blog: its authors and tags, each once, with names that WordPress takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blogcrawler.export.text import slug as ascii_slug
from blogcrawler.export.wxr.texts import slug

if TYPE_CHECKING:
    from blogcrawler.items import Record

_LONGEST_LOGIN = 60


@dataclass
class Terms:
    """The authors and tags of posts, in the order in which they come. Memory grows with them, not with the posts."""

    #: login by name
    logins: dict[str, str] = field(default_factory=dict)
    #: slug by name
    tags: dict[str, str] = field(default_factory=dict)
    #: the highest number of a post
    last_id: int = 0
    _taken: set[str] = field(default_factory=set)

    def add(self, number: int, record: Record) -> None:
        """Take in those of a post."""
        self.last_id = max(self.last_id, number)
        for name in filter(None, map(str.strip, record.authors)):
            if name not in self.logins:
                self.logins[name] = self._free(ascii_slug(name)[:_LONGEST_LOGIN] or "author", "author")
        for name in filter(None, map(str.strip, record.tags)):
            if name not in self.tags:
                self.tags[name] = self._free(slug(name) or "tag", "tag")

    def _free(self, wanted: str, kind: str) -> str:
        """A name that no other one of its kind has."""
        found, number = wanted, 1
        while f"{kind} {found}" in self._taken:
            number += 1
            found = f"{wanted}-{number}"
        self._taken.add(f"{kind} {found}")
        return found
