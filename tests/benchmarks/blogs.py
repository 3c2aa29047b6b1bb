"""Blogs to measure on: the demonstration blog, and archives of real ones with the truth beside them.

An archive is a `NAME.tar.xz` of `blog.json`, `index.jsonl` (the URLs that the server answers), `truth.jsonl` (a line a
post), the complete feed, and the pages.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from lxml import html

from blogcrawler.demo import build
from blogcrawler.dom import fragment, inline_text, parse
from blogcrawler.errors import BadArgument, NotAWebPage
from blogcrawler.feeds import parse_feed
from blogcrawler.items import Entry
from blogcrawler.urls import identity
from tests.demo.truth import truth

DEMO = "http://blog.test"
TRAINING_PAGES = 30
"""Entries of the feed, at most, that rules are learned from: as many as in a crawl."""
SUMMARY_WORDS, SUMMARY_CHARACTERS = 55, 160
"""Of an entry where the feed brings summaries; the characters count for scripts without spaces."""
REDIRECTS = 5
"""That are followed, at most."""

Truth = Mapping[str, Any]


@dataclass(frozen=True)
class Page:
    """The page of a post, as it was fetched."""

    url: str
    body: bytes
    #: value of the HTTP header
    content_type: str
    #: the fields of the post as `truth.jsonl` has them; a field that nobody knows is missing or None
    truth: Truth
    #: what the feed that is served says of it
    entry: Entry | None = None

    def parse(self) -> html.HtmlElement:
        """Our tree. Raises NotAWebPage."""
        return parse(self.body, content_type=self.content_type)


@dataclass(frozen=True)
class Blog:
    """A blog's posts, the newest first."""

    name: str
    home: str
    posts: Sequence[Page]
    #: do the pages leave out who wrote them?
    anonymous: bool = False

    @property
    def training(self) -> list[Page]:
        """The pages that a crawl learns from."""
        return [page for page in self.posts if page.entry is not None][:TRAINING_PAGES]

    @property
    def beyond(self) -> list[Page]:
        """The posts that the feed no longer holds."""
        return [page for page in self.posts if page.entry is None]


def blogs(folder: Path | None, names: Sequence[str] = (), most: int | None = None) -> Iterator[Blog]:
    """The archives of a folder, by name (all without `names`), those with a page to learn from; or the demonstration blog.

    What is left out is told on stderr.
    """
    if folder is None:
        yield demonstration()
        return
    for path in archives(folder, names)[:most]:
        blog = read_archive(path)
        if blog.training:
            yield blog
        else:
            print(f"{path.name}: no page to learn from", file=sys.stderr)


def half_of(name: str) -> str:
    """A or B, by a hash of a blog's name: what was made while looking at one half is judged by the other."""
    return "AB"[hashlib.sha256(name.encode()).digest()[-1] % 2]


def archives(folder: Path, names: Sequence[str] = ()) -> list[Path]:
    """The archives of a folder, in alphabetical order. Exits where a name has none."""
    found = {path.name.removesuffix(".tar.xz"): path for path in sorted(folder.glob("*.tar.xz"))}
    if missing := set(names) - found.keys():
        raise SystemExit(f"There is no archive of {', '.join(sorted(missing))} in {folder}.")
    return [path for name, path in found.items() if not names or name in names]


def demonstration() -> Blog:
    """The demonstration blog, with the feed that it serves."""
    site = build(DEMO)
    _, feed = site["/feed.xml"]
    entries = {entry.url: entry for entry in parse_feed(feed, f"{DEMO}/feed.xml").entries}
    posts = []
    for post in truth():
        kind, body = site[post["path"]]
        known = {**post, "authors": [post["author"]], "content_text": post["text"], "language": "en"}
        posts.append(Page(DEMO + post["path"], body, kind, known, entries.get(DEMO + post["path"])))
    return Blog("demonstration", f"{DEMO}/", posts)


def read_archive(path: Path) -> Blog:
    """A blog of the corpus, with the feed that a crawler would see. Pages that are no HTML are left out."""
    with tarfile.open(path) as tar:
        members = ((member.name.removeprefix("./"), tar.extractfile(member)) for member in tar if member.isfile())
        files = {name: file.read() for name, file in members if file is not None}
    about = json.loads(files["blog.json"])
    index = {_key(line["url"]): line for line in _lines(files["index.jsonl"])}
    entries = _entries(files, about, index)
    posts = []
    for post in sorted(_lines(files["truth.jsonl"]), key=_published, reverse=True):
        line = _answer(post["url"], index)
        if line is not None:
            entry = entries.get(line["file"]) if post.get("in_feed") else None
            posts.append(Page(line["url"], files[line["file"]], line.get("type") or "", post, entry))
    anonymous = any("author-not-on-page" in trait for trait in about.get("traits") or ())
    return Blog(about["name"], about["home"], list(filter(_is_readable, posts)), anonymous)


def _lines(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines() if line.strip()]


def _published(post: Truth) -> str:
    return post.get("published") or ""


def _entries(files: Mapping[str, bytes], about: Mapping[str, Any], index: Mapping[str, Any]) -> dict[str, Entry]:
    """The complete feed's entries by the file of their page, as the blog serves them."""
    found: dict[str, Entry] = {}
    for entry in parse_feed(files[about["full_feed"]], about["feed"]).entries:
        line = _answer(entry.url, index)
        if line is not None:
            found.setdefault(line["file"], entry if about["feed_mode"] == "full" else summarised(entry))
    return found


def _answer(url: str, index: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The page at a URL, after redirects."""
    line = index.get(_key(url))
    for _ in range(REDIRECTS):
        if line is None or "location" not in line:
            break
        line = index.get(_key(urljoin(line["url"], line["location"])))
    return line if line is not None and line.get("file") else None


def _key(url: str) -> str:
    try:
        return identity(url)
    except BadArgument:
        return url


def summarised(entry: Entry) -> Entry:
    """An entry with the beginning of its text in place of its article."""
    text = inline_text(fragment(entry.content_html or ""))
    words = text.split()
    short = " ".join(words[:SUMMARY_WORDS])
    if len(short) > SUMMARY_CHARACTERS * 4:
        short = short[:SUMMARY_CHARACTERS]
    short += " […]" if len(short) < len(" ".join(words)) else ""
    return replace(entry, content_html=short.replace("&", "&amp;").replace("<", "&lt;"), is_summary=True)


def _is_readable(page: Page) -> bool:
    try:
        page.parse()
    except NotAWebPage:
        return False
    return True
