"""`blogcrawler deposit invenio|dspace --url URL`, as users give it."""

from __future__ import annotations

import os
import signal

import pytest

from tests.crawl.running import DATABASE, PROGRAM, has_traceback, run, start
from tests.deposit.archives import HOME, LATER, a_post, opened
from tests.deposit.dspace_server import COLLECTION, PASSWORD, USER, DspaceServer
from tests.deposit.invenio_server import SLUG, TOKEN, InvenioServer
from tests.deposit.serving import Reply

ARCHIVE = ["-s", f"DATABASE_URL=sqlite:///{DATABASE}"]


@pytest.fixture(autouse=True)
def token(monkeypatch):
    monkeypatch.setenv("INVENIO_TOKEN", TOKEN)


@pytest.fixture
def server():
    with InvenioServer() as serving:
        yield serving


@pytest.fixture
def folder(tmp_path):
    with opened(tmp_path, a_post(tmp_path), a_post(tmp_path, "b")):
        return tmp_path


def command(*arguments):
    return [*PROGRAM, "deposit", *arguments, *ARCHIVE]


def deposit(folder, *arguments, anew=False):
    done = run(folder, command(*arguments), anew=anew)
    assert not has_traceback(done)
    assert TOKEN not in done.stdout + done.stderr
    return done


def test_posts_are_deposited_once(folder, server):
    arguments = ("invenio", "--url", server.url, "--community", SLUG)
    done = deposit(folder, *arguments, "--limit", "1", anew=True)
    assert (done.code, done.stdout) == (0, f"invenio {server.url} {SLUG}: 1 deposited.\n")
    done = deposit(folder, *arguments)
    assert (done.code, done.stdout) == (0, f"invenio {server.url} {SLUG}: 1 deposited, 1 already there.\n")
    server.log.clear()
    assert deposit(folder, *arguments).stdout == f"invenio {server.url} {SLUG}: nothing new, 2 already there.\n"
    assert server.log == []
    assert len(server.records) == 2


def test_posts_are_deposited_in_a_dspace(folder, monkeypatch):
    monkeypatch.setenv("DSPACE_USER", USER)
    monkeypatch.setenv("DSPACE_PASSWORD", PASSWORD)
    with DspaceServer() as server:
        arguments = ("dspace", "--url", f"{server.url}/server", "--collection", COLLECTION)
        name = f"dspace {server.url}/server {COLLECTION}"
        done = deposit(folder, *arguments, "--dry-run")
        assert (done.code, server.log) == (0, [])
        assert done.stdout.splitlines()[2].startswith(f"2 new to deposit in {name} (")
        server.fail("POST /server/api/submission/workspaceitems", after=True, times=9)
        done = deposit(folder, *arguments, "-s", "DEPOSIT_RETRIES=0", "--limit", "1")
        assert (done.code, done.stdout) == (1, f"{name}: nothing new, 1 failed.\n")
        server.faults.clear()
        done = deposit(folder, *arguments)
        assert (done.code, done.stdout) == (0, f"{name}: 2 deposited.\n")
        assert PASSWORD not in done.stderr
        assert deposit(folder, *arguments).stdout == f"{name}: nothing new, 2 already there.\n"
        assert (server.workspace, len(server.archived()), len(server.items)) == ({}, 2, 2)


def test_a_dry_run_tells_and_asks_nobody(folder, server):
    done = deposit(folder, "invenio", "--url", f"{server.url}/api/", "--dry-run", "--no-media")
    assert done.code == 0
    lines = done.stdout.splitlines()
    assert [line.partition(" (")[0] for line in lines[:2]] == [f"new: {HOME}a", f"new: {HOME}b"]
    assert lines[2].startswith(f"2 new to deposit in invenio {server.url}/api/")
    assert server.log == []
    deposit(folder, "invenio", "--url", server.url)
    with opened(folder) as archive:
        archive.save_record(a_post(folder, title="Changed"), now=LATER)
    server.log.clear()
    done = deposit(folder, "invenio", "--url", server.url, "--dry-run")
    assert done.stdout.splitlines()[0].startswith(f"changed: {HOME}a (")
    assert done.stdout.splitlines()[1].endswith(" bytes), 1 already there.")
    assert server.log == []


