"""Gathering comments: from comment systems, APIs and feeds that have them as data, and from the posts' pages.

`CommentGatherer` is what the pipeline's stage uses, with `EmbeddedSystems` for what scripts load. The room asks for
pages through a `Crawl`, which the stage gives it. Comment systems are data: systems.toml.
"""

from __future__ import annotations

from blogcrawler.comments.changes import compare
from blogcrawler.comments.embedded import EmbeddedSystems
from blogcrawler.comments.gather import CommentGatherer
from blogcrawler.comments.questions import Question
from blogcrawler.comments.systems import controls, is_comment_frame

__all__ = ["CommentGatherer", "EmbeddedSystems", "Question", "compare", "controls", "is_comment_frame"]
