"""The summary at the end of a crawl: on a terminal for people, otherwise in the log."""

from __future__ import annotations

import logging
import sys
import textwrap
from typing import TYPE_CHECKING, Any

from scrapy import signals

from blogcrawler.addresses import without_password
from blogcrawler.component import Component
from blogcrawler.lazy import LazyModule
from blogcrawler.reporting.tally import Tally
from blogcrawler.sentences import printable, say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich import console, filesize
    from scrapy import Spider
    from scrapy.crawler import Crawler
else:
    console, filesize = map(LazyModule, ("rich.console", "rich.filesize"))

logger = logging.getLogger(__name__)

REASONS = {
    "finished": "no page was left to fetch",
    "shutdown": "it was interrupted",
    "failed": "of an error",
    "crawled_elsewhere": "another process is crawling the blog",
    "left_behind": "another process has taken over the crawl",
    "known": "the archive already has the blog, under another address",
}
GOES_ON = frozenset({"shutdown", "page_limit", "time_limit", "closed", "failed"})
"""Reasons to end after which the same command continues the crawl."""
NOT_CRAWLED = frozenset({"crawled_elsewhere", "known", "left_behind"})
"""Reasons why nothing was crawled."""
SUCCESSES = ("Complete", "Up to date")
"""Beginnings of the first line of the summary after a success. Without a log, such a summary is not printed, as is
usual for cron."""
FIELDS = ("title", "authors", "published", "content", "tags", "language")


