"""A server of documents for sources, without a network: what is asked for, and what is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from blogcrawler.feeds.sources import Answer, Source
from blogcrawler.feeds.sources.model import Found
from blogcrawler.items import Entry

SITE = "http://example.org"


def post(number: int) -> str:
    return f"{SITE}/2014/05/post-{number}/"


@dataclass
class Reading:
    """What a source told until it was read."""

    entries: list[Entry] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def add(self, url: str, found: Found) -> None:
        self.asked.append(url)
        self.entries += found.entries
        self.urls += found.urls

    @property
    def posts(self) -> list[str]:
        return [entry.url for entry in self.entries]


def read(source: Source, answer: Callable[[str], Answer | None], most: int = 200) -> Reading:
    """Read a source to its end; it must come to one."""
    reading = Reading()
    while (url := source.next_url) is not None:
        assert len(reading.asked) < most, "a source without end"
        reading.add(url, source.take(answer(url)))
    return reading


def serve(
    documents: dict[str, bytes | str | int], headers: dict[str, dict[str, str]] | None = None
) -> Callable[[str], Answer]:
    """Answers with these documents, by URL; a number is a status."""

    def answer(url: str) -> Answer:
        body = documents.get(url, 404)
        if isinstance(body, int):
            return Answer(url, body)
        return Answer(url, 200, body.encode() if isinstance(body, str) else body, headers=(headers or {}).get(url, {}))

    return answer


def rss(
    numbers: Iterable[int], links: dict[str, str] | None = None, generator: str = "", total: int | None = None
) -> str:
    items = "".join(
        f"<item><title>Post {number}</title><link>{post(number)}</link><guid>tag:{number}</guid></item>"
        for number in numbers
    )
    told = "".join(f'<atom:link rel="{rel}" href="{escape(href)}"/>' for rel, href in (links or {}).items())
    count = f"<openSearch:totalResults>{total}</openSearch:totalResults>" if total is not None else ""
    return (
        '<?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" '
        'xmlns:openSearch="http://a9.com/-/spec/opensearchrss/1.0/"><channel><title>Blog</title>'
        f"<link>{SITE}/</link><generator>{generator}</generator>{count}{told}{items}</channel></rss>"
    )


def atom(numbers: Iterable[int], links: dict[str, str] | None = None, extra: str = "") -> str:
    entries = "".join(
        f'<entry><id>tag:{number}</id><title>Post {number}</title><link href="{post(number)}"/>'
        "<updated>2014-05-02T10:00:00Z</updated></entry>"
        for number in numbers
    )
    told = "".join(f'<link rel="{rel}" href="{escape(href)}"/>' for rel, href in (links or {}).items())
    return (
        '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" '
        f'xmlns:fh="http://purl.org/syndication/history/1.0"><title>Blog</title>{extra}{told}{entries}</feed>'
    )
