"""Files that are not what they were when they were written."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blogcrawler.backend import FileStore, damaged_files, missing_files, size_of_files
from blogcrawler.items import Media, Record


def faults(folder):
    return {fault.where: fault.description for fault in damaged_files(FileStore(folder))}


def test_an_archive_without_files(tmp_path):
    assert faults(tmp_path / "none") == {}
    assert size_of_files(FileStore(tmp_path / "none")) == 0


def test_what_was_changed_is_found(tmp_path):
    store = FileStore(tmp_path)
    kept = [store.put(f"file {number}".encode() * 1000) for number in range(200)]
    assert faults(tmp_path) == {}
    assert size_of_files(store) == sum(file.bytes for file in kept)
    file = tmp_path / kept[7].path
    file.write_bytes(file.read_bytes()[:-1] + b"X")
    (tmp_path / kept[9].path).write_bytes(b"")
    (tmp_path / "sha256" / "ab").mkdir(exist_ok=True)
    (tmp_path / "sha256" / "ab" / "photo.jpg").write_bytes(b"who put this here?")
    (tmp_path / "sha256" / "ab" / "tmpx1_y2").write_bytes(b"being written")
    (tmp_path / "sha256" / "cd").mkdir(exist_ok=True)
    (tmp_path / "sha256" / "cd" / ("0" * 62)).mkdir()
    found = faults(tmp_path)
    assert found.keys() == {kept[7].path, kept[9].path, "sha256/ab/photo.jpg", f"sha256/cd/{'0' * 62}"}
    assert found[kept[7].path].startswith("content has changed; SHA-256 is now ")
    assert found["sha256/ab/photo.jpg"] == "has a name that does not come from the archive"
    assert found[f"sha256/cd/{'0' * 62}"] == "cannot be read (Is a directory)"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(content=st.binary(min_size=1, max_size=2000), at=st.integers(min_value=0), bit=st.integers(0, 7))
def test_each_changed_bit_is_found(tmp_path_factory, content, at, bit):
    folder = tmp_path_factory.mktemp("archive")
    kept = FileStore(folder).put(content)
    assert faults(folder) == {}
    changed = bytearray(content)
    changed[at % len(content)] ^= 1 << bit
    (folder / kept.path).write_bytes(changed)
    assert faults(folder).keys() == {kept.path}


def test_files_that_records_name_and_that_are_not_there(tmp_path):
    kept = FileStore(tmp_path).put(b"there")
    there = Media("http://a/1.png", kept.path, kept.sha256, "image/png", kept.bytes)
    gone = Media("http://a/2.png", f"sha256/00/{'0' * 62}", "0" * 64, "image/png", 3)
    short = Media("http://a/3.png", kept.path, kept.sha256, "image/png", kept.bytes + 1)
    never = Media("http://a/4.png", error="404 Not Found")
    records = [
        Record("http://a/", "http://a/p", media=[there, gone, never]),
        Record("http://a/", "http://a/q", media=[short]),
    ]
    assert [(fault.where, fault.description) for fault in missing_files(FileStore(tmp_path), records)] == [
        ("http://a/p", f"sha256/00/{'0' * 62}, of http://a/2.png, is missing"),
        ("http://a/q", f"{kept.path}, of http://a/3.png, has 5 bytes instead of 6"),
    ]
