"""What of the archive is exported: which blogs, since when, in which order; and who hands it over."""

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
    """An organisation and how it can be reached; None where that is not said."""

    organisation: str | None = None
    #: a web or mail address
    contact: str | None = None
    #: what else is to be said of what is handed over, by its label
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Mapping[str, Any], labels: Mapping[str, tuple[str, ...]] | None = None) -> Self:
        """The organisation and contact that settings name."""
        organisation, contact = (str(settings[name] or "") or None for name in ("ORGANISATION", "CONTACT"))
        return cls(organisation, contact, labels or {})

    @property
    def mail(self) -> str | None:
        """The mail address, where the contact is one."""
        address = (self.contact or "").removeprefix("mailto:")
        return address if "@" in address and "/" not in address else None


@dataclass(frozen=True)
class Selection:
    """Posts of an archive, always in one order: blogs, and each blog's posts, as they came in.

    A post that is not on the web any more is one like the others.
    """

    archive: Archive
    blogs: tuple[BlogRow, ...]
    #: posts that are new or say something else since then alone
    since: datetime | None = None
    #: called for each post as soon as it is done with
    on_post: Callable[[], None] = field(default=lambda: None)
    #: where the files of posts are; None where they cannot be had, so that exports go without them
    files: Files | None = None
    #: called with the path of each file that a record names and that cannot be read, and why
    on_lost: Callable[[str, str], None] = field(default=lambda _path, _why: None)
    #: the folder of WARC files; None where there is none
    warcs: Path | None = None
    #: the address below which files of the export will be online, for formats that are put online elsewhere
    media_url: str | None = None
    #: who hands the posts over
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
        """The posts of the blogs at some addresses, or of all blogs, and where their files are.

        Raises BadArgument for an address that cannot be used, NotArchived for one at which the archive has no blog.
        """
        homes = {_home(archive, address) for address in addresses}
        blogs = tuple(blog for blog in archive.blogs() if not homes or blog.home in homes)
        return cls(archive, blogs, since, files=files, warcs=warcs)

    def posts(self, *blogs: BlogRow) -> Iterator[KeptPost]:
        """The posts of these blogs, or of all that are chosen. In bounded memory."""
        for blog in blogs or self.blogs:
            for post in self.archive.posts(blog.home, since=self.since):
                yield post
                self.on_post()

    @property
    def is_all(self) -> bool:
        """True if all posts of the archive are chosen."""
        return self.since is None and len(self.blogs) == len(self.archive.blogs())

    def open_file(self, path: str) -> BinaryIO:
        """A file that a record names, to be read. Raises OSError where it cannot be."""
        if self.files is None:
            raise FileNotFoundError(ENOENT, "no folder has the files of posts", path)
        return self.files.open(path)

    def count(self) -> int:
        """How many posts there are."""
        return sum(self.archive.count(blog.home, since=self.since) for blog in self.blogs)


def _home(archive: Archive, address: str) -> str:
    url = parse_start_url(address)
    home = archive.find_blog(url)
    if home is None:
        raise NotArchived(f"The archive has no blog at {url}; blogcrawler blogs lists those that it has.", url=url)
    return home
