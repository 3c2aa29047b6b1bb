"""EPUB 3.3: the posts as a book, a chapter each, for readers of books."""

from __future__ import annotations

from blogcrawler.export.epub.writer import write
from blogcrawler.export.format import FileFormat

__all__ = ["FORMAT"]

FORMAT = FileFormat("epub", "a book with a chapter for each post", write)
