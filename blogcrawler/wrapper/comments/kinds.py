"""Comments and pingbacks, told apart by what they say and by their form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from blogcrawler.dom import is_excerpt

if TYPE_CHECKING:
    from blogcrawler.wrapper.comments.region import Region

LABEL = 40
"""Characters beside the link of a pingback without an excerpt."""


def is_bare_link(region: Region) -> bool:
    """Is there nothing in a comment but a label and a link to another page? ("Pingback: A title")"""
    view = region.view
    inside = region.away
    if not inside or not region.runs:
        return False
    anchor = region.unit.anchor
    dated = set(range(anchor, view.ends[anchor])) if anchor is not None else set()
    beside = sum(len(text) for position, _, text in region.runs if position not in inside and position not in dated)
    held = sum(len(text) for position, _, text in region.runs if position in inside and position not in dated)
    return held > 0 and beside <= LABEL


def is_labelled(region: Region) -> bool:
    """Does a comment say something before the one link that it has, which leads to another site?"""
    view = region.view
    links = [position for position in region.own if view.nodes[position].tag == "a"]
    host = urlsplit(view.nodes[links[0]].get("href") or "").netloc if len(links) == 1 else ""
    return bool(host) and host != urlsplit(view.url).netloc and region.runs[0][0] < links[0]


def kind_of(text: str, *, is_bare: bool) -> Literal["comment", "pingback"]:
    """The kind of a comment with a text."""
    return "pingback" if is_bare or is_excerpt(text) else "comment"
