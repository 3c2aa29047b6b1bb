"""Find the title of a post without a rule: from the page's metadata, its headings, and the title in its head.

A title that the page states in a published vocabulary has the source `metadata`, any other title `fallback`.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from blogcrawler.dom import inline_text
from blogcrawler.similarity import fold
from blogcrawler.urls import resolve
from blogcrawler.wrapper.core.metadata import claims
from blogcrawler.wrapper.fallback.head_titles import NO_ENDS, head_title
from blogcrawler.wrapper.fallback.ranking import Candidate, shipped_ranker

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.fallback.head_titles import Ends
    from blogcrawler.wrapper.fallback.ranking import Fact

LONGEST = 300
"""Maximum length, in characters, of a title."""
MAX_HEADINGS = 60
SEPARATOR = re.compile(r"(?<!\s)\s++(?:[|–—·•»«:/~-]|::)\s++|(?:(?<!\s)\s++)?+[|»«]\s*+")
"""Separators that themes put between a page's title and the site's name."""
WORD = re.compile(r"\w+")
FEW = 2
"""Number of letters up to which a name is part of many hosts by chance."""
ARTICLE_TAGS = frozenset(["article", "main"])


def find_title(
    tree: HtmlElement, url: str | None = None, container: HtmlElement | None = None, ends: Ends = NO_ENDS
) -> Fact | None:
    """The post's title, without the site's name. O(n). `container` is the article's, if known, and `ends` the recurring
    parts of the blog's titles."""
    return shipped_ranker("title").best(title_candidates(tree, url, container, ends))


def title_candidates(
    tree: HtmlElement, url: str | None, container: HtmlElement | None, ends: Ends = NO_ENDS
) -> list[Candidate]:
    """The possible titles, without the site's name. O(n)."""
    candidates: dict[str, Candidate] = {}
    head, headings, sites = head_title(tree), headings_of(tree, url), _site_names(tree) | ends.names()
    claimed = list(_single_claims(tree))
    claimed_texts = {fold(value) for value, _ in claimed} - sites
    sites |= {fold(rest) for part, rest in _split(head) if fold(part) in claimed_texts} - claimed_texts

    def add(value: str, where: str, *signs: str, is_claim: bool = False) -> None:
        key = fold(value)
        if key and len(value) <= LONGEST and key not in sites:
            candidate = Candidate(value, "metadata" if is_claim else "fallback", where)
            candidates.setdefault(key, candidate).mark(*signs)

    for value, where in claimed:
        add(value, where, is_claim=True)
        for part, is_named in _parts(value, sites, url):
            if is_named or fold(part) in headings:
                add(part, where, is_claim=True)
    for key, node in headings.items():
        if node.tag == "h1" or key in candidates or is_end(key, fold(head)):
            add(inline_text(node), node.tag, *_signs_of_heading(node, headings))
    cut = ends.cut(head)
    if cut != head:
        add(cut, "title", "head", "cut")
    elif ends.differ or fold(head) in candidates:
        add(head, "title", "head")
    for part, is_named in _parts(head, sites, url) if cut == head else ():
        if is_named or fold(part) in candidates:
            add(part, "title", "head")
    if (nearest := _nearest(headings, container)) is not None and (near := candidates.get(fold(inline_text(nearest)))):
        near.mark("nearest")
    for key, candidate in candidates.items():
        _compare(key, candidate, fold(head), headings, sites, url)
    return list(candidates.values())


def _compare(
    key: str, candidate: Candidate, head: str, headings: dict[str, HtmlElement], sites: Set[str], url: str | None
) -> None:
    """Note how a candidate compares with other texts of the page."""
    words, is_heading = set(WORD.findall(key)), key in headings
    is_claimed, ends_head = candidate.source == "metadata", is_end(key, head)
    has_h1 = any(node.tag == "h1" for node in headings.values())
    parts = list(_parts(candidate.value, sites, url)) if not is_heading else []
    signs = {
        "claimed": is_claimed,
        "claimed_heading": is_claimed and is_heading,
        "claimed_beside_h1": is_claimed and not is_heading and has_h1,
        "whole_head": key == head,
        "end_of_head": key != head and ends_head,
        "head_heading": is_heading and ends_head,
        "cut_heading": is_heading and "cut" in candidate.signs,
        "has_separator": bool(parts),
        "has_site": any(is_named for _, is_named in parts),
        "in_heading": not is_heading and any(key in text for text in headings),
        "holds_heading": not is_heading and any(text in key for text, node in headings.items() if node.tag == "h1"),
        "h2_without_h1": "h2" in candidate.signs and not has_h1,
        "h3_without_h1": "h3" in candidate.signs and not has_h1,
    }
    candidate.mark(*(name for name, is_so in signs.items() if is_so))
    path = unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2]) if url else ""
    slug = set(WORD.findall(fold(path).replace("_", " ")))
    if words:
        candidate.signs["words_in_head"] = len(words.intersection(WORD.findall(head))) / len(words)
        candidate.signs["title_in_slug"] = len(words & slug) / len(words)
        candidate.signs["slug_in_title"] = len(words & slug) / max(1, len(slug))


