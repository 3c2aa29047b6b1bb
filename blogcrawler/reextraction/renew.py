"""All at once, while nobody else crawls the blog: learn again, and read all posts again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.backend import Hold
from blogcrawler.reextraction.archived import ArchivedPages
from blogcrawler.reextraction.posts import LEAST, Outcome, reextract
from blogcrawler.reextraction.relearn import relearn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def renew(
    database_url: str,
    home: str,
    warcs: Path | None,
    *,
    learns: bool = True,
    least: float = LEAST,
    keeps_files: bool = True,
    on_post: Callable[[], object] = lambda: None,
) -> Outcome:
    """Learn a blog's wrapper again, unless told otherwise, and make its records again by it. Nothing is fetched.

    Raises BeingCrawled where a crawl has the blog, and what `relearn` and `reextract` raise.
    """
    hold = Hold(database_url)
    try:
        hold.take(home)
        with ArchivedPages(hold.archive, home, warcs) as archived:
            if learns:
                relearn(hold.archive, home, archived)
            return reextract(hold.archive, home, archived, least=least, keeps_files=keeps_files, on_post=on_post)
    finally:
        hold.close()
