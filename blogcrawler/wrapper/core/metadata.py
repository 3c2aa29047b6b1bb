"""Values of fields that a page states in a standard vocabulary. They are not checked against the feed.

data/vocabularies.json lists the places of each field. Places that readers see are listed first.
"""

from __future__ import annotations

import re
from copy import copy
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, cast

from lxml.etree import XPath
from lxml.html import Element

from blogcrawler.people import separate
from blogcrawler.serialise import load_file
from blogcrawler.wrapper.core.bylines import bare_name, is_introduction
from blogcrawler.wrapper.core.json_ld import linked_data, unescaped
from blogcrawler.wrapper.core.rules import LINKED, select
from blogcrawler.wrapper.core.values import stated_at

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from lxml.html import HtmlElement

MAX_NAME = 60
"""Maximum number of characters of a name. A longer text is a biography."""
ADDRESS = re.compile(r"^\w+:/|^www\.|@|/")
TOKEN = re.compile(r"@([\w-]+)~='([^']*)'")
VALUE = re.compile(r"^(.*?)(?:/@([\w-]+))?$")
LABELLED = re.compile(r"twitter:data(\d)")
MAX_NODES = 20
UNSEEN = (LINKED, "//meta")
"""Beginnings of the expressions of places that readers do not see."""
REVISED = re.compile(r"modif|updat", re.IGNORECASE)
"""Words that vocabularies (schema.org, Open Graph) and pages use for the last change of a post."""
ARTICLES = ("Article", "Posting")
"""Ends of the names of those schema.org types that are articles: BlogPosting, NewsArticle and so on."""
CONTRIBUTOR = "contributor/name"
PEOPLE = ("author/name", "author", CONTRIBUTOR)
CLASSES = ("author", "name", "published", "updated", "entry-title", "p-category")
"""Texts that the class names of the vocabularies contain."""

HINTS = {
    **{name: ("class", (name,)) for name in CLASSES},
    "itemprop": ("itemprop", ("author", "headline", "date", "keywords", "articleSection")),
    "rel": ("rel", ("author", "tag")),
    "property": ("property", ("date", "ctag:label")),
    "pubdate": ("pubdate", ("\n",)),
}
_VALUES = {
    attribute: XPath(f"/html/body/descendant-or-self::*/@{attribute}", smart_strings=False)
    for attribute, _ in HINTS.values()
}


class Claim(NamedTuple):
    """A value that a page states for a field, and its place."""

    value: str
    #: XPath expression, or path in the JSON-LD of the page
    where: str


class _Place(NamedTuple):
    where: str
    xpath: str
    attribute: str
    #: key of HINTS, for a fast test whether the page can have this place; or "meta"
    hint: str


def claims(tree: HtmlElement, field: str, places: Collection[str] = ()) -> Iterator[Claim]:
    """The values that a page states for a field, those of the best place first. If `places` are given, only these and
    JSON-LD are read. O(n)."""
    attribute_values: dict[str, str] = {}
    meta_elements = Element("html")  # a search in the whole page for each of twenty names would be slow
    meta_elements.extend(map(copy, tree.iter("meta")))
    for place in _places()[field]:
        if places and place.where not in places and not place.where.startswith(LINKED):
            continue
        if place.where.startswith(LINKED):
            yield from _linked(tree, place.where.removeprefix(LINKED))
        elif place.hint == "meta" or places or _may_have(tree, place.hint, attribute_values):
            for node in select(meta_elements if place.hint == "meta" else tree, place.xpath)[:MAX_NODES]:
                value = " ".join(unescaped(stated_at(node, place.attribute)).split())
                if value:
                    yield Claim(value, place.where)


def nodes_of(tree: HtmlElement, where: str) -> list[HtmlElement]:
    """The elements at a place (a value of `Claim.where`). None if no vocabulary has this place."""
    place_of = {place.where: place for places in _places().values() for place in places}
    return list(select(tree, place_of[where].xpath)) if where in place_of and not where.startswith(LINKED) else []


