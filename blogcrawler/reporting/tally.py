"""The counts of a crawl, kept in Scrapy's stats under `blogcrawler/`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

Value = TypeVar("Value")
_SINCE = ("since/new", "since/edited", "since/gone")
STOPS = {
    "page_limit": "the limit of {limit} {page} was reached",
    "time_limit": "the limit of {limit:g} seconds was reached",
    "no_time_to_learn": "the limit of {limit:g} seconds was reached before the first post was fetched",
    "low_harvest": "the last {pages} pages led to {posts} new posts, fewer than {limit}",
    "known_posts_again": "{again} of {posts} posts were linked again, and the last {pages} pages led to no other",
    "one_list_has_all": "one list has all posts: {pages} pages linked to {again} of them again and to no other",
    "source_complete": "all posts listed by the {source} were fetched, and {pages} other {page} led to no more",
    "site_closed": "the site no longer lets the crawler in",
    "kinds_left_out": "nothing was left but {pages} {page} of kinds that led to no new post",
}
"""Why a stop rule ended a crawl, by its reason."""
EXAMPLES = 3
"""URLs that are kept for each reason of failure."""


class _Count:
    """One of the stats that is counted, as an attribute; 0 before it is."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, tally: Tally, _: object = None) -> int:
        return tally.count(self._name)

    def __set__(self, tally: Tally, value: int) -> None:
        tally.stats.set_value(self._name, value)


class _Value(Generic[Value]):
    """One of the stats that is set, as an attribute; `without` before it is."""

    def __init__(self, name: str, without: Value) -> None:
        self._name, self._without = name, without

    def __get__(self, tally: Tally, _: object = None) -> Value:
        return cast("Value", tally.stats.get_value(self._name, self._without))

    def __set__(self, tally: Tally, value: Value) -> None:
        tally.stats.set_value(self._name, value)


class _Counts:
    """Several of the stats below a name, as an attribute."""

    def __init__(self, begin: str, *names: str) -> None:
        self._names = {name: f"{begin}/{name}" for name in names}

    def __get__(self, tally: Tally, _: object = None) -> dict[str, int]:
        return {name: tally.count(stat) for name, stat in self._names.items()}


