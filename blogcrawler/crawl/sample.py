"""A sample of posts that the feed does not have, and the wrapper that is refined by it."""

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
"""Posts after which the wrapper is refined: enough for what a third of them show to recur."""
MOST_HELD = 12
"""Posts that are held for want of one that was found before them, and takes its time."""
ROUNDS = 4
"""Times that posts are held: a blog has few templates, and pages of which no rules can be learned should not wait."""


class Sample:
    """Holds records of posts until there are enough of them.

    `rounds` is how often there were, in earlier parts of the crawl.
    """

    def __init__(self, rounds: int = 0) -> None:
        self.held: list[Record] = []
        self.rounds = rounds

    def wants(self, record: Record, wrapper: Wrapper) -> bool:
        """True if a record is held: no post of the feed, and after a first sample only what no rule fits."""
        if record.material is None or record.material.entry is not None or self.rounds >= ROUNDS:
            return False
        return self.rounds == 0 or not reading_of(record.material.read_by(wrapper)).fits

    def is_complete(self, found: Sequence[str]) -> bool:
        """True if all pages `found` that come first are held, see `take`. A slow one is not waited for without end.

        So a sample hangs neither on which page comes sooner, nor on where a crawl was cut and goes on.
        """
        held = {identity(record.page_url) for record in self.held}
        return len(self.held) >= MOST_HELD or held.issuperset(found[:SIZE])

    def take(self, found: Sequence[str]) -> list[Record]:
        """All that was held, in the order of the pages `found`, named as `urls.identity` writes them."""
        places = {name: place for place, name in enumerate(found)}
        held = sorted(self.held, key=lambda one: (places.get(identity(one.page_url), len(places)), one.page_url))
        self.held = []
        self.rounds += 1
        return held

    def settled(self, held: list[Record], wrapper: Wrapper, *, is_last: bool) -> list[Record]:
        """The records to be handed on; those that no rule fits are held again while they are too few to learn from."""
        strangers = [record for record in held if self.wants(record, wrapper)]
        self.held = [] if is_last or len(strangers) >= SIZE else strangers
        waiting = set(map(id, self.held))
        return [record for record in held if id(record) not in waiting]


def refined(
    wrapper: Wrapper, training: Iterable[tuple[Page, Entry]], held: Iterable[Record], *, is_last: bool = False
) -> Wrapper:
    """The wrapper after another look at the pages that it was learned from, beside those of some records.

    With rules for the template of pages that it did not fit, where they are enough; `is_last`: no more will come.
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
