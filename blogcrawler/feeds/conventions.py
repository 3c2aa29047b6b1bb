"""The conventions of blog software about feeds, read from data/conventions.json."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from blogcrawler.serialise import load_file


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
