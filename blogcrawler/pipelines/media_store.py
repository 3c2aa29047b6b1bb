"""Where the files of posts are kept: a folder, or the object store of FILES_STORE; nothing is ever written over."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.exceptions import UsageError
from scrapy.utils.asyncio import run_in_thread

from blogcrawler.addresses import without_password
from blogcrawler.backend import FileStore
from blogcrawler.pipelines.buckets import object_store

if TYPE_CHECKING:
    from io import BytesIO

    from scrapy.settings import BaseSettings

    from blogcrawler.backend import Files

_REMOTE = re.compile(r"(?:s3|gs)://[^/]+/.*")
_LIBRARIES = {"s3": ("botocore", "s3"), "gs": ("google.cloud.storage", "gcs")}
"""By the scheme of a store: what it needs, and the extra of this package that brings it."""


class KeptStore:
    """The store of files as Scrapy's pipeline uses one."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def stat_file(self, path: str, info: Any) -> dict[str, Any]:  # noqa: ANN401, ARG002
        """Nothing: that a file is there already is seen when it is written."""
        return {}

    async def persist_file(self, path: str, buf: BytesIO, info: Any, **_: Any) -> None:  # noqa: ANN401, ARG002
        """Keep a content. Raises BackendUnavailable, FileRefused."""
        await run_in_thread(self._files.put, buf.getvalue())


def store_uri(settings: BaseSettings) -> str:
    """The store of files: FILES_STORE, or the folder of ARCHIVE."""
    uri = str(settings["FILES_STORE"] or settings["ARCHIVE"])
    return f"{uri.rstrip('/')}/" if _is_remote(uri) else uri


def file_store(settings: BaseSettings) -> Files:
    """The files of the archive, as FILES_STORE and ARCHIVE say.

    Raises UsageError where that is no store, or one whose library or credentials are missing.
    """
    uri = store_uri(settings)
    scheme = "" if Path(uri).is_absolute() else urlsplit(uri).scheme
    if _is_remote(uri):
        return _remote(uri, scheme, settings)
    if scheme not in {"", "file"}:
        raise UsageError(
            "The setting FILES_STORE must be a folder, s3://BUCKET/… or gs://BUCKET/…, and not "
            f"{without_password(uri)!r}."
        )
    return FileStore(uri.removeprefix("file://"))


def check_store(settings: BaseSettings) -> None:
    """See whether a crawl can keep files, if it is to. Raises BackendUnavailable, and what `file_store` raises."""
    if settings.getbool("MEDIA") or settings.getbool("SCREENSHOTS"):
        file_store(settings).check()


def _remote(uri: str, scheme: str, settings: BaseSettings) -> Files:
    library, extra = _LIBRARIES[scheme]
    if "@" in urlsplit(uri).netloc:
        raise UsageError(
            f"The setting FILES_STORE must be {scheme}://BUCKET/…, and not {without_password(uri)!r}; give credentials "
            "as the documentation of the store tells."
        )
    missing = UsageError(f"{uri} needs a library: pip install 'blogcrawler[{extra}]'.")
    if not _is_there(library):
        raise missing
    try:
        return object_store(uri, settings)
    except ImportError:
        raise missing from None
    except Exception as error:
        raise UsageError(
            f"The store {uri} cannot be used: {error}. Give its credentials as its documentation tells, or another "
            "FILES_STORE."
        ) from error


def _is_remote(uri: str) -> bool:
    """Is a store no folder of this machine?"""
    return _REMOTE.fullmatch(uri) is not None


def _is_there(library: str) -> bool:
    try:
        return find_spec(library) is not None
    except ModuleNotFoundError:
        return False
