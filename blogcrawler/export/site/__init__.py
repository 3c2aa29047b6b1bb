"""A site: the posts as pages that can be read and searched in any browser, from a folder, without a server."""

from __future__ import annotations

from blogcrawler.export.format import FolderFormat
from blogcrawler.export.site.writer import is_ours, write

__all__ = ["FORMAT"]

FORMAT = FolderFormat("site", "a folder of pages to read and search in a browser", write, is_ours)
