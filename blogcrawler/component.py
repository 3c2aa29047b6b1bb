"""What middlewares, extensions and pipeline stages have in common: Scrapy makes each of them from a crawler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings


class Component:
    """A part of one crawl, which reads its settings when it is made. Raises NotConfigured where it is not wanted."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The component of a crawler; Scrapy's way of making it."""
        return cls(crawler)


class UnusedPartsAddon:
    """Takes parts of Scrapy's that a setting has off out of what it imports: each brings a library along."""

    PARTS = (
        ("COOKIES_ENABLED", "DOWNLOADER_MIDDLEWARES_BASE", "scrapy.downloadermiddlewares.cookies.CookiesMiddleware"),
        ("REMOTE_CONTROL_ENABLED", "EXTENSIONS_BASE", "scrapy.extensions.remote_control.RemoteControl"),
        ("TELNETCONSOLE_ENABLED", "EXTENSIONS_BASE", "scrapy.extensions.telnet.TelnetConsole"),
    )

    def update_settings(self, settings: BaseSettings) -> None:
        for setting, base, part in self.PARTS:
            if not settings.getbool(setting):
                settings[base].pop(part, None)
