"""Posts that may have been changed, as a source says of most: a few are looked at, then more as long as some were."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blogcrawler.crawl.update.retry_schedule import Seldom
from blogcrawler.frontier import Link
from blogcrawler.spiders.looking_back import LookingBack
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Container, Sequence
    from datetime import datetime

    from blogcrawler.items import Entry

__all__ = ["Doubting", "Doubts"]

STATE = "doubts"
"""Under which name the archive keeps when sitemaps that say that most was changed are to be believed next."""
FIRST = 10
"""Posts that are looked at first; then twice as many, and so on."""


class Doubts:
    """Chooses what to look at among the addresses of posts, those that were read last at the end. O(n) in all."""

    def __init__(self, urls: Sequence[str] = ()) -> None:
        self._waiting, self._portion = list(urls), list[str]()
        self._size = FIRST
        #: was a change found?
        self._are_justified = False

    @property
    def are_open(self) -> bool:
        """Is there more to look at, as far as is known?"""
        return bool(self._waiting)

    def note(self, changed: Container[str]) -> bool:
        """Take in what became of the last ones, by those that were `changed` (see `urls.identity`); was any so far?"""
        is_changed = any(identity(url) in changed for url in self._portion)
        self._are_justified |= is_changed
        if self._portion and not is_changed:
            self._waiting = []
        return self._are_justified

    def next_portion(self, changed: Container[str]) -> list[str]:
        """The addresses to look at next: none where the last ones were not `changed`.

        They are spread over all, since what stands together may have been changed together.
        """
        self.note(changed)
        step = max(1, len(self._waiting) // self._size)
        self._portion = self._waiting[::step][: self._size]
        chosen = set(self._portion)
        self._waiting = [url for url in self._waiting if url not in chosen]
        self._size *= 2
        return self._portion


class Doubting(LookingBack):
    """An update that looks at some of the posts that sitemaps say were changed where they say so of most.

    Where none was, it does so more and more seldom: some servers say it each time.
    """

    def __init__(self, **more: Any) -> None:  # noqa: ANN401
        super().__init__(**more)
        self._doubts: Doubts | None = None
        #: are there posts that may have been changed, and are left to a later update?
        self._puts_off = False

    async def _read_sitemap(self, news: list[Entry], *, is_gap: bool = False) -> bool:
        has_all = await super()._read_sitemap(news, is_gap=is_gap)
        if self._doubtful and self._doubts is None:
            self._puts_off = not self._occasions().is_due
            if not self._puts_off:
                self._doubts = Doubts(sorted(self._doubtful, key=self._when_read))
        return has_all

    def _when_read(self, url: str) -> tuple[datetime, str]:
        return self._known[identity(url)].last_seen, url

    def _next_url(self) -> str | None:
        """What to fetch next: at the end, posts that may have been changed."""
        url = super()._next_url()
        if url is not None or self._doubts is None or not self._doubts.are_open or not self._only_sample_in_work():
            return url
        portion = self._doubts.next_portion(self._handed_on)
        self.frontier.add_many([Link(one, is_post=True) for one in portion])
        self.frontier.flush()
        return super()._next_url()

    def _keep_lists(self) -> None:
        if self._puts_off:
            self._sitemaps_read = None  # what is put off is still to be told
            self.archive.save_source_state(self.home, STATE, self._occasions().passed().to_dict())
        elif self._doubts is not None:
            is_justified = self._doubts.note(self._handed_on)
            seldom = Seldom() if is_justified else self._occasions().in_vain()
            self.archive.save_source_state(self.home, STATE, seldom.to_dict())
        super()._keep_lists()

    def _occasions(self) -> Seldom:
        return Seldom.from_dict(self.archive.load_source_state(self.home, STATE))
