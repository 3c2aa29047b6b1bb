"""From the tables of an earlier version to those of this one: a step for each version, within one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import sqlalchemy as sa
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect, text, update

from blogcrawler.backend.columns import UtcTime
from blogcrawler.backend.models import Base, SchemaVersion
from blogcrawler.backend.search import make_search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Connection, Table


def _to_5(op: Operations) -> None:
    """Earlier versions of posts, posts that are gone, crawls of several kinds, and what is due, wanted or claimed."""
    op.add_column("blog", sa.Column("crawl_kind", sa.Text()))
    op.add_column("blog", sa.Column("due", UtcTime()))
    op.create_index("ix_blog_due", "blog", ["due"])
    op.add_column("blog", sa.Column("failures", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("blog", sa.Column("is_followed", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.add_column("post", sa.Column("gone", UtcTime()))
    op.create_table(
        "post_version",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("post_id", sa.Integer(), sa.ForeignKey("post.id", ondelete="CASCADE"), nullable=False),
        sa.Column("content_sha256", sa.Text(), nullable=False),
        sa.Column("seen", UtcTime(), nullable=False),
        sa.Column("replaced", UtcTime(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
    )
    op.create_index("ix_post_version_post_id", "post_version", ["post_id"])
    op.create_table(
        "wanted",
        sa.Column("key", sa.Text(), primary_key=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("added", UtcTime(), nullable=False),
        sa.Column("due", UtcTime(), nullable=False),
        sa.Column("tried", UtcTime()),
        sa.Column("reason", sa.Text()),
        sa.Column("failures", sa.Integer(), nullable=False, server_default="0"),
    )
    op.create_index("ix_wanted_due", "wanted", ["due", "key"])
    op.create_table(
        "claim",
        sa.Column("key", sa.Text(), primary_key=True),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("since", UtcTime(), nullable=False),
        sa.Column("until", UtcTime(), nullable=False),
        sa.Column("is_monitored", sa.Boolean(), nullable=False),
    )


def _to_6(op: Operations) -> None:
    """Files of posts."""
    op.create_table(
        "media_file",
        sa.Column("blog_id", sa.Integer(), sa.ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("url", sa.Text(), primary_key=True),
        sa.Column("path", sa.Text()),
        sa.Column("sha256", sa.Text()),
        sa.Column("type", sa.Text()),
        sa.Column("bytes", sa.BigInteger()),
        sa.Column("error", sa.Text()),
        sa.Column("tried", UtcTime(), nullable=False),
    )


def _to_7(op: Operations) -> None:
    """Deposits of posts in repositories."""
    op.create_table(
        "deposited",
        sa.Column("post_id", sa.Integer(), sa.ForeignKey("post.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("repository", sa.Text(), primary_key=True),
        sa.Column("marker", sa.Text(), nullable=False),
        sa.Column("stage", sa.String(16), nullable=False),
        sa.Column("draft_id", sa.Text()),
        sa.Column("record_id", sa.Text()),
        sa.Column("sha256", sa.Text()),
        sa.Column("page", sa.Text()),
        sa.Column("changed", UtcTime(), nullable=False),
    )


def _to_8(op: Operations) -> None:
    """When files were verified."""
    op.create_table(
        "verified",
        sa.Column("id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("moment", UtcTime(), nullable=False),
    )


def _to_9(op: Operations) -> None:
    """Whether what failed may be had at another time."""
    op.add_column("failure", sa.Column("is_temporary", sa.Boolean(), nullable=False, server_default=sa.false()))


def _to_10(op: Operations) -> None:
    """Lists by time, full text search, and what people have corrected."""
    op.create_index("ix_post_published", "post", ["blog_id", "published"])
    make_search(op.get_bind())
    op.create_table(
        "corrected_field",
        sa.Column("blog_id", sa.Integer(), sa.ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("key", sa.Text(), primary_key=True),
        sa.Column("field", sa.String(16), primary_key=True),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("words", sa.Text()),
        sa.Column("moment", UtcTime(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("entry", sa.JSON(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("content_type", sa.Text()),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("fetched", sa.Text()),
        sa.Column("is_rendered", sa.Boolean(), nullable=False),
    )


def _to_11(op: Operations) -> None:
    """What has come in since a time."""
    op.create_index("ix_post_first_seen", "post", ["first_seen"])


def _to_12(op: Operations) -> None:
    """What crawls have learned, for those that go on with them."""
    op.create_table(
        "told",
        sa.Column("blog_id", sa.Integer(), sa.ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("commands", sa.LargeBinary(), nullable=False),
    )
    op.create_table(
        "comment_page",
        sa.Column("blog_id", sa.Integer(), sa.ForeignKey("blog.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("url", sa.Text(), primary_key=True),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("told", sa.JSON(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("content_type", sa.Text()),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("fetched", sa.Text()),
        sa.Column("is_rendered", sa.Boolean(), nullable=False),
    )


_STEPS: dict[int, Callable[[Operations], None]] = {
    5: _to_5, 6: _to_6, 7: _to_7, 8: _to_8, 9: _to_9, 10: _to_10, 11: _to_11, 12: _to_12
}  # fmt: skip
"""What makes the tables of a version from those of the one before."""


def migrate(connection: Connection, version: int) -> int:
    """Change tables of a `version` step by step; the version that they are of then."""
    _name_keys(connection)
    # with the names that the models give
    operations = Operations(MigrationContext.configure(connection, opts={"target_metadata": Base.metadata}))
    for target in range(version + 1, max(_STEPS) + 1):
        _STEPS[target](operations)
        version = target
    connection.execute(update(cast("Table", SchemaVersion.__table__)).values(version=version))
    return version


def _name_keys(connection: Connection) -> None:
    """Give the keys of tables the names that the models give them: steps once left it to PostgreSQL to name them.

    Names are of use to steps alone, so that an archive that needs none keeps those it has until it does. Keys that
    SQLite has without a name cannot be given one, and no step names them there.
    """
    if connection.dialect.name != "postgresql":
        return
    for table, name, model in list(_names(connection)):
        if name not in (None, model):
            connection.execute(text(f'ALTER TABLE "{table}" RENAME CONSTRAINT "{name}" TO "{model}"'))


def _names(connection: Connection) -> Iterator[tuple[str, str | None, str]]:
    """Of each key of our tables: its table, its name, and the one that the models give it."""
    asked, names = inspect(connection), cast("dict[str, str]", Base.metadata.naming_convention)
    for table in set(asked.get_table_names()) & set(Base.metadata.tables):
        yield table, asked.get_pk_constraint(table)["name"], names["pk"] % {"table_name": table}
        for key in asked.get_foreign_keys(table):
            said = {"column_0_name": key["constrained_columns"][0], "referred_table_name": key["referred_table"]}
            yield table, key["name"], names["fk"] % {"table_name": table, **said}
