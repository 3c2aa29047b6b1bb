"""The tables of the archive's database. Times are UTC, as ISO 8601; lists and records are JSON; nothing is pickled."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    ForeignKey,
    Index,
    MetaData,
    String,
    UniqueConstraint,
    false,
    true,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from blogcrawler.backend.columns import Key, PlainText, UtcTime

#: of the tables below; raised with every change of them, see `migrations`
SCHEMA_VERSION = 13
#: from which this program knows the way
OLDEST_VERSION = 4


class Base(DeclarativeBase):
    """All tables."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012
        datetime: UtcTime(),
        dict[str, Any]: JSON(none_as_null=True),
        list[Any]: JSON(none_as_null=True),
        str: PlainText(),
    }


class _WithPage:
    """The columns of a page, behind a table's own."""

    #: compressed with zlib
    body: Mapped[bytes] = mapped_column(sort_order=1)
    content_type: Mapped[str | None] = mapped_column(sort_order=1)
    status: Mapped[int] = mapped_column(sort_order=1)
    fetched: Mapped[str | None] = mapped_column(sort_order=1)
    is_rendered: Mapped[bool] = mapped_column(sort_order=1)


class SchemaVersion(Base):
    """One row: the version of the tables."""

    __tablename__ = "schema_version"

    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)


class Blog(Base):
    """A blog, its feed, what was learned about it, and its last crawl."""

    __tablename__ = "blog"

    id: Mapped[int] = mapped_column(primary_key=True)
    home: Mapped[str] = mapped_column(Key, unique=True)
    title: Mapped[str | None]
    language: Mapped[str | None]
    feed_url: Mapped[str | None]
    #: as the server sent them, for the next conditional request
    feed_etag: Mapped[str | None]
    feed_last_modified: Mapped[str | None]
    wrapper: Mapped[dict[str, Any] | None]
    #: what a crawl knows besides its frontier, so that it can be gone on with
    crawl_state: Mapped[dict[str, Any] | None]
    #: the spider of the last crawl
    crawl_kind: Mapped[str | None]
    crawl_started: Mapped[datetime | None]
    #: None while a crawl runs, or when it was killed
    crawl_finished: Mapped[datetime | None]
    #: True if the last crawl saw all that it meant to see
    crawl_complete: Mapped[bool] = mapped_column(default=False)
    #: why it ended
    crawl_reason: Mapped[str | None]
    #: when it is to be crawled again; None before its first crawl has ended
    due: Mapped[datetime | None] = mapped_column(index=True)
    #: crawls that failed in a row
    failures: Mapped[int] = mapped_column(default=0, server_default="0")
    #: True if monitors crawl it
    is_followed: Mapped[bool] = mapped_column(default=True, server_default=true())


class Wanted(Base):
    """A blog that was asked for, and is not in the archive yet, see `register.WantedBlog`."""

    __tablename__ = "wanted"
    __table_args__ = (Index("ix_wanted_due", "due", "key"),)

    #: one for all spellings of the address, see `urls.identity`
    key: Mapped[str] = mapped_column(Key, primary_key=True)
    url: Mapped[str]
    added: Mapped[datetime]
    due: Mapped[datetime]
    tried: Mapped[datetime | None]
    reason: Mapped[str | None]
    failures: Mapped[int] = mapped_column(default=0, server_default="0")


class Claim(Base):
    """The lease of a blog that is being crawled, see `leases`: nobody else crawls it as long as that holds."""

    __tablename__ = "claim"

    #: of the blog's home page, or of the address that it is sought by, see `urls.identity`
    key: Mapped[str] = mapped_column(Key, primary_key=True)
    #: one crawl, see `backend.holder`
    owner: Mapped[str] = mapped_column("who", key="owner")
    since: Mapped[datetime]
    #: unless it is renewed
    until: Mapped[datetime]
    #: True if a monitor has started the crawl
    is_monitored: Mapped[bool]


