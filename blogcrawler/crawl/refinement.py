"""Refines the wrapper by posts that the feed does not have: the first of them wait until they show what recurs.

Later ones that no rule fits wait, too, until there are enough to learn the rules of their template from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.browser.need import tree_of
from blogcrawler.crawl.pages import save_state
from blogcrawler.crawl.tasks import HandOn
from blogcrawler.items import Entry
from blogcrawler.time_limit import time_limit
from blogcrawler.urls import identity
from blogcrawler.wrapper import Example, learn_older, refine

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.frontier import Stop
    from blogcrawler.items import Page, Record
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
        tree = record.material.page.tree
        return self.rounds == 0 or (tree is not None and not wrapper.fits(tree))

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
    trees = [(page.tree, page.url) for page in pages if page.tree is not None]
    with time_limit(len(examples) + len(trees)):
        fits_any = any(wrapper.fits(tree) for tree, _ in trees)
        sample = learn_older(refine(wrapper, examples, trees) if fits_any else wrapper, trees, is_last=is_last)
    for record in held:
        if record.material is not None:
            record.material = record.material.read_by(sample)
    return sample


class Refinement:
    """Holds records until the wrapper is refined by their pages, and hands them on then."""

    def __init__(self, ctx: CrawlContext) -> None:
        self._ctx = ctx

    def prepare(self, record: Record) -> Iterator[Record]:
        """The records that are handed on now that a post's has come."""
        ctx = self._ctx
        if not ctx.sample.wants(record, ctx.classifier.wrapper):
            yield _brought_up_to_date(record, ctx.classifier.wrapper)
            return
        ctx.sample.held.append(record)
        if record.material is not None:  # so that no crawl that goes on fetches it again
            page = record.material.page
            ctx.archive.save_training_page(ctx.home, page, Entry(page.url))
        if len(ctx.sample.held) >= SIZE and ctx.sample.is_complete(self._may_be_held()):
            yield from self._refine()

    def release_last(self, ctx: CrawlContext, stop: Stop | None) -> HandOn | None:  # noqa: ARG002  whatever ends the crawl
        """Hand on what is held, when nothing else is left to fetch."""
        return HandOn(lambda: self._refine(is_last=True)) if ctx.sample.held else None

    def _may_be_held(self) -> list[str]:
        """The pages that are held, or may be when they have come, in the order in which they were found."""
        ctx = self._ctx
        held = {identity(record.page_url) for record in ctx.sample.held}
        read = set(map(identity, (*ctx.in_work, *(page.url for page in ctx.undecided)))) - held
        pages = [(identity(one.url), one.is_post) for one in ctx.frontier.unfinished()]
        return [key for key, is_post in pages if key in held or (is_post and key not in read)]

    def _refine(self, *, is_last: bool = False) -> list[Record]:
        """Refine the wrapper by the records that are held; those that are to be handed on then."""
        ctx = self._ctx
        held = ctx.sample.take(self._may_be_held())
        sample = held if is_last else held[:SIZE]
        kept = ctx.archive.load_training_pages(ctx.home)
        training = [(page, entry) for page, entry in kept if identity(page.url) in ctx.entries]
        with ctx.tolerating("what older posts teach"):
            ctx.classifier.wrapper = refined(ctx.classifier.wrapper, training, sample, is_last=is_last)
        with ctx.archive.transaction():
            ctx.archive.save_wrapper(ctx.home, ctx.classifier.wrapper.to_dict())
            save_state(ctx)
        held = [_brought_up_to_date(record, ctx.classifier.wrapper) for record in held]
        return ctx.sample.settled(held, ctx.classifier.wrapper, is_last=is_last)


def _brought_up_to_date(record: Record, wrapper: Wrapper) -> Record:
    """The record, to be made by the wrapper as it is now: it may have been refined while pages were under way."""
    if record.material is not None:
        record.material = record.material.read_by(wrapper)
    return record
