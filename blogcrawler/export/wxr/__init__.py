"""WXR: what WordPress imports, so that a blog can be put online again."""

from __future__ import annotations

from blogcrawler.export.wxr.writer import FORMAT

__all__ = ["FORMAT"]
