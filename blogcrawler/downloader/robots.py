"""Read robots.txt as RFC 9309 defines it, and its Crawl-delay.

Scrapy's middleware requests and obeys it; this module decides what an answer means (RFC 9309, section 2.3.1):

- 200 to 299: the rules in the first 500 KiB; a web page sent instead of a robots.txt holds no rules;
- 300 to 499, except 429: there is no robots.txt, all is allowed;
- 429, 500 to 599, or no answer after retries (without retries for hosts of files and comments): nothing of the host
  may be fetched. Requests fail with RobotsUnreachable, whose `__cause__` is the error of the network; such hosts are
  counted under `…/robots_unreachable`.

An answer is used for 24 hours, and by other crawls for ROBOTSTXT_LIFETIME seconds.
"""

from __future__ import annotations

import asyncio
import codecs
import logging
import re
from contextlib import suppress
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware as ScrapyRobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.datatypes import LocalCache
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import build_from_crawler
from scrapy.utils.sitemap import sitemap_urls_from_robots

from blogcrawler.downloader.foreign import robots_meta
from blogcrawler.downloader.pace import Pace
from blogcrawler.downloader.revalidation import SERVES
from blogcrawler.errors import RedisUnavailable
from blogcrawler.purposes import Purpose

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser

logger = logging.getLogger(__name__)

_LARGEST = 500 * 1024  # bytes; RFC 9309, section 2.5
LONGEST_CRAWL_DELAY_S = 60.0
"""A longer Crawl-delay of a robots.txt is shortened to this; seconds."""
_LIFETIME = 24 * 3600.0  # seconds; RFC 9309, section 2.4
_HOSTS = 1000  # hosts whose answers are kept at once
_MOST_SITEMAPS = 100
_STATS = "blogcrawler/downloader/robots_unreachable"
_USER_AGENT_LINE = re.compile(r"\s*user[-\s]*agent(?:\s*:|\s)(.*)", re.IGNORECASE | re.DOTALL)
_PRODUCT = re.compile(r"[A-Za-z0-9_-]+")  # RFC 9309, section 2.2.1, and digits
_SOMEBODY_ELSE = "somebody-else"


class RobotsUnreachable(IgnoreRequest):
    """A request to a host whose robots.txt cannot be read now; `str()` gives the reason and the remedy."""


def _mark_retrieved(answer: asyncio.Future[RobotParser | None]) -> None:
    """Keep asyncio from logging an exception as lost when all requests that waited for it were cancelled."""
    if not answer.cancelled():
        answer.exception()


