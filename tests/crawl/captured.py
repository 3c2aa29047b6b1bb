"""WARC files with captures of blogs that are gone: no server answers for them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from io import BytesIO
from typing import TYPE_CHECKING

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from tests.site import Reply

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from tests.crawl.blog import Blog, Post

BASE = "http://gone.example.org"


@dataclass(frozen=True)
class Taken:
    """A captured answer."""

    path: str
    time: datetime
    reply: Reply
    base: str = BASE


def taken_on(blog: Blog, day: str, *, without: Collection[str] = (), base: str = BASE) -> list[Taken]:
    """Every page of a blog as captured on a day (ISO 8601), except some paths."""
    time = datetime.fromisoformat(day).replace(tzinfo=UTC)
    routes = blog.routes(base)
    return [Taken(path, time, routes[path], base) for path in routes if path not in without]


def as_of(blog: Blog, day: str) -> Blog:
    """A blog with the posts that it had on a day."""
    time = datetime.fromisoformat(day).replace(tzinfo=UTC)
    return replace(blog, posts=[post for post in blog.posts if post.published <= time])


def write(file: Path, captures: Iterable[Taken]) -> Path:
    """A compressed WARC file with these captures."""
    with file.open("wb") as stream:
        writer = WARCWriter(stream, gzip=file.suffix == ".gz")
        for one in captures:
            body = one.reply.body.encode() if isinstance(one.reply.body, str) else one.reply.body
            headers = [("Content-Type", one.reply.content_type), *one.reply.headers.items()]
            record = writer.create_warc_record(
                one.base + one.path,
                "response",
                payload=BytesIO(body),
                http_headers=StatusAndHeaders(f"{one.reply.status} Captured", headers, protocol="HTTP/1.1"),
                warc_headers_dict={"WARC-Date": f"{one.time:%Y-%m-%dT%H:%M:%SZ}"},
            )
            writer.write_record(record)
            record.raw_stream.close()
    return file


def addresses(posts: Iterable[Post]) -> list[str]:
    """The addresses of posts, sorted."""
    return sorted(BASE + post.path for post in posts)
