"""Sites as graphs of links: what a server would answer to each address, without the pages' texts.

A graph is read from an archive of a real blog (see `tests.benchmarks.blogs`) or generated. Reading parses every page
once; what was found is kept in the system's folder for temporary files.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import tarfile
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit

from blogcrawler.crawl.classifier import FOLLOWED, trusts_canonical
from blogcrawler.crawl.read_page import Outline
from blogcrawler.dom import canonical, parse
from blogcrawler.dom import links as links_of
from blogcrawler.errors import NotAWebPage
from blogcrawler.urls import Scope, canonicalise, is_page_like, resolve

__all__ = ["Answer", "Graph", "SeenLink", "read_graph"]

VERSION = 4
"""Of what is kept of a graph."""
DYNAMIC = {
    "wordpress",
    "blogger",
    "drupal",
    "typepad",
    "movabletype",
    "joomla",
    "textpattern",
    "serendipity",
    "typecho",
}
"""Platforms whose servers heed the parameters below; others ignore parameters that they do not know."""
PARAMETERS = {"p", "paged", "page_id", "cat", "s", "feed", "m"}


REDIRECTS = 5
"""That are followed, at most."""


@dataclass(frozen=True)
class SeenLink:
    """A link to a page of the site, as a crawl takes it in."""

    #: canonical
    url: str
    text: str = ""
    rel: tuple[str, ...] = ()
    #: as `dom.Link.place`
    place: int = 0


@dataclass(frozen=True)
class Answer:
    """What the server answers to a request."""

    #: where it redirects to
    location: str | None = None
    #: name of the page, the same at all its addresses; None where there is no page
    page: str | None = None
    is_post: bool = False
    links: tuple[SeenLink, ...] = ()
    #: another address that the page says is its own, where pages of this blog can be believed that
    canonical: str | None = None


NOTHING = Answer()


@dataclass(frozen=True)
class Graph:
    """A site. `answer` tells what it answers to a canonical URL."""

    name: str
    home: str
    #: addresses of the feed's entries, the newest first
    feed: Sequence[str]
    #: names of the posts' pages
    posts: frozenset[str]
    answer: Callable[[str], Answer]
    scope: Scope


@dataclass(frozen=True)
class _Site:
    """The answers of an archive."""

    lines: Mapping[str, Answer]
    #: addresses without parameters → names of parameters that pages there differ by
    parameters: Mapping[str, frozenset[str]] = field(default_factory=dict)
    is_dynamic: bool = False

    def answer(self, url: str) -> Answer:
        """What the server of the archive's blog answers: an unknown parameter is ignored, `/x` leads to `/x/`."""
        exact = _exact(url)
        if exact in self.lines:
            return self.lines[exact]
        bare, _, query = exact.partition("?")
        line = self.lines.get(bare) or self.lines.get(bare.removesuffix("index.html"))
        if line is not None and query:
            given = {name for name, _ in parse_qsl(query, keep_blank_values=True)}
            if given & self.parameters.get(bare, frozenset()) or (self.is_dynamic and given & PARAMETERS):
                line = None
        if line is None and f"{bare}/" in self.lines:
            return Answer(location=f"{url.partition('?')[0]}/")
        return line or NOTHING

    def alive(self) -> _Site:
        """The same without links that lead nowhere."""
        memo: dict[str, bool] = {}

        def is_alive(url: str) -> bool:
            if url not in memo:
                found = self.answer(url)
                for _ in range(REDIRECTS):
                    found = self.answer(found.location) if found.location else found
                memo[url] = found.page is not None
            return memo[url]

        return replace(
            self,
            lines={
                exact: replace(line, links=tuple(link for link in line.links if is_alive(link.url)))
                for exact, line in self.lines.items()
            },
        )


def read_graph(path: Path, *, dead_links: bool = False) -> Graph:
    """The graph of an archive, from what was kept of it where there is something.

    Archives hold a part of their blog's posts. The others answered when the blog was alive, so links to what an archive
    does not have are left out, unless `dead_links`.
    """
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    kept = Path(tempfile.gettempdir()) / f"blogcrawler-graphs-{VERSION}" / f"{path.name}-{digest}.pickle"
    if kept.is_file():
        read = pickle.loads(kept.read_bytes())
    else:
        read = _read(path)
        kept.parent.mkdir(exist_ok=True)
        kept.write_bytes(pickle.dumps(read))
    name, home, feed, posts, site, scope = read
    return Graph(name, home, feed, posts, (site if dead_links else site.alive()).answer, scope)


