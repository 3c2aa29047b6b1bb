"""Which URLs are worth a request: not those out of bounds, nor of kinds that were learned to bring nothing."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from blogcrawler.frontier.kinds import shape_of
from blogcrawler.urls import MAX_URL_LENGTH

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from blogcrawler.frontier.additions import Additions
    from blogcrawler.frontier.store import Candidate
    from blogcrawler.frontier.yields import YieldModel

MAX_DEPTH, MAX_REPEATS, MAX_PARAMETERS = 12, 2, 6
"""Bounds on a URL's form: folders of the path, how often one may be there, numbers apart, and parameters. They keep a
crawl out of paths and queries that grow without end."""


class Admission:
    """Judges URLs by their form, by the pages of their kind, and by their additions to known ones."""

    def __init__(self, model: YieldModel, additions: Additions) -> None:
        self._model = model
        self._additions = additions

    def admits(self, url: str, places: Collection[str], *, is_post: bool) -> bool:
        """True if a canonical URL, linked at these places, may be taken in; a post's address may have any form."""
        if is_post:
            is_good = len(url) <= MAX_URL_LENGTH
        else:
            is_good = not self._model.kinds.is_given_up(url, places) and is_within_bounds(url)
        return is_good and not self._additions.is_idle(url, is_post=is_post)

    def is_in_vain(self, page: Candidate) -> bool:
        """True if pages like this one have brought nothing."""
        return self._model.is_given_up(page) or self._additions.is_idle(page.url, is_post=page.is_post)

    def kinds(self, pages: Iterable[Candidate]) -> set[str]:
        """The kinds of pages, for `is_open`."""
        kinds = set()
        for page in pages:
            kinds.add(shape_of(page.url))
            kinds.update(added.name for added in self._additions.of(page.url))
        return kinds

    def is_open(self, url: str, under_way: Collection[str]) -> bool:
        """True if no page under way is the first of its kind, and will show what all are worth."""
        if shape_of(url) in under_way and not self._model.kinds.samples(url):
            return False
        return self._additions.is_open(url, under_way)


def is_within_bounds(url: str) -> bool:
    """True if the form of a canonical URL is within the bounds. Linear."""
    address, _, query = url.partition("?")
    folders = [folder for folder in address.split("/")[3:] if folder]
    repeats = Counter(folder for folder in folders if not folder.isdigit()).values()
    is_bounded = len(url) <= MAX_URL_LENGTH and len(folders) <= MAX_DEPTH
    return is_bounded and max(repeats, default=0) <= MAX_REPEATS and query.count("&") < MAX_PARAMETERS
