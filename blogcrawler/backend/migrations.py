"""From the tables of an earlier version to those of this one, within one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from alembic.autogenerate import produce_migrations
from alembic.operations import Operations
from alembic.operations.ops import AddColumnOp, ModifyTableOps, UpgradeOps
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect, text, update

from blogcrawler.backend.models import SCHEMA_VERSION, Base, SchemaVersion
from blogcrawler.backend.search import make_search

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Table

_FIRST_WITH_SEARCH = 10


def migrate(connection: Connection, version: int) -> None:
    """Add to tables of a `version` what they lack; no version has changed or dropped anything so far."""
    _name_keys(connection)
    Base.metadata.create_all(connection)
    # with the names that the models give
    options = {"target_metadata": Base.metadata, "include_name": _is_ours}
    context = MigrationContext.configure(connection, opts=options)
    operations = Operations(context)
    for addition in list(_columns(produce_migrations(context, Base.metadata).upgrade_ops)):
        operations.invoke(addition)
    for table in Base.metadata.sorted_tables:
        for index in table.indexes:
            index.create(connection, checkfirst=True)
    if version < _FIRST_WITH_SEARCH:
        make_search(connection)
    connection.execute(update(cast("Table", SchemaVersion.__table__)).values(version=SCHEMA_VERSION))


def _is_ours(name: str | None, kind: str, _parents: object) -> bool:
    return kind != "table" or name in Base.metadata.tables


def _columns(found: UpgradeOps | None) -> Iterator[AddColumnOp]:
    """The columns that tables lack."""
    for table in found.ops if found is not None else ():
        if isinstance(table, ModifyTableOps):
            yield from (one for one in table.ops if isinstance(one, AddColumnOp))


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
