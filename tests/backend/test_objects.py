"""Files of the archive in an object store that is away, refuses us, or refuses a file."""

from __future__ import annotations

import io
import time
from threading import Thread

import pytest

from blogcrawler.backend import ObjectStore
from blogcrawler.errors import BackendUnavailable, FileRefused

URI = "s3://blogs/files/"
MOST = 100


class Passing(Exception):
    """What may pass by itself."""


class Lasting(Exception):
    """What the store will say again."""


class Full(Exception):
    """The store has no room for more."""


class Bucket:
    """One in memory, which is `away` for so many requests, or fails with `wrong`; it takes objects of `MOST` bytes."""

    def __init__(self, *, away=0, wrong=None, too_large=Lasting, may_delete=True):
        self.objects, self.written, self.asked = {}, [], 0
        self.away, self.wrong, self.too_large, self.may_delete = away, wrong, too_large, may_delete

    def _answer(self):
        self.asked += 1
        if self.wrong is not None:
            raise self.wrong
        if self.asked <= self.away:
            raise Passing("nobody answers.")

    def holds(self, name):
        self._answer()
        return name in self.objects

    def write(self, name, content):
        self._answer()
        self.written.append(name)
        if len(content) > MOST:
            raise self.too_large("EntityTooLarge")
        self.objects[name] = content

    def delete(self, name):
        self._answer()
        if not self.may_delete:
            raise Lasting("AccessDenied")
        del self.objects[name]

    def read(self, name):
        return io.BytesIO(self.objects[name]) if name in self.objects else None

    def listed(self, prefix):
        yield from sorted((name, len(content)) for name, content in self.objects.items() if name.startswith(prefix))

    def may_pass(self, error):
        return isinstance(error, Passing)

    def is_full(self, error):
        return isinstance(error, Full)


@pytest.fixture(autouse=True)
def _clock(monkeypatch):
    """Seconds pass while somebody sleeps, and no others."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))


def store(bucket, patience_s=30):
    return ObjectStore(URI, "files/", bucket, patience_s=patience_s)


@pytest.mark.parametrize("may_delete", [True, False])
def test_a_store_that_works_passes_its_trial_and_few_objects_are_left_at_most(may_delete):
    bucket = Bucket(may_delete=may_delete)
    for _ in range(1000):
        store(bucket).check()
    assert len(bucket.objects) <= (0 if may_delete else 256)
    kept = store(bucket).put(b"picture")
    assert list(store(bucket).listed()) == [(kept.path, 7)]


@pytest.mark.parametrize("wrong", [Passing("nobody answers."), Lasting("NoSuchBucket")])
def test_the_trial_waits_for_nobody(wrong):
    with pytest.raises(
        BackendUnavailable, match=f"^The store {URI} for files cannot be written \\({wrong.args[0][:-1]}"
    ):
        store(Bucket(wrong=wrong)).check()
    assert time.monotonic() == 0


def test_a_store_that_is_away_is_waited_for():
    bucket = Bucket(away=20)
    kept = store(bucket).put(b"picture")
    assert bucket.objects == {f"files/{kept.path}": b"picture"}
    assert 0 < time.monotonic() < 30


def test_but_not_for_longer_than_patience_lasts():
    bucket = Bucket(wrong=Passing("nobody answers."))
    files = store(bucket, patience_s=10)
    with pytest.raises(BackendUnavailable, match=r"\(nobody answers\)"):
        files.put(b"picture")
    assert time.monotonic() == pytest.approx(10, abs=1)
    asked = bucket.asked
    with pytest.raises(BackendUnavailable):
        files.put(b"another")
    assert bucket.asked == asked, "nobody waits for it again"


def test_all_threads_wait_together():
    files, failed = store(Bucket(wrong=Passing("nobody answers.")), patience_s=10), []

    def put():
        try:
            files.put(b"picture")
        except BackendUnavailable as error:
            failed.append(error)

    threads = [Thread(target=put) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(failed) == 4
    assert time.monotonic() < 12


def test_what_the_store_will_say_again_is_not_waited_for():
    with pytest.raises(BackendUnavailable, match="InvalidAccessKeyId"):
        store(Bucket(wrong=Lasting("InvalidAccessKeyId"))).put(b"picture")
    assert time.monotonic() == 0


@pytest.mark.parametrize("too_large", [Lasting, Passing])
def test_a_file_that_is_refused_is_no_end_of_the_store(too_large):
    """Nor where a server cuts the connection instead of saying so."""
    bucket = Bucket(too_large=too_large)
    files = store(bucket)
    with pytest.raises(FileRefused, match="rejects a file of 101 bytes"):
        files.put(bytes(MOST + 1))
    assert len([name for name in bucket.written if "sha256" in name]) == (1 if too_large is Lasting else 3)
    files.put(b"picture")
    assert len(bucket.objects) == 1


def test_a_store_without_room_keeps_no_file_though_it_takes_a_small_object():
    with pytest.raises(BackendUnavailable, match="EntityTooLarge"):
        store(Bucket(too_large=Full)).put(bytes(MOST + 1))
    assert time.monotonic() == 0


def test_a_deleted_file_is_gone_and_may_be_deleted_again():
    bucket = Bucket()
    store = ObjectStore(URI, "files/", bucket)
    path = store.put(b"a picture").path
    store.delete(path)
    store.delete(path)
    assert bucket.objects == {}


def test_a_file_that_may_not_be_deleted_is_told():
    store = ObjectStore(URI, "files/", Bucket(may_delete=False))
    path = store.put(b"a picture").path
    with pytest.raises(BackendUnavailable, match=r"cannot be deleted \(AccessDenied\)"):
        store.delete(path)
