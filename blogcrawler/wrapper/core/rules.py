"""Extraction rules: XPath expressions that name a node of a page in a way that holds on other pages of the blog.

A rule extracts the first node that it selects (or, for fields with several values, all of them). Each kind selects
exactly the nodes that list it among their own rules (`rules_of`), so that learning need not apply rules.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from lxml.etree import XPath, XPathError
from lxml.html import Element

from blogcrawler.serialise import load, register

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

ATTRIBUTES = ("itemprop", "property", "rel", "role")
"""Attributes that say what an element stands for (microdata, RDFa, microformats, ARIA)."""
META_ATTRIBUTES = ("name", *ATTRIBUTES)

UNIQUE = re.compile(r"\d{3}|\d$|[0-9a-f]{8}")
"""A name with a number in it is one post's own, or one place's in a list: no rule for other pages."""

UNQUOTABLE = re.compile(r"\A(?=[^']*')(?=[^\"]*\")|[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""XPath 1.0 has no literal for a text with both kinds of quotes, and no names for control characters."""
HTML_SPACE = re.compile(r"[ \t\n\r]+")
PLAIN = re.compile(r"[a-z][a-z0-9-]*")

STEM = re.compile(r"[^\W\d_][\w-]{2,}?[_-](?=\d+$|[0-9a-f]{8,}$)|[^\W\d_]{4,}(?=\d+$)")
"""What is the same in `post-body-4971` on every page."""

PREFIX = re.compile(r"[^\W\d_]{3,40}[-_:.]")
"""What the ids of one thing on several pages may begin with, before a slug: `post-` of `post-a-walk` (AdaptivePost)."""

MAX_TOKENS = 6
MAX_NAME = 80
OWN_TEXT = "text()"
BEHIND_CHILD = "behind:"
"""What the attribute of a rule begins with that reads an element's text without that of the child that begins it; the
child's form follows, see `forms_of`."""
BEFORE_CHILD = "before:"
"""What the attribute of a rule begins with that reads an element's text before a child; the child's number follows,
counted from the last of its form, and its form."""
LINKED = "ld:"
"""What the attribute of a rule begins with that reads a path in the page's JSON-LD, see `linked`."""
LINKED_TYPE = "application/ld+json"
LINKED_SCRIPTS = f'//script[@type="{LINKED_TYPE}"]'

NAMED = 3
"""Rules of this kind and below know a node by its own names."""
CONTEXT = 3
"""How many levels up a rule may take hold of an ancestor's name."""


class Rule(NamedTuple):
    """An XPath expression, and where the value stands in the node that it selects.

    Ordered by preference: the kind of the rule (0 the steadiest), then length, then alphabet.
    """

    kind: int
    length: int
    xpath: str
    #: name of the attribute that holds the value, or a path in JSON-LD; OWN_TEXT: the node's text before its first
    #: child; BEHIND_CHILD and a form: its text without that of a child of this form that begins it; BEFORE_CHILD, a
    #: number and a form: its text before such a child; empty: all its text
    attribute: str = ""

    @classmethod
    def of(cls, kind: int, xpath: str, attribute: str = "") -> Rule:
        """A rule of a kind."""
        return cls(kind, len(xpath), xpath, attribute)

    def __str__(self) -> str:
        if not self.attribute:
            return self.xpath
        if self.attribute.startswith(LINKED):
            return self.attribute
        return f"{self.xpath}/{self.attribute if is_text_part(self.attribute) else f'@{self.attribute}'}"


def is_text_part(attribute: str) -> bool:
    """True if the attribute of a rule stands for a part of an element's text."""
    return attribute == OWN_TEXT or attribute.startswith((BEFORE_CHILD, BEHIND_CHILD))


TOKEN_TEST = re.compile(r"""contains\(concat\(" ",normalize-space\(@(\w+)\)," "\),(["']) ([^"']*) \2\)""")


FIRST_STEP = re.compile(r"^(\.?)//(?=[\w*-]+\[(?:@|contains|starts))")


@lru_cache(maxsize=4096)
def _compiled(xpath: str) -> XPath:
    # libxml2 looks for the children of every node in `//div[@id="a"]`, and once through all nodes in this
    quick = FIRST_STEP.sub(r"\1/descendant::", xpath)
    # most elements fail the first test, which takes half the time of the other
    quick = TOKEN_TEST.sub(r"(contains(@\1,\2\3\2) and \g<0>)", quick)
    return XPath(quick, smart_strings=False)


def select(tree: HtmlElement, xpath: str) -> list[HtmlElement]:
    """The nodes that an expression selects in a page, in document order."""
    return _compiled(xpath)(tree)  # type: ignore[return-value]


def checked(xpath: object) -> str:
    """The expression, as it is stored. Raises TypeError or ValueError for what selects no nodes of any page."""
    expression = load(str, xpath)
    try:
        if not isinstance(select(Element("html"), expression), list):
            raise TypeError(f"{expression!r:.50} selects no nodes")
    except XPathError as error:
        raise ValueError(f"{expression!r:.50} is no XPath expression") from error
    return expression


