"""The completeness statement of a blog: which posts are known, archived and missing, from which captures, and how sure
the fields are. The same archive always gives the same statement, apart from its time and the program's version."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from blogcrawler import __version__
from blogcrawler.backend import CAPTURED_FEEDS, COMMENT_FEED, FIELDS, NAMED_BY
from blogcrawler.errors import BadArgument
from blogcrawler.export.text import blog_name, data_text, encoded, json_line
from blogcrawler.gaps import announced_posts, missing_posts
from blogcrawler.urls import is_http

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from blogcrawler.backend import Archive, BlogRow, KeptPost
    from blogcrawler.export.selection import Selection

SCHEMA = "completeness.schema.json"
TRUSTS = ("sure", "fair", "doubtful")
UNRECORDED = "unrecorded"
"""Source of a post of which the archive does not know what named it."""
_OF_MAKING = ("time", "program", "records")
"""Keys that `differences` does not compare as a whole."""


def statement_of(archive: Archive, blog: BlogRow, time: datetime | None = None) -> dict[str, Any]:
    """Return the statement as JSON types; `time` is when it is made. Reads all records of the blog. O(n)."""
    archived = _Archived()
    for post in archive.posts(blog.home):
        archived.add(post)
    sources = _Sources(archive.load_source_states(blog.home))
    missing = sorted(missing_posts(archive, blog), key=lambda gap: gap.url)
    keys = {*map(archive.key_of, archived.digests), *(archive.key_of(gap.url) for gap in missing)}
    crawl = (blog.crawl_kind, _moment(blog.crawl_started), _moment(blog.crawl_finished), blog.crawl_complete)
    return {
        "schema": json.loads(schema())["$id"],
        "time": _moment(time),
        "program": f"blogcrawler {__version__}",
        "blog": {"home": blog.home, "title": blog.title, "feed": blog.feed_url},
        "crawl": dict(zip(("kind", "started", "finished", "complete"), crawl, strict=True))
        | {"reason": blog.crawl_reason},
        "known": {
            "posts": len(keys),
            "first_named_by": _counted(sources.first(key)[0] for key in keys),
            "in_comment_feed": len(keys & sources.commented),
        },
        "archived": {"posts": len(archived.digests), "no_longer_online": archived.gone},
        "missing": [
            {"url": gap.url, "reason": gap.lacks, "named_by": sources.all(archive.key_of(gap.url))} for gap in missing
        ],
        "announced": [
            {"posts": gap.count, "reason": gap.lacks} for gap in announced_posts(archive, blog, len(missing))
        ],
        "pages": {"fetched": _span(archived.fetched), "captures": _span(archived.captured)},
        "feed_captures": sources.feed_captures,
        "fields": archived.fields(),
        "records": {"sha256": _digest_of(archived.digests), "posts": archived.records},
    }


class _Archived:
    """What the records of a blog show."""

    def __init__(self) -> None:
        #: SHA-256 of each record, by URL
        self.digests: dict[str, str] = {}
        self.gone = 0
        #: time and place of pages that this program fetched, and of captures by others
        self.fetched: list[tuple[str, str | None]] = []
        self.captured: list[tuple[str, str | None]] = []
        self._captures: dict[str, dict[str, str]] = {}
        self._trusts: Counter[tuple[str, str]] = Counter()

    def add(self, post: KeptPost) -> None:
        """Add a post."""
        record, come = post.record, post.record.provenance
        self.digests[record.url] = hashlib.sha256(json_line(record.to_dict()).rstrip(b"\n")).hexdigest()
        self.gone += post.gone is not None
        self._trusts.update((name, origin.trust) for name, origin in come.fields.items())
        if come.capture is not None:
            self._captures[record.url] = asdict(come.capture)
            self.captured.append((come.capture.time, _container(come.capture.place)))
        elif come.fetched is not None:
            self.fetched.append((come.fetched, None if come.warc is None else _container(come.warc)))

    def fields(self) -> dict[str, dict[str, int]]:
        """The number of posts with each field, by its confidence, and without it."""
        counts = {}
        for name in sorted({*FIELDS, *(name for name, _ in self._trusts)}):
            counts[name] = {trust: self._trusts[name, trust] for trust in TRUSTS}
            counts[name]["empty"] = len(self.digests) - sum(counts[name].values())
        return counts

    @property
    def records(self) -> list[dict[str, Any]]:
        """The digest and the capture of each record, sorted by URL."""
        return [
            {"url": url, "sha256": digest, "capture": self._captures.get(url)}
            for url, digest in sorted(self.digests.items())
        ]


class _Sources:
    """What has named the posts, by their keys."""

    def __init__(self, states: Mapping[str, Any]) -> None:
        self._first = {
            key: (source, document)
            for source, documents in states.get(NAMED_BY, {}).items()
            for document, keys in documents.items()
            for key in keys
        }
        feed = states.get(COMMENT_FEED, {})
        self._comment_feed, self.commented = feed.get("url") or "", feed.get("told", {}).keys()
        captured = states.get(CAPTURED_FEEDS) or {"captures": []}
        self.feed_captures = sorted(captured["captures"], key=lambda capture: (capture["time"], capture["place"]))

    def first(self, key: str) -> tuple[str, str]:
        """The kind and the address of what has named a post first."""
        return self._first.get(key, (UNRECORDED, ""))

    def all(self, key: str) -> list[dict[str, str | None]]:
        """All that is known to have named a post."""
        named = [self.first(key), *([("comment feed", self._comment_feed)] if key in self.commented else [])]
        return [{"source": source, "document": document or None} for source, document in named]


def _digest_of(digests: Mapping[str, str]) -> str:
    """The digest of digests by URL: of lines as `sha256sum` prints them, sorted by URL."""
    lines = "".join(f"{digest}  {url}\n" for url, digest in sorted(digests.items()))
    return hashlib.sha256(encoded(lines)).hexdigest()


def _moment(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat(timespec="seconds")


def _container(place: str) -> str:
    """The WARC file or the web archive that a capture is in, or the export of the blog."""
    if is_http(place):
        return "{0.scheme}://{0.netloc}".format(urlsplit(place))
    return place.rpartition("#")[0] or place


def _span(pages: list[tuple[str, str | None]]) -> dict[str, Any]:
    """The number of pages, the first and last time, and the number of pages in each place."""
    times = [time for time, _ in pages]
    places = _counted(place for _, place in pages if place is not None)
    return {"count": len(pages), "first": min(times, default=None), "last": max(times, default=None), "places": places}


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


# ----------------------------------------------------------------------------------------------------------- statements


def schema() -> str:
    """Return the JSON Schema (draft 2020-12) of a statement."""
    return data_text(SCHEMA)


def statements(selection: Selection) -> Iterator[tuple[str, bytes]]:
    """The statement of each blog, for packages: a name, and JSON. Without a time, so that packages do not change."""
    for blog in selection.blogs:
        yield blog_name(blog), json_line(statement_of(selection.archive, blog))


def read_statement(path: Path) -> dict[str, Any]:
    """Read a statement from a file. Raises BadArgument."""
    import jsonschema_rs  # imported late to start faster

    try:
        statement: dict[str, Any] = json.loads(path.read_bytes())
        jsonschema_rs.validate(json.loads(schema()), statement)
    except OSError as error:
        raise BadArgument(f"{path} cannot be read ({error.strerror}).") from error
    except (ValueError, jsonschema_rs.ValidationError) as error:
        reason = getattr(error, "message", error)
        raise BadArgument(f"{path} is no completeness statement: {reason}") from error
    return statement


def differences(statement: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What differs between a statement and one that is made of the archive now: URLs of posts, or keys; and how."""
    before, after = ({post["url"]: post for post in one["records"]["posts"]} for one in (statement, now))
    for url in sorted(before.keys() | after.keys()):
        if url not in after:
            yield url, "is not in the archive"
        elif url not in before:
            yield url, "is not in the statement"
        elif before[url] != after[url]:
            yield url, "has another record in the archive"
    if statement["records"]["sha256"] != _digest_of({url: post["sha256"] for url, post in before.items()}):
        yield "records", "their digests do not match the digest of all in the statement"
    for name in now:
        if name not in _OF_MAKING and statement[name] != now[name]:
            yield name, f"{_shown(statement[name])} in the statement, {_shown(now[name])} in the archive"


def _shown(value: Any) -> str:  # noqa: ANN401
    return f"{len(value)} in number" if isinstance(value, list) else json.dumps(value, ensure_ascii=False)
