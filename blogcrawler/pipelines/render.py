"""First stage: load the comments that scripts load, see `blogcrawler.comments.scripted`.

The original page is kept, since rules were learned from such pages; its comments, or the rendered page with comments,
are stored beside it. Pages that need scripts for their article were already rendered by the spider.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.comments import EmbeddedSystems, controls, is_comment_frame
from blogcrawler.component import Component
from blogcrawler.file_store import file_store
from blogcrawler.pipelines.comments import comment_crawl
from blogcrawler.pipelines.warc import keep_picture

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from blogcrawler.items import Record


class RenderPipeline(Component):
    """Adds the comments that scripts load to each post's page, and stores the page's screenshot.

    Counts posts whose comments cannot be loaded under `blogcrawler/comments/lost/NAME`.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        crawl = comment_crawl(crawler)
        if crawl.renderer is not None:
            crawl.renderer.controls, crawl.renderer.is_wanted_frame = controls(), is_comment_frame
        self._files = file_store(crawler.settings)
        self._systems = EmbeddedSystems(crawl, is_on=crawler.settings.getbool("COMMENTS"))

    async def process_item(self, item: Record) -> Record:
        if item.material is not None:
            item.material = await self._systems.load(item.material)
            await keep_picture(item, item.material.shown or item.material.page, self._files)
        return item
