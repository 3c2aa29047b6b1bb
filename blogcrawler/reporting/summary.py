"""The summary at the end of a crawl: on a terminal for people, otherwise in the log."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any

from scrapy import signals

from blogcrawler.addresses import without_password
from blogcrawler.component import Component
from blogcrawler.lazy import LazyModule
from blogcrawler.reporting.tally import Tally
from blogcrawler.sentences import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich import console
    from scrapy import Spider
    from scrapy.crawler import Crawler
else:
    console = LazyModule("rich.console")

logger = logging.getLogger(__name__)

REASONS = {
    "finished": "no page of the blog was left to fetch",
    "shutdown": "it was stopped",
    "failed": "it could not go on",
    "crawled_elsewhere": "another process crawls the blog",
    "left_behind": "another process has ended the crawl, or goes on with it",
    "known": "the blog is in the archive already, under another address",
}
GOES_ON = frozenset({"shutdown", "page_limit", "time_limit", "closed", "failed"})
"""Ends after which the same command goes on with the crawl."""
NOT_CRAWLED = frozenset({"crawled_elsewhere", "known", "left_behind"})
"""Ends of a crawl that was not to be made here."""
FIELDS = ("title", "authors", "published", "content", "tags", "language")


class Summary(Component):
    """Tells at the end what was found, how, what failed and where the records are."""

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
            console.Console(stderr=True, highlight=False, markup=False).print("\n".join(text))
        else:
            for line in lines(tally, reason, places):
                logger.info("%s", line)

    def _places(self) -> list[str]:
        settings = self.crawler.settings
        feeds = [str(uri) for uri in settings.getdict("FEEDS")]
        log = [f"log: {settings['LOG_FILE']}"] if settings["LOG_FILE"] else []
        return [f"records: {', '.join([without_password(settings['DATABASE_URL']), *feeds])}", *log]


def lines(tally: Tally, reason: str, places: list[str], *, is_brief: bool = False) -> list[str]:
    """The summary of a crawl, line by line: the verdict first; `is_brief` leaves out how all was found."""
    because = tally.stop or REASONS.get(reason, reason)
    hint = "; the same command goes on from here" if reason in GOES_ON else ""
    if tally.left_for_later:
        hint = f"; {_number_of(tally.left_for_later)} could not be had this time, which the same command tries again"
    ended = f"; it ended because {because}{hint}" if hint or reason != "finished" or not tally.is_update else ""
    found = _news(tally) if tally.is_update else f"{_number_of(tally.records, 'post')} from {_number_of(tally.pages)}"
    text = [
        verdict(tally, reason),
        f"{found}{ended}.",
        *_expected(tally),
        *_not_fetched(tally, reason),
        *([f"  {_number_of(tally.left_out, 'purged post')} left out"] if tally.left_out else []),
        *([f"  the pages look different now: learned anew from {tally.learned_anew}"] if tally.learned_anew else []),
        *_lost_feed(tally),
        *_without_feed(tally),
    ]
    if not is_brief:
        text += (f"  {name}: {_sources(tally.fields[name], tally.records)}" for name in FIELDS if name in tally.fields)
        text += [*_comments(tally), *_media(tally)]
    text += [*_late(tally), *_unreachable(tally), *_rendered(tally)]
    text += [f"  {line}" for outcome in tally.propagated for line in _propagated(outcome)]
    text += [
        f"  comments of {name} are lost, since {because}: {_number_of(count, 'post')}"
        for name, (count, because) in tally.lost_comments.items()
    ]
    text += [f"  {_number_of(tally.cut_pages)} ended early each time they were asked for"] if tally.cut_pages else []
    if failures := tally.failures:
        total = sum(count for count, _ in failures.values())
        text.append(f"  {_number_of(total)} could not be used:")
        text += _counted(failures)
    return [*text, *(f"  {place}" for place in places)]


def verdict(tally: Tally, reason: str) -> str:
    """Whether all was found that is known to be there, and how much that is, in one line."""
    if reason in NOT_CRAWLED:
        return f"Not crawled: {REASONS[reason]}."
    again = reason in GOES_ON or bool(tally.left_for_later)
    counts = [_posts(tally), *_count(tally.comments["found"], "comment"), *_count(_files(tally), "file")]
    what = ", ".join(counts)
    if again:
        return f"Incomplete: {what}; run the same command again."
    if _are_missing(tally):
        return f"Incomplete: {what}; the others could not be found."
    return f"{'Up to date' if tally.is_update else 'Complete'}: {what}."


def _posts(tally: Tally) -> str:
    if tally.is_update:
        counts = {"new": tally.saved["new"], "changed": tally.saved["changed"]}
        return (
            ", ".join(f"{_number_of(count, f'{name} post')}" for name, count in counts.items() if count)
            or "nothing new"
        )
    if (announced := tally.found_of_expected) is not None and announced[0] <= announced[1]:
        return f"{announced[0]:,} of {_number_of(announced[1], 'post')}"
    return _number_of(tally.records if tally.kept is None else tally.kept, "post")


def _are_missing(tally: Tally) -> bool:
    """True if a source announces more posts than the archive has."""
    return not tally.is_update and (told := tally.found_of_expected) is not None and told[0] < told[1]


def _files(tally: Tally) -> int:
    return tally.media["stored"] + tally.media["known"]


def _count(number: int, name: str) -> list[str]:
    return [_number_of(number, name)] if number else []


def _news(tally: Tally) -> str:
    """What an update brought."""
    counts = {"new": tally.saved["new"], "changed": tally.saved["changed"]}
    counts |= {"moved": tally.posts_moved, "gone": tally.posts_gone}
    told = [f"{count} {name}" for name, count in counts.items() if count]
    news = f"{', '.join(told)} since the last crawl" if told else "Nothing new"
    if tally.records_recalled:
        news = f"{news if told else 'Nothing new since the last crawl'}; {_from_archive(tally.records_recalled)}"
    return f"{news}, by {_number_of(tally.requests, 'request')}"


def _lost_feed(tally: Tally) -> list[str]:
    if tally.lost_feed is None:
        return []
    url, since = tally.lost_feed
    return [f"  the feed {printable(url)} has told of no post since {since}: lists and sitemaps were read instead"]


def _without_feed(tally: Tally) -> list[str]:
    feed = tally.has_no_feed
    because = f", since no entry of {printable(feed)} leads to a post" if isinstance(feed, str) else ""
    return [f"  no feed: entries were read from list pages{because}"] if feed else []


def _from_archive(records: int) -> str:
    return f"{records} {'record comes' if records == 1 else 'records come'} from the archive"


def _comments(tally: Tally) -> list[str]:
    """What is to be said of comments that feeds and endpoints have told, where they were asked."""
    told = tally.comments
    in_vain = f", {told['in_vain']} of them in vain" if told["in_vain"] else ""
    cut = f"; of {_number_of(told['cut'], 'post')} some may be missing" if told["cut"] else ""
    asked = f"{_number_of(told['posts'], 'post')}, by {_number_of(told['requests'], 'request')}"
    text = [f"  comments: {told['found']} on {asked}{in_vain}{cut}"]
    text = text if told["found"] or told["requests"] else []
    since = [f"{told[f'since/{name}']} {name}" for name in ("new", "edited", "gone") if told[f"since/{name}"]]
    return [*text, f"  comments since the last crawl: {', '.join(since)}"] if since else text


def _media(tally: Tally) -> list[str]:
    """What became of the files of posts, where they are kept."""
    told = tally.media
    if not any(told.values()):
        return []
    known = f", {told['known']} kept before" if told["known"] else ""
    failed = f", {told['failed']} could not be had" if told["failed"] else ""
    return [f"  files: {told['stored']:,} kept ({told['bytes'] / 1e6:.1f} MB){known}{failed}"]


def _late(tally: Tally) -> list[str]:
    """What updates ask for again."""
    lacking = {"comments": tally.comments["late"], "some files": tally.media["late"]}
    return [
        f"  {what} of {_number_of(count, 'post')} could not be had this time; updates ask for them again"
        for what, count in lacking.items()
        if count
    ]


def _unreachable(tally: Tally) -> list[str]:
    """Hosts of files and comments that were asked once."""
    if not tally.unreachable_hosts:
        return []
    hosts, examples = _number_of(tally.unreachable_hosts, "host"), ", ".join(map(printable, tally.unreachable_examples))
    return [f"  {hosts} of files or comments could not be reached, and asked once, as {examples}"]


def _propagated(outcome: Mapping[str, Any]) -> list[str]:
    """What became of the blog's posts in a repository."""
    told = [f"{count} {stage}" for stage, count in outcome["stages"].items() if count]
    lacks = outcome["failed"] + outcome["left"]
    if lacks or outcome["because"]:
        told.append(f"{lacks or 'some'} not, which the next crawl tries again")
    lines = [f"{outcome['name']}: {', '.join(told) or 'nothing new'}"]
    return [*lines, f"  {printable(outcome['because'])}"] if outcome["because"] else lines


