"""Fourth stage: download the files of a post from any host, and store each once, by its content.

The record states for each file where it is stored, or why it is not; the article keeps the URLs that the blog wrote.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.asyncio import run_in_thread

from blogcrawler.backend import LATE_MEDIA, KeptMedia, LatePosts, MediaFiles, StoredFile
from blogcrawler.component import Component
from blogcrawler.dom import fragment, media_links
from blogcrawler.downloader import RobotsTxtMiddleware
from blogcrawler.downloader.reasons import is_temporary, reason_of, status_reason
from blogcrawler.errors import UNREADABLE, BackendUnavailable, FileRefused, Unchanged
from blogcrawler.file_store import file_store
from blogcrawler.items import Media
from blogcrawler.pipelines.media_limits import MOST_BYTES, MOST_FILES, MediaHosts, MediaLimits, is_spared
from blogcrawler.pipelines.media_types import sniff
from blogcrawler.purposes import Purpose
from blogcrawler.time_limit import time_limit
from blogcrawler.urls import is_http, origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from blogcrawler.items import Record

logger = logging.getLogger(__name__)

AT_ONCE = 4
"""Number of concurrent downloads of files, over all hosts."""
ROBOTS_AT_ONCE = 16
"""Number of concurrent requests for robots.txt."""
TIMEOUT_S = 60.0
"""Timeout of a file, in seconds."""
WAIT_S = 600.0
"""Seconds after which no further file of a post is requested; the next crawl does that."""
EMPTY, BROKEN_OFF, NO_TIME, NOT_WRITTEN = "empty", "broken off", "no answer in time", "could not be written"
TOO_SLOW = "takes too long to read"
LATER = -100
"""Priority below that of pages."""
OK = 200


@dataclass
class _Post:
    """A post whose files are being downloaded."""

    url: str
    #: time, by the loop's clock, after which no further file is requested
    ends_at: float
    #: total size of its files so far, in bytes
    size_bytes: int = 0


class MediaPipeline(Component):
    """Downloads files beside the pages, at the pace of their hosts.

    Each URL is requested once in a crawl, and not at all if an earlier crawl has stored its file. Counters under
    `blogcrawler/media/`: `stored`, `known` and `failed` files, `bytes`, and `late` posts with files that the next crawl
    requests again.
    """

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.getbool("MEDIA"):
            raise NotConfigured
        super().__init__(crawler)
        self._store = file_store(crawler.settings)
        self._limits = MediaLimits(crawler.settings)
        self._turn = asyncio.Semaphore(AT_ONCE)
        self._hosts = MediaHosts()
        #: tasks that fetch a robots.txt, by server
        self._met: dict[str, asyncio.Future[None]] = {}
        self._asking_robots = asyncio.Semaphore(ROBOTS_AT_ONCE)
        self._files: MediaFiles | None = None
        self._late: LatePosts | None = None
        #: the files of this crawl, by the fingerprint of their request
        self._fetching: dict[bytes, asyncio.Future[KeptMedia]] = {}
        #: the error after which no file can be stored any more
        self._failure: BackendUnavailable | None = None

    async def close_spider(self) -> None:
        """Save the list of posts with files to be requested again."""
        if self._late is not None:
            self._inc("late", len(self._late))
            self._late.save()

    async def process_item(self, item: Record) -> Record:
        """Download the files of a post.

        If no file can be stored, the record is dropped with BackendUnavailable as the cause.

        For a record from the archive, only missing files are requested; if none is found, it is dropped with Unchanged
        as the cause.
        """
        if item.material is None and not item.lacks_media:
            return item
        missing = _lacking(item)
        try:
            await self._add_files(item)
        except BackendUnavailable as error:
            raise DropItem(str(error), log_level="ERROR") from error
        if item.material is None and _lacking(item) == missing:
            message = f"The files of {item.url} are still unavailable."
            raise DropItem(message, log_level="DEBUG") from Unchanged(message)
        return item

    async def _add_files(self, item: Record) -> None:
        """Add the results of its files to a record. Raises BackendUnavailable."""
        if self._files is None or self._late is None:
            archive = self._spider.ctx.archive
            self._files = archive.media_files(item.blog)
            self._hosts = MediaHosts(self._files.all())
            self._late = LatePosts(archive, item.blog, LATE_MEDIA)
        post = _Post(item.url, asyncio.get_running_loop().time() + WAIT_S)
        wanted = files_of(item)
        if item.material is not None:
            item.material = item.material.without_trees()
        with self._spider.ctx.waiting_for_files_of(item):
            fetched = await asyncio.gather(*(self._fetch_once(media, post) for media in wanted[:MOST_FILES]))
        if self._failure is not None:  # a file with a different role in another post
            raise self._failure
        results = {media.url: media for media in item.media}
        for media, file in zip(wanted, fetched, strict=False):
            results[media.url] = Media(media.url, file.path, file.sha256, file.type, file.bytes, media.role, file.error)
        for media in wanted[MOST_FILES:]:
            results[media.url] = replace(media, error=f"this post has more than {MOST_FILES} files")
        item.media = list(results.values())
        self._late.note(item.url, is_late=any(map(_is_late, item.media)))

    @property
    def _spider(self) -> Any:  # noqa: ANN401
        return self.crawler.spider

    # files

    def _fetch_once(self, media: Media, post: _Post) -> asyncio.Future[KeptMedia]:
        request = self._request(media.url, post)
        assert self.crawler.request_fingerprinter is not None
        key = self.crawler.request_fingerprinter.fingerprint(request)
        if key not in self._fetching:
            self._fetching[key] = asyncio.ensure_future(self._fetch(request, media.role, post))
        return self._fetching[key]

    def _request(self, url: str, post: _Post) -> Request:
        meta = {
            **Purpose.FILE.meta,
            "dont_cache": True,
            "download_timeout": TIMEOUT_S,
            "download_maxsize": self._limits.size,
            "download_warnsize": 0,
            "max_retry_times": self._limits.retries,
        }
        headers = {"Accept": "*/*", "Referer": post.url}
        return Request(url, headers=headers, meta=meta, priority=LATER, callback=NO_CALLBACK, dont_filter=True)

    async def _fetch(self, request: Request, role: str | None, post: _Post) -> KeptMedia:
        """Return a stored file, or the reason why it is not stored."""
        if self._failure is None:
            try:
                return await self._known_or_new(request, role, post)
            except BackendUnavailable as error:
                self._failure = error
        return KeptMedia(request.url, datetime.now(UTC), error=NOT_WRITTEN)

    async def _known_or_new(self, request: Request, role: str | None, post: _Post) -> KeptMedia:
        """A file from the archive, or downloaded now. Raises BackendUnavailable."""
        assert self._files is not None
        known = self._files.find(request.url)
        archived = known if known is not None and not known.error else None
        if archived is not None and not self._is_lost(archived):
            self._inc("known")
            return archived
        file = await self._in_turn(request, role, post)
        if archived is not None and file.error:  # the file is lost, but its type and digest are known
            self._inc("failed")
            return archived
        if not is_spared(file.error):
            self._files.save(file)
        self._inc("failed" if file.error else "stored")
        self._inc("bytes", 0 if file.error else file.bytes or 0)
        return file

    def _is_lost(self, had: KeptMedia) -> bool:
        if had.path is None or had.sha256 is None or had.bytes is None:
            return False
        return self._store.has_lost(StoredFile(had.path, had.sha256, had.bytes))

    async def _in_turn(self, request: Request, role: str | None, post: _Post) -> KeptMedia:
        """Download a file when its turn has come, unless its URL, post or host forbids it."""
        refusal = self._limits.refusal_of_url(request.url)
        if refusal is None and (refusal := self._refusal_now(post)) is None:
            await self._await_robots(request)
            async with self._turn:
                refusal = self._refusal_now(post) or self._hosts.refusal(request.url, datetime.now(UTC))
                if refusal is None:
                    file = await self._download(request, role, post)
                    self._hosts.note(file)
                    return file
        return KeptMedia(request.url, datetime.now(UTC), error=refusal)

    async def _await_robots(self, request: Request) -> None:
        """Wait for a host's robots.txt, so that a host that does not respond blocks no download of another host."""
        server = origin(request.url)
        if server not in self._met and not self._hosts.is_dead(request.url, datetime.now(UTC)):
            self._met[server] = asyncio.ensure_future(self._ask_robots(request))
        if server in self._met:
            await self._met[server]

    async def _ask_robots(self, request: Request) -> None:
        robots = self.crawler.get_downloader_middleware(RobotsTxtMiddleware)
        if isinstance(robots, RobotsTxtMiddleware):
            async with self._asking_robots:
                with suppress(Exception):  # the downloads from this host will fail with the same error
                    await robots.robot_parser(request)

    def _refusal_now(self, post: _Post) -> str | None:
        """Return why no further file of a post is requested."""
        is_over = not self.crawler.crawling or self._spider.ctx.is_late
        if is_over or asyncio.get_running_loop().time() > post.ends_at:
            return NO_TIME
        is_full = post.size_bytes >= MOST_BYTES
        return f"the files of this post exceed {MOST_BYTES} bytes" if is_full else None

    async def _download(self, request: Request, role: str | None, post: _Post) -> KeptMedia:
        """Return the result of a download. Raises BackendUnavailable."""
        assert self.crawler.engine is not None
        try:
            file = await self._stored(await self.crawler.engine.download_async(request), request.url, role)
        except BackendUnavailable:
            raise
        except Exception as error:  # noqa: BLE001  any error is noted in the record
            return KeptMedia(request.url, datetime.now(UTC), error=reason_of(error))
        if not file.error:
            post.size_bytes += file.bytes or 0
        return file

    async def _stored(self, response: Response, url: str, role: str | None) -> KeptMedia:
        now, body = datetime.now(UTC), response.body
        if response.status != OK:
            return KeptMedia(url, now, error=status_reason(response.status))
        if not body:
            return KeptMedia(url, now, error=EMPTY)
        if "truncated" in response.flags:
            return KeptMedia(url, now, error=BROKEN_OFF)
        try:
            with time_limit():
                kind = sniff(body, (response.headers.get("Content-Type") or b"").decode("latin-1"))
        except UNREADABLE:
            return KeptMedia(url, now, bytes=len(body), error=TOO_SLOW)
        refusal = self._limits.refusal(kind, role)
        if refusal is not None:
            return KeptMedia(url, now, type=kind, bytes=len(body), error=refusal)
        try:
            file = await run_in_thread(self._store.put, body)
        except FileRefused as error:
            logger.error("The file %s is not stored. %s", url, error, extra={"spider": self.crawler.spider})
            return KeptMedia(url, now, type=kind, bytes=len(body), error=NOT_WRITTEN)
        return KeptMedia(url, now, file.path, file.sha256, kind, file.bytes)

    def _inc(self, name: str, count: int = 1) -> None:
        assert self.crawler.stats is not None
        if count:
            self.crawler.stats.inc_value(f"blogcrawler/media/{name}", count)


def files_of(record: Record) -> list[Media]:
    """The files of a record that are to be downloaded, each once; for a record from the archive, those that are
    missing."""
    if record.material is None:
        return [Media(media.url, role=media.role) for media in record.media if media.error]
    entry = record.material.entry
    files = list(_linked(record.content_html))
    files += [Media(url, role="background") for url in record.material.backgrounds]
    files += [Media(enclosure.url, role="enclosure") for enclosure in (entry.enclosures if entry is not None else ())]
    for comment in record.comments:
        files += [replace(one, role="comment") for one in _linked(comment.content_html) if one.role == "image"]
    return list({media.url: media for media in reversed(files) if is_http(media.url)}.values())[::-1]


def _linked(html: str | None) -> Iterator[Media]:
    try:
        links = media_links(fragment(html)) if html else []
    except UNREADABLE:
        return
    yield from (Media(link.url, role=link.role) for link in links)


def _lacking(record: Record) -> set[str]:
    """The URLs of the files that a record names and that are not stored."""
    return {media.url for media in record.media if media.error}


def _is_late(media: Media) -> bool:
    """True for a file that the next crawl may get."""
    error = media.error
    return error is not None and (error == NOT_WRITTEN or is_temporary(error) or is_spared(error))
