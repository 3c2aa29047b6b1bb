"""The audit records of removals, and the recognition of removed content that is found again."""

from __future__ import annotations

import re
import shlex
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import delete, insert, update

from blogcrawler.backend.passages import SIZE, WORDS, all_parts, person_of
from blogcrawler.backend.rows import key_of
from blogcrawler.backend.tables import PURGE, REVOKED_PURGE
from blogcrawler.items import Comment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement

    from blogcrawler.backend.database import Database
    from blogcrawler.items import Record

Kind = Literal["post", "blog", "comments"]
MAJORITY = 0.5
"""A page that contains more than this share of a removed text's parts shows that text; else it only quotes it."""
MOST_LONGER = 2
"""Maximum length of such a page, as a multiple of the removed text."""
_TEXT = re.compile(r"text/|[/+](?:xml|json|x?html)|javascript", re.IGNORECASE)
_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?([\w-]+)""", re.IGNORECASE)
_HEAD = 2048
"""Number of bytes that are searched for a document's encoding."""


@dataclass(frozen=True)
class PurgeRow:
    """A removal on request; `finished` is None until all data are removed."""

    key: str
    kind: Kind
    person: str
    blog: str
    url: str
    addresses: list[str]
    passages: bytes
    reason: str | None
    asked: datetime
    finished: datetime | None = None
    #: name of the person as given; deleted when the removal is complete
    name: str | None = None

    @property
    def command(self) -> str:
        """The command that completes this removal."""
        option = {"post": [], "blog": ["--blog"], "comments": ["--comments-by", self.name or "NAME"]}[self.kind]
        return shlex.join(["blogcrawler", "purge", self.url, *option])

    @property
    def parts(self) -> frozenset[bytes]:
        """The digests of `passages`, one by one."""
        return frozenset(self.passages[start : start + SIZE] for start in range(0, len(self.passages), SIZE))


@dataclass(frozen=True)
class RevokedPurge:
    """The audit record of a revoked removal."""

    kind: Kind
    blog: str
    url: str
    reason: str | None
    asked: datetime
    finished: datetime | None
    revoked: datetime
    revocation_reason: str | None


