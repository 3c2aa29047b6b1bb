"""A blog's page rules in the archive: for updates, and for a crawl that goes on with one that was cut short."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from blogcrawler.comments.page_rules import PostPage
from blogcrawler.errors import NotAWebPage

if TYPE_CHECKING:
    from blogcrawler.backend import Archive
    from blogcrawler.comments.page_rules import PageRules
    from blogcrawler.wrapper import Wrapper

STATE = "comments"
"""Under which name the archive keeps the rules."""


class KeptPageRules:
    """Keeps the `rules` of one blog, and the pages from which they are learned.

    Begins with those of an earlier crawl, or of earlier parts of this one. Calls raise BackendUnavailable.
    """

    def __init__(self, archive: Archive, home: str, wrapper: Wrapper, rules: PageRules) -> None:
        self._archive, self._home, self.rules = archive, home, rules
        rules.replace(archive.load_source_state(home, STATE))
        for page, known in archive.comment_pages(home).load():
            with suppress(KeyError, TypeError, NotAWebPage):  # another version has kept it
                if known["has_comments"] is not None:  # of an earlier version: it has waited for rules
                    rules.recall(PostPage.from_dict(known, page, wrapper), has_comments=known["has_comments"])
        if rules.catch_up():
            self.keep()

    def note(self, post: PostPage, *, has_comments: bool) -> None:
        """Take in a page to learn from, also for a resumed crawl."""
        is_wanted = self.rules.would_miss(post, has_comments=has_comments)
        is_improved = self.rules.note(post, has_comments=has_comments)
        with self._archive.transaction():
            if is_wanted:
                known = {**post.to_dict(), "has_comments": has_comments}
                self._archive.comment_pages(self._home).save(post.page, known)
            if is_improved:
                self.keep()

    def keep(self) -> None:
        """Keep the rules."""
        if self.rules.rules:
            self._archive.save_source_state(self._home, STATE, self.rules.to_dict())
