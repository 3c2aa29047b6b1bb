"""Takes posts and blogs out of the archive on request: database, files, caches, WARC files, and what quotes them."""

from __future__ import annotations

from blogcrawler.purge.captures import FoundCapture
from blogcrawler.purge.removal import BlogRemoval, Places, Plan, PostRemoval, Removal

__all__ = ["BlogRemoval", "FoundCapture", "Places", "Plan", "PostRemoval", "Removal"]
