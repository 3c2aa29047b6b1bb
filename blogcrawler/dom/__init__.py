"""Parse pages into the trees that browsers build, and read links, text and media from them.

Nothing here is specific to blogs. Trees are lxml's (`lxml.html.HtmlElement`). Only `drop_pager`, `drop_permalinks` and
`clean_listings` change the tree that they are given.
"""

from __future__ import annotations

from blogcrawler.dom.anchors import drop_permalinks
from blogcrawler.dom.elements import asks_for_password, is_dialog, is_hidden, lowest_common_ancestor
from blogcrawler.dom.encoding import legal_text
from blogcrawler.dom.links import Link, base_url, canonical, links, versions
from blogcrawler.dom.listings import clean_listings
from blogcrawler.dom.media_links import background_links, media_links
from blogcrawler.dom.paging import (
    MAX_PAGES,
    MOST_COMMENT_PAGES,
    comment_pages,
    drop_pager,
    first_page,
    further_pages,
    without_comment_page,
)
from blogcrawler.dom.parse import fragment, parse, parse_page
from blogcrawler.dom.references import resolve
from blogcrawler.dom.sanitise import sanitise, sanitise_fragment
from blogcrawler.dom.text import TextNode, ends_cut, inline_text, is_excerpt, iter_text_nodes, readable_text

__all__ = [
    "MAX_PAGES",
    "MOST_COMMENT_PAGES",
    "Link",
    "TextNode",
    "asks_for_password",
    "background_links",
    "base_url",
    "canonical",
    "clean_listings",
    "comment_pages",
    "drop_pager",
    "drop_permalinks",
    "ends_cut",
    "first_page",
    "fragment",
    "further_pages",
    "inline_text",
    "is_dialog",
    "is_excerpt",
    "is_hidden",
    "iter_text_nodes",
    "legal_text",
    "links",
    "lowest_common_ancestor",
    "media_links",
    "parse",
    "parse_page",
    "readable_text",
    "resolve",
    "sanitise",
    "sanitise_fragment",
    "versions",
    "without_comment_page",
]
