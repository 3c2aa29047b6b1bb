"""A Redis connection that retries while Redis is unavailable, up to a time limit.

All requests are scripts, which Redis runs completely or not at all. If the response is lost after that, the script is
sent again, so each script must be safe to run twice.
"""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, Any

from blogcrawler.addresses import without_password
from blogcrawler.errors import BadArgument, RedisUnavailable
from blogcrawler.shared.stop_deadline import StopDeadline

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

PATIENCE_S = 30.0
"""Default time for which Redis may be unavailable: longer than a restart takes, including reading its file."""
AGAIN_AFTER_S = 0.2
RESPONSE_TIMEOUT_S = 5.0
"""Timeout of a request. A cut network does not report an error by itself."""


class AsyncRedis:
    """Runs scripts from asyncio coroutines. After a stop signal, it waits only briefly for an unavailable Redis, see
    `StopDeadline`."""

    def __init__(self, url: str, *, patience_s: float = PATIENCE_S) -> None:
        """Raises BadArgument if the URL is not a Redis URL, and RedisUnavailable if the driver is missing."""
        self._client = _client_of(url)
        self._patience_s = patience_s
        self._deadline: StopDeadline | None = None
        #: the error after which this object stopped retrying; it is raised at once by all later calls
        self._unavailable: RedisUnavailable | None = None
        self._scripts: dict[str, Any] = {}
        self._safe_url = without_password(url)

    async def run(self, script: str, keys: Sequence[str], arguments: Sequence[str | bytes | int | float] = ()) -> Any:  # noqa: ANN401
        """Run a script and return its result. Raises RedisUnavailable."""
        if script not in self._scripts:
            self._scripts[script] = self._client.register_script(script)
        return await self._ask(lambda: self._scripts[script](list(keys), list(arguments)))

    async def pop(self, key: str, *, timeout_s: float) -> None:
        """Wait up to a timeout for an element of a list, and remove it. Raises RedisUnavailable."""
        await self._ask(lambda: self._client.blpop([key], timeout_s))

    async def _ask(self, question: Callable[[], Awaitable[Any]]) -> Any:  # noqa: ANN401
        deadline = self._deadline = self._deadline or StopDeadline()
        patience = _Patience(self._safe_url, self._patience_s, deadline)
        while True:
            try:
                answer = await question()
            except _driver().RedisError as error:
                await asyncio.sleep(self._pause_after(patience, error))
            else:
                deadline.note_response()
                self._unavailable = None
                return answer

    def _pause_after(self, patience: _Patience, error: Exception) -> float:
        if self._unavailable is not None:
            raise self._unavailable from error
        try:
            return patience.pause_after(error)
        except RedisUnavailable as unavailable:
            self._unavailable = unavailable
            raise

    async def close(self) -> None:
        await self._client.aclose()


class _Patience:
    """Decides how long a request is retried."""

    def __init__(self, safe_url: str, patience_s: float, deadline: StopDeadline) -> None:
        self._safe_url = safe_url
        self._patience_s = patience_s
        self._deadline = deadline
        self._since = monotonic()

    def pause_after(self, error: Exception) -> float:
        """Seconds until the next retry. Raises RedisUnavailable if the time limit has passed or the error is
        permanent."""
        driver = _driver()
        is_away = isinstance(error, driver.ConnectionError | driver.TimeoutError) or str(error).startswith("BUSY")
        if not is_away or isinstance(error, driver.AuthenticationError):
            raise RedisUnavailable(
                f"The Redis at {self._safe_url} refuses a request ({_first_line(error)}). Check its address, "
                "its password and its log. Nothing is lost. Run the same command again to continue."
            ) from error
        waited_s = monotonic() - self._since
        if waited_s >= self._patience_s or self._deadline.is_over:
            seconds = f"{min(waited_s, self._patience_s):.0f}"
            raise RedisUnavailable(
                f"The Redis at {self._safe_url} has not answered for {seconds} s. Check that it runs and can be "
                "reached. Nothing is lost. Run the same command again to continue."
            ) from error
        return AGAIN_AFTER_S


def check_address(url: str, setting: str) -> None:
    """Check the value of a setting. Raises BadArgument if it is not a Redis URL, RedisUnavailable if the driver is
    missing."""
    try:
        _client_of(url)
    except BadArgument as error:
        raise BadArgument(f"{setting} is not a Redis URL; use the form redis://host:6379/0.") from error


def _client_of(url: str) -> Any:  # noqa: ANN401
    """Create a Redis client without retries of its own."""
    driver = _driver()
    try:
        client = driver.asyncio.Redis.from_url(
            url,
            decode_responses=True,
            protocol=2,  # all server versions support this protocol version
            socket_timeout=RESPONSE_TIMEOUT_S,
            socket_connect_timeout=RESPONSE_TIMEOUT_S,
            retry=driver.asyncio.retry.Retry(driver.backoff.NoBackoff(), 0),
        )
        client.connection_pool.make_connection()  # checks all options of the URL, without connecting
    except (ValueError, TypeError) as error:
        raise BadArgument("This is not a Redis URL; use the form redis://host:6379/0.") from error
    return client


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def _driver() -> Any:  # noqa: ANN401
    """Import the driver and the submodules that we use."""
    try:
        import redis.asyncio.retry
        import redis.backoff
    except ImportError as error:
        raise RedisUnavailable(
            "Crawlers that share a Redis need its driver: pip install 'blogcrawler[redis]'."
        ) from error
    return redis
