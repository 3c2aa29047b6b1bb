"""Extraction rules: XPath expressions that select a node of a page in a way that works on other pages of the blog.

A rule extracts the first node that it selects (or all of them, for fields with several values). Each kind selects
exactly the nodes that have it among their own rules (`rules_of`), so that learning need not apply rules.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from lxml.etree import XPath, XPathError
from lxml.html import Element

from blogcrawler.serialise import load, register

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.html import HtmlElement

ATTRIBUTES = ("itemprop", "property", "rel", "role")
"""Attributes that state the meaning of an element (microdata, RDFa, microformats, ARIA)."""
META_ATTRIBUTES = ("name", *ATTRIBUTES)

UNIQUE = re.compile(r"\d{3}|\d$|[0-9a-f]{8}")
"""Matches a name with a number: it belongs to one post, or to one place in a list, so no rule can use it."""

UNQUOTABLE = re.compile(r"\A(?=[^']*')(?=[^\"]*\")|[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""XPath 1.0 has no literal for a text with both kinds of quotes, and no notation for control characters."""
HTML_SPACE = re.compile(r"[ \t\n\r]+")
PLAIN = re.compile(r"[a-z][a-z0-9-]*")

STEM = re.compile(r"[^\W\d_][\w-]{2,}?[_-](?=\d+$|[0-9a-f]{8,}$)|[^\W\d_]{4,}(?=\d+$)")
"""Matches the part of `post-body-4971` that is the same on every page."""

WORD = re.compile(r"[^\W\d_]+[-_:.]+")
"""A word of a name, and the separator behind it."""
Prefixes = frozenset[tuple[str, str]]
"""Common beginnings of the values of an attribute, `id` or `class`, see `prefixes`."""

INDEX = re.compile(r"\[\d+\]")

MAX_TOKENS = 6
MAX_NAME = 80
OWN_TEXT = "text()"
BEHIND_CHILD = "behind:"
"""Prefix of a rule's attribute for an element's text without that of its leading child. The form of this child follows,
see `forms_of`."""
BEFORE_CHILD = "before:"
"""Prefix of a rule's attribute for an element's text before a child. The number of this child, counted from the last of
its form, and its form follow."""
LINKED = "ld:"
"""Prefix of a rule's attribute for a path in the page's JSON-LD, see `json_ld`."""
LINKED_TYPE = "application/ld+json"
LINKED_SCRIPTS = f'//script[@type="{LINKED_TYPE}"]'

NAMED = 3
"""Rules of this kind and below identify a node by its own names."""
PLACED, MERGED = 8, 9
"""Kinds of rules that identify a node by its whole path, and by a path without one of the indices."""
CONTEXT = 3
"""Maximum number of levels up to an ancestor whose name a rule may use."""


class Rule(NamedTuple):
    """An XPath expression, and where the value is in the node that it selects.

    Ordered by preference: the kind of the rule (0 is the most stable), then length, then alphabet.
    """

    kind: int
    length: int
    xpath: str
    #: name of the attribute with the value, or a path in JSON-LD; OWN_TEXT: the node's text before its first child;
    #: BEHIND_CHILD and a form: its text without a leading child of this form; BEFORE_CHILD, a number and a form: its
    #: text before such a child; empty: its whole text
    attribute: str = ""

    @classmethod
    def of(cls, kind: int, xpath: str, attribute: str = "") -> Rule:
        """A rule of this kind."""
        return cls(kind, len(xpath), xpath, attribute)

    def __str__(self) -> str:
        if not self.attribute:
            return self.xpath
        if self.attribute.startswith(LINKED):
            return self.attribute
        return f"{self.xpath}/{self.attribute if is_text_part(self.attribute) else f'@{self.attribute}'}"


def is_text_part(attribute: str) -> bool:
    """True if the attribute of a rule denotes a part of an element's text."""
    return attribute == OWN_TEXT or attribute.startswith((BEFORE_CHILD, BEHIND_CHILD))


def is_metadata(rule: Rule) -> bool:
    """True if a rule selects data for machines."""
    return rule.attribute.startswith(LINKED) or rule.xpath.startswith("//meta[")


