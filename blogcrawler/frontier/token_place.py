"""Sessions in the addresses of all links: a token that is another one for each client, crawl or even page.

It shows by its form, by being at one place of nearly all links of a page, the same in all of them, and by being another
one when the page is fetched again. Permalinks differ within a page; a folder with such a name stays the same.
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
"""Share of a page's links that carry its token."""
FEWEST = 4
"""Links of the site on a page, below which they tell nothing."""
DEEPEST = 4
"""Folders, the last of which may be a token."""
LEAST, MOST = 8, 200
"""Characters of a token: letters and digits at least, of all kinds at most …"""
DISTINCT = 5
"""… how many different ones …"""
CHANGES, CHANGES_OF_LETTERS = 4, 6
"""… and how often digits, small and capital letters take turns in it, and the letters where there is no digit …"""
CHANGES_IN_ROW = 2
"""… or digits and letters, where nothing stands between them: words have a number in front or behind."""
SPREAD = 4
"""Characters by which tokens may be longer or shorter than those that were seen."""
_RUN = re.compile(r"[0-9A-Za-z]+")
_CORE = re.compile(r"[0-9A-Za-z_-]+")
_ALPHABETS = ("0-9a-f", "0-9A-F", "0-9a-z", "0-9A-Z", "0-9A-Za-z_-", "0-9A-Za-z_.~%=+-")
_SEPARATOR = rb"(?:&amp;|&#0?38;|\\u0026|&)"


class Carried(NamedTuple):
    """The text that nearly all links of a page carry at one place."""

    #: in lower case, with a port that is not the scheme's own, without "www."
    host: str
    #: the path before it
    above: str
    #: the parameter's name; empty where it is a folder
    name: str
    #: the whole folder, or the parameter's value
    text: str


def is_token(text: str) -> bool:
    """True if a text has the form of a token: letters and digits that alternate without sense. O(n)."""
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
    """The texts that nearly all of a page's links carry at the same place: a token, or a folder of the site. O(n).

    `urls` are absolute, as the page writes them; those of other hosts than that of the URL `site` do not count.
    """
    host = _host(site)
    own = [url for url in dict.fromkeys(urls) if _host(url) == host]
    if len(own) < FEWEST:
        return []
    found: Counter[Carried] = Counter()
    for url in own:
        path, parameters = _path(url), _parameters(url)
        folders = path.split("/")[1 : DEEPEST + 1]
        found.update(Carried(host, _joined(folders[:at]), "", text) for at, text in enumerate(folders) if text)
        found.update(Carried(host, "", name, value) for name, value in parameters if value)
    return [one for one, count in found.items() if count >= SHARE * len(own)]


