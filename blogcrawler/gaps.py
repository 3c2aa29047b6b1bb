"""The known gaps of a blog in the archive, with the commands that try again."""

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

NOT_REACHED = "the crawl was interrupted before this page"
SELDOM = 0.5
"""Share of posts without a field above which the blog probably does not show the field."""


class Kind(StrEnum):
    POST = "post"
    COMMENTS = "comments"
    FILE = "file"
    FIELD = "field"


@dataclass(frozen=True)
class Gap:
    kind: Kind
    #: URL of the post or file; of the blog if the gap stands for several
    url: str
    #: what is missing and why, in the same words for all gaps of this kind
    lacks: str
    #: the command that tries again
    command: str
    #: number of posts, comments or files
    count: int = 1


@dataclass
class Alike:
    """Gaps that differ only in their URLs."""

    kind: Kind
    lacks: str
    command: str
    #: number of posts, comments or files
    count: int = 0
    #: number of gaps, which may stand for several comments each
    gaps: int = 0
    #: the first of their URLs
    examples: list[str] = field(default_factory=list)


def alike(gaps: Iterable[Gap], examples: int) -> list[Alike]:
    """Group gaps by kind and reason, in the order of their first occurrence, with example URLs."""
    groups: dict[tuple[str, str, str], Alike] = {}
    for gap in gaps:
        group = groups.setdefault((gap.kind, gap.lacks, gap.command), Alike(gap.kind, gap.lacks, gap.command))
        group.count += gap.count
        group.gaps += 1
        if len(group.examples) < examples:
            group.examples.append(gap.url)
    return list(groups.values())


def find_gaps(archive: Archive, blog: BlogRow) -> Iterator[Gap]:
    """Yield the gaps of a blog: posts, comments, files, fields. O(n) in its posts and files."""
    posts = list(missing_posts(archive, blog))
    yield from posts
    yield from announced_posts(archive, blog, len(posts))
    yield from _comments(archive, blog)
    yield from _files(archive, blog)
    yield from _fields(archive, blog)


def _again(blog: BlogRow) -> str:
    """Return the command that continues the last crawl or retries temporary failures."""
    return shlex.join(["blogcrawler", "archive", blog.home])


def _anew(blog: BlogRow) -> str:
    """Return the command that crawls the whole blog; a first crawl that is not complete is continued."""
    if not blog.crawl_complete and blog.crawl_kind != "updatecrawl":
        return _again(blog)
    return shlex.join(["blogcrawler", "crawl", "newcrawl", "-a", f"url={blog.home}"])


def missing_posts(archive: Archive, blog: BlogRow) -> Iterator[Gap]:
    """Yield posts that failed or were not reached."""
    for failure in archive.failures(blog.home).all():
        yield Gap(Kind.POST, failure.url, failure.reason, _again(blog) if failure.is_temporary else _anew(blog))
    if not blog.crawl_complete:
        for row in archive.frontier_store(blog.home).load("pending"):
            if row["is_post"]:
                yield Gap(Kind.POST, row["url"], NOT_REACHED, _again(blog))


def announced_posts(archive: Archive, blog: BlogRow, known: int) -> Iterator[Gap]:
    """Yield the number of announced posts that are missing, besides the `known` ones."""
    archived = archive.count(blog.home)
    for name, state in archive.load_source_states(blog.home).items():
        total = state.get("total")
        if isinstance(total, int) and total > archived + known:
            lacks = f"the {name} announces {total} posts, {archived} are archived"
            yield Gap(Kind.POST, blog.home, lacks, _anew(blog), total - archived - known)
            return


def _comments(archive: Archive, blog: BlogRow) -> Iterator[Gap]:
    late = LatePosts(archive, blog.home, LATE_COMMENTS)
    for one in archive.lacking(blog.home):
        if one.missing_comments:
            is_late = one.url in late
            lacks = "their server failed temporarily" if is_late else "fewer are archived than announced"
            yield Gap(Kind.COMMENTS, one.url, lacks, _again(blog) if is_late else _anew(blog), one.missing_comments)


def _files(archive: Archive, blog: BlogRow) -> Iterator[Gap]:
    """Yield missing files, each once, even if several posts show it."""
    late = LatePosts(archive, blog.home, LATE_MEDIA)
    seen_urls = set[int]()
    for file in archive.lacking_files(blog.home):
        if (key := hash(file.url)) not in seen_urls:
            seen_urls.add(key)
            yield Gap(Kind.FILE, file.url, file.error, _again(blog) if file.post in late else _anew(blog))


def _fields(archive: Archive, blog: BlogRow) -> Iterator[Gap]:
    """Yield empty fields of posts; a single gap for the blog if it probably does not show the field."""
    total = archive.count(blog.home)
    counts = Counter(name for post in archive.lacking(blog.home) for name in post.empty)
    common = {name for name in FIELDS if counts[name] > SELDOM * total}
    for name in FIELDS:
        if name in common:
            lacks = f"no {name}, like most posts of the blog"
            yield Gap(Kind.FIELD, blog.home, lacks, _anew(blog), counts[name])
    for post in archive.lacking(blog.home) if set(counts) - common else ():
        for name in post.empty:
            if name not in common:
                yield Gap(Kind.FIELD, post.url, f"no {name}", _anew(blog))
