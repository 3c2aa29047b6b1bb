"""Learn where a comment names its author: a model distinguishes names from other short texts, a rule says where they
are.

Words that nearly all names have before or behind them ("Posted by") are not part of the name.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.dates import find_dates
from blogcrawler.similarity import fold
from blogcrawler.wrapper.comments.author_model import LONGEST, Place, features, layout_of, probability
from blogcrawler.wrapper.comments.region import has_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

    from blogcrawler.wrapper.comments.author_model import Layout
    from blogcrawler.wrapper.comments.region import Region

LONGEST_TITLE = 400
"""Maximum length, in characters, of the title of a page that links to the post."""
PICTURED = "alt"
"""Attribute with the name if no text has it: the alternative text of an avatar."""
LIKELY = 0.3
"""Probability above which the likeliest texts are names. No text reaches it in the lists without names that
tests/wrapper/comments/build_author_model.py generates."""
PRESENT = 0.8
"""Minimum share of comments that have a text in the author's place. A word before or behind at least this share of the
names is not part of them."""
MOST_RULES = 3
MOST_EDGES = 4
WORDS = re.compile(r"\w[\w'’.-]*|[^\w\s]+")
SIGNS = " \t\n\r\xa0,:;|·•—–-/"


@dataclass(frozen=True)
class AuthorRule:
    """Where the author's name is, and which words surround it."""

    path: str
    #: "" for the whole text, "before" or "behind" for the part before or behind the date in it
    part: str = ""
    before: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    #: the attribute that holds the name; empty if the text holds it
    attribute: str = ""

    def place(self, region: Region) -> int | None:
        """The node with the name, as a number in the comment's nodes."""
        return region.first_at.get(self.path)

    def extract(self, region: Region) -> str | None:
        """The author of a comment; None if it has no name."""
        text = _text_at(region, Place(self.path, self.part, self.attribute))
        name = _trimmed(text or "", self.before, self.behind, is_part=bool(self.part))
        is_name = has_word(name) or (not self.part and name.strip(SIGNS))
        return name if is_name else None


class Named(NamedTuple):
    """A rule, and the names that it finds, by number of the comment."""

    rule: AuthorRule
    names: Mapping[int, str]

    @property
    def place(self) -> Place:
        return Place(self.rule.path, self.rule.part, self.rule.attribute)


def learn_authors(regions: Sequence[Region], known: Iterable[str] = ()) -> tuple[AuthorRule, ...]:
    """Rules for authors' names, each for comments in which earlier rules find none; `known` are certain names. O(n)."""
    people = {fold(name) for name in known}
    rules: list[AuthorRule] = []
    left = [*map(layout_of, regions)]
    while len(rules) < MOST_RULES and len(left) >= (2 if rules else 1):
        named = candidates([layout.region for layout in left])
        best = _likeliest(left, named, people)
        if best is None or (rules and _contradicts(best.rule, rules, regions)):
            break
        rules += [best.rule, *_without_link(best, named)]
        left = [layout for layout in left if best.rule.extract(layout.region) is None]
    return tuple(rules)


def candidates(regions: Sequence[Region]) -> list[Named]:
    """The rules by which most comments may have a name. O(n)."""
    texts: dict[Place, dict[int, str]] = defaultdict(dict)
    for number, region in enumerate(regions):
        for place, text in _texts(region):
            texts[place][number] = text
    named = (_named(place, texts_at_place) for place, texts_at_place in texts.items())
    return [candidate for candidate in named if candidate.names and len(candidate.names) >= PRESENT * len(regions)]


def _named(place: Place, texts: Mapping[int, str]) -> Named:
    before, behind = _edges([*texts.values()])
    rule = AuthorRule(place.path, place.part, before, behind, place.attribute)
    names = {number: _trimmed(text, before, behind, is_part=bool(place.part)) for number, text in texts.items()}
    return Named(rule, {number: name for number, name in names.items() if name})


def _likeliest(layouts: Sequence[Layout], named_places: Sequence[Named], people: Set[str]) -> Named | None:
    """The candidate that is most likely names, if it is likely enough."""
    least, best = LIKELY, None
    for candidate in named_places:
        chance = probability(features(layouts, candidate.place, candidate.names, people))
        if chance > least:
            least, best = chance, candidate
    whole = (
        candidate for candidate in named_places if best and not candidate.rule.part and candidate.names == best.names
    )
    return best if best is None or not best.rule.part else next(whole, best)


def _without_link(link: Named, named_places: Sequence[Named]) -> Iterator[AuthorRule]:
    """The rule for names without a link, if all known names are linked: it reads the element around the link."""
    around, _, tag = link.rule.path.rpartition(">")
    if link.rule.part or link.rule.attribute or tag.partition(".")[0] != "a":
        return
    wider = (candidate for candidate in named_places if candidate.rule.path == around and not candidate.rule.attribute)
    same = (candidate.rule for candidate in wider if candidate.names.items() >= link.names.items())
    yield from islice(same, 1)


