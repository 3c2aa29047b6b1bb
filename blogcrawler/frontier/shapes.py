"""Shapes of URLs: the parts of a permalink pattern, and the least general pattern of texts at the same position.

A `Shape` says for each path segment and parameter of an `Address` which texts are allowed, as a sequence of tokens: a
literal, a run of digits, words, a language code. Its regular expression takes time linear in the URL. Digits are
generalised first, since the newest posts share their year and have similar ids. Words that are equal in all texts stay
literal. The rest becomes words, apart from a date or number that all texts begin or end with.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: extensions that servers use for pages
PAGE_EXTENSIONS = frozenset({
    "asp", "aspx", "cfm", "cgi", "do", "htm", "html", "jsp", "jspx", "php", "php3", "php4", "php5", "phtml", "pl",
    "shtml", "xhtml", "xml",
})  # fmt: skip
_LANGUAGE = "[a-z]{2}(?:[-_][A-Za-z]{2,4})?"
_ANYTHING = {"segment": "[^/?]+", "value": "[^&]*"}
_NO_WORDS = r"(?!(?:index[0-9]*|[0-9]{{1,{}}})[/?])"
#: number of examples that shows that a number before or behind the words is no accident
ENOUGH = 5
_DATED = re.compile(r"([0-9]{4})([-_.])([0-9]{1,2})\2([0-9]{1,2})([-_.])(.+)|((?:19|20)[0-9]{6})([-_.])(.+)")
_NUMBERED = re.compile(r"([0-9]+)([-_.,])(.+)")
_ENDING = re.compile(r".+([-_.,])[0-9]{3,}")
_NAMED = re.compile(r"([A-Za-z]+[-_.]?)([0-9]+)")
_SUFFIX = re.compile(r".+(\.[A-Za-z][A-Za-z0-9]{0,7})")
_LONG_NUMBER = re.compile(r"([0-9]{4,})")


class Address(NamedTuple):
    """A URL as patterns see it: by its identity, so without scheme, "www.", noise, index.html and trailing slash."""

    site: str
    #: the last segment is without its extension
    segments: tuple[str, ...]
    #: in lower case, one of PAGE_EXTENSIONS; empty if there is none
    extension: str
    names: tuple[str, ...]
    values: tuple[str, ...]

    @classmethod
    def of(cls, url: str) -> Self:
        """Parse a URL. Raises BadArgument if it is no http(s) URL."""
        address, _, query = identity(url).partition("?")
        site, _, path = address.partition("/")
        if query and "=" not in query:  # a query that is a path: index.php?post/2014/05/words
            path, query = f"{path}{'' if path[-1:] in ('', '/') else '/'}&/{query.lstrip('/')}", ""
        *folders, last = path.rstrip("/").split("/")
        stem, _, extension = last.rpartition(".")
        if not stem or extension.lower() not in PAGE_EXTENSIONS:
            stem, extension = last, ""
        segments = (*folders, stem) if path.rstrip("/") else ()
        pairs = [pair.partition("=") for pair in query.split("&")] if query else []
        names = tuple(name for name, _, _ in pairs)
        return cls(site, segments, extension.lower(), names, tuple(value for _, _, value in pairs))

    @property
    def key(self) -> tuple[str, int, str, tuple[str, ...]]:
        """The parts that a shape must share with the address before texts are compared."""
        return self.site, len(self.segments), self.extension, self.names

    @property
    def text(self) -> str:
        """Path and parameter values in the form that a shape's expression matches."""
        return "/".join(self.segments) + "?" + "&".join(self.values)

    def __str__(self) -> str:
        extension = f".{self.extension}" if self.extension else ""
        pairs = "&".join(f"{name}={value}" for name, value in zip(self.names, self.values, strict=True))
        return f"{self.site}/{'/'.join(self.segments)}{extension}?{pairs}"


