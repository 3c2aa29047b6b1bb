"""Files of the archive."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from blogcrawler.backend import FileStore
from blogcrawler.errors import BackendUnavailable


def files(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]


def test_a_content_is_kept_once_under_its_hash(tmp_path):
    store = FileStore(tmp_path / "archive")
    kept = store.put(b"picture")
    digest = hashlib.sha256(b"picture").hexdigest()
    assert (kept.path, kept.sha256, kept.bytes) == (f"sha256/{digest[:2]}/{digest[2:]}", digest, 7)
    assert store.put(b"picture") == kept
    assert files(tmp_path / "archive") == [kept.path]
    assert (tmp_path / "archive" / kept.path).read_bytes() == b"picture"


@pytest.mark.parametrize("left", [b"", b"pic"])
def test_what_was_cut_is_written_again(tmp_path, left):
    store = FileStore(tmp_path)
    kept = store.put(b"picture")
    (tmp_path / kept.path).write_bytes(left)
    assert store.put(b"picture") == kept
    assert (tmp_path / kept.path).read_bytes() == b"picture"


def test_a_write_that_fails_leaves_nothing_and_says_so(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(BackendUnavailable, match="No space left"):
        FileStore(tmp_path).put(b"picture")
    assert files(tmp_path) == []


def test_a_folder_that_is_none(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(BackendUnavailable, match="ARCHIVE"):
        FileStore(tmp_path / "file").put(b"picture")
