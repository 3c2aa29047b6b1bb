"""Messages between a crawl and its workers, as JSON data."""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, b64encode
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from scrapy import Request

from blogcrawler import __version__
from blogcrawler.downloader import SETS_COOKIE
from blogcrawler.errors import BadArgument
from blogcrawler.items import Page
from blogcrawler.shared import PageQueue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.settings import BaseSettings

FLAGS = ("COMMENTS", "MEDIA", "SCREENSHOTS", "WARC", "ROBOTSTXT_OBEY")
NUMBERS = ("CONFIDENCE_MINIMUM", "MEDIA_MAX_BYTES")
LISTS = ("RENDER", "MEDIA_TYPES")
"""Settings that affect the records, so that all processes of a crawl must have the same values."""
REDIRECTS = ("redirect_times", "redirect_ttl", "redirect_urls", "redirect_reasons", SETS_COOKIE)
"""Keys of a request's meta that describe the redirects followed so far."""
AHEAD = 2
"""Number of pages that a worker claims in advance, per concurrent request, so that it never waits for pages."""
IN_BYTES = ("body", "screenshot")
"""Attributes of a page that are bytes (base64 in JSON)."""
HANDED_BACK = "handed back"
"""Reason why a worker does not follow a redirect: the crawl decides whether the target is fetched."""


def terms_of(settings: BaseSettings) -> str:
    """Digest of the version and of the settings that all processes of a crawl must share."""
    values = [
        *map(settings.getbool, FLAGS),
        *map(settings.getfloat, NUMBERS),
        *(sorted(settings.getlist(name)) for name in LISTS),
    ]
    return hashlib.sha256(json.dumps([__version__, values]).encode()).hexdigest()


def queue_of(settings: BaseSettings, holder: str) -> PageQueue:
    """The page queue of a blog's crawl. Raises BadArgument and RedisUnavailable."""
    return PageQueue(settings["FRONTIER_URL"], holder, patience_s=settings.getfloat("BACKEND_PATIENCE"))


def check_terms(own: str, others: str, url: str) -> None:
    """Raise BadArgument if a worker's settings differ from those of the crawl."""
    if own != others:
        raise BadArgument(
            f"The process that crawls {url} has a different version of blogcrawler, or differs in these settings: "
            f"{', '.join((*FLAGS, *NUMBERS, *LISTS))}. Use the same values, or wait until it has ended.",
            url=url,
        )


def page_wanted(request: Request) -> dict[str, Any]:
    """The data from which a worker builds the request of a page."""
    meta = {"render": request.meta.get("render", False), **redirects_of(request.meta)}
    return {"url": request.url, "headers": dict(request.headers.to_unicode_dict()), "meta": meta}


def request_of(wanted: Mapping[str, Any], **more: Any) -> Request:  # noqa: ANN401
    """Build a worker's request. A redirect is not followed; only its target is reported."""
    url = wanted["url"]
    meta = {**wanted["meta"], "check_redirect": lambda target: None if target == url else HANDED_BACK}
    return Request(url, headers=wanted["headers"], meta=meta, dont_filter=True, **more)


def redirects_of(meta: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a request's meta that describes the redirects followed so far."""
    return {name: meta[name] for name in REDIRECTS if name in meta}


def page_to_json(page: Page) -> dict[str, Any]:
    """A page as JSON data, without its parsed tree."""
    values = {field.name: getattr(page, field.name) for field in fields(page) if field.name != "tree"}
    in_bytes = {name: b64encode(values[name]).decode() for name in IN_BYTES if values[name] is not None}
    return {**values, **in_bytes, "headers": dict(page.headers)}


def page_from_json(data: Mapping[str, Any]) -> Page:
    """Rebuild a page from the data of `page_to_json`."""
    in_bytes = {name: b64decode(data[name]) for name in IN_BYTES if data[name] is not None}
    headers = {name: tuple(values) for name, values in data["headers"].items()}
    return Page(**{**data, **in_bytes, "headers": headers})
