"""Pictures of posts' pages, from the browser to the files and the WARC files."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from scrapy.exceptions import DropItem
from scrapy.settings import Settings
from scrapy.utils.defer import deferred_f_from_coro_f
from warcio.archiveiterator import ArchiveIterator

from blogcrawler import settings as defaults
from blogcrawler.capture import Capture
from blogcrawler.file_store import file_store
from blogcrawler.items import Page, Record, RecordSource
from blogcrawler.pipelines.warc import WarcPipeline, keep_picture

HOME, URL, PICTURE = "http://blog.example.org/", "http://blog.example.org/a/", b"\xff\xd8\xff a picture"


class Crawling:
    """A crawl, as far as the stages ask for it."""

    def __init__(self, folder, store):
        self.settings = Settings()
        self.settings.setmodule(defaults)
        self.settings.update({"ARCHIVE": f"{folder}/archive", "FILES_STORE": store and f"{folder}/{store}"})
        self.signals = SimpleNamespace(connect=lambda *_: None)
        self.capture = Capture(self)

    def get_extension(self, _):
        return self.capture


def shown():
    page = Page(URL, b"<p>A post.</p>", "text/html", is_rendered=True, screenshot=PICTURE)
    record = Record(HOME, URL)
    record.material = RecordSource(page, None, None)
    return record


async def kept(crawling, record, *, is_lost=False):
    files = file_store(crawling.settings)
    await keep_picture(record, record.material.page, files)
    if is_lost:
        for path, _ in files.listed():
            (files._folder / path).unlink()
    await WarcPipeline.from_crawler(crawling).process_item(record)
    crawling.capture.close()


def resources(folder):
    (file,) = (folder / "archive" / "warc").glob("*.warc.gz")
    with file.open("rb") as stream:
        for record in ArchiveIterator(stream):
            if record.rec_type == "resource":
                yield record.rec_headers["WARC-Target-URI"], record.content_stream().read()


@pytest.mark.parametrize("store", ["", "elsewhere"])
@deferred_f_from_coro_f
async def test_a_picture_is_a_file_and_a_record_wherever_files_are_kept(tmp_path, store):
    record = shown()
    await kept(Crawling(tmp_path, store), record)
    (media,) = record.media
    assert (tmp_path / (store or "archive") / media.path).read_bytes() == PICTURE
    assert dict(resources(tmp_path)) == {f"urn:view:{URL}": b"<p>A post.</p>", f"urn:fullPage:{URL}": PICTURE}


@deferred_f_from_coro_f
async def test_a_picture_that_cannot_be_read_again_is_told(tmp_path):
    with pytest.raises(DropItem, match="cannot be read again"):
        await kept(Crawling(tmp_path, ""), shown(), is_lost=True)