class BlogAddress(Base):
    """A URL by which users know a blog: its home page, its feed, whatever a crawl was started with."""

    __tablename__ = "blog_address"

    #: one for all spellings, see `urls.identity`
    key: Mapped[str] = mapped_column(Key, primary_key=True)
    blog_id: Mapped[int] = mapped_column(ForeignKey("blog.id", ondelete="CASCADE"))


class ProfiledPage(_WithPage, Base):
    """A page that the wrapper was learned from, with the feed entry that leads to it."""

    __tablename__ = "training_page"

    blog_id: Mapped[int] = mapped_column(ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True)
    url: Mapped[str] = mapped_column(Key, primary_key=True)
    entry: Mapped[dict[str, Any]]


class SourceEntry(Base):
    """A post that a source besides the feed's newest entries tells of: a feed's archive, an API."""

    __tablename__ = "source_entry"

    blog_id: Mapped[int] = mapped_column(ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True)
    #: one for all addresses of the post
    key: Mapped[str] = mapped_column(Key, primary_key=True)
    entry: Mapped[dict[str, Any]]


class SourceState(Base):
    """How far a source of posts was read in a blog's crawl."""

    __tablename__ = "source_state"

    blog_id: Mapped[int] = mapped_column(ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(Key, primary_key=True)
    state: Mapped[dict[str, Any]]


class Post(Base):
    """A post: the record's fields, each a column, and when it was seen."""

    __tablename__ = "post"
    __table_args__ = (UniqueConstraint("blog_id", "key"), Index("ix_post_published", "blog_id", "published"))

    id: Mapped[int] = mapped_column(primary_key=True)
    blog_id: Mapped[int] = mapped_column(ForeignKey("blog.id", ondelete="CASCADE"))
    #: one for all spellings of the address (http and https, with "www." or without), see `urls.identity`
    key: Mapped[str] = mapped_column(Key)
    url: Mapped[str]
    guid: Mapped[str | None]
    title: Mapped[str | None]
    authors: Mapped[list[Any]]
    published: Mapped[str | None]
    updated: Mapped[str | None]
    tags: Mapped[list[Any]]
    language: Mapped[str | None]
    content_html: Mapped[str | None]
    content_text: Mapped[str | None]
    comments: Mapped[list[Any]]
    comment_count: Mapped[int | None]
    media: Mapped[list[Any]]
    provenance: Mapped[dict[str, Any]]
    #: of all that the post says, without its provenance: equal when nothing has changed
    content_sha256: Mapped[str]
    first_seen: Mapped[datetime] = mapped_column(index=True)
    last_seen: Mapped[datetime]
    #: when what the post says last changed
    last_changed: Mapped[datetime]
    #: since when it is not on the web any more; None as long as it is
    gone: Mapped[datetime | None]


class PostVersion(Base):
    """What a post said before it was changed."""

    __tablename__ = "post_version"

    id: Mapped[int] = mapped_column(primary_key=True)
    post_id: Mapped[int] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"), index=True)
    content_sha256: Mapped[str]
    #: when it was first seen to say so
    seen: Mapped[datetime]
    #: when it was seen to say something else
    replaced: Mapped[datetime]
    #: the columns of the record, as JSON, compressed with zlib
    body: Mapped[bytes]


class FrontierUrl(Base):
    """A URL that a crawl has met."""

    __tablename__ = "frontier_url"
    __table_args__ = (Index("ix_frontier_url_order", "blog_id", "position"),)

    blog_id: Mapped[int] = mapped_column(ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    url: Mapped[str]
    position: Mapped[int]
    is_post: Mapped[bool]
    status: Mapped[str] = mapped_column(String(16))
    depth: Mapped[int]
    found_on: Mapped[str | None]
    bonus: Mapped[float]
    marks: Mapped[str]
    hints: Mapped[str]
    was_post: Mapped[bool | None]
    post_links: Mapped[int | None]
    new_posts: Mapped[int | None]
    reason: Mapped[str | None]


class Told(Base):
    """What a crawl that is not complete has learned of its blog, in order, see `crawl.journal`."""

    __tablename__ = "told"

    blog_id: Mapped[int] = mapped_column(ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    #: JSON, compressed with zlib
    commands: Mapped[bytes]


class CommentPage(_WithPage, Base):
    """A page from which a crawl that is not complete learns how comments are shown."""

    __tablename__ = "comment_page"

    blog_id: Mapped[int] = mapped_column(ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True)
    url: Mapped[str] = mapped_column(Key, primary_key=True)
    #: its place among the others
    number: Mapped[int]
    #: what is known of its comments
    told: Mapped[dict[str, Any]]


class Failure(Base):
    """A post that could not be fetched, and why, see `failures.Failed`; one row for each URL of a blog."""

    __tablename__ = "failure"

    blog_id: Mapped[int] = mapped_column(ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True)
    url: Mapped[str] = mapped_column(Key, primary_key=True)
    reason: Mapped[str]
    last_failed: Mapped[datetime]
    is_temporary: Mapped[bool] = mapped_column(default=False, server_default=false())


class MediaFile(Base):
    """A file of a blog's posts that was asked for: where it is kept, or why it is not."""

    __tablename__ = "media_file"

    blog_id: Mapped[int] = mapped_column(ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True)
    url: Mapped[str] = mapped_column(Key, primary_key=True)
    path: Mapped[str | None]
    sha256: Mapped[str | None]
    #: media type, read off the content
    type: Mapped[str | None]
    bytes: Mapped[int | None] = mapped_column(BigInteger)
    error: Mapped[str | None]
    tried: Mapped[datetime]


class CorrectedField(_WithPage, Base):
    """A correction with its page, whatever becomes of WARC files, see `corrections.KeptCorrection`."""

    __tablename__ = "corrected_field"

    blog_id: Mapped[int] = mapped_column(ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True)
    #: of the post, see `urls.identity`
    key: Mapped[str] = mapped_column(Key, primary_key=True)
    field: Mapped[str] = mapped_column(String(16), primary_key=True)
    path: Mapped[str]
    words: Mapped[str | None]
    moment: Mapped[datetime]
    url: Mapped[str]
    entry: Mapped[dict[str, Any]]


class Deposited(Base):
    """How far the deposit of a post in a repository is, see `deposits.DepositRow`; one row for each repository."""

    __tablename__ = "deposited"

    post_id: Mapped[int] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"), primary_key=True)
    #: its kind, address, and where in it posts go
    repository: Mapped[str] = mapped_column(primary_key=True)
    marker: Mapped[str]
    stage: Mapped[str] = mapped_column(String(16))
    draft_id: Mapped[str | None]
    record_id: Mapped[str | None]
    sha256: Mapped[str | None]
    page: Mapped[str | None]
    changed: Mapped[datetime]


class Purge(Base):
    """What was removed on request, and is not taken in again, see `purges`. The removed text is not kept."""

    __tablename__ = "purge"

    #: of the post or blog, see `urls.identity`
    key: Mapped[str] = mapped_column(Key, primary_key=True)
    #: `post`, `blog` or `comments`
    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    #: digest of the name whose comments were removed; empty for the other kinds
    person: Mapped[str] = mapped_column(String(64), primary_key=True)
    #: home page of the blog
    blog: Mapped[str]
    url: Mapped[str]
    #: keys of all addresses that are refused
    addresses: Mapped[list[Any]]
    #: digests of parts of the text, by which it is recognised, see `passages`
    passages: Mapped[bytes]
    reason: Mapped[str | None]
    asked: Mapped[datetime]
    #: None until all is done
    finished: Mapped[datetime | None]


class Verified(Base):
    """When all files of the archive were read again and found to be what their digests say; one row, if any."""

    __tablename__ = "verified"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    moment: Mapped[datetime]
