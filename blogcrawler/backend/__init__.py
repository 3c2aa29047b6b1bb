"""The archive: what was crawled and how far, in a database; and files beside it."""

from __future__ import annotations

from blogcrawler.backend.archive import Archive, BlogRow, FailureRow, FeedState, Saved
from blogcrawler.backend.files import FileStore, StoredFile
from blogcrawler.backend.frontier_store import SqlFrontierStore

__all__ = ["Archive", "BlogRow", "FailureRow", "FeedState", "FileStore", "Saved", "SqlFrontierStore", "StoredFile"]
