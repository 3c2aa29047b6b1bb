"""Sources of older posts besides the feed's newest entries: what lists a blog's posts without crawling.

Each reads documents one after another, and says which is the next; nothing here fetches anything. See `model.Source`.
"""

from __future__ import annotations

from .archive import FeedArchive
from .model import Answer, Source
from .sitemap import ChangedPages, read_sitemap
from .sitemaps import Sitemaps, sitemap_guesses
from .wordpress import WordPressPosts, api_root

__all__ = [
    "Answer",
    "ChangedPages",
    "FeedArchive",
    "Sitemaps",
    "Source",
    "WordPressPosts",
    "api_root",
    "read_sitemap",
    "sitemap_guesses",
]