@dataclass(frozen=True)
class Token:
    """One piece of a segment or value."""

    kind: Literal["literal", "digits", "words", "anything", "language"]
    #: the text of a literal
    text: str = ""
    #: least and most digits, where `most` 0 is no bound; words do not match bare numbers of up to `most` digits
    least: int = 1
    most: int = 0

    def expression(self, place: Literal["segment", "value"]) -> str:
        """The regular expression of this token.

        Words are any text except a short number and "index" with a number, which are lists (/page/2, /2014/05,
        index2.html).
        """
        if self.kind == "literal":
            return re.escape(self.text)
        if self.kind == "digits":
            return f"[0-9]{{{self.least},{self.most or ''}}}"
        if self.kind == "language":
            return _LANGUAGE
        return (_NO_WORDS.format(self.most) if self.kind == "words" else "") + _ANYTHING[place]

    def __str__(self) -> str:
        if self.kind == "literal":
            return self.text
        if self.kind == "digits":
            bounds = {(1, 0): "+", (self.least, self.least): f"{{{self.least}}}"}
            return "\\d" + bounds.get((self.least, self.most), f"{{{self.least},{self.most or ''}}}")
        return "[language]" if self.kind == "language" else "*"


Tokens = tuple[Token, ...]
"""The pieces of one segment or one parameter's value."""

_ANY_TEXT = Token("anything")
_ANY_WORDS = Token("words", most=4)
#: below a date, a number that is too long for a month or day may name a post
_WORDS_BELOW_DATE = Token("words", most=2)


@dataclass(frozen=True)
class Shape:
    """One pattern of permalinks: site, extension and parameter names are fixed, segments and values vary."""

    site: str
    segments: tuple[Tokens, ...]
    extension: str = ""
    names: tuple[str, ...] = ()
    values: tuple[Tokens, ...] = ()
    #: (position, text) of folders below which only non-posts are known
    barred: frozenset[tuple[int, str]] = frozenset()

    @property
    def key(self) -> tuple[str, int, str, tuple[str, ...]]:
        """The parts that an address must share with the shape before texts are compared."""
        return self.site, len(self.segments), self.extension, self.names

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """The compiled pattern of `Address.text`."""
        path = "/".join("".join(token.expression("segment") for token in tokens) for tokens in self.segments)
        values = "&".join("".join(token.expression("value") for token in tokens) for tokens in self.values)
        return re.compile(rf"{path}\?{values}")

    def matches(self, address: Address) -> bool:
        """True for an address of this shape, if their keys are equal."""
        if self.barred and any((position, text) in self.barred for position, text in enumerate(address.segments)):
            return False
        return self.expression.fullmatch(address.text) is not None

    def is_open(self, position: int) -> bool:
        """True if this segment may hold any words."""
        return any(token.kind in ("words", "anything") for token in self.segments[position])

    def __str__(self) -> str:
        path = "/".join("".join(map(str, tokens)) for tokens in self.segments)
        extension = f".{self.extension}" if self.extension else ""
        pairs = (f"{name}={''.join(map(str, value))}" for name, value in zip(self.names, self.values, strict=True))
        return f"{self.site}/{path}{extension}" + (f"?{'&'.join(pairs)}" if self.names else "")


def kind_of(text: str) -> str:
    """The kind of a segment: "digits", "dated" with the separators of the date in front, or "words"."""
    if text.isascii() and text.isdigit():
        return "digits"
    dated = _DATED.fullmatch(text)
    if dated:
        return f"dated{dated[2] or ''}{dated[5] or dated[8]}"
    return "words"


def is_language(text: str) -> bool:
    """True for a language's code: de, pt-BR."""
    return re.fullmatch(_LANGUAGE, text) is not None


def generalise_segment(texts: Sequence[str], *, may_be_literal: bool = True) -> Tokens:
    """The pattern of a segment that is not the last: a folder, a part of a date, a category. Equal words stay literal
    if `may_be_literal`, that is, if the examples show that they are constant."""
    if kind_of(texts[0]) == "digits":
        return (_date_part(texts),)
    if kind_of(texts[0]).startswith("dated"):
        return _dated(texts)
    if len(set(texts)) == 1 and (may_be_literal or not texts[0]):
        return _constant(texts[0])
    if all(map(is_language, texts)):
        return (Token("language"),)
    return _named(texts) or (_ANY_WORDS,)


