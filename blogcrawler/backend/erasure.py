"""Removes a post from the tables of the archive: its own rows, and quotations of it in other rows."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, false, func, select, update

from blogcrawler.backend.history import packed
from blogcrawler.backend.passages import all_parts, parts_of, person_of
from blogcrawler.backend.purges import without_comments
from blogcrawler.backend.rows import digest_of, key_of
from blogcrawler.backend.tables import (
    BLOG,
    COMMENT_PAGE,
    CORRECTED_FIELD,
    DEPOSITED,
    FAILURE,
    FRONTIER_URL,
    LEARNED,
    MEDIA_FILE,
    POST,
    POST_VERSION,
    PROFILED_PAGE,
    SOURCE_ENTRY,
    SOURCE_STATE,
    WANTED,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from sqlalchemy import ColumnElement, Connection, RowMapping, Table

    from blogcrawler.backend.database import Database
    from blogcrawler.backend.purges import Removed

_TABLES = {
    SOURCE_ENTRY: "entry of a feed or another source",
    PROFILED_PAGE: "page used to learn the rules",
    COMMENT_PAGE: "page used to learn the rules for comments",
    CORRECTED_FIELD: "correction",
    FAILURE: "failed request",
    FRONTIER_URL: "address in the frontier",
    LEARNED: "data record of an incomplete crawl",
}
"""Tables from which rows of the post, or with quotations of it, are deleted; each with the name of such a row."""
_SIZE = 200
"""Number of rows that are read at once."""
_MEDIA_FIELDS = ("url", "path")


@dataclass(frozen=True)
class OwnFile:
    """A file of a removed post: its URL, and its stored path; None if it is not stored or other posts use it."""

    url: str
    path: str | None


class Erasure:
    """Finds and deletes the data of a post, given the keys of its URLs. Methods raise BackendUnavailable."""

    def __init__(self, database: Database, blog_id: int, keys: Collection[str]) -> None:
        self._database, self._blog_id = database, blog_id
        self._keys = frozenset(keys)
        self._post = self._which()

    def _which(self) -> ColumnElement[bool]:
        return (POST.c.blog_id == self._blog_id) & POST.c.key.in_(tuple(self._keys))

    # finding the data

    def parts(self) -> frozenset[bytes]:
        """Digests by which the text is recognised: of parts that occur in no other post of the blog. O(n)."""
        digests = set(parts_of(self._texts()))
        others = select(POST.c.id, POST.c.content_html, POST.c.content_text, POST.c.comments)
        query = others.where(POST.c.blog_id == self._blog_id, ~self._post)
        for row in self._database.in_batches(query, POST.c.id, _SIZE) if digests else ():
            for text in _texts_in(row):
                digests.difference_update(all_parts(text))
        return frozenset(digests)

    def _texts(self) -> Iterator[str]:
        """All known texts of the post, current and earlier, as HTML or plain text."""
        now: list[Mapping[Any, Any]] = list(self._database.rows(select(POST).where(self._post)))
        for row in (*now, *self._versions()):
            yield from _texts_in(row)
        for table in (table for table in _TABLES if "entry" in table.c):
            for row in self._rows(table):
                if not self._keys.isdisjoint((row.get("key"), key_of(row.get("url", "")))):
                    yield row["entry"].get("content_html") or ""
        state = self._database.value(select(BLOG.c.crawl_state).where(BLOG.c.id == self._blog_id)) or {}
        for key, entry in state.get("entries", {}).items():
            if key in self._keys:
                yield entry.get("content_html") or ""

    def _versions(self) -> Iterator[Mapping[str, Any]]:
        mine = select(POST.c.id).where(self._post)
        for body in self._database.values(select(POST_VERSION.c.body).where(POST_VERSION.c.post_id.in_(mine))):
            yield json.loads(zlib.decompress(body))

    def deposits(self) -> list[str]:
        """Repositories that have a record of the post, which the archive cannot remove there."""
        mine = select(POST.c.id).where(self._post)
        columns = (DEPOSITED.c.page, DEPOSITED.c.repository)
        rows = self._database.rows(select(*columns).where(DEPOSITED.c.post_id.in_(mine)))
        return [str(row["page"] or row["repository"]) for row in rows]

    def files(self) -> list[OwnFile]:
        """The files that only this post uses. O(n) in the archive's posts."""
        mine: dict[str, str | None] = {}
        now = self._database.values(select(POST.c.media).where(self._post))
        before = (version.get("media", []) for version in self._versions())
        for media in chain.from_iterable((*now, *before)):
            mine[media["url"]] = media.get("path") or mine.get(media["url"])
        used = self._used_by_others({*mine, *filter(None, mine.values())}) if mine else set()
        return [OwnFile(url, None if path in used else path) for url, path in mine.items() if url not in used]

    def _used_by_others(self, names: set[str]) -> set[str]:
        """Those URLs and paths of files that other posts use, in current or earlier versions."""
        used: set[str] = set()
        for row in self._database.in_batches(select(POST.c.id, POST.c.media).where(~self._post), POST.c.id, _SIZE):
            used.update(media[name] for media in row["media"] for name in _MEDIA_FIELDS if media.get(name) in names)
        others = select(POST.c.id).where(~self._post)
        query = select(POST_VERSION.c.id, POST_VERSION.c.body).where(POST_VERSION.c.post_id.in_(others))
        for row in self._database.in_batches(query, POST_VERSION.c.id, _SIZE):
            version = json.loads(zlib.decompress(row["body"]))
            used.update(
                media[name] for media in version.get("media", ()) for name in _MEDIA_FIELDS if media.get(name) in names
            )
        return used

    def counted(self, removed: Removed) -> Counter[str]:
        """Number of rows to be deleted, by kind."""
        counts = Counter({"post": len(self._database.values(select(POST.c.id).where(self._post)))})
        counts["earlier version"] = sum(1 for _ in self._versions())
        for table, name in _TABLES.items():
            counts[name] += sum(_is_of(row, removed) for row in self._rows(table))
        return +counts

    # removing the data

    def erase(self, removed: Removed, files: Iterable[OwnFile]) -> None:
        """Delete all rows of the post and of its own files in one transaction."""
        with self._database.transaction() as connection:
            self._database.overwrite_deleted(connection)
            for table in _TABLES:
                for row in [row for row in self._rows(table) if _is_of(row, removed)]:
                    mine = [column == row[column.name] for column in table.primary_key]
                    connection.execute(delete(table).where(*mine))
            own = tuple(file.url for file in files)
            connection.execute(
                delete(MEDIA_FILE).where(MEDIA_FILE.c.blog_id == self._blog_id, MEDIA_FILE.c.url.in_(own))
            )
            connection.execute(delete(POST).where(self._post))
            self._clean_state(connection, removed)

    def _clean_state(self, connection: Connection, removed: Removed) -> None:
        """Remove the post from the saved states of crawls."""
        mine = BLOG.c.id == self._blog_id
        for column in (BLOG.c.crawl_state, BLOG.c.wrapper):
            state = connection.scalar(select(column).where(mine))
            if state is not None and (cleaned := without(state, removed)) != state:
                connection.execute(update(BLOG).where(mine).values({column.name: cleaned}))
        for row in self._rows(SOURCE_STATE):
            if (cleaned := without(row["state"], removed)) != row["state"]:
                named = (SOURCE_STATE.c.blog_id == self._blog_id) & (SOURCE_STATE.c.name == row["name"])
                connection.execute(update(SOURCE_STATE).where(named).values(state=cleaned))

    def forget_places(self, positions: Collection[str]) -> None:
        """Remove references to WARC captures that are to be removed from all records of the blog."""
        query = select(POST.c.id, POST.c.provenance).where(POST.c.blog_id == self._blog_id)
        with self._database.transaction() as connection:
            for row in list(self._database.in_batches(query, POST.c.id, _SIZE)) if positions else ():
                if row["provenance"].get("warc") in positions:
                    provenance = {**row["provenance"], "warc": None}
                    connection.execute(update(POST).where(POST.c.id == row["id"]).values(provenance=provenance))

    def _rows(self, table: Table) -> Iterator[RowMapping]:
        """Yield the rows of a blog in a table, in batches."""
        by = next(column for column in table.primary_key if column.name != "blog_id")
        if table is CORRECTED_FIELD:
            yield from self._database.rows(select(table).where(table.c.blog_id == self._blog_id))
            return
        yield from self._database.in_batches(select(table).where(table.c.blog_id == self._blog_id), by, _SIZE)


