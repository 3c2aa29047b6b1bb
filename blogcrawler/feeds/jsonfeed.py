"""Reads JSON Feed 1.0 and 1.1 (https://www.jsonfeed.org/version/1.1/), and other lists of posts in JSON.

feedparser does not support JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jmespath import search

from blogcrawler.items import Enclosure, Entry

from .dates import iso_date
from .links import LinkBase
from .model import Feed
from .texts import as_html, collect, distinct, json_text, json_value, language_tag, person_name, title_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_MAX_LIST = 200
_MAX_ENTRIES = 10_000
_MAX_PAGE = 1_000
_VERSION = "jsonfeed.org/version/"


def json_document(text: str) -> dict[str, Any]:
    """The object in a JSON document; an empty dictionary if it is not an object."""
    data = json_value(text)
    return data if isinstance(data, dict) else {}


def read_json_feed(data: dict[str, Any], url: str) -> Feed | None:
    """Read a JSON Feed; None if the document is not one."""
    if not isinstance(data.get("items"), list) or _VERSION not in str(data.get("version", ""))[:100]:
        return None
    base = LinkBase(url)
    home = base.absolute(json_text(data.get("home_page_url")))
    links = LinkBase(url, home)
    language = language_tag(json_text(data.get("language")))
    authors = _authors(data)
    items = [item for item in data["items"][:_MAX_ENTRIES] if isinstance(item, dict)]
    found = [json_entry(item, links=links, language=language, authors=authors) for item in items]
    entries, dropped = collect(found)
    return Feed(
        url=url,
        kind="json",
        title=title_text(json_text(data.get("title"))) or None,
        home=home,
        language=language,
        entries=entries,
        next_url=base.absolute(json_text(data.get("next_url"))),
        dropped=dropped,
    )


def json_people(item: dict[str, Any], links: LinkBase) -> list[tuple[str, str | None]]:
    """The authors of an item with their web addresses."""
    people = _dicts(item.get("authors")) or _dicts([item.get("author")])
    return [(person_name(json_text(one.get("name"))), links.absolute(json_text(one.get("url")))) for one in people]


def json_entry(
    item: dict[str, Any], *, links: LinkBase, language: str | None = None, authors: tuple[str, ...] = ()
) -> Entry | None:
    """Convert an item to an entry; None if it has no permalink. `authors` are those of the feed."""
    identity = json_text(item.get("id"))
    address = json_text(item.get("url")) or (identity if identity.lower().startswith(("http://", "https://")) else "")
    permalink = links.absolute(address)
    if permalink is None:
        return None
    content = json_text(item.get("content_html")) or as_html(json_text(item.get("content_text")), is_markup=False)
    return Entry(
        url=permalink,
        guid=identity or None,
        title=title_text(json_text(item.get("title"))) or None,
        authors=_authors(item) or authors,
        published=iso_date(json_text(item.get("date_published"))),
        updated=iso_date(json_text(item.get("date_modified"))),
        tags=distinct(title_text(json_text(name)) for name in _list(item.get("tags"))),
        content_html=content or as_html(json_text(item.get("summary")), is_markup=False) or None,
        is_summary=not content and bool(json_text(item.get("summary"))),
        language=language_tag(json_text(item.get("language"))) or language,
        enclosures=tuple(_enclosures(item, links)),
    )


def _authors(data: dict[str, Any]) -> tuple[str, ...]:
    """Authors of a feed or item: version 1.1 has a list, version 1.0 a single author."""
    return distinct(name for name, _ in json_people(data, LinkBase("")))


def _list(value: object) -> list[Any]:
    return value[:_MAX_LIST] if isinstance(value, list) else []


def _enclosures(item: dict[str, Any], links: LinkBase) -> Iterable[Enclosure]:
    for attachment in _dicts(item.get("attachments")):
        if address := links.absolute(json_text(attachment.get("url"))):
            size = attachment.get("size_in_bytes")
            is_size = isinstance(size, int) and not isinstance(size, bool) and 0 <= size < 2**63
            yield Enclosure(address, json_text(attachment.get("mime_type")) or None, size if is_size else None)


def _dicts(value: object) -> list[dict[str, Any]]:
    return [entry for entry in _list(value) if isinstance(entry, dict)]


def json_page(body: bytes, url: str, keys: Mapping[str, str]) -> Feed | None:
    """Read a JSON list of entries as a feed; None for other documents. `keys` are those of `sources.software`.

    `next_url` is a page token, not a URL.
    """
    data = json_value(body)
    items = search(keys["items"], data)
    if not isinstance(items, list):
        return None
    base = LinkBase(url)
    found = [_listed_entry(item, keys, base) for item in items[:_MAX_PAGE]]
    entries = tuple(entry for entry in found if entry is not None)
    return Feed(url, "json", entries=entries, next_url=json_text(search(keys.get("next", "null"), data)) or None)


def _listed_entry(item: object, keys: Mapping[str, str], base: LinkBase) -> Entry | None:
    values = {name: search(path, item) for name, path in keys.items()}
    permalink = base.absolute(json_text(values.get("url")))
    if permalink is None:
        return None
    return Entry(
        permalink,
        title=title_text(json_text(values.get("title"))) or None,
        authors=distinct(map(person_name, map(json_text, _list(values.get("authors"))))),
        published=iso_date(json_text(values.get("published"))),
        tags=distinct(map(json_text, _list(values.get("tags")))),
        content_html=json_text(values.get("content")) or None,
    )
