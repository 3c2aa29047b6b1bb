"""What a crawl tells of what it learns, and what is done when that is told.

It is told to other spiders that work on the same crawl, and to the one that goes on with it when it is cut short.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from blogcrawler.spiders.handing_on import HandingOn
from blogcrawler.wrapper import Wrapper

__all__ = ["SharedCrawl"]


class SharedCrawl(HandingOn):
    """A crawl that others may join, see `group`."""

    may_share = True

    async def _share(self) -> None:
        """Let other spiders join, and tell them from now on what is learned here; learn what was told before."""
        parts = {
            "spider": (self, ("tell_coverage", "note_counted")),
            "harvest": (self._harvest, ("record", "look", "discovered", "is_repetition")),
            "reader": (self.reader, ("know", "add_permalink", "add_list")),
            "places": (self.reader.places, ("note", "judge")),
            "copies": (self.reader.copies, ("note_page", "note_post")),
            "coverage": (self._coverage, ("doubt", "alias", "judge", "note_gone", "note_list")),
        }
        add_permalink, judge = self.reader.add_permalink, self._judge
        known = {name: part for name, part in parts.items() if part[0] is not None}
        self._group.follow(known)
        self._group.share(self.archive, self.home, asked=self.tally.pages, tried_again=self._tried_again)
        self._group.on("reader", "add_permalink", lambda url: self._found_elsewhere(add_permalink(url)))
        self._group.on("coverage", "judge", judge)
        if self._coverage is not None:
            self._group.on("coverage", "note_asked", self._note_proof)
        self._group.on("spider", "refined", self._take_wrapper)
        if not await self._group.recall(self.archive, self.home):
            with self._group.repeating():
                self._judge_by_rows()
        self.frontier.flush()

    def _judge_by_rows(self) -> None:
        """Tell the source that lists posts what has become of pages, as far as nobody has told it."""
        for row in self.frontier.store.load() if self._coverage is not None else ():
            if row["was_post"] is not None:
                self._judge(row["url"], is_post=bool(row["was_post"]))

    def _note_proof(self, url: str, state: list[Any]) -> None:
        """A page was asked for as a proof; one that waits again proves nothing as yet."""
        if self._coverage is not None and self.frontier.status(url) != "pending":
            self._coverage.note_asked(url, state)

    def _found_elsewhere(self, is_new_form: bool) -> None:
        """Another spider has found a post. Is it at an address of a form that changes the pattern of permalinks?"""
        if is_new_form:
            self.frontier.reclassify(self._is_post_link)

    def _take_wrapper(self) -> None:
        """Another spider has made the wrapper better."""
        kept = self.archive.load_wrapper(self.home)
        if kept is not None:
            self.reader.wrapper = replace(Wrapper.from_dict(kept), ends=self.reader.wrapper.ends)
