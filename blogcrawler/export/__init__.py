"""From the archive to the world: one module a format, each with its `FORMAT`, and all of them here.

with Archive.open("sqlite:///archive/archive.db", make=False) as archive:
    FORMATS["jsonl"].export(Selection.of(archive), "posts.jsonl")
"""

from __future__ import annotations

from blogcrawler.export import bagit, comma, dublincore, jsonl, jsonld, marcxml, mets, parquet, sqlite, wacz
from blogcrawler.export.bagit import OWN_LABELS
from blogcrawler.export.epub import writer as epub
from blogcrawler.export.format import FolderFormat, Format
from blogcrawler.export.jsonl import bad_records, export_schema
from blogcrawler.export.selection import Selection, Sender
from blogcrawler.export.site import writer as site
from blogcrawler.export.target import STDOUT
from blogcrawler.export.wxr import writer as wxr

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

_MODULES = (jsonl, comma, sqlite, parquet, jsonld, dublincore, marcxml, bagit, mets, site, wacz, epub, wxr)
FORMATS: dict[str, Format] = {module.FORMAT.name: module.FORMAT for module in _MODULES}
"""All formats, by name."""
