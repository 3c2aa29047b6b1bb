"""How a site spells its own addresses, learned from its redirects.

Old links may name http where the site has long been https, leave out "www.", or lack the slash that the server adds:
each costs a request. Where redirects have shown what the server turns into what, the address is asked for as the server
wants it.
"""

from __future__ import annotations

from collections import Counter
from urllib.parse import urlsplit, urlunsplit

__all__ = ["Spelling"]

FILE = "file"
"""In place of the slash, of an address that may end in a file's name."""
ENOUGH = 3
"""Redirects alike that show a habit, where no page was found at an address of the other spelling."""


class Spelling:
    """Counts what redirects change of an address: its scheme, its host, the slash at its end."""

    def __init__(self) -> None:
        self._turned: Counter[tuple[str, str, str]] = Counter()
        self._kept: Counter[tuple[str, str]] = Counter()

    def note_redirect(self, source: str, target: str) -> None:
        """`source` led to `target`; counts where both are one page but for the spelling."""
        before, after = _traits(source), _traits(target)
        if _rest(source) == _rest(target):
            turned = ((name, before[name], after[name]) for name in before if before[name] != after[name])
            self._turned.update(one for one in turned if FILE not in one)

    def note_page(self, url: str) -> None:
        """A page was found at an address, or something spoke against asking elsewhere."""
        self._kept.update(_traits(url).items())

    def spell(self, url: str) -> str:
        """The address that a request for `url` will lead to; `url` itself where no habit is known."""
        if not self._turned:
            return url
        traits = _traits(url)
        found = {name: self._habit(name, value) for name, value in traits.items()}
        if found == traits:
            return url
        parts = urlsplit(url)
        path = parts.path if found["slash"] == traits["slash"] else f"{parts.path.rstrip('/')}{found['slash']}"
        return urlunsplit((found["scheme"], found["host"], path or "/", parts.query, ""))

    def _habit(self, name: str, value: str) -> str:
        if self._kept[name, value]:
            return value
        turned = [(count, to) for (trait, of, to), count in self._turned.items() if (trait, of) == (name, value)]
        count, to = max(turned, default=(0, value))
        return to if count >= ENOUGH else value


def _traits(url: str) -> dict[str, str]:
    parts = urlsplit(url)
    last = parts.path.rpartition("/")[2]
    slash = FILE if "." in last or parts.query else "/" if parts.path.endswith("/") else ""
    return {"scheme": parts.scheme, "host": parts.netloc, "slash": slash}


def _rest(url: str) -> tuple[str, str, str]:
    parts = urlsplit(url)
    return parts.netloc.removeprefix("www."), parts.path.rstrip("/"), parts.query
