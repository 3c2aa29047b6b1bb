"""Lets a spider say where a redirect may lead, before the target is fetched.

A request that carries `meta["check_redirect"]`, a function of a URL, has it called with the target of each redirect. It
returns None where the target may be fetched, otherwise a few words why not: the request then fails with
RedirectRefused. So it does where redirects go round, or from each address to the next one of its form.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy import Request

__all__ = ["RedirectMiddleware", "RedirectRefused"]

ENDLESS = "redirects without end"
MOST_OF_A_FORM = 2
"""Addresses in a row that differ in their numbers alone."""
MOST_OF_A_FOLDER = 3
"""Addresses in a row of one folder, with the same parameters."""
_NUMBER = re.compile(r"\d+")


class RedirectRefused(IgnoreRequest):
    """A redirect to where the spider does not go; `str()` says why in a few words."""

    def __init__(self, reason: str, target: str) -> None:
        super().__init__(reason)
        self.target = target


class RedirectMiddleware:
    """Asks the request's own check about the target of each redirect."""

    def process_request(self, request: Request) -> None:
        """Refuse the target of a redirect that the check refuses, or that comes of redirects without end."""
        check = request.meta.get("check_redirect")
        if check is None or not request.meta.get("redirect_times"):
            return
        reason = ENDLESS if _is_endless(request.meta.get("redirect_urls", ()), request.url) else check(request.url)
        if reason is not None:
            raise RedirectRefused(reason, request.url)


def _is_endless(before: Sequence[str], target: str) -> bool:
    """Was a target there before, or are the addresses that led to it as many steps of one way?"""
    if target in before:
        return True
    forms = {_NUMBER.sub("0", url) for url in (*before[-MOST_OF_A_FORM:], target)}
    folders = {_folder(url) for url in (*before[-MOST_OF_A_FOLDER:], target)}
    return (len(before) >= MOST_OF_A_FORM and len(forms) == 1) or (
        len(before) >= MOST_OF_A_FOLDER and len(folders) == 1
    )


def _folder(url: str) -> tuple[str, ...]:
    address, _, query = url.partition("?")
    return address.rpartition("/")[0], *sorted(part.partition("=")[0] for part in query.split("&"))
