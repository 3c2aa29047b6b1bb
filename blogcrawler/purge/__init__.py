"""Takes posts out of the archive on request: the database, files, caches and WARC files, and all that quotes them."""

from __future__ import annotations

from blogcrawler.purge.captures import FoundCapture
from blogcrawler.purge.removal import Places, Plan, Removal

__all__ = ["FoundCapture", "Places", "Plan", "Removal"]
