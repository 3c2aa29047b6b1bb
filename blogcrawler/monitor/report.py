"""The output of a monitor: a line for each blog on a terminal; elsewhere only errors, since cron mails all output."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from blogcrawler.reporting import say, show

if TYPE_CHECKING:
    from datetime import datetime


class Report:
    """Reports each crawl as it ends. `next_one` says what will continue a stopped crawl."""

    def __init__(self, *, is_shown: bool | None = None, next_one: str = "the next monitor will continue") -> None:
        self._next_one = next_one
        self._is_shown = sys.stdout.isatty() if is_shown is None else is_shown
        #: number of crawls that failed and are not retried soon
        self.failures = 0

    def done(self, url: str, posts: int, due: datetime | None) -> None:
        """Report a successful crawl: the number of new or changed posts, and when the blog is due again."""
        self._show(f"{url}: {_posts(posts)} new or changed" + (f", next crawl {due:%Y-%m-%d %H:%M} UTC" if due else ""))

    def stopped(self, url: str) -> None:
        """Report a crawl that was stopped."""
        self._show(f"{url}: stopped; {self._next_one}")

    def failed(self, sentence: str) -> None:
        self.failures += 1
        say(sentence)

    def put_off(self, sentence: str) -> None:
        """Report a crawl that is postponed for a reason outside its blog."""
        say(sentence)

    def left(self, blogs: int) -> None:
        """Count blogs whose postponed crawls are not retried after all."""
        self.failures += blogs

    def nothing(self) -> None:
        """Report that there was nothing to do."""
        self._show("No blog is due.")

    def _show(self, line: str) -> None:
        if self._is_shown:
            show(line, sys.stdout)


def _posts(number: int) -> str:
    return f"{number} {'post' if number == 1 else 'posts'}"
