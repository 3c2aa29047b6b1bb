"""Object stores, as their libraries have them; credentials are read as Scrapy's files pipeline reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.pipelines.files import FilesPipeline

from blogcrawler.backend import ObjectStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy.settings import BaseSettings

    from blogcrawler.backend import Bucket

__all__ = ["object_store"]


def object_store(uri: str, settings: BaseSettings) -> ObjectStore:
    """The store at s3://BUCKET/PREFIX or gs://BUCKET/PREFIX. Raises NotConfigured, and what its library raises."""
    FilesPipeline._update_stores(settings)
    scheme = uri.partition(":")[0]
    store: Any = FilesPipeline.STORE_SCHEMES[scheme](uri)
    return ObjectStore(uri, store.prefix, _BUCKETS[scheme](store))


class _S3:
    """A bucket by S3's interface, which many object stores speak."""

    def __init__(self, store: Any) -> None:  # noqa: ANN401
        self._client, self._bucket = store.s3_client, store.bucket
        self._written = {"ACL": store.POLICY, **store._headers_to_botocore_kwargs(store.HEADERS)}

    def holds(self, name: str) -> bool:
        try:
            self._client.head_object(Bucket=self._bucket, Key=name)
        except self._client.exceptions.ClientError:  # who may write and not list is refused where there is nothing
            return False
        return True

    def write(self, name: str, content: bytes) -> None:
        self._client.put_object(Bucket=self._bucket, Key=name, Body=content, **self._written)

    def read(self, name: str) -> Any:  # noqa: ANN401
        try:
            return self._client.get_object(Bucket=self._bucket, Key=name)["Body"]
        except self._client.exceptions.NoSuchKey:
            return None

    def listed(self, prefix: str) -> Iterator[tuple[str, int]]:
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
        for page in pages:
            yield from ((one["Key"], one["Size"]) for one in page.get("Contents", ()))


class _Google:
    """A bucket of Google Cloud Storage."""

    def __init__(self, store: Any) -> None:  # noqa: ANN401
        self._bucket, self._policy, self._cache_control = store.bucket, store.POLICY, store.CACHE_CONTROL

    def holds(self, name: str) -> bool:
        return bool(self._bucket.blob(name).exists())

    def write(self, name: str, content: bytes) -> None:
        blob = self._bucket.blob(name)
        blob.cache_control = self._cache_control
        blob.upload_from_string(content, content_type="application/octet-stream", predefined_acl=self._policy)

    def read(self, name: str) -> Any:  # noqa: ANN401
        blob = self._bucket.get_blob(name)
        return None if blob is None else blob.open("rb")

    def listed(self, prefix: str) -> Iterator[tuple[str, int]]:
        yield from ((blob.name, blob.size) for blob in self._bucket.client.list_blobs(self._bucket, prefix=prefix))


_BUCKETS: dict[str, Callable[[Any], Bucket]] = {"s3": _S3, "gs": _Google}
