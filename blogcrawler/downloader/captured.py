"""Answer requests with captures, from WARC files or a web archive (setting CAPTURES), instead of from the web.

`meta["capture"]` of an answered request names the capture. No request reaches the blog or any other site: what was not
captured is answered with 404 and the flag `NOT_CAPTURED`. Only requests to the web archive itself are sent.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.exceptions import NotConfigured
from scrapy.http import Headers
from scrapy.responsetypes import responsetypes

from blogcrawler.capture import capture_failed
from blogcrawler.component import Component
from blogcrawler.downloader.handler import GuardedDownloadHandler
from blogcrawler.downloader.reasons import sentence_of
from blogcrawler.errors import BadArgument, ExcludedFromArchive, Unreachable
from blogcrawler.sources import CapturedBlog, Period, open_captures
from blogcrawler.urls import is_http, parse_start_url, site

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from blogcrawler.sources import CapturedResponse

CAPTURE_ARGUMENTS = ("source", "at", "from", "to")
"""Names of a spider's arguments: the place of captures, and the day or period of those that are used."""
CAPTURE = "capture"
"""Meta key: the capture that answers a request, a `blogcrawler.sources.Capture`."""
NOT_CAPTURED = "not captured"
"""Flag of a response for an address without a capture, and the reason why its page is missing."""
_FROM_ARCHIVE = "from_web_archive"
"""Meta key of requests to a web archive."""
INDEX_FOLDER = "captures"
"""Folder below ARCHIVE with the indexes of places."""
OFFLINE = {
    "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), "blogcrawler.downloader.captured.CaptureHandler"),
    "ROBOTSTXT_OBEY": False,
    "HTTPCACHE_ENABLED": False,
    "RETRY_ENABLED": False,
    "AUTOTHROTTLE_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "RENDER": "never",
    "WARC": False,
}
"""Settings of a crawl that reads captures: nothing is asked of the blog's server, so nothing need be spared."""


_OF_SERVERS = ("backoff.BackoffMiddleware", "foreign.ForeignHostsMiddleware", "patience.PatienceMiddleware")
"""Middlewares that wait for servers: captured errors stay errors, and a web archive's client waits by itself."""


class CapturedPages(Component):
    """The captures of a crawl; available through `crawler.get_extension`."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if not settings["CAPTURES"]:
            raise NotConfigured
        super().__init__(crawler)
        folder, interval_s = Path(settings["ARCHIVE"]) / INDEX_FOLDER, settings.getfloat("CAPTURES_DELAY")
        captures = open_captures(settings["CAPTURES"], folder, self._ask, interval_s)
        period = Period.parse(settings["CAPTURES_SINCE"], settings["CAPTURES_UNTIL"])
        url = parse_start_url(getattr(crawler.spider, "url", ""))
        self.blog = CapturedBlog(captures, period, url)
        self._host = site(url)
        crawler.signals.connect(self.blog.close, signals.engine_stopped)

    async def response(self, url: str) -> CapturedResponse | None:
        """What was captured of an address; None if nothing was. Ends the crawl and raises Unreachable if the web
        archive does not answer, or does not show the blog."""
        try:
            return await self.blog.response(url)
        except Unreachable as error:
            if isinstance(error, ExcludedFromArchive) and site(url) != self._host:
                return None
            self.crawler.signals.send_catch_log(capture_failed, error=error)
            raise

    async def _ask(self, url: str) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        """The answer of the web archive: status, headers and body. Raises OSError without a complete one."""
        assert self.crawler.engine is not None
        meta = {_FROM_ARCHIVE: True, "render": False, "download_slot": self.blog.name}
        meta |= dict.fromkeys(("dont_redirect", "dont_retry", "dont_merge_cookies"), True)
        try:
            response = await self.crawler.engine.download_async(Request(url, dont_filter=True, meta=meta))
        except Exception as error:
            raise OSError(sentence_of(error)) from error
        if "truncated" in response.flags:
            raise OSError("The answer is incomplete.")
        headers = [(name, value) for name, values in response.headers.items() for value in values]
        return response.status, headers, response.body


class CaptureHandler(GuardedDownloadHandler):
    """Answers requests with captures; requests to the web archive are sent."""

    async def download_request(self, request: Request) -> Response:
        """The captured response, or one with the flag `NOT_CAPTURED`. Raises Unreachable."""
        if _FROM_ARCHIVE in request.meta:
            return await super().download_request(request)
        pages = self._crawler.get_extension(CapturedPages)
        assert pages is not None
        captured = await pages.response(request.url)
        if captured is None:
            request.meta.pop(CAPTURE, None)
            return responsetypes.from_args(url=request.url)(request.url, status=404, flags=[NOT_CAPTURED])
        request.meta[CAPTURE] = captured.capture
        return _response(request.url, captured)


def _response(url: str, captured: CapturedResponse) -> Response:
    headers = Headers()
    for name, value in captured.headers:
        headers.appendlist(name, value)
    flags = ["truncated"] if captured.is_cut else []
    kind = responsetypes.from_args(headers=headers, url=url, body=captured.body)
    return kind(url, status=captured.status, headers=headers, body=captured.body, flags=flags)


def capture_settings(arguments: Mapping[str, str], settings: BaseSettings) -> dict[str, Any]:
    """The settings of a crawl with these of `CAPTURE_ARGUMENTS`; none without a source. Raises BadArgument."""
    check_capture_arguments(arguments)
    source = arguments.get("source")
    if source is None:
        return {}
    unused = {f"blogcrawler.downloader.{name}": None for name in _OF_SERVERS}
    hosts = [*settings.getlist("ALLOWED_PRIVATE_HOSTS"), *([urlsplit(source).netloc] if is_http(source) else [])]
    at = arguments.get("at")
    since, until = arguments.get("from"), arguments.get("to", at)
    return {
        **OFFLINE,
        "ALLOWED_PRIVATE_HOSTS": hosts,
        "CAPTURES": source,
        "CAPTURES_SINCE": since,
        "CAPTURES_UNTIL": until,
        "DOWNLOADER_MIDDLEWARES": settings.getdict("DOWNLOADER_MIDDLEWARES") | unused,
    }


def check_capture_arguments(arguments: Mapping[str, str]) -> None:
    """Raise BadArgument unless these of `CAPTURE_ARGUMENTS` are valid together."""
    given = [name for name in CAPTURE_ARGUMENTS if name in arguments]
    if given and "source" not in given:
        raise BadArgument(f"{given[0]}= chooses among captures; say with source= where they are.")
    if "at" in given and len(given) > 2:
        raise BadArgument("Give either at=, or from= and to=.")
    Period.parse(arguments.get("from"), arguments.get("to", arguments.get("at")))
    source = arguments.get("source", "")
    if source and not is_http(source) and not Path(source).exists():
        raise BadArgument(
            f"There is no file or folder {source}. Give a WARC or WACZ file, a folder of them, or the address of a web "
            "archive such as https://web.archive.org"
        )
