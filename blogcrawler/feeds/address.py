"""What the address of a feed tells: that it is one, which folder it is of, and in which language."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote, urlsplit

from .conventions import conventions

_WORD = re.compile(r"[^\W_]+")
_MAX_WORDS = 60
_MAX_QUERY = 500


def words(text: str) -> list[str]:
    """The words of a text or a path, in lower case."""
    return [match[0].lower() for match in _WORD.finditer(text[:2000])][:_MAX_WORDS]


def segments(url: str) -> list[str]:
    """The parts of a URL's path, decoded, in lower case, without empty ones."""
    return [part.lower() for part in unquote(urlsplit(url).path).split("/") if part]


def address_key(url: str) -> tuple[str, str, str]:
    """Equal for addresses that are one feed's: scheme, www and a last slash do not count."""
    parts = urlsplit(url)
    return parts.netloc.lower().removeprefix("www."), parts.path.rstrip("/"), parts.query


def is_feed_address(url: str) -> bool:
    """Is this how blog software addresses feeds?"""
    known = conventions()
    parts = urlsplit(url)
    path = segments(url)
    if any(part.partition(".")[0] in known.not_feeds for part in path):
        return False
    if _asks_for_feed(parts.query):
        return True
    last = path[-1] if path else ""
    if (parts.hostname or "").partition(".")[0] in known.hosts and path:
        return True
    return _names_feed(last, path[:-1])


def _asks_for_feed(query: str) -> bool:
    known = conventions().queries
    pairs = parse_qsl(query[:_MAX_QUERY], keep_blank_values=True, max_num_fields=None)
    for key, value in pairs[:20]:
        if value.lower() in known.get(key.lower(), ()):
            return True
        if key.lower() == "feed" and "rss" in value.lower():
            return True
    return query[:1] == "/" and is_feed_address(f"http://query.invalid{query[:_MAX_QUERY]}")


def _names_feed(last: str, before: list[str]) -> bool:
    known = conventions()
    stem, dot, extension = last.rpartition(".")
    if not dot:
        return (
            last in known.feed_words
            or (before[-1:] == ["feeds"] and before[:-1] == [])
            or before[-2:] == ["feeds", "posts"]
        )
    if last in known.index_names or extension in known.extensions:
        return True
    if extension not in known.data_extensions:
        return False
    return bool(known.feed_words & set(words(stem))) or any(part in known.feed_words for part in before[-2:])


def feed_folder(url: str) -> list[str]:
    """The path of what a feed is of: its own path without file name and words that name feeds."""
    known = conventions()
    path = segments(url)
    if path and "." in path[-1]:
        path = path[:-1]
    while path and (path[-1] in known.feed_words or path[-1] in ("default", "posts", "data")):
        path = path[:-1]
    return path


def feed_language(url: str) -> str | None:
    """The language that a feed's address names: /fr/feed, feed.fr.xml, all-fr.atom.xml, ?lang=fr."""
    known = conventions().languages
    parts = urlsplit(url)
    for key, value in parse_qsl(parts.query[:_MAX_QUERY])[:20]:
        if key.lower() in ("lang", "language", "l", "hl") and value[:2].lower() in known:
            return value[:2].lower()
    path = segments(url)
    for part in path[:-1]:
        if part in known or (part[:2] in known and re.fullmatch(r"[a-z]{2}[-_][a-z]{2}", part)):
            return part[:2]
    named = [word for word in words(path[-1]) if word in known] if path and "." in path[-1] else []
    return named[-1] if named else (path[-1] if path and path[-1] in known else None)
