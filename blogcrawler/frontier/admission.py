"""Which URLs are worth a request: not those out of bounds, nor of kinds that were learned to bring nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.frontier.features import places_of
from blogcrawler.frontier.traps import BarrenShapes, TrapBounds, shape_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from blogcrawler.frontier.additions import Additions
    from blogcrawler.frontier.store import Candidate

__all__ = ["Admission"]


class Admission:
    """Judges URLs by their form, by the pages of their shape, and by what they add to known ones."""

    def __init__(self, bounds: TrapBounds, shapes: BarrenShapes, additions: Additions) -> None:
        self._bounds = bounds
        self._shapes = shapes
        self._additions = additions

    def admits(self, url: str, places: Collection[str], *, is_post: bool) -> bool:
        """True if a canonical URL, linked at these places, may be taken in; a post's address may have any form."""
        if is_post:
            is_refused = len(url) > self._bounds.max_length
        else:
            is_refused = self._shapes.is_barren(url, places) or self._bounds.refusal(url) is not None
        return not is_refused and not self._additions.is_idle(url, is_post=is_post)

    def is_in_vain(self, page: Candidate) -> bool:
        """True if pages like this one have brought nothing."""
        is_barren = self._shapes.is_barren(page.url, places_of(page.marks), is_post=page.is_post)
        return is_barren or self._additions.is_idle(page.url, is_post=page.is_post)

    def kinds(self, pages: Iterable[Candidate]) -> set[str]:
        """The kinds of pages, for `is_open`."""
        kinds = set()
        for page in pages:
            kinds.add(shape_of(page.url))
            kinds.update(added.name for added in self._additions.of(page.url))
        return kinds

    def is_open(self, url: str, under_way: Collection[str]) -> bool:
        """True if no page under way is the first of its kind, and will show what all are worth."""
        if shape_of(url) in under_way and not self._shapes.is_tried(url):
            return False
        return self._additions.is_open(url, under_way)

    def note_origin(self, origin: Candidate) -> None:
        """Note that an address led to a post: others of its shape and place are worth a request, and so additions."""
        self._shapes.note_post(origin.url, places_of(origin.marks))
        self._additions.record(origin.url, brings_something=True)

    def apart(self, url: str, listed: Collection[str]) -> set[str]:
        """The posts that a page lists, without those that it is a variant of and links back to."""
        return set(listed) - {added.base for added in self._additions.of(url)}

    def learn(
        self, candidate: Candidate, listed: Collection[str] | None, *, goes_on: bool, is_copy: bool = False
    ) -> None:
        """Learn from a page that was fetched; `listed` are the posts that it lists, None where that was not kept.

        `goes_on`: it lists posts that others like it do not. `is_copy`: it repeats a post.
        """
        if is_copy and not candidate.new_posts:
            self._additions.record_copy(candidate.url)
            return
        brings = bool(candidate.new_posts or candidate.was_post or goes_on)
        if brings or listed is not None or not candidate.post_links:  # else it may list what others do not
            self._additions.record(candidate.url, brings_something=brings)
