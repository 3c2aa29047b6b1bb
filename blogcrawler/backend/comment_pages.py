"""Pages from which a crawl that is not complete learns how comments are shown.

They are for its other spiders, and for the one that goes on with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import Table, delete, func, select

from blogcrawler.backend.columns import storable_json
from blogcrawler.backend.models import CommentPage
from blogcrawler.backend.rows import page_columns, page_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from blogcrawler.backend.database import Database
    from blogcrawler.items import Page

_PAGE = cast("Table", CommentPage.__table__)


class CommentPages:
    """Those of one blog. Calls raise BackendUnavailable."""

    def __init__(self, database: Database, blog_id: int) -> None:
        self._database, self._blog_id = database, blog_id
        self._mine = _PAGE.c.blog_id == blog_id

    def save(self, page: Page, told: Mapping[str, Any]) -> int:
        """Keep one behind all others, in place of the one at its address; `told` is what is known, as JSON types.

        Returns its place.
        """
        row = {"blog_id": self._blog_id, "url": page.url, "told": storable_json(dict(told)), **page_columns(page)}
        with self._database.transaction() as connection:
            last = connection.execute(select(func.max(_PAGE.c.number)).where(self._mine)).scalar()
            number = 0 if last is None else int(last) + 1
            self._database.upsert(_PAGE, [{**row, "number": number}])
        return number

    def places(self) -> dict[str, int]:
        """The address of each, and its place, which another one may have that was kept at the same moment."""
        query = select(_PAGE.c.url, _PAGE.c.number).where(self._mine)
        return {row["url"]: row["number"] for row in self._database.rows(query)}

    def load(self, urls: Collection[str]) -> Iterator[tuple[Page, dict[str, Any]]]:
        """Those at some dozens of addresses, by their places, with what is known of them."""
        query = select(_PAGE).where(self._mine, _PAGE.c.url.in_(urls)).order_by(_PAGE.c.number, _PAGE.c.url)
        return ((page_of(row), row["told"]) for row in self._database.rows(query))

    def drop(self, url: str) -> None:
        """Forget one."""
        with self._database.transaction() as connection:
            connection.execute(delete(_PAGE).where(self._mine, _PAGE.c.url == url))

    def clear(self) -> None:
        """Forget all."""
        with self._database.transaction() as connection:
            connection.execute(delete(_PAGE).where(self._mine))
