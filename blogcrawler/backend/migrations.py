"""Updates the tables of an earlier version to the current one, in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alembic.autogenerate import produce_migrations
from alembic.operations import Operations
from alembic.operations.ops import AddColumnOp, ModifyTableOps, UpgradeOps
from alembic.runtime.migration import MigrationContext
from sqlalchemy import update

from blogcrawler.backend.search import make_search
from blogcrawler.backend.tables import METADATA, SCHEMA, SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

_FIRST_WITH_SEARCH = 10


def migrate(connection: Connection, version: int) -> None:
    """Add the tables and columns that a database of this `version` lacks; so far, no version has changed or dropped
    anything."""
    METADATA.create_all(connection)
    options = {"target_metadata": METADATA, "include_name": _is_ours}
    context = MigrationContext.configure(connection, opts=options)
    operations = Operations(context)
    for addition in list(_columns(produce_migrations(context, METADATA).upgrade_ops)):
        operations.invoke(addition)
    for table in METADATA.sorted_tables:
        for index in table.indexes:
            index.create(connection, checkfirst=True)
    if version < _FIRST_WITH_SEARCH:
        make_search(connection)
    connection.execute(update(SCHEMA).values(version=SCHEMA_VERSION))


def _is_ours(name: str | None, kind: str, _parents: object) -> bool:
    return kind != "table" or name in METADATA.tables


def _columns(operations: UpgradeOps | None) -> Iterator[AddColumnOp]:
    """Missing columns, by table."""
    for table in operations.ops if operations is not None else ():
        if isinstance(table, ModifyTableOps):
            yield from (one for one in table.ops if isinstance(one, AddColumnOp))
