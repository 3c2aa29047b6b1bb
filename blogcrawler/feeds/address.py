"""What the address of a feed says: that it is one, which folder it is of, and in which language.

The conventions of blog software about feeds are in data/conventions.json.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from urllib.parse import parse_qsl, unquote, urlsplit

from blogcrawler.serialise import load_file

_WORD = re.compile(r"[^\W_]+")
_MAX_WORDS = 60
_MAX_QUERY = 500


def words(text: str) -> list[str]:
    """The words of a text or a path, in lower case."""
    return [match[0].lower() for match in _WORD.finditer(text[:2000])][:_MAX_WORDS]


def segments(url: str) -> list[str]:
    """The parts of a URL's path, decoded, in lower case, without empty ones."""
    return [part.lower() for part in unquote(urlsplit(url).path).split("/") if part]


def folder_of(url: str) -> list[str]:
    """The parts of a URL's path without the name of a file."""
    path = segments(url)
    return path[:-1] if path and "." in path[-1] and not urlsplit(url).path.endswith("/") else path


def address_key(url: str) -> tuple[str, str, str]:
    """Equal for addresses that are one feed's: scheme, www and a last slash do not count."""
    parts = urlsplit(url)
    return parts.netloc.lower().removeprefix("www."), parts.path.rstrip("/"), parts.query


def is_feed_address(url: str) -> bool:
    """True if blog software gives such addresses to feeds."""
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
    path = folder_of(url)
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


@dataclass(frozen=True)
class Conventions:
    """Words, paths and media types that point to feeds."""

    #: media types that stand for a feed alone, with the spellings that were never registered
    types: frozenset[str]
    #: media types of feeds and of other things
    vague_types: frozenset[str]
    #: words that name a feed where they are all of a path's last segment, or of its file name
    feed_words: frozenset[str]
    index_names: frozenset[str]
    extensions: frozenset[str]
    data_extensions: frozenset[str]
    #: values of query parameters that ask for a feed
    queries: dict[str, frozenset[str]]
    #: first labels of hosts that serve feeds only
    hosts: frozenset[str]
    #: names of documents that look like feeds and are none
    not_feeds: frozenset[str]
    #: words for feeds of a part of the blog, by kind
    narrower: dict[str, frozenset[str]]
    #: paths by the word that the generator's name begins with
    generators: dict[str, tuple[str, ...]]
    #: relative to a blog's folder, in the order that finds most blogs soonest
    paths: tuple[str, ...]
    #: ISO 639-1 codes of languages that people blog in
    languages: frozenset[str]
    #: where blogs stand within a site
    folders: tuple[str, ...]
    #: words by which blogs call the pages that list their posts
    lists: frozenset[str]


@cache
def conventions() -> Conventions:
    """The conventions; read once."""
    return load_file(Conventions, __package__, "conventions.json")
