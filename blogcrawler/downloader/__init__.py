"""How pages are fetched: safely, politely, and completely.

Components for Scrapy's downloader, switched on in `blogcrawler.settings`. What a spider has to know is in the docstring
of `guard`: it must carry the attribute `url`, and the errors
AddressRefused, RedirectRefused and RobotsUnreachable reach its errbacks.
"""

from __future__ import annotations

from blogcrawler.downloader.gate import ending_without_gate, gate_failed, is_gate_gone
from blogcrawler.downloader.http_cache import KEPT_AT
from blogcrawler.downloader.patience import server_gone
from blogcrawler.downloader.policy import AddressPolicy
from blogcrawler.downloader.redirects import RedirectRefused
from blogcrawler.downloader.render import RENDERED, SCREENSHOT
from blogcrawler.downloader.revalidation import RevalidationMiddleware
from blogcrawler.downloader.robots import RobotsTxtMiddleware, named_sitemaps

__all__ = [
    "KEPT_AT",
    "RENDERED",
    "SCREENSHOT",
    "AddressPolicy",
    "RedirectRefused",
    "RevalidationMiddleware",
    "RobotsTxtMiddleware",
    "ending_without_gate",
    "gate_failed",
    "is_gate_gone",
    "named_sitemaps",
    "server_gone",
]
