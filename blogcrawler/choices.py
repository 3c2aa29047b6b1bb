"""Spiders, export formats, and the fields of a record that users can correct. Help texts and argument checks need these
names without importing spiders and exporters."""

from __future__ import annotations

from typing import Literal, get_args

CorrectedField = Literal["title", "authors", "published", "tags", "content"]
CORRECTABLE: tuple[CorrectedField, ...] = get_args(CorrectedField)
"""Fields whose element a user can select on a post's page."""

SPIDERS = ("newcrawl", "updatecrawl")
"""The spiders, which are the names of their modules, too."""
FORMATS = {
    "jsonl": "JSON Lines, one record a line",
    "csv": "CSV, one post a row, without comments",
    "sqlite": "a SQLite database with full text search",
    "parquet": "Parquet, the records in columns",
    "jsonld": "JSON-LD with the vocabulary of schema.org",
    "dc": "Dublin Core in XML, as oai_dc",
    "marcxml": "MARC 21 in XML",
    "bagit": "a BagIt bag with records, files and WARC files",
    "mets": "a METS document with PREMIS for each post, with its files",
    "site": "a folder of pages to read and search in a browser",
    "wacz": "a web archive in one file, for replay in a browser",
    "epub": "a book with a chapter for each post",
    "wxr": "WordPress's import format, a file for each blog",
}
"""The export formats, each with a short description."""
SCHEMA_NAME = "schema"
"""The name that selects the JSON Schema of a record instead of an export format."""
