"""Pages of a feed that are a list in JSON and no feed: entries by the keys that the software's line names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from blogcrawler.feeds.dates import FeedDates
from blogcrawler.feeds.entries import distinct
from blogcrawler.feeds.links import LinkBase
from blogcrawler.feeds.model import Feed
from blogcrawler.feeds.people import person_name
from blogcrawler.feeds.texts import json_text, title_text
from blogcrawler.items import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MOST = 1_000


def json_page(body: bytes, url: str, keys: Mapping[str, str]) -> Feed | None:
    """The entries with a permalink of a JSON list, as a feed; None for what is none.

    `next_url` is not an address, but what names the next page to the software.
    """
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return None
    items = _at(data, keys["items"])
    if not isinstance(items, list):
        return None
    base, dates = LinkBase(url), FeedDates()
    found = [entry for item in items[:_MOST] if isinstance(item, dict) and (entry := _entry(item, keys, base, dates))]
    return Feed(url, "json", entries=tuple(found), next_url=json_text(_at(data, keys.get("next"))) or None)


def _entry(item: dict[str, Any], keys: Mapping[str, str], base: LinkBase, dates: FeedDates) -> Entry | None:
    def value(name: str) -> object:
        return _at(item, keys.get(name))

    permalink = base.absolute(json_text(value("url")))
    if permalink is None:
        return None
    tags = value("tags")
    return Entry(
        permalink,
        title=title_text(json_text(value("title"))) or None,
        authors=distinct(_names(value("authors"), keys["name"])),
        published=dates.read(json_text(value("published"))),
        tags=distinct(map(json_text, tags)) if isinstance(tags, list) else (),
        content_html=json_text(value("content")) or None,
    )


def _at(data: object, path: str | None) -> object:
    """The value at a path of keys, separated by dots; all of it at the empty path; None where there is none."""
    if path is None:
        return None
    for key in filter(None, path.split(".")):
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _names(people: object, key: str) -> Iterator[str]:
    for person in people if isinstance(people, list) else [people]:
        if isinstance(person, dict):
            yield person_name(json_text(person.get(key)))
