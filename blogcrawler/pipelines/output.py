"""How Scrapy writes records to the files of -o and -O."""

from __future__ import annotations

from typing import Any

from scrapy.exporters import JsonLinesItemExporter

from blogcrawler.items import Record


class JsonLines(JsonLinesItemExporter):
    """Scrapy's, which is given JSON types: to find out what the parts of a record are takes it ten times as long."""

    def export_item(self, item: Any) -> None:  # noqa: ANN401
        """Write one record."""
        super().export_item(item.to_dict() if isinstance(item, Record) else item)
