"""Splits a folded text into tokens, each with its possible role in a date, and computes the text's shape: one letter
per token.

The letters: n number, Y year, M month, D day, w weekday, h half of a day (am, pm), c connector word inside dates ("de",
"of"), p punctuation inside dates, t time, x anything else. Patterns of dates are regular expressions over shapes.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.dates.lexicon import HALF, JALALI_MONTH, MONTH, WEEKDAY, Name, lexicon

if TYPE_CHECKING:
    from collections.abc import Sequence

_TIME = (
    r"(?<![\d.:])(?:"
    r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?![\d:])"
    r"|\d{1,2} ?h ?\d{2}(?!\d)|\d{1,2} ?h(?![a-z])"
    r"|\d{1,2} ?[時时点點시] ?(?:\d{1,2} ?[分분]?(?: ?\d{1,2} ?[秒초])?)?"
    r"|\d{1,2}\.\d{2}(?= ?(?:uhr|am\b|pm\b|[ap]\. ?m\b|wib))"
    r"|\d{1,2}(?= ?(?:[ap]\. ?m\b|[ap]m\b|uhr))"
    r")"
)
_NUMERALS = "〇零一二三四五六七八九十元"
_MARKERS = {"年": "Y", "년": "Y", "月": "M", "월": "M", "日": "D", "号": "D", "號": "D", "일": "D"}
_KANJI = {character: value for value, character in enumerate("〇一二三四五六七八九")} | {"零": 0, "元": 1}
_INSIDE_DATES = frozenset(".,/-'|·()[]:;_~<>«»°")
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii".split()  # noqa: SIM905
_ROMAN_SIGNS = frozenset({"", ".", "/", "-"})
_MAX_SUFFIX = 3
_MAX_DIGITS = 8


class Token(NamedTuple):
    """A part of a folded text."""

    kind: str
    start: int
    end: int
    #: value of numbers, years, numeric months and days; index of the half of the day for kind h
    value: int = 0
    #: number of digits as written, 0 for words
    digits: int = 0
    #: letters attached to a number ("2nd")
    suffix: str = ""
    months: tuple[Name, ...] = ()
    weekdays: frozenset[int] = frozenset()
    era: str = ""


def tokenise(text: str, languages: frozenset[str]) -> list[Token]:
    """Split a folded text into tokens without white space. O(n)."""
    pieces = list(_pattern().finditer(text))
    tokens: list[Token] = []
    index = 0
    while index < len(pieces):
        piece = pieces[index]
        index += 1
        if piece.lastgroup == "word":
            token, index = _read_name(text, pieces, index - 1, languages)
            _append_word(tokens, token, piece[0])
        elif piece.lastgroup == "marker":
            _mark(tokens, _MARKERS.get(piece[0], "M"), piece.end())
        elif piece.lastgroup == "number":
            _append_number(tokens, text, *piece.span())
        elif piece.lastgroup == "era":
            tokens.append(Token("c", *piece.span(), era=piece[0].strip()))
        else:
            kind = "t" if piece.lastgroup == "time" else "p" if piece[0] in _INSIDE_DATES else "x"
            tokens.append(Token(kind, *piece.span()))
    _mark_roman_months(tokens, text, languages)
    return tokens


def shape(tokens: list[Token]) -> str:
    """The kinds of the tokens, one letter each."""
    return "".join(token.kind for token in tokens)


@cache
def _pattern() -> re.Pattern[str]:
    words = lexicon()
    numbered = "|".join(map(re.escape, words.numbered))
    before_times = "|".join(f"(?<={re.escape(word)} )" for word in words.before_times)
    return re.compile(
        rf"(?P<time>{_TIME}|(?<![\d.:])(?:{before_times})\d{{1,2}}\.\d{{2}}(?![\d.]))"
        rf"|(?P<number>\d+|[{_NUMERALS[:-1]}]+(?=[年月日号號])|元(?=年))"
        rf"|(?P<marker>(?:(?<=[\d{_NUMERALS}])|(?<=\d ))(?:[年월년号號]|[月日](?!曜)|일(?!요))|(?<=\d)(?:{numbered}))"
        rf"|(?P<era>(?:{'|'.join(words.eras)}) ?(?=[\d{_NUMERALS}]))"
        r"|(?P<word>[^\s\d!-/:-@\[-`{-~\u00a1-\u00bf\u2000-\u206f\u3000-\u3006\u3008-\u303f·]+)"
        r"|(?P<other>\S)"
    )


def _mark_roman_months(tokens: list[Token], text: str, languages: frozenset[str]) -> None:
    """Mark Roman numerals as months: the V of "2.V.2014", and that of "2 V 2014" in languages with this custom."""
    is_custom = not languages.isdisjoint(lexicon().roman_months)
    for index in range(1, len(tokens) - 1):
        token = tokens[index]
        if token.kind not in "xc" or text[token.start : token.end] not in _ROMAN:
            continue
        before = tokens[index - 2] if tokens[index - 1].kind == "p" and index > 1 else tokens[index - 1]
        after = tokens[index + 2] if tokens[index + 1].kind == "p" and index + 2 < len(tokens) else tokens[index + 1]
        signs = {text[before.end : token.start].strip(), text[token.end : after.start].strip()}
        alike = (len(signs) == 1 and (is_custom or signs != {""})) or signs == {"", "."}
        if before.kind == after.kind == "n" and alike and signs <= _ROMAN_SIGNS:
            tokens[index] = token._replace(kind="M", value=_ROMAN.index(text[token.start : token.end]) + 1)


def _read_name(text: str, pieces: list[re.Match[str]], place: int, languages: frozenset[str]) -> tuple[Token, int]:
    """The token of the longest name that begins at a piece, and the index after it."""
    start, end = pieces[place].span()
    names = [(text[start:end], place + 1, end)]
    following = place + 1
    for _ in range(lexicon().longest.get(names[0][0], 1) - 1):
        # punctuation inside of names: "Sept.", "c'hwevrer"
        if following < len(pieces) and pieces[following][0] in ".-'" and pieces[following].start() == end:
            following += 1
        if following == len(pieces) or pieces[following].lastgroup != "word" or pieces[following].start() > end + 2:
            break
        end = pieces[following].end()
        names.append((f"{names[-1][0]} {pieces[following][0]}", following + 1, end))
        following += 1
    for name, behind, end in reversed(names):
        token = _classify(name, languages)
        if token is not None:
            return token._replace(start=start, end=end), behind
    return Token("x", *pieces[place].span()), place + 1


@lru_cache(maxsize=1 << 12)
def _classify(key: str, languages: frozenset[str]) -> Token | None:
    """Token of a word, without position: a month, else a weekday, a half of a day, or a connector."""
    names = lexicon().meanings(key, languages)
    if not names:
        # written without a blank before the following text, as in Chinese
        names = () if key.isascii() or len(key) < 3 else lexicon().meanings(key[-2:], languages)
        halves = _of_kind(names, (HALF,), languages)
        return Token("h", 0, 0, value=halves[0].number) if halves else None
    months = _of_kind(names, (MONTH, JALALI_MONTH), languages)
    weekdays = frozenset(name.number for name in _of_kind(names, (WEEKDAY,), languages))
    if months or weekdays:
        return Token("M" if months else "w", 0, 0, months=months, weekdays=weekdays)
    halves = _of_kind(names, (HALF,), languages)
    return Token("h", 0, 0, value=halves[0].number) if halves else Token("c", 0, 0)


def _of_kind(names: Sequence[Name], kinds: Sequence[str], languages: frozenset[str]) -> tuple[Name, ...]:
    """Names of some kinds; those of the text's languages are preferred."""
    matching = tuple(name for name in names if name.kind in kinds)
    return tuple(name for name in matching if name.languages & languages) or matching


