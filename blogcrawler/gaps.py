"""What the archive knows it lacks of a blog, and which command tries again."""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from blogcrawler.backend import FIELDS, LATE_COMMENTS, LATE_MEDIA, LatePosts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from blogcrawler.backend import Archive, BlogRow

NOT_REACHED = "the crawl was cut short before it came to it"
SELDOM = 0.5
"""Share of the posts that lack a field from which on the blog is taken not to tell it."""


class Kind(StrEnum):
    """What is missing."""

    POST = "post"
    COMMENTS = "comments"
    FILE = "file"
    FIELD = "field"


@dataclass(frozen=True)
class Gap:
    """Something that the archive lacks."""

    kind: Kind
    #: of the post or the file; of the blog, where more than one is meant
    url: str
    #: what lacks, and why as far as that is known, in words that are the same for all that lack alike
    lacks: str
    #: what tries again
    command: str
    #: how many posts, comments or files
    count: int = 1


@dataclass
class Alike:
    """Gaps that differ in their addresses alone."""

    kind: Kind
    lacks: str
    command: str
    count: int = 0
    #: the first of their addresses
    examples: list[str] = field(default_factory=list)


def alike(gaps: Iterable[Gap], examples: int) -> list[Alike]:
    """Gaps by what they are, in the order in which the first of them came, with some of their addresses."""
    found: dict[tuple[str, str, str], Alike] = {}
    for gap in gaps:
        one = found.setdefault((gap.kind, gap.lacks, gap.command), Alike(gap.kind, gap.lacks, gap.command))
        one.count += gap.count
        if len(one.examples) < examples:
            one.examples.append(gap.url)
    return list(found.values())


def command_of(spider: str, home: str) -> str:
    """The command that crawls a blog, as a shell takes it."""
    return shlex.join(["blogcrawler", "crawl", spider, "-a", f"url={home}"])


def find_gaps(archive: Archive, blog: BlogRow) -> Iterator[Gap]:
    """What the archive lacks of a blog: posts, comments, files, fields. O(n) in its posts and files."""
    yield from _posts(archive, blog)
    yield from _comments(archive, blog)
    yield from _files(archive, blog)
    yield from _fields(archive, blog)


def _again(blog: BlogRow) -> str:
    """What goes on with the last crawl, or asks again for what could not be had at the time."""
    is_whole = blog.crawl_complete or blog.crawl_kind == "updatecrawl"
    return command_of("updatecrawl" if is_whole else "newcrawl", blog.home)


def _anew(blog: BlogRow) -> str:
    return command_of("newcrawl", blog.home)


def _posts(archive: Archive, blog: BlogRow) -> Iterator[Gap]:
    """Posts that could not be had, that were not come to, or that a source counts."""
    known = 0
    for one in archive.failures(blog.home).all():
        known += 1
        yield Gap(Kind.POST, one.url, one.reason, _again(blog) if one.is_temporary else _anew(blog))
    if not blog.crawl_complete:
        for row in archive.frontier_store(blog.home).load("pending"):
            if row["is_post"]:
                known += 1
                yield Gap(Kind.POST, row["url"], NOT_REACHED, _again(blog))
    yield from _announced(archive, blog, known)


def _announced(archive: Archive, blog: BlogRow, known: int) -> Iterator[Gap]:
    """Posts that a source counts, besides those of which it is `known` that they lack."""
    kept = archive.count(blog.home)
    for name, state in archive.load_source_states(blog.home).items():
        total = state.get("total")
        if isinstance(total, int) and total > kept + known:
            lacks = f"the {name} announces {total} posts, and {kept} are kept"
            yield Gap(Kind.POST, blog.home, lacks, _anew(blog), total - kept - known)
            return


def _comments(archive: Archive, blog: BlogRow) -> Iterator[Gap]:
    late = LatePosts(archive, blog.home, LATE_COMMENTS)
    for one in archive.lacking(blog.home):
        if one.missing_comments:
            is_late = one.url in late
            lacks = "their server could not tell them at the time" if is_late else "fewer are kept than were counted"
            yield Gap(Kind.COMMENTS, one.url, lacks, _again(blog) if is_late else _anew(blog), one.missing_comments)


def _files(archive: Archive, blog: BlogRow) -> Iterator[Gap]:
    """Files, each once, however many posts show it."""
    late = LatePosts(archive, blog.home, LATE_MEDIA)
    told = set[int]()
    for one in archive.lacking_files(blog.home):
        if (key := hash(one.url)) not in told:
            told.add(key)
            yield Gap(Kind.FILE, one.url, one.error, _again(blog) if one.post in late else _anew(blog))


def _fields(archive: Archive, blog: BlogRow) -> Iterator[Gap]:
    """Fields that are empty: of each post, unless the blog seems not to tell them."""
    total = archive.count(blog.home)
    counts = Counter(name for one in archive.lacking(blog.home) for name in one.empty)
    common = {name for name in FIELDS if counts[name] > SELDOM * total}
    for name in FIELDS:
        if name in common:
            lacks = f"no {name}, as most posts of the blog"
            yield Gap(Kind.FIELD, blog.home, lacks, _anew(blog), counts[name])
    for one in archive.lacking(blog.home) if set(counts) - common else ():
        for name in one.empty:
            if name not in common:
                yield Gap(Kind.FIELD, one.url, f"no {name}", _anew(blog))