class Summary(Component):
    """Reports at the end of a crawl how complete it is, what failed and where the records are."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    def spider_closed(self, spider: Spider, reason: str) -> None:
        """Print or log the summary."""
        assert self.crawler.stats is not None
        tally = Tally(self.crawler.stats)
        if getattr(spider, "fatal", None) and not tally.records:
            return
        places = [*self._places(), *([f"report: {tally.report}"] if tally.report else [])]
        settings = self.crawler.settings
        if sys.stderr.isatty() and (settings["LOG_FILE"] or not settings.getbool("LOG_ENABLED")):
            text = lines(tally, reason, places, is_brief=not settings.getbool("VERBOSE"))
            terminal = console.Console(stderr=True, highlight=False, markup=False)
            terminal.print("\n".join(wrapped(line, terminal.width) for line in text), soft_wrap=True)
        elif settings.getbool("LOG_ENABLED"):
            for line in lines(tally, reason, places):
                logger.info("%s", line)
        elif not (first_line := verdict(tally, reason)).startswith(SUCCESSES):
            say(first_line)

    def _places(self) -> list[str]:
        settings = self.crawler.settings
        feeds = [str(uri) for uri in settings.getdict("FEEDS")]
        log = [f"log: {settings['LOG_FILE']}"] if settings["LOG_FILE"] else []
        return [f"records: {', '.join([without_password(settings['DATABASE_URL']), *feeds])}", *log]


def lines(tally: Tally, reason: str, places: list[str], *, is_brief: bool = False) -> list[str]:
    """The summary of a crawl, line by line, the verdict first; `is_brief` leaves out how posts were found."""
    details = [] if is_brief else [*_details(tally), *_fields(tally), *_comments(tally)]
    details += [] if is_brief and not tally.media["failed"] else _media(tally)
    problems = [*_unavailable(tally), *_failures(tally), *_sources(tally), *_late(tally), *_unreachable(tally)]
    repositories = [f"  {line}" for outcome in tally.propagated for line in _propagated(outcome)]
    place_lines = [f"  {place}" for place in places]
    how = [] if is_brief and reason not in GOES_ON else [_course(tally, reason)]
    return [
        verdict(tally, reason),
        *how,
        *details,
        *_purged(tally),
        *_locked(tally),
        *_rendered(tally),
        *problems,
        *repositories,
        *place_lines,
    ]


def wrapped(line: str, width: int) -> str:
    """The line in lines of so many characters, the further ones indented; paths and URLs stay whole, to be copied."""
    words = line.split()
    indent = len(line) - len(line.lstrip())
    if indent + max(map(len, words), default=0) >= width:
        return line
    further = " " * (indent + 2 if indent else 0)
    return textwrap.fill(line, width, subsequent_indent=further, break_long_words=False, break_on_hyphens=False)


def _purged(tally: Tally) -> list[str]:
    return [f"  {_number_of(tally.left_out, 'purged post')} left out"] if tally.left_out else []


def verdict(tally: Tally, reason: str) -> str:
    """The first line of the summary: whether the archive has all known posts, and what it has."""
    if reason in NOT_CRAWLED:
        return f"Not crawled: {REASONS[reason]}."
    is_unfinished = reason in GOES_ON or bool(tally.left_for_later)
    posts = _posts(tally, is_unfinished=is_unfinished)
    counts = tally.contents_of_run if tally.is_update else tally.contents
    contents = ", ".join([posts, *_count(counts["comments"], "comment"), *_count(counts["files"], "file")])
    if is_unfinished:
        return f"Incomplete: {contents}; run the same command again.{_gone(tally)}"
    if _are_missing(tally):
        return f"Incomplete: {contents}; the others could not be found.{_gone(tally)}"
    complete, up_to_date = SUCCESSES
    return f"{up_to_date if tally.is_update else complete}: {contents}.{_gone(tally)}"


def _gone(tally: Tally) -> str:
    """A sentence about listed posts that are no longer online; empty if there are none."""
    if tally.is_update or not (gone := tally.listed_gone):
        return ""
    posts = _subject(sum(gone.values()), "listed post")
    return f" {posts} no longer online ({', '.join(sorted(gone))})."


def _locked(tally: Tally) -> list[str]:
    """A line about archived posts that are password-protected."""
    count = 0 if tally.is_update else tally.contents["locked"]
    return [f"  {_subject(count, 'post')} password-protected."] if count else []


def _posts(tally: Tally, *, is_unfinished: bool) -> str:
    if tally.is_update:
        new, changed = tally.saved["new"], tally.saved["changed"]
        return ", ".join([*_count(new, "new post"), *_count(changed, "changed post")]) or "nothing new"
    if (announced := tally.found_of_expected) is not None and announced[0] <= announced[1]:
        return f"{announced[0]:,} of {_number_of(announced[1], 'post')}"
    archived = tally.contents["posts"]
    if is_unfinished and archived < tally.listed:
        return f"{archived:,} of about {_number_of(tally.listed, 'post')}"
    return f"{f'{archived:,} of ' if archived and archived == tally.listed else ''}{_number_of(archived, 'post')}"


def _are_missing(tally: Tally) -> bool:
    """True if a source announces more posts than the archive has."""
    announced = tally.found_of_expected
    return not tally.is_update and announced is not None and announced[0] < announced[1]


def _course(tally: Tally, reason: str) -> str:
    """What was fetched, and why the crawl ended."""
    because = tally.stop or REASONS.get(reason, reason)
    ended = "" if tally.is_update and reason == "finished" else f" The crawl ended because {because}."
    return f"{_news(tally) if tally.is_update else _fetched(tally)}.{ended}"


def _fetched(tally: Tally) -> str:
    return f"{_number_of(tally.records, 'post')} from {_number_of(tally.pages)}"


def _news(tally: Tally) -> str:
    """The changes that an update found."""
    saved = tally.saved
    counts = {"new": saved["new"], "changed": saved["changed"], "moved": tally.posts_moved}
    counts |= {"no longer online": tally.posts_gone}
    news = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "Nothing new"
    recalled = tally.records_recalled
    output = f", {_number_of(recalled, 'record')} copied from the archive" if recalled else ""
    return f"{news} since the last crawl: {_number_of(tally.requests, 'request')}{output}"


def _details(tally: Tally) -> list[str]:
    """Numbers of posts found and announced, and pages that were not fetched."""
    text = []
    if (announced := tally.found_of_expected) is not None:
        found, total, source = announced
        text.append(f"  posts: {found:,} found, {total:,} announced by the {source}")
    if tally.pending:
        text.append(f"  {_number_of(tally.pending)} not fetched")
    if tally.learned_anew:
        text.append(f"  the blog's pages look different now: rules were learned again from {tally.learned_anew}")
    return text


def _fields(tally: Tally) -> list[str]:
    """How many records have each field, by the source of its value."""
    text = []
    for name in FIELDS:
        if (counts := tally.fields.get(name)) is not None:
            shares = [f"{count:,} by {source}" for source, count in sorted(counts.items(), key=lambda item: -item[1])]
            shares += _count(max(0, tally.records - sum(counts.values())), "without", plural="without")
            text.append(f"  {name}: {', '.join(shares)}")
    return text


def _comments(tally: Tally) -> list[str]:
    """The comments that were found, and the requests for them."""
    counts = tally.comments
    text = []
    if counts["found"] or counts["requests"]:
        failed = f", {counts['in_vain']:,} failed" if counts["in_vain"] else ""
        requests = f"{_number_of(counts['requests'], 'request')}{failed}"
        text.append(f"  comments: {counts['found']:,} on {_number_of(counts['posts'], 'post')} ({requests})")
    since = {"new": counts["since/new"], "edited": counts["since/edited"], "no longer online": counts["since/gone"]}
    changes = ", ".join(f"{count:,} {name}" for name, count in since.items() if count)
    return [*text, f"  comments since the last crawl: {changes}"] if changes else text


def _media(tally: Tally) -> list[str]:
    """A line about the media files of posts."""
    counts = tally.media
    saved = f"saved ({filesize.decimal(counts['bytes'])})" if counts["stored"] else "saved"
    outcomes = {saved: counts["stored"], "saved before": counts["known"], "failed": counts["failed"]}
    if not (done := [(number, outcome) for outcome, number in outcomes.items() if number]):
        return []
    (number, outcome), *others = done
    return [", ".join([f"  {_number_of(number, 'file')} {outcome}", *(f"{count:,} {name}" for count, name in others)])]


def _rendered(tally: Tally) -> list[str]:
    """Lines about pages that were shown in a browser."""
    if tally.no_browser:
        return [f"  {tally.no_browser}"]
    if not tally.rendered:
        return []
    return [f"  {_number_of(tally.rendered)} shown in a browser", *_with_examples(tally.odd_pages)]


def _unavailable(tally: Tally) -> list[str]:
    """Pages that the next crawl requests again, and truncated pages."""
    text = []
    if tally.left_for_later:
        text.append(f"  {_number_of(tally.left_for_later)} could not be fetched this time")
    if tally.cut_pages:
        text.append(f"  {_number_of(tally.cut_pages)} truncated at each attempt")
    return text


def _failures(tally: Tally) -> list[str]:
    """Pages from which no record was made, by reason."""
    if not (failures := tally.failures):
        return []
    total = sum(count for count, _ in failures.values())
    return [f"  {_number_of(total)} could not be used:", *_with_examples(failures)]


def _sources(tally: Tally) -> list[str]:
    """Sources of posts and comments that were missing."""
    text = []
    if tally.lost_feed is not None:
        url, since = tally.lost_feed
        text.append(f"  the feed {printable(url)} has had no new post since {since}: lists and sitemaps were read")
    if feed := tally.has_no_feed:
        because = f", since no entry of {printable(feed)} leads to a post" if isinstance(feed, str) else ""
        text.append(f"  no feed: posts were found by the blog's list pages{because}")
    for name, (count, because) in tally.lost_comments.items():
        text.append(f"  comments of {name} are missing: {because} ({_number_of(count, 'post')})")
    if cut := tally.comments["cut"]:
        text.append(f"  some comments of {_number_of(cut, 'post')} may be missing")
    return text


def _late(tally: Tally) -> list[str]:
    """Parts of posts that updates request again."""
    missing = {"comments": tally.comments["late"], "some files": tally.media["late"]}
    return [
        f"  {parts} of {_number_of(count, 'post')} could not be fetched this time; updates ask for them again"
        for parts, count in missing.items()
        if count
    ]


def _unreachable(tally: Tally) -> list[str]:
    """Hosts of files and comments that could not be reached."""
    if not tally.unreachable_hosts:
        return []
    hosts, examples = _number_of(tally.unreachable_hosts, "host"), ", ".join(map(printable, tally.unreachable_examples))
    return [f"  {hosts} of files or comments could not be reached, such as {examples}"]


def _propagated(outcome: Mapping[str, Any]) -> list[str]:
    """Lines about the deposits in a repository."""
    counts = [f"{count:,} {stage}" for stage, count in outcome["stages"].items() if count]
    failed = outcome["failed"] + outcome["left"]
    if failed or outcome["because"]:
        counts.append(f"{failed or 'some'} failed; the next crawl tries again")
    text = [f"{outcome['name']}: {', '.join(counts) or 'nothing new'}"]
    return [*text, f"  {printable(outcome['because'])}"] if outcome["because"] else text


def _with_examples(reasons: Mapping[str, tuple[int, list[str]]]) -> list[str]:
    return [
        f"    {name}: {count:,}, such as {', '.join(map(printable, urls))}" for name, (count, urls) in reasons.items()
    ]


def _count(number: int, name: str, *, plural: str | None = None) -> list[str]:
    """A number with its noun, in a list; an empty list if it is 0."""
    return [_number_of(number, name, plural=plural)] if number else []


def _subject(number: int, name: str) -> str:
    return f"{_number_of(number, name)} {'is' if number == 1 else 'are'}"


def _number_of(number: int, name: str = "page", *, plural: str | None = None) -> str:
    return f"{number:,} {name if number == 1 else plural or f'{name}s'}"
