"""Reads RSS 0.9x to 2.0, RSS 1.0 (RDF), Atom 0.3 and 1.0 with feedparser, whose dictionaries are only used here."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import feedparser
from lxml import etree

from blogcrawler.items import Enclosure, Entry

from .dates import iso_date
from .links import LinkBase
from .model import Feed, FeedKind
from .quirks import DECLARED_TEXT, local_name, settle_quirks
from .repair import well_formed
from .texts import as_html, collect, distinct, is_html, language_tag, person_name, title_text, whole_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: categories with technical information for programs
_KINDS = re.compile(r"https?://schemas\.google\.com/(?:g/2005\#kind|blogger/2008/kind\#)")
_FEED_TYPE = re.compile(r"(?:application|text)/(?:atom|rss|rdf|feed)\b", re.IGNORECASE)
_HTML_TYPE = re.compile(r"^(?:text/html|application/xhtml)", re.IGNORECASE)
_COMMENT_FRAGMENT = re.compile(r"(?:.{0,40}[ck]om+ent.{0,40}|c-?\d{1,25}|respond|disqus.{0,40})", re.IGNORECASE)
_MARKUP = ("text/html", "application/xhtml+xml")
_WEB = ("http://", "https://")
_KINDS_OF_ROOT: dict[str, FeedKind] = {"rss": "rss", "feed": "atom", "rdf": "rdf"}


def open_xml_feed(text: str, url: str) -> FeedReader | None:
    """Open an XML feed; None if the document is not a feed. Raises `FeedTooComplexError` beyond the limits."""
    root = well_formed(text)
    kind = _KINDS_OF_ROOT.get(local_name(root)) if root is not None else None
    if root is None or kind is None:
        return None
    if kind != "atom" and not any(local_name(node) in ("channel", "item") for node in root):
        return None
    settle_quirks(root)
    parsed = _parse(etree.tostring(root, encoding="utf-8"))
    return FeedReader(url, kind, parsed, root) if parsed is not None else None


def _parse(xml: bytes) -> Any:  # noqa: ANN401 feedparser is untyped
    """Run feedparser on well-formed XML.

    It gets a stream, since it would take a string for a file name. It gets no base URL, so that links are unchanged.
    Its sanitising is switched off: HTML is sanitised once, later, and feedparser's sanitiser takes ten times as long as
    the rest.
    """
    headers = {"content-type": "application/xml; charset=utf-8"}
    try:
        return feedparser.parse(
            io.BytesIO(xml), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
        )
    except Exception:  # noqa: BLE001 feedparser promises nothing about hostile input: it has raised a dozen types
        return None


class FeedReader:
    """Converts feedparser's result to a `Feed`; `items` are its entries, `root` is the tree that it read."""

    def __init__(self, url: str, kind: FeedKind, parsed: Any, root: etree._Element) -> None:  # noqa: ANN401 feedparser is untyped
        self.root = root
        self.items = parsed.entries
        self._kind = kind
        self._channel = parsed.feed
        self._url = url
        own = LinkBase(url)
        self._home = own.absolute(_page_link(self._channel) or _string(self._channel.get("link")))
        self._base = LinkBase(url, self._home)
        self._language = language_tag(_string(self._channel.get("language")))

    def feed(self) -> Feed:
        entries, dropped = collect(self._entry(item) for item in self.items)
        if self._kind == "atom":
            entries = dated_by_update(entries)
        if (editor := self._editor()) and not any(entry.authors for entry in entries):
            entries = tuple(replace(entry, editor=editor) for entry in entries)
        own = LinkBase(self._url)
        return Feed(
            url=self._url,
            kind=self._kind,
            title=title_text(_string(self._channel.get("title"))) or None,
            home=self._home,
            language=self._language,
            generator=self._generator(),
            entries=entries,
            next_url=own.absolute(_first_link(self._channel, "next")),
            prev_archive=own.absolute(_first_link(self._channel, "prev-archive")),
            is_comments=self._is_comments(entries),
            total=whole_number(self._channel.get("opensearch_totalresults")),
            is_complete="fh_complete" in self._channel,
            dropped=dropped,
        )

    def _editor(self) -> str | None:
        """The name in RSS's `managingEditor`, as in "mail@example.org (Ann B)", unless it is the blog's own name."""
        editor = _string(self._channel.get("author")) if self._kind == "rss" else ""
        name = person_name(editor) if "@" in editor else ""
        title = title_text(_string(self._channel.get("title")))
        return name if name and name.casefold() != title.casefold() else None

    def _generator(self) -> str | None:
        detail = self._channel.get("generator_detail") or {}
        name = title_text(_string(self._channel.get("generator")))
        version = _string(detail.get("version"))
        return (f"{name} {version}" if version and version not in name else name) or None

    def _entry(self, item: Any) -> Entry | None:  # noqa: ANN401
        url = self.permalink(item)
        return self.entry_at(url, item) if url is not None else None

    def entry_at(self, url: str, item: Any) -> Entry:  # noqa: ANN401
        """Convert an item with the permalink `url` to an entry."""
        content, is_summary = self._content(item)
        replies = next((link for link in _links(item, "replies") if _FEED_TYPE.match(str(link.get("type", "")))), None)
        return Entry(
            url=url,
            guid=_string(item.get("id")) or None,
            title=title_text(_string(item.get("title")), is_markup=self._declared(item.get("title_detail"))) or None,
            authors=self._authors(item),
            published=self._date(item, "published", "created"),
            updated=self._date(item, "updated"),
            tags=distinct(_tags(item.get("tags") or ())),
            content_html=content,
            is_summary=is_summary,
            language=_language(item) or self._language,
            comments_feed=self._base.absolute(_string(item.get("wfw_commentrss")) or (replies or {}).get("href")),
            comment_count=_comment_count(item),
            enclosures=tuple(self._enclosures(item)),
        )

    def _content(self, item: Any) -> tuple[str | None, bool]:  # noqa: ANN401
        """The longest content (HTML before plain text), else the summary; and True if it is a summary."""
        contents = [one for one in item.get("content") or () if _is_text(one) and _string(one.get("value"))]
        if contents:
            best = max(contents, key=lambda one: ("html" in str(one.get("type")), len(_string(one.get("value")))))
            return as_html(_string(best.get("value")), is_markup=self._declared(best)) or None, False
        summary = as_html(_string(item.get("summary")), is_markup=self._declared(item.get("summary_detail")))
        return summary or None, bool(summary)

    def _declared(self, detail: Any) -> bool | None:  # noqa: ANN401
        """True if the type that Atom declares is markup, False for plain text, None if the feed declares no type.

        `quirks` marks texts with a declared text type as `DECLARED_TEXT`; few generators know Atom's default type.
        """
        kind = str((detail or {}).get("type") or "").lower()
        if self._kind != "atom" or kind not in (*_MARKUP, DECLARED_TEXT):
            return None
        return kind != DECLARED_TEXT

    def permalink(self, item: Any) -> str | None:  # noqa: ANN401
        """URL of an item's page; None if it has none."""
        identity = _string(item.get("id"))
        written = [item.get("feedburner_origlink"), _page_link(item), item.get("link")]
        if identity.lower().startswith(_WEB):
            written.append(identity)
        urls = [url for link in written if (url := self._base.absolute(_string(link)))]
        is_home = len(self.items) > 1 and len(urls) > 1 and urls[0] == self._home
        return next(iter(urls[1:] if is_home else urls), None)

    def people(self, item: Any) -> list[tuple[str, str | None]]:  # noqa: ANN401
        """The authors of an item ("" for a missing name) with their web addresses."""
        authors = item.get("authors") or [item.get("author_detail") or {}]
        return [
            (person_name(_string(author.get("name"))), self._base.absolute(_string(author.get("href"))))
            for author in authors
        ]

    def links(self, item: Any, *relations: str) -> list[str]:  # noqa: ANN401
        """The URLs of an item's links with these relations."""
        urls = (self._base.absolute(_string(link["href"])) for name in relations for link in _links(item, name))
        return [url for url in urls if url]

    def _authors(self, item: Any) -> tuple[str, ...]:  # noqa: ANN401
        """Authors of the feed; only in Atom they are also those of entries without authors (RFC 4287, section
        4.2.1)."""
        holders = [item, item.get("source") or {}, self._channel] if self._kind == "atom" else [item]
        named = (distinct(name for name, _ in self.people(holder)) for holder in holders)
        return next(filter(None, named), ())

    def _date(self, item: Any, *keys: str) -> str | None:  # noqa: ANN401
        written = (_string(dict.get(item, key)) for key in keys)
        return next((date for raw in written if (date := iso_date(raw, self._language))), None)

    def _enclosures(self, item: Any) -> Iterator[Enclosure]:  # noqa: ANN401
        """The enclosures without duplicates; the first one is kept."""
        known: set[str] = set()
        for link in _links(item, "enclosure"):
            url = self._base.absolute(_string(link.get("href")))
            if url and url not in known:
                known.add(url)
                yield Enclosure(url, _string(link.get("type")) or None, whole_number(link.get("length")))

    def _is_comments(self, entries: tuple[Entry, ...]) -> bool:
        """True if most entries answer another entry (RFC 4685), or point to a comment in a page."""
        if not entries:
            return False
        answers = sum(any(str(key).endswith("in-reply-to") for key in item) for item in self.items)
        inside = sum(_is_comment_address(entry.url) for entry in entries)
        return 2 * answers > len(self.items) or 2 * inside > len(entries)


