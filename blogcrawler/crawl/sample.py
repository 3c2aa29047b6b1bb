"""A sample of posts that the feed does not have, by which the wrapper is refined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.browser.need import tree_of
from blogcrawler.crawl.read_page import reading_of
from blogcrawler.time_limit import time_limit
from blogcrawler.urls import identity
from blogcrawler.wrapper import Example, learn_older, refine

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from blogcrawler.items import Entry, Page, Record
    from blogcrawler.wrapper import Wrapper

SIZE = 8
"""Number of posts after which the wrapper is refined: enough for parts that a third of the posts have to recur."""
MOST_HELD = 12
"""Maximum number of posts that are held while the sample waits for a slow page that was found before them."""
ROUNDS = 4
"""Maximum number of times that posts are held: a blog has few templates, and pages from which no rules can be learned
should not wait."""


class Sample:
    """Holds records of posts until there are enough of them.

    `rounds` is the number of samples that were completed, also in earlier runs of the crawl.
    """

    def __init__(self, rounds: int = 0) -> None:
        self.held: list[Record] = []
        self.rounds = rounds

    def wants(self, record: Record, wrapper: Wrapper) -> bool:
        """True if a record must be held: its post is not in the feed and, after the first sample, no rule fits its
        page."""
        if record.material is None or record.material.entry is not None or self.rounds >= ROUNDS:
            return False
        return self.rounds == 0 or not reading_of(record.material.read_by(wrapper)).fits

    def is_complete(self, order: Sequence[str]) -> bool:
        """True if all of the first pages in `order` are held, see `take`.

        If too many records are held, a slow page is not waited for. So a sample depends neither on the order in which
        pages arrive, nor on where a crawl was interrupted.
        """
        held = {identity(record.page_url) for record in self.held}
        return len(self.held) >= MOST_HELD or held.issuperset(order[:SIZE])

    def take(self, order: Sequence[str]) -> list[Record]:
        """Return all held records in the order of the pages `order`, written as by `urls.identity`, and hold none."""
        places = {name: place for place, name in enumerate(order)}
        held = sorted(
            self.held, key=lambda record: (places.get(identity(record.page_url), len(places)), record.page_url)
        )
        self.held = []
        self.rounds += 1
        return held

    def settled(self, held: list[Record], wrapper: Wrapper, *, is_last: bool) -> list[Record]:
        """The records to send on; records that no rule fits stay held while there are too few of them to learn from."""
        strangers = [record for record in held if self.wants(record, wrapper)]
        self.held = [] if is_last or len(strangers) >= SIZE else strangers
        waiting = set(map(id, self.held))
        return [record for record in held if id(record) not in waiting]


def refined(
    wrapper: Wrapper, training: Iterable[tuple[Page, Entry]], held: Iterable[Record], *, is_last: bool = False
) -> Wrapper:
    """Refine the wrapper by its training pages and the pages of some records.

    Pages that it does not fit get rules for their template if they are enough; `is_last`: no more pages will come.
    Raises `PageTooSlow`.
    """
    examples = [Example(tree, entry, page.url) for page, entry in training if (tree := tree_of(page)) is not None]
    pages = [record.material.page for record in held if record.material is not None]
    trees = [(tree, page.url) for page in pages if (tree := tree_of(page)) is not None]
    with time_limit(len(examples) + len(trees)):
        fits_any = any(wrapper.fits(tree) for tree, _ in trees)
        sample = learn_older(refine(wrapper, examples, trees) if fits_any else wrapper, trees, is_last=is_last)
    for record in held:
        if record.material is not None:
            record.material = record.material.read_by(sample)
    return sample
