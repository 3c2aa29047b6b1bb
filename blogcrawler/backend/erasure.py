"""Takes a removed post out of the tables of the archive: its rows, and what others quote of it."""

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
    MEDIA_FILE,
    POST,
    POST_VERSION,
    PROFILED_PAGE,
    SOURCE_ENTRY,
    SOURCE_STATE,
    TOLD,
    WANTED,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from sqlalchemy import ColumnElement, Connection, RowMapping, Table

    from blogcrawler.backend.database import Database
    from blogcrawler.backend.purges import Removed

_TABLES = {
    SOURCE_ENTRY: "entry of a feed or another source",
    PROFILED_PAGE: "page that rules were learned from",
    COMMENT_PAGE: "page that rules for comments were learned from",
    CORRECTED_FIELD: "correction",
    FAILURE: "failed request",
    FRONTIER_URL: "address of a crawl",
    TOLD: "part of a crawl that is not complete",
}
"""Tables whose rows of the post, or with quotations of it, are deleted; each with the name of a row."""
_SIZE = 200
"""Rows that are read at once."""
_MEDIA_FIELDS = ("url", "path")


@dataclass(frozen=True)
class OwnFile:
    """A file of a removed post: its address, and where it is kept, which is None where it is not or others use it."""

    url: str
    path: str | None


class Erasure:
    """A removed post of one blog in the database, by the keys of its addresses. Calls raise BackendUnavailable."""

    def __init__(self, database: Database, blog_id: int, keys: Collection[str]) -> None:
        self._database, self._blog_id = database, blog_id
        self._keys = frozenset(keys)
        self._post = self._which()

    def _which(self) -> ColumnElement[bool]:
        return (POST.c.blog_id == self._blog_id) & POST.c.key.in_(tuple(self._keys))

    # what there is

    def parts(self) -> frozenset[bytes]:
        """The digests by which its text is recognised: of parts that no other post of the blog has. O(n)."""
        found = set(parts_of(self._texts()))
        others = select(POST.c.id, POST.c.content_html, POST.c.content_text, POST.c.comments)
        query = others.where(POST.c.blog_id == self._blog_id, ~self._post)
        for row in self._database.in_batches(query, POST.c.id, _SIZE) if found else ():
            for said in _said(row):
                found.difference_update(all_parts(said))
        return frozenset(found)

    def _texts(self) -> Iterator[str]:
        """All that is known to have been said by the post, as HTML or plain text."""
        now: list[Mapping[Any, Any]] = list(self._database.rows(select(POST).where(self._post)))
        for row in (*now, *self._versions()):
            yield from _said(row)
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
        """Where other repositories have the post; the archive cannot remove it there."""
        mine = select(POST.c.id).where(self._post)
        columns = (DEPOSITED.c.page, DEPOSITED.c.repository)
        rows = self._database.rows(select(*columns).where(DEPOSITED.c.post_id.in_(mine)))
        return [str(row["page"] or row["repository"]) for row in rows]

    def files(self) -> list[OwnFile]:
        """The files of the post that no other post has. O(n) in the archive's posts."""
        mine: dict[str, str | None] = {}
        now = self._database.values(select(POST.c.media).where(self._post))
        before = (version.get("media", []) for version in self._versions())
        for media in chain.from_iterable((*now, *before)):
            mine[media["url"]] = media.get("path") or mine.get(media["url"])
        used = self._used_by_others({*mine, *filter(None, mine.values())}) if mine else set()
        return [OwnFile(url, None if path in used else path) for url, path in mine.items() if url not in used]

    def _used_by_others(self, names: set[str]) -> set[str]:
        """Those addresses and paths of files that other posts name, now or before."""
        used: set[str] = set()
        for row in self._database.in_batches(select(POST.c.id, POST.c.media).where(~self._post), POST.c.id, _SIZE):
            used.update(media[name] for media in row["media"] for name in _MEDIA_FIELDS if media.get(name) in names)
        others = select(POST.c.id).where(~self._post)
        query = select(POST_VERSION.c.id, POST_VERSION.c.body).where(POST_VERSION.c.post_id.in_(others))
        for row in self._database.in_batches(query, POST_VERSION.c.id, _SIZE):
            said = json.loads(zlib.decompress(row["body"]))
            used.update(one[name] for one in said.get("media", ()) for name in _MEDIA_FIELDS if one.get(name) in names)
        return used

    def counted(self, removed: Removed) -> Counter[str]:
        """How many rows of which kind would go."""
        found = Counter({"post": len(self._database.values(select(POST.c.id).where(self._post)))})
        found["earlier version"] = sum(1 for _ in self._versions())
        for table, name in _TABLES.items():
            found[name] += sum(_is_of(row, removed) for row in self._rows(table))
        return +found

    # removing

    def erase(self, removed: Removed, files: Iterable[OwnFile]) -> None:
        """Delete all rows of it, and of its own files, in one transaction."""
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
        """Take the post out of what crawls have learned and left."""
        mine = BLOG.c.id == self._blog_id
        for column in (BLOG.c.crawl_state, BLOG.c.wrapper):
            kept = connection.scalar(select(column).where(mine))
            if kept is not None and (cleaned := without(kept, removed)) != kept:
                connection.execute(update(BLOG).where(mine).values({column.name: cleaned}))
        for row in self._rows(SOURCE_STATE):
            if (cleaned := without(row["state"], removed)) != row["state"]:
                named = (SOURCE_STATE.c.blog_id == self._blog_id) & (SOURCE_STATE.c.name == row["name"])
                connection.execute(update(SOURCE_STATE).where(named).values(state=cleaned))

    def forget_places(self, places: Collection[str]) -> None:
        """Let no record of the blog name captures that are to be removed."""
        query = select(POST.c.id, POST.c.provenance).where(POST.c.blog_id == self._blog_id)
        with self._database.transaction() as connection:
            for row in list(self._database.in_batches(query, POST.c.id, _SIZE)) if places else ():
                if row["provenance"].get("warc") in places:
                    provenance = {**row["provenance"], "warc": None}
                    connection.execute(update(POST).where(POST.c.id == row["id"]).values(provenance=provenance))

    def _rows(self, table: Table) -> Iterator[RowMapping]:
        """The rows of a blog in a table, some at a time."""
        by = next(column for column in table.primary_key if column.name != "blog_id")
        if table is CORRECTED_FIELD:
            yield from self._database.rows(select(table).where(table.c.blog_id == self._blog_id))
            return
        yield from self._database.in_batches(select(table).where(table.c.blog_id == self._blog_id), by, _SIZE)


