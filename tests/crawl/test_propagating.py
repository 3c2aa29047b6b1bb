"""Where posts go at the end of a crawl, besides the archive."""

from __future__ import annotations

import asyncio
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from blogcrawler import settings as defaults
from blogcrawler.errors import BadArgument
from blogcrawler.pipelines.propagate import hand_over
from blogcrawler.setting_checks import check_settings
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import DATABASE, command, crawl, crawl_until, has_traceback, kept
from tests.deposit.archives import HOME, a_post, database, opened
from tests.deposit.dspace_server import COLLECTION, PASSWORD, USER, DspaceServer
from tests.deposit.invenio_server import SLUG, TOKEN, InvenioServer
from tests.deposit.serving import Reply

OWN = '''
from pathlib import Path

from blogcrawler.deposit import Repository


class Folder(Repository):
    """A repository of somebody's own: a folder of records."""

    def __init__(self, folder):
        self.name = f"folder {folder}"
        self.folder = Path(folder)

    def deposit(self, deposit, progress):
        self.folder.mkdir(exist_ok=True)
        name = progress.marker.rpartition(":")[2]
        with deposit.files[0].open() as stream:
            (self.folder / name).write_bytes(stream.read())
        progress.keep(stage="deposited", record_id=name)


class Broken(Repository):
    name = "broken"

    def deposit(self, deposit, progress):
        raise ValueError("no\\nway")


class Unmade(Repository):
    def __init__(self):
        raise OSError("no folder")

    def deposit(self, deposit, progress):
        pass
'''


