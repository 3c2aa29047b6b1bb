"""Exports of the archive: one module for each format, with its `FORMAT`; all are in `FORMATS`.

with Archive.open("sqlite:///archive/archive.db", make=False) as archive:
    FORMATS["jsonl"].export(Selection.of(archive), "posts.jsonl")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blogcrawler.export.bagit import OWN_LABELS
    from blogcrawler.export.format import FolderFormat, Format
    from blogcrawler.export.formats import FORMATS
    from blogcrawler.export.jsonl import bad_records, export_schema
    from blogcrawler.export.selection import Selection, Sender
    from blogcrawler.export.target import STDOUT

__all__ = [
    "FORMATS",
    "OWN_LABELS",
    "STDOUT",
    "FolderFormat",
    "Format",
    "Selection",
    "Sender",
    "bad_records",
    "export_schema",
]
_HOMES = {
    "FORMATS": "formats",
    "OWN_LABELS": "bagit",
    "STDOUT": "target",
    "FolderFormat": "format",
    "Format": "format",
    "Selection": "selection",
    "Sender": "selection",
    "bad_records": "jsonl",
    "export_schema": "jsonl",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, since crawls need only a few of them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
