"""The tables of the archive's database. Times are UTC, as ISO 8601; lists and records are JSON; nothing is pickled.

They are told to SQLAlchemy as tables, and not as classes of its object mapper, which takes long to import.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    false,
    true,
)

from blogcrawler.backend.columns import Key, PlainText, UtcTime

#: of the tables below; raised with every change of them, see `migrations`
SCHEMA_VERSION = 14
#: from which this program knows the way
OLDEST_VERSION = 4

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)
_JSON = JSON(none_as_null=True)


def _needed(name: str, *rest: Any, **options: Any) -> Column[Any]:  # noqa: ANN401
    """A column that has a value in each row."""
    return Column(name, *rest, nullable=False, **options)


def _page_columns() -> tuple[Column[Any], ...]:
    """The columns of a page, behind a table's own; its body is compressed with zlib."""
    return (
        _needed("body", LargeBinary),
        Column("content_type", PlainText),
        _needed("status", Integer),
        Column("fetched", PlainText),
        _needed("is_rendered", Boolean),
    )


SCHEMA = Table(
    "schema_version",
    METADATA,
    Column("version", Integer, primary_key=True, autoincrement=False),
)
"""One row: the version of the tables."""
BLOG = Table(
    "blog",
    METADATA,
    Column("id", Integer, primary_key=True),
    _needed("home", Key, unique=True),
    Column("title", PlainText),
    Column("language", PlainText),
    Column("feed_url", PlainText),
    #: as the server sent them, for the next conditional request
    Column("feed_etag", PlainText),
    Column("feed_last_modified", PlainText),
    Column("wrapper", _JSON),
    #: what a crawl knows besides its frontier, so that it can be gone on with
    Column("crawl_state", _JSON),
    #: the spider of the last crawl
    Column("crawl_kind", PlainText),
    Column("crawl_started", UtcTime),
    #: None while a crawl runs, or when it was killed
    Column("crawl_finished", UtcTime),
    #: True if the last crawl saw all that it meant to see
    _needed("crawl_complete", Boolean, default=False),
    #: why it ended
    Column("crawl_reason", PlainText),
    #: when it is to be crawled again; None before its first crawl has ended
    Column("due", UtcTime, index=True),
    #: crawls that failed in a row
    _needed("failures", Integer, default=0, server_default="0"),
    #: True if monitors crawl it
    _needed("is_followed", Boolean, default=True, server_default=true()),
)
"""A blog, its feed, what was learned about it, and its last crawl."""
WANTED = Table(
    "wanted",
    METADATA,
    #: one for all spellings of the address, see `urls.identity`
    Column("key", Key, primary_key=True),
    _needed("url", PlainText),
    _needed("added", UtcTime),
    _needed("due", UtcTime),
    Column("tried", UtcTime),
    Column("reason", PlainText),
    _needed("failures", Integer, default=0, server_default="0"),
    Index("ix_wanted_due", "due", "key"),
)
"""A blog that was asked for, and is not in the archive yet, see `register.WantedBlog`."""
CLAIM = Table(
    "claim",
    METADATA,
    #: of the blog's home page, or of the address that it is sought by, see `urls.identity`
    Column("key", Key, primary_key=True),
    #: one crawl, see `backend.holder`
    _needed("who", PlainText, key="owner"),
    _needed("since", UtcTime),
    #: unless it is renewed
    _needed("until", UtcTime),
    #: True if a monitor has started the crawl
    _needed("is_monitored", Boolean),
)
"""The lease of a blog that is being crawled, see `leases`: nobody else crawls it as long as that holds."""
BLOG_ADDRESS = Table(
    "blog_address",
    METADATA,
    #: one for all spellings, see `urls.identity`
    Column("key", Key, primary_key=True),
    _needed("blog_id", Integer, ForeignKey("blog.id", ondelete="CASCADE")),
)
"""A URL by which users know a blog: its home page, its feed, whatever a crawl was started with."""
PROFILED_PAGE = Table(
    "training_page",
    METADATA,
    Column("blog_id", Integer, ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True),
    Column("url", Key, primary_key=True),
    _needed("entry", _JSON),
    *_page_columns(),
)
"""A page that the wrapper was learned from, with the feed entry that leads to it."""
SOURCE_ENTRY = Table(
    "source_entry",
    METADATA,
    Column("blog_id", Integer, ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True),
    #: one for all addresses of the post
    Column("key", Key, primary_key=True),
    _needed("entry", _JSON),
)
"""A post that a source besides the feed's newest entries tells of: a feed's archive, an API."""
SOURCE_STATE = Table(
    "source_state",
    METADATA,
    Column("blog_id", Integer, ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True),
    Column("name", Key, primary_key=True),
    _needed("state", _JSON),
)
"""How far a source of posts was read in a blog's crawl."""
POST = Table(
    "post",
    METADATA,
    Column("id", Integer, primary_key=True),
    _needed("blog_id", Integer, ForeignKey("blog.id", ondelete="CASCADE")),
    #: one for all spellings of the address (http and https, with "www." or without), see `urls.identity`
    _needed("key", Key),
    _needed("url", PlainText),
    Column("guid", PlainText),
    Column("title", PlainText),
    _needed("authors", _JSON),
    Column("published", PlainText),
    Column("updated", PlainText),
    _needed("tags", _JSON),
    Column("language", PlainText),
    Column("content_html", PlainText),
    Column("content_text", PlainText),
    _needed("comments", _JSON),
    Column("comment_count", Integer),
    _needed("media", _JSON),
    _needed("provenance", _JSON),
    #: of all that the post says, without its provenance: equal when nothing has changed
    _needed("content_sha256", PlainText),
    _needed("first_seen", UtcTime, index=True),
    _needed("last_seen", UtcTime),
    #: when what the post says last changed
    _needed("last_changed", UtcTime),
    #: since when it is not on the web any more; None as long as it is
    Column("gone", UtcTime),
    UniqueConstraint("blog_id", "key"),
    Index("ix_post_published", "blog_id", "published"),
)
"""A post: the record's fields, each a column, and when it was seen."""
POST_VERSION = Table(
    "post_version",
    METADATA,
    Column("id", Integer, primary_key=True),
    _needed("post_id", Integer, ForeignKey("post.id", ondelete="CASCADE"), index=True),
    _needed("content_sha256", PlainText),
    #: when it was first seen to say so
    _needed("seen", UtcTime),
    #: when it was seen to say something else
    _needed("replaced", UtcTime),
    #: the columns of the record, as JSON, compressed with zlib
    _needed("body", LargeBinary),
)
"""What a post said before it was changed."""
FRONTIER_URL = Table(
    "frontier_url",
    METADATA,
    Column("blog_id", Integer, ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True),
    Column("key", String(64), primary_key=True),
    _needed("url", PlainText),
    _needed("position", Integer),
    _needed("is_post", Boolean),
    _needed("status", String(16)),
    _needed("depth", Integer),
    Column("found_on", PlainText),
    _needed("bonus", Double),
    _needed("marks", PlainText),
    _needed("hints", PlainText),
    Column("was_post", Boolean),
    Column("post_links", Integer),
    Column("new_posts", Integer),
    Column("reason", PlainText),
    Index("ix_frontier_url_order", "blog_id", "position"),
)
"""A URL that a crawl has met."""
TOLD = Table(
    "told",
    METADATA,
    Column("blog_id", Integer, ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    #: JSON, compressed with zlib
    _needed("commands", LargeBinary),
)
"""What a crawl that is not complete has learned of its blog, in order, see `crawl.journal`."""
COMMENT_PAGE = Table(
    "comment_page",
    METADATA,
    Column("blog_id", Integer, ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True),
    Column("url", Key, primary_key=True),
    #: its place among the others
    _needed("number", Integer),
    #: what is known of its comments
    _needed("told", _JSON),
    *_page_columns(),
)
"""A page from which a crawl that is not complete learns how comments are shown."""
FAILURE = Table(
    "failure",
    METADATA,
    Column("blog_id", Integer, ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True),
    Column("url", Key, primary_key=True),
    _needed("reason", PlainText),
    _needed("last_failed", UtcTime),
    _needed("is_temporary", Boolean, default=False, server_default=false()),
)
"""A post that could not be fetched, and why, see `failures.Failed`; one row for each URL of a blog."""
MEDIA_FILE = Table(
    "media_file",
    METADATA,
    Column("blog_id", Integer, ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True),
    Column("url", Key, primary_key=True),
    Column("path", PlainText),
    Column("sha256", PlainText),
    #: media type, read off the content
    Column("type", PlainText),
    Column("bytes", BigInteger),
    Column("error", PlainText),
    _needed("tried", UtcTime),
)
"""A file of a blog's posts that was asked for: where it is kept, or why it is not."""
CORRECTED_FIELD = Table(
    "corrected_field",
    METADATA,
    Column("blog_id", Integer, ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True),
    #: of the post, see `urls.identity`
    Column("key", Key, primary_key=True),
    Column("field", String(16), primary_key=True),
    _needed("path", PlainText),
    Column("words", PlainText),
    _needed("moment", UtcTime),
    _needed("url", PlainText),
    _needed("entry", _JSON),
    *_page_columns(),
)
"""A correction with its page, whatever becomes of WARC files, see `corrections.KeptCorrection`."""
DEPOSITED = Table(
    "deposited",
    METADATA,
    Column("post_id", Integer, ForeignKey("post.id", ondelete="CASCADE"), primary_key=True),
    #: its kind, address, and where in it posts go
    Column("repository", PlainText, primary_key=True),
    _needed("marker", PlainText),
    _needed("stage", String(16)),
    Column("draft_id", PlainText),
    Column("record_id", PlainText),
    Column("sha256", PlainText),
    Column("page", PlainText),
    _needed("changed", UtcTime),
)
"""How far the deposit of a post in a repository is, see `deposits.DepositRow`; one row for each repository."""
PURGE = Table(
    "purge",
    METADATA,
    #: of the post or blog, see `urls.identity`
    Column("key", Key, primary_key=True),
    #: `post`, `blog` or `comments`
    Column("kind", String(16), primary_key=True),
    #: digest of the name whose comments were removed; empty for the other kinds
    Column("person", String(64), primary_key=True),
    #: home page of the blog
    _needed("blog", PlainText),
    _needed("url", PlainText),
    #: keys of all addresses that are refused
    _needed("addresses", _JSON),
    #: digests of parts of the text, by which it is recognised, see `passages`
    _needed("passages", LargeBinary),
    Column("reason", PlainText),
    _needed("asked", UtcTime),
    #: None until all is done
    Column("finished", UtcTime),
    #: of the person whose comments are removed, until all is done
    Column("name", PlainText),
)
"""What was removed on request, and is not taken in again, see `purges`. The removed text is not kept."""
REVOKED_PURGE = Table(
    "revoked_purge",
    METADATA,
    Column("id", Integer, primary_key=True),
    _needed("kind", String(16)),
    _needed("blog", PlainText),
    _needed("url", PlainText),
    Column("reason", PlainText),
    _needed("asked", UtcTime),
    Column("finished", UtcTime),
    _needed("revoked", UtcTime),
    Column("revocation_reason", PlainText),
)
"""Revoked removals: crawls may archive the same again."""
VERIFIED = Table(
    "verified",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    _needed("moment", UtcTime),
)
"""When all files of the archive were read again and found to be what their digests say; one row, if any."""
