"""Base class of middlewares, extensions and pipeline stages, which Scrapy creates from a crawler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings


class Component:
    """A part of one crawl, which reads its settings when it is created. Raises NotConfigured if it is disabled."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the component for a crawler, as Scrapy requires."""
        return cls(crawler)


class UnusedPartsAddon:
    """Removes Scrapy's components that a setting disables, since each of them imports another library."""

    PARTS = (
        ("COOKIES_ENABLED", "DOWNLOADER_MIDDLEWARES_BASE", "scrapy.downloadermiddlewares.cookies.CookiesMiddleware"),
        ("REMOTE_CONTROL_ENABLED", "EXTENSIONS_BASE", "scrapy.extensions.remote_control.RemoteControl"),
        ("TELNETCONSOLE_ENABLED", "EXTENSIONS_BASE", "scrapy.extensions.telnet.TelnetConsole"),
    )

    def update_settings(self, settings: BaseSettings) -> None:
        for setting, base, part in self.PARTS:
            if not settings.getbool(setting):
                settings[base].pop(part, None)
