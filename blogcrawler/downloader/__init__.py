"""Components for Scrapy's downloader, which fetch pages safely, politely and completely.

A spider must have the attribute `url` (see `guard`); its errbacks receive AddressRefused, RedirectRefused and
RobotsUnreachable.
"""

from __future__ import annotations

from blogcrawler.downloader.addresses import AddressPolicy
from blogcrawler.downloader.captured import (
    CAPTURE,
    CAPTURE_ARGUMENTS,
    NOT_CAPTURED,
    CapturedPages,
    capture_settings,
    check_capture_arguments,
)
from blogcrawler.downloader.gate import ending_without_gate, gate_failed, is_gate_gone
from blogcrawler.downloader.http_cache import KEPT_AT
from blogcrawler.downloader.patience import server_gone
from blogcrawler.downloader.redirects import SETS_COOKIE, RedirectRefused
from blogcrawler.downloader.render import RENDERED, SCREENSHOT
from blogcrawler.downloader.revalidation import RevalidationMiddleware
from blogcrawler.downloader.robots import RobotsTxtMiddleware, named_sitemaps
from blogcrawler.downloader.supplied_pages import FailedElsewhere

__all__ = [
    "CAPTURE",
    "CAPTURE_ARGUMENTS",
    "KEPT_AT",
    "NOT_CAPTURED",
    "RENDERED",
    "SCREENSHOT",
    "SETS_COOKIE",
    "AddressPolicy",
    "CapturedPages",
    "FailedElsewhere",
    "RedirectRefused",
    "RevalidationMiddleware",
    "RobotsTxtMiddleware",
    "capture_settings",
    "check_capture_arguments",
    "ending_without_gate",
    "gate_failed",
    "is_gate_gone",
    "named_sitemaps",
    "server_gone",
]
