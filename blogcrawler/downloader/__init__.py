"""How pages are fetched: safely, politely, and completely.

Components for Scrapy's downloader, switched on in `blogcrawler.settings`. What a spider has to know is in the docstring
of `guard`: it must carry the attribute `url`, and the errors
AddressRefused, RedirectRefused and RobotsUnreachable reach its errbacks.
"""

from __future__ import annotations

from blogcrawler.downloader.addresses import Address, Origin, canonical_host, is_localhost, is_public, literal_address
from blogcrawler.downloader.backoff import BackoffMiddleware, retry_after
from blogcrawler.downloader.gate import FleetGate, ending_without_gate, gate_failed, is_gate_gone
from blogcrawler.downloader.guard import AddressRefused, GuardMiddleware
from blogcrawler.downloader.http_cache import KEPT_AT, SqliteCacheStorage
from blogcrawler.downloader.kept import KeptPageMiddleware
from blogcrawler.downloader.pace import Pace
from blogcrawler.downloader.patience import PatienceMiddleware, server_gone
from blogcrawler.downloader.policy import AddressPolicy, AllowedHost
from blogcrawler.downloader.redirects import RedirectMiddleware, RedirectRefused
from blogcrawler.downloader.render import RENDERED, SCREENSHOT, NotShown, RenderMiddleware, shown_response
from blogcrawler.downloader.revalidation import RevalidationMiddleware, RevalidationPolicy
from blogcrawler.downloader.robots import RobotsTxtMiddleware, RobotsUnreachable, named_sitemaps
from blogcrawler.downloader.throttle import AutoThrottle
from blogcrawler.downloader.truncation import TruncationMiddleware
from blogcrawler.downloader.useragent import ContactAddon, user_agent

__all__ = [
    "KEPT_AT",
    "RENDERED",
    "SCREENSHOT",
    "Address",
    "AddressPolicy",
    "AddressRefused",
    "AllowedHost",
    "AutoThrottle",
    "BackoffMiddleware",
    "ContactAddon",
    "FleetGate",
    "GuardMiddleware",
    "KeptPageMiddleware",
    "NotShown",
    "Origin",
    "Pace",
    "PatienceMiddleware",
    "RedirectMiddleware",
    "RedirectRefused",
    "RenderMiddleware",
    "RevalidationMiddleware",
    "RevalidationPolicy",
    "RobotsTxtMiddleware",
    "RobotsUnreachable",
    "SqliteCacheStorage",
    "TruncationMiddleware",
    "canonical_host",
    "ending_without_gate",
    "gate_failed",
    "is_gate_gone",
    "is_localhost",
    "is_public",
    "literal_address",
    "named_sitemaps",
    "retry_after",
    "server_gone",
    "shown_response",
    "user_agent",
]
