"""Find who a page names as its author, by the conventions of themes, for blogs whose feed names nobody.

A short text near the article is a name if its element has the class, id, rel or itemprop of an author, if it links to
an author's page, or if a word such as "by" (data/bylines.json) precedes it. On one page this is a guess; together the
pages of a blog prove a rule.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from unicodedata import east_asian_width
from urllib.parse import urlsplit

from blogcrawler.dates import could_be_date, find_dates
from blogcrawler.dom import inline_text
from blogcrawler.people import separate
from blogcrawler.serialise import load_file
from blogcrawler.similarity import fold
from blogcrawler.urls import is_http, same_site, site
from blogcrawler.wrapper.core.profile import following_text, leading_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.training import LocatedPage
    from blogcrawler.wrapper.core.values import Value

LONGEST = 50
"""Maximum length, in characters, of a name."""
MOST_WORDS = 5
FAR = 14
"""Maximum number of edges between the article and its byline."""
NEAR = 6
"""Maximum number of edges if only a word indicates the byline: pages credit themes and photographs with the
same words."""
CALLED, BY_LINK, INTRODUCED = 1.0, 0.9, 0.8
"""Scores of the three indications: name of the element, link, preceding word."""
DISTANCE = 0.03
WORD = re.compile(r"[^\W\d_]+(?:[.'’-][^\W\d_]*)*")
FIRST_WORD = re.compile(r"[^\s:：/]+")
NAMING = ("class", "id", "rel", "itemprop")
TOKEN = re.compile(r"[\s_:-]+|(?<=[a-z])(?=[A-Z])")
AROUND = "由"
"""Precedes a name whose verb follows it."""
COLONS = frozenset(":：")
SEPARATOR = re.compile(r"(?:(?<!\s)\s++)?+[|·•,;(\[—–].*|(?<!\s)\s++(?:-\s|\d).*")
PART = re.compile(r"[|·•,;)\]—–]\s*+|(?<=\s)[-/~»]\s++|((?<![^\s(])\d\S*+\s++(?:[ap]\.?m\.?\s++)?+)", re.IGNORECASE)


@cache
def _first_words() -> frozenset[str]:
    return frozenset(words.split()[0] for words in _words()["words"])


@cache
def _words() -> dict[str, frozenset[str]]:
    """The word lists of `data/bylines.json`, folded."""
    data = load_file(dict[str, list[str]], "blogcrawler.wrapper", "bylines.json")
    return {key: frozenset(map(fold, words)) for key, words in data.items()}


def looks_like_name(text: str) -> bool:
    """True if a text may be a person's name, and is no date, address or sentence."""
    words = text.split()
    return (
        0 < len(text) <= LONGEST
        and len(words) <= MOST_WORDS
        and not any(character.isdigit() for character in text)
        and all(WORD.match(word) for word in words)
        and not could_be_date(text)
        and fold(text) not in _words()["words"]
    )


def bare_name(text: str) -> str:
    """A name without words such as "Written by" before it or "wrote" behind it. O(n)."""
    begun = [fold(word) for word in text.split()[:3]]
    is_particle = (
        begun[:1] and begun[0] in _words()["particles"] and (len(begun) < 3 or begun[1] in _words()["particles"])
    )
    return _without_ending(text if is_particle else _without_introduction(text) or text)


def is_introduction(text: str) -> bool:
    """True if a text consists of words such as "Written by", with or without a colon."""
    return fold(text).rstrip(":： ") in _words()["words"]


def _without_ending(text: str) -> str:
    """A name without the words behind it that say what the person did."""
    return _endings().split(text, maxsplit=1)[0].strip(" ,，")


@cache
def _endings() -> re.Pattern[str]:
    words = sorted(_words()["endings"], key=lambda word: (-len(word), word))
    either = "|".join((r"\s*{}" if _is_wide(word) else r"\s+{}(?!\w)").format(re.escape(word)) for word in words)
    return re.compile(rf"(?<=\w)(?:{either})", re.IGNORECASE)


