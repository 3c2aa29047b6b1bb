"""Search the index of a web archive: the requests and answers of CDX servers, in two dialects.

The Internet Archive answers with tables (wayback-cdx-server/README.md in github.com/internetarchive/wayback), pywb with
JSON lines ("CDXJ Server API" in its manual).
"""

from __future__ import annotations

import json
import string
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urljoin, urlsplit

from blogcrawler.sources.cdx import entry_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.sources.cdx import IndexEntry

_PAGE_SIZE = 10_000
_INTERNET_ARCHIVE = "/cdx/search/cdx"
_FIELDS = {"url": "original", "timestamp": "timestamp", "mime": "mimetype", "status": "statuscode", "digest": "digest"}
"""Names of the fields: pywb's, and the Internet Archive's."""
_SAFE = string.punctuation.replace("#", "")


@dataclass(frozen=True)
class ListingPage:
    """One page of a listing."""

    entries: Sequence[IndexEntry] = ()
    #: the key with which the Internet Archive's listing goes on; empty at its end
    resume_key: str = ""
    #: number of pywb's pages, if it states this instead of captures
    page_count: int = 0


@dataclass(frozen=True)
class CdxServer:
    """Where a web archive is searched, and the address before the times of captures where it shows them."""

    endpoint: str
    playback: str

    @property
    def is_pywb(self) -> bool:
        """True if it speaks pywb's dialect."""
        return not self.endpoint.endswith(_INTERNET_ARCHIVE)

    def request(self, match: str, url: str, mime: str, cursor: str, *, limit: int) -> str:
        """The address of the page after a cursor, which is empty before the first page.

        `match` is exact, prefix or host, and `mime` a regular expression, which may be empty. pywb answers first with
        the number of its pages, or where it has none with the whole listing up to the limit.
        """
        names = _FIELDS if self.is_pywb else _FIELDS.values()
        query = {"url": url, "matchType": match, "output": "json", "fl": ",".join(names)}
        if mime:
            query["filter"] = f"~mime:{mime}" if self.is_pywb else f"mimetype:{mime}"
        if self.is_pywb:
            query |= {"allowFuzzy": "0", "limit": str(limit)}
            query |= {"page": cursor.partition("/")[0]} if cursor else {"showNumPages": "true"}
        else:
            query |= {"limit": str(_PAGE_SIZE), "showResumeKey": "true"}
            query |= {"resumeKey": cursor} if cursor else {}
        return f"{self.endpoint}?{urlencode(query)}"

    def next_cursor(self, page: ListingPage, cursor: str) -> str:
        """The cursor after a page; empty at the end of the listing."""
        number, _, count = cursor.partition("/") if self.is_pywb and cursor else ("-1", "", page.page_count)
        return f"{int(number) + 1}/{count}" if int(number) + 1 < int(count) else page.resume_key

    def place(self, entry: IndexEntry) -> str:
        """The address of a capture as it was captured, without changes of the web archive."""
        return f"{self.playback}{entry.time:014}id_/{quote(entry.url, safe=_SAFE)}"


def candidates(place: str) -> list[CdxServer]:
    """The servers that the address of a web archive, a collection, or a CDX server may mean, the likeliest first."""
    path = urlsplit(place).path.rstrip("/*")
    root = path.removesuffix(_INTERNET_ARCHIVE).removesuffix("/web")
    collection = path.removesuffix("/cdx")
    servers = [
        CdxServer(urljoin(place, f"{collection}/cdx"), urljoin(place, f"{collection}/")),
        CdxServer(urljoin(place, f"{root}{_INTERNET_ARCHIVE}"), urljoin(place, f"{root}/web/")),
    ]
    return servers if root else servers[::-1]


def is_cut(body: bytes) -> bool:
    """True if an answer begins as JSON, and does not end so."""
    try:
        _values(body)
    except ValueError:
        return body.lstrip().startswith((b"[", b"{"))
    return False


def parse_page(body: bytes) -> ListingPage:
    """Parse an answer. Rows without an http address or a valid time are left out.

    Raises ValueError if the answer is cut off, or is not one of a CDX server.
    """
    rows = _values(body)
    resume_key = ""
    if len(rows) == 1 and isinstance(rows[0], list):
        rows, resume_key = _table_rows(rows[0])
    if not all(isinstance(row, dict) for row in rows):
        raise ValueError("neither a table nor objects")
    if len(rows) == 1 and isinstance(count := rows[0].get("pages"), int):
        return ListingPage(page_count=count)
    if rows and not any("timestamp" in row for row in rows):
        raise ValueError("no captures")
    found = (_entry(row) for row in rows)
    return ListingPage([entry for entry in found if entry is not None], resume_key)


def _values(body: bytes) -> list[Any]:
    """The table, or the objects of JSON lines."""
    text = body.strip()
    try:
        return [json.loads(part) for part in ([text] if text.startswith(b"[") else text.splitlines())]
    except RecursionError as error:
        raise ValueError("JSON that is nested too deeply") from error


def _table_rows(table: list[Any]) -> tuple[list[Any], str]:
    """The rows of a table with a row of names, and the resumption key, which stands after an empty row."""
    rows = [row for row in table if isinstance(row, list)]
    resume_key = ""
    if len(rows) > 2 and not rows[-2] and len(rows[-1]) == 1:
        *rows, _, [resume_key] = rows
    names = [str(name) for name in rows[0]] if rows else []
    return [dict(zip(names, row, strict=True)) for row in rows[1:] if len(row) == len(names)], str(resume_key)


def _entry(row: dict[str, Any]) -> IndexEntry | None:
    url, time, mime, status, digest = (str(row.get(theirs, row.get(ours, ""))) for ours, theirs in _FIELDS.items())
    return entry_of(url, time, status=status, mime=mime, digest=digest)
