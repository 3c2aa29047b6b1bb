"""Fourth stage: media.

Fetches the files that a post shows or offers, from whatever host, and keeps each once, named by what it holds. The
record tells for each where it is kept, or why it is not; the article keeps the addresses that the blog has written.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from typing import TYPE_CHECKING, Any, Self, TypedDict, cast

from scrapy import Request
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.http.request import NO_CALLBACK
from scrapy.pipelines.files import FilesPipeline
from scrapy.utils.defer import ensure_awaitable

from blogcrawler.backend import LATE_MEDIA, Archive, KeptMedia, LatePosts, MediaFiles, StoredFile, path_of
from blogcrawler.dom import fragment, media_links
from blogcrawler.downloader.reasons import is_temporary, reason_of, status_reason
from blogcrawler.errors import UNREADABLE, BackendUnavailable, FileRefused, Unchanged
from blogcrawler.items import Media
from blogcrawler.pipelines.media_hosts import MediaHosts, is_spared
from blogcrawler.pipelines.media_limits import TIMEOUT_S, WAIT_S, MediaLimits
from blogcrawler.pipelines.media_store import KeptStore, file_store, store_uri
from blogcrawler.pipelines.media_types import sniff
from blogcrawler.purposes import Purpose
from blogcrawler.time_limit import time_limit
from blogcrawler.urls import is_http

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.pipelines.media import FileInfoOrError
    from scrapy.pipelines.media import MediaPipeline as ScrapyMediaPipeline

    from blogcrawler.items import Record

ENCLOSURE, COMMENT = "enclosure", "comment"
ROLE, POST = "media_role", "media_post"
"""Keys of a request's meta: of the file's role, and of the post that asks for it."""
EMPTY, BROKEN_OFF, NO_TIME, NOT_WRITTEN = "empty", "broken off", "no answer in time", "could not be written"
TOO_SLOW = "takes too long to read"
LATER = -100
"""Priority below that of pages."""
OK = 200


class _Found(TypedDict):
    """What became of a file; the keys are Scrapy's."""

    url: str
    path: str
    checksum: str | None
    status: str
    kept: KeptMedia