class RobotsTxtMiddleware(ScrapyRobotsTxtMiddleware):
    """Obeys robots.txt (setting ROBOTSTXT_OBEY), for the product token ROBOTSTXT_USER_AGENT."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._serves_s = min(_LIFETIME, crawler.settings.getfloat("ROBOTSTXT_LIFETIME"))
        self._answers: LocalCache[str, tuple[float, asyncio.Future[RobotParser | None]]] = LocalCache(_HOSTS)
        self._sitemaps: LocalCache[str, tuple[str, ...]] = LocalCache(_HOSTS)

    def sitemaps(self, url: str) -> tuple[str, ...]:
        """The sitemaps that the robots.txt of a URL's host names, if it was requested already; at most 100."""
        return self._sitemaps.get(urlsplit(url).netloc.lower(), ())

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """The rules of the request's host; None if all is allowed. Raises RobotsUnreachable if nothing is."""
        parts = urlparse_cached(request)
        url = f"{parts.scheme}://{parts.netloc}/robots.txt"
        requested_at, answer = self._answers.get(url, (0.0, None))
        if answer is None or monotonic() - requested_at > _LIFETIME:
            answer = asyncio.ensure_future(self._ask(url, request))
            answer.add_done_callback(_mark_retrieved)
            self._answers[url] = monotonic(), answer
        return await asyncio.shield(answer)

    async def _ask(self, url: str, request: Request) -> RobotParser | None:
        beside = robots_meta(request, self.crawler.spider)
        robots_request = Request(
            url,
            priority=self.DOWNLOAD_PRIORITY,
            meta={"dont_obey_robotstxt": True, SERVES: self._serves_s, **Purpose.ROBOTS.meta, **beside},
            callback=NO_CALLBACK,
        )
        self._stats.inc_value("robotstxt/request_count")
        try:
            response = await self.crawler.engine.download_async(robots_request)
        except IgnoreRequest:
            return None  # too many redirects, or a redirect that is refused: there is no robots.txt
        except RedisUnavailable:  # the request was not sent
            raise
        except Exception as error:
            self._stats.inc_value(f"robotstxt/exception_count/{type(error)}")
            reason = str(error).rstrip(".") or type(error).__name__
            raise self._unreachable(f"{url} could not be fetched ({reason})", "check the address") from error
        return await self._read(response, request)

    async def _read(self, response: Response, request: Request) -> RobotParser | None:
        self._stats.inc_value("robotstxt/response_count")
        self._stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        if response.status == 429 or response.status >= 500:
            raise self._unreachable(
                f"{response.url} answered {response.status}", "set ROBOTSTXT_OBEY=False if the blog's owner allows it"
            )
        if response.status >= 300:
            return None
        self._sitemaps[urlsplit(request.url).netloc.lower()] = named_sitemaps(response.body, response.url)
        token = self._robotstxt_useragent or self._default_useragent
        rules = build_from_crawler(self._parserimpl, self.crawler, relevant_rules(response.body, token))
        self._keep_distance(rules.crawl_delay(token), request)
        await self.crawler.signals.send_catch_log_async(
            signal=signals.robots_parsed, robotparser=rules, request=request
        )
        return rules

    def _unreachable(self, reason: str, advice: str) -> RobotsUnreachable:
        sentence = f"{reason}, so nothing of this host may be fetched now (RFC 9309); try again later, or {advice}."
        self._stats.inc_value(_STATS)
        logger.warning("%s", sentence, extra={"spider": self.crawler.spider})
        return RobotsUnreachable(sentence)

    def _keep_distance(self, delay: float | None, request: Request) -> None:
        pace = self.crawler.get_extension(Pace)
        if not delay or pace is None:
            return
        pace.at_least(self.crawler.engine.downloader.get_slot_key(request), min(delay, LONGEST_CRAWL_DELAY_S))


def named_sitemaps(body: bytes, url: str) -> tuple[str, ...]:
    """The absolute URLs of the sitemaps that a robots.txt names, in any group of rules (RFC 9309, section 2.2.4)."""
    if body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<":
        return ()
    urls: dict[str, None] = {}
    for line in body[:_LARGEST].removeprefix(codecs.BOM_UTF8).splitlines():
        with suppress(ValueError):
            urls.update(dict.fromkeys(sitemap_urls_from_robots(line.partition(b" #")[0], base_url=url)))
    return tuple(islice((address for address in urls if address.startswith(("http://", "https://"))), _MOST_SITEMAPS))


def relevant_rules(body: bytes, token: str) -> bytes:
    """The part of a robots.txt that can concern this crawler, in linear time.

    Cuts the file at 500 KiB, empties web pages, and gives all other crawlers one name, since parsers keep a list of
    rules for each name. A group is ours if its name is the product token, in any case and with any version.
    """
    if body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<":
        return b""
    if len(body) > _LARGEST:
        body = body[:_LARGEST].rpartition(b"\n")[0]
    product = _product(token)
    text = body.decode("utf-8-sig", errors="ignore")
    return "\n".join(_with_known_name(line, product) for line in text.splitlines()).encode()


def _with_known_name(line: str, product: str) -> str:
    """A line of a robots.txt with the crawler's name replaced by one of three: everybody, us, or somebody else."""
    match = _USER_AGENT_LINE.match(line)
    name = match[1].partition("#")[0].strip() if match else ""
    if not name:
        return line
    if name == "*":
        return "User-agent: *"
    return f"User-agent: {product}" if _product(name) == product else f"User-agent: {_SOMEBODY_ELSE}"


def _product(name: str) -> str:
    """The product token at the start of a user agent or of a name in robots.txt, in lower case."""
    match = _PRODUCT.match(name)
    return match[0].lower() if match else ""
