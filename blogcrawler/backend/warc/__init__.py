"""WARC 1.1 files (ISO 28500:2017) with the exact responses of servers, for tools that replay and check web archives.

This package does not fetch pages: it receives an `Exchange`, or the view of a page in a browser.
"""

from __future__ import annotations

from blogcrawler.backend.warc.bodies import KeptBodies, KeptBody
from blogcrawler.backend.warc.check import damaged_warcs, missing_captures, size_of_warcs, warc_files
from blogcrawler.backend.warc.index import Places, forget
from blogcrawler.backend.warc.reader import KeptRecord, kept_records
from blogcrawler.backend.warc.records import Exchange
from blogcrawler.backend.warc.segment import OPEN, SUFFIX, recover
from blogcrawler.backend.warc.store import WARC_FOLDER, WarcStore
from blogcrawler.backend.warc.tombstones import Place, finish_tombstones, write_tombstones

__all__ = [
    "OPEN",
    "SUFFIX",
    "WARC_FOLDER",
    "Exchange",
    "KeptBodies",
    "KeptBody",
    "KeptRecord",
    "Place",
    "Places",
    "WarcStore",
    "damaged_warcs",
    "finish_tombstones",
    "forget",
    "kept_records",
    "missing_captures",
    "recover",
    "size_of_warcs",
    "warc_files",
    "write_tombstones",
]
