"""Collect comments from comment systems, APIs and feeds, and from the posts' pages.

The pipeline uses `CommentGatherer`, and `EmbeddedSystems` for comments that scripts load. Comment systems are described
in systems.toml.
"""

from __future__ import annotations

from blogcrawler.comments.crawl import Crawl
from blogcrawler.comments.endpoints import CommentRequest
from blogcrawler.comments.gather import CommentGatherer
from blogcrawler.comments.gathered import compare
from blogcrawler.comments.scripted import EmbeddedSystems
from blogcrawler.comments.systems import controls, is_comment_frame

__all__ = ["CommentGatherer", "CommentRequest", "Crawl", "EmbeddedSystems", "compare", "controls", "is_comment_frame"]
