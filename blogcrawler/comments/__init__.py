"""Collect comments from comment systems, APIs and feeds, and from the posts' pages.

Stages use `CommentGatherer`, and `EmbeddedSystems` for comments that scripts load. Systems are data: systems.toml.
"""

from __future__ import annotations

from blogcrawler.comments.crawl import Crawl
from blogcrawler.comments.endpoints import CommentRequest
from blogcrawler.comments.gather import CommentGatherer
from blogcrawler.comments.gathered import compare
from blogcrawler.comments.scripted import EmbeddedSystems
from blogcrawler.comments.systems import controls, is_comment_frame

__all__ = ["CommentGatherer", "CommentRequest", "Crawl", "EmbeddedSystems", "compare", "controls", "is_comment_frame"]
