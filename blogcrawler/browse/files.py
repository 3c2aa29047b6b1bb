"""Media files at `/files/` with their SHA-256 and the file name extension of their type."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from blogcrawler.backend import path_of
from blogcrawler.browse.context import context_of
from blogcrawler.browse.security import FILE_POLICY
from blogcrawler.export.media import media_type

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from typing import BinaryIO

    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

_NAME = re.compile(r"([0-9a-f]{64})(\.[a-z0-9]{1,8})", re.ASCII)
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)
_CHUNK = 1 << 18
_SHOWN = ("image/", "audio/", "video/")
_ACTING = ("svg", "xml")
"""Parts of image types that run scripts if opened as a document."""
_TRACK = "text/vtt"


def is_shown(media_type: str | None) -> bool:
    """True if files of this type can be embedded in a page."""
    return (media_type or "").lower().startswith(_SHOWN)


class Closing(StreamingResponse):
    """A response that closes a resource afterwards, also if the client is gone."""

    def __init__(
        self, content: AsyncIterator[bytes], close: Callable[[], None], headers: Mapping[str, str], status: int = 200
    ) -> None:
        super().__init__(content, status, headers)
        self._close = close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response, then close the resource."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(self._close)


def stored_file(request: Request) -> Response:
    """A file, or the requested range of it."""
    name = _NAME.fullmatch(request.path_params["name"])
    if name is None:
        raise HTTPException(404, "A file is named by the 64 digits of its SHA-256 and the extension of its type.")
    etag = f'"{name[1]}"'
    kind = media_type(name[2])
    headers = {
        "content-type": kind if is_shown(kind) or kind == _TRACK else "application/octet-stream",
        "content-disposition": f'{_disposition(kind)}; filename="{name[1][:16]}{name[2]}"',
        "content-security-policy": FILE_POLICY,
        "cache-control": "private, max-age=31536000, immutable",
        "etag": etag,
        "accept-ranges": "bytes",
    }
    files = context_of(request).holdings.files
    if etag in request.headers.get("if-none-match", ""):
        return Response(None, 304, {"etag": etag, "cache-control": headers["cache-control"]})
    try:
        file = files.open(path_of(name[1]))
    except OSError as error:
        raise HTTPException(404, "This file is not in the archive.") from error
    try:
        size = file.seek(0, 2)
        part = _part(request, size, etag)
        if part is None:
            file.close()
            return Response(None, 416, {"content-range": f"bytes */{size}"})
        start, end = part
        headers["content-length"] = str(end - start)
        if end - start == size:
            return Closing(_chunks(file, 0, size), file.close, headers)
        headers["content-range"] = f"bytes {start}-{end - 1}/{size}"
        return Closing(_chunks(file, start, end), file.close, headers, 206)
    except BaseException:
        file.close()
        raise


def _disposition(kind: str) -> str:
    is_inline = is_shown(kind) and not any(part in kind for part in _ACTING)
    return "inline" if is_inline or kind == _TRACK else "attachment"


def _part(request: Request, size: int, etag: str) -> tuple[int, int] | None:
    """Return the requested range; the whole file if there is no valid one, None if it is outside the file."""
    requested = _RANGE.fullmatch(request.headers.get("range", ""))
    if requested is None or requested[0] == "bytes=-" or request.headers.get("if-range", etag) != etag:
        return 0, size
    first, last = requested.groups()
    if not first:
        start, end = max(0, size - int(last)), size
    else:
        start, end = int(first), min(size, int(last) + 1) if last else size
        if last and int(last) < start:
            return 0, size
    return (start, end) if start < end else None


async def _chunks(file: BinaryIO, start: int, end: int) -> AsyncIterator[bytes]:
    await to_thread.run_sync(file.seek, start)
    left = end - start
    while left > 0:
        chunk = await to_thread.run_sync(file.read, min(_CHUNK, left))
        if not chunk:
            return
        left -= len(chunk)
        yield chunk


ROUTES = [Route("/files/{name}", stored_file)]