class Tally:
    """Counts what happens in a crawl, and reads the counts."""

    #: pages that could not be had, and are tried again by the same command
    left_for_later = _Count("blogcrawler/unavailable")
    #: posts that were met and were removed from the archive on request
    left_out = _Count("blogcrawler/purged")
    #: records that are handed on as the archive has them
    records_recalled = _Count("blogcrawler/recalled")
    #: requests that were sent, those for robots.txt, feeds and lists among them
    requests = _Count("downloader/request_count")
    #: posts that are kept, and are not on the web any more since this crawl
    posts_gone = _Count("blogcrawler/gone")
    #: posts that are kept, and have another address since this crawl
    posts_moved = _Count("blogcrawler/moved")
    #: from how many pages another design was learned; 0 where the old one still fits
    learned_anew = _Count("blogcrawler/redesigned")
    #: pages fetched
    pages = _Count("blogcrawler/pages")
    #: posts found
    posts = _Count("blogcrawler/posts")
    #: pages that ended early each time they were asked for, and were taken as far as they went
    cut_pages = _Count("blogcrawler/downloader/truncated/kept")
    #: URLs that wait
    pending = _Count("blogcrawler/frontier/pending")
    #: posts that a list of all posts, such as a sitemap, names
    listed = _Count("blogcrawler/listed")
    #: what the crawl is at, for people; empty while it fetches pages one by one
    phase = _Value("blogcrawler/phase", "")
    #: the title of the post that was kept last
    newest_title = _Value[str | None]("blogcrawler/newest_title", None)
    #: records that came out of the pipeline
    records = _Count("item_scraped_count")
    #: records with neither a title nor a date
    bare_records = _Count("blogcrawler/bare")
    #: pages that were shown in a browser
    rendered = _Count("blogcrawler/rendering/pages")
    #: posts in the archive when the crawl ends, those of its earlier parts included; None before
    kept = _Value[int | None]("blogcrawler/kept", None)
    #: the file with the report of the crawl; None where there is none
    report = _Value[str | None]("blogcrawler/report", None)
    #: True where entries were read from list pages, for want of a feed; the feed where it leads to no post
    has_no_feed = _Value[bool | str]("blogcrawler/no_feed", False)
    #: the blog's feed, and since which day (ISO 8601) it has told of no post; None where it does
    lost_feed = _Value[tuple[str, str] | None]("blogcrawler/lost_feed", None)
    #: when the crawl began that this one goes on with; None for a new one
    goes_on_since = _Value[datetime | None]("blogcrawler/goes_on_since", None)
    #: True where the crawl brings an archive up to date
    is_update = _Value("blogcrawler/is_update", False)
    #: why a stop rule ended the crawl; None where none did
    stop = _Value[str | None]("blogcrawler/stopped_because", None)
    #: why no browser could be used; None where one could, or none was needed
    no_browser = _Value[str | None]("blogcrawler/rendering/no_browser", None)
    #: what became of the blog's posts in each repository besides the archive
    propagated = _Value[Sequence[Mapping[str, Any]]]("blogcrawler/propagated", ())
    #: pages that were no posts: `lists` that lead to posts, and `others`
    other_pages = _Counts("blogcrawler/other_pages", "lists", "others")
    #: how many records were `new` to the archive, `changed`, or say the `same` as before
    saved = _Counts("blogcrawler/saved", "new", "changed", "same")
    #: files of posts: those `stored` now, `known` before and `failed`, `bytes`, and `late` posts that lack some
    media = _Counts("blogcrawler/media", "stored", "known", "failed", "bytes", "late")
    #: hosts of files and comments that could not be reached, and some of them
    unreachable_hosts = _Count("blogcrawler/downloader/unreachable_hosts")
    unreachable_examples = _Value[Sequence[str]]("blogcrawler/downloader/unreachable_hosts/examples", ())
    #: comments that were `found`, the `posts` that have some, those that are `cut` since their feed does not hold all,
    #: those that are `late` since a server did not answer, the `requests` for comments, and those of them that were
    #: `in_vain`; and what is `since/new`, `since/edited` and `since/gone` on posts that an earlier crawl knew
    comments = _Counts("blogcrawler/comments", "found", "posts", "cut", "late", "requests", "in_vain", *_SINCE)

    def __init__(self, stats: StatsCollector) -> None:
        self.stats = stats

    def count(self, name: str) -> int:
        """One of the stats; 0 before it is counted."""
        return int(self.stats.get_value(name, 0))

    def other_page(self, *, leads_to_posts: bool) -> None:
        """A page that was fetched is no post; it may lead to posts, as lists do."""
        self.stats.inc_value(f"blogcrawler/other_pages/{'lists' if leads_to_posts else 'others'}")

    def failure(self, reason: str, url: str) -> None:
        """A page could not be used; the reason is a few words, the same for all pages that failed alike."""
        self.stats.inc_value(f"blogcrawler/failures/{reason}")
        examples = self.stats.get_value("blogcrawler/failure_examples") or {}
        urls = examples.setdefault(reason, [])
        if len(urls) < EXAMPLES:
            urls.append(url)
        self.stats.set_value("blogcrawler/failure_examples", examples)

    def expected(self, posts: int, source: str) -> None:
        """A source announces so many posts."""
        self.stats.set_value("blogcrawler/expected", posts)
        self.stats.set_value("blogcrawler/expected_by", source)

    def moved(self, *, was_new: bool, is_changed: bool, was_gone: bool = False) -> None:
        """A kept post has another address; it may have counted as a new one, or as gone, before that was seen."""
        self.posts_gone -= was_gone
        self.posts_moved += 1
        self.stats.inc_value("blogcrawler/saved/new", -1 if was_new else 0)
        self.stats.inc_value("blogcrawler/saved/changed", 1 if is_changed else 0)

    def queue(self, pending: int) -> None:
        """So many URLs wait."""
        self.stats.set_value("blogcrawler/frontier/pending", pending)

    def stopped(self, reason: str, **figures: float | str) -> None:
        """Note that a stop rule ended the crawl: its reason, as `frontier.StopReason`, and figures as in `Stop`."""
        page = "page" if (figures.get("pages") or figures.get("limit")) == 1 else "pages"
        self.stop = STOPS[reason].format(**figures, page=page)

    @property
    def found_of_expected(self) -> tuple[int, int, str] | None:
        """Posts that were found, those that a source announces, and which; None where none does."""
        posts = self.stats.get_value("blogcrawler/expected")
        found = self.records if self.kept is None else self.kept
        return (
            None
            if posts is None
            else (found, int(posts) - self.left_out, str(self.stats.get_value("blogcrawler/expected_by")))
        )

    @property
    def failures(self) -> dict[str, tuple[int, list[str]]]:
        """For each reason, how often and some of the URLs; the most frequent first."""
        examples = self.stats.get_value("blogcrawler/failure_examples") or {}
        counts = {reason: int(self.stats.get_value(f"blogcrawler/failures/{reason}", 0)) for reason in examples}
        return {reason: (counts[reason], examples[reason]) for reason in sorted(counts, key=lambda name: -counts[name])}

    @property
    def odd_pages(self) -> dict[str, tuple[int, list[str]]]:
        """What was odd about pages in the browser: how often, and some of the URLs."""
        examples = self.stats.get_value("blogcrawler/rendering/examples") or {}
        return {
            trouble: (int(self.stats.get_value(f"blogcrawler/rendering/troubles/{trouble}", 0)), urls)
            for trouble, urls in examples.items()
        }

    @property
    def lost_comments(self) -> dict[str, tuple[int, str]]:
        """Comment systems that gave no comments: on how many posts, and why."""
        begin = "blogcrawler/comments/lost/"
        counts = {name.removeprefix(begin): n for name, n in self.stats.get_stats().items() if name.startswith(begin)}
        return {
            name: (int(count), str(self.stats.get_value(f"blogcrawler/comments/because/{name}")))
            for name, count in counts.items()
        }

    @property
    def fields(self) -> Mapping[str, dict[str, int]]:
        """For each field, how many records got it from which source."""
        found: dict[str, dict[str, int]] = {}
        for name, value in self.stats.get_stats().items():
            if name.startswith("blogcrawler/fields/"):
                field, _, source = name.removeprefix("blogcrawler/fields/").partition("/")
                found.setdefault(field, {})[source] = int(value)
        return found