def test_what_one_post_meets_does_not_stop_the_others(folder, server):
    server.fail("PUT .*/content", Reply(413, {"status": 413, "message": "Too large."}))
    done = deposit(folder, "invenio", "--url", server.url)
    assert (done.code, done.stdout) == (1, f"invenio {server.url}: 1 deposited, 1 failed.\n")
    (said,) = done.sentences
    assert f"{HOME}a could not be deposited" in said
    assert "413" in said
    assert deposit(folder, "invenio", "--url", server.url).code == 0
    assert (len(server.records), server.drafts) == (2, {})


def test_a_token_that_is_not_known_stops_at_once(folder, server, monkeypatch):
    monkeypatch.setenv("INVENIO_TOKEN", "another")
    done = deposit(folder, "invenio", "--url", server.url)
    assert (done.code, len(done.sentences), len(server.log)) == (1, 1, 1)
    assert "INVENIO_TOKEN" in done.sentences[0]


def test_drafts(folder, server):
    done = deposit(folder, "invenio", "--url", server.url, "--draft", "--blog", HOME)
    assert done.stdout == f"invenio {server.url}: 2 drafts.\n"
    assert (len(server.drafts), server.records) == (2, {})
    assert (
        deposit(folder, "invenio", "--url", server.url, "--publish").stdout == f"invenio {server.url}: 2 deposited.\n"
    )
    assert (len(server.records), server.drafts) == (2, {})


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "Name the kind of repository"),
        (("zenodo", "--url", "https://x.example.org"), 2, "Name the kind of repository"),
        (("invenio",), 2, "--url"),
        (("dspace", "--url", "https://x.example.org"), 2, "--collection"),
        (
            ("dspace", "--url", "https://x.example.org", "--collection", "blogs"),
            2,
            "is not the number of a DSpace collection",
        ),
        (("dspace", "--url", "https://x.example.org", "--community", "blogs"), 2, "dspace has no option --community"),
        (("invenio", "--url", "x.example.org"), 2, "not the address of a repository"),
        (("invenio", "--url", "https://me:secret@x.example.org"), 2, "not the address of a repository"),
        (("invenio", "--url", "https://x.example.org", "--limit", "0"), 2, "--limit"),
        (("invenio", "--url", "https://x.example.org", "--draft", "--publish"), 2, "exclude each other"),
        (("invenio", "--url", "https://x.example.org", "--since", "yesterday"), 2, "is not a time"),
        (("invenio", "--url", "https://x.example.org", "--blog", "http://cy.example.org/"), 1, "has no blog at"),
        (("invenio", "--url", "http://127.0.0.1:9"), 1, "does not answer (no connection)"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_cannot_be_done_is_told_in_a_sentence(folder, arguments, code, said):
    done = deposit(folder, *arguments, "-s", "DEPOSIT_RETRIES=0")
    assert done.code == code
    assert said in done.sentences[0]


def test_without_a_token(folder, monkeypatch):
    monkeypatch.delenv("INVENIO_TOKEN")
    done = deposit(folder, "invenio", "--url", "https://x.example.org")
    assert (done.code, len(done.sentences)) == (1, 1)
    assert "The environment variable INVENIO_TOKEN contains no token" in done.sentences[0]


@pytest.mark.slow
def test_a_deposit_that_is_killed_at_any_request_goes_on_and_makes_one_record_of_each_post(folder, server):
    """kill -9 once the server has got a request, whose effect then is unknown; again and again, somewhere else."""
    with opened(folder, *(a_post(folder, path) for path in "cde")):
        pass
    numbers = [1, 2, 4, 7, 5, 9, 11, 3, 6]

    def kill(line):
        if numbers and len(server.log) + 1 == numbers[0]:
            numbers.pop(0)
            os.kill(process.pid, signal.SIGKILL)

    server.on_request = kill
    codes = []
    while not codes or codes[-1]:
        server.log.clear()
        process = start(folder, command("invenio", "--url", server.url, "--community", SLUG))
        codes.append(process.wait(60))
        assert codes[-1] in (0, -signal.SIGKILL)
    assert len(codes) == 10
    assert sorted(record["metadata"]["title"] for record in server.records.values()) == [
        f"Post {path}" for path in "abcde"
    ]
    assert server.drafts == {}


def test_an_interruption_is_told(folder, server):
    server.on_request = lambda line: os.kill(process.pid, signal.SIGINT)
    process = start(folder, command("invenio", "--url", server.url))
    assert process.wait(60) == 130
    assert "Interrupted. Run the same command again to continue." in (folder / "stderr").read_text()
    server.on_request = lambda line: None
    assert deposit(folder, "invenio", "--url", server.url).code == 0
    assert (len(server.records), server.drafts) == (2, {})