@pytest.fixture(autouse=True)
def secrets(monkeypatch, tmp_path):
    monkeypatch.setenv("INVENIO_TOKEN", TOKEN)
    monkeypatch.setenv("DSPACE_USER", USER)
    monkeypatch.setenv("DSPACE_PASSWORD", PASSWORD)
    (tmp_path / "ownplace.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))


def given(folder, *targets, **more):
    found = Settings({name: getattr(defaults, name) for name in dir(defaults) if name.isupper()})
    quick = {"DEPOSIT_RETRIES": 0, "DATABASE_URL": database(folder)}
    found.setdict({**quick, "ARCHIVE": str(folder / "archive"), "PROPAGATE_TO": ["archive", *targets], **more})
    return found


def brought(settings, is_going_on=lambda: True):
    with ThreadPoolExecutor(1) as pool:  # pytest's own thread has a loop that runs
        return pool.submit(asyncio.run, hand_over(settings, [HOME], is_going_on)).result()


@pytest.mark.slow
def test_a_crawl_brings_its_posts_into_repositories_and_makes_up_for_what_failed(tmp_path):
    (tmp_path / "scrapy.cfg").write_text(
        "[settings]\ndefault = blogcrawler.settings\n"
    )  # whose folder is imported from
    blog = Blog(posts=make_posts(3))
    with serve(blog) as site, InvenioServer() as invenio, DspaceServer() as dspace:
        targets = [f"invenio {invenio.url} {SLUG}", f"dspace {dspace.url}/server {COLLECTION}", "ownplace.Folder mine"]
        more = {
            "PROPAGATE_TO": ",".join(["archive", *targets, "ownplace.Broken"]),
            "DEPOSIT_RETRIES": 0,
        }
        dspace.fail(".*", times=10_000)
        outcome = crawl(tmp_path, f"{site.url}/", **more)
        assert (outcome.code, has_traceback(outcome)) == (0, False), outcome.stderr
        assert outcome.urls == blog.urls(site.url)
        assert len(kept(tmp_path)) == 3
        assert (len(invenio.published()), dspace.items, len(list((tmp_path / "mine").iterdir()))) == (3, {}, 3)
        told = [line.strip() for line in outcome.summary]
        assert f"{targets[0]}: 3 deposited" in told
        assert f"{targets[1]}: 3 failed; the next crawl tries again" in told
        assert any(f"{dspace.url}/server/api does not answer (connection lost)" in line for line in told)
        assert "folder mine: 3 deposited" in told
        assert "broken failed with an unexpected error (ValueError: no way)." in told
        dspace.faults.clear()
        invenio.log.clear()
        outcome = crawl(tmp_path, f"{site.url}/", spider="updatecrawl", **more)
        assert outcome.code == 0, outcome.stderr
        assert (invenio.log, len(dspace.archived()), dspace.workspace) == ([], 3, {})
        assert f"{targets[1]}: 3 deposited" in [line.strip() for line in outcome.summary]


@pytest.mark.slow
def test_a_crawl_that_is_stopped_while_it_brings_posts_in_ends_at_once(tmp_path):
    blog = Blog(posts=make_posts(3))
    with serve(blog) as site, InvenioServer() as server:
        server.fail(".*", Reply(429, headers={"Retry-After": "600"}), times=99)
        arguments = command(f"{site.url}/", PROPAGATE_TO=f"archive,invenio {server.url}")
        begin = []

        def stop(process):
            begin.append(time.monotonic())
            process.send_signal(signal.SIGINT)

        crawl_until(tmp_path, arguments, lambda: server.log, stop)
        assert time.monotonic() - begin[0] < 10
        assert len(kept(tmp_path)) == 3
        stderr = (tmp_path / "stderr").read_text()
        assert "Traceback" not in stderr
        assert f"invenio {server.url}: 3 failed; the next crawl tries again" in stderr


def test_what_a_repository_lacks_is_found_without_asking_it(tmp_path):
    with InvenioServer() as server, opened(tmp_path, a_post(tmp_path), a_post(tmp_path, "b")) as archive:
        settings = given(tmp_path, f"invenio {server.url}")
        assert [dict(outcome.stages) for outcome in brought(settings)] == [{"deposited": 2}]
        server.log.clear()
        assert [dict(outcome.stages) for outcome in brought(settings)] == [{}]
        assert server.log == []
        archive.save_record(a_post(tmp_path, title="Changed"), now=datetime.now(UTC))
        assert [dict(outcome.stages) for outcome in brought(settings)] == [{"deposited": 1}]
        assert len(server.records) == 3


@pytest.mark.parametrize(
    ("target", "failed", "left", "because"),
    [
        ("invenio http://127.0.0.1:9", 3, 2, "does not answer (no connection)"),
        ("ownplace.Broken", 3, 2, "broken failed with an unexpected error (ValueError: no way)"),
    ],
)
def test_what_fails_is_told_and_stops_nobody_else(tmp_path, target, failed, left, because):
    with opened(tmp_path, *(a_post(tmp_path, path) for path in "abcde")):
        broken, own = brought(given(tmp_path, target, f"ownplace.Folder {tmp_path / 'mine'}"))
    assert (broken.failed, broken.left, dict(broken.stages)) == (failed, left, {})
    assert because in broken.because
    assert dict(own.stages) == {"deposited": 5}


def test_a_secret_that_is_missing_is_told(tmp_path, monkeypatch):
    monkeypatch.delenv("INVENIO_TOKEN")
    with opened(tmp_path, a_post(tmp_path), a_post(tmp_path, "b")):
        (outcome,) = brought(given(tmp_path, "invenio https://x.example.org"))
    assert (outcome.failed, outcome.left) == (1, 1)
    assert "INVENIO_TOKEN" in outcome.because


@pytest.mark.parametrize("is_stopped", [False, True])
def test_a_crawl_waits_no_longer_than_it_should(tmp_path, monkeypatch, is_stopped):
    with InvenioServer() as server, opened(tmp_path, a_post(tmp_path), a_post(tmp_path, "b")):
        server.fail(".*", Reply(429, headers={"Retry-After": "600"}), times=99)
        settings = given(tmp_path, f"invenio {server.url}", DEPOSIT_RETRIES=4)
        with monkeypatch.context() as patch:
            if not is_stopped:
                patch.setattr("blogcrawler.pipelines.propagate.WAIT_S", 0.1)
            (outcome,) = brought(settings, lambda: not is_stopped or not server.log)
        assert (outcome.failed, outcome.left) == (1, 1)
        server.faults.clear()
        assert [dict(outcome.stages) for outcome in brought(given(tmp_path, f"invenio {server.url}"))] == [
            {"deposited": 2}
        ]


@pytest.mark.parametrize(
    ("targets", "said"),
    [
        (["zenodo https://x.example.org"], "'zenodo' is not a kind of repository"),
        (["dspace https://x.example.org/server blogs"], "is not the number of a DSpace collection"),
        (["ownplace.Nobody"], "ownplace.Nobody cannot be imported"),
        (["ownplace.Folder"], "does not describe a repository"),
        (["ownplace.Unmade"], r"cannot be used \(OSError: no folder\)"),
        (["invenio https://x.example.org", "archive", "invenio https://x.example.org/"], "names a repository twice"),
    ],
)
def test_what_is_no_repository_is_told_before_the_crawl(tmp_path, targets, said):
    with pytest.raises((BadArgument, UsageError), match=said):
        check_settings(given(tmp_path, *targets))


def test_a_target_that_is_none_is_wrong_usage(tmp_path):
    outcome = crawl(tmp_path, "http://127.0.0.1:9/", PROPAGATE_TO="zenodo https://x.example.org")
    assert (outcome.code, has_traceback(outcome)) == (2, False)
    assert "'zenodo' is not a kind of repository" in outcome.sentences[0]
    assert not (tmp_path / DATABASE).exists()
