"""The short texts of a page that may be a field's value: of elements, of attributes with data, and of JSON-LD."""

from __future__ import annotations

import re
from copy import deepcopy
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, unquote_plus

from blogcrawler.dom import inline_text, legal_text
from blogcrawler.dom.tags import SILENT
from blogcrawler.serialise import load_file
from blogcrawler.similarity import fold
from blogcrawler.wrapper.core.json_ld import linked_data, linked_values, unescaped
from blogcrawler.wrapper.core.profile import SHORT, following_text, leading_text
from blogcrawler.wrapper.core.rules import BEFORE_CHILD, BEHIND_CHILD, LINKED, LINKED_TYPE, OWN_TEXT, forms_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.profile import Profile

DATA_ATTRIBUTES = ("content", "datetime")
TITLED = {**dict.fromkeys(["abbr", "time", "span"], (*DATA_ATTRIBUTES, "title")), "img": ("title", "alt")}
"""Elements whose title attribute is a value (the datetime pattern of microformats), or names a picture's content."""
MOST_CHILDREN = 10
"""Maximum number of children of an element that may end its value."""

NAME = "href"
"""The attribute of rules for the name of a link: its text, or the text of its picture, or a part of its address."""
LISTS_OF_POSTS = tuple(
    re.compile(rf"[/?&](?:{'|'.join(words)})(?:[/=]|\.html?#|#)#?[^#]*\w", re.IGNORECASE)
    for words in load_file(dict[str, list[str]], "blogcrawler.wrapper", "lists_of_posts.json").values()
)
"""Patterns of a decoded URL: of the list of all posts with a tag, and of those in a category."""
WORD = re.compile(r"[^\W_]+")
PAGE = re.compile(r"\.(?:html?|php)$")

STATING = {"meta": "content", "data": "value", "meter": "value", "time": "datetime"}
"""The attribute in which an element states a value in microdata; addresses are no short texts."""


class Value(NamedTuple):
    """A short text of a page, and its place."""

    node: HtmlElement
    #: position of the node in the page's profile
    position: int
    #: as in a rule
    attribute: str
    text: str
    folded: str
    #: set of bigrams in the alphabet of the page's profile
    bigrams: int


def value_at(node: HtmlElement, attribute: str) -> str:
    """The text of a node or of its attribute, with white space collapsed; the first value at a path in JSON-LD."""
    if attribute.startswith(LINKED):
        return next(iter(linked_values(node.getroottree().getroot(), attribute)), "")
    if not attribute:
        return inline_text(node)
    if attribute.startswith(BEHIND_CHILD):
        return _behind_child(node, attribute.removeprefix(BEHIND_CHILD))
    if attribute.startswith(BEFORE_CHILD):
        return _before_child(node, *attribute.removeprefix(BEFORE_CHILD).split(":", 1))
    if attribute == NAME:
        return inline_text(node) or _name_of_link(node)
    value = leading_text(node) if attribute == OWN_TEXT else node.get(attribute)
    return " ".join(unescaped(str(value or "")).split())


def _leads_to_list(link: HtmlElement) -> bool:
    return "tag" in (link.get("rel") or "").split() or _is_list(link.get("href") or "")


def _is_list(address: str) -> bool:
    return any(form.search(unquote(address)) for form in LISTS_OF_POSTS)


def _name_of_link(link: HtmlElement) -> str:
    """The text of a link's picture, or its title, as far as the link's URL repeats it; or else the end of the URL.
    O(n): only the length of a short text is compared, since the address's words may begin at each word of the text."""
    href = link.get("href") or ""
    address = PAGE.sub("", (path if _is_list(path := href.partition("?")[0]) else href).rstrip("/#"))
    end = legal_text(unquote_plus(address[max(address.rfind(sign) for sign in "/=#") + 1 :])).strip()[:SHORT]
    texts = [node.get(name) or "" for node in (*link.iter("img"), link) for name in ("alt", "title", "aria-label")]
    label = next(filter(None, (" ".join(unescaped(text).split()) for text in texts)), "")[:SHORT]
    own = re.search(r"[\W_]*".join(WORD.findall(end)) or r"\A", label, re.IGNORECASE)
    return (own and own[0]) or label or end


