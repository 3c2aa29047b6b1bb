"""Statements compiled once for the database driver, since SQLAlchemy's own execution takes ten times as long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from sqlalchemy import Connection, Dialect, Insert, Select, Update


class Prepared:
    """A compiled statement with the conversions of its parameters and results.

    It is executed in the connection's transaction and raises the driver's errors. Parameters cannot be lists. For an
    insertion, `columns` are the names of its columns.
    """

    def __init__(
        self, statement: Select[Any] | Insert | Update, dialect: Dialect, columns: Collection[str] | None = None
    ) -> None:
        compiled: Any = statement.compile(dialect=dialect, column_keys=columns and list(columns))
        self._text = str(compiled)
        # features that would have to be compiled again for each execution
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
        """The first row of the result, or the inserted row."""
        cursor = connection.connection.cursor()
        try:
            cursor.execute(self._text, self._parameters(values))
            row = cursor.fetchone()
        finally:
            cursor.close()
        if row is None:
            return None
        columns = zip(self._out_of.items(), row, strict=True)
        return {name: value if read is None else read(value) for (name, read), value in columns}

    def run(self, connection: Connection, rows: Iterable[Mapping[str, Any]]) -> int:
        """Execute the statement with each of several parameter sets; return the number of rows written."""
        cursor = connection.connection.cursor()
        try:
            cursor.executemany(self._text, list(map(self._parameters, rows)))
            return int(cursor.rowcount)
        finally:
            cursor.close()

    def _parameters(self, values: Mapping[str, Any]) -> Any:  # noqa: ANN401
        converted = {**self._constants, **values}
        for name, write in self._into.items():
            converted[name] = write(converted[name])
        return converted if self._order is None else [converted[name] for name in self._order]
