"""What a process does once before copies are made of it: imports, tables, and whatever a first crawl sets up."""

from __future__ import annotations

import pkgutil
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import default_settings

import blogcrawler
from blogcrawler.backend import Archive
from blogcrawler.comments.threads import own_threads
from blogcrawler.crawl.steps.learning import learned
from blogcrawler.dates import count_back
from blogcrawler.dom import parse
from blogcrawler.feeds import parse_feed
from blogcrawler.feeds.comments import blog_comment_feeds
from blogcrawler.items import Page
from blogcrawler.wrapper.comments.counts import announced
from tests.crawl.blog import Blog

if TYPE_CHECKING:
    from collections.abc import Iterator

_HOME = "http://blog.example.org"
#: of other packages, at once or in a crawl
_IMPORTED = (
    "networkx",
    "puremagic.main",
    "py3langid.langid",
    "rich.progress",
    "rich.table",
    "scrapy.core.downloader.handlers.http11",
    "scrapy.dupefilters",
    "scrapy.exporters",
    "scrapy.extensions.feedexport",
    "scrapy.logformatter",
    "scrapy.pipelines",
    "scrapy.pqueues",
    "scrapy.robotstxt",
    "scrapy.squeues",
    "scrapy.statscollectors",
    "scrapy.utils.serialize",
    "scrapy.utils.test",
    "sklearn.linear_model",
    "sklearn.neighbors",
    "tldextract",
    "twisted.internet.asyncioreactor",
    "twisted.web.client",
)


def warm() -> None:
    """Import, and learn from a small blog. Nothing may be left that a copy cannot have, such as threads."""
    for name in (*_modules(), *_IMPORTED):
        import_module(name)
    threads = _threads()
    _learn(Blog())
    Archive.open("sqlite://").close()
    for languages in ([], ["en"], ["de"]):
        count_back("3 days ago", languages)
    assert _threads() == threads, "a copy has but one thread"


def _threads() -> int:
    """Also those that Python does not know."""
    return len(list(Path("/proc/self/task").iterdir()))


def _modules() -> Iterator[str]:
    """Of the package but those that run when they are imported, and Scrapy's that its settings name."""
    for module in pkgutil.walk_packages(blogcrawler.__path__, "blogcrawler."):
        if not module.name.rpartition(".")[2].startswith(("__main__", "build_")):
            yield module.name
    yield from (
        module.name for module in pkgutil.iter_modules(import_module("scrapy.commands").__path__, "scrapy.commands.")
    )
    for name in ("DOWNLOADER_MIDDLEWARES_BASE", "EXTENSIONS_BASE", "SPIDER_MIDDLEWARES_BASE"):
        yield from (path.rpartition(".")[0] for path in getattr(default_settings, name))


def _learn(blog: Blog) -> None:
    """What a crawl does with the posts of a feed, so that tables are read and patterns are compiled."""
    entries = parse_feed(blog.feed(_HOME).encode(), f"{_HOME}/feed.xml", "application/rss+xml").entries
    bodies = {_HOME + blog.path(post): blog.page(post).encode() for post in blog.posts}
    now = datetime.now(UTC).isoformat()
    pages = [
        Page(entry.url, bodies[entry.url], "text/html", 200, now, parse(bodies[entry.url].decode()))
        for entry in entries
    ]
    wrapper = learned(list(zip(pages, entries, strict=True)))
    for page in pages:
        assert page.tree is not None
        blog_comment_feeds(f"{_HOME}/", [(page.tree, page.url, page.body)])
        announced(page.tree, page.url)
        own_threads(page.body, page.url)
        wrapper.extract(page.tree, page.url, page.fetched_at)