def guess_names(page: LocatedPage) -> Iterator[tuple[float, str, HtmlElement]]:
    """The names at possible places of an author on a page, each with the score of its place. O(n)."""
    for value in page.values:
        if value.attribute or len(value.text) > 2 * LONGEST or value.folded == page.title:
            continue
        distance = page.distances[value.position]
        if distance > FAR or value.folded in page.shingles:
            continue  # far away, or a part of the article
        scored = _scored_name(value, distance, page.url)
        if scored is not None and looks_like_name(scored[1]) and not _is_elsewhere(value.node):
            yield scored[0] - DISTANCE * distance, scored[1], value.node


def _scored_name(value: Value, distance: int, url: str) -> tuple[float, str] | None:
    """The score of a text as a name, and the name in it."""
    node = value.node
    if _is_called_author(node):
        name = _without_introduction(value.text) or _after_small_word(node) or _within_line(node, value.folded)
        return CALLED, _without_ending(name or value.text)
    if node.tag == "a" and _leads_to_author(href := node.get("href") or "") and not _names_its_site(value, href, url):
        return BY_LINK, value.text
    if distance <= NEAR and not _is_in_foot(node):
        if _follows_introduction(node):
            return INTRODUCED, value.text
        introduced = _without_introduction(value.text)
        before_children = _without_introduction(leading_text(node)) if introduced and len(node) else introduced
        if before_children:
            return INTRODUCED, before_children
        if introduced and (labelled := _after_label(node)):
            return INTRODUCED, labelled
        if not introduced and (name := _within_line(node, value.folded)):
            return INTRODUCED, name
    return None


def _names_of(node: HtmlElement) -> frozenset[str]:
    attributes = node.attrib
    return _tokens(tuple(map(attributes.get, NAMING))) if attributes else frozenset()


@lru_cache(maxsize=1 << 12)  # the pages of a blog have the same names
def _tokens(texts: tuple[str | None, ...]) -> frozenset[str]:
    return frozenset(fold(token) for text in texts if text for token in TOKEN.split(text) if token)


def _is_called_author(node: HtmlElement) -> bool:
    names = _names_of(node)
    if node.get("itemprop") == "name":
        thing = next((above for above in node.iterancestors() if above.get("itemtype")), node)
        return (thing.get("itemtype") or "").endswith("/Person")
    return not names.isdisjoint(_words()["names"]) and names.isdisjoint(_words()["others"])


@lru_cache(maxsize=1 << 12)  # the pages of a blog have the same menus
def _leads_to_author(href: str) -> bool:
    """True for the address of an author's page, in the form of blog software."""
    try:
        parts = [part for part in urlsplit(href).path.split("/") if part]
    except ValueError:
        return False
    return len(parts) > 1 and not {fold(part) for part in parts[:-1]}.isdisjoint(_words()["folders"])


def _names_its_site(value: Value, href: str, url: str) -> bool:
    """True if a link's text is the name of another site that it leads to, as with profiles in social networks."""
    is_away = is_http(href) and not same_site(href, url)
    return is_away and value.folded.replace(" ", "") in site(href).split(".")


def _follows_introduction(node: HtmlElement) -> bool:
    """True if a word such as "by" is directly before an element."""
    before = node.getprevious()
    parent = node.getparent()
    text = following_text(before) if before is not None else leading_text(parent) if parent is not None else ""
    last = fold(text).rstrip(":：/ ").split()
    if not _words()["credits"].isdisjoint(last[-3:]):
        return False
    if last and _is_label(last[-1], text.rstrip()[-1:]):
        return True
    return any(" ".join(last[-count:]) in _words()["words"] for count in (1, 2, 3) if len(last) >= count)


def _without_introduction(text: str) -> str | None:
    """The name after a word such as "by" at the start of a text, or between words around it: 由 NAME 發表於."""
    first = FIRST_WORD.match(text)
    if first is None:
        return None
    word, rest = fold(first[0]), text[first.end() :].lstrip()
    if _is_label(word, rest[:1]):
        return _leading_name(rest.lstrip(":： ")) or None
    if text.startswith(AROUND) and _endings().search(text):
        return _leading_name(text.removeprefix(AROUND).lstrip()) or None
    if word not in _first_words():
        return None
    words = re.sub("[:：/]", " ", text).split()
    for count in (3, 2, 1):
        if len(words) > count and fold(" ".join(words[:count])) in _words()["words"]:
            return _leading_name(" ".join(words[count:])) or None
    return None