class BlogErasure(Erasure):
    """A removed blog in the database, by the keys of its addresses: all its posts, and what crawls have left of it."""

    def _which(self) -> ColumnElement[bool]:
        return POST.c.blog_id == self._blog_id

    def parts(self) -> frozenset[bytes]:
        """None: it is recognised by its addresses."""
        return frozenset()

    def counted(self, removed: Removed) -> Counter[str]:  # noqa: ARG002
        """How many rows of which kind would go."""
        posts, blogs = (
            self._database.value(select(func.count()).select_from(table).where(which)) or 0
            for table, which in ((POST, self._post), (BLOG, BLOG.c.id == self._blog_id))
        )
        return +Counter({"blog": blogs, "post": posts, "earlier version": sum(1 for _ in self._versions())})

    def erase(self, removed: Removed, files: Iterable[OwnFile]) -> None:  # noqa: ARG002
        """Delete it, with all that belongs to it, in one transaction."""
        with self._database.transaction() as connection:
            self._database.overwrite_deleted(connection)
            connection.execute(delete(POST).where(self._post))
            connection.execute(delete(BLOG).where(BLOG.c.id == self._blog_id))
            connection.execute(delete(WANTED).where(WANTED.c.key.in_(tuple(self._keys))))

    def forget_places(self, places: Collection[str]) -> None:
        """Nothing: the records go, too."""

    def warcs_of_others(self) -> set[str]:
        """The names of WARC files to which records of other blogs refer. O(n) in the archive's posts."""
        query = select(POST.c.id, POST.c.provenance).where(~self._post)
        places = (row["provenance"].get("warc") for row in self._database.in_batches(query, POST.c.id, _SIZE))
        return {place.partition("#")[0] for place in places if place}


