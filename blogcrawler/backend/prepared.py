"""Statements as the driver of a database takes them: by SQLAlchemy, which writes them, each takes ten times as long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from sqlalchemy import Connection, Dialect, Insert, Select, Update


class Prepared:
    """A statement that is written once, with what its types make of values on their way to the database and back.

    It is executed within the connection's transaction, and raises errors of the driver. Its parameters take one value
    each; `columns` are the names of those that an insertion is given.
    """

    def __init__(
        self, statement: Select[Any] | Insert | Update, dialect: Dialect, columns: Collection[str] | None = None
    ) -> None:
        compiled: Any = statement.compile(dialect=dialect, column_keys=columns and list(columns))
        self._text = str(compiled)
        # what would have to be done anew at each execution
        assert "POSTCOMPILE" not in self._text
        assert all(column.default.is_scalar for column in compiled.insert_prefetch)
        self._order: list[str] | None = compiled.positiontup
        self._constants = {**compiled.params, **{column.key: column.default.arg for column in compiled.insert_prefetch}}
        into = {
            str(name): bind.type.dialect_impl(dialect).bind_processor(dialect)
            for bind, name in compiled.bind_names.items()
        }
        self._into: dict[str, Callable[[Any], Any]] = {name: made for name, made in into.items() if made is not None}
        self._out_of: dict[str, Callable[[Any], Any] | None] = {
            str(column.key): column.type.dialect_impl(dialect).result_processor(dialect, None)
            for column in statement.exported_columns
        }

    def first(self, connection: Connection, values: Mapping[str, Any]) -> dict[str, Any] | None:
        """The first row that it finds, or that was inserted."""
        cursor = connection.connection.cursor()
        try:
            cursor.execute(self._text, self._parameters(values))
            row = cursor.fetchone()
        finally:
            cursor.close()
        if row is None:
            return None
        told = zip(self._out_of.items(), row, strict=True)
        return {name: value if read is None else read(value) for (name, read), value in told}

    def run(self, connection: Connection, rows: Iterable[Mapping[str, Any]]) -> int:
        """Execute it with each of several sets of values; how many rows it has written."""
        cursor = connection.connection.cursor()
        try:
            cursor.executemany(self._text, list(map(self._parameters, rows)))
            return int(cursor.rowcount)
        finally:
            cursor.close()

    def _parameters(self, values: Mapping[str, Any]) -> Any:  # noqa: ANN401
        told = {**self._constants, **values}
        for name, write in self._into.items():
            told[name] = write(told[name])
        return told if self._order is None else [told[name] for name in self._order]