def _contradicts(rule: AuthorRule, known: Sequence[AuthorRule], regions: Sequence[Region]) -> bool:
    """True if a further rule finds another text than the known name in comments whose name is known."""
    compared = contradicting = 0
    for region in regions:
        name = next(filter(None, (known_rule.extract(region) for known_rule in known)), None)
        text = rule.extract(region) if name else None
        if name and text:
            compared += 1
            contradicting += fold(name) not in fold(text)
    return 2 * contradicting > compared


def _texts(region: Region) -> Iterator[tuple[Place, str]]:
    """The texts of a comment that are short enough for a name, and the titles of pages that link to the post."""
    anchor, view = region.unit.anchor, region.view
    for path, number in region.first_at.items():
        position = region.own[number]
        holds_day = anchor is not None and position <= anchor < view.ends[position]
        places = [Place(path, part) for part in (("before", "behind") if holds_day else ("",))]
        if view.nodes[position].get(PICTURED):
            places.append(Place(path, "", PICTURED))
        for place in places:
            text = _text_at(region, place)
            if text and (has_word(text) or not holds_day) and (len(text) <= LONGEST or not place.part):
                yield place, text


def _text_at(region: Region, place: Place) -> str | None:
    """The text at a place of a comment; in the element of the day, only the line with the day. None if it is
    too long."""
    number = region.first_at.get(place.path)
    if number is None:
        return None
    position = region.own[number]
    if place.attribute:
        value = " ".join((region.view.nodes[position].get(place.attribute) or "").split())
        return value if len(value) <= LONGEST else None
    text = region.line if place.part and position == region.unit.anchor else region.texts[number]
    if place.part:
        return _part(region, text, place.part) if text is not None else None
    return text if text is not None else _title(region, position)


def _title(region: Region, position: int) -> str | None:
    """The long text of a link to another page, that is the page's title; None if the element holds other text."""
    if region.away.isdisjoint((position, position + 1)):
        return None
    runs = range(2 * position, 2 * region.view.ends[position])
    held = [(at, text) for number, (at, _, text) in region.numbered if number in runs and number != 2 * position + 1]
    text = " ".join(text for _, text in held)
    return text if held and len(text) <= LONGEST_TITLE and {at for at, _ in held} <= region.away else None


def _part(region: Region, text: str, part: str) -> str:
    """The text before or behind the date in a text."""
    if not part:
        return text
    dates = find_dates(text, region.view.reader.languages)
    if dates:
        return text[: dates[0].start] if part == "before" else text[dates[-1].end :]
    anchor = region.unit.anchor
    day = region.view.texts[anchor] if anchor is not None else None
    head, separator, tail = text.partition(day) if day else ("", "", "")
    if not separator:
        head, separator, tail = text.partition(region.day) if region.day else ("", "", "")
    return (head if part == "before" else tail) if separator else ""


def _edges(values: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words with which nearly all values begin, and those with which nearly all end."""
    words = [WORDS.findall(fold(value)) for value in values]
    return tuple(_common(words, len(values))), tuple(reversed(_common([row[::-1] for row in words], len(values))))


def _common(rows: Sequence[Sequence[str]], total: int) -> list[str]:
    common: list[str] = []
    while len(common) < MOST_EDGES and total > 1:
        level = len(common)
        heads = Counter(row[level] for row in rows if len(row) > level + 1 and list(row[:level]) == common)
        word, count = heads.most_common(1)[0] if heads else ("", 0)
        if count < PRESENT * total:
            break
        common.append(word)
    return common


def _trimmed(text: str, before: Sequence[str], behind: Sequence[str], *, is_part: bool) -> str:
    """A text without the words that surround names; a cut text also loses punctuation at its ends."""
    matches = list(WORDS.finditer(text))
    start, end = 0, len(matches)
    for word in before:
        if start < end - 1 and fold(matches[start][0]) == word:
            start += 1
    for word in reversed(behind):
        if end - 1 > start and fold(matches[end - 1][0]) == word:
            end -= 1
    if start >= end or [fold(match[0]) for match in matches] == [*before, *behind]:
        return ""
    low = 0 if start == 0 else matches[start].start()
    high = len(text) if end == len(matches) else matches[end - 1].end()
    trimmed = text[low:high].strip()
    return trimmed if (low, high) == (0, len(text)) and not is_part else _without_signs(trimmed)


def _without_signs(text: str) -> str:
    """A text without separators at its ends, and without unpaired brackets."""
    text = text.strip(SIGNS)
    for left, right in ("()", "[]"):
        if text.count(left) != text.count(right):
            text = text.strip(left + right + SIGNS)
            text = text.rpartition(left)[0].rstrip(SIGNS) if text.rfind(left) > text.rfind(right) else text
    return text
