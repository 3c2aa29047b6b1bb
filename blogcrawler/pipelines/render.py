"""First stage: render, where that brings comments.

Where a blog's pages are shown by scripts, the spider has had them rendered before they came here. What is left to this
stage are posts whose comments alone are loaded by script: the page as it was sent is kept, since rules were learned
from such pages, and the page as readers see it is put beside it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from blogcrawler.browser import Renderer, recognise

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

    from blogcrawler.browser import CommentSystem
    from blogcrawler.items import Record

__all__ = ["RenderPipeline"]


class RenderPipeline:
    """Renders posts whose comments are loaded by script.

    Counts comment systems under `blogcrawler/comments/found/NAME`, and those that are gone, whose comments are lost,
    under `blogcrawler/comments/lost/NAME`.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """A stage for one crawl."""
        return cls(crawler)

    async def process_item(self, item: Record) -> Record:
        """Put the rendered page of a post beside the one that was sent."""
        if item.material is None:
            return item
        page = item.material.page
        found = recognise(page.body)
        self._count(found)
        renderer = self.crawler.get_extension(Renderer)
        if page.is_rendered or renderer is None or all(system.gone for system in found):
            return item
        shown = await renderer.render(page, lambda _: "leads on to another page")
        if shown is not None:
            item.material = replace(item.material, shown=shown)
        return item

    def _count(self, found: list[CommentSystem]) -> None:
        assert self.crawler.stats is not None
        for system in found:
            if system.gone:
                self.crawler.stats.set_value(f"blogcrawler/comments/gone/{system.name}", system.gone)
            kind = "lost" if system.gone else "found"
            self.crawler.stats.inc_value(f"blogcrawler/comments/{kind}/{system.name}")
