"""Pages from which an incomplete crawl learns the markup of comments, saved for the crawl that continues it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, select

from blogcrawler.backend.columns import storable_json
from blogcrawler.backend.rows import page_columns, page_of
from blogcrawler.backend.tables import COMMENT_PAGE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from blogcrawler.backend.database import Database
    from blogcrawler.backend.purges import Removed
    from blogcrawler.items import Page


class CommentPages:
    """The pages of one blog. Methods raise BackendUnavailable."""

    def __init__(self, database: Database, blog_id: int, removed: Removed) -> None:
        self._database, self._blog_id, self._removed = database, blog_id, removed
        self._mine = COMMENT_PAGE.c.blog_id == blog_id

    def save(self, page: Page, comment_data: Mapping[str, Any]) -> None:
        """Append a page, or replace the page with its URL; `comment_data` is JSON data about its comments."""
        if self._removed.quotes(page.body, page.content_type):
            return
        row = {
            "blog_id": self._blog_id,
            "url": page.url,
            "told": storable_json(dict(comment_data)),
            **page_columns(page),
        }
        with self._database.transaction() as connection:
            last = connection.execute(select(func.max(COMMENT_PAGE.c.number)).where(self._mine)).scalar()
            number = 0 if last is None else int(last) + 1
            self._database.upsert(COMMENT_PAGE, [{**row, "number": number}])

    def load(self) -> Iterator[tuple[Page, dict[str, Any]]]:
        """All pages (about thirty), in the order in which they were saved, each with the data about it."""
        query = select(COMMENT_PAGE).where(self._mine).order_by(COMMENT_PAGE.c.number, COMMENT_PAGE.c.url)
        return ((page_of(row), row["told"]) for row in self._database.rows(query))

    def clear(self) -> None:
        self._database.run(delete(COMMENT_PAGE).where(self._mine))