class BlogErasure(Erasure):
    """Finds and deletes the data of a blog: all its posts, and the states of its crawls."""

    def _which(self) -> ColumnElement[bool]:
        return POST.c.blog_id == self._blog_id

    def parts(self) -> frozenset[bytes]:
        """An empty value, since a blog is recognised by its URLs."""
        return frozenset()

    def counted(self, removed: Removed) -> Counter[str]:  # noqa: ARG002
        """Number of rows to be deleted, by kind."""
        posts, blogs = (
            self._database.value(select(func.count()).select_from(table).where(which)) or 0
            for table, which in ((POST, self._post), (BLOG, BLOG.c.id == self._blog_id))
        )
        return +Counter({"blog": blogs, "post": posts, "earlier version": sum(1 for _ in self._versions())})

    def erase(self, removed: Removed, files: Iterable[OwnFile]) -> None:  # noqa: ARG002
        """Delete the blog with all its data in one transaction."""
        with self._database.transaction() as connection:
            self._database.overwrite_deleted(connection)
            connection.execute(delete(POST).where(self._post))
            connection.execute(delete(BLOG).where(BLOG.c.id == self._blog_id))
            connection.execute(delete(WANTED).where(WANTED.c.key.in_(tuple(self._keys))))

    def forget_places(self, positions: Collection[str]) -> None:
        """Do nothing, since the records are deleted as well."""

    def warcs_of_others(self) -> set[str]:
        """Names of WARC files to which records of other blogs refer. O(n) in the archive's posts."""
        query = select(POST.c.id, POST.c.provenance).where(~self._post)
        positions = (row["provenance"].get("warc") for row in self._database.in_batches(query, POST.c.id, _SIZE))
        return {position.partition("#")[0] for position in positions if position}


