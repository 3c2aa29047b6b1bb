"""The store of media files: a folder, or the object store in FILES_STORE. Files are never overwritten.

Object stores are accessed through their own libraries, with the settings of Scrapy's files pipeline.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.exceptions import UsageError
from scrapy.pipelines.files import FilesPipeline, GCSFilesStore, S3FilesStore

from blogcrawler.addresses import without_password
from blogcrawler.backend import FileStore, ObjectStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy.settings import BaseSettings

    from blogcrawler.backend import Bucket, Files

_REMOTE = re.compile(r"(?:s3|gs)://[^/]+/.*")
_CONNECTS_WITHIN_S, _ANSWERS_WITHIN_S = 5.0, 30.0
_ATTEMPTS = 2
"""Maximum number of attempts for each request to S3, within a few seconds."""
_RETRIES_S = 5.0
"""Timeout for Google's library, which otherwise retries for two minutes."""
_PASSING = frozenset({408, 425, 429})
"""Statuses of temporary errors, in addition to those of failing servers."""
_SERVER_FAILS, _NO_ROOM = 500, 507
_FULL = re.compile("quota|storagefull|insufficientstorage|capexceeded", re.IGNORECASE)
"""Error codes of full stores and of quotas: those of MinIO, Ceph and others, each with its own status."""


def file_store(settings: BaseSettings) -> Files:
    """The store in FILES_STORE, or else in ARCHIVE; sends no request to it yet.

    Raises UsageError if the setting is invalid, or if the library or credentials are missing.
    """
    uri = str(settings["FILES_STORE"] or settings["ARCHIVE"])
    scheme = "" if Path(uri).is_absolute() else urlsplit(uri).scheme
    if _REMOTE.fullmatch(uri):
        return _object_store(f"{uri.rstrip('/')}/", scheme, settings)
    if scheme not in {"", "file"}:
        raise UsageError(
            "The setting FILES_STORE must be a folder, s3://BUCKET/… or gs://BUCKET/…, and not "
            f"{without_password(uri)!r}."
        )
    return FileStore(uri.removeprefix("file://"))


def check_store(settings: BaseSettings) -> None:
    """Check that a crawl can store files, if it should. Raises BackendUnavailable, and the errors of `file_store`."""
    if settings.getbool("MEDIA") or settings.getbool("SCREENSHOTS"):
        file_store(settings).check()


def _object_store(uri: str, scheme: str, settings: BaseSettings) -> Files:
    """Create the store for s3://BUCKET/PREFIX or gs://BUCKET/PREFIX."""
    kind, extra = _BUCKETS[scheme]
    if "@" in urlsplit(uri).netloc:
        raise UsageError(
            f"The setting FILES_STORE must be {scheme}://BUCKET/…, and not {without_password(uri)!r}; give credentials "
            "as the store's documentation describes."
        )
    name, _, prefix = uri.partition("://")[2].partition("/")
    try:
        bucket = kind(name, settings)
    except ImportError:
        raise UsageError(f"{uri} needs a library: pip install 'blogcrawler[{extra}]'.") from None
    except Exception as error:
        raise UsageError(
            f"The store {uri} cannot be used: {error}. Check its credentials, or set another FILES_STORE."
        ) from error
    return ObjectStore(uri, prefix, bucket, patience_s=settings.getfloat("BACKEND_PATIENCE"))


class _S3:
    """A bucket with the S3 interface, which many object stores support."""

    def __init__(self, bucket: str, settings: BaseSettings) -> None:
        import botocore.exceptions  # an optional dependency of this package

        self._errors = botocore.exceptions
        self._client, self._bucket = _s3_client(settings), bucket
        self._written = {"ACL": settings["FILES_STORE_S3_ACL"], "CacheControl": S3FilesStore.HEADERS["Cache-Control"]}

    def holds(self, name: str) -> bool:
        try:
            self._client.head_object(Bucket=self._bucket, Key=name)
        except self._client.exceptions.ClientError:  # for a missing object, users without permission to list get 403
            return False
        return True

    def write(self, name: str, content: bytes) -> None:
        self._client.put_object(Bucket=self._bucket, Key=name, Body=content, **self._written)

    def delete(self, name: str) -> None:
        self._client.delete_object(Bucket=self._bucket, Key=name)

    def read(self, name: str) -> Any:  # noqa: ANN401
        try:
            return self._client.get_object(Bucket=self._bucket, Key=name)["Body"]
        except self._client.exceptions.NoSuchKey:
            return None

    def listed(self, prefix: str) -> Iterator[tuple[str, int]]:
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
        for page in pages:
            yield from ((one["Key"], one["Size"]) for one in page.get("Contents", ()))

    def may_pass(self, error: Exception) -> bool:
        if isinstance(error, self._errors.ClientError):
            status, code = _status_and_code(error)
            # S3 sends status 400 for it
            return status in _PASSING or status >= _SERVER_FAILS or code == "RequestTimeout"
        return isinstance(error, self._errors.ConnectionError | self._errors.HTTPClientError)

    def is_full(self, error: Exception) -> bool:
        if not isinstance(error, self._errors.ClientError):
            return False
        status, code = _status_and_code(error)
        return status == _NO_ROOM or _FULL.search(code) is not None


