"""From the archive to the world: one module a format, each with its `FORMAT`, and all of them here.

with Archive.open("sqlite:///archive/archive.db", make=False) as archive:
    FORMATS["jsonl"].export(Selection.of(archive), "posts.jsonl")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from blogcrawler.export.format import FolderFormat, Format
from blogcrawler.export.jsonl import bad_records, export_schema
from blogcrawler.export.selection import Selection, Sender
from blogcrawler.export.target import STDOUT

if TYPE_CHECKING:
    FORMATS: dict[str, Format]
    """All formats, by name."""

__all__ = ["FORMATS", "STDOUT", "FolderFormat", "Format", "Selection", "Sender", "bad_records", "export_schema"]

_FORMATS = (
    *("jsonl", "comma", "sqlite", "parquet", "jsonld", "dublincore", "marcxml", "bagit", "mets"),
    *("site.writer", "wacz", "epub.writer", "wxr.writer"),
)


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """FORMATS, whose modules are imported when it is first asked for: the end of a crawl needs a few words of here."""
    if name != "FORMATS":
        raise AttributeError(name)
    formats = [import_module(f"{__name__}.{module}").FORMAT for module in _FORMATS]
    return globals().setdefault(name, {one.name: one for one in formats})
