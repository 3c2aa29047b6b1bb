"""Why a page could not be fetched, in a few words that are the same for all pages that failed alike."""

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

from blogcrawler.downloader import AddressRefused, RobotsUnreachable

__all__ = ["reason_of", "status_reason"]

REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (AddressRefused, "not on the public internet"),
    (RobotsUnreachable, "robots.txt cannot be fetched"),
    (CannotResolveHostError, "host not found"),
    (DownloadConnectionRefusedError, "connection refused"),
    (DownloadTimeoutError, "no answer in time"),
    (DownloadCancelledError, "too large"),
    (ResponseDataLossError, "broken off"),
)


def reason_of(error: BaseException) -> str:
    """A few words for an error of the downloader."""
    for kind, reason in REASONS:
        if isinstance(error, kind):
            return reason
    if isinstance(error, IgnoreRequest):
        return "forbidden by robots.txt" if "robots" in str(error).lower() else "not fetched"
    return f"connection failed ({type(error).__name__})"


def status_reason(status: int) -> str:
    """A few words for an HTTP status."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"status {status}"
