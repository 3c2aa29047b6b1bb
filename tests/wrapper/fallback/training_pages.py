"""Pages with truth to train the fallback on: of the corpus's blogs, and single pages in the form of WCXB.

A blog is of half A where the SHA-256 of its name is even; what is shipped is fitted to these, the others judge it.
"""

from __future__ import annotations

import argparse
import json
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blogcrawler.dom import parse
from blogcrawler.errors import NotAWebPage
from blogcrawler.wrapper.fallback.head_titles import NO_ENDS, Heads, head_title
from tests.benchmarks.blogs import half_of
from tests.benchmarks.pages import true_pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.fallback.head_titles import Ends

PAGES = 16
"""Posts of a blog, evenly spread over its life, and pages of it that are no posts."""


@dataclass(frozen=True)
class SitePage:
    """A page, and what is true of it in a record's keys."""

    site: str
    url: str
    root: HtmlElement
    truth: Mapping[str, Any]
    ends: Ends = NO_ENDS
    #: False for a list or the like, of which only is known that it has no date and no text
    is_post: bool = True
    is_of_blog: bool = False


def read_arguments(description: str | None) -> argparse.Namespace:
    """The corpus, the folder of pages, and which half of their sites is trained on."""
    reader = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("corpus", type=Path)
    reader.add_argument("pages", type=Path)
    reader.add_argument("--half", type=int, choices=(0, 1))
    return reader.parse_args()


def of_corpus(corpus: Path, half: str = "A") -> Iterator[SitePage]:
    """Posts and other pages of the blogs of a half."""
    for archive in sorted(corpus.glob("*.tar.xz")):
        name = archive.name.removesuffix(".tar.xz")
        if half_of(name) == half:
            yield from _of_blog(archive, name)


def of_pages(folder: Path, half: int | None = None, kind: str | None = None) -> Iterator[SitePage]:
    """Pages of WCXB, of one type or of all; `half` as in tests/benchmarks/pages.py."""
    for page in true_pages(folder, kind):
        if half is not None and page.half != half:
            continue
        try:
            root = parse(page.body())
        except NotAWebPage:
            continue
        yield SitePage(page.site, page.url, root, page.truth, is_post=page.kind == "article")


def _of_blog(archive: Path, name: str) -> Iterator[SitePage]:
    with tarfile.open(archive) as tar:
        members = {member.name.removeprefix("./"): member for member in tar.getmembers()}

        def read(path: str) -> bytes:
            file = tar.extractfile(members[path])
            return file.read() if file is not None else b""

        def page(line: Mapping[str, Any]) -> HtmlElement | None:
            try:
                return parse(read(line["file"]), content_type=line.get("type"))
            except NotAWebPage:
                return None

        index = [line for line in _json_lines(read("index.jsonl")) if line.get("file")]
        posts = {line["url"]: line for line in index if line.get("post")}
        truth = [post for post in _json_lines(read("truth.jsonl")) if post["url"] in posts]
        lists = [line for line in index if not line.get("post") and "html" in (line.get("type") or "")]
        read_posts = [(post, root) for post in _spread(truth) if (root := page(posts[post["url"]])) is not None]
        read_lists = [(line["url"], root) for line in _spread(lists) if (root := page(line)) is not None]
    heads = Heads()
    for root in [*(root for _, root in read_posts), *(root for _, root in read_lists)]:
        heads.note(head_title(root))
    for post, root in read_posts:
        yield SitePage(name, post["url"], root, post, heads.ends(), is_of_blog=True)
    for url, root in read_lists:
        yield SitePage(name, url, root, {}, heads.ends(), is_post=False, is_of_blog=True)


def _spread(rows: list[Any]) -> list[Any]:
    return [rows[int(number * max(1.0, len(rows) / PAGES))] for number in range(min(PAGES, len(rows)))]


def _json_lines(body: bytes) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in body.decode().split("\n") if line.strip())
