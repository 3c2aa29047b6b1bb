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
_OF_MAKING = ("time", "program", "records")
"""Keys that `differences` does not compare as a whole."""


def statement_of(archive: Archive, blog: BlogRow, time: datetime | None = None) -> dict[str, Any]:
    """Return the statement as JSON types; `time` is when it is made. Reads all records of the blog. O(n)."""
    states = archive.load_source_states(blog.home)
    named, comments = states.get(NAMED_BY, {}), states.get(COMMENT_FEED, {})
    archived, missing = _Archived(), sorted(missing_posts(archive, blog), key=lambda gap: gap.url)
    for post in archive.posts(blog.home):
        archived.add(post)
    keys = {archive.key_of(url) for url in (*archived.digests, *(gap.url for gap in missing))}

    def named_by(key: str) -> Iterator[dict[str, str | None]]:
        source, document = (*named.get(key, ("unrecorded",)), None)[:2]
        yield {"source": source, "document": document or None}
        if key in comments.get("told", {}):
            yield {"source": "comment feed", "document": comments.get("url")}

    return {
        "schema": json.loads(schema())["$id"],
        "time": _moment(time),
        "program": f"blogcrawler {__version__}",
        "blog": {"home": blog.home, "title": blog.title, "feed": blog.feed_url},
        "crawl": {
            "kind": blog.crawl_kind,
            "started": _moment(blog.crawl_started),
            "finished": _moment(blog.crawl_finished),
            "complete": blog.crawl_complete,
            "reason": blog.crawl_reason,
        },
        "known": {
            "posts": len(keys),
            "first_named_by": _counted(named.get(key, ("unrecorded",))[0] for key in keys),
            "in_comment_feed": len(keys & comments.get("told", {}).keys()),
        },
        "archived": {"posts": len(archived.digests), "no_longer_online": archived.gone},
        "missing": [
            {"url": gap.url, "reason": gap.lacks, "named_by": list(named_by(archive.key_of(gap.url)))}
            for gap in missing
        ],
        "announced": [
            {"posts": gap.count, "reason": gap.lacks} for gap in announced_posts(archive, blog, len(missing))
        ],
        "pages": {
            "fetched": _span(archived.fetched),
            "captures": _span([(one["time"], one["place"]) for one in archived.captures.values()]),
        },
        "feed_captures": sorted(
            states.get(CAPTURED_FEEDS, {}).get("captures", ()), key=lambda one: (one["time"], one["place"])
        ),
        "confidence": archived.confidence(),
        "records": {
            "sha256": _digest_of(archived.digests),
            "posts": [
                {"url": url, "sha256": digest, "capture": archived.captures.get(url)}
                for url, digest in sorted(archived.digests.items())
            ],
        },
    }


class _Archived:
    """What the records of a blog show."""

    def __init__(self) -> None:
        #: SHA-256 of each record, and the captures by others of which records were made, by URL
        self.digests: dict[str, str] = {}
        self.captures: dict[str, dict[str, str]] = {}
        #: time and position of the pages that this program fetched
        self.fetched: list[tuple[str, str | None]] = []
        self.gone = 0
        self._trusts: Counter[tuple[str, str]] = Counter()

    def add(self, post: KeptPost) -> None:
        """Add a post."""
        record, come = post.record, post.record.provenance
        self.digests[record.url] = hashlib.sha256(json_line(record.to_dict()).rstrip(b"\n")).hexdigest()
        self.gone += post.gone is not None
        self._trusts.update((name, origin.trust) for name, origin in come.fields.items())
        if come.capture is not None:
            self.captures[record.url] = asdict(come.capture)
        elif come.fetched is not None:
            self.fetched.append((come.fetched, come.warc))

    def confidence(self) -> dict[str, dict[str, int]]:
        """The number of posts with each field, by its confidence, and without it."""
        counts = {}
        for name in sorted({*FIELDS, *(name for name, _ in self._trusts)}):
            counts[name] = {trust: self._trusts[name, trust] for trust in TRUSTS}
            counts[name]["empty"] = len(self.digests) - sum(counts[name].values())
        return counts


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
    places = _counted(_container(place) for _, place in pages if place)
    return {"count": len(pages), "first": min(times, default=None), "last": max(times, default=None), "places": places}


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


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
