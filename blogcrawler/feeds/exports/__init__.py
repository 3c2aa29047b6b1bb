"""Files in which blog software exports a blog: WordPress (WXR), Blogger and Medium. No network."""

from __future__ import annotations

from .model import BlogExport
from .read import read_export

__all__ = ["BlogExport", "read_export"]