class MediaPipeline(FilesPipeline):
    """Fetches files beside the pages, at the pace of their hosts.

    Each address is asked for once in a crawl, and not if an earlier crawl has kept its file, and it is there. Counts
    under `blogcrawler/media/`: `stored`, `known` and `failed` files, `bytes`, and `late` posts, of which some file is
    to be asked for again by the next crawl.
    """

    def __init__(self, store: str, *, crawler: Crawler) -> None:
        self._file_store = file_store(crawler.settings)
        self._kept_store = KeptStore(self._file_store)
        super().__init__(store, crawler=crawler)
        self._limits = MediaLimits.of(crawler.settings)
        self._turn = asyncio.Semaphore(max(1, crawler.settings.getint("MEDIA_CONCURRENCY")))
        self._files: MediaFiles | None = None
        self._hosts = MediaHosts()
        self._late: LatePosts | None = None
        #: why no file can be kept any more
        self._failure: BackendUnavailable | None = None
        #: by the posts in work: until when their files may be asked for, and the bytes that they have
        self._until: dict[int, float] = {}
        self._bytes: dict[int, int] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """A stage for one crawl; none where MEDIA is off."""
        if not crawler.settings.getbool("MEDIA"):
            raise NotConfigured
        return cls(store_uri(crawler.settings), crawler=crawler)

    def _get_store(self, uri: str) -> Any:  # noqa: ANN401, ARG002
        return self._kept_store

    def open_spider(self, spider: Any = None) -> None:  # noqa: ANN401, ARG002
        """Open the archive."""
        super().open_spider()
        settings = self.crawler.settings
        self.archive = Archive.open(settings["DATABASE_URL"], patience_s=settings.getfloat("DATABASE_PATIENCE"))

    async def close_spider(self) -> None:
        """Keep which posts have files to be asked for again, and close the archive."""
        try:
            if self._late is not None:
                self._inc("late", len(self._late))
                self._late.save()
        finally:
            self.archive.close()

    async def process_item(self, item: Record, spider: Any = None) -> Record:  # noqa: ANN401, ARG002
        """Fetch the files of a post. Where none can be kept it is dropped, and BackendUnavailable is the drop's cause.

        Of a record that lacks some, and was made of the archive's, those are asked for again; without success it is
        dropped, and Unchanged is the drop's cause.
        """
        if item.material is None and not item.lacks_media:
            return item
        lacking = _lacking(item)
        self._until[id(item)] = asyncio.get_running_loop().time() + WAIT_S
        self._bytes[id(item)] = 0
        try:
            if self._files is None:
                self._files = self.archive.media_files(item.blog)
                self._hosts = MediaHosts(self._files.all())
                self._late = LatePosts(self.archive, item.blog, LATE_MEDIA)
            await super().process_item(item)
        except BackendUnavailable as error:
            raise DropItem(str(error), log_level="ERROR") from error
        finally:
            del self._until[id(item)], self._bytes[id(item)]
        if item.material is None and _lacking(item) == lacking:
            told = f"The files of {item.url} cannot be had yet."
            raise DropItem(told, log_level="DEBUG") from Unchanged(told)
        return item

    # ---------------------------------------------------------------------------------------------- Scrapy's interface

    def get_media_requests(self, item: Record, info: ScrapyMediaPipeline.SpiderInfo) -> list[Request]:  # noqa: ARG002
        """A request for each file, within the limits."""
        return [self._request(media, item) for media in files_of(item)[: self._limits.count]]

    async def media_to_download(  # type: ignore[override]
        self,
        request: Request,
        info: ScrapyMediaPipeline.SpiderInfo,
        *,
        item: Any = None,  # noqa: ANN401
    ) -> _Found:
        """Fetch a file, or tell why that is not done. Nothing is raised, since Scrapy would log it as an error."""
        kept = KeptMedia(request.url, datetime.now(UTC), error=NOT_WRITTEN)
        if self._failure is None:
            try:
                kept = await self._kept(request, info, item)
            except BackendUnavailable as error:
                self._failure = error
        return _Found(url=request.url, path=kept.path or "", checksum=kept.sha256, status="", kept=kept)

    def item_completed(
        self,
        results: list[FileInfoOrError],
        item: Record,
        info: ScrapyMediaPipeline.SpiderInfo,  # noqa: ARG002
    ) -> Record:
        """Put into the record what became of its files. Raises BackendUnavailable."""
        if self._failure is not None:  # others' files are this post's, too
            raise self._failure
        wanted, known = files_of(item), {media.url: media for media in item.media}
        for media, (is_known, found) in zip(wanted, results, strict=False):
            assert is_known, found
            kept = cast("_Found", found)["kept"]
            known[media.url] = Media(media.url, kept.path, kept.sha256, kept.type, kept.bytes, media.role, kept.error)
        for media in wanted[len(results) :]:
            known[media.url] = replace(media, error=f"beyond the {self._limits.count} files of a post that are kept")
        item.media = list(known.values())
        assert self._late is not None
        self._late.note(item.url, is_late=any(map(_is_late, item.media)))
        return item

    # ------------------------------------------------------------------------------------------------------- one file

    def _request(self, media: Media, item: Record) -> Request:
        meta = {
            **Purpose.FILE.meta,
            ROLE: media.role,
            POST: item.url,
            "dont_cache": True,
            "download_timeout": TIMEOUT_S,
            "download_maxsize": self._limits.size,
            "download_warnsize": 0,
            "max_retry_times": self._limits.retries,
        }
        headers = {"Accept": "*/*", "Referer": item.url}
        return Request(media.url, headers=headers, meta=meta, priority=LATER, callback=NO_CALLBACK, dont_filter=True)

    async def _kept(self, request: Request, info: ScrapyMediaPipeline.SpiderInfo, item: Record) -> KeptMedia:
        """A file as the archive has it, or as it is fetched now."""
        assert self._files is not None
        known = self._files.find(request.url)
        had = known if known is not None and not known.error else None
        if had is not None and not self._is_lost(had):
            self._inc("known")
            return had
        kept = await self._fetched(request, info, item)
        if had is not None and kept.error:  # the file is lost; what it was is not
            self._inc("failed")
            return had
        if not is_spared(kept.error):
            self._files.save(kept)
        self._inc("failed" if kept.error else "stored")
        self._inc("bytes", 0 if kept.error else kept.bytes or 0)
        return kept

    def _is_lost(self, had: KeptMedia) -> bool:
        if had.path is None or had.sha256 is None or had.bytes is None:
            return False
        return self._file_store.has_lost(StoredFile(had.path, had.sha256, had.bytes))

    async def _fetched(self, request: Request, info: ScrapyMediaPipeline.SpiderInfo, item: Record) -> KeptMedia:
        """A file, kept, or why it is not."""
        refusal = self._limits.refusal_of_url(request.url)
        if refusal is None:
            async with self._turn:
                refusal = self._refusal_now(item) or self._hosts.refusal(request.url, datetime.now(UTC))
                if refusal is None:
                    kept = await self._asked(request, info, item)
                    self._hosts.note(kept)
                    return kept
        return KeptMedia(request.url, datetime.now(UTC), error=refusal)

    async def _asked(self, request: Request, info: ScrapyMediaPipeline.SpiderInfo, item: Record) -> KeptMedia:
        """What became of a request. Raises BackendUnavailable."""
        try:
            return await self._stored(await self._download(request), request, info, item)
        except BackendUnavailable:
            raise
        except Exception as error:  # noqa: BLE001  whatever it was, the record tells it
            return KeptMedia(request.url, datetime.now(UTC), error=reason_of(error))

    def _refusal_now(self, item: Record) -> str | None:
        """Why no further file of a post is asked for."""
        if asyncio.get_running_loop().time() > self._until[id(item)]:
            return NO_TIME
        return f"beyond the {self._limits.total} bytes of a post that are kept" if self._is_full(item) else None

    def _is_full(self, item: Record) -> bool:
        return self._bytes[id(item)] >= self._limits.total

    async def _download(self, request: Request) -> Response:
        assert self.crawler.engine is not None
        return await self.crawler.engine.download_async(request)

    async def _stored(
        self, response: Response, request: Request, info: ScrapyMediaPipeline.SpiderInfo, item: Record
    ) -> KeptMedia:
        url, now, body = request.url, datetime.now(UTC), response.body
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
        refusal = self._limits.refusal(kind, request.meta[ROLE])
        if refusal is not None:
            return KeptMedia(url, now, type=kind, bytes=len(body), error=refusal)
        digest = hashlib.sha256(body).hexdigest()
        path = path_of(digest)
        try:
            await ensure_awaitable(self.store.persist_file(path, BytesIO(body), info))
        except FileRefused as error:
            self._log(url, error)
            return KeptMedia(url, now, type=kind, bytes=len(body), error=NOT_WRITTEN)
        self._bytes[id(item)] += len(body)
        return KeptMedia(url, now, path, digest, kind, len(body))

    def _log(self, url: str, error: FileRefused) -> None:
        assert self.crawler.spider is not None
        self.crawler.spider.logger.error("The file %s is not kept. %s", url, error)

    def _inc(self, name: str, count: int = 1) -> None:
        assert self.crawler.stats is not None
        if count:
            self.crawler.stats.inc_value(f"blogcrawler/media/{name}", count)


def files_of(record: Record) -> list[Media]:
    """The files of a record that are to be fetched, each once: of one from the archive, those that it lacks."""
    if record.material is None:
        return [Media(media.url, role=media.role) for media in record.media if media.error]
    entry = record.material.entry
    found = [Media(link.url, role=link.role) for link in _links(record.content_html)]
    found += [Media(url, role="background") for url in record.material.backgrounds]
    found += [Media(enclosure.url, role=ENCLOSURE) for enclosure in (entry.enclosures if entry is not None else ())]
    for comment in record.comments:
        found += [Media(link.url, role=COMMENT) for link in _links(comment.content_html) if link.role == "image"]
    return list({media.url: media for media in reversed(found) if is_http(media.url)}.values())[::-1]


def _links(html: str | None) -> Iterable[Any]:
    if not html:
        return []
    try:
        return media_links(fragment(html))
    except UNREADABLE:
        return []


def _lacking(record: Record) -> set[str]:
    """The addresses of the files that a record tells of and that are not kept."""
    return {media.url for media in record.media if media.error}


def _is_late(media: Media) -> bool:
    """May a file be had by the next crawl?"""
    error = media.error
    return error is not None and (error == NOT_WRITTEN or is_temporary(error) or is_spared(error))
