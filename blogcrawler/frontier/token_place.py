"""Session tokens in the addresses of links: texts that change with each client, crawl or even page.

A token is recognised by its form, by its presence at one place of nearly all links of a page, with the same value in
all of them, and by another value when the page is fetched again. Permalinks differ within a page; a folder with such a
name stays the same.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, NamedTuple, Self

from blogcrawler.errors import BadArgument
from blogcrawler.urls import canonicalise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

SHARE = 0.8
"""Share of a page's links that must carry its token."""
FEWEST = 4
"""Number of internal links of a page below which they prove nothing."""
DEEPEST = 4
"""Number of leading folders that may hold a token."""
LEAST, MOST = 8, 200
"""Minimum number of letters and digits of a token, and maximum length, …"""
DISTINCT = 5
"""… minimum number of different characters, …"""
CHANGES, CHANGES_OF_LETTERS = 4, 6
"""… and minimum number of changes between digits, small and capital letters; more are needed if there is no digit …"""
CHANGES_IN_ROW = 2
"""… or minimum number of changes between digits and letters in one run: words have at most a number in front
or behind."""
SPREAD = 4
"""Number of characters by which tokens may be longer or shorter than those that were seen."""
_RUN = re.compile(r"[0-9A-Za-z]+")
_CORE = re.compile(r"[0-9A-Za-z_-]+")
_ALPHABETS = ("0-9a-f", "0-9A-F", "0-9a-z", "0-9A-Z", "0-9A-Za-z_-", "0-9A-Za-z_.~%=+-")
_SEPARATOR = rb"(?:&amp;|&#0?38;|\\u0026|&)"


class Carried(NamedTuple):
    """A text that nearly all links of a page carry at one place."""

    #: in lower case, without "www.", with a port unless it is the scheme's default
    host: str
    #: the path before the text
    above: str
    #: the name of the parameter; empty if the text is a folder
    name: str
    #: the whole folder, or the parameter's value
    text: str


def is_token(text: str) -> bool:
    """True if a text has the form of a token: letters and digits that alternate irregularly. O(n)."""
    runs = _RUN.findall(text)
    characters = "".join(runs)
    if len(characters) < LEAST or len(set(characters)) < DISTINCT:
        return False
    least = CHANGES_OF_LETTERS if characters.isalpha() else CHANGES
    return sum(_changes(run, _kind) for run in runs) >= least or any(
        len(run) >= LEAST and _changes(run, str.isdigit) >= CHANGES_IN_ROW for run in runs
    )


def _changes(run: str, kind: Callable[[str], object]) -> int:
    return sum(1 for _ in groupby(run, kind)) - 1


def _kind(character: str) -> str:
    return "0" if character.isdigit() else "A" if character.isupper() else "a"


def carried_by_all(urls: Iterable[str], site: str) -> list[Carried]:
    """The texts that nearly all links of a page carry at one place: a token, or a folder of the site. O(n).

    `urls` are absolute and spelled as on the page; URLs on other hosts than that of `site` are ignored.
    """
    host = _host(site)
    own = [url for url in dict.fromkeys(urls) if _host(url) == host]
    if len(own) < FEWEST:
        return []
    counts: Counter[Carried] = Counter()
    for url in own:
        path, parameters = _path(url), _parameters(url)
        folders = path.split("/")[1 : DEEPEST + 1]
        counts.update(Carried(host, _joined(folders[:at]), "", text) for at, text in enumerate(folders) if text)
        counts.update(Carried(host, "", name, value) for name, value in parameters if value)
    return [carried for carried, count in counts.items() if count >= SHARE * len(own)]


