"""Remove posts and blogs from the archive on request: from database, files, caches and WARC files, including
quotations."""

from __future__ import annotations

from blogcrawler.purge.captures import FoundCapture
from blogcrawler.purge.removal import BlogRemoval, CommentsRemoval, Places, Plan, PostRemoval, Removal

__all__ = ["BlogRemoval", "CommentsRemoval", "FoundCapture", "Places", "Plan", "PostRemoval", "Removal"]
