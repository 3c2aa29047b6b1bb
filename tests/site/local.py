"""A web site made of a dictionary of paths."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web


@dataclass(frozen=True)
class Reply:
    """What the site answers. A body of text is sent as UTF-8."""

    body: str | bytes = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "text/html; charset=utf-8"


@dataclass(frozen=True)
class Visit:
    """A request that the site got."""

    path: str
    headers: Mapping[str, str]
    #: of `time.monotonic()`
    at: float
    method: str = "GET"


#: A page (text), a Reply, or a function of the request that returns one of both, or an aiohttp response.
Route = str | Reply | Callable[[web.Request], Any | Awaitable[Any]]


class LocalSite:
    """Serves `routes`, by path with query or by path alone, while its context is open; anything else gets `default`.

    `url` is its address without a final slash, `log` the visits in their order, `paths` their paths.
    """

    def __init__(
        self,
        routes: Mapping[str, Route],
        *,
        default: Route = Reply("not found", 404),
        host: str = "127.0.0.1",
        latency_s: float = 0,
    ) -> None:
        self.default = default
        self.routes = dict(routes)
        self.host = host
        self._latency_s = latency_s
        self.port = 0
        self.log: list[Visit] = []
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._error: BaseException | None = None

    @property
    def url(self) -> str:
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def paths(self) -> list[str]:
        return [visit.path for visit in self.log]

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait(10)
        if self._error is not None:
            raise self._error
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            runner = self._loop.run_until_complete(self._listen())
        except BaseException as error:  # noqa: BLE001 - told in the thread that waits for us
            self._error = error
            self._loop.close()
            return
        finally:
            self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())
        self._loop.close()

    async def _listen(self) -> web.ServerRunner:
        runner = web.ServerRunner(web.Server(self._answer), shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, self.host, 0).start()
        self.port = runner.addresses[0][1]
        return runner

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.log.append(Visit(request.raw_path, dict(request.headers), time.monotonic(), request.method))
        if self._latency_s:
            await asyncio.sleep(self._latency_s)
        route = self.routes.get(request.raw_path, self.routes.get(request.path, self.default))
        if callable(route):
            route = route(request)
        if inspect.isawaitable(route):
            route = await route
        return route if isinstance(route, web.StreamResponse) else _response(route)


def _response(reply: str | Reply) -> web.Response:
    reply = Reply(reply) if isinstance(reply, str) else reply
    body = reply.body.encode() if isinstance(reply.body, str) else reply.body
    return web.Response(body=body, status=reply.status, headers={"Content-Type": reply.content_type, **reply.headers})
