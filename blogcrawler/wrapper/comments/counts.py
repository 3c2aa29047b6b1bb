"""Read how many comments a page announces: by a learned rule, or in words ("12 comments", "Kommentare (3)")."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain, islice
from typing import TYPE_CHECKING

from blogcrawler.dom import inline_text, resolve
from blogcrawler.dom.tags import SILENT
from blogcrawler.similarity import fold
from blogcrawler.urls import identity, is_http
from blogcrawler.wrapper.comments.view import form_of
from blogcrawler.wrapper.core.thresholds import NEARLY_ALL

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.comments.view import View

NUMBER = re.compile(r"(?<![\d.,:/-])\d{1,6}(?![\d.,:/-])")
LONGEST = 100
"""Maximum length, in characters, of a line with a count."""
LEVELS = 6
MOST_NUMBERS = 3
"""Maximum number of numbers in a line."""
PAGES = 3
"""Minimum number of pages that must agree, with at least two different numbers."""
LONE_LINE = 40
"""Maximum length, in characters, of a line that only states the number of comments."""
PLACES = 100
"""Maximum number of lines with such a word that are examined for each page."""
LEVELS_AROUND = 3
"""Maximum number of levels of elements around the word that are searched for the number."""
_SIGNS = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class CountRule:
    """Where the number is: the forms of the elements around it, and which number of the text it is."""

    chain: tuple[str, ...]
    place: int

    def extract(self, view: View) -> int | None:
        """The announced number; None if there is none, or several differ."""
        numbers = {number for forms, place, number in _numbers(view) if (forms, place) == (self.chain, self.place)}
        return numbers.pop() if len(numbers) == 1 else None


def learn_count(views: Sequence[View], counts: Sequence[int]) -> CountRule | None:
    """The rule by which pages announce the number of comments found in them; None without such a rule. O(n)."""
    numbers_at: dict[tuple[tuple[str, ...], int], dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for page, view in enumerate(views):
        for forms, place, number in _numbers(view):
            numbers_at[forms, place][page].add(number)
    best, rule = 0, None
    for (forms, place), pages in numbers_at.items():
        right = {page for page, numbers in pages.items() if numbers == {counts[page]}}
        if (
            len(right) > best
            and len(right) >= max(PAGES, NEARLY_ALL * len(pages))
            and len({counts[at] for at in right}) > 1
        ):
            best, rule = len(right), CountRule(forms, place)
    return rule


def _numbers(view: View) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """The whole numbers in short texts of a page, each with the forms of the elements around it and its place in the
    text."""
    for run, text in enumerate(view.runs):
        if not text or len(text) > 2 * LONGEST or not NUMBER.search(text):
            continue
        around = view.around(run // 2 if run % 2 == 0 else view.parents[run // 2])
        forms = tuple(form_of(view.nodes[at]) for at in islice(around, LEVELS))
        for place, match in enumerate(islice(NUMBER.finditer(" ".join(text.split())[:LONGEST]), MOST_NUMBERS)):
            yield forms, place, int(match[0])


def announced(tree: HtmlElement, url: str) -> int | None:
    """The number of comments that the page at `url` announces; None if it announces none, or several. O(n)."""
    texts = {text for text in set(tree.itertext()) if len(text) <= LONE_LINE and _says_comments(text)}
    places = islice(_places_of(texts, tree), PLACES) if texts else ()
    numbers = {number for holder, text in places if (number := _number_stated(holder, text, url)) is not None}
    return numbers.pop() if len(numbers) == 1 else None


def _places_of(texts: Collection[str], tree: HtmlElement) -> Iterator[tuple[HtmlElement, str]]:
    """The elements that hold these texts, each with its text."""
    for node in tree.iter():
        beside = [(node, node.text)] if isinstance(node.tag, str) and node.text in texts else []
        if node.tail in texts:
            beside.append((node.getparent(), node.tail))
        for holder, text in beside:
            if SILENT.isdisjoint(above.tag for above in (holder, *holder.iterancestors())):
                yield holder, text


def _number_stated(element: HtmlElement, text: str, url: str) -> int | None:
    """The number stated by a text in an element, or else by the element or one close around it."""
    around = islice((element, *element.iterancestors()), LEVELS_AROUND)
    for holder, whole in chain([(element, text)], ((one, inline_text(one)) for one in around)):
        if len(whole) > LONE_LINE or holder.tag == "body":
            return None
        if (number := _number(whole)) is not None:
            return None if _is_of_another(holder, url) else number
    return None


def _number(text: str) -> int | None:
    """The number in "4 comments", "Kommentare: 4"; None for a text with other words, or without a number."""
    numbers = NUMBER.findall(text)
    return int(numbers[0]) if len(numbers) == 1 and _says_comments(text) else None


@lru_cache(maxsize=1 << 13)
def _says_comments(text: str) -> bool:
    """True if a text without numbers and punctuation is a word for comments."""
    return _SIGNS.sub("", fold(NUMBER.sub(" ", text))) in _words()


def _is_of_another(element: HtmlElement, url: str) -> bool:
    link = next(element.iterancestors("a"), None) if element.tag != "a" else element
    target = resolve(link.get("href") or "", url) if link is not None else None
    return target is not None and is_http(target) and identity(target) != identity(url)


@cache
def _words() -> frozenset[str]:
    lines = files("blogcrawler.wrapper").joinpath("data/comment_words.txt").read_text("utf-8").splitlines()
    return frozenset(_SIGNS.sub("", fold(line)) for line in lines if line and not line.startswith("#"))