def dated_by_update(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Use `updated` as `published` if no entry of an Atom feed has `published`.

    Atom only requires `updated`, so such generators use it for the date of publication, unless all entries have the
    same time, which is then the time of the build.
    """
    dates = {entry.updated for entry in entries}
    if any(entry.published for entry in entries) or (len(dates) == 1 and len(entries) > 1):
        return entries
    return tuple(replace(entry, published=entry.updated) for entry in entries)


def _links(holder: Any, relation: str) -> Iterator[Any]:  # noqa: ANN401
    """The links of a feed or an entry with relation and URL, in feed order."""
    links = holder.get("links") or ()
    return (link for link in links if str(link.get("rel", "")).lower() == relation and link.get("href"))


def _first_link(holder: Any, relation: str) -> str | None:  # noqa: ANN401
    return next((str(link["href"]) for link in _links(holder, relation)), None)


def _page_link(holder: Any) -> str | None:  # noqa: ANN401
    """The URL of the page of a feed or an entry; of several, that of an HTML page."""
    candidates = [link for link in _links(holder, "alternate") if not _FEED_TYPE.match(str(link.get("type", "")))]
    pages = [link for link in candidates if _HTML_TYPE.match(str(link.get("type", "")))]
    return next((str(link["href"]) for link in pages or candidates), None)


def _is_text(content: Any) -> bool:  # noqa: ANN401
    kind = str(content.get("type") or "text/plain").lower()
    return kind.startswith("text/") or "html" in kind or kind == "xml" or is_html(_string(content.get("value"))[:2000])


def _tags(tags: Iterable[Any]) -> Iterator[str]:
    for tag in tags:
        if not _KINDS.match(_string(tag.get("scheme"))):
            yield title_text(_string(tag.get("label")) or _string(tag.get("term")))


def _language(item: Any) -> str | None:  # noqa: ANN401
    details = [item, *(item.get("content") or ()), item.get("title_detail") or {}, item.get("summary_detail") or {}]
    return next((tag for detail in details if (tag := language_tag(_string(detail.get("language"))))), None)


def _comment_count(item: Any) -> int | None:  # noqa: ANN401
    written = [item.get("slash_comments"), item.get("thr_total")]
    written += [link.get(key) for link in _links(item, "replies") for key in ("thr:count", "count")]
    return next((number for raw in written if (number := whole_number(raw)) is not None), None)


def _is_comment_address(url: str) -> bool:
    address, _, fragment = url.partition("#")
    return bool(_COMMENT_FRAGMENT.fullmatch(fragment)) or "showcomment=" in address.lower()


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