class CommentsErasure(Erasure):
    """Finds and deletes a person's comments on a blog; the name is in the form of `passages.person_of`."""

    def __init__(self, database: Database, blog_id: int, person: str) -> None:
        super().__init__(database, blog_id, ())
        self._person = person

    def _which(self) -> ColumnElement[bool]:
        return false()

    def _texts(self) -> Iterator[str]:
        """All texts of the person, in current and earlier versions."""
        for state in self._states():
            for comment in filter(self._is_by_person, state["comments"]):
                yield str(comment["content_html"] or comment["content_text"] or "")

    def posts(self) -> set[str]:
        """The keys of the posts with comments of the person, in current or earlier versions."""
        return {key_of(state["url"]) for state in self._states() if any(map(self._is_by_person, state["comments"]))}

    def _states(self) -> Iterator[Mapping[Any, Any]]:
        """All posts in their current and earlier versions."""
        yield from self._posts()
        yield from (version for _, version in self._earlier())

    def _posts(self) -> Iterator[RowMapping]:
        yield from self._database.in_batches(select(POST).where(POST.c.blog_id == self._blog_id), POST.c.id, _SIZE)

    def _earlier(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The earlier versions of posts, by id."""
        mine = POST_VERSION.c.post_id.in_(select(POST.c.id).where(POST.c.blog_id == self._blog_id))
        for row in self._database.in_batches(select(POST_VERSION).where(mine), POST_VERSION.c.id, _SIZE):
            yield row["id"], json.loads(zlib.decompress(row["body"]))

    def _is_by_person(self, comment: Mapping[str, Any]) -> bool:
        return person_of(comment["author"] or "") == self._person

    def counted(self, removed: Removed) -> Counter[str]:
        """Number of comments and of rows that quote them to be deleted, and of records to be changed."""
        numbers = [sum(map(self._is_by_person, row["comments"])) for row in self._posts()]
        counts = Counter({"comment": sum(numbers), "record with such comments": sum(map(bool, numbers))})
        return counts + super().counted(removed)

    def erase(self, removed: Removed, files: Iterable[OwnFile]) -> None:
        """Remove the comments from posts and their earlier versions in one transaction; replies to them are kept."""
        with self._database.transaction() as connection:
            super().erase(removed, files)
            for post in list(self._posts()):
                if changes := self._without_comments(post):
                    sha256, now = digest_of({**post, **changes}), datetime.now(UTC)
                    changed = update(POST).values(**changes, content_sha256=sha256, last_changed=now)
                    connection.execute(changed.where(POST.c.id == post["id"]))
            for number, version in list(self._earlier()):
                if changes := self._without_comments(version):
                    version |= changes
                    changed = update(POST_VERSION).values(body=packed(version), content_sha256=digest_of(version))
                    connection.execute(changed.where(POST_VERSION.c.id == number))

    def _without_comments(self, post: Mapping[Any, Any]) -> dict[str, Any]:
        """The fields of a post that change without the comments of the person; empty if there are no such comments."""
        remaining, count = without_comments(post["comments"], post["comment_count"], self._is_by_person)
        return {"comments": remaining, "comment_count": count} if remaining != post["comments"] else {}


def without(value: Any, removed: Removed) -> Any:  # noqa: ANN401
    """Remove the data of a removed post, and texts that quote it, from JSON data."""
    if isinstance(value, dict):
        values = {name: item for name, item in value.items() if not (removed.has(name) or _names(item, removed))}
        return {name: without(item, removed) for name, item in values.items()}
    if isinstance(value, list):
        return [without(item, removed) for item in value if not _names(item, removed)]
    if isinstance(value, str) and removed.quotes(value.encode("utf-8", "replace"), None, heeds_names=False):
        return ""
    return value


def _names(value: Any, removed: Removed) -> bool:  # noqa: ANN401
    """True for the URL of a removed post, an entry of it, and a list of its URL and numbers."""
    if isinstance(value, dict):
        value = value.get("url")
    elif isinstance(value, list) and len(value) > 1 and not isinstance(value[1], str):
        value = value[0]
    return isinstance(value, str) and removed.has(value)


def _is_of(row: Mapping[Any, Any], removed: Removed) -> bool:
    """True if a row belongs to a removed post or quotes it."""
    if any(removed.has(row[name]) for name in ("key", "url") if name in row):
        return True
    for value in row.values():
        is_page = isinstance(value, bytes)
        if isinstance(value, bytes):
            with suppress(zlib.error):
                value = zlib.decompress(value)
        elif isinstance(value, dict):
            value = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        if isinstance(value, bytes) and removed.quotes(value, None, heeds_names=is_page):
            return True
    return False


def _texts_in(row: Mapping[Any, Any]) -> Iterator[str]:
    """The texts of a post and its comments: HTML, or else plain text."""
    for item in (row, *row["comments"]):
        if text := item["content_html"] or item["content_text"]:
            yield str(text)