def stated_at(node: HtmlElement, attribute: str) -> str:
    """The value of `value_at`; for a microdata element without text, the value that it states in an attribute."""
    return value_at(node, attribute) or ("" if attribute else value_at(node, STATING.get(node.tag, "")))


def text_parts(node: HtmlElement, wanted: str) -> list[str]:
    """The parts of a node's text, as attributes of rules, that equal a folded text. O(n)."""
    begun = _beginning_child(node)
    parts = [f"{BEHIND_CHILD}{form}" for form in forms_of(begun)] if begun is not None else []
    rest: list[str] = []
    for child in islice(node.iterchildren("*", reversed=True), MOST_CHILDREN):
        rest += forms_of(child)
        parts += [f"{BEFORE_CHILD}{rest.count(form)}:{form}" for form in forms_of(child)]
    return [part for part in parts if fold(value_at(node, part)) == wanted]


def behind_number(link: HtmlElement) -> str:
    """The part of a link's text behind a first child without letters, such as a number of posts; as the attribute of a
    rule. O(n)."""
    child = _beginning_child(link)
    is_number = child is not None and not any(map(str.isalpha, inline_text(child)))
    part = f"{BEHIND_CHILD}{forms_of(child)[0]}" if is_number else ""
    return part if part and value_at(link, part) else ""


def _beginning_child(node: HtmlElement) -> HtmlElement | None:
    """The child at the start of a node's text; None if the text does not begin with a child. O(n)."""
    if leading_text(node).strip():
        return None
    for child in node.iterchildren("*"):
        begun = child.tag not in SILENT and inline_text(child)
        if begun or following_text(child).strip():
            return child if begun else None
    return None


def _behind_child(node: HtmlElement, form: str) -> str:
    """The text of a node without that of a leading child of this form; the whole text without such a child. O(n)."""
    text, child = inline_text(node), _beginning_child(node)
    return text if child is None or form not in forms_of(child) else text.removeprefix(inline_text(child)).strip()


def _before_child(node: HtmlElement, number: str, form: str) -> str:
    """The text before a child, given by its number from the end among those of a form; the whole text if there is none.
    O(n)."""
    children = [child for child in node.iterchildren("*") if form in forms_of(child)][-int(number) :]
    if not children:
        return inline_text(node)
    copy = deepcopy(node)
    del copy[node.index(children[0]) :]
    return inline_text(copy) or inline_text(node)


def values_at(nodes: Sequence[HtmlElement], attribute: str) -> list[str]:
    """The values of the nodes that a rule for several values selects."""
    if attribute.startswith(LINKED):
        return linked_values(nodes[0].getroottree().getroot(), attribute) if nodes else []
    return [value_at(node, attribute) for node in nodes]


def values_of(profile: Profile) -> Iterator[Value]:
    """All values of a page: those of its nodes in document order, then the first at each path in its JSON-LD. O(n)."""
    scripts = []
    for position, node in enumerate(profile.nodes):
        text = profile.texts[position]
        if node.tag not in SILENT and profile.sizes[position]:
            if text:
                yield Value(node, position, "", text, profile.alphabet.fold(text), profile.bigrams[position])
            lead = profile.leads[position]
            if node.tag == "a" and (part := behind_number(node)):
                yield _value(profile, position, part, value_at(node, part))
            if lead and 0 < len(own := " ".join(lead.split())) <= SHORT:
                yield Value(node, position, OWN_TEXT, own, *profile.alphabet.read(lead))
        elif node.tag == "title" and node.text:
            yield _value(profile, position, "", " ".join(node.text.split()))
        elif node.tag == "script" and node.get("type") == LINKED_TYPE:
            scripts.append(position)
        elif node.tag == "a" and _leads_to_list(node) and (named := _name_of_link(node)):
            yield _value(profile, position, NAME, named)
        for name in TITLED.get(node.tag, DATA_ATTRIBUTES):
            data = node.get(name)
            if data and 0 < len(data := " ".join(unescaped(data).split())) <= SHORT:
                yield _value(profile, position, name, data)
    for script in scripts[:1]:
        for path, texts in linked_data(profile.nodes[0]).items():
            yield _value(profile, script, f"{LINKED}{path}", texts[0])


def _value(profile: Profile, position: int, attribute: str, text: str) -> Value:
    folded, bigrams = profile.alphabet.read(text)
    return Value(profile.nodes[position], position, attribute, text, folded, bigrams)