def _status_and_code(error: Any) -> tuple[int, str]:  # noqa: ANN401
    """HTTP status and error code of a response with the S3 interface."""
    return error.response["ResponseMetadata"].get("HTTPStatusCode", 0), str(error.response["Error"].get("Code", ""))


def _s3_client(settings: BaseSettings) -> Any:  # noqa: ANN401
    """Create the library's client as Scrapy does, but with timeouts shorter than our patience."""
    import botocore.session
    from botocore.config import Config

    FilesPipeline._update_stores(settings)
    store: Any = S3FilesStore
    more = {} if store.AWS_MAX_POOL_CONNECTIONS is None else {"max_pool_connections": store.AWS_MAX_POOL_CONNECTIONS}
    config = Config(
        connect_timeout=_CONNECTS_WITHIN_S,
        read_timeout=_ANSWERS_WITHIN_S,
        retries={"total_max_attempts": _ATTEMPTS, "mode": "standard"},
        **more,
    )
    return botocore.session.get_session().create_client(
        "s3",
        aws_access_key_id=store.AWS_ACCESS_KEY_ID,
        aws_secret_access_key=store.AWS_SECRET_ACCESS_KEY,
        aws_session_token=store.AWS_SESSION_TOKEN,
        endpoint_url=store.AWS_ENDPOINT_URL,
        region_name=store.AWS_REGION_NAME,
        use_ssl=store.AWS_USE_SSL,
        verify=store.AWS_VERIFY,
        config=config,
    )


class _Google:
    """A bucket of Google Cloud Storage."""

    def __init__(self, bucket: str, settings: BaseSettings) -> None:
        from google.cloud import storage  # an optional dependency of this package
        from google.cloud.storage.retry import DEFAULT_RETRY

        self._bucket = storage.Client(project=settings["GCS_PROJECT_ID"]).bucket(bucket)
        self._policy = settings["FILES_STORE_GCS_ACL"] or None
        self._asked: dict[str, Any] = {
            "retry": DEFAULT_RETRY.with_timeout(_RETRIES_S),
            "timeout": (_CONNECTS_WITHIN_S, _ANSWERS_WITHIN_S),
        }

    def holds(self, name: str) -> bool:
        return bool(self._bucket.blob(name).exists(**self._asked))

    def write(self, name: str, content: bytes) -> None:
        blob = self._bucket.blob(name)
        blob.cache_control = GCSFilesStore.CACHE_CONTROL
        kind = "application/octet-stream"
        blob.upload_from_string(content, content_type=kind, predefined_acl=self._policy, **self._asked)

    def delete(self, name: str) -> None:
        self._bucket.blob(name).delete(**self._asked)

    def read(self, name: str) -> Any:  # noqa: ANN401
        blob = self._bucket.get_blob(name)
        return None if blob is None else blob.open("rb")

    def listed(self, prefix: str) -> Iterator[tuple[str, int]]:
        yield from ((blob.name, blob.size) for blob in self._bucket.client.list_blobs(self._bucket, prefix=prefix))

    def may_pass(self, error: Exception) -> bool:
        from google.api_core.exceptions import GoogleAPICallError, RetryError
        from google.auth.exceptions import TransportError
        from requests.exceptions import ConnectionError as NoConnection
        from requests.exceptions import Timeout

        if isinstance(error, GoogleAPICallError):
            return error.code in _PASSING or (error.code or 0) >= _SERVER_FAILS
        return isinstance(error, RetryError | TransportError | NoConnection | Timeout)

    def is_full(self, error: Exception) -> bool:  # noqa: ARG002
        """False: Google's stores have no size limit."""
        return False


_BUCKETS: dict[str, tuple[Callable[[str, BaseSettings], Bucket], str]] = {"s3": (_S3, "s3"), "gs": (_Google, "gcs")}
"""Bucket class and optional dependency, by the scheme of the store's URL."""