def _append_word(tokens: list[Token], token: Token, word: str) -> None:
    """Append a word token; letters attached to a number become its suffix."""
    before = tokens[-1] if tokens else None
    counted = tokens[-2] if len(tokens) > 1 and before is not None and before.kind == "p" else before
    if counted is not None and counted.kind == "n" and counted.digits == 4 and word in lexicon().years:
        token = token._replace(kind="c")
    glued = before is not None and before.kind == "n" and before.end == token.start and not before.suffix
    if before is not None and glued and len(word) <= _MAX_SUFFIX and token.kind in "cx":
        tokens[-1] = before._replace(end=token.start + len(word), suffix=word)
    else:
        tokens.append(token)


def _append_number(tokens: list[Token], text: str, start: int, end: int) -> None:
    value = _number(text[start:end]) if end - start <= _MAX_DIGITS else -1
    digits = len(str(value)) if "十" in text[start:end] else end - start
    before = tokens[-1] if tokens else None
    if before is not None and before.kind in "cx" and text[before.start : before.end] in lexicon().month_markers:
        # "th5" is a Vietnamese month, "Th 5" may be a Thursday.
        near = start - before.end <= (1 if before.end - before.start > 2 else 0)
        if near and digits <= 2 and 1 <= value <= 12:
            tokens[-1] = Token("M", before.start, end, value=value, digits=digits)
            return
    tokens.append(Token("n", start, end, value=value, digits=digits))


def _mark(tokens: list[Token], kind: str, end: int) -> None:
    """Make the number before a marker a year, month or day."""
    before = tokens[-1] if tokens else None
    if before is None or before.kind != "n":
        return
    era = tokens[-2].era if kind == "Y" and len(tokens) > 1 else ""
    value = before.value + lexicon().eras[era] if era else before.value
    tokens[-1] = Token(kind, before.start, end, value=value, digits=4 if era else before.digits)


def _number(text: str) -> int:
    """The value of Arabic or Chinese digits; -1 if they form no number."""
    if text.isdecimal():
        return int(text)
    if "十" not in text:
        return int("".join(str(_KANJI[character]) for character in text))
    tens, _, ones = text.partition("十")
    if len(tens) > 1 or len(ones) > 1 or ones == "十":
        return -1
    return 10 * (_KANJI[tens] if tens else 1) + (_KANJI[ones] if ones else 0)
