"""What a crawl and its workers tell each other of a page, as JSON types."""

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
"""What a record holds hangs on these, so that all processes of a crawl must have the same."""
REDIRECTS = ("redirect_times", "redirect_ttl", "redirect_urls", "redirect_reasons", SETS_COOKIE)
"""Meta of a request by which redirects in a row are counted."""
AHEAD = 2
"""Pages that a worker claims for each that it can ask for at once: the next ones are at hand while it reads some."""
IN_BYTES = ("body", "screenshot")
"""Attributes of a page that are bytes; base64 in JSON."""
HANDED_BACK = "handed back"
"""Why a worker follows no redirect: whether the target is to be fetched is for the crawl to decide."""


def terms_of(settings: BaseSettings) -> str:
    """The version and the settings in which all processes of a crawl must agree, as a digest."""
    given = [
        *map(settings.getbool, FLAGS),
        *map(settings.getfloat, NUMBERS),
        *(sorted(settings.getlist(name)) for name in LISTS),
    ]
    return hashlib.sha256(json.dumps([__version__, given]).encode()).hexdigest()


def queue_of(settings: BaseSettings, holder: str) -> PageQueue:
    """The pages that the holder of a blog wants. Raises BadArgument and RedisUnavailable."""
    return PageQueue(settings["FRONTIER_URL"], holder, patience_s=settings.getfloat("BACKEND_PATIENCE"))


def check_terms(own: str, others: str, url: str) -> None:
    """Raise BadArgument where a process cannot be a worker of a crawl."""
    if own != others:
        raise BadArgument(
            f"The process that crawls {url} is another version of blogcrawler, or differs in one of these settings: "
            f"{', '.join((*FLAGS, *NUMBERS, *LISTS))}. Use the same ones, or wait until it has ended.",
            url=url,
        )


def page_wanted(request: Request) -> dict[str, Any]:
    """What a worker has to know to make a request of a crawl."""
    meta = {"render": request.meta.get("render", False), **redirects_of(request.meta)}
    return {"url": request.url, "headers": dict(request.headers.to_unicode_dict()), "meta": meta}


def request_of(wanted: Mapping[str, Any], **more: Any) -> Request:  # noqa: ANN401
    """The request of a worker; of a redirect it only learns the target."""
    url = wanted["url"]
    meta = {**wanted["meta"], "check_redirect": lambda target: None if target == url else HANDED_BACK}
    return Request(url, headers=wanted["headers"], meta=meta, dont_filter=True, **more)


def redirects_of(meta: Mapping[str, Any]) -> dict[str, Any]:
    """The redirects that a request with this meta has followed."""
    return {name: meta[name] for name in REDIRECTS if name in meta}


def page_to_json(page: Page) -> dict[str, Any]:
    """A page without its tree."""
    values = {field.name: getattr(page, field.name) for field in fields(page) if field.name != "tree"}
    in_bytes = {name: b64encode(values[name]).decode() for name in IN_BYTES if values[name] is not None}
    return {**values, **in_bytes, "headers": dict(page.headers)}


def page_from_json(data: Mapping[str, Any]) -> Page:
    """The page of `page_to_json`."""
    in_bytes = {name: b64decode(data[name]) for name in IN_BYTES if data[name] is not None}
    headers = {name: tuple(values) for name, values in data["headers"].items()}
    return Page(**{**data, **in_bytes, "headers": headers})
