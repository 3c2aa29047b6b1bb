"""The counts of a crawl, stored in Scrapy's stats under `blogcrawler/`."""

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
    "one_list_has_all": "one list has all posts: {pages} pages linked only to known posts",
    "source_complete": "all posts listed by the {source} were fetched, and {pages} other {page} led to no more",
    "site_closed": "the site began to refuse the crawler",
    "kinds_left_out": "the remaining {pages} {page} are of kinds that had no new posts",
}
"""The reason why a stop rule ended a crawl, in words."""
EXAMPLES = 3
"""Most example URLs for each reason of failure."""


class _Count:
    """A counter of the stats as an attribute; 0 if it is not set."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, tally: Tally, _: object = None) -> int:
        return tally.count(self._name)

    def __set__(self, tally: Tally, value: int) -> None:
        tally.stats.set_value(self._name, value)


class _Value(Generic[Value]):
    """A value of the stats as an attribute; `without` if it is not set."""

    def __init__(self, name: str, without: Value) -> None:
        self._name, self._without = name, without

    def __get__(self, tally: Tally, _: object = None) -> Value:
        return cast("Value", tally.stats.get_value(self._name, self._without))

    def __set__(self, tally: Tally, value: Value) -> None:
        tally.stats.set_value(self._name, value)


class _Counts:
    """Several counters with a common prefix as an attribute."""

    def __init__(self, begin: str, *names: str) -> None:
        self._names = {name: f"{begin}/{name}" for name in names}

    def __get__(self, tally: Tally, _: object = None) -> dict[str, int]:
        return {name: tally.count(stat) for name, stat in self._names.items()}


class Tally:
    """Counts what happens in a crawl, and reads the counts."""

    #: pages that failed temporarily; the same command retries them
    left_for_later = _Count("blogcrawler/unavailable")
    #: posts found that were removed from the archive on request
    left_out = _Count("blogcrawler/purged")
    #: records that an update takes from the archive unchanged
    records_recalled = _Count("blogcrawler/recalled")
    #: requests sent, including those for robots.txt, feeds and lists
    requests = _Count("downloader/request_count")
    #: archived posts that this crawl found to be no longer online
    posts_gone = _Count("blogcrawler/gone")
    #: archived posts that this crawl found at another URL
    posts_moved = _Count("blogcrawler/moved")
    #: number of pages from which a new design was learned; 0 if the old rules still fit
    learned_anew = _Count("blogcrawler/redesigned")
    #: pages fetched
    pages = _Count("blogcrawler/pages")
    #: posts found
    posts = _Count("blogcrawler/posts")
    #: posts that earlier parts of the crawl have archived
    archived_before = _Count("blogcrawler/archived_before")
    #: pages that were truncated at each attempt, and were used as they were
    cut_pages = _Count("blogcrawler/downloader/truncated/kept")
    #: URLs in the frontier
    pending = _Count("blogcrawler/frontier/pending")
    #: posts listed by a complete list, such as a sitemap
    listed = _Count("blogcrawler/listed")
    #: number of posts listed there that are no longer online, by HTTP status; counted at the end of the crawl
    listed_gone = _Value[Mapping[str, int]]("blogcrawler/listed_gone", {})
    #: the phase of the crawl, for users; empty while it fetches pages one by one
    phase = _Value("blogcrawler/phase", "")
    #: the title of the latest archived post
    newest_title = _Value[str | None]("blogcrawler/newest_title", None)
    #: records that passed the pipeline
    records = _Count("item_scraped_count")
    #: records with neither a title nor a date
    bare_records = _Count("blogcrawler/bare")
    #: pages rendered in a browser
    rendered = _Count("blogcrawler/rendering/pages")
    #: what the archive has at the end of the crawl, including its interrupted runs, by the names of `Contents`; None
    #: before the end
    archived = _Value[Mapping[str, int] | None]("blogcrawler/archived", None)
    #: path of the report of the crawl; None if there is none
    report = _Value[str | None]("blogcrawler/report", None)
    #: True if posts were found on list pages because there is no feed; the feed's URL if its entries lead to no post
    has_no_feed = _Value[bool | str]("blogcrawler/no_feed", False)
    #: the blog's feed and the date (ISO 8601) since which it has had no posts; None if it has some
    lost_feed = _Value[tuple[str, str] | None]("blogcrawler/lost_feed", None)
    #: start time of the crawl that this one resumes; None for a new crawl
    goes_on_since = _Value[datetime | None]("blogcrawler/goes_on_since", None)
    #: True for an update
    is_update = _Value("blogcrawler/is_update", False)
    #: why a stop rule ended the crawl; None if none did
    stop = _Value[str | None]("blogcrawler/stopped_because", None)
    #: why no browser could be used; None if one could be used or none was needed
    no_browser = _Value[str | None]("blogcrawler/rendering/no_browser", None)
    #: outcome of the deposits in each repository
    propagated = _Value[Sequence[Mapping[str, Any]]]("blogcrawler/propagated", ())
    #: pages that are not posts: `lists` that lead to posts, and `others`
    other_pages = _Counts("blogcrawler/other_pages", "lists", "others")
    #: records that were `new` to the archive, `changed` or the `same` as before
    saved = _Counts("blogcrawler/saved", "new", "changed", "same")
    #: media files: `stored` now, `known` before, `failed`; their `bytes`; posts that still lack some (`late`)
    media = _Counts("blogcrawler/media", "stored", "known", "failed", "bytes", "late")
    #: unreachable hosts of files and comments, and some examples
    unreachable_hosts = _Count("blogcrawler/downloader/unreachable_hosts")
    unreachable_examples = _Value[Sequence[str]]("blogcrawler/downloader/unreachable_hosts/examples", ())
    #: comments `found`; `posts` with comments; posts that may lack some because the feed is short (`cut`) or a server
    #: did not answer (`late`); `requests` for comments, and failed ones (`in_vain`); changes on posts that were known
    #: before (`since/new`, `since/edited`, `since/gone`)
    comments = _Counts("blogcrawler/comments", "found", "posts", "cut", "late", "requests", "in_vain", *_SINCE)

    def __init__(self, stats: StatsCollector) -> None:
        self.stats = stats

    def count(self, name: str) -> int:
        """Return a counter; 0 if it is not set."""
        return int(self.stats.get_value(name, 0))

    def other_page(self, *, leads_to_posts: bool) -> None:
        """Count a page that is not a post; it may lead to posts, as lists do."""
        self.stats.inc_value(f"blogcrawler/other_pages/{'lists' if leads_to_posts else 'others'}")

    def failure(self, reason: str, url: str) -> None:
        """Count a failed page; the reason is a few words, the same for all pages that failed alike."""
        self.stats.inc_value(f"blogcrawler/failures/{reason}")
        examples = self.stats.get_value("blogcrawler/failure_examples") or {}
        urls = examples.setdefault(reason, [])
        if len(urls) < EXAMPLES:
            urls.append(url)
        self.stats.set_value("blogcrawler/failure_examples", examples)

    def expected(self, posts: int, source: str) -> None:
        """Note the number of posts that a source announces."""
        self.stats.set_value("blogcrawler/expected", posts)
        self.stats.set_value("blogcrawler/expected_by", source)

    def moved(self, *, was_new: bool, is_changed: bool, was_gone: bool = False) -> None:
        """Count an archived post at a new URL; correct the counts if it was counted as new or as gone before."""
        self.posts_gone -= was_gone
        self.posts_moved += 1
        self.stats.inc_value("blogcrawler/saved/new", -1 if was_new else 0)
        self.stats.inc_value("blogcrawler/saved/changed", 1 if is_changed else 0)

    def queue(self, pending: int) -> None:
        """Note the number of URLs in the frontier."""
        self.stats.set_value("blogcrawler/frontier/pending", pending)

    def stopped(self, reason: str, **figures: float | str) -> None:
        """Note that a stop rule ended the crawl: its `frontier.StopReason` and the figures of `Stop`."""
        page = "page" if (figures.get("pages") or figures.get("limit")) == 1 else "pages"
        self.stop = STOPS[reason].format(**figures, page=page)

    @property
    def posts_so_far(self) -> int:
        """Return the number of posts found, including those that earlier parts of the crawl have archived."""
        return self.archived_before + self.posts

    @property
    def contents_of_run(self) -> Mapping[str, int]:
        """Return what this run has found, by the names of `archived`."""
        files = self.media["stored"] + self.media["known"]
        return {"posts": self.records, "comments": self.comments["found"], "files": files, "locked": 0}

    @property
    def contents(self) -> Mapping[str, int]:
        """Return what the archive has; what this run has found if the archive could not be asked."""
        return self.archived or self.contents_of_run

    @property
    def found_of_expected(self) -> tuple[int, int, str] | None:
        """Return the number of posts found, the number announced, and the source; None if no source announces one."""
        posts = self.stats.get_value("blogcrawler/expected")
        if posts is None:
            return None
        source = str(self.stats.get_value("blogcrawler/expected_by"))
        return self.contents["posts"], int(posts) - self.left_out, source

    @property
    def failures(self) -> dict[str, tuple[int, list[str]]]:
        """Return the number of failures and example URLs for each reason, the most frequent first."""
        examples = self.stats.get_value("blogcrawler/failure_examples") or {}
        counts = {reason: int(self.stats.get_value(f"blogcrawler/failures/{reason}", 0)) for reason in examples}
        return {reason: (counts[reason], examples[reason]) for reason in sorted(counts, key=lambda name: -counts[name])}

    @property
    def odd_pages(self) -> dict[str, tuple[int, list[str]]]:
        """Return the number and example URLs of each kind of trouble in the browser."""
        examples = self.stats.get_value("blogcrawler/rendering/examples") or {}
        return {
            trouble: (int(self.stats.get_value(f"blogcrawler/rendering/troubles/{trouble}", 0)), urls)
            for trouble, urls in examples.items()
        }

    @property
    def lost_comments(self) -> dict[str, tuple[int, str]]:
        """Return the comment systems that failed: the number of posts, and why."""
        begin = "blogcrawler/comments/lost/"
        counts = {name.removeprefix(begin): n for name, n in self.stats.get_stats().items() if name.startswith(begin)}
        return {
            name: (int(count), str(self.stats.get_value(f"blogcrawler/comments/because/{name}")))
            for name, count in counts.items()
        }

    @property
    def fields(self) -> Mapping[str, dict[str, int]]:
        """Return for each field the number of records by source."""
        fields_by_source: dict[str, dict[str, int]] = {}
        for name, value in self.stats.get_stats().items():
            if name.startswith("blogcrawler/fields/"):
                field, _, source = name.removeprefix("blogcrawler/fields/").partition("/")
                fields_by_source.setdefault(field, {})[source] = int(value)
        return fields_by_source
