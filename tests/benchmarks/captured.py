"""How well blogs are brought back from captures, beside crawls of the blogs themselves.

    python -m tests.benchmarks.captured [BLOG …] [--corpus FOLDER] [--missing SHARE] [--keep FOLDER]

Each blog of the corpus is written as a WARC file, as if it had been captured over the years: its feeds on eight days, each
post some time after it was published, lists once more without a change (revisit records), and a share of the posts not at
all. Posts of the first and second third of the years have other designs: other names, elements and headings. Then the
blog is crawled twice, live and from the file; fields are scored as in `scoring`, over the posts with a captured page.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from lxml import html as lxml_html
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from blogcrawler.crawl.reasons import NOT_CAPTURED
from blogcrawler.errors import NotAFeed
from blogcrawler.feeds import parse_feed
from blogcrawler.urls import identity
from tests.benchmarks.crawl_cost import crawl_of
from tests.benchmarks.replayed import CORPUS, member
from tests.benchmarks.revisions.blogs import FrozenBlog, Served, corpus_blogs
from tests.benchmarks.revisions.messages import Answer, Request
from tests.benchmarks.revisions.proxy import RecordingProxy
from tests.benchmarks.scoring import FIELDS, scores
from tests.crawl.running import environment, read_records

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

DAYS_OF_FEEDS = 8
AFTER = timedelta(days=60)
"""How long after a post was published its page is captured."""
_ELEMENTS = {"div": "section", "section": "div", "h1": "h2", "h2": "h3", "h3": "h4", "ul": "ol", "article": "main"}


@dataclass(frozen=True)
class Truth:
    """What a blog of the corpus has."""

    pages: Sequence[Mapping[str, Any]]
    posts: Mapping[str, Mapping[str, Any]]

    @classmethod
    def of(cls, file: Path) -> Truth:
        pages, posts = (
            list(map(json.loads, member(file, name).splitlines())) for name in ("index.jsonl", "truth.jsonl")
        )
        return cls(pages, {identity(post["url"]): post for post in posts})

    def published(self, url: str) -> datetime | None:
        """When the post at an address was published."""
        day = self.posts.get(identity(url), {}).get("published")
        return _naive(day) if day else None

    @property
    def years(self) -> tuple[datetime, datetime]:
        """The days of the first post, and after the last one."""
        days = [_naive(post["published"]) for post in self.posts.values() if post.get("published")]
        return min(days), max(days) + AFTER


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("blogs", nargs="*", metavar="BLOG")
    reader.add_argument("--corpus", type=Path, default=CORPUS)
    reader.add_argument("--missing", type=float, default=0.1, help="share of the posts whose pages were not captured")
    reader.add_argument("--keep", type=Path, help="keep the WARC files and records here")
    arguments = reader.parse_args()
    chosen = [blog for blog in corpus_blogs(arguments.corpus) if not arguments.blogs or blog.name in arguments.blogs]
    print(
        "| blog | captured | found | not captured | of them in feeds | from feeds | named |",
        *(f" {name} live → captured |" for name in FIELDS),
    )
    for blog in chosen:
        assert isinstance(blog, FrozenBlog)
        with tempfile.TemporaryDirectory() as place:
            folder = (arguments.keep or Path(place)) / blog.name
            print(line(blog, folder, arguments.missing), flush=True)
    return 0


def line(blog: FrozenBlog, folder: Path, missing: float) -> str:
    """Crawl a blog live and from captures; the line of the table."""
    truth, file = Truth.of(blog.file), folder / "captures.warc.gz"
    (folder / "live").mkdir(parents=True)
    with blog.serve() as served:
        captured, in_feeds = write(file, served, truth, missing)
        with RecordingProxy(served.answer) as proxy:
            live = crawl(folder / "live", served.home, proxy=proxy.url)
        again = crawl(folder, served.home, "-a", f"source={file}")
    found = [url for url in captured if url in again]
    shares = [f" {_mean(live, truth, captured, name)} → {_mean(again, truth, captured, name)} |" for name in FIELDS]
    lost = truth.posts.keys() - captured
    named = {identity(url) for url in _not_captured(folder)}
    counts = (captured, found, lost, lost & in_feeds, lost & again.keys(), lost & named)
    return " ".join([f"| {blog.name} |", *(f"{len(urls)} |" for urls in counts), *shares])


def _not_captured(folder: Path) -> list[str]:
    """The addresses that `blogcrawler gaps` names as not captured."""
    command = [sys.executable, "-m", "blogcrawler", "gaps", "--jsonl"]
    printed = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)
    gaps = map(json.loads, printed.stdout.splitlines())
    return [gap["url"] for gap in gaps if gap["lacks"] == NOT_CAPTURED]


def crawl(folder: Path, home: str, *more: str, proxy: str | None = None) -> dict[str, dict[str, Any]]:
    """The records of a crawl, by the identity of their addresses."""
    command = [sys.executable, "-m", "blogcrawler", *crawl_of(home), *more]
    with (folder / "log").open("w") as log:
        subprocess.run(command, cwd=folder, env=environment(proxy), stdout=log, stderr=log, check=False)
    (records,) = folder.glob("*.jsonl")
    return {identity(record["url"]): record for record in read_records(records)}


def _mean(records: Mapping[str, Any], truth: Truth, urls: Sequence[str], name: str) -> str:
    found = [scored[name] for url in urls if name in (scored := scores(truth.posts[url], records.get(url, {})))]
    return f"{fmean(found):.3f}" if found else "-"


# ---------------------------------------------------------------------------------------------------------- captures


def write(file: Path, served: Served, truth: Truth, missing: float) -> tuple[list[str], set[str]]:
    """Write the captures of a blog; the posts whose pages were captured, and those in captured feeds."""
    captured, in_feeds = [], set[str]()
    with file.open("wb") as stream:
        writer = WARCWriter(stream, gzip=True)
        for url, moment, design in _visits(truth, missing):
            served.set_day("" if moment is None else moment.isoformat())
            answer = served.answer(Request("GET", url, {}))
            _add(writer, url, moment or truth.years[1], _designed(answer, design))
            if identity(url) in truth.posts:
                captured += [identity(url)] if answer.status == 200 else []
            elif moment is not None:
                in_feeds |= _entries(answer, url)
            elif answer.status == 200:
                _add(writer, url, truth.years[1] + AFTER, answer, is_revisit=True)
    served.set_day("")
    return list(dict.fromkeys(captured)), in_feeds


def _entries(answer: Answer, url: str) -> set[str]:
    try:
        return {identity(entry.url) for entry in parse_feed(answer.body, url).entries}
    except NotAFeed:
        return set()


def _visits(truth: Truth, missing: float) -> Iterator[tuple[str, datetime | None, int]]:
    """Address, day (None: the last one) and design of each capture."""
    first, last = truth.years
    step = (last - first) / DAYS_OF_FEEDS
    for page in truth.pages:
        url, published = page["url"], truth.published(page["url"])
        if page.get("role") in ("feed", "other-feed"):
            yield from ((url, first + number * step, 0) for number in range(1, DAYS_OF_FEEDS + 1))
        elif identity(url) not in truth.posts:
            yield url, None, 0
        elif int(hashlib.sha256(identity(url).encode()).hexdigest(), 16) % 1000 >= 1000 * missing:
            day = min(last, (published or last) + AFTER)
            yield url, day, 2 - int(min(2, 3 * (day - first) / (last - first)))


def _designed(answer: Answer, design: int) -> Answer:
    """A page in another design; 0 is its own."""
    kind = answer.headers.get("Content-Type", "")
    if not design or "html" not in kind or answer.status != 200:
        return answer
    charset = re.search(r"charset=([\w-]+)", kind)
    tree = lxml_html.document_fromstring(answer.body, parser=lxml_html.HTMLParser(encoding=charset and charset[1]))
    for element in tree.iter("*"):
        if design == 2:
            element.tag = _ELEMENTS.get(element.tag, element.tag)
        for name in ("class", "id"):
            if element.get(name) and not re.search(r"\d", element.get(name)):
                element.set(name, " ".join(_scrambled(word, design) for word in element.get(name).split()))
    body = lxml_html.tostring(tree, encoding="utf-8", doctype="<!DOCTYPE html>")
    return Answer(200, {**answer.headers, "Content-Type": "text/html; charset=utf-8"}, body)


def _scrambled(word: str, design: int) -> str:
    """Another name for the same thing, without digits, as names of themes are."""
    return "".join(chr(ord("a") + byte % 26) for byte in hashlib.sha256(f"{design} {word}".encode()).digest()[:8])


def _add(writer: Any, url: str, moment: datetime, answer: Answer, *, is_revisit: bool = False) -> None:
    date = f"{moment:%Y-%m-%dT%H:%M:%SZ}"
    head = StatusAndHeaders(f"{answer.status} Captured", list(answer.headers.items()), protocol="HTTP/1.1")
    dated = {"WARC-Date": date}
    if is_revisit:
        digest = "sha1:" + _base32(answer.body)
        record = writer.create_revisit_record(url, digest, url, date, http_headers=head, warc_headers_dict=dated)
    else:
        record = writer.create_warc_record(
            url, "response", payload=BytesIO(answer.body), http_headers=head, warc_headers_dict=dated
        )
    writer.write_record(record)
    if record.raw_stream is not None:
        record.raw_stream.close()


def _base32(body: bytes) -> str:
    return base64.b32encode(hashlib.sha1(body, usedforsecurity=False).digest()).decode()


def _naive(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=None, microsecond=0)


if __name__ == "__main__":
    raise SystemExit(main())
