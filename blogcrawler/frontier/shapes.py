"""Shapes of URLs: the parts of a permalink pattern.

A `Shape` says of each path segment and parameter of an `Address` which texts may be there, as a sequence of tokens: a
literal, a run of digits, words, a language code. Its regular expression takes time linear in the URL.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, Self

from blogcrawler.urls import identity

#: extensions that servers give to pages
PAGE_EXTENSIONS = frozenset({
    "asp", "aspx", "cfm", "cgi", "do", "htm", "html", "jsp", "jspx", "php", "php3", "php4", "php5", "phtml", "pl",
    "shtml", "xhtml", "xml",
})  # fmt: skip

_LANGUAGE = "[a-z]{2}(?:[-_][A-Za-z]{2,4})?"
_ANYTHING = {"segment": "[^/?]+", "value": "[^&]*"}
_NO_WORDS = r"(?!(?:index[0-9]*|[0-9]{{1,{}}})[/?])"


class Address(NamedTuple):
    """A URL as patterns see it: by its identity, so without scheme, "www.", noise, index.html and trailing slash."""

    site: str
    #: the last one without its extension
    segments: tuple[str, ...]
    #: lower-case, one of PAGE_EXTENSIONS; "" where there is none
    extension: str
    names: tuple[str, ...]
    values: tuple[str, ...]

    @classmethod
    def of(cls, url: str) -> Self:
        """Take a URL apart. Raises BadArgument for what is no http(s) URL."""
        address, _, query = identity(url).partition("?")
        site, _, path = address.partition("/")
        if query and "=" not in query:  # a path in disguise: index.php?post/2014/05/words
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
        """Path and values in the form that a shape's expression is matched against."""
        return "/".join(self.segments) + "?" + "&".join(self.values)

    def __str__(self) -> str:
        extension = f".{self.extension}" if self.extension else ""
        pairs = "&".join(f"{name}={value}" for name, value in zip(self.names, self.values, strict=True))
        return f"{self.site}/{'/'.join(self.segments)}{extension}?{pairs}"


@dataclass(frozen=True)
class Token:
    """One piece of a segment or value."""

    kind: Literal["literal", "digits", "words", "anything", "language"]
    #: of a literal
    text: str = ""
    #: bounds on the number of digits, `most` 0 is no bound; of words: bare numbers of up to `most` digits are none
    least: int = 1
    most: int = 0

    def expression(self, place: Literal["segment", "value"]) -> str:
        """The regular expression of this token.

        Words are anything but a short number and "index" with a number, which are lists (/page/2, /2014/05,
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


@dataclass(frozen=True)
class Shape:
    """One pattern of permalinks: the site, extension and parameter names are fixed, segments and values vary."""

    site: str
    segments: tuple[Tokens, ...]
    extension: str = ""
    names: tuple[str, ...] = ()
    values: tuple[Tokens, ...] = ()
    #: (position, text): folders below which only pages that are no posts are known
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
        """True for an address of the shape, among those whose key is that of the shape."""
        if self.barred and any((position, text) in self.barred for position, text in enumerate(address.segments)):
            return False
        return self.expression.fullmatch(address.text) is not None

    def is_open(self, position: int) -> bool:
        """True if this segment may be any words."""
        return any(token.kind in ("words", "anything") for token in self.segments[position])

    def __str__(self) -> str:
        path = "/".join("".join(map(str, tokens)) for tokens in self.segments)
        extension = f".{self.extension}" if self.extension else ""
        pairs = (f"{name}={''.join(map(str, value))}" for name, value in zip(self.names, self.values, strict=True))
        return f"{self.site}/{path}{extension}" + (f"?{'&'.join(pairs)}" if self.names else "")
