"""Ask a web archive politely: few requests a second, longer waits where it asks for them, a bounded number of retries.

See RFC 6585 (429) and RFC 9110, section 10.2.3 (Retry-After). The Internet Archive closes its doors for an hour to
clients that go on for a minute after 429.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from blogcrawler.errors import ExcludedFromArchive, Unreachable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from blogcrawler.sources.kept_answers import Answer

logger = logging.getLogger(__name__)

_TEMPORARY = {429, 500, 502, 503, 504}
_ATTEMPTS = 6
_FIRST_ATTEMPTS = 2
"""Attempts while nothing has answered at all: the address may be wrong."""
_FIRST_PAUSE_S = 2.0
_LIMITED_PAUSE_S = 60.0
_LONGEST_PAUSE_S = 600.0
_LONGEST_INTERVAL_S = 10.0
_MOST_REDIRECTS = 5
_EXCLUSIONS = {
    "AdministrativeAccessControlException": "on request",
    "RobotAccessControlException": "because of robots.txt",
}
_KEPT = "all answers so far are kept."


class TemporaryFailure(Unreachable):
    """All attempts of a request have failed, which other requests need not."""


class PoliteRequests:
    """Requests to one web archive.

    `ask` makes one request without following redirects, and raises OSError if no complete answer arrives.
    """

    def __init__(
        self,
        ask: Callable[[str], Awaitable[Answer]],
        interval_s: float,
        sleep: Callable[[float], Awaitable[None]],
        clock: Callable[[], float],
    ) -> None:
        self._ask = ask
        self._interval_s = interval_s
        self._sleep = sleep
        self._clock = clock
        self._next = clock()
        self._turn = asyncio.Lock()
        self._has_answered = False

    async def get(self, request: str, *, is_cut: Callable[[Answer], bool] = lambda _: False) -> tuple[str, Answer]:
        """The answer, and its address after redirects on the same host; captured redirects are not followed.

        Answers that are cut off are asked for again. Raises ExcludedFromArchive, TemporaryFailure, and Unreachable if
        the web archive asks to wait for too long.
        """
        address = request
        for _ in range(_MOST_REDIRECTS):
            answer = await self._answer(address, is_cut)
            target = urljoin(address, answer.header("location"))
            if answer.is_capture or answer.status // 100 != 3 or not is_same_host(target, request):
                break
            address = target
        return address, answer

    async def _answer(self, address: str, is_cut: Callable[[Answer], bool]) -> Answer:
        reason = ""
        for attempt in range(_ATTEMPTS):
            if attempt == _FIRST_ATTEMPTS and not self._has_answered:
                break
            await self._wait()
            pause = _FIRST_PAUSE_S * 2**attempt
            try:
                answer = await self._ask(address)
            except OSError as error:
                reason = str(error) or type(error).__name__
            else:
                self._has_answered = True
                if answer.is_capture:
                    return answer
                _check_exclusion(answer, address)
                if answer.status not in _TEMPORARY and not is_cut(answer):
                    return answer
                reason = f"status {answer.status}" if answer.status in _TEMPORARY else "the answer is cut off"
                pause = max(pause, self._asked_pause(answer))
            self._pause(pause, reason, address)
        raise TemporaryFailure(f"{address} is not answered ({reason}). Start again later: {_KEPT}", url=address)

    async def _wait(self) -> None:
        """Wait until the next request may begin."""
        async with self._turn:
            while (wait := self._next - self._clock()) > 0:
                await self._sleep(wait)
            self._next = self._clock() + self._interval_s

    def _asked_pause(self, answer: Answer) -> float:
        pause = _retry_after(answer, now=self._clock())
        if answer.status != 429:
            return pause
        self._interval_s = max(self._interval_s, min(2 * self._interval_s, _LONGEST_INTERVAL_S))
        return pause or _LIMITED_PAUSE_S

    def _pause(self, pause: float, reason: str, address: str) -> None:
        if pause > _LONGEST_PAUSE_S:
            minutes = round(pause / 60)
            raise Unreachable(
                f"{address} is to be asked again in {minutes} minutes ({reason}). Start again then: {_KEPT}",
                url=address,
            )
        logger.info("%s: %s; the next request follows in %.0f s", address, reason, pause)
        self._next = max(self._next, self._clock() + pause)


def is_same_host(address: str, other: str) -> bool:
    """True for two web addresses with the same host and port."""
    try:
        parts, others = urlsplit(address), urlsplit(other)
        return parts.scheme in ("http", "https") and (parts.hostname, parts.port) == (others.hostname, others.port)
    except ValueError:
        return False


def _check_exclusion(answer: Answer, address: str) -> None:
    text = f"{answer.header('x-archive-wayback-runtime-error')} {answer.body[:1000].decode('latin-1')}"
    reasons = [reason for name, reason in _EXCLUSIONS.items() if name in text and text.lstrip()[:1] not in "[{"]
    if reasons or answer.status == 451:
        reason = next(iter(reasons), "for legal reasons")
        raise ExcludedFromArchive(
            f"The web archive excludes these captures {reason}. Ask it for access, or use another one: {address}",
            url=address,
        )


def _retry_after(answer: Answer, *, now: float) -> float:
    """Seconds that the server asks to wait; 0 without a valid Retry-After header."""
    value = answer.header("retry-after")
    if value.isascii() and value.isdigit():
        return float(value[:9])
    until, since = (_http_date(text) for text in (value, answer.header("date")))
    return 0.0 if until is None else max(0.0, until - (now if since is None else since))


def _http_date(value: str) -> float | None:
    try:
        date = parsedate_to_datetime(value)
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
