"""`blogcrawler copy`."""

from __future__ import annotations

from blogcrawler.backend import Archive
from tests.archives import save_records
from tests.crawl.running import DATABASE, PROGRAM, has_traceback, run
from tests.export.archives import ANN, NOW, a_record


def copy(folder, *arguments, anew=False):
    done = run(folder, [*PROGRAM, "copy", *arguments, "-s", f"DATABASE_URL=sqlite:///{DATABASE}"], anew=anew)
    assert not has_traceback(done)
    return done


def test_an_archive_is_copied_once(tmp_path, postgresql_url):
    with Archive.open(f"sqlite:///{tmp_path}/{DATABASE}") as archive:
        save_records(archive, [a_record("a"), a_record("b")], now=NOW)
    done = copy(tmp_path, postgresql_url, anew=True)
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith("Copied all blogs (1) and posts (2).")
    with Archive.open(postgresql_url, make=False) as archive:
        assert archive.count(ANN) == 2
    again = copy(tmp_path, postgresql_url)
    assert (again.code, again.stdout) == (1, "")
    assert "already holds an archive; give an empty one." in again.stderr
    password = postgresql_url.partition("//")[2].partition("@")[0].partition(":")[2]
    assert password
    assert password not in again.stderr


def test_wrong_usage(tmp_path):
    for arguments in ((), ("sqlite:///a.db", "sqlite:///b.db")):
        done = copy(tmp_path, *arguments, anew=True)
        assert done.code == 2
        assert "Name the database to copy to" in done.stderr


def test_what_is_no_database_and_no_archive(tmp_path):
    assert "There is no archive at" in copy(tmp_path, "sqlite:///b.db", anew=True).stderr
    Archive.open(f"sqlite:///{tmp_path}/{DATABASE}").close()
    done = copy(tmp_path, "mysql://localhost/a")
    assert done.code == 2
    assert 'Databases of the kind "mysql" are not supported' in done.stderr
    done = copy(tmp_path, "b.db")
    assert (done.code, done.stdout) == (2, "")
    assert "'b.db' is not a database URL; give one such as" in done.stderr
    assert "with DATABASE_URL or as an argument" in done.stderr
