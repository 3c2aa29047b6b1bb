"""A blog's wrapper, learned again from the pages that the archive has, and from what people have corrected."""

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

MOST_LOOKED_AT = 60
"""Posts, spread over the blog's life, among which a sample of those that the feed does not have is sought."""


def relearn(archive: Archive, home: str, archived: ArchivedPages) -> Wrapper:
    """Learn a blog's wrapper again, as a crawl does, and keep it. Raises NotEnoughExamples, BackendUnavailable."""
    corrections = archive.corrections(home).all()
    training = list(_training(archive, home))
    if not training and not corrections:
        raise NotEnoughExamples(
            f"The archive has no page that the rules of {home} were learned from; crawl newcrawl fetches them again."
        )
    wrapper = learned(training, corrections)
    held = _sample(archive, home, archived, wrapper, {identity(page.url) for page, _ in training})
    if held:
        wrapper = refined(wrapper, [(page, entry) for page, entry in training], held, is_last=True)
    archive.save_wrapper(home, wrapper.to_dict())
    return wrapper


def _training(archive: Archive, home: str) -> Iterator[tuple[Page, Entry]]:
    """The pages that a feed, or a list, tells something of; others were kept since nobody knew yet what they are.

    The newest first, as feeds have them and crawls have learned from them: of equal rules the first page's is taken.
    """
    kept = archive.load_training_pages(home)
    for page, entry in sorted(kept, key=lambda pair: pair[1].published or "", reverse=True):
        if entry != Entry(entry.url):
            try:
                page.tree = parse_page(page)
            except NotAWebPage:
                continue
            yield page, entry


def _sample(archive: Archive, home: str, archived: ArchivedPages, wrapper: Wrapper, known: set[str]) -> list[Record]:
    """Records of posts that taught nothing: some that a rule fits, and some that none fits."""
    fitting, strangers = list[Record](), list[Record]()
    for record, page, tree in _spread(archive, home, archived, known):
        page.tree = tree
        wanted = fitting if wrapper.fits(tree) else strangers
        if len(wanted) < SIZE:
            wanted.append(Record(home, record.url, source=RecordSource(page, wrapper)))
        if len(fitting) == len(strangers) == SIZE:
            break
    return [*fitting, *strangers]


def _spread(
    archive: Archive, home: str, archived: ArchivedPages, known: set[str]
) -> Iterator[tuple[Record, Page, HtmlElement]]:
    posts = [post.url for key, post in archive.known_posts(home).items() if key not in known]
    for url in islice(posts, 0, None, max(1, len(posts) // MOST_LOOKED_AT)):
        record = archive.record(home, url)
        if record is None:
            continue
        try:
            page = archived.page(record)
            yield record, page, parse_page(page)
        except (DamagedCapture, NotAWebPage):
            continue
