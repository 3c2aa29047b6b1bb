"""WARC 1.1 files (ISO 28500:2017): what servers sent, as they sent it, for tools that replay and check web archives.

It knows nothing of how pages are fetched: it takes an `Exchange`, or a view of a page that a browser showed.
"""

from __future__ import annotations

from blogcrawler.backend.warc.exchange import Exchange
from blogcrawler.backend.warc.segment import OPEN, SUFFIX
from blogcrawler.backend.warc.store import WarcStore

__all__ = ["OPEN", "SUFFIX", "Exchange", "WarcStore"]
