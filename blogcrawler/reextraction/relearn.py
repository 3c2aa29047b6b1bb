"""Learns a blog's wrapper again from archived pages and from people's corrections."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from blogcrawler.crawl.sample import SIZE, refined
from blogcrawler.crawl.steps.learning import learned
from blogcrawler.dom import parse_page
from blogcrawler.errors import DamagedCapture, NotAWebPage, NotEnoughExamples
from blogcrawler.items import Entry, Record, RecordSource
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from blogcrawler.backend import Archive
    from blogcrawler.items import Page
    from blogcrawler.reextraction.archived import ArchivedPages
    from blogcrawler.wrapper import Wrapper

LARGEST_SAMPLE = 60
"""Number of posts, spread evenly over the blog's history, from which posts without a feed entry are sampled."""


def relearn(archive: Archive, home: str, archived: ArchivedPages) -> Wrapper:
    """Learn a blog's wrapper again as a crawl does, and save it. Raises NotEnoughExamples, BackendUnavailable."""
    corrections = archive.corrections(home).all()
    training = list(_training(archive, home))
    if not training and not corrections:
        raise NotEnoughExamples(
            f"The archive has no page that the rules of {home} were learned from. To fetch them again: "
            f"blogcrawler crawl newcrawl -a url={home}"
        )
    wrapper = learned(training, corrections)
    sample = _sample(archive, home, archived, wrapper, {identity(page.url) for page, _ in training})
    if sample:
        wrapper = refined(wrapper, [(page, entry) for page, entry in training], sample, is_last=True)
    archive.save_wrapper(home, wrapper.to_dict())
    return wrapper


def _training(archive: Archive, home: str) -> Iterator[tuple[Page, Entry]]:
    """The training pages with a feed or list entry; pages that were only saved because their kind was unknown are left
    out.

    Newest first, as in feeds and in crawls: if two rules are equal, the first page's rule is used.
    """
    pages = archive.load_training_pages(home)
    for page, entry in sorted(pages, key=lambda pair: pair[1].published or "", reverse=True):
        if entry != Entry(entry.url):
            try:
                page.tree = parse_page(page)
            except NotAWebPage:
                continue
            yield page, entry


def _sample(
    archive: Archive, home: str, archived: ArchivedPages, wrapper: Wrapper, training_urls: set[str]
) -> list[Record]:
    """A sample of records that were not used for training: some that match a rule, and some that match none."""
    matched, unmatched = list[Record](), list[Record]()
    for record, page, tree in _spread(archive, home, archived, training_urls):
        page.tree = tree
        group = matched if wrapper.fits(tree) else unmatched
        if len(group) < SIZE:
            group.append(Record(home, record.url, source=RecordSource(page, wrapper)))
        if len(matched) == len(unmatched) == SIZE:
            break
    return [*matched, *unmatched]


def _spread(
    archive: Archive, home: str, archived: ArchivedPages, training_urls: set[str]
) -> Iterator[tuple[Record, Page, HtmlElement]]:
    posts = [post.url for key, post in archive.known_posts(home).items() if key not in training_urls]
    for url in islice(posts, 0, None, max(1, len(posts) // LARGEST_SAMPLE)):
        record = archive.record(home, url)
        if record is None:
            continue
        try:
            page = archived.page(record)
            yield record, page, parse_page(page)
        except (DamagedCapture, NotAWebPage):
            continue
