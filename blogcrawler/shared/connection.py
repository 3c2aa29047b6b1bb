"""A Redis that may be away for a while: what is asked of it is asked again until it answers, or patience is at an end.

What is asked are scripts, each of which Redis runs whole or not at all. An answer may be lost after that, and the
script runs once more: scripts are written so that this does no harm.
"""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, Any

from blogcrawler.addresses import without_password
from blogcrawler.errors import BadArgument, RedisUnavailable
from blogcrawler.shared.haste import Haste

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

PATIENCE_S = 30.0
"""How long Redis may be away: longer than it takes to be started again and to read its file."""
AGAIN_AFTER_S = 0.2
ANSWERS_WITHIN_S = 5.0
"""After that a connection is taken for broken; a network that is cut tells nothing by itself."""


class AsyncRedis:
    """Runs scripts, for coroutines of asyncio.

    One that is away is waited for no longer than there is time, once the process is asked to end; see `Haste`.
    """

    def __init__(self, url: str, *, patience_s: float = PATIENCE_S) -> None:
        """Raises BadArgument where the address is none of a Redis, RedisUnavailable without the driver."""
        self._client = _made(url)
        self._patience_s = patience_s
        self._haste: Haste | None = None
        #: why it was given up, after it was waited for in vain; from then on it is waited for no more
        self._unavailable: RedisUnavailable | None = None
        self._scripts: dict[str, Any] = {}
        self._shown = without_password(url)

    async def run(self, script: str, keys: Sequence[str], arguments: Sequence[str | bytes | int | float] = ()) -> Any:  # noqa: ANN401
        """What a script returns. Raises RedisUnavailable."""
        if script not in self._scripts:
            self._scripts[script] = self._client.register_script(script)
        return await self._ask(lambda: self._scripts[script](list(keys), list(arguments)))

    async def pop(self, key: str, *, timeout_s: float) -> None:
        """Wait until there is something in a list, and take it; or for so long. Raises RedisUnavailable."""
        await self._ask(lambda: self._client.blpop([key], timeout_s))

    async def _ask(self, question: Callable[[], Awaitable[Any]]) -> Any:  # noqa: ANN401
        haste = self._haste = self._haste or Haste()
        patience = _Patience(self._shown, self._patience_s, haste)
        while True:
            try:
                answer = await question()
            except _driver().RedisError as error:
                await asyncio.sleep(self._pause_after(patience, error))
            else:
                haste.note_answer()
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
        """Close the connections."""
        await self._client.aclose()


class _Patience:
    """How often one question is asked again."""

    def __init__(self, shown: str, patience_s: float, haste: Haste) -> None:
        self._shown = shown
        self._patience_s = patience_s
        self._haste = haste
        self._since = monotonic()

    def pause_after(self, error: Exception) -> float:
        """Seconds until it is asked again. Raises RedisUnavailable when it is not, or what it says will not change."""
        driver = _driver()
        is_away = isinstance(error, driver.ConnectionError | driver.TimeoutError) or str(error).startswith("BUSY")
        if not is_away or isinstance(error, driver.AuthenticationError):
            raise RedisUnavailable(
                f"The Redis at {self._shown} refuses what is asked of it ({_first_line(error)}). Look at its address, "
                "its password and its log; nothing is lost. Run the same command again to continue."
            ) from error
        waited_s = monotonic() - self._since
        if waited_s >= self._patience_s or self._haste.is_over:
            seconds = f"{min(waited_s, self._patience_s):.0f}"
            raise RedisUnavailable(
                f"The Redis at {self._shown} has not answered for {seconds} s. See that it runs and can be reached; "
                "nothing is lost. Run the same command again to continue."
            ) from error
        return AGAIN_AFTER_S


def check_address(url: str, setting: str) -> None:
    """Raise BadArgument where a setting's value is no address of a Redis, RedisUnavailable without the driver."""
    try:
        _made(url)
    except BadArgument as error:
        raise BadArgument(f"{setting} is no address of a Redis; it has the form redis://host:6379/0.") from error


def _made(url: str) -> Any:  # noqa: ANN401
    """A client of the driver that does not ask again by itself."""
    driver = _driver()
    try:
        client = driver.asyncio.Redis.from_url(
            url,
            decode_responses=True,
            protocol=2,  # which every version of the server speaks
            socket_timeout=ANSWERS_WITHIN_S,
            socket_connect_timeout=ANSWERS_WITHIN_S,
            retry=driver.asyncio.retry.Retry(driver.backoff.NoBackoff(), 0),
        )
        client.connection_pool.make_connection()  # which reads all options of the address, and asks nobody
    except (ValueError, TypeError) as error:
        raise BadArgument("This is no address of a Redis; it has the form redis://host:6379/0.") from error
    return client


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def _driver() -> Any:  # noqa: ANN401
    """The module of the driver, with those of its parts that are used."""
    try:
        import redis.asyncio.retry
        import redis.backoff
    except ImportError as error:
        raise RedisUnavailable(
            "Crawlers that share a Redis need its driver: pip install 'blogcrawler[redis]'."
        ) from error
    return redis
