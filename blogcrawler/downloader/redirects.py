"""Lets a spider say where a redirect may lead, before the target is fetched.

A request that carries `meta["check_redirect"]`, a function of a URL, has it called with the target of each redirect. It
returns None where the target may be fetched, otherwise a few words why not: the request then fails with
RedirectRefused. So it does where redirects go in a circle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest

if TYPE_CHECKING:
    from scrapy import Request

__all__ = ["RedirectMiddleware", "RedirectRefused"]

IN_A_CIRCLE = "redirects in a circle"


class RedirectRefused(IgnoreRequest):
    """A redirect to where the spider does not go; `str()` says why in a few words."""

    def __init__(self, reason: str, target: str) -> None:
        super().__init__(reason)
        self.target = target


class RedirectMiddleware:
    """Asks the request's own check about the target of each redirect."""

    def process_request(self, request: Request) -> None:
        """Refuse the target of a redirect that the check refuses, or that was there before."""
        check = request.meta.get("check_redirect")
        if check is None or not request.meta.get("redirect_times"):
            return
        reason = IN_A_CIRCLE if request.url in request.meta.get("redirect_urls", ()) else check(request.url)
        if reason is not None:
            raise RedirectRefused(reason, request.url)
