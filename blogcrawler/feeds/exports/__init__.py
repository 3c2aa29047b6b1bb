"""Files in which blog software exports a blog: WordPress (WXR), Blogger and Medium. No network."""

from __future__ import annotations

from .read import read_export

__all__ = ["read_export"]