@dataclass(frozen=True)
class SessionPlace:
    """Where the addresses of a site carry a token."""

    #: as in `Carried`
    host: str
    above: str
    name: str
    #: what stands before and behind the token in its folder
    prefix: str
    suffix: str
    #: its characters, as in a regular expression, and how many
    alphabet: str
    least: int
    most: int
    #: whether the folder before it belongs to it, as "sid" may
    has_label: bool = False

    @classmethod
    def of(cls, one: Carried, other: Carried | None = None) -> Self | None:
        """The place of what two fetches of a page, or one, carry; None where these are different places."""
        other = one if other is None else other
        if one[:3] != other[:3]:
            return None
        prefix, suffix = _common(one.text, other.text) if one != other else _around(one.text)
        cores = [text[len(prefix) : len(text) - len(suffix)] for text in (one.text, other.text)]
        alphabet = next((known for known in _ALPHABETS if all(re.fullmatch(f"[{known}]+", it) for it in cores)), None)
        lengths = [len(core) for core in cores]
        if alphabet is None or max(lengths) > MOST:
            return None
        least, most = max(LEAST, min(lengths) - SPREAD), max(lengths) + SPREAD
        return cls(one.host, one.above, one.name, prefix, suffix, alphabet, least, most)

    def token_of(self, url: str) -> str | None:
        """The text at the place in an absolute URL, if it has the form of a token."""
        text = self._text_at(url)
        found = None if text is None else self._form.fullmatch(text)
        return found[1] if found else None

    def without(self, url: str) -> str:
        """An absolute URL without its token."""
        return url if self.token_of(url) is None else self._replaced(url, "")

    def with_token(self, url: str, token: str) -> str:
        """An absolute URL of the site with this token, in place of its own or where it has none."""
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
        """The URL with another token, or with none."""
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
        """What an address without a token begins with."""
        return self.above.rpartition("/")[0] if self.has_label else self.above

    @cached_property
    def _form(self) -> re.Pattern[str]:
        core = f"([{self.alphabet}]{{{self.least},{self.most}}})"
        return re.compile(f"{re.escape(self.prefix)}{core}{re.escape(self.suffix)}")

    def tokens_in(self, body: bytes) -> list[str]:
        """The tokens in a document's addresses, the most frequent first. O(n).

        Where nothing but its form tells a token, most addresses must carry the same one: permalinks may look alike."""
        texts = [text.decode("latin-1") for text in self._addresses.findall(body)]
        found = Counter(match[1] for match in map(self._form.fullmatch, texts) if match)
        is_named = bool(self.prefix or self.suffix or self.name or self.has_label)
        return [
            token
            for token, count in found.most_common()
            if (is_named or 2 * count > found.total()) and (is_token(token) or count >= FEWEST)
        ]

    def cleaned(self, body: bytes, tokens: Sequence[str], instead: str = "") -> bytes:
        """A document with another token, or with none, in the place of these. O(n)."""
        known = {token.encode() for token in tokens}
        spelled = self._spelled(instead).encode()

        def replaced(found: re.Match[bytes]) -> bytes:
            """What stands in a document before and behind a token is kept as far as it is needed without."""
            if found["token"] not in known:
                return found[0]
            before, label, behind = found["before"], found["label"] or b"", found["behind"] or b""
            if instead:
                return before + label + spelled + behind
            if self.name:
                return before if before == b"?" and behind else behind
            return behind or before

        return self._in_documents.sub(replaced, body) if known else body

    @cached_property
    def _in_documents(self) -> re.Pattern[bytes]:
        """A token with what joins it to the rest of an address."""
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
        """What stands at the place in each address of the site."""
        if self.name:
            return re.compile(rb"[?&;]" + re.escape(self.name.encode()) + rb"=([^&\"'<>\s#\\]*)")
        origin = rb"(?:https?:)?(?:\\?/){2}(?:www\.)?" + re.escape(self.host.encode())
        above = _slashed(f"{self.above}/".encode())
        return re.compile(rb"(?:" + origin + rb"|(?<=[\"'=>\s(;]))" + above + rb"([^/\\\"'<>\s?#&]+)")


def _slashed(path: bytes) -> bytes:
    """The expression of a path, also as JSON may write it."""
    return rb"\\?/".join(map(re.escape, path.split(b"/")))


def _common(one: str, other: str) -> tuple[str, str]:
    """What two texts begin and end with alike, up to a character that is none of a token."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    prefix = re.sub(r"(?<![0-9A-Za-z])[0-9A-Za-z]++$", "", "".join(pair[0] for pair in same))
    left = one[len(prefix) :], other[len(prefix) :]
    same = takewhile(lambda pair: pair[0] == pair[1], zip(*map(reversed, left), strict=False))
    return prefix, re.sub(r"^[0-9A-Za-z]*", "", "".join(pair[0] for pair in same)[::-1])


def _around(text: str) -> tuple[str, str]:
    """What stands around the longest run of what tokens are made of."""
    core = max(_CORE.finditer(text), key=lambda found: len(found[0]))
    return text[: core.start()], text[core.end() :]


def _joined(folders: Sequence[str]) -> str:
    return "".join(f"/{folder}" for folder in folders)


def _split(url: str) -> tuple[str, str]:
    """Scheme and host, and all behind them."""
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host}", slash + path or "/"


def _path(url: str) -> str:
    return re.split("[?#]", _split(url)[1], maxsplit=1)[0]


def _host(url: str) -> str:
    return _split(url)[0].partition("://")[2].lower().removeprefix("www.")


def _parameters(url: str) -> list[tuple[str, str]]:
    """The parameters of a URL, but for those that its canonical form has not."""
    if "?" not in url:
        return []
    try:
        query = canonicalise(url).partition("?")[2]
    except BadArgument:
        return []
    return [(name, value) for name, _, value in (part.partition("=") for part in query.split("&"))]
