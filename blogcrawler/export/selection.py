"""The posts to export: their blogs, dates and order; and the sending organisation."""

from __future__ import annotations

from dataclasses import dataclass, field
from errno import ENOENT
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from blogcrawler.errors import NotArchived
from blogcrawler.urls import parse_start_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from blogcrawler.backend import Archive, BlogRow, Files, KeptPost


@dataclass(frozen=True)
class Sender:
    """The sending organisation and its contact; None if not given."""

    organisation: str | None = None
    #: a URL or e-mail address
    contact: str | None = None
    #: further values for bag-info.txt, by label
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Mapping[str, Any], labels: Mapping[str, tuple[str, ...]] | None = None) -> Self:
        """Return the sender given by the settings."""
        organisation, contact = (str(settings[name] or "") or None for name in ("ORGANISATION", "CONTACT"))
        return cls(organisation, contact, labels or {})

    @property
    def mail(self) -> str | None:
        """The e-mail address, if the contact is one."""
        address = (self.contact or "").removeprefix("mailto:")
        return address if "@" in address and "/" not in address else None


@dataclass(frozen=True)
class Selection:
    """Posts of an archive in a fixed order: by blog, then in the order in which they were archived. Posts that are no
    longer online are included."""

    archive: Archive
    blogs: tuple[BlogRow, ...]
    #: only posts that are new or changed since then
    since: datetime | None = None
    #: called after each post
    on_post: Callable[[], None] = field(default=lambda: None)
    #: the store of media files; None to export without them
    files: Files | None = None
    #: called with the path of each unreadable file, and the reason
    on_lost: Callable[[str, str], None] = field(default=lambda _path, _why: None)
    #: the folder of WARC files; None if there is none
    warcs: Path | None = None
    #: the base URL of published media files, for formats that need it
    media_url: str | None = None
    #: the sending organisation
    sender: Sender = field(default_factory=Sender)

    @classmethod
    def of(
        cls,
        archive: Archive,
        addresses: Iterable[str] = (),
        *,
        since: datetime | None = None,
        files: Files | None = None,
        warcs: Path | None = None,
    ) -> Self:
        """Select the posts of the blogs at some URLs, or of all blogs. Raises BadArgument for an invalid URL,
        NotArchived for an unknown blog."""
        homes = {_home(archive, address) for address in addresses}
        blogs = tuple(blog for blog in archive.blogs() if not homes or blog.home in homes)
        return cls(archive, blogs, since, files=files, warcs=warcs)

    def posts(self, *blogs: BlogRow) -> Iterator[KeptPost]:
        """Yield the posts of these blogs, or of all selected ones. In bounded memory."""
        for blog in blogs or self.blogs:
            for post in self.archive.posts(blog.home, since=self.since):
                yield post
                self.on_post()

    @property
    def is_all(self) -> bool:
        """True if all posts of the archive are selected."""
        return self.since is None and len(self.blogs) == len(self.archive.blogs())

    def open_file(self, path: str) -> BinaryIO:
        """Open a file that a record names. Raises OSError."""
        if self.files is None:
            raise FileNotFoundError(ENOENT, "the folder of media files is unknown", path)
        return self.files.open(path)

    def count(self) -> int:
        """Return the number of posts."""
        return sum(self.archive.count(blog.home, since=self.since) for blog in self.blogs)


def _home(archive: Archive, address: str) -> str:
    url = parse_start_url(address)
    home = archive.find_blog(url)
    if home is None:
        raise NotArchived(f"The archive has no blog at {url}; blogcrawler blogs lists those that it has.", url=url)
    return home
