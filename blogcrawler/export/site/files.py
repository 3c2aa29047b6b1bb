"""Paths in the folder of a site, and the resolution of URLs in articles."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blogcrawler.backend import Archive
from blogcrawler.export.text import numbered, slug

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from blogcrawler.backend import BlogRow
    from blogcrawler.export.chronology import Chronology, Label, Listed

MEDIA = "media"
"""The folder of media files."""
_ACTING = ("xml", "html", "script", "xsl", "java", "flash", "message/", "multipart/", "x-mimearchive")
"""Parts of media types in which browsers may run scripts or load from the web."""


@dataclass(frozen=True)
class Places:
    """Names of pages, relative to the folder of the site."""

    #: folder by blog ID; empty for a single blog
    folders: Mapping[int, str]

    @classmethod
    def of(cls, blogs: tuple[BlogRow, ...]) -> Places:
        """A single blog uses the folder of the site; several have one folder each."""
        if len(blogs) == 1:
            return cls({blogs[0].id: ""})
        return cls({blog.id: f"{numbered(blog.id, urlsplit(blog.home).hostname or '')}/" for blog in blogs})

    def post(self, post: Listed) -> str:
        """Return the page of a post, named by its permanent ID in the archive."""
        name = numbered(post.id, post.title if slug(post.title) else _last_part(post.url))
        return f"{self.folders[post.blog]}posts/{name}.html"

    def page(self, blog: int, number: int = 1) -> str:
        """Return a page of the list of posts; the first one is the blog's start page."""
        return f"{self.folders[blog]}{'index' if number == 1 else f'pages/{number}'}.html"

    def archive(self, blog: int) -> str:
        """Return the page that lists years and months."""
        return f"{self.folders[blog]}archive/index.html"

    def year(self, blog: int, year: str) -> str:
        """Return the page of a year; for an empty year, that of posts without a date."""
        return f"{self.folders[blog]}archive/{year or 'undated'}.html"

    def labels(self, blog: int, kind: str) -> str:
        """Return the page that lists all tags or authors."""
        return f"{self.folders[blog]}{kind}s/index.html"

    def label(self, blog: int, label: Label, number: int = 1) -> str:
        """Return a page of the posts with a tag or by an author."""
        page = "" if number == 1 else f"-page-{number}"
        return f"{self.folders[blog]}{label.kind}s/{numbered(label.number, label.name)}{page}.html"

    def feed(self, blog: int) -> str:
        """Return the feed of the newest posts."""
        return f"{self.folders[blog]}feed.xml"


def relative(page: str) -> str:
    """Return the relative path from a page to the folder of the site."""
    return "../" * (len(PurePosixPath(page).parts) - 1)


@dataclass
class PostPage:
    """Resolves the URLs of an article on the page of its post: see `articles.Surroundings`."""

    chronology: Chronology
    places: Places
    homes: Mapping[str, int]
    post: Listed
    folder: Path
    #: names of archived files by URL
    names: Mapping[str, str]
    #: their media types by URL
    types: Mapping[str, str]
    #: URLs of files that the page has shown or linked
    used: set[str] = field(default_factory=set)

    @property
    def root(self) -> str:
        """The relative path to the folder of the site."""
        return relative(self.places.post(self.post))

    def shown(self, url: str) -> str | None:
        """Return the archived file at a URL."""
        name = self.names.get(url) or self.names.get(url := url.partition("#")[0])
        if name is None:
            return None
        self.used.add(url)
        return f"{self.root}{MEDIA}/{name}"

    def opened(self, url: str) -> str | None:
        """Return the link to an archived file, a post or the blog's start page. Files that could run scripts open as
        text."""
        local_url = self.shown(url)
        if local_url is not None:
            return f"{local_url}{self._as_text(url.partition('#')[0])}"
        address, _, fragment = url.partition("#")
        post = self.chronology.find(url) or self.chronology.find(address)
        if post is not None:
            anchor = self.chronology.anchor(post.id, fragment) if fragment else None
            here = "" if post.id == self.post.id and anchor else f"{self.root}{self.places.post(post)}"
            return f"{here}#{anchor}" if anchor else here
        blog = self.homes.get(Archive.key_of(address))
        return None if blog is None else f"{self.root}{self.places.page(blog)}"

    def _as_text(self, url: str) -> str:
        """Return the suffix for the name of a file that must not run scripts."""
        if not any(part in self.types.get(url, "").lower() for part in _ACTING):
            return ""
        file = self.folder / MEDIA / self.names[url]
        copy = file.with_name(f"{file.name}.txt")
        if not copy.exists():
            shutil.copyfile(file, copy)
        return ".txt"


def _last_part(url: str) -> str:
    return urlsplit(url).path.rstrip("/").rpartition("/")[2]
