"""`blogcrawler verify`."""

from __future__ import annotations

import sqlite3

import pytest

from blogcrawler.backend import Archive, FileStore
from blogcrawler.items import Media
from tests.archives import save_records
from tests.backend.test_warc import exchange, written
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
        save_records(archive, [a_record("a", media=media), a_record("b", media=[])], now=NOW)
    return tmp_path / "archive" / file.path


def test_an_archive_that_is_as_it_was(kept, tmp_path):
    done = verify(tmp_path, anew=True)
    assert (done.code, done.stdout, done.stderr) == (0, "0.0 MB of files and 2 records checked: no faults.\n", "")


def verified(folder):
    """When all files of the archive were as they were written."""
    with Archive.open(f"sqlite:///{folder}/{DATABASE}", make=False) as archive:
        return archive.verified


def test_the_archive_keeps_when_all_files_were_as_they_were(kept, tmp_path):
    assert verified(tmp_path) is None
    verify(tmp_path)
    first = verified(tmp_path)
    assert first > NOW
    kept.write_bytes(b"a pigture")
    verify(tmp_path, "--all")
    assert verified(tmp_path) == first


def test_an_archive_that_cannot_be_written_is_verified(kept, tmp_path):
    done = run(
        tmp_path,
        [
            *PROGRAM,
            "verify",
            "-s",
            f"DATABASE_URL=sqlite:///file:{DATABASE}?mode=ro&uri=true",
            "-s",
            "ARCHIVE=archive",
        ],
    )
    assert (done.code, has_traceback(done)) == (0, False)
    assert verified(tmp_path) is None


def test_a_changed_file(kept, tmp_path):
    kept.write_bytes(b"a pigture")
    done = verify(tmp_path)
    assert done.code == 1
    assert done.stdout.startswith(f"damaged file: {kept.relative_to(tmp_path / 'archive')}: content has changed")
    assert done.stderr == "blogcrawler: The archive has 1 damaged file.\n"


def test_a_missing_file_and_a_bad_record(kept, tmp_path):
    kept.unlink()
    with sqlite3.connect(tmp_path / DATABASE) as database:
        database.execute("update post set published = '[]' where url like '%/b'")
    done = verify(tmp_path)
    assert (done.code, done.stderr) == (1, "blogcrawler: The archive has 1 missing file.\n"), (
        "the first class of faults"
    )
    done = verify(tmp_path, "--all")
    assert (done.code, done.stderr) == (
        1,
        "blogcrawler: The archive has 1 missing file, 1 bad record, 1 altered record.\n",
    )
    assert f"bad record: {ANN}b: " in done.stdout
    assert 'published: "[]" ' in done.stdout


def test_a_row_that_is_no_record(kept, tmp_path):
    with sqlite3.connect(tmp_path / DATABASE) as database:
        database.execute("update post set comments = '[{\"no\": 1}]' where url like '%/b'")
    done = verify(tmp_path)
    assert (done.code, done.stderr) == (1, "blogcrawler: The archive has 1 unreadable blog.\n")
    assert done.stdout.startswith(f"unreadable blog: {ANN}: a post's row is not a valid record")


@pytest.fixture
def captured(tmp_path):
    """An archive of a post whose page is in a WARC file."""
    (place,) = written(tmp_path / "archive" / "warc", exchange(b"<p>A post.</p>" * 100))
    post = a_record("a", media=[])
    post.provenance.warc = place
    with Archive.open(f"sqlite:///{tmp_path}/{DATABASE}") as archive:
        archive.save_record(post, now=NOW)
    return tmp_path / "archive" / "warc" / place.partition("#")[0]


def test_a_damaged_warc_file(captured, tmp_path):
    whole = captured.read_bytes()
    assert verify(tmp_path).code == 0
    captured.write_bytes(whole[:-20] + bytes([whole[-20] ^ 1]) + whole[-19:])
    done = verify(tmp_path)
    assert (done.code, done.stderr) == (1, "blogcrawler: The archive has 1 damaged WARC record.\n")
    assert done.stdout.startswith(f"damaged WARC record: {captured.name}#")


def test_a_missing_warc_file(captured, tmp_path):
    captured.rename(tmp_path / captured.name)
    done = verify(tmp_path)
    assert (done.code, done.stderr) == (1, "blogcrawler: The archive has 1 missing WARC record.\n")
    assert done.stdout.startswith(f"missing WARC record: {ANN}a: {captured.name}#")


def test_what_cannot_be_done_is_told(tmp_path):
    assert verify(tmp_path).code == 1
    done = verify(tmp_path, "all")
    assert (done.code, "takes no argument" in done.stderr) == (2, True)


def changed_in_database(folder, statement):
    with sqlite3.connect(folder / DATABASE) as database:
        database.execute(statement)


def test_a_post_that_was_changed_in_the_database(kept, tmp_path):
    changed_in_database(tmp_path, "update post set content_text = 'coffee' where url like '%/b'")
    done = verify(tmp_path)
    assert (done.code, done.stderr) == (1, "blogcrawler: The archive has 1 altered record.\n")
    assert done.stdout == f"altered record: {ANN}b: does not match its content_sha256\n"


def test_what_a_post_said_before_and_was_changed(kept, tmp_path):
    with Archive.open(f"sqlite:///{tmp_path}/{DATABASE}") as archive:
        archive.save_record(a_record("b", media=[], content_text="coffee"), now=NOW)
    assert verify(tmp_path).code == 0
    changed_in_database(tmp_path, "update post_version set body = x'00'")
    done = verify(tmp_path)
    assert (done.code, done.stderr) == (1, "blogcrawler: The archive has 1 altered record.\n")
    assert done.stdout.startswith("altered record: post_version 1: the version of post 2 until ")


def test_a_database_whose_file_is_damaged(kept, tmp_path):
    with sqlite3.connect(tmp_path / DATABASE) as database:
        (page,) = database.execute(
            "select rootpage from sqlite_schema where name = 'sqlite_autoindex_post_1'"
        ).fetchone()
        (size,) = database.execute("pragma page_size").fetchone()
        database.execute("pragma wal_checkpoint(truncate)")
    with (tmp_path / DATABASE).open("r+b") as file:
        file.seek(page * size - 40)
        file.write(b"noise" * 8)
    done = verify(tmp_path)
    assert done.code == 1
    assert len(done.sentences) == 1
    assert "damage" in done.sentences[0] or "malformed" in done.sentences[0]
