"""`blogcrawler blogs`: list the blogs of the archive; `blogs add URL…` and `blogs add --opml FILE` add some.
`blogcrawler monitor` crawls added blogs, until `blogs remove URL…`. `blogs find PLACE` lists those of a collection of
captures."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape

from blogcrawler.backend import Archive
from blogcrawler.command import ArchiveCommand, blog_url
from blogcrawler.downloader.captured import INDEX_FOLDER
from blogcrawler.errors import BadArgument, BlogcrawlerError
from blogcrawler.feeds import home_of_usual
from blogcrawler.feeds.address import conventions, feed_folder, is_feed_address
from blogcrawler.feeds.opml import MOST_BYTES, read_opml
from blogcrawler.reporting import FAILED, end, exit_on_error, plain_console, say, table
from blogcrawler.status import standings
from blogcrawler.urls import is_http, parse_start_url

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from rich.console import Console

    from blogcrawler.sources.blog_search import FoundBlog
    from blogcrawler.sources.index import IndexProgress

FOUND_HEADINGS = ("blog", "dated pages", "captures", "years", "feed")
HEADINGS = ("blog", "posts", "no longer online", "last crawl", "next due", "state")
SHOWN = 100
"""Longest title in a message, in characters."""


class Command(ArchiveCommand):
    """Lists, adds and removes blogs."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """List, add or remove blogs."""
        database_url = self.settings["DATABASE_URL"]
        with exit_on_error():
            if not args:
                show(database_url, plain_console())
                return
            if args[0] == "find":
                find(Path(args[1]), Path(self.settings["ARCHIVE"]) / INDEX_FOLDER, is_json=opts.json)
                return
            is_adding = args[0] == "add"
            refused = add(database_url, args[1:], opts.opml) if is_adding else remove(database_url, args[1:])
        if refused:
            for sentence in refused[:-1]:
                say(sentence)
            end(refused[-1], FAILED)


def add(database_url: str, addresses: Iterable[str], opml: str | None) -> list[str]:
    """Add blogs by URL and from an OPML file; return an error message for each blog of the file that was not added.
    Raises BadArgument for an invalid URL or an unreadable file, before any blog is added."""
    asked = [(blog_url(address),) for address in addresses]
    listed, refused = _listed(opml) if opml is not None else ([], [])
    with Archive.open(database_url) as archive:
        blogs = _each_once(map(_with_home, [*asked, *listed]))
        wanted = {archive.key_of(url) for blog in archive.register.wanted() for url in _with_home((blog.url,))}
        fresh = {
            archive.key_of(urls[0]): urls[0]
            for urls in blogs
            if wanted.isdisjoint(map(archive.key_of, urls)) and not any(map(archive.find_blog, urls))
        }
        count = archive.register.want(fresh, now=datetime.now(UTC))
        count += _follow_again(archive, blogs)
    known = len(blogs) - count
    print(f"{_blogs(count)} added" + (f", {_blogs(known)} already known." if known else "."))
    return refused


def _follow_again(archive: Archive, blogs: Iterable[Iterable[str]]) -> int:
    """Let monitors crawl again the blogs that were removed before; return their number. Each blog is given by its
    URLs."""
    homes = {home for urls in blogs for url in urls if (home := archive.find_blog(url)) is not None}
    left = [home for home in homes if not archive.blog(home).is_followed]
    for home in left:
        archive.register.follow(home, is_followed=True)
    return len(left)


def remove(database_url: str, addresses: Iterable[str]) -> list[str]:
    """Stop monitoring blogs; return an error message for each unknown one. Their records stay in the archive. Raises
    BadArgument for an invalid URL, before any blog is removed."""
    urls, refused, count = [parse_start_url(address) for address in addresses], [], 0
    with Archive.open(database_url, make=False) as archive:
        for url in urls:
            home = archive.find_blog(url)
            was_wanted = archive.register.unwant(_wanted_at(archive, url))
            if home is not None:
                archive.register.follow(home, is_followed=False)
            elif not was_wanted:
                refused.append(f"The archive has no blog at {url}. To list the blogs: blogs")
                continue
            count += 1
    print(f"{_blogs(count)} removed from monitoring. Archived posts are kept.")
    return refused


def _wanted_at(archive: Archive, url: str) -> list[str]:
    """Return the keys of added blogs that may be the blog at this URL."""
    here = set(map(archive.key_of, _with_home((url,))))
    return [one.key for one in archive.register.wanted() if here & set(map(archive.key_of, _with_home((one.url,))))]


def _with_home(urls: tuple[str, ...]) -> tuple[str, ...]:
    """Return the URLs of a blog. If only its feed's URL is known, and is a usual one, add the home page's."""
    home = home_of_usual(urls[0]) if len({*map(Archive.key_of, urls)}) == 1 else None
    return urls if home is None else (*urls, home)


def _each_once(addresses: Iterable[tuple[str, ...]]) -> list[list[str]]:
    """Group URLs by blog, in their order: URLs that come together belong to one blog."""
    leaders: dict[str, str] = {}

    def leader(key: str) -> str:
        while (above := leaders.setdefault(key, key)) != key:
            leaders[key] = leaders[above]
            key = above
        return key

    keyed = [[(url, Archive.key_of(url)) for url in urls] for urls in addresses]
    for (_, first), *others in keyed:
        for _, other in others:
            leaders[leader(other)] = leader(first)
    blogs: dict[str, dict[str, str]] = {}
    for url, key in (one for urls in keyed for one in urls):
        blogs.setdefault(leader(key), {}).setdefault(key, url)
    return [list(urls.values()) for urls in blogs.values()]


def _listed(opml: str) -> tuple[list[tuple[str, ...]], list[str]]:
    """Return the blogs of an OPML file, each as its URLs, and an error message for each that cannot be added."""
    try:
        with Path(opml).open("rb") as file:
            body = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise BadArgument(f"{opml} cannot be read: {error.strerror}. Give an OPML file.") from error
    addresses: list[tuple[str, ...]] = []
    blogs, damage = read_opml(body, opml)
    refused = [damage] if damage else []
    for subscription in blogs:
        try:
            url = parse_start_url(subscription.url)
        except BadArgument as error:
            name = f" ({subscription.title[:SHOWN]})" if subscription.title else ""
            refused.append(f"A blog of {opml}{name} was not added: {error}")
        else:
            addresses.append((url, *([subscription.feed_url] if is_http(subscription.feed_url) else [])))
    return addresses, refused


def _blogs(count: int) -> str:
    return "1 blog" if count == 1 else f"{count} blogs"


def show(database_url: str, console: Console) -> None:
    """Print a table of the blogs."""
    with Archive.open(database_url, make=False) as archive:
        found, counts = standings(archive, datetime.now(UTC)), archive.counts()
    if not found:
        raise BlogcrawlerError(
            "The archive has no blogs yet. To add one: blogcrawler blogs add http://blog.example.org/"
        )
    rows = []
    for one in found:
        posts, gone = counts.get(one.row.id, (0, 0)) if one.row else (0, 0)
        rows.append((one.url, str(posts), str(gone), one.crawled, one.due, one.state))
    console.print(table(HEADINGS, rows, numbers={"posts", "no longer online"}))


def find(place: Path, index_folder: Path, *, is_json: bool) -> None:
    """Print the blogs of a collection of captures, those with most posts first: a table, or an object a line."""
    from rich.console import Console

    from blogcrawler.sources.blog_search import find_blogs
    from blogcrawler.sources.local_captures import LocalCaptures  # fastwarc takes a while to import

    with Console(stderr=True).status(f"Reading {place}") as status:
        captures = LocalCaptures.open(place, index_folder, lambda progress: status.update(_line(progress)))
    with closing(captures):
        found = sorted(
            find_blogs(captures.rows(), feed_depth), key=lambda one: (-one.dated_pages, -one.captures, one.url)
        )
    if is_json:
        for one in found:
            print(json.dumps(asdict(one), ensure_ascii=False))
    elif found:
        rows = [
            (one.url, f"{one.dated_pages:,}", f"{one.captures:,}", _years(one), " ".join(one.feeds[:1]))
            for one in found
        ]
        plain_console().print(table(FOUND_HEADINGS, rows, numbers={"dated pages", "captures"}))
    state = captures.state
    if state.damaged or state.missing:
        say(f"{state.damaged:,} damaged records were skipped, and {state.missing:,} files are missing.")
    if not found:
        raise BlogcrawlerError(f"{place} has no captures of blogs: no feeds, and no permalinks with dates.")


def feed_depth(url: str, mime: str) -> int | None:
    """How many folders above the pages of a feed there are; None if the address and media type are not of a feed."""
    known = conventions()
    try:
        is_feed = mime in known.types or ((not mime or mime in known.vague_types) and is_feed_address(url))
        return len(feed_folder(url)) if is_feed else None
    except ValueError:  # an address that cannot be split
        return None


def _line(progress: IndexProgress) -> str:
    return (
        f"Reading {escape(progress.path)}: {progress.files_done:,} of {progress.files:,} files, "
        f"{progress.captures:,} captures added"
    )


def _years(blog: FoundBlog) -> str:
    return "–".join(map(str, dict.fromkeys((blog.first_year, blog.last_year))))
