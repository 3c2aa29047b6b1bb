"""Properties of feed URLs: whether a URL looks like a feed's, and the folder and language that it names.

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
    """The words of a text or path, in lower case."""
    return [match[0].lower() for match in _WORD.finditer(text[:2000])][:_MAX_WORDS]


def segments(url: str) -> list[str]:
    """The non-empty segments of a URL's path, decoded and in lower case."""
    return [part.lower() for part in unquote(urlsplit(url).path).split("/") if part]


def folder_of(url: str) -> list[str]:
    """The segments of a URL's path without a file name."""
    path = segments(url)
    return path[:-1] if path and "." in path[-1] and not urlsplit(url).path.endswith("/") else path


def address_key(url: str) -> tuple[str, str, str]:
    """A key that is equal for different spellings of one feed's URL: scheme, www and a final slash are ignored."""
    parts = urlsplit(url)
    return parts.netloc.lower().removeprefix("www."), parts.path.rstrip("/"), parts.query


def is_feed_address(url: str) -> bool:
    """True if blog software uses such URLs for feeds."""
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
    """The path of the pages that a feed covers: the feed's path without file name and words that denote feeds."""
    known = conventions()
    path = folder_of(url)
    while path and (path[-1] in known.feed_words or path[-1] in ("default", "posts", "data")):
        path = path[:-1]
    return path


def feed_language(url: str) -> str | None:
    """The language in a feed's URL: /fr/feed, feed.fr.xml, all-fr.atom.xml, ?lang=fr."""
    languages = conventions().languages
    parts = urlsplit(url)
    for key, value in parse_qsl(parts.query[:_MAX_QUERY])[:20]:
        if key.lower() in ("lang", "language", "l", "hl") and value[:2].lower() in languages:
            return value[:2].lower()
    path = segments(url)
    for part in path[:-1]:
        if part in languages or (part[:2] in languages and re.fullmatch(r"[a-z]{2}[-_][a-z]{2}", part)):
            return part[:2]
    named = [word for word in words(path[-1]) if word in languages] if path and "." in path[-1] else []
    return named[-1] if named else (path[-1] if path and path[-1] in languages else None)


@dataclass(frozen=True)
class Conventions:
    """Words, paths and media types that indicate feeds."""

    #: media types of feeds only, including unregistered spellings
    types: frozenset[str]
    #: media types of feeds and of other documents
    vague_types: frozenset[str]
    #: words that indicate a feed if they are the whole last path segment or file name
    feed_words: frozenset[str]
    index_names: frozenset[str]
    extensions: frozenset[str]
    data_extensions: frozenset[str]
    #: values of query parameters that request a feed
    queries: dict[str, frozenset[str]]
    #: first labels of hosts that only serve feeds
    hosts: frozenset[str]
    #: names of documents that look like feeds but are not
    not_feeds: frozenset[str]
    #: words for partial feeds, by kind
    narrower: dict[str, frozenset[str]]
    #: feed paths, by the first word of the generator's name
    generators: dict[str, tuple[str, ...]]
    #: relative to a blog's folder, ordered so that most feeds are found early
    paths: tuple[str, ...]
    #: ISO 639-1 codes of languages in which people blog
    languages: frozenset[str]
    #: usual folders of blogs within a site
    folders: tuple[str, ...]
    #: usual names of pages that list the posts
    lists: frozenset[str]


@cache
def conventions() -> Conventions:
    """Load the conventions, once per process."""
    return load_file(Conventions, __package__, "conventions.json")
