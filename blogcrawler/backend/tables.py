"""The tables of the archive's database. Times are UTC in ISO 8601; lists and records are JSON; nothing is pickled.

They are SQLAlchemy tables instead of mapped classes, since the object mapper is slow to import.
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

#: version of the tables below; raised with every change, see `migrations`
SCHEMA_VERSION = 14
#: oldest version that this program can update
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
    """A column without null values."""
    return Column(name, *rest, nullable=False, **options)


def _page_columns() -> tuple[Column[Any], ...]:
    """The columns of a page, after a table's own columns; the body is compressed with zlib."""
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
"""A single row: the version of the tables."""
BLOG = Table(
    "blog",
    METADATA,
    Column("id", Integer, primary_key=True),
    _needed("home", Key, unique=True),
    Column("title", PlainText),
    Column("language", PlainText),
    Column("feed_url", PlainText),
    #: values for the next conditional request, as the server sent them
    Column("feed_etag", PlainText),
    Column("feed_last_modified", PlainText),
    Column("wrapper", _JSON),
    #: state of a crawl apart from its frontier
    Column("crawl_state", _JSON),
    #: spider of the last crawl
    Column("crawl_kind", PlainText),
    Column("crawl_started", UtcTime),
    #: None while a crawl runs, or if it was killed
    Column("crawl_finished", UtcTime),
    #: True if the last crawl reached its goal
    _needed("crawl_complete", Boolean, default=False),
    #: why it ended
    Column("crawl_reason", PlainText),
    #: when the blog is to be crawled again; None before its first crawl has ended
    Column("due", UtcTime, index=True),
    #: number of consecutive failed crawls
    _needed("failures", Integer, default=0, server_default="0"),
    #: True if monitors crawl it
    _needed("is_followed", Boolean, default=True, server_default=true()),
)
"""A blog, its feed, its learned wrapper, and its last crawl."""
WANTED = Table(
    "wanted",
    METADATA,
    #: equal for all spellings of the URL, see `urls.identity`
    Column("key", Key, primary_key=True),
    _needed("url", PlainText),
    _needed("added", UtcTime),
    _needed("due", UtcTime),
    Column("tried", UtcTime),
    Column("reason", PlainText),
    _needed("failures", Integer, default=0, server_default="0"),
    Index("ix_wanted_due", "due", "key"),
)
"""A requested blog that is not yet in the archive, see `register.WantedBlog`."""
CLAIM = Table(
    "claim",
    METADATA,
    #: of the blog's home page, or of the requested URL, see `urls.identity`
    Column("key", Key, primary_key=True),
    #: owner of the lease, see `backend.holder`
    _needed("who", PlainText, key="owner"),
    _needed("since", UtcTime),
    #: expiry time without renewal
    _needed("until", UtcTime),
    #: True if a monitor started the crawl
    _needed("is_monitored", Boolean),
)
"""The lease of a blog that is being crawled, see `leases`; nobody else may crawl it until the lease ends."""
BLOG_ADDRESS = Table(
    "blog_address",
    METADATA,
    #: equal for all spellings, see `urls.identity`
    Column("key", Key, primary_key=True),
    _needed("blog_id", Integer, ForeignKey("blog.id", ondelete="CASCADE")),
)
"""A URL by which users know a blog: its home page, its feed, or a URL given to a crawl."""
PROFILED_PAGE = Table(
    "training_page",
    METADATA,
    Column("blog_id", Integer, ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True),
    Column("url", Key, primary_key=True),
    _needed("entry", _JSON),
    *_page_columns(),
)
"""A page from which the wrapper is learned, with the feed entry that leads to it."""
SOURCE_ENTRY = Table(
    "source_entry",
    METADATA,
    Column("blog_id", Integer, ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True),
    #: equal for all URLs of the post
    Column("key", Key, primary_key=True),
    _needed("entry", _JSON),
)
"""A post in a source other than the feed's newest entries, such as a feed's archive or an API."""
SOURCE_STATE = Table(
    "source_state",
    METADATA,
    Column("blog_id", Integer, ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True),
    Column("name", Key, primary_key=True),
    _needed("state", _JSON),
)
"""Progress of reading a source of posts in a blog's crawl."""
POST = Table(
    "post",
    METADATA,
    Column("id", Integer, primary_key=True),
    _needed("blog_id", Integer, ForeignKey("blog.id", ondelete="CASCADE")),
    #: equal for all spellings of the URL (http or https, with or without "www."), see `urls.identity`
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
    #: digest of the content, without provenance: equal if nothing has changed
    _needed("content_sha256", PlainText),
    _needed("first_seen", UtcTime, index=True),
    _needed("last_seen", UtcTime),
    #: when the content last changed
    _needed("last_changed", UtcTime),
    #: since when the post is no longer online; None while it is
    Column("gone", UtcTime),
    UniqueConstraint("blog_id", "key"),
    Index("ix_post_published", "blog_id", "published"),
)
"""A post: a column for each field of the record, and the times at which it was seen."""
POST_VERSION = Table(
    "post_version",
    METADATA,
    Column("id", Integer, primary_key=True),
    _needed("post_id", Integer, ForeignKey("post.id", ondelete="CASCADE"), index=True),
    _needed("content_sha256", PlainText),
    #: when this content was first seen
    _needed("seen", UtcTime),
    #: when other content was seen
    _needed("replaced", UtcTime),
    #: the columns of the record, as JSON, compressed with zlib
    _needed("body", LargeBinary),
)
"""An earlier version of a post."""
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
"""A URL that a crawl has found."""
LEARNED = Table(
    "told",
    METADATA,
    Column("blog_id", Integer, ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    #: JSON, compressed with zlib
    _needed("commands", LargeBinary),
)
"""What an incomplete crawl has learned about its blog, in order, see `crawl.journal`."""
COMMENT_PAGE = Table(
    "comment_page",
    METADATA,
    Column("blog_id", Integer, ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True),
    Column("url", Key, primary_key=True),
    #: position among the pages
    _needed("number", Integer),
    #: data about its comments
    _needed("told", _JSON),
    *_page_columns(),
)
"""A page from which an incomplete crawl learns the markup of comments."""
FAILURE = Table(
    "failure",
    METADATA,
    Column("blog_id", Integer, ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True),
    Column("url", Key, primary_key=True),
    _needed("reason", PlainText),
    _needed("last_failed", UtcTime),
    _needed("is_temporary", Boolean, default=False, server_default=false()),
)
"""A post that could not be fetched, and the reason, see `failures.Failed`; one row per URL of a blog."""
MEDIA_FILE = Table(
    "media_file",
    METADATA,
    Column("blog_id", Integer, ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True),
    Column("url", Key, primary_key=True),
    Column("path", PlainText),
    Column("sha256", PlainText),
    #: media type, detected from the content
    Column("type", PlainText),
    Column("bytes", BigInteger),
    Column("error", PlainText),
    _needed("tried", UtcTime),
)
"""A requested media file: its stored path, or the error."""
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
"""A correction with its page, so that it does not depend on WARC files; see `corrections.KeptCorrection`."""
DEPOSITED = Table(
    "deposited",
    METADATA,
    Column("post_id", Integer, ForeignKey("post.id", ondelete="CASCADE"), primary_key=True),
    #: kind, address and collection of the repository
    Column("repository", PlainText, primary_key=True),
    _needed("marker", PlainText),
    _needed("stage", String(16)),
    Column("draft_id", PlainText),
    Column("record_id", PlainText),
    Column("sha256", PlainText),
    Column("page", PlainText),
    _needed("changed", UtcTime),
)
"""Progress of the deposit of a post in a repository, see `deposits.DepositRow`; one row per repository."""
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
    #: keys of all URLs that are blocked
    _needed("addresses", _JSON),
    #: digests of parts of the text, by which it is recognised, see `passages`
    _needed("passages", LargeBinary),
    Column("reason", PlainText),
    _needed("asked", UtcTime),
    #: None until the removal is complete
    Column("finished", UtcTime),
    #: name of the person whose comments are removed, until the removal is complete
    Column("name", PlainText),
)
"""A removal on request, see `purges`. The content is not added again; the removed text is not stored."""
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
"""A revoked removal: the content may be archived again."""
VERIFIED = Table(
    "verified",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    _needed("moment", UtcTime),
)
"""The time of the last verification of all files; at most one row."""
