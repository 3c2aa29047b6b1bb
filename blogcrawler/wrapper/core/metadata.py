"""What a page says of its post in standard vocabularies, read without proof by the feed.

data/vocabularies.json lists where each puts a field, those that readers see first.
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
"""Characters of a name; more is a biography."""
ADDRESS = re.compile(r"^\w+:/|^www\.|@|/")
TOKEN = re.compile(r"@([\w-]+)~='([^']*)'")
VALUE = re.compile(r"^(.*?)(?:/@([\w-]+))?$")
LABELLED = re.compile(r"twitter:data(\d)")
MAX_NODES = 20
UNSEEN = (LINKED, "//meta")
"""What places begin with that readers do not see."""
REVISED = re.compile(r"modif|updat", re.IGNORECASE)
"""What vocabularies (schema.org, Open Graph) and pages call the last change of a post."""
ARTICLES = ("Article", "Posting")
"""Ends of the types of schema.org that are articles: BlogPosting, NewsArticle and so on."""
CONTRIBUTOR = "contributor/name"
PEOPLE = ("author/name", "author", CONTRIBUTOR)
CLASSES = ("author", "name", "published", "updated", "entry-title", "p-category")
"""What the classes of the vocabularies contain."""


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
    """A value of a field that a page states, and where."""

    value: str
    #: XPath expression, or path in the page's JSON-LD
    where: str


class _Place(NamedTuple):
    where: str
    xpath: str
    attribute: str
    #: a cheap test whether it can find anything
    hint: str


def claims(tree: HtmlElement, field: str, places: Collection[str] = ()) -> Iterator[Claim]:
    """What a page states of a field, in `places` alone where some are given, the best places first. O(n)."""
    held: dict[str, str] = {}
    metas = Element("html")  # to look through all elements of the page for each of twenty names takes long
    metas.extend(map(copy, tree.iter("meta")))
    for place in _places()[field]:
        if places and place.where not in places and not place.where.startswith(LINKED):
            continue
        if place.where.startswith(LINKED):
            yield from _linked(tree, place.where.removeprefix(LINKED))
        elif place.hint == "meta" or places or _holds(tree, place.hint, held):
            for node in select(metas if place.hint == "meta" else tree, place.xpath)[:MAX_NODES]:
                value = " ".join(unescaped(stated_at(node, place.attribute)).split())
                if value:
                    yield Claim(value, place.where)


def nodes_of(tree: HtmlElement, where: str) -> list[HtmlElement]:
    """The elements at a place, as `Claim.where` has it; none for what is no place of a vocabulary."""
    known = {place.where: place for places in _places().values() for place in places}
    return list(select(tree, known[where].xpath)) if where in known and not where.startswith(LINKED) else []


def _holds(tree: HtmlElement, hint: str, held: dict[str, str]) -> bool:
    """True if a page may have what a hint says; the values of its attribute in the page are gathered once."""
    attribute, words = HINTS[hint]
    if attribute not in held:
        values = cast("list[str]", _VALUES[attribute](tree))
        held[attribute] = "\n".join(["", *set(values)])
    return any(word in held[attribute] for word in words)


def metadata_authors(tree: HtmlElement) -> tuple[tuple[str, ...], str] | None:
    """The authors that a page names by a standard vocabulary, and the expression that found them. O(n).
    Several only of data that readers do not see; elements may be those of comments, too."""
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
    """False for a value with a label beside it that does not say "Written by" or the like: `twitter:data1`."""
    label = LABELLED.search(where)
    if label is None:
        return True
    labels = tree.xpath("//meta[@name=$name or @property=$name]/@content", name=f"twitter:label{label[1]}")
    return any(map(is_introduction, labels))


def is_marked_article(tree: HtmlElement) -> bool:
    """True if a page says that it is one article: by Open Graph, JSON-LD or microdata. O(n)."""
    if any(node.get("content") == "article" for node in tree.iterfind('.//meta[@property="og:type"]')):
        return True
    told = {value for path, values in linked_data(tree).items() if _is_headline(path) for value in values}
    marked = tree.xpath('//*[@itemtype and (contains(@itemtype,"BlogPosting") or contains(@itemtype,"Article"))]')
    return len(told) == 1 or len(marked) == 1


def _is_headline(path: str) -> bool:
    kind, _, key = path.partition("/")
    return key == "headline" and kind.endswith(ARTICLES)


def people_in_linked_data(tree: HtmlElement) -> frozenset[str]:
    """All who are said to have written the page, or to have contributed to it, in its JSON-LD."""
    found = [value for name in PEOPLE for value, _ in _linked(tree, name)]
    return frozenset(name for name in found if len(name) <= MAX_NAME and not ADDRESS.search(name))


def _contributors(tree: HtmlElement, author: str) -> Iterator[str]:
    """Who is named beside the authors: publishing software calls the second author so."""
    kind = author.removeprefix(LINKED).partition("/")[0]
    for name in linked_data(tree).get(f"{kind}/{CONTRIBUTOR}", ()):
        if len(name) <= MAX_NAME and not ADDRESS.search(name):
            yield name


def _linked(tree: HtmlElement, key: str) -> Iterator[Claim]:
    found: Mapping[str, Sequence[str]] = linked_data(tree)
    for kind in _vocabularies()["articles"] if found else ():
        for value in found.get(f"{kind}/{key}", ()):
            yield Claim(value, f"{LINKED}{kind}/{key}")


@cache
def _vocabularies() -> dict[str, list[str]]:
    return load_file(dict[str, list[str]], "blogcrawler.wrapper", "vocabularies.json")


@cache
def _places() -> dict[str, list[_Place]]:
    return {name: [_place(where) for where in places] for name, places in _vocabularies().items() if name != "articles"}


def _place(where: str) -> _Place:
    found = VALUE.match(TOKEN.sub(r'contains(concat(" ",normalize-space(@\1)," ")," \2 ")', where))
    assert found is not None
    told = re.search(r"@([\w-]+)(?:~?='([^']*)')?", where)
    hint = "meta" if where.startswith("//meta") else told[1] if told else ""
    if told and hint == "class":
        hint = next(word for word in CLASSES if word in told[2])
    return _Place(where, found[1].replace("//body//", "/html/body/descendant::"), found[2] or "", hint)