class Purges:
    """The audit records of an archive. Methods raise BackendUnavailable."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, row: PurgeRow) -> None:
        """Save an audit record; it replaces an earlier one for the same content."""
        self._database.upsert(PURGE, [asdict(row)])

    def finish(self, row: PurgeRow, *, now: datetime) -> None:
        """Record that a removal is complete, and delete the name."""
        with self._database.transaction() as connection:
            self._database.overwrite_deleted(connection)
            connection.execute(update(PURGE).where(_is(row)).values(finished=now, name=None))

    def revoke(self, row: PurgeRow, reason: str | None, *, now: datetime) -> None:
        """Revoke a removal; keep an audit record without the data by which the content is recognised."""
        values = {name: getattr(row, name) for name in ("kind", "blog", "url", "reason", "asked", "finished")}
        with self._database.transaction() as connection:
            self._database.overwrite_deleted(connection)
            connection.execute(insert(REVOKED_PURGE).values(**values, revoked=now, revocation_reason=reason))
            connection.execute(delete(PURGE).where(_is(row)))

    def revoked(self) -> list[RevokedPurge]:
        """The revoked removals, the oldest first."""
        return self._database.load(RevokedPurge, REVOKED_PURGE, by=(REVOKED_PURGE.c.id,))

    def all(self) -> list[PurgeRow]:
        """All audit records, the oldest first."""
        return self._database.load(PurgeRow, PURGE, by=(PURGE.c.asked, PURGE.c.key))

    def find(self, kind: Kind, key: str, person: str = "") -> PurgeRow | None:
        """Find an audit record; None if there is none."""
        return next((row for row in self.all() if (row.kind, row.key, row.person) == (kind, key, person)), None)

    def about(self, url: str) -> list[PurgeRow]:
        """The audit records for a URL: of the post, of the blog that contains it, and of comments on the blog with
        this URL."""
        key = key_of(url)
        return [row for row in self.all() if (row.key == key if row.kind == "comments" else Removed([row]).has(url))]

    def removed(self, home: str = "") -> Removed:
        """Return a recogniser of the removed content of a blog, or of all blogs if `home` is empty. Removed posts of
        other blogs are recognised by their URLs, since several blogs may have the same post."""
        own, others = [], []
        for row in self.all():
            if home in ("", row.blog):
                own.append(row)
            elif row.kind == "post":
                others.append(replace(row, passages=b""))
        return Removed([*own, *others])


def _is(row: PurgeRow) -> ColumnElement[bool]:
    return (PURGE.c.key == row.key) & (PURGE.c.kind == row.kind) & (PURGE.c.person == row.person)


@dataclass
class Removed:
    """Recognises removed posts, blogs and comments. Its truth value is False if nothing was removed."""

    rows: list[PurgeRow]
    #: keys of removed posts that were found again
    met: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        pages = [row for row in self.rows if row.kind != "comments"]
        self._keys = {_slashless(key): row.key for row in pages for key in (row.key, *row.addresses)}
        self._folders = {f"{_slashless(row.key)}/": row.key for row in self.rows if row.kind == "blog"}
        self._parts = {row.key: row.parts for row in pages}
        self._all_parts = frozenset[bytes]().union(*(row.parts for row in self.rows))
        self._people = {row.person for row in self.rows if row.kind == "comments"}

    def __bool__(self) -> bool:
        return bool(self.rows)

    def has(self, url: str) -> bool:
        """True if a post with this URL, in any spelling, or the blog whose folder contains it was removed."""
        if not self.rows:
            return False
        requested = _slashless(key_of(url))
        key = self._keys.get(requested) or next(
            (home for folder, home in self._folders.items() if requested.startswith(folder)), None
        )
        if key is not None:
            self.met.add(key)
        return key is not None

    def has_record(self, record: Record) -> bool:
        """True if a record is a removed post, possibly at another URL: it has most of the text and little else."""
        if not self.rows:
            return False
        parts_found = set(all_parts(record.content_html or record.content_text or ""))
        similar_length = {
            key: parts for key, parts in self._parts.items() if len(parts_found) < MOST_LONGER * WORDS * len(parts)
        }
        matching = [key for key, parts in similar_length.items() if len(parts & parts_found) > MAJORITY * len(parts)]
        self.met.update(matching)
        return bool(matching) or self.has(record.url)

    def is_by(self, name: str | None) -> bool:
        """True if the comments under this name were removed."""
        return bool(self._people) and person_of(name or "") in self._people

    def take_out_comments(self, record: Record) -> None:
        """Delete removed comments from a record, and subtract them from the announced number."""
        if any(self.is_by(comment.author) for comment in record.comments):
            comments = list(map(vars, record.comments))
            left, record.comment_count = without_comments(
                comments, record.comment_count, lambda one: self.is_by(one["author"])
            )
            record.comments = [Comment(**one) for one in left]

    def quotes(self, body: bytes, content_type: str | None, *, heeds_names: bool = True) -> bool:
        """True if a document contains parts of a removed text, or a name whose comments were removed. O(n)."""
        people = self._people if heeds_names else set()
        if not (self._all_parts or people) or not is_text(content_type):
            return False
        text = decoded(body, content_type)
        if not self._all_parts.isdisjoint(all_parts(text)):
            return True
        return any(
            bytes.fromhex(digest) in set(all_parts(text, int(count)))
            for count, _, digest in (person.partition(":") for person in people)
        )


def without_comments(
    comments: Sequence[Mapping[str, Any]], announced: int | None, is_removed: Callable[[Mapping[str, Any]], bool]
) -> tuple[list[dict[str, Any]], int | None]:
    """The comments that stay, and the announced number without the others.

    A reply to a removed comment becomes a reply to the comment that this one answered.
    """
    parents = {comment["id"]: comment["parent"] for comment in comments if is_removed(comment) and comment["id"]}
    left = []
    for comment in comments:
        parent = comment["parent"]
        for _ in parents:
            parent = parents.get(parent, parent)
        if not is_removed(comment):
            left.append({**comment, "parent": parent})
    removed = len(comments) - len(left)
    return left, announced if announced is None else max(len(left), announced - removed)


def is_text(content_type: str | None) -> bool:
    """True for media types that may contain text, and if the type is unknown."""
    return not content_type or _TEXT.search(content_type) is not None


def decoded(body: bytes, content_type: str | None) -> str:
    """The text of a document: UTF-8, or else the encoding that it declares."""
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        named = _CHARSET.search((content_type or "").encode() + b" " + body[:_HEAD])
    try:
        return body.decode(named[1].decode() if named else "cp1252", "replace")
    except LookupError:
        return body.decode("cp1252", "replace")


def _slashless(key: str) -> str:
    return key.rstrip("/")
