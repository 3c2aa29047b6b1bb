"""All formats, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.export import bagit, comma, dublincore, jsonl, jsonld, marcxml, mets, parquet, sqlite, wacz
from blogcrawler.export.epub import writer as epub
from blogcrawler.export.site import writer as site
from blogcrawler.export.wxr import writer as wxr

if TYPE_CHECKING:
    from blogcrawler.export.format import Format

_MODULES = (jsonl, comma, sqlite, parquet, jsonld, dublincore, marcxml, bagit, mets, site, wacz, epub, wxr)
FORMATS: dict[str, Format] = {module.FORMAT.name: module.FORMAT for module in _MODULES}
