"""The pages of an archive, served on loopback as by the command."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import requests

from blogcrawler.backend import FileStore
from blogcrawler.browse import Holdings, address_of, application, listen
from blogcrawler.browse.server import server_of
from tests.export.archives import address

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from starlette.types import ASGIApp

    from blogcrawler.backend import Archive


class Site:
    """What asks a server."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._session = requests.Session()
        self._session.trust_env = False

    def ask(self, path: str, method: str = "GET", **more: object) -> requests.Response:
        """An answer as it is, to what is asked as it is."""
        made = requests.Request(method, self.url, **more)  # type: ignore[arg-type]
        prepared = self._session.prepare_request(made)
        prepared.url = self.url + path.removeprefix("/")
        return self._session.send(prepared, allow_redirects=False, timeout=60)

    def page(self, path: str) -> str:
        """The page at a path, which is there."""
        answer = self.ask(path)
        assert answer.status_code == 200, (path, answer.status_code, answer.text)
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        return answer.content.decode()


def holdings(archive: Archive, folder: Path) -> Holdings:
    """All that is in the folder of a test."""
    warcs = folder / "warc"
    return Holdings(archive, address(folder), FileStore(folder), warcs if warcs.is_dir() else None, folder / "reports")


@contextmanager
def served(app: ASGIApp) -> Iterator[Site]:
    """The application, as long as it is asked."""
    with listen("127.0.0.1", 0) as listening:
        server = server_of(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield Site(address_of(listening))
        finally:
            server.should_exit = True
            thread.join(20)
    assert not thread.is_alive()


@contextmanager
def browsing(archive: Archive, folder: Path) -> Iterator[Site]:
    """The pages of an archive in a folder."""
    with served(application(holdings(archive, folder))) as site:
        yield site
