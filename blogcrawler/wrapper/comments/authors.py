"""Where a comment names its author: the short text, near the date, that changes from comment to comment.

It comes again where somebody writes twice; what nearly all have before or behind it ("Posted by") is none of the name.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blogcrawler.dates import find_dates
from blogcrawler.similarity import fold
from blogcrawler.wrapper.comments.names import LONGEST, PRESENT, Name, likelihood
from blogcrawler.wrapper.comments.region import has_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from blogcrawler.wrapper.comments.region import Region

LONGEST_TITLE = 400
"""Characters of the title of a page that links to a post."""
PICTURED = "alt"
"""Attribute with a name where no text has it: avatars stand for their people."""
MOST_RULES = 3
EDGE = 0.8
"""Share of names that have a word before or behind them, from which it is none of theirs."""
MOST_EDGES = 4
WORDS = re.compile(r"\w[\w'’.-]*|[^\w\s]+")
SIGNS = " \t\n\r\xa0,:;|·•—–-/"


@dataclass(frozen=True)
class AuthorRule:
    """Where the author's name stands, and what stands around it."""

    path: str
    #: "" for all of the text, "before" or "behind" the date in it
    part: str = ""
    before: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    #: that tells the name; empty where the text does
    attribute: str = ""

    def place(self, region: Region) -> int | None:
        """Where the name stands: a number in the comment's nodes."""
        return region.first_at.get(self.path)

    def extract(self, region: Region) -> str | None:
        """The author of a comment; None where no name is told."""
        number = self.place(region)
        if number is None:
            return None
        text = _told(region, number, self.attribute, self.part)
        if text is None:
            return None if self.part else _title(region, region.own[number])
        name = _trimmed(_part(region, text, self.part), self.before, self.behind, is_part=bool(self.part))
        is_name = has_word(name) or (not self.part and name.strip(SIGNS))
        return name if is_name and len(name) <= 2 * LONGEST else None


def _told(region: Region, number: int, attribute: str, part: str = "") -> str | None:
    """The text of a comment's node, the day's line in the element of the day, or an attribute; None if it is long."""
    if not attribute:
        return region.line if part and region.own[number] == region.unit.anchor else region.texts[number]
    value = " ".join((region.view.nodes[region.own[number]].get(attribute) or "").split())
    return value if len(value) <= LONGEST else None


def _title(region: Region, position: int) -> str | None:
    """The long name of what links to a post: another page's title. None where there is more than links to such."""
    runs = range(2 * position, 2 * region.view.ends[position])
    held = [(at, text) for number, (at, _, text) in region.numbered if number in runs and number != 2 * position + 1]
    text = " ".join(text for _, text in held)
    return text if held and len(text) <= LONGEST_TITLE and {at for at, _ in held} <= region.away else None


def learn_authors(regions: Sequence[Region], known: Iterable[str] = ()) -> tuple[AuthorRule, ...]:
    """Rules for authors' names, each for comments in which earlier ones find none; `known` are sure names. O(n)."""
    people = {fold(name) for name in known}
    rules: list[AuthorRule] = []
    left = list(regions)
    while len(rules) < MOST_RULES and len(left) >= (2 if rules else 1):
        rule = _learn_author(left, people)
        if rule is None or (rules and _says_else(rule, rules, regions)):
            break
        rules += [rule, *_without_link(left, rule)]
        left = [region for region in left if rule.extract(region) is None]
    if not rules and regions and (rule := _learn_author(regions, people, PICTURED)) is not None:
        rules.append(rule)
    return tuple(rules)


def _without_link(regions: Sequence[Region], rule: AuthorRule) -> Iterator[AuthorRule]:
    """Where the name of somebody without a page stands, if all that were seen have one: what is around the link."""
    around, _, link = rule.path.rpartition(">")
    if rule.part or rule.attribute or link.partition(".")[0] != "a":
        return
    names = {index: name for index, region in enumerate(regions) if (name := rule.extract(region))}
    for part in ("", "before", "behind"):
        found = {index: _at(regions[index], Name(around, part)) for index in names}
        before, behind = _edges([text or "" for text in found.values()])
        wider = AuthorRule(around, part, before, behind)
        if names and all(wider.extract(regions[index]) == name for index, name in names.items()):
            yield wider
            return


def _are_words(values: set[str]) -> bool:
    """True if most texts have a letter; some people call themselves "..."."""
    return 2 * sum(any(map(str.isalpha, text)) for text in values) > len(values)


