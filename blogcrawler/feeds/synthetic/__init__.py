"""The synthetic feed of a blog that has none: entries read off its list pages, and confirmed by the posts' own pages.

Lists are segmented as in "Extracting textual time-based content from blog page using LCA technique on a DOM tree":
dates are found, the lowest common ancestors of them in the graph of the page are the lists, and the ancestors' children
are the posts. Beyond that: dates are grouped by their form, so that those of a side bar and those within articles do
not mix with the posts'; links serve as anchors too, where lists hold no dates or several to a post; and several lists
of a page are ranked, not merged. Nothing here fetches anything.
"""

from __future__ import annotations

from .confirm import Candidate, confirm
from .list_discovery import is_called_list, list_pages, sitemap_lists
from .lists import PostList, loose_links, post_lists

__all__ = [
    "Candidate",
    "PostList",
    "confirm",
    "is_called_list",
    "list_pages",
    "loose_links",
    "post_lists",
    "sitemap_lists",
]