def _after_label(node: HtmlElement) -> str | None:
    """The name behind an element with a word such as "by" at the start of a text: `<b>By:</b> Ann`."""
    label = node[0] if len(node) and not leading_text(node).strip() else None
    if label is None or not isinstance(label.tag, str):
        return None
    return _without_introduction(f"{inline_text(label)} {following_text(label)}")


def _after_small_word(node: HtmlElement) -> str | None:
    """The text of the only child behind a lower-case word or a colon, in any language: `Upplagd av <b>Ann</b>`."""
    last = leading_text(node).split()[-1:] if len(node) == 1 else []
    is_word = bool(last) and (last[0][0].islower() or last[0][-1] in COLONS)
    return inline_text(node[0]) if is_word and not following_text(node[0]).strip() else None


def _within_line(node: HtmlElement, folded: str) -> str | None:
    """The name behind a word such as "by" that follows a separator or date in a line: `<i>3 May 2021</i> | by Ann`."""
    if not _words()["credits"].isdisjoint(WORD.findall(folded)):
        return None
    children = [(inline_text(child), following_text(child)) for child in node if isinstance(child.tag, str)]
    for inner, own in [("", leading_text(node)), *children]:
        for part in PART.finditer(text := inner + own):
            name = _without_introduction(text[part.end() :]) if part.end() >= len(inner) else None
            if name and not name[0].islower() and (not part[1] or find_dates(text[: part.end()])):
                return name
    return None


def _is_label(word: str, sign: str) -> bool:
    """True if a folded word before a colon ends in a word such as "by", in a script without spaces ("本文作者：")."""
    return (
        sign in COLONS
        and word.endswith(_joined_words())
        and not any(credit in word for credit in _words()["credits"] if _is_wide(credit))
    )


@cache
def _joined_words() -> tuple[str, ...]:
    return tuple(word for word in _words()["words"] if len(word) > 1 and _is_wide(word))


def _is_wide(word: str) -> bool:
    """True for a word of one of the scripts of East Asia."""
    return east_asian_width(word[-1]) == "W"


def _leading_name(text: str) -> str:
    """The capitalised words at the start of a text, or all words before a separator or verb; the whole text if it names
    several people."""
    if _words()["prepositions"].isdisjoint(text.casefold().split()) and len(separate(_without_ending(text))) > 1:
        return _without_ending(text)
    text = _without_ending(SEPARATOR.sub("", text))
    words = text.split()
    if not words or not words[0][0].isupper():
        return text
    end = 1
    while end < len(words) and (words[end][0].isupper() or _is_particle(words[end : end + 3])):
        end += 1
    return " ".join(words[:end])


def _is_particle(words: list[str]) -> bool:
    """True for a word such as "van" or "de la" within a name."""
    return words[0] in _words()["particles"] and any(word[0].isupper() for word in words[1:])


def _is_in_foot(node: HtmlElement) -> bool:
    """True for the foot of a page, but not of a post: there the word "by" precedes the designer's name."""
    around = [node, *node.iterancestors()]
    if any(above.tag == "article" for above in around):
        return False
    names = (f"{above.get('id') or ''} {above.get('class') or ''}" for above in around)
    is_footer = any(above.tag == "footer" for above in around)
    return is_footer or any(not _words()["feet"].isdisjoint(fold(name).split()) for name in names)


def _is_elsewhere(node: HtmlElement) -> bool:
    """True if an element is inside of one that is named as a comment, side bar or footer."""
    return any(
        above.tag in {"aside", "form"} or is_of_readers(above) or not _names_of(above).isdisjoint(_words()["elsewhere"])
        for above in node.iterancestors()
        if above.tag not in {"body", "html"}
    )


def is_of_readers(node: HtmlElement) -> bool:
    """True if an element is named as a comment."""
    return not _names_of(node).isdisjoint(_words()["readers"])


def is_called_box(node: HtmlElement) -> bool:
    """True if an element is named as a box about the author, of a newsletter, or of comments."""
    names, words = _names_of(node), _words()
    is_about_author = not names.isdisjoint(words["names"]) and not names.isdisjoint(words["boxes"])
    return is_about_author or not names.isdisjoint(words["letters"]) or not names.isdisjoint(words["readers"])