@dataclass(frozen=True)
class SessionPlace:
    """The place at which the addresses of a site carry a token."""

    #: as in `Carried`
    host: str
    above: str
    name: str
    #: the texts before and behind the token in its folder
    prefix: str
    suffix: str
    #: its characters, as a class of a regular expression, and its length
    alphabet: str
    least: int
    most: int
    #: whether the folder before it belongs to it, like "sid"
    has_label: bool = False

    @classmethod
    def of(cls, carried: Carried, carried_again: Carried | None = None) -> Self | None:
        """The place of a text that one or two fetches of a page carry; None if the two places differ."""
        carried_again = carried if carried_again is None else carried_again
        if carried[:3] != carried_again[:3]:
            return None
        prefix, suffix = (
            _common(carried.text, carried_again.text) if carried != carried_again else _around(carried.text)
        )
        cores = [text[len(prefix) : len(text) - len(suffix)] for text in (carried.text, carried_again.text)]
        alphabet = next((known for known in _ALPHABETS if all(re.fullmatch(f"[{known}]+", it) for it in cores)), None)
        lengths = [len(core) for core in cores]
        if alphabet is None or max(lengths) > MOST:
            return None
        least, most = max(LEAST, min(lengths) - SPREAD), max(lengths) + SPREAD
        return cls(carried.host, carried.above, carried.name, prefix, suffix, alphabet, least, most)

    def token_of(self, url: str) -> str | None:
        """The text at the place in an absolute URL, if it has the form of a token."""
        text = self._text_at(url)
        match = None if text is None else self._form.fullmatch(text)
        return match[1] if match else None

    def without(self, url: str) -> str:
        """An absolute URL without its token."""
        return url if self.token_of(url) is None else self._replaced(url, "")

    def with_token(self, url: str, token: str) -> str:
        """An absolute URL of the site with this token, which replaces a token that the URL has."""
        if _host(url) != self.host:
            return url
        if self.token_of(url) is not None:
            return self._replaced(url, token)
        if self.name:
            return f"{url}{'&' if '?' in url else '?'}{self.name}={self._spelled(token)}"
        origin, path = _split(url)
        base = self._base
        if path != base and not path.startswith((f"{base}/", f"{base}?")):
            return url
        rest = path[len(base) :]
        return f"{origin}{self.above}/{self._spelled(token)}{rest if rest.startswith('/') else f'/{rest}'}"

    def _text_at(self, url: str) -> str | None:
        if _host(url) != self.host:
            return None
        if self.name:
            return dict(_parameters(url)).get(self.name)
        path = _path(url)
        return path[len(self.above) + 1 :].partition("/")[0] if path.startswith(f"{self.above}/") else None

    def _replaced(self, url: str, token: str) -> str:
        """The URL with another token, or without a token."""
        if self.name:
            address, _, query = url.partition("?")
            query, hash_, fragment = query.partition("#")
            parts = [part for part in query.split("&") if part.partition("=")[0] != self.name]
            parts += [f"{self.name}={self._spelled(token)}"] if token else []
            return address + (f"?{'&'.join(parts)}" if parts else "") + hash_ + fragment
        origin, path = _split(url)
        rest = path[len(self.above) + 1 + len(self._text_at(url) or "") :]
        if token:
            return f"{origin}{self.above}/{self._spelled(token)}{rest}"
        return f"{origin}{self._base}{rest if rest.startswith('/') else f'/{rest}'}"

    def _spelled(self, token: str) -> str:
        return f"{self.prefix}{token}{self.suffix}"

    @property
    def _base(self) -> str:
        """The path that an address without a token begins with."""
        return self.above.rpartition("/")[0] if self.has_label else self.above

    @cached_property
    def _form(self) -> re.Pattern[str]:
        core = f"([{self.alphabet}]{{{self.least},{self.most}}})"
        return re.compile(f"{re.escape(self.prefix)}{core}{re.escape(self.suffix)}")

    def tokens_in(self, body: bytes) -> list[str]:
        """The tokens in a document's addresses, the most frequent first. O(n).

        If only its form identifies a token, most addresses must carry the same one, since permalinks may look alike.
        """
        texts = [text.decode("latin-1") for text in self._addresses.findall(body)]
        counts = Counter(match[1] for match in map(self._form.fullmatch, texts) if match)
        is_named = bool(self.prefix or self.suffix or self.name or self.has_label)
        return [
            token
            for token, count in counts.most_common()
            if (is_named or 2 * count > counts.total()) and (is_token(token) or count >= FEWEST)
        ]

    def cleaned(self, body: bytes, tokens: Sequence[str], instead: str = "") -> bytes:
        """The document with these tokens replaced by `instead`, or removed. O(n)."""
        known = {token.encode() for token in tokens}
        spelled = self._spelled(instead).encode()

        def replaced(match: re.Match[bytes]) -> bytes:
            """Keep the separators around a removed token that the address still needs."""
            if match["token"] not in known:
                return match[0]
            before, label, behind = match["before"], match["label"] or b"", match["behind"] or b""
            if instead:
                return before + label + spelled + behind
            if self.name:
                return before if before == b"?" and behind else behind
            return behind or before

        return self._in_documents.sub(replaced, body) if known else body

    @cached_property
    def _in_documents(self) -> re.Pattern[bytes]:
        """A token with the separators that join it to its address."""
        core = f"(?P<token>[{self.alphabet}]{{{self.least},{self.most}}})".encode()
        text = re.escape(self.prefix.encode()) + core + re.escape(self.suffix.encode()) + rb"(?![0-9A-Za-z_.~%-])"
        if self.name:
            name = b"(?P<label>" + re.escape(self.name.encode()) + b"=)"
            return re.compile(
                rb"(?P<before>\?|" + _SEPARATOR + b")" + name + text + b"(?P<behind>" + _SEPARATOR + b")?"
            )
        label = _slashed(self.above.rpartition("/")[2].encode() + b"/") if self.has_label else b""
        return re.compile(rb"(?P<before>\\?/)(?P<label>" + label + b")" + text + rb"(?P<behind>\\?/)?")

    @cached_property
    def _addresses(self) -> re.Pattern[bytes]:
        """Matches the text at this place in each address of the site."""
        if self.name:
            return re.compile(rb"[?&;]" + re.escape(self.name.encode()) + rb"=([^&\"'<>\s#\\]*)")
        origin = rb"(?:https?:)?(?:\\?/){2}(?:www\.)?" + re.escape(self.host.encode())
        above = _slashed(f"{self.above}/".encode())
        return re.compile(rb"(?:" + origin + rb"|(?<=[\"'=>\s(;]))" + above + rb"([^/\\\"'<>\s?#&]+)")


