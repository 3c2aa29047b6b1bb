"""Posts that the feed does not have: the first of them wait until they have shown what recurs on old posts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from blogcrawler.dom import parse
from blogcrawler.wrapper import Example, refine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from blogcrawler.items import Entry, Page, Record
    from blogcrawler.wrapper import Wrapper

__all__ = ["SIZE", "Sample", "refined"]

SIZE = 8
"""Posts after which the wrapper is refined: enough for what a third of them show to recur."""


class Sample:
    """Holds records of posts until there are enough of them."""

    def __init__(self) -> None:
        self.held: list[Record] = []
        #: has the wrapper been refined?
        self.is_over = False

    def wants(self, record: Record) -> bool:
        """Is a record to be held? Those of the feed's posts are not."""
        return not self.is_over and record.material is not None and record.material.entry is None

    def take(self) -> list[Record]:
        """All that was held; from then on nothing is."""
        held, self.held, self.is_over = self.held, [], True
        return held


def refined(wrapper: Wrapper, training: Iterable[tuple[Page, Entry]], held: Iterable[Record]) -> Wrapper:
    """The wrapper after another look at the pages that it was learned from, beside those of some records."""
    examples = [Example(parse(page.body, content_type=page.content_type), entry, page.url) for page, entry in training]
    pages = [record.material.page for record in held if record.material is not None]
    sample = refine(wrapper, examples, [(page.tree, page.url) for page in pages if page.tree is not None])
    for record in held:
        if record.material is not None:
            record.material = replace(record.material, wrapper=sample)
    return sample
