"""Finds and reads web feeds, and returns typed entries. Pages are fetched through a function that the caller passes."""

from __future__ import annotations

from .candidates import candidates, home_of_usual
from .model import Feed, FeedCandidate
from .parse import looks_like_feed, parse_feed
from .ranking import has_posts, rank_feeds

__all__ = [
    "Feed",
    "FeedCandidate",
    "candidates",
    "has_posts",
    "home_of_usual",
    "looks_like_feed",
    "parse_feed",
    "rank_feeds",
]
