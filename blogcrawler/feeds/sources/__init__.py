"""Sources that list a blog's older posts: archives of feeds, sitemaps and APIs.

Each source reads documents one after another and returns the URL of the next one; nothing is fetched here. See
`model.Source`.
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