def _at(region: Region, name: Name) -> str | None:
    number = region.first_at.get(name.path)
    text = _told(region, number, "", name.part) if number is not None else None
    return _part(region, text, name.part) if text else None


def _says_else(rule: AuthorRule, known: Sequence[AuthorRule], regions: Sequence[Region]) -> bool:
    """True if a rule for people without a name reads something else where the name is known, such as the text."""
    told = other = 0
    for region in regions:
        name = next(filter(None, (one.extract(region) for one in known)), None)
        text = rule.extract(region) if name else None
        if name and text:
            told += 1
            other += fold(name) not in fold(text)
    return 2 * other > told


def _learn_author(regions: Sequence[Region], people: set[str], attribute: str = "") -> AuthorRule | None:
    values: dict[Name, dict[int, str]] = defaultdict(dict)
    for index, region in enumerate(regions):
        for name, value in _pictured(region) if attribute else _candidates(region):
            values[name].setdefault(index, value)
    best, rule = 0.0, None
    for name, found in values.items():
        if len(found) < PRESENT * len(regions) or not _are_words(set(found.values())):
            continue
        before, behind = _edges(list(found.values()))
        names = {index: _trimmed(value, before, behind, is_part=bool(name.part)) for index, value in found.items()}
        score = likelihood(regions, name, names, people)
        if score > best:
            best, rule = score, AuthorRule(name.path, name.part, before, behind, attribute)
    return rule


def _candidates(region: Region) -> Iterator[tuple[Name, str]]:
    anchor, view = region.unit.anchor, region.view
    for path, number in region.first_at.items():
        text, position = region.texts[number], region.own[number]
        is_long = text is None or len(text) > LONGEST
        if is_long and position != anchor and not region.away.isdisjoint((position, position + 1)):
            if title := _title(region, position):
                yield Name(path, ""), title
            continue
        is_around_day = anchor is not None and position <= anchor < view.ends[position]
        if position == anchor:
            text = region.line
        if not text or (is_around_day and not has_word(text)):
            continue
        if is_around_day:
            for part in ("before", "behind"):
                piece = _part(region, text, part)
                if piece and has_word(piece) and len(piece) <= LONGEST:
                    yield Name(path, part), piece
        elif len(text) <= LONGEST:
            yield Name(path, ""), text


def _pictured(region: Region) -> Iterator[tuple[Name, str]]:
    for path, number in region.first_at.items():
        text = _told(region, number, PICTURED)
        if text and has_word(text):
            yield Name(path, ""), text


def _part(region: Region, text: str, part: str) -> str:
    """What stands before or behind the date in a text."""
    if not part:
        return text
    shown = find_dates(text, region.view.reader.languages)
    if shown:
        return text[: shown[0].start] if part == "before" else text[shown[-1].end :]
    anchor = region.unit.anchor
    day = region.view.texts[anchor] if anchor is not None else None
    head, found, tail = text.partition(day) if day else ("", "", "")
    if not found:
        head, found, tail = text.partition(region.day) if region.day else ("", "", "")
    return (head if part == "before" else tail) if found else ""


def _edges(values: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words that nearly all values begin and end with."""
    words = [WORDS.findall(fold(value)) for value in values]
    return tuple(_common(words, len(values))), tuple(reversed(_common([row[::-1] for row in words], len(values))))


def _common(rows: Sequence[Sequence[str]], total: int) -> list[str]:
    found: list[str] = []
    while len(found) < MOST_EDGES and total > 1:
        level = len(found)
        heads = Counter(row[level] for row in rows if len(row) > level + 1 and list(row[:level]) == found)
        word, count = heads.most_common(1)[0] if heads else ("", 0)
        if count < EDGE * total:
            break
        found.append(word)
    return found


def _trimmed(text: str, before: Sequence[str], behind: Sequence[str], *, is_part: bool) -> str:
    """A text without the words that are around the names; what is cut out has no signs at its ends."""
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
    found = text[low:high].strip()
    return found if (low, high) == (0, len(text)) and not is_part else _without_signs(found)


def _without_signs(text: str) -> str:
    """A text without what parts it from others, and without brackets that have no other half."""
    text = text.strip(SIGNS)
    for left, right in ("()", "[]"):
        if text.count(left) != text.count(right):
            text = text.strip(left + right + SIGNS)
            text = text.rpartition(left)[0].rstrip(SIGNS) if text.rfind(left) > text.rfind(right) else text
    return text