def _may_have(tree: HtmlElement, hint: str, attribute_values: dict[str, str]) -> bool:
    """True if an attribute of the page has a value that the hint names. `attribute_values` is a cache: the values of
    each attribute are collected once per page."""
    attribute, words = HINTS[hint]
    if attribute not in attribute_values:
        values = cast("list[str]", _VALUES[attribute](tree))
        attribute_values[attribute] = "\n".join(["", *set(values)])
    return any(word in attribute_values[attribute] for word in words)


def metadata_authors(tree: HtmlElement) -> tuple[tuple[str, ...], str] | None:
    """The authors that a page names in a standard vocabulary, and the expression that selects them. O(n).
    Several authors are returned only from data that readers do not see: an element that readers see may name the author
    of a comment."""
    names: dict[str, None] = {}
    place = ""
    for value, where in claims(tree, "authors"):
        if place and where != place:
            break
        if len(value) <= MAX_NAME and not ADDRESS.search(value) and _may_name_author(tree, where):
            names |= dict.fromkeys(separate(bare_name(value)))
            place = where
            if not place.startswith(UNSEEN):
                break
    if not names:
        return None
    if place.startswith(LINKED):
        names |= dict.fromkeys(_contributors(tree, place))
    return tuple(names), place


def _may_name_author(tree: HtmlElement, where: str) -> bool:
    """False if the value has a label (as `twitter:data1` has `twitter:label1`) that is not like "Written by"."""
    label = LABELLED.search(where)
    if label is None:
        return True
    labels = tree.xpath("//meta[@name=$name or @property=$name]/@content", name=f"twitter:label{label[1]}")
    return any(map(is_introduction, labels))


def is_marked_article(tree: HtmlElement) -> bool:
    """True if a page says that it is one article: by Open Graph, JSON-LD or microdata. O(n)."""
    if any(node.get("content") == "article" for node in tree.iterfind('.//meta[@property="og:type"]')):
        return True
    headlines = {value for path, values in linked_data(tree).items() if _is_headline(path) for value in values}
    article_elements = tree.xpath(
        '//*[@itemtype and (contains(@itemtype,"BlogPosting") or contains(@itemtype,"Article"))]'
    )
    return len(headlines) == 1 or len(article_elements) == 1


def _is_headline(path: str) -> bool:
    kind, _, key = path.partition("/")
    return key == "headline" and kind.endswith(ARTICLES)


def people_in_linked_data(tree: HtmlElement) -> frozenset[str]:
    """The names of all authors and contributors in the JSON-LD of the page."""
    names = [value for name in PEOPLE for value, _ in _linked(tree, name)]
    return frozenset(name for name in names if len(name) <= MAX_NAME and not ADDRESS.search(name))


def _contributors(tree: HtmlElement, author: str) -> Iterator[str]:
    """The names of contributors. Some publishing software lists the second author of a post as a contributor."""
    kind = author.removeprefix(LINKED).partition("/")[0]
    for name in linked_data(tree).get(f"{kind}/{CONTRIBUTOR}", ()):
        if len(name) <= MAX_NAME and not ADDRESS.search(name):
            yield name


def _linked(tree: HtmlElement, key: str) -> Iterator[Claim]:
    values_of: Mapping[str, Sequence[str]] = linked_data(tree)
    for kind in _vocabularies()["articles"] if values_of else ():
        for value in values_of.get(f"{kind}/{key}", ()):
            yield Claim(value, f"{LINKED}{kind}/{key}")


@cache
def _vocabularies() -> dict[str, list[str]]:
    return load_file(dict[str, list[str]], "blogcrawler.wrapper", "vocabularies.json")


@cache
def _places() -> dict[str, list[_Place]]:
    return {name: [_place(where) for where in places] for name, places in _vocabularies().items() if name != "articles"}


def _place(where: str) -> _Place:
    value = VALUE.match(TOKEN.sub(r'contains(concat(" ",normalize-space(@\1)," ")," \2 ")', where))
    assert value is not None
    attribute = re.search(r"@([\w-]+)(?:~?='([^']*)')?", where)
    hint = "meta" if where.startswith("//meta") else attribute[1] if attribute else ""
    if attribute and hint == "class":
        hint = next(word for word in CLASSES if word in attribute[2])
    return _Place(where, value[1].replace("//body//", "/html/body/descendant::"), value[2] or "", hint)
