"""Servers of object stores on loopback, by the interfaces of Amazon's and of Google's."""

from __future__ import annotations

import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import botocore.session
import requests
from gcp_storage_emulator.server import create_server
from google.cloud import storage
from moto.server import ThreadedMotoServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

__all__ = ["BUCKET", "STORES", "ObjectServer"]

BUCKET = "blogs"


class ObjectServer(Protocol):
    """A bucket, as a client of its own sees it."""

    #: what makes a crawl use it
    settings: dict[str, str]

    def names(self) -> list[str]: ...
    def get(self, name: str) -> bytes: ...
    def put(self, name: str, content: bytes) -> None: ...
    def delete(self, name: str) -> None: ...
    def drop(self) -> None:
        """Delete the bucket, which must be empty."""

    def stop(self) -> None:
        """Refuse connections."""

    def start(self) -> None:
        """Answer again, with what was there; S3's only."""


class _Amazon:
    def __init__(self, server: ThreadedMotoServer) -> None:
        self._server = server
        self._port = server.get_host_and_port()[1]
        address = f"http://127.0.0.1:{self._port}"
        keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret", "region_name": "us-east-1"}
        self._client = botocore.session.get_session().create_client("s3", endpoint_url=address, **keys)
        self._client.create_bucket(Bucket=BUCKET)
        self.settings = {
            "FILES_STORE": f"s3://{BUCKET}/files/",
            "AWS_ENDPOINT_URL": address,
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION_NAME": "us-east-1",
        }

    def names(self) -> list[str]:
        return [found["Key"] for found in self._client.list_objects_v2(Bucket=BUCKET).get("Contents", ())]

    def get(self, name: str) -> bytes:
        content: bytes = self._client.get_object(Bucket=BUCKET, Key=name)["Body"].read()
        return content

    def put(self, name: str, content: bytes) -> None:
        self._client.put_object(Bucket=BUCKET, Key=name, Body=content)

    def delete(self, name: str) -> None:
        self._client.delete_object(Bucket=BUCKET, Key=name)

    def drop(self) -> None:
        self._client.delete_bucket(Bucket=BUCKET)

    def stop(self) -> None:
        self._server.stop()

    def start(self) -> None:
        self._server = ThreadedMotoServer("127.0.0.1", self._port, verbose=False)
        self._server.start()


class _Google:
    settings = {"FILES_STORE": f"gs://{BUCKET}/files/"}  # noqa: RUF012  nobody changes it

    def __init__(self, server: Any) -> None:
        self._server = server
        client: Any = storage.Client()
        self._bucket = client.create_bucket(BUCKET)

    def names(self) -> list[str]:
        return [blob.name for blob in self._bucket.list_blobs()]

    def get(self, name: str) -> bytes:
        content: bytes = self._bucket.blob(name).download_as_bytes()
        return content

    def put(self, name: str, content: bytes) -> None:
        self._bucket.blob(name).upload_from_string(content)

    def delete(self, name: str) -> None:
        self._bucket.blob(name).delete()

    def drop(self) -> None:
        self._bucket.delete()

    def stop(self) -> None:
        self._server.stop()

    def start(self) -> None:
        raise NotImplementedError


@contextmanager
def amazon(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectServer]:
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    address = f"http://127.0.0.1:{server.get_host_and_port()[1]}"
    requests.post(f"{address}/moto-api/reset", timeout=10).raise_for_status()  # its state is the process's
    store = _Amazon(server)
    try:
        yield store
    finally:
        store.stop()


@contextmanager
def google(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectServer]:
    """Its library finds the server by a variable, and asks for no credentials then."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = create_server("127.0.0.1", port, in_memory=True)
    server.start()
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"http://127.0.0.1:{port}")
    try:
        yield _Google(server)
    finally:
        server.stop()


STORES = {"s3": amazon, "gs": google}
