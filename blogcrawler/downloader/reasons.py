"""Why a page or file could not be fetched: the same few words for all failures of one kind."""

from __future__ import annotations

from http import HTTPStatus

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)

from blogcrawler.downloader.foreign import HostUnreachable
from blogcrawler.downloader.guard import AddressRefused
from blogcrawler.downloader.redirects import WANTS_COOKIES, RedirectRefused
from blogcrawler.downloader.removed import REMOVED, PostRemoved
from blogcrawler.downloader.render import NotShown
from blogcrawler.downloader.robots import RobotsUnreachable
from blogcrawler.downloader.supplied_pages import FailedElsewhere
from blogcrawler.shared import WORKERS_DIED

BROKE = "made the program fail, see the log"
NOT_SHOWN = "could not be shown in a browser"
TOO_LARGE = "too large"
CONNECTION_FAILED = "connection failed"
FORBIDDEN = "forbidden by robots.txt"
GARBLED = "its compression cannot be read"
DECOMPRESSORS = ("brotli", "gzip", "zlib", "zstd")
"""Parts of module names whose errors mean that a body could not be decompressed."""
TO_DO = {
    WANTS_COOKIES: "it shows its pages only to clients that send its cookies back; set COOKIES_ENABLED=True",
    FORBIDDEN: "if the blog's owner allows it, set ROBOTSTXT_OBEY=False",
    REMOVED: "crawls skip it, see blogcrawler purge --list",
    GARBLED: "if a web browser does not show it either, tell its owner",
}

REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (AddressRefused, "not on the public internet"),
    (PostRemoved, REMOVED),
    (NotShown, NOT_SHOWN),
    (RobotsUnreachable, "robots.txt cannot be fetched"),
    (CannotResolveHostError, "host not found"),
    (DownloadConnectionRefusedError, "connection refused"),
    (DownloadTimeoutError, "no answer in time"),
    (DownloadCancelledError, TOO_LARGE),
    (ResponseDataLossError, "broken off"),
)
IGNORED = (
    ("robots.txt", FORBIDDEN),
    ("max redirections", "too many redirects"),
    ("during decompression", TOO_LARGE),
)
"""Texts by which Scrapy says why it ignored a request."""


def reason_of(error: BaseException) -> str:
    """A few words for an error of the downloader."""
    if isinstance(error, RedirectRefused | FailedElsewhere):
        return str(error)
    if isinstance(error, HostUnreachable | RobotsUnreachable) and error.__cause__ is not None:
        return reason_of(error.__cause__)
    for kind, reason in REASONS:
        if isinstance(error, kind):
            return reason
    if isinstance(error, IgnoreRequest):
        return next((reason for sign, reason in IGNORED if sign in str(error)), "not fetched")
    if any(name in type(error).__module__ for name in DECOMPRESSORS):
        return GARBLED
    if type(error).__module__ == "builtins" and not isinstance(error, (OSError, EOFError)):
        return BROKE
    return f"{CONNECTION_FAILED} ({type(error).__name__})"


def sentence_of(error: BaseException) -> str:
    """The rest of a sentence for the user: the reason and the remedy."""
    if isinstance(error, AddressRefused) or (isinstance(error, RobotsUnreachable) and error.__cause__ is None):
        return str(error)
    reason = reason_of(error)
    if reason == BROKE:
        return "the program failed on it; see the log. Please report it."
    return f"{reason}; {TO_DO.get(reason, 'check the address and the connection')}."


def advice_of(reason: str) -> str | None:
    """The remedy if a server refuses all requests; None for other reasons."""
    if reason.startswith("401"):
        return "it requires a login, which the crawler does not have. Ask its owner for pages that need none"
    if reason.startswith(("403", "429", "503")):
        return "it refuses crawlers, or is busy. Set CONTACT so that its owner can identify you, wait, and try again"
    return TO_DO[reason] if reason == WANTS_COOKIES else None


def status_reason(status: int) -> str:
    """A few words for an HTTP status."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"status {status}"


UNANSWERED = frozenset(
    {"host not found", "connection refused", "no answer in time", "broken off", "robots.txt cannot be fetched"}
)


def is_unanswered(reason: str) -> bool:
    """True if the server did not answer at all."""
    return reason in UNANSWERED or reason.startswith(CONNECTION_FAILED)


def is_gone(reason: str) -> bool:
    """True if the server says that the page does not exist (any more). RFC 9110, sections 15.5.5 and 15.5.11."""
    return reason.startswith(("404", "410"))


def is_temporary(reason: str) -> bool:
    """True if another try may succeed: no answer, too many requests, a server error, no browser."""
    return is_unanswered(reason) or reason.startswith((NOT_SHOWN, WORKERS_DIED, GARBLED, "408", "429", "5", "status 5"))
