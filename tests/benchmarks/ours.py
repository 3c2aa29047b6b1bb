"""This project as the benchmarks run it: learning and records as in a crawl, without one."""

from __future__ import annotations

from typing import Any

from lxml.html import HtmlElement

from blogcrawler.dom import readable_text
from blogcrawler.items import Entry, Record, RecordSource
from blogcrawler.items import Page as Fetched
from blogcrawler.pipelines.content import fill
from blogcrawler.wrapper import Example, Wrapper, learn
from tests.benchmarks.blogs import Blog, Page


def learned(blog: Blog) -> Wrapper:
    """The wrapper that a crawl of a blog learns."""
    return learn([Example(page.parse(), page.entry, page.url) for page in blog.training if page.entry is not None])


def record(page: Page, wrapper: Wrapper, *, entry: Entry | None = None, tree: HtmlElement | None = None) -> Record:
    """What the content stage makes of a page; `tree` is its parse where that is at hand."""
    tree = page.parse() if tree is None else tree
    fetched = Fetched(page.url, page.body, page.content_type, tree=tree)
    made = Record("", page.url, source=RecordSource(fetched, wrapper, entry))
    fill(made)
    return made


def fields(page: Page, wrapper: Wrapper) -> dict[str, Any]:
    """Title, authors, date, tags and text of a page, in a record's keys: what other extractors give, too."""
    found = wrapper.extract(page.parse(), page.url)
    return {
        "title": found.title,
        "authors": found.authors,
        "published": found.published,
        "tags": found.tags,
        "content_text": "" if found.article is None else readable_text(found.article),
    }
