"""What forms send: `application/x-www-form-urlencoded`, of bounded size."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException

if TYPE_CHECKING:
    from starlette.requests import Request

_MOST_BYTES, _MOST_FIELDS = 1 << 20, 1000


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form, the last one where several have a name. Raises HTTPException."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise HTTPException(415, "A form is sent as application/x-www-form-urlencoded.")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > _MOST_BYTES:
            raise HTTPException(413, "The form is too large.")
    try:
        fields = parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise HTTPException(400, "The form cannot be read.") from error
    return dict(fields)
