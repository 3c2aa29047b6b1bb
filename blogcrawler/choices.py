"""Names from which users choose: formats of exports, and fields of a record that they can correct.

They are apart from what works with them, since help and refusals need the names alone.
"""

from __future__ import annotations

from typing import Literal, get_args

CorrectedField = Literal["title", "authors", "published", "tags", "content"]
CORRECTABLE: tuple[CorrectedField, ...] = get_args(CorrectedField)
"""Fields of a record whose element a person can point out."""

FORMATS = {
    "jsonl": "JSON Lines, one record a line",
    "csv": "CSV, one post a row, without comments",
    "sqlite": "a SQLite database with full text search",
    "parquet": "Parquet, the records in columns",
    "jsonld": "JSON-LD in the words of schema.org",
    "dc": "Dublin Core in XML, as oai_dc",
    "marcxml": "MARC 21 in XML",
    "bagit": "a bag with records, files and WARC files",
    "mets": "a METS document with PREMIS for each post, beside its files",
    "site": "a folder of pages to read and search in a browser",
    "wacz": "a web archive in one file, for replay in a browser",
    "epub": "a book with a chapter for each post",
    "wxr": "WordPress's import format, a file for each blog",
}
"""The formats of exports, each with a few words for people."""
SCHEMA_NAME = "schema"
"""Stands for the JSON Schema of a record, where a format is asked for."""
