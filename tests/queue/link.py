"""A piece of network before a server, which can be cut: then nothing passes, and nobody is told."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

if TYPE_CHECKING:
    from typing import Self

CHUNK = 65536
SERVER = "127.0.0.1"


class Link:
    """Passes on what goes to and from a port of this machine, while its context is open; `port` is its own.

    What is on its way when the link is cut comes when it is mended, as TCP sends it again.
    """

    def __init__(self, server_port: int) -> None:
        self._server = (SERVER, server_port)
        self._listening = socket.create_server((SERVER, 0))
        self.port = int(self._listening.getsockname()[1])
        self._is_whole = threading.Event()
        self._is_whole.set()
        self._is_over = False
        self._sockets: list[socket.socket] = []

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over = True
        self._is_whole.set()
        for one in (self._listening, *self._sockets):
            _close(one)

    def address(self, url: str) -> str:
        """An address of the server, as it is through this link."""
        parts = urlsplit(url)
        before = parts.netloc.rpartition("@")[0]
        return urlunsplit(parts._replace(netloc=f"{before}@{SERVER}:{self.port}"))

    def cut(self) -> None:
        """Let nothing pass: neither data nor ends of connections, nor new ones."""
        self._is_whole.clear()

    def mend(self) -> None:
        """Let everything pass again."""
        self._is_whole.set()

    def _accept(self) -> None:
        with suppress(OSError):  # it is over
            while True:
                client, _ = self._listening.accept()
                self._is_whole.wait()
                threading.Thread(target=self._join, args=(client,), daemon=True).start()

    def _join(self, client: socket.socket) -> None:
        try:
            server = socket.create_connection(self._server, timeout=5)
        except OSError:  # it does not run
            _close(client)
            return
        server.settimeout(None)
        self._sockets += [client, server]
        threading.Thread(target=self._pass_on, args=(server, client), daemon=True).start()
        self._pass_on(client, server)

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while received := source.recv(CHUNK):
                self._is_whole.wait()
                target.sendall(received)
        self._is_whole.wait()
        for one in (source, target):
            _close(one)


def _close(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
