"""Pages with validators, and answers to conditional requests (RFC 9110, section 13)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256

from aiohttp import web

from tests.site.local import Reply


@dataclass
class Validators:
    """Gives replies an ETag, a Last-Modified, or both; a request that names what holds is answered with 304."""

    etags: bool = True
    #: an HTTP date
    modified: str | None = None
    #: paths of the answers with a body, in order
    whole: list[str] = field(default_factory=list)
    #: paths of the answers without
    unchanged: list[str] = field(default_factory=list)

    def of(self, reply: Reply) -> Callable[[web.BaseRequest], Reply]:
        """A route that answers as `reply` does."""
        body = reply.body.encode() if isinstance(reply.body, str) else reply.body
        named = {"ETag": f'"{sha256(body).hexdigest()[:16]}"' if self.etags else None, "Last-Modified": self.modified}
        headers = {name: value for name, value in named.items() if value is not None}

        def answer(request: web.BaseRequest) -> Reply:
            sent = request.headers
            if "If-None-Match" in sent:
                is_same = sent["If-None-Match"] == headers.get("ETag")
            else:
                is_same = "If-Modified-Since" in sent and sent["If-Modified-Since"] == headers.get("Last-Modified")
            (self.unchanged if is_same else self.whole).append(request.raw_path)
            if is_same:
                return Reply(b"", 304, headers, content_type="text/plain")
            return Reply(body, reply.status, {**headers, **reply.headers}, reply.content_type)

        return answer
