"""From a crawl to a deposit with an archive in PostgreSQL and files in an object store: the same as on one machine."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
import requests

from blogcrawler.backend import Archive
from blogcrawler.items import Provenance, Record
from tests.crawl.blog import make_posts
from tests.crawl.killing import at_commit
from tests.crawl.object_stores import STORES
from tests.crawl.running import PROGRAM, SETTINGS, command, crawl, environment, has_traceback, run
from tests.crawl.test_media import Illustrated, picture, png, put, served

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

POSTS = make_posts(14)
FILES = {f"/{number}.png": picture(png(number)) for number in range(3)}
KEPT = {"MEDIA": "True", "WARC": "True", "REPORTS": "True"}
FORMATS = [
    "jsonl",
    "csv",
    "sqlite",
    "parquet",
    "jsonld",
    "dc",
    "marcxml",
    "bagit",
    "mets",
    "site",
    "wacz",
    "epub",
    "wxr",
]


def blog(posts):
    shown = {at: f'<img src="/{at % 3}.png">' for at in range(1, 5)}
    return Illustrated(posts, in_feed=5, shown='<img src="/0.png"><img src="/gone.png">', all_shown=shown)


def changed():
    """The blog with a new post and another text of the last one but two."""
    posts = make_posts(15)
    posts[2] = replace(posts[2], paragraphs=("Something else is said now.", *posts[2].paragraphs))
    return blog(posts)


class Place:
    """A folder, with the settings that say where its archive is."""

    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        folder.mkdir()
        self.folder, self.settings = folder, SETTINGS | KEPT | settings

    def crawl(self, url, *more, spider="newcrawl"):
        done = crawl(self.folder, url, *more, spider=spider, **self.settings)
        assert done.code == 0, done.stderr
        assert not has_traceback(done), done.stderr
        return done

    def options(self, *names):
        return [
            part for name in ("ARCHIVE", "DATABASE_URL", *names) for part in ("-s", f"{name}={self.settings[name]}")
        ]

    def run(self, *arguments, code=0):
        names = [name for name in self.settings if name == "FILES_STORE" or name.startswith("AWS_")]
        done = run(self.folder, [*PROGRAM, *arguments, *self.options(*names)])
        assert done.code == code, done.stderr + done.stdout
        assert not has_traceback(done), done.stderr
        return done.stdout

    @contextmanager
    def archive(self):
        url = self.settings["DATABASE_URL"].replace("sqlite:///", f"sqlite:///{self.folder}/")
        with Archive.open(url) as opened:
            yield opened

    def records(self, home):
        """What its posts say, now and before, without when and where that was kept."""
        with self.archive() as archive:
            posts = sorted(archive.records(home), key=lambda record: record.url)
            return [_said(one) for post in posts for one in (post, *_before(archive, home, post.url))]


def _before(archive, home, url):
    return [version.record for version in archive.versions(home, url)]


def _said(record):
    fields = record.provenance.fields
    return replace(
        record, provenance=Provenance(None, record.provenance.status, record.provenance.sha256, fields=fields)
    )


@pytest.fixture(scope="module")
def archived(tmp_path_factory, postgresql_server):
    """The blog as it was crawled, and crawled again when it had changed, into either place; the first crawl into
    PostgreSQL was killed twice.
    """
    folder = tmp_path_factory.mktemp("places")
    with (
        pytest.MonkeyPatch.context() as patch,
        served(blog(POSTS), FILES) as site,
        STORES["s3"](patch) as store,
        postgresql_server.database() as database,
    ):
        home = f"{site.url}/"
        here = Place(folder / "here", {})
        there = Place(folder / "there", {"DATABASE_URL": database, **store.settings})
        here.crawl(home)
        for number in (4, 6):
            killed = run(there.folder, command(home, *at_commit(number), **there.settings))
            assert killed.code == -signal.SIGKILL, killed.stderr
        there.crawl(home)
        first = here.records(home), there.records(home)
        put(site, changed(), FILES)
        updates = [place.crawl(home, spider="updatecrawl") for place in (here, there)]
        yield site, home, here, there, store, first, updates


def test_the_records_are_the_same(archived):
    _, home, here, there, _, (first, first_there), updates = archived
    assert len(first) == len(POSTS)
    assert first_there == first
    assert [len(done.records) for done in updates] == [2, 2]
    assert there.records(home) == here.records(home)
    assert len(here.records(home)) == len(POSTS) + 2
    with there.archive() as archive:
        assert sum(one.error is None for post in archive.records(home) for one in post.media) == 6
        assert archive.blog(home).crawl_complete


def test_files_are_in_the_store_alone(archived):
    _, _, here, there, store, *_ = archived
    assert len(store.names()) == 3
    assert not list(there.folder.rglob("sha256"))
    assert not (there.folder / "archive.db").exists()
    assert len([path for path in (here.folder / "archive" / "sha256").rglob("*") if path.is_file()]) == 3


def written(target):
    """How many files of each kind an export has made, but for WARC files, of which each part of a crawl has its own.

    Names show in which order posts came in.
    """
    files = [target, *target.rglob("*")]
    return Counter(file.suffix for file in files if file.is_file() and not file.name.endswith(".warc.gz"))


@pytest.mark.parametrize("kind", FORMATS)
def test_exports(archived, kind):
    _, _, here, there, *_ = archived
    for place in (here, there):
        place.run("export", kind, f"exported-{kind}")
    made = written(there.folder / f"exported-{kind}")
    assert made.total()
    assert made == written(here.folder / f"exported-{kind}")


def test_records_of_an_export(archived):
    _, home, here, there, *_ = archived
    lines = [place.run("export", "jsonl", "-", "--blog", home).splitlines() for place in (here, there)]
    posts = [
        sorted((_said(Record.from_dict(json.loads(line))) for line in some), key=lambda one: one.url) for some in lines
    ]
    assert len(posts[0]) == len(POSTS) + 1
    assert posts[0] == posts[1]


def test_looking_after_it(archived):
    _, home, here, there, store, *_ = archived
    assert there.run("verify").endswith("and 15 records checked: no faults.\n")
    assert f"{home}gone.png" in there.run("gaps", home)
    assert "15" in there.run("status")
    assert home in there.run("blogs")
    there.run("blogs", "add", "http://another.example.org/")
    assert "http://another.example.org/" in there.run("blogs")
    there.run("blogs", "remove", "http://another.example.org/")
    assert "http://another.example.org/" not in there.run("blogs")
    assert there.run("rules", home).splitlines()[1:] == here.run("rules", home).splitlines()[1:]
    assert len(list((there.folder / "archive" / "reports").rglob("*.html"))) >= 2
    path, content = store.names()[0], store.get(store.names()[0])
    store.put(path, png(7))
    assert "damaged file: " in there.run("verify", code=1)
    store.put(path, content)


def test_reading_it_again_changes_nothing(archived):
    _, home, here, there, *_ = archived
    before = there.records(home)
    there.run("reextract", home)
    here.run("reextract", home)
    assert there.records(home) == here.records(home)
    assert [one.url for one in there.records(home)] == [one.url for one in before]


def test_a_dry_run_of_a_deposit(archived):
    *_, there, _, _, _ = archived
    told = there.run("deposit", "invenio", "--url", "http://127.0.0.1:1/api/", "--dry-run")
    assert told.splitlines()[-1].startswith("15 new to deposit")


def test_it_is_browsed(archived):
    _, home, _, there, store, *_ = archived
    names = [name for name in there.settings if name == "FILES_STORE" or name.startswith("AWS_")]
    arguments = [*PROGRAM, "browse", *there.options(*names), "--port", "0", "--no-open"]
    with subprocess.Popen(arguments, cwd=there.folder, env=environment(), stdout=subprocess.PIPE, text=True) as process:
        try:
            address = re.search(r"http://\S+/", process.stdout.readline())[0]

            def page(path):
                answer = requests.get(f"{address}{path}", timeout=20, proxies={"http": ""})
                assert answer.status_code == 200, answer.text
                return answer

            assert blog(POSTS).name in page("").text
            with there.archive() as archive:
                number, record = archive.blog(home).id, next(iter(archive.records(home)))
                post_id = archive.post_id(home, record.url)
            assert record.title in page(f"blogs/{number}/posts").text
            assert record.title in page(f"posts/{post_id}").text
            found = page(f"search?q={quote(record.title)}").text
            assert f"/posts/{post_id}" in found
            with there.archive() as archive:
                kept = [one for post in archive.records(home) for one in post.media if one.path]
            assert page(f"files/{kept[0].sha256}.png").content == store.get(f"files/{kept[0].path}")
        finally:
            process.kill()
