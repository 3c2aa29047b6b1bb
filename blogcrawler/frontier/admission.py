"""Which URLs are worth a request: not those out of bounds, nor of kinds that were learned to bring nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.frontier.features import MENU, TWIN, VARIANT, places_of
from blogcrawler.frontier.traps import BarrenShapes, TrapBounds, shape_of
from blogcrawler.frontier.variants import Additions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from blogcrawler.frontier.link import Link
    from blogcrawler.frontier.store import Candidate

__all__ = ["Admission"]


class Admission:
    """Judges URLs by their form, by the pages of their shape, and by what they add to known ones."""

    def __init__(self, bounds: TrapBounds, shapes: BarrenShapes, is_known: Callable[[str], bool]) -> None:
        self._bounds = bounds
        self._shapes = shapes
        self._is_known = is_known
        self._additions = Additions(is_known)

    def admits(self, url: str, places: Collection[str], *, is_post: bool) -> bool:
        """May a canonical URL be taken in, that is linked at some places? A post's address may have any form."""
        if is_post:
            is_refused = len(url) > self._bounds.max_length
        else:
            is_refused = self._shapes.is_barren(url, places) or self._bounds.refusal(url) is not None
        return not is_refused and not self._additions.is_idle(url, is_post=is_post)

    def hints(self, url: str, link: Link, *, is_linked: bool) -> tuple[str, ...]:
        """What speaks against a link's target being worth its place; `is_linked`: does a page link to it?"""
        told = [(VARIANT, not link.is_post and (link.is_variant or self._additions.is_variant(url)))]
        if link.is_post and is_linked:
            told += [(MENU, link.in_menu), (TWIN, self._is_known(_twin(url)))]
        return tuple(hint for hint, is_true in told if is_true)

    def is_variant(self, page: Candidate) -> bool:
        """Is a page that waits one of a known page with something added, as was not known when it was met?"""
        return not page.is_post and VARIANT not in page.hints and self._additions.is_variant(page.url)

    def may_be_copy(self, url: str) -> bool:
        """Does an address add to a post's what was not tried yet?"""
        return self._additions.is_new(url)

    def may_be_version(self, url: str, marks: Collection[str]) -> bool:
        """True if an address may be a post's in another language, by what it adds or by the marks of links to it."""
        return self._additions.may_be_version(url, marks)

    def is_in_vain(self, page: Candidate) -> bool:
        """Have pages like this one brought nothing?"""
        is_barren = self._shapes.is_barren(page.url, places_of(page.marks), is_post=page.is_post)
        return is_barren or self.is_copy(page)

    def is_copy(self, page: Candidate) -> bool:
        """Does its address add to a known page's what was learned to change nothing?"""
        return self._additions.is_idle(page.url, is_post=page.is_post)

    def kinds(self, pages: Iterable[Candidate]) -> set[str]:
        """Of which kinds pages are, for `is_open`."""
        kinds = set()
        for page in pages:
            kinds.add(shape_of(page.url))
            kinds.update(added.name for added in self._additions.of(page.url))
        return kinds

    def is_open(self, url: str, under_way: Collection[str]) -> bool:
        """Is no page of its kind under way that is the first, and will tell of all?"""
        if shape_of(url) in under_way and not self._shapes.is_tried(url):
            return False
        return self._additions.is_open(url, under_way)

    def note(self, candidate: Candidate) -> None:
        """A candidate was met, or it turned out what it is."""
        is_post = candidate.was_post or (candidate.is_post and candidate.was_post is None)
        self._additions.note_page(candidate.key, candidate.url, is_post=bool(is_post))

    def is_post(self, key: str) -> bool:
        """Is a page, by its key, a post or looks like one that was not fetched yet?"""
        return self._additions.is_post(key)

    def note_origin(self, origin: Candidate) -> None:
        """An address led to a post: others of its shape and place are not in vain, nor are additions."""
        self._shapes.note_post(origin.url, places_of(origin.marks))
        self._additions.record(origin.url, brings_something=True)

    def note_alias(self, origin: Candidate) -> None:
        """An address led to a post that is known: nothing new, but posts are linked where it is."""
        self._shapes.note_places(places_of(origin.marks))

    def apart(self, url: str, listed: Collection[str]) -> set[str]:
        """The posts that a page lists, but for those that it is a variant of, which it leads back to."""
        return set(listed) - {added.base for added in self._additions.of(url)}

    def learn(
        self, candidate: Candidate, listed: Collection[str] | None, *, goes_on: bool, is_copy: bool = False
    ) -> None:
        """Learn from a page that was fetched; `listed` are the posts that it lists, None where that was not kept.

        `goes_on`: does it list posts that others like it do not? `is_copy`: does it repeat a post?
        """
        if is_copy and not candidate.new_posts:
            self._additions.record_copy(candidate.url)
            return
        brings = bool(candidate.new_posts or candidate.was_post or goes_on)
        if brings or listed is not None or not candidate.post_links:  # else it may list what others do not
            self._additions.record(candidate.url, brings_something=brings)


def _twin(url: str) -> str:
    """The same address with a slash at the end of the path, or without."""
    address, mark, query = url.partition("?")
    twin = address.removesuffix("/") if address.endswith("/") else f"{address}/"
    return f"{twin}{mark}{query}"