TOKEN_TEST = re.compile(r"""contains\(concat\(" ",normalize-space\(@(\w+)\)," "\),(["']) ([^"']*) \2\)""")


FIRST_STEP = re.compile(r"^(\.?)//(?=[\w*-]+\[(?:@|contains|starts))")


@lru_cache(maxsize=4096)
def _compiled(xpath: str) -> XPath:
    # libxml2 searches the children of every node for `//div[@id="a"]`, but all nodes only once for this form
    quick = FIRST_STEP.sub(r"\1/descendant::", xpath)
    # most elements fail the first test, which takes half as long as the second
    quick = TOKEN_TEST.sub(r"(contains(@\1,\2\3\2) and \g<0>)", quick)
    return XPath(quick, smart_strings=False)


def select(tree: HtmlElement, xpath: str) -> list[HtmlElement]:
    """The nodes that an expression selects in a page, in document order."""
    return _compiled(xpath)(tree)  # type: ignore[return-value]


def checked(xpath: object) -> str:
    """A stored expression. Raises TypeError or ValueError if it cannot select nodes."""
    expression = load(str, xpath)
    try:
        if not isinstance(select(Element("html"), expression), list):
            raise TypeError(f"{expression!r:.50} selects no nodes")
    except XPathError as error:
        raise ValueError(f"{expression!r:.50} is no XPath expression") from error
    return expression


def quoted(value: str) -> str:
    """A string as an XPath literal; the empty literal for a string with both kinds of quotes, which has none."""
    if '"' not in value:
        return f'"{value}"'
    return f"'{value}'" if "'" not in value else '""'


def steady(name: str) -> bool:
    """True if an id or class token may be on other pages of the blog, and can be used in an expression."""
    return bool(name) and len(name) <= MAX_NAME and not UNIQUE.search(name) and not UNQUOTABLE.search(name)


def forms_of(node: HtmlElement) -> tuple[str, ...]:
    """The forms that children at the start of a text may share, most specific first: tag and class as in CSS,
    or tag."""
    tokens = [token for token in HTML_SPACE.split(node.get("class") or "") if steady(token)][:1]
    # the second form sorts after the first, as the worse of two rules
    return (*(f"{node.tag}.{token}" for token in tokens), f"{node.tag}:any" if tokens else f"{node.tag}")


def plain_name(tag: str) -> bool:
    """True for a tag that can be used in an expression; `o:p` of word processors cannot."""
    return PLAIN.fullmatch(tag) is not None


def names_of(node: HtmlElement) -> tuple[tuple[int, str], ...]:
    """Tests for a node by its own attributes, as (kind, step of an XPath expression)."""
    attributes = node.attrib
    if not attributes:
        return ()
    telling = META_ATTRIBUTES if node.tag == "meta" else ATTRIBUTES
    attribute_values = tuple((name, value) for name in telling if (value := attributes.get(name)))
    return _names(node.tag, attributes.get("id"), attributes.get("class"), attribute_values)


@lru_cache(maxsize=1 << 12)  # the pages of a blog have the same names
def _names(
    tag: str, identity: str | None, classes: str | None, attribute_values: tuple[tuple[str, str], ...]
) -> tuple[tuple[int, str], ...]:
    return tuple(_name_tests(tag, identity, classes, attribute_values)) if plain_name(tag) else ()


