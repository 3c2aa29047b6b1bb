"""Archives that earlier versions of the program have made, from dumps of SQLite, in either database."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, Boolean, Engine, MetaData, create_engine, make_url

from blogcrawler.backend.search import make_search

if TYPE_CHECKING:
    from collections.abc import Iterable

#: what PostgreSQL calls otherwise; its numbers of rows count themselves, and are as wide as those of the models
_SPELLINGS = {
    r"\bDOUBLE\b": "DOUBLE PRECISION",
    r"\bBLOB\b": "BYTEA",
    r"\bDATETIME\b": "TIMESTAMP",
    r"^(\s+)id INTEGER NOT NULL": r"\1id SERIAL NOT NULL",
    r"BOOLEAN DEFAULT 1\b": "BOOLEAN DEFAULT true",
    r"BOOLEAN DEFAULT 0\b": "BOOLEAN DEFAULT false",
}
_OF_SEARCH = re.compile(r"CREATE (?:VIEW|TRIGGER|VIRTUAL)|post_search|post_words")


def engine(url: str) -> Engine:
    """What opens a database as it is."""
    made = make_url(url)
    return create_engine(made.set(drivername="postgresql+psycopg") if made.drivername == "postgresql" else made)


def restore(dump: str, url: str) -> None:
    """Make the archive of a dump of SQLite at a URL."""
    if url.startswith("sqlite"):
        file = Path(str(make_url(url).database))
        file.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(file)) as database:
            database.executescript(dump)
        return
    with closing(sqlite3.connect(":memory:")) as old:
        old.executescript(dump)
        _copy(old, url)


def _copy(old: sqlite3.Connection, url: str) -> None:
    """The tables as the earlier program would have made them on PostgreSQL, with their rows."""
    old.row_factory = sqlite3.Row
    new = engine(url)
    made = [row["sql"] for row in old.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY rowid")]
    tables = {row["name"]: list(old.execute(f"SELECT * FROM {row['name']}")) for row in _tables(old)}
    with new.begin() as connection:
        for statement in _ordered(made):
            connection.exec_driver_sql(_spelled(statement))
        metadata = MetaData()
        metadata.reflect(connection)
        for table in metadata.sorted_tables:
            for row in tables.get(table.name, ()):
                said = {name: row[name] for name in row.keys() if row[name] is not None}  # noqa: SIM118
                values = {name: _value(value, table.c[name].type) for name, value in said.items()}
                connection.execute(table.insert(), values)
            if "id" in table.c and table.name != "verified":
                last = f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), max(id)) FROM {table.name}"
                connection.exec_driver_sql(last)
        if any("post_search" in statement for statement in made):
            make_search(connection)
    new.dispose()


def _tables(old: sqlite3.Connection) -> Iterable[sqlite3.Row]:
    return old.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%post_search%'")


def _ordered(statements: Iterable[str]) -> list[str]:
    """Those that PostgreSQL needs, what others refer to first."""
    kept = [statement for statement in statements if not _OF_SEARCH.search(statement)]
    of = {found[1]: one for one in kept if (found := re.match(r'CREATE TABLE "?(\w+)', one))}
    first = [of.pop(name) for name in ("blog", "post") if name in of]
    return [*first, *of.values(), *(one for one in kept if one.startswith("CREATE INDEX"))]


def _spelled(statement: str) -> str:
    for sign, other in _SPELLINGS.items():
        statement = re.sub(sign, other, statement, flags=re.MULTILINE)
    return statement


def _value(value: Any, kind: Any) -> Any:
    return json.loads(value) if isinstance(kind, JSON) else bool(value) if isinstance(kind, Boolean) else value


def name_of(what: list[Any]) -> str:
    """Of what `compare_metadata` finds to differ."""
    return next((one.name for one in reversed(what) if hasattr(one, "name")), str(what))