class CommentsErasure(Erasure):
    """The comments of a person on all posts of a blog, by `passages.person_of` the name."""

    def __init__(self, database: Database, blog_id: int, person: str) -> None:
        super().__init__(database, blog_id, ())
        self._person = person

    def _which(self) -> ColumnElement[bool]:
        return false()

    def _texts(self) -> Iterator[str]:
        """What the person has said, now or before."""
        for state in self._states():
            for comment in filter(self._is_by_person, state["comments"]):
                yield str(comment["content_html"] or comment["content_text"] or "")

    def posts(self) -> set[str]:
        """The keys of the posts on which the person has commented, now or before."""
        return {key_of(state["url"]) for state in self._states() if any(map(self._is_by_person, state["comments"]))}

    def _states(self) -> Iterator[Mapping[Any, Any]]:
        """The posts as they are now, and as they were before."""
        yield from self._posts()
        yield from (version for _, version in self._earlier())

    def _posts(self) -> Iterator[RowMapping]:
        yield from self._database.in_batches(select(POST).where(POST.c.blog_id == self._blog_id), POST.c.id, _SIZE)

    def _earlier(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The earlier versions of posts, by their numbers."""
        mine = POST_VERSION.c.post_id.in_(select(POST.c.id).where(POST.c.blog_id == self._blog_id))
        for row in self._database.in_batches(select(POST_VERSION).where(mine), POST_VERSION.c.id, _SIZE):
            yield row["id"], json.loads(zlib.decompress(row["body"]))

    def _is_by_person(self, comment: Mapping[str, Any]) -> bool:
        return person_of(comment["author"] or "") == self._person

    def counted(self, removed: Removed) -> Counter[str]:
        """How many comments, records that have them, and rows that quote them, would go or change."""
        numbers = [sum(map(self._is_by_person, row["comments"])) for row in self._posts()]
        found = Counter({"comment": sum(numbers), "record with such comments": sum(map(bool, numbers))})
        return found + super().counted(removed)

    def erase(self, removed: Removed, files: Iterable[OwnFile]) -> None:
        """Take the comments out of posts and their earlier versions; answers to them stay, in one transaction."""
        with self._database.transaction() as connection:
            super().erase(removed, files)
            for post in list(self._posts()):
                if left := self._left(post):
                    sha256, now = digest_of({**post, **left}), datetime.now(UTC)
                    changed = update(POST).values(**left, content_sha256=sha256, last_changed=now)
                    connection.execute(changed.where(POST.c.id == post["id"]))
            for number, version in list(self._earlier()):
                if left := self._left(version):
                    version |= left
                    changed = update(POST_VERSION).values(body=packed(version), content_sha256=digest_of(version))
                    connection.execute(changed.where(POST_VERSION.c.id == number))

    def _left(self, post: Mapping[Any, Any]) -> dict[str, Any]:
        """The fields of a post that change, without the comments of the person; empty if it has none of them."""
        left, count = without_comments(post["comments"], post["comment_count"], self._is_by_person)
        return {"comments": left, "comment_count": count} if left != post["comments"] else {}


def without(value: Any, removed: Removed) -> Any:  # noqa: ANN401
    """JSON types without what is of a removed post, and without texts that quote it."""
    if isinstance(value, dict):
        kept = {name: one for name, one in value.items() if not (removed.has(name) or _names(one, removed))}
        return {name: without(one, removed) for name, one in kept.items()}
    if isinstance(value, list):
        return [without(one, removed) for one in value if not _names(one, removed)]
    if isinstance(value, str) and removed.quotes(value.encode("utf-8", "replace"), None, heeds_names=False):
        return ""
    return value


def _names(value: Any, removed: Removed) -> bool:  # noqa: ANN401
    """True for the address of a removed post, an entry of it, and a list of its address and numbers."""
    if isinstance(value, dict):
        value = value.get("url")
    elif isinstance(value, list) and len(value) > 1 and not isinstance(value[1], str):
        value = value[0]
    return isinstance(value, str) and removed.has(value)


def _is_of(row: Mapping[Any, Any], removed: Removed) -> bool:
    """True if a row is of a removed post, or quotes it."""
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


def _said(row: Mapping[Any, Any]) -> Iterator[str]:
    """What a post says, and its comments: HTML, or else plain text."""
    for one in (row, *row["comments"]):
        if said := one["content_html"] or one["content_text"]:
            yield str(said)
