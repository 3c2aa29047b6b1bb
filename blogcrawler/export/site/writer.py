"""Writes a site in two passes over the posts: the first for lists and links, the second for the pages of posts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources
from itertools import groupby, islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lxml import etree
from markupsafe import Markup

from blogcrawler.backend import Archive
from blogcrawler.export.articles import article
from blogcrawler.export.chronology import Chronology
from blogcrawler.export.date_labels import date_label
from blogcrawler.export.format import FolderFormat
from blogcrawler.export.media import copy_media
from blogcrawler.export.parts import discussions, other_files
from blogcrawler.export.site.feed import feed
from blogcrawler.export.site.files import MEDIA, Places, PostPage
from blogcrawler.export.site.pages import Pages
from blogcrawler.export.site.search import SearchIndex
from blogcrawler.export.text import plain

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from blogcrawler.backend import BlogRow, KeptPost
    from blogcrawler.export.chronology import Label, LabelKind, Listed
    from blogcrawler.export.selection import Selection
    from blogcrawler.items import Record

_MARK = "blogcrawler-site.json"
"""The file that identifies the folder of a site."""
_POSTS, _LABELLED, _FED = 20, 50, 20
"""Number of posts on a page of a blog, on a page of a tag or author, and in the feed."""


def is_ours(folder: Path) -> bool:
    """True if a folder is an exported site."""
    return (folder / _MARK).is_file()


def write(selection: Selection, folder: Path) -> None:
    """Write the pages to an empty folder."""
    (folder / MEDIA).mkdir()
    with Chronology.of(selection, folder / ".scratch") as chronology:
        _Site(selection, folder, chronology).write()
    (folder / _MARK).write_text(json.dumps({"format": "site", "version": 1}) + "\n")


FORMAT = FolderFormat("site", write, is_ours)


@dataclass(frozen=True)
class _Blog:
    """A blog's data for its pages."""

    id: int
    home: str
    name: str
    language: str | None
    posts: int
    has_tags: bool
    has_authors: bool


def _markup(html: str | None, text: str | None, record: Record, page: PostPage) -> Markup:
    """Return an article or a comment for the page of its post."""
    root = article(html, text, record.url, page)
    inner = etree.tostring(root, encoding="unicode", method="html", with_tail=False)
    return Markup(inner.removeprefix("<div>").removesuffix("</div>"))  # noqa: S704 - sanitised by `article`