def _signs_of_heading(node: HtmlElement, headings: dict[str, HtmlElement]) -> Iterator[str]:
    """The signs that distinguish the heading of the article from others."""
    yield "heading"
    yield node.tag
    if node.tag == "h1" and sum(other.tag == "h1" for other in headings.values()) == 1:
        yield "only_h1"
    if _is_in_article(node):
        yield "in_article"
        if node.tag == "h1":
            yield "h1_in_article"
    elif node.getroottree().find(".//article") is not None:
        yield "outside_article"
    if next(node.iter("a"), None) is not None or any(ancestor.tag == "a" for ancestor in node.iterancestors()):
        yield "links"


def _is_in_article(node: HtmlElement) -> bool:
    return any(ancestor.tag in ARTICLE_TAGS for ancestor in node.iterancestors())


def _single_claims(tree: HtmlElement) -> Iterator[tuple[str, str]]:
    """The claims of places that state a single title: several titles are those of a list of posts."""
    for where, group in groupby(claims(tree, "title"), key=lambda claim: claim.where):
        values = {claim.value for claim in group}
        if len(values) == 1 and 0 < len(value := values.pop()) <= LONGEST:
            yield value, where


def headings_of(tree: HtmlElement, url: str | None) -> dict[str, HtmlElement]:
    """The headings of a page by their folded text, without those that link to the home page, which are the
    site's name."""
    headings: dict[str, HtmlElement] = {}
    for node in tree.xpath("//h1|//h2|//h3")[:MAX_HEADINGS]:
        text = fold(inline_text(node, most_nodes=50)[:LONGEST])
        if text and not _leads_home(node, url):
            headings.setdefault(text, node)
    return headings


def _leads_home(node: HtmlElement, url: str | None) -> bool:
    link = next(node.iter("a"), None)
    around = link if link is not None else next(node.iterancestors("a"), None)
    href = around.get("href") if around is not None else None
    target = resolve(url or "http://unknown.invalid/a", href) if href else None
    return target is not None and urlsplit(target).path in {"", "/"} and not urlsplit(target).query


def _site_names(tree: HtmlElement) -> set[str]:
    return {
        fold(node.get("content") or "")
        for node in tree.iter("meta")
        if node.get("property") == "og:site_name" or node.get("name") == "application-name"
    }


def is_site_name(tree: HtmlElement, name: str) -> bool:
    """True if a name is the site's by the page's metadata, or is at the start or end of the title in its head."""
    folded, head = fold(name), fold(head_title(tree))
    return folded in _site_names(tree) or (folded != head and is_end(folded, head))


def _parts(title: str, sites: Set[str], url: str | None) -> Iterator[tuple[str, bool]]:
    """The parts before and behind a separator, each with True if the other part is the site's name by metadata or
    host."""
    host = (urlsplit(url).hostname or "").replace("-", "") if url else ""
    for part, rest in _split(title):
        name = "".join(WORD.findall(fold(rest)))
        yield part, fold(rest) in sites or (len(name) > FEW and name in host)


def _split(title: str) -> Iterator[tuple[str, str]]:
    """The parts before and behind each separator, in both orders."""
    for cut in SEPARATOR.finditer(title):
        before, after = title[: cut.start()].strip(), title[cut.end() :].strip()
        if before and after:
            yield before, after
            yield after, before


def is_end(text: str, title: str) -> bool:
    """True if a folded title begins or ends with a text, at a word boundary."""
    if title.startswith(text):
        return not title[len(text) : len(text) + 1].isalnum()
    return title.endswith(text) and not title[: -len(text)][-1:].isalnum()


def _nearest(headings: dict[str, HtmlElement], container: HtmlElement | None) -> HtmlElement | None:
    """The last heading before the start of the article, or else the first heading in it. Without a container, the only
    h1, if it is in the element marked as the article. O(n)."""
    known, best = set(headings.values()), None
    if container is None:
        first = [node for node in known if node.tag == "h1"]
        return first[0] if len(first) == 1 and _is_in_article(first[0]) else None
    for node in container.getroottree().getroot().iter("h1", "h2", "h3", container.tag):
        if node is container:
            break
        best = node if node in known else best
    return (
        best if best is not None else next((node for node in container.iter("h1", "h2", "h3") if node in known), None)
    )