def _slashed(path: bytes) -> bytes:
    """The regular expression of a path, also with slashes escaped as in JSON."""
    return rb"\\?/".join(map(re.escape, path.split(b"/")))


def _common(first: str, second: str) -> tuple[str, str]:
    """The common start and end of two texts, each cut back to a character that cannot be part of a token."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
    prefix = re.sub(r"(?<![0-9A-Za-z])[0-9A-Za-z]++$", "", "".join(pair[0] for pair in same))
    left = first[len(prefix) :], second[len(prefix) :]
    same = takewhile(lambda pair: pair[0] == pair[1], zip(*map(reversed, left), strict=False))
    return prefix, re.sub(r"^[0-9A-Za-z]*", "", "".join(pair[0] for pair in same)[::-1])


def _around(text: str) -> tuple[str, str]:
    """The texts before and behind the longest run of characters that tokens are made of."""
    core = max(_CORE.finditer(text), key=lambda match: len(match[0]))
    return text[: core.start()], text[core.end() :]


def _joined(folders: Sequence[str]) -> str:
    return "".join(f"/{folder}" for folder in folders)


def _split(url: str) -> tuple[str, str]:
    """Scheme and host, and the rest of a URL."""
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host}", slash + path or "/"


def _path(url: str) -> str:
    return re.split("[?#]", _split(url)[1], maxsplit=1)[0]


def _host(url: str) -> str:
    return _split(url)[0].partition("://")[2].lower().removeprefix("www.")


def _parameters(url: str) -> list[tuple[str, str]]:
    """The parameters of a URL that its canonical form keeps."""
    if "?" not in url:
        return []
    try:
        query = canonicalise(url).partition("?")[2]
    except BadArgument:
        return []
    return [(name, value) for name, _, value in (part.partition("=") for part in query.split("&"))]
