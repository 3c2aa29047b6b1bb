"""Reads an export of whatever software."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.errors import NotAFeed

from .blogger import is_blogger, read_blogger
from .documents import documents
from .medium import read_story
from .model import BlogExport
from .wordpress import is_wxr, read_wxr

if TYPE_CHECKING:
    from pathlib import Path

    from .documents import Document


def read_export(path: Path, home: str) -> BlogExport:
    """Read the export of the blog at `home`: an XML file, a ZIP package, or a folder. O(n).

    Raises `NotAFeed` for other files, damaged packages, exports beyond 512 MiB, and packages with several blogs whose
    posts have no host in their addresses.
    """
    export = BlogExport()
    relative: list[str] = []
    is_known = False
    for document in documents(path):
        if document.name.lower().endswith(".html"):
            is_known |= read_story(document.read_all(), home, export)
            continue
        is_own, is_relative = _read_xml(document, home, export)
        is_known |= is_own
        relative += [document.name] if is_relative else []
    if len(relative) > 1:
        raise NotAFeed(f"{path} has {len(relative)} blogs of Blogger. Give one of them: its file feed.atom.")
    if not is_known:
        raise NotAFeed(
            f"{path} is no export of a blog. Give a file that WordPress exported (WXR), the export of Blogger (an XML "
            "file, feed.atom, or the ZIP file of Google Takeout), or the ZIP file of Medium."
        )
    return export


def _read_xml(document: Document, home: str, export: BlogExport) -> tuple[bool, bool]:
    """Add a document; returns whether it is an export, and whether its posts have no host in their addresses."""
    elements = document.elements()
    root = next(elements, None)
    if root is not None and is_wxr(root):
        read_wxr(elements, home, export)
        return True, False
    if root is None or not is_blogger(root):
        return False, False
    before = len(export.entries) + export.left_out
    is_relative = read_blogger(elements, home, export)
    return len(export.entries) + export.left_out > before, is_relative