def _read(path: Path) -> tuple[str, str, list[str], frozenset[str], _Site, Scope]:
    with tarfile.open(path) as tar:
        members = ((member.name.removeprefix("./"), tar.extractfile(member)) for member in tar if member.isfile())
        files = {name: file.read() for name, file in members if file is not None}
    about = json.loads(files["blog.json"])
    index = _lines(files["index.jsonl"])
    truth = sorted(_lines(files["truth.jsonl"]), key=lambda post: post.get("published") or "", reverse=True)
    parameters: dict[str, set[str]] = {}
    for line in index:
        bare, _, query = _exact(line["url"]).partition("?")
        parameters.setdefault(bare, set()).update(name for name, _ in parse_qsl(query, keep_blank_values=True))
    by_address = {}
    for line in index:
        exact = _exact(line["url"])
        if line.get("location") and exact == _exact(urljoin(line["url"], line["location"])):
            continue
        if line.get("file") or exact not in by_address:
            by_address[exact] = line
    posts = {file for post in truth if (file := _file_of(post["url"], by_address))}
    feed = [canonicalise(post["url"]) for post in truth if post.get("in_feed")]
    scope = Scope.of(about["home"], feed)
    reading = _Reading(files, scope, frozenset(posts))
    in_feed = [by_address[exact] for url in feed if (exact := _exact(url)) in by_address]
    reading.trusts_canonical = trusts_canonical(
        Outline.of(tree, line["url"])
        for line in in_feed
        if line.get("file") and (tree := reading.tree(line)) is not None
    )
    answers = {exact: reading.answer(line) for exact, line in by_address.items()}
    known = {bare: frozenset(names) for bare, names in parameters.items() if names}
    site = _Site(answers, known, about.get("platform", "").lower() in DYNAMIC)
    return about["name"], canonicalise(about["home"]), feed, frozenset(posts), site, scope


@dataclass
class _Reading:
    """Makes answers of an archive's lines."""

    files: Mapping[str, bytes]
    scope: Scope
    posts: frozenset[str]
    trusts_canonical: bool = False

    def answer(self, line: Mapping[str, Any]) -> Answer:
        """What one line of the index answers."""
        if line.get("location"):
            return Answer(location=urljoin(line["url"], line["location"]))
        if not line.get("file") or int(line.get("status") or 200) != 200:
            return NOTHING
        tree = self.tree(line)
        if tree is None:
            return NOTHING
        told = canonical(tree, line["url"]) if self.trusts_canonical else None
        found = tuple(self._links(tree, line["url"]))
        return Answer(None, line["file"], line["file"] in self.posts, found, told and resolve(line["url"], told))

    def tree(self, line: Mapping[str, Any]) -> Any:
        """The tree of a line's page; None for what is no page."""
        try:
            return parse(self.files[line["file"]], content_type=line.get("type"))
        except NotAWebPage:
            return None

    def _links(self, tree: Any, url: str) -> Sequence[SeenLink]:
        found = []
        for link in links_of(tree, url):
            if link.kind == "iframe" or (link.kind == "link" and FOLLOWED.isdisjoint(link.rel)):
                continue
            target = resolve(url, link.url)
            if target and self.scope.covers(target) and is_page_like(target):
                found.append(SeenLink(target, link.text, link.rel, link.place))
        return found


def _file_of(url: str, lines: Mapping[str, Mapping[str, Any]]) -> str | None:
    for _ in range(5):
        line = lines.get(_exact(url))
        if line is None or not line.get("location"):
            return line["file"] if line and line.get("file") else None
        url = urljoin(line["url"], line["location"])
    return None


def _exact(url: str) -> str:
    """An address as the server sees it: host, path and parameters."""
    parts = urlsplit(canonicalise(url))
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.netloc}{parts.path or '/'}{query}"


def _lines(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines() if line.strip()]