def _name_tests(
    tag: str, identity: str | None, classes: str | None, attribute_values: tuple[tuple[str, str], ...]
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
    for name, value in attribute_values:
        for token in HTML_SPACE.split(value):
            if steady(token):
                yield 3, f"{tag}[{has_token(name, token)}]"


def has_token(attribute: str, token: str) -> str:
    """The XPath condition that one of an attribute's words equals a token."""
    return f'contains(concat(" ",normalize-space(@{attribute})," "),{quoted(f" {token} ")})'


@lru_cache(maxsize=1 << 12)
def beginnings(name: str) -> tuple[str, ...]:
    """The beginnings of an id or class token, up to a word with digits: `blog-` and `blog-post-` of `blog-post-a-7`."""
    starts, end = [], 0
    while (word := WORD.match(name, end, MAX_NAME)) and word.end() < len(name):
        end = word.end()
        starts.append(name[:end])
    return tuple(starts)


def prefix_tests(node: HtmlElement, prefixes: Prefixes) -> Iterator[str]:
    """Tests for a node by known beginnings of its id and classes, as steps of an XPath expression."""
    tokens = HTML_SPACE.split(node.get("class") or "")[:MAX_TOKENS] if prefixes else ()
    for beginning in beginnings(node.get("id") or "") if prefixes else ():
        if ("id", beginning) in prefixes:
            yield f"{node.tag}[starts-with(@id,{quoted(beginning)})]"
    for beginning in dict.fromkeys(beginning for token in tokens for beginning in beginnings(token)):
        if ("class", beginning) in prefixes:
            yield f'{node.tag}[contains(concat(" ",normalize-space(@class)),{quoted(f" {beginning}")})]'


def position_among_siblings(node: HtmlElement) -> int:
    """The node's number among siblings of the same tag, from 1."""
    return 1 + sum(1 for _ in node.itersiblings(node.tag, preceding=True))


def rules_of(node: HtmlElement, attribute: str = "", prefixes: Prefixes = frozenset()) -> Iterator[Rule]:
    """The possible rules for a node: by its own names, an ancestor's names, its tag, its place; one rule for JSON-LD.
    `prefixes` are those of names that only its page has."""
    if attribute.startswith(LINKED):
        yield Rule.of(3, LINKED_SCRIPTS, attribute)
        return
    if not plain_name(node.tag):
        return
    names = names_of(node)
    for kind, step in names:
        yield Rule.of(kind, f"//{step}", attribute)
    for step in prefix_tests(node, prefixes):
        if (2, step) not in names:
            yield Rule.of(NAMED, f"//{step}", attribute)
    position = position_among_siblings(node)
    plain, placed = node.tag, f"{node.tag}[{position}]"
    ancestor = node.getparent()
    for level in range(CONTEXT):
        if ancestor is None or not plain_name(ancestor.tag):
            break
        steps = [step for kind, step in names_of(ancestor) if kind != 2]
        for step in (*steps, *prefix_tests(ancestor, prefixes)):
            yield Rule.of(4 + level, f"//{step}/{plain}", attribute)
            yield Rule.of(4 + level, f"//{step}/{placed}", attribute)
        number = position_among_siblings(ancestor)
        plain, placed = f"{ancestor.tag}/{plain}", f"{ancestor.tag}[{number}]/{placed}"
        ancestor = ancestor.getparent()
    yield Rule.of(7, f"//{node.tag}", attribute)
    if all(plain_name(above.tag) for above in node.iterancestors()):
        yield Rule.of(PLACED, str(node.getroottree().getpath(node)), attribute)


def merged_paths(paths: Iterable[Iterable[Rule]]) -> dict[Rule, int]:
    """Rules for the common part of several whole-page paths that differ in one index (AdaptivePost's merging of paths,
    section III-C), each with its number of pages. `paths` are the rules of each page. O(n)."""
    members: dict[Rule, set[str]] = defaultdict(set)
    votes = Counter[Rule]()
    for own in paths:
        shapes = {Rule.of(MERGED, shape, rule.attribute): rule.xpath for rule in own for shape in _shapes(rule.xpath)}
        votes.update(shapes.keys())
        for shape, path in shapes.items():
            members[shape].add(path)
    return {shape: count for shape, count in votes.items() if len(members[shape]) > 1}


def _shapes(path: str) -> Iterator[str]:
    """A path as it is (a page's only element of a tag has no index), and without each of its indices."""
    yield path
    for index in INDEX.finditer(path):
        yield path[: index.start()] + path[index.end() :]


register(
    Rule,
    lambda rule: {"kind": rule.kind, "xpath": rule.xpath, "attribute": rule.attribute},
    lambda data: Rule.of(load(int, data["kind"]), checked(data["xpath"]), load(str, data["attribute"])),
)
