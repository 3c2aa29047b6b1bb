"""Where the files of posts are kept: a folder, or the object store of FILES_STORE; nothing is ever written over."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.exceptions import NotConfigured, UsageError
from scrapy.pipelines.files import FilesPipeline
from scrapy.utils.asyncio import run_in_thread
from scrapy.utils.defer import ensure_awaitable

from blogcrawler.backend import FileStore

if TYPE_CHECKING:
    from io import BytesIO

    from scrapy.settings import BaseSettings

__all__ = ["FolderStore", "OnceStore", "check_store", "is_remote", "path_of", "store_uri"]

_REMOTE = re.compile(r"(?:s3|gs)://[^/]+/.*")
_LIBRARIES = {"s3": ("botocore", "s3"), "gs": ("google.cloud.storage", "gcs")}
"""By the scheme of a store: what it needs, and the extra of this package that brings it."""


class FolderStore:
    """A folder of files, named by what they hold."""

    def __init__(self, folder: str) -> None:
        self._files = FileStore(folder.removeprefix("file://"))

    def stat_file(self, path: str, info: Any) -> dict[str, Any]:  # noqa: ANN401, ARG002
        """Nothing: that a file is there already is seen when it is written."""
        return {}

    async def persist_file(self, path: str, buf: BytesIO, info: Any, **_: Any) -> None:  # noqa: ANN401, ARG002
        """Keep a content. Raises BackendUnavailable."""
        await run_in_thread(self._files.put, buf.getvalue())


class OnceStore:
    """Another store, in which a file that is there is not written again: its name says what it holds."""

    def __init__(self, store: Any) -> None:  # noqa: ANN401
        self._store = store

    async def persist_file(self, path: str, buf: BytesIO, info: Any, **more: Any) -> None:  # noqa: ANN401
        """Keep a content under a name that it gives."""
        if not await self._is_there(path, info):
            await ensure_awaitable(self._store.persist_file(path, buf, info, **more))

    async def _is_there(self, path: str, info: Any) -> bool:  # noqa: ANN401
        try:
            return bool(await ensure_awaitable(self._store.stat_file(path, info)))
        except Exception:  # noqa: BLE001  each store has errors of its own; writing tells what is wrong
            return False


def path_of(sha256: str) -> str:
    """Where a content is kept, below the store."""
    return f"sha256/{sha256[:2]}/{sha256[2:]}"


def store_uri(settings: BaseSettings) -> str:
    """The store of files: FILES_STORE, or the folder of ARCHIVE."""
    uri = str(settings["FILES_STORE"] or settings["ARCHIVE"])
    return f"{uri.rstrip('/')}/" if is_remote(uri) else uri


def is_remote(uri: str) -> bool:
    """Is a store no folder of this machine?"""
    return _REMOTE.fullmatch(uri) is not None


def check_store(settings: BaseSettings) -> None:
    """Raise UsageError where files cannot be kept as FILES_STORE says: an unknown store, a library that is missing."""
    uri = store_uri(settings)
    scheme = "" if Path(uri).is_absolute() else urlsplit(uri).scheme
    if scheme not in {"", "file"} and not is_remote(uri):
        raise UsageError(
            f"The setting FILES_STORE must be a folder, s3://BUCKET/… or gs://BUCKET/…, and not {uri!r}.",
            print_help=False,
        )
    if scheme not in _LIBRARIES:
        return
    library, extra = _LIBRARIES[scheme]
    if not _is_there(library):
        raise UsageError(f"{uri} needs a library: pip install 'blogcrawler[{extra}]'.", print_help=False)
    try:
        FilesPipeline._update_stores(settings)
        FilesPipeline.STORE_SCHEMES[scheme](uri)
    except NotConfigured:
        raise UsageError(f"{uri} needs a library: pip install 'blogcrawler[{extra}]'.", print_help=False) from None
    except Exception as error:
        raise UsageError(
            f"The store {uri} cannot be used: {error}. Give its credentials as its documentation tells, or another "
            "FILES_STORE.",
            print_help=False,
        ) from error


def _is_there(library: str) -> bool:
    try:
        return find_spec(library) is not None
    except ModuleNotFoundError:
        return False
