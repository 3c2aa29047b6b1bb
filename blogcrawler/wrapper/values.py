"""The short texts of a page that may be a field's value: of elements, and of attributes that hold data."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.dom.tags import SILENT
from blogcrawler.wrapper.profile import SHORT
from blogcrawler.wrapper.rules import OWN_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.profile import Profile

__all__ = ["Value", "values_of"]

DATA_ATTRIBUTES = ("content", "datetime")
TITLED_ATTRIBUTES = (*DATA_ATTRIBUTES, "title")
TITLED = frozenset({"abbr", "time", "span"})
"""Elements whose @title is a value (the datetime pattern of microformats)."""


class Value(NamedTuple):
    """A short text of a page, and where it stands."""

    node: HtmlElement
    #: position of the node in the page's profile
    position: int
    #: as in a rule
    attribute: str
    text: str
    folded: str
    #: as a set in the alphabet of the page's profile
    bigrams: int


def values_of(profile: Profile) -> Iterator[Value]:
    """All values of a page, in document order. O(n)."""
    for position, node in enumerate(profile.nodes):
        text = profile.texts[position]
        if node.tag not in SILENT and profile.sizes[position]:
            if text:
                yield Value(node, position, "", text, profile.alphabet.fold(text), profile.bigrams[position])
            lead = profile.leads[position]
            if lead and 0 < len(own := " ".join(lead.split())) <= SHORT:
                yield Value(node, position, OWN_TEXT, own, *profile.alphabet.read(lead))
        elif node.tag == "title" and node.text:
            yield _value(profile, position, "", " ".join(node.text.split()))
        for name in TITLED_ATTRIBUTES if node.tag in TITLED else DATA_ATTRIBUTES:
            data = node.get(name)
            if data and 0 < len(data := " ".join(data.split())) <= SHORT:
                yield _value(profile, position, name, data)


def _value(profile: Profile, position: int, attribute: str, text: str) -> Value:
    folded, bigrams = profile.alphabet.read(text)
    return Value(profile.nodes[position], position, attribute, text, folded, bigrams)
