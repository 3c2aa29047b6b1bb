"""What a monitor tells: on a terminal a line for each blog, elsewhere only what went wrong, as cron mails all that it
is told.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from blogcrawler.reporting import say, show

if TYPE_CHECKING:
    from datetime import datetime


class Report:
    """Tells of blogs as their crawls end; `next_one` says who goes on with what was stopped."""

    def __init__(self, *, is_shown: bool | None = None, next_one: str = "the next monitor goes on") -> None:
        self._next_one = next_one
        self._is_shown = sys.stdout.isatty() if is_shown is None else is_shown
        #: crawls that did not do their job, and are not tried again soon
        self.failures = 0

    def done(self, url: str, posts: int, due: datetime | None) -> None:
        """The crawl of a blog did its job: how many posts are new or changed, and when it is crawled again."""
        self._show(f"{url}: {_posts(posts)} new or changed" + (f", next crawl {due:%Y-%m-%d %H:%M} UTC" if due else ""))

    def stopped(self, url: str) -> None:
        """The crawl of a blog was stopped."""
        self._show(f"{url}: stopped; {self._next_one}")

    def failed(self, sentence: str) -> None:
        """The crawl of a blog did not do its job."""
        self.failures += 1
        say(sentence)

    def put_off(self, sentence: str) -> None:
        """The crawl of a blog could not go on, for no fault of the blog, and is tried again soon."""
        say(sentence)

    def left(self, blogs: int) -> None:
        """So many blogs whose crawls were put off are not tried again after all."""
        self.failures += blogs

    def nothing(self) -> None:
        """There was nothing to do."""
        self._show("No blog is due that nobody crawls.")

    def _show(self, line: str) -> None:
        if self._is_shown:
            show(line, sys.stdout)


def _posts(number: int) -> str:
    return f"{number} {'post' if number == 1 else 'posts'}"
