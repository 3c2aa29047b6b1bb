"""Downloads: the posts of a blog in each export format, and the record of a post."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from blogcrawler.browse.context import context_of, requested_blog, requested_post
from blogcrawler.browse.files import Closing
from blogcrawler.browse.zipping import zipped
from blogcrawler.errors import BlogcrawlerError
from blogcrawler.export import FORMATS, FolderFormat, Selection
from blogcrawler.export.text import blog_name, json_line

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from starlette.requests import Request

    from blogcrawler.backend import BlogRow
    from blogcrawler.browse.holdings import Holdings
    from blogcrawler.export import Format

_ENDS = {"dc": "dc.xml", "marcxml": "marc.xml"}
"""File name extensions that differ from the name of the format."""
_CHUNK = 1 << 18


@dataclass(frozen=True)
class Offered:
    """A format on the page of a blog."""

    name: str
    summary: str
    is_zipped: bool
    #: the missing Python package
    lacks: str | None


class _GoneError(Exception):
    """The client has closed the connection."""


def offered() -> list[Offered]:
    """Return all formats."""
    return [
        Offered(one.name, one.summary, isinstance(one, FolderFormat), None if one.is_ready else one.needs)
        for one in FORMATS.values()
    ]


async def export(request: Request) -> Response:
    """The posts of a blog in a format. The export is made in a temporary folder that is deleted after sending."""
    context = await to_thread.run_sync(context_of, request)
    row = await to_thread.run_sync(requested_blog, request)
    chosen_format = FORMATS.get(request.path_params["format"])
    if chosen_format is None:
        raise HTTPException(404, f"There is no such format. Formats: {', '.join(FORMATS)}.")
    context.slots.take()
    try:
        folder = TemporaryDirectory(prefix="blogcrawler-", ignore_cleanup_errors=True)
    except OSError as error:
        context.slots.give_back()
        raise BlogcrawlerError(f"There is no disk space for a download ({error.strerror}).") from error

    def close() -> None:
        folder.cleanup()
        context.slots.give_back()

    target = Path(folder.name) / "export"
    try:
        await _unless_gone(request, context.holdings, chosen_format, row, target)
    except BaseException:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(close)
        raise
    name = f"{blog_name(row)}.{_ENDS.get(chosen_format.name, chosen_format.name)}"
    if target.is_dir():
        return _download(_in_threads(zipped(target, name)), close, f"{name}.zip", "application/zip")
    size = target.stat().st_size
    return _download(_in_threads(_read(target)), close, name, "application/octet-stream", size)


async def _unless_gone(request: Request, holdings: Holdings, chosen_format: Format, row: BlogRow, target: Path) -> None:
    """Export in a thread that stops at the next post if the client is gone. Raises BlogcrawlerError."""
    gone = threading.Event()

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        gone.set()

    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch)
            try:
                failure = await to_thread.run_sync(_export, holdings, chosen_format, row, target, gone)
            finally:
                gone.set()
            tasks.cancel_scope.cancel()
    finally:
        gone.set()
    if failure is not None:
        raise failure


def _export(
    holdings: Holdings, chosen_format: Format, row: BlogRow, target: Path, gone: threading.Event
) -> BlogcrawlerError | HTTPException | None:
    """Export the posts of a blog; return the error message if it failed."""

    def on_post() -> None:
        if gone.is_set():
            raise _GoneError

    try:
        with holdings.opened_again() as archive:
            selection = Selection(archive, (row,), files=holdings.files, warcs=holdings.warcs, sender=holdings.sender)
            chosen_format.export(replace(selection, on_post=on_post), str(target))
    except _GoneError:
        return HTTPException(499, "The client has closed the connection.")
    except BlogcrawlerError as error:
        return error
    return None


def _download(
    content: AsyncIterator[bytes], close: Callable[[], None], name: str, kind: str, size: int | None = None
) -> Response:
    headers = {
        "content-type": kind,
        "content-disposition": f'attachment; filename="{name}"',
        "cache-control": "no-store",
    }
    return Closing(content, close, headers if size is None else {**headers, "content-length": str(size)})


def _read(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


async def _in_threads(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the parts, each computed in a thread."""
    try:
        while (part := await to_thread.run_sync(next, parts, None)) is not None:
            yield part
    finally:
        parts.close()  # type: ignore[attr-defined]


def record(request: Request) -> Response:
    """The record of a post as JSON."""
    row, post = requested_post(request)
    disposition = f'attachment; filename="{blog_name(row)}-{post.id}.json"'
    content = json_line(post.record.to_dict())
    return Response(content, headers={"content-disposition": disposition}, media_type="application/json")


_EXPORT = Route("/blogs/{blog}/export/{format}", export)
_EXPORT.methods = {"GET"}  # no HEAD requests, which would make the whole export for nothing
ROUTES = [
    _EXPORT,
    Route("/posts/{post}.json", record),
]
