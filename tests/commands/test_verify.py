"""`blogcrawler verify`."""

from __future__ import annotations

import sqlite3

import pytest

from blogcrawler.backend import Archive, FileStore
from blogcrawler.items import Media
from tests.crawl.running import DATABASE, PROGRAM, has_traceback, run
from tests.export.archives import ANN, NOW, a_record


def verify(folder, *arguments, anew=False):
    settings = ["-s", f"DATABASE_URL=sqlite:///{DATABASE}", "-s", "ARCHIVE=archive"]
    done = run(folder, [*PROGRAM, "verify", *arguments, *settings], anew=anew)
    assert not has_traceback(done)
    return done


@pytest.fixture
def kept(tmp_path):
    """An archive of two posts, one with a file."""
    file = FileStore(tmp_path / "archive").put(b"a picture")
    media = [Media(f"{ANN}a.png", file.path, file.sha256, "image/png", file.bytes, "image")]
    with Archive.open(f"sqlite:///{tmp_path}/{DATABASE}") as archive:
        archive.save_records([a_record("a", media=media), a_record("b", media=[])], now=NOW)
    return tmp_path / "archive" / file.path


def test_an_archive_that_is_as_it_was(kept, tmp_path):
    done = verify(tmp_path, anew=True)
    assert (done.code, done.stdout, done.stderr) == (0, "0.0 MB of files and 2 records are as they were written.\n", "")


def test_a_changed_file(kept, tmp_path):
    kept.write_bytes(b"a pigture")
    done = verify(tmp_path)
    assert done.code == 1
    assert done.stdout.startswith(f"damaged file: {kept.relative_to(tmp_path / 'archive')}: holds something else")
    assert done.stderr == "blogcrawler: The archive has 1 damaged file.\n"


def test_a_missing_file_and_a_bad_record(kept, tmp_path):
    kept.unlink()
    with sqlite3.connect(tmp_path / DATABASE) as database:
        database.execute("update post set comment_count = 'many', published = '[]' where url like '%/b'")
    done = verify(tmp_path)
    assert (done.code, done.stderr) == (1, "blogcrawler: The archive has 1 missing file.\n"), (
        "the first class of faults"
    )
    done = verify(tmp_path, "--all")
    assert (done.code, done.stderr) == (1, "blogcrawler: The archive has 1 missing file, 1 bad record.\n")
    assert f"bad record: {ANN}b: " in done.stdout
    assert 'comment_count: "many" is not of types' in done.stdout


def test_a_row_that_is_no_record(kept, tmp_path):
    with sqlite3.connect(tmp_path / DATABASE) as database:
        database.execute("update post set comments = '[{\"no\": 1}]' where url like '%/b'")
    done = verify(tmp_path)
    assert (done.code, done.stderr) == (1, "blogcrawler: The archive has 1 unreadable blog.\n")
    assert done.stdout.startswith(f"unreadable blog: {ANN}: a row of a post is no record")


def test_what_cannot_be_done_is_told(tmp_path):
    assert verify(tmp_path).code == 1
    done = verify(tmp_path, "all")
    assert (done.code, "takes no argument" in done.stderr) == (2, True)