def _rendered(tally: Tally) -> list[str]:
    """What is to be said of pages that were shown in a browser."""
    if tally.no_browser:
        return [f"  {tally.no_browser}"]
    if not tally.rendered:
        return []
    return [f"  {_number_of(tally.rendered)} shown in a browser", *_counted(tally.odd_pages)]


def _counted(reasons: Mapping[str, tuple[int, list[str]]]) -> list[str]:
    return [f"    {name}: {count}, as {', '.join(map(printable, urls))}" for name, (count, urls) in reasons.items()]


def _number_of(number: int, name: str = "page") -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def _expected(tally: Tally) -> list[str]:
    told = tally.found_of_expected
    if told is None:
        return []
    found, total, source = told
    if found > total:
        return [f"  found {found} posts, more than the {total} that the {source} announces"]
    return [f"  found {found} of {total} posts that the {source} announces"]


def _not_fetched(tally: Tally, reason: str) -> list[str]:
    if not tally.pending:
        return []
    is_one = tally.pending == 1
    left_out = f"{'was' if is_one else 'were'} left out, since no further post was expected there"
    why = f"{'is' if is_one else 'are'} left" if reason in GOES_ON else left_out
    return [f"  {_number_of(tally.pending)} that {'was' if is_one else 'were'} found {why}"]


def _sources(counts: dict[str, int], records: int) -> str:
    told = [f"{count} by {source}" for source, count in sorted(counts.items(), key=lambda item: -item[1])]
    missing = records - sum(counts.values())
    return ", ".join([*told, *([f"{missing} without"] if missing > 0 else [])])