def quoted(value: str) -> str:
    """A string as an XPath literal; one with both kinds of quotes has none, so the empty one stands for it."""
    if '"' not in value:
        return f'"{value}"'
    return f"'{value}'" if "'" not in value else '""'


def steady(name: str) -> bool:
    """True if an id or class token might be on other pages of the blog, and can be in an expression as it is."""
    return bool(name) and len(name) <= MAX_NAME and not UNIQUE.search(name) and not UNQUOTABLE.search(name)


def forms_of(node: HtmlElement) -> tuple[str, ...]:
    """What children may have in common that begin a text, the most telling first: tag and class, as in CSS, or tag."""
    tokens = [token for token in HTML_SPACE.split(node.get("class") or "") if steady(token)][:1]
    # the second form stands after the first in the alphabet, as the worse one of two rules
    return (*(f"{node.tag}.{token}" for token in tokens), f"{node.tag}:any" if tokens else f"{node.tag}")


def plain_name(tag: str) -> bool:
    """True for a tag that can be in an expression as it is; `o:p` of word processors cannot."""
    return PLAIN.fullmatch(tag) is not None


def names_of(node: HtmlElement) -> tuple[tuple[int, str], ...]:
    """Tests for a node by its own attributes, as (kind, step of an XPath expression)."""
    attributes = node.attrib
    if not attributes:
        return ()
    telling = META_ATTRIBUTES if node.tag == "meta" else ATTRIBUTES
    told = tuple((name, value) for name in telling if (value := attributes.get(name)))
    return _names(node.tag, attributes.get("id"), attributes.get("class"), told)


@lru_cache(maxsize=1 << 12)  # the pages of a blog have the same names
def _names(
    tag: str, identity: str | None, classes: str | None, told: tuple[tuple[str, str], ...]
) -> tuple[tuple[int, str], ...]:
    return tuple(_name_tests(tag, identity, classes, told)) if plain_name(tag) else ()


def _name_tests(
    tag: str, identity: str | None, classes: str | None, told: tuple[tuple[str, str], ...]
) -> Iterator[tuple[int, str]]:
    if identity and steady(identity):
        yield 0, f"{tag}[@id={quoted(identity)}]"
    if classes:
        tokens = [token for token in dict.fromkeys(HTML_SPACE.split(classes)) if steady(token)][:MAX_TOKENS]
        tests = [has_token("class", token) for token in tokens]
        for test in tests:
            yield 1, f"{tag}[{test}]"
        if len(tests) > 1:
            yield 2, f"{tag}[{' and '.join(tests)}]"
    stem = STEM.match(identity) if identity and not steady(identity) else None
    if stem and steady(stem[0]):
        yield 2, f"{tag}[starts-with(@id,{quoted(stem[0])})]"
    for name, value in told:
        for token in HTML_SPACE.split(value):
            if steady(token):
                yield 3, f"{tag}[{has_token(name, token)}]"


def has_token(attribute: str, token: str) -> str:
    """The XPath condition that one of an attribute's words is a token."""
    return f'contains(concat(" ",normalize-space(@{attribute})," "),{quoted(f" {token} ")})'


def position_among_siblings(node: HtmlElement) -> int:
    """The node's number among siblings of the same tag, from 1."""
    return 1 + sum(1 for _ in node.itersiblings(node.tag, preceding=True))


def rules_of(node: HtmlElement, attribute: str = "") -> Iterator[Rule]:
    """The rules that might stand for a node: by its own names, an ancestor's, its tag, its place; one for JSON-LD."""
    if attribute.startswith(LINKED):
        yield Rule.of(3, LINKED_SCRIPTS, attribute)
        return
    if not plain_name(node.tag):
        return
    names = names_of(node)
    if prefix := PREFIX.match(node.get("id") or ""):
        names = tuple(dict.fromkeys((*names, (2, f"{node.tag}[starts-with(@id,{quoted(prefix[0])})]"))))
    for kind, step in names:
        yield Rule.of(kind, f"//{step}", attribute)
    position = position_among_siblings(node)
    plain, placed = node.tag, f"{node.tag}[{position}]"
    ancestor = node.getparent()
    for level in range(CONTEXT):
        if ancestor is None or not plain_name(ancestor.tag):
            break
        for kind, step in names_of(ancestor):
            if kind != 2:
                yield Rule.of(4 + level, f"//{step}/{plain}", attribute)
                yield Rule.of(4 + level, f"//{step}/{placed}", attribute)
        number = position_among_siblings(ancestor)
        plain, placed = f"{ancestor.tag}/{plain}", f"{ancestor.tag}[{number}]/{placed}"
        ancestor = ancestor.getparent()
    yield Rule.of(7, f"//{node.tag}", attribute)
    if all(plain_name(above.tag) for above in node.iterancestors()):
        yield Rule.of(8, str(node.getroottree().getpath(node)), attribute)


register(
    Rule,
    lambda rule: {"kind": rule.kind, "xpath": rule.xpath, "attribute": rule.attribute},
    lambda data: Rule.of(load(int, data["kind"]), checked(data["xpath"]), load(str, data["attribute"])),
)