def generalise_last(texts: Sequence[str], *, below_date: bool = False) -> Tokens:
    """The pattern of the last segment, which distinguishes posts unless a parameter or a number above it does."""
    if kind_of(texts[0]) == "digits":
        return (_number(texts),)
    if kind_of(texts[0]).startswith("dated"):
        return _dated(texts)
    if below_date:
        return (_WORDS_BELOW_DATE,)
    return _named(texts) or _numbered(texts) or _ending(texts) or (_ANY_WORDS,)


def generalise_value(texts: Sequence[str]) -> Tokens:
    """The pattern of a parameter's value."""
    if all(kind_of(text) == "digits" for text in texts):
        return (Token("digits"),)
    return _constant(texts[0]) if len(set(texts)) == 1 else (_ANY_TEXT,)


def _constant(text: str) -> Tokens:
    """The text as a literal, except for long numbers in it: news2023 will be news2024."""
    pieces = (piece for piece in _LONG_NUMBER.split(text) if piece)
    return tuple(Token("digits") if _LONG_NUMBER.fullmatch(piece) else Token("literal", text=piece) for piece in pieces)


def _date_part(texts: Sequence[str]) -> Token:
    """A year, month or day if all texts may be one; otherwise a number."""
    if all(len(text) == 4 and 1970 <= int(text) <= 2100 for text in texts):
        return Token("digits", least=4, most=4)
    if all(len(text) <= 2 and int(text) <= 31 for text in texts):
        padded = all(len(text) == 2 for text in texts) and any(text[0] == "0" for text in texts)
        return Token("digits", least=2 if padded else 1, most=2)
    return _number(texts)


def _number(texts: Sequence[str]) -> Token:
    """The token for a number. Padded numbers and dates without separators keep their length; ids may grow."""
    lengths = {len(text) for text in texts}
    if len(lengths) == 1:
        length = lengths.pop()
        is_date = length == 8 and all(re.fullmatch(r"(?:19|20)[0-9]{2}[01][0-9][0-3][0-9]", text) for text in texts)
        if is_date or (length > 1 and any(text[0] == "0" for text in texts)):
            return Token("digits", least=length, most=length)
    return Token("digits")


def _dated(texts: Sequence[str]) -> Tokens:
    """The tokens for a date and words, if all texts have the same kind of date."""
    matches = [match for match in map(_DATED.fullmatch, texts) if match]
    first = matches[0]
    if first[7]:
        return Token("digits", least=8, most=8), Token("literal", text=first[8]), _ANY_TEXT
    separator = Token("literal", text=first[2])
    month, day = (_date_part([match[group] for match in matches]) for group in (3, 4))
    year = Token("digits", least=4, most=4)
    return year, separator, month, separator, day, Token("literal", text=first[5]), _ANY_TEXT


def _shared(
    match_of: Callable[[str], re.Match[str] | None], texts: Sequence[str], part: int
) -> tuple[str, list[re.Match[str]]]:
    """The part of a match that is equal in all texts, if they are enough, and the matches; "" and [] otherwise."""
    matches = [match for match in map(match_of, texts) if match]
    parts = {match[part] for match in matches}
    is_shared = ENOUGH <= len(texts) == len(matches) and len(parts) == 1
    return (parts.pop(), matches) if is_shared else ("", [])


def _named(texts: Sequence[str]) -> Tokens | None:
    """The tokens for a word and a number, such as post-12, if enough examples have the same word."""
    name, matches = _shared(_NAMED.fullmatch, texts, 1)
    return (Token("literal", text=name), _number([match[2] for match in matches])) if matches else None


def _numbered(texts: Sequence[str]) -> Tokens | None:
    """The tokens for words after a number, such as 12-words, if enough examples have a number."""
    separator, matches = _shared(_NUMBERED.fullmatch, texts, 2)
    if not matches:
        return None
    return _number([match[1] for match in matches]), Token("literal", text=separator), _ANY_TEXT


def _ending(texts: Sequence[str]) -> Tokens | None:
    """The tokens for words with an ending, such as words-123 or words.story, if enough examples share it."""
    suffix, matches = _shared(_SUFFIX.fullmatch, texts, 1)
    if matches:
        return _ANY_WORDS, Token("literal", text=suffix)
    separator, matches = _shared(_ENDING.fullmatch, texts, 1)
    return (_ANY_WORDS, Token("literal", text=separator), Token("digits", least=3)) if matches else None
