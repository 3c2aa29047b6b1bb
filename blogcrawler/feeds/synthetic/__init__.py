"""The synthetic feed of a blog without a feed: entries from its list pages, confirmed by the posts' own pages.

Lists are segmented as in "Extracting textual time-based content from blog page using LCA technique on a DOM tree":
dates are found; the lowest common ancestors of dates are the lists, and the ancestors' children are the posts. In
addition, dates are grouped by their form, so that dates in sidebars and articles are not mixed with the posts'; links
serve as anchors, too, if lists have no dates or several per post; and several lists of a page are ranked, not merged.
Nothing is fetched here.
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