class _Site:
    """Writes the pages of one export."""

    def __init__(self, selection: Selection, folder: Path, chronology: Chronology) -> None:
        self._selection, self._folder, self._chronology = selection, folder, chronology
        self._places = Places.of(selection.blogs)
        self._pages = Pages(folder, self._places)
        self._homes = {Archive.key_of(blog.home): blog.id for blog in selection.blogs}
        self._search = SearchIndex(chronology.database)
        self._blogs = [self._named(blog) for blog in selection.blogs]

    def _named(self, blog: BlogRow) -> _Blog:
        name = plain(" ".join((blog.title or "").split()) or urlsplit(blog.home).hostname or blog.home)
        tags, authors = (len(self._chronology.labels(blog.id, kind)) for kind in ("tag", "author"))
        return _Blog(blog.id, blog.home, name, blog.language, self._chronology.count(blog.id), tags > 0, authors > 1)

    def write(self) -> None:
        self._write_assets()
        if len(self._blogs) != 1:
            self._pages.write("index.html", "blogs.html", title="Archived blogs", blogs=self._blogs)
        for number, (row, blog) in enumerate(zip(self._selection.blogs, self._blogs, strict=True)):
            self._write_lists(row, blog)
            for post in self._selection.posts(row):
                listed = self._chronology.get(post.id)
                if listed is not None:
                    self._write_post(post, listed, blog, number)
        self._search.write(self._folder / "search", [blog.name for blog in self._blogs] if len(self._blogs) > 1 else [])
        self._pages.write(
            "search.html", "search.html", title="Search", blog=self._blogs[0] if len(self._blogs) == 1 else None
        )

    def _write_assets(self) -> None:
        (self._folder / "assets").mkdir()
        for name in ("style.css", "search.js"):
            asset = resources.files("blogcrawler.export.site") / "assets" / name
            (self._folder / "assets" / name).write_bytes(asset.read_bytes())

    def _write_lists(self, row: BlogRow, blog: _Blog) -> None:
        self._write_pages(blog)
        self._write_years(blog)
        if blog.has_tags:
            self._write_labels(blog, "tag", "Tags")
        if blog.has_authors:
            self._write_labels(blog, "author", "Authors")
        newest = self._chronology.newest(blog.id, _FED)
        file = self._folder / self._places.feed(blog.id)
        file.write_bytes(feed(row, blog.name, newest, self._chronology, self._places))

    def _write_pages(self, blog: _Blog) -> None:
        last = max(1, -(-blog.posts // _POSTS))
        names = [self._places.page(blog.id, number) for number in range(1, last + 1)]
        for number, name in enumerate(names, 1):
            posts = self._chronology.newest(blog.id, _POSTS, (number - 1) * _POSTS)
            self._write_list(names, number, posts, blog=blog, title=blog.name, total=blog.posts, name=name)

    def _write_list(
        self,
        names: Sequence[str],
        number: int,
        posts: Sequence[Listed],
        *,
        name: str,
        blog: _Blog,
        title: str,
        total: int,
    ) -> None:
        root = "../" * name.count("/")
        self._pages.write(
            name,
            "list.html",
            posts=posts,
            number=number,
            last=len(names),
            address=lambda other: f"{root}{names[other - 1]}",
            authors_of=lambda post: self._chronology.labels_of(post.id, "author"),
            blog=blog,
            title=title,
            total=total,
        )

    def _write_years(self, blog: _Blog) -> None:
        months = self._chronology.months(blog.id)
        years = [
            {"year": year, "months": [{"month": month, "posts": posts} for month, posts in found]}
            for year, found in groupby(months, key=lambda one: one[0][:4])
        ]
        self._pages.write(self._places.archive(blog.id), "archive.html", title="Archive", blog=blog, years=years)
        for year in (str(one["year"]) for one in years):
            posts = groupby(self._chronology.of_year(blog.id, year), key=lambda post: post.month)
            title = year or "Without a date"
            self._pages.write(self._places.year(blog.id, year), "year.html", title=title, blog=blog, months=posts)

    def _write_labels(self, blog: _Blog, kind: LabelKind, title: str) -> None:
        labels = self._chronology.labels(blog.id, kind)
        self._pages.write(self._places.labels(blog.id, kind), "labels.html", title=title, blog=blog, labels=labels)
        for label in labels:
            last = -(-label.count // _LABELLED)
            names = [self._places.label(blog.id, label, number) for number in range(1, last + 1)]
            posts = self._chronology.of_label(blog.id, label)
            for number, name in enumerate(names, 1):
                listed = list(islice(posts, _LABELLED))
                self._write_list(names, number, listed, blog=blog, title=label.name, total=label.count, name=name)

    def _write_post(self, post: KeptPost, listed: Listed, blog: _Blog, blog_number: int) -> None:
        record = post.record
        names = copy_media(self._selection, record, self._folder / MEDIA)
        types = {media.url: media.type or "" for media in record.media}
        page = PostPage(self._chronology, self._places, self._homes, listed, self._folder, names, types)
        content = _markup(record.content_html, record.content_text, record, page)
        said = discussions(record, lambda html, text: _markup(html, text, record, page))
        earlier, later = self._chronology.neighbours(post.id)
        authors, tags = (self._chronology.labels_of(post.id, kind) for kind in ("author", "tag"))
        self._pages.write(
            self._places.post(listed),
            "post.html",
            title=listed.title,
            blog=blog,
            post=listed,
            record=record,
            gone=post.gone.isoformat(timespec="seconds") if post.gone else None,
            article=content,
            authors=authors,
            tags=tags,
            files=list(other_files(record, page)),
            discussions=said,
            earlier=earlier,
            later=later,
        )
        self._index(record, listed, authors, tags, blog_number)

    def _index(self, record: Record, listed: Listed, authors: list[Label], tags: list[Label], blog_number: int) -> None:
        author_names, tag_names = ([label.name for label in labels] for labels in (authors, tags))
        result = {
            "page": self._places.post(listed),
            "title": listed.title,
            "published": listed.published,
            "date": date_label(listed.published),
            "authors": author_names,
            "tags": tag_names,
            "language": listed.language,
            "blog": blog_number,
        }
        names = [listed.title, *author_names, *tag_names]
        said = (f"{comment.author or 'Somebody'}: {comment.content_text or ''}" for comment in record.comments)
        texts = [record.content_text or "", *said]
        self._search.add(self._chronology.number(listed.id), result, map(plain, names), map(plain, texts))
