"""A server that speaks byte by byte, for answers that no well-behaved server gives, and to count connections."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable


class RawSite:
    """Calls `answer(connection, request_head)` for each connection, then closes it.

    `connections` counts all that were accepted, also those that sent nothing.
    """

    def __init__(
        self, answer: Callable[[socket.socket, bytes], None] | bytes = b"", *, host: str = "127.0.0.1"
    ) -> None:
        self._answer = answer
        self.connections = 0
        self.heads: list[bytes] = []
        self.host = host
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, 0), family=family)
        self.port: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, daemon=True)

    @property
    def url(self) -> str:
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(5)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.settimeout(10)
            head = b""
            while b"\r\n\r\n" not in head:
                received = connection.recv(4096)
                if not received:
                    return
                head += received
            self.heads.append(head)
            if isinstance(self._answer, bytes):
                connection.sendall(self._answer)
            else:
                self._answer(connection, head)
